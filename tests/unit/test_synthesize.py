"""Synthetic records: what they keep, what they may not do, and the known answers on Adult."""

import json

import numpy as np
import polars as pl
import pytest
from public_files import find

import shoal
from shoal.errors import DataError, ParameterError, SchemaError
from shoal.measures import ClosestRecord, ExactCopies, MarginalDistance
from shoal.methods import Synthesize
from shoal.methods.synthesis.gaussian_copula import redrawn, root
from shoal.methods.synthesis.known_rows import KnownRows
from shoal.methods.synthesis.sequential_trees import Variable, bandwidth, learn

pytest.importorskip("sklearn")


def made(frame, method=None, seed=1, **roles):
    table = shoal.read(frame, **(roles or {"quasi": frame.columns}))
    named = list(frame.columns)
    return shoal.anonymize(
        table, method or Synthesize(), no_promise=True, seed=seed, measures=[], allow_identifiers=named
    )


@pytest.fixture(scope="module")
def adult(tmp_path_factory):
    """Give Adult as categories without every fifth record, those as a file, and the table."""
    folder = tmp_path_factory.mktemp("adult")
    whole = pl.read_csv(find("adult/adult.csv", folder), separator=";", infer_schema=False)
    held = pl.arange(whole.height, eager=True) % 5 == 4
    whole.filter(held).write_csv(folder / "held-out.csv")
    kinds = dict.fromkeys(whole.columns, "category")
    table = shoal.read(whole.filter(~held), quasi=whole.columns, kinds=kinds)
    others = shoal.read(whole.filter(held), quasi=whole.columns, kinds=kinds)
    return table, others, folder / "held-out.csv"


def test_those_held_out_differ_from_the_others_as_is_known(adult):
    table, others, _ = adult
    scores = shoal.score(table, others, measures=[MarginalDistance(), ExactCopies()])
    assert scores["marginal-distance"].value == pytest.approx(0.0379417614505572, abs=1e-12)
    assert scores["exact-copies"].value == pytest.approx(2795 / 6032)


@pytest.mark.parametrize(
    ("method", "apart", "copies", "closer"),
    [
        (Synthesize(least=5), 0.018, 0.756, 0.577),
        (Synthesize(), 0.021, 0.531, 0.532),
        (Synthesize("margins"), 0.084, 0.177, 0.5015),
    ],
    ids=["5", "50", "margins"],
)
def test_synthetic_records_of_adult_are_as_far_from_it_as_is_known(adult, method, apart, copies, closer):
    table, _, held_out = adult
    measures = [ClosestRecord(str(held_out), most=4000)]
    release = shoal.anonymize(table, method, no_promise=True, seed=3, measures=measures)
    assert release.scores["marginal-distance"].value == pytest.approx(apart, abs=0.004)
    assert release.scores["exact-copies"].value == pytest.approx(copies, abs=0.02)
    assert release.scores["closest-record"].value == pytest.approx(closer, abs=5 * 0.5 / 4000**0.5)


def test_measures_stand_beside_whatever_else_is_asked_for(tmp_path):
    frame = pl.DataFrame({"kind": ["x", "y"] * 30, "n": list(range(60))})
    release = made(frame)
    assert [score.measure for score in release.scores] == ["marginal-distance", "exact-copies"]
    release.write(tmp_path / "out.csv")
    paper = json.loads((tmp_path / "out.certificate.json").read_text(encoding="utf-8"))
    assert paper["remarks"] == [
        {"method": "synthesize", "said": "No differential privacy is claimed for synthetic records."}
    ]
    assert "no differential privacy is claimed" in paper["steps"][0]
    private = json.loads((tmp_path / "out.private.json").read_text(encoding="utf-8"))
    assert private["remarks"][0]["copies"] == release.scores["exact-copies"].detail["copies"]
    shoal.verify(tmp_path / "out.csv", private=tmp_path / "out.private.json", original=frame)


def test_trees_keep_what_goes_together_and_margins_do_not():
    draw = np.random.default_rng(5)
    kind = draw.choice(["low", "high"], 3000)
    number = np.where(kind == "low", draw.normal(0, 1, 3000), draw.normal(50, 1, 3000)).round(2)
    frame = pl.DataFrame({"kind": kind, "number": number})
    after = made(frame).to_polars()
    low = after.filter(pl.col("kind") == "low")["number"]
    assert low.max() <= frame.filter(pl.col("kind") == "low")["number"].max()
    assert abs(low.mean()) < 5 / low.len() ** 0.5 + 0.1
    assert abs((after["kind"] == "low").sum() - (kind == "low").sum()) < 5 * (3000 / 4) ** 0.5
    assert after["number"].round(2).equals(after["number"])  # no more decimals than there were
    apart = made(frame, Synthesize("margins")).to_polars()
    both = [apart.filter(pl.col("kind") == each)["number"].mean() for each in ("low", "high")]
    assert abs(both[0] - both[1]) < 5 * 2 * 25 / (3000 / 2) ** 0.5


def test_every_kind_of_column_is_drawn_with_its_missing_cells():
    draw = np.random.default_rng(6)
    n = 800
    frame = pl.DataFrame(
        {
            "day": pl.Series(draw.integers(0, 700, n)).cast(pl.Date),
            "whole": pl.Series(draw.integers(-5, 5, n)),
            "text": draw.choice(["a", "b", None], n, p=[0.5, 0.3, 0.2]),
        }
    ).with_columns(pl.when(pl.col("whole") == 3).then(None).otherwise("whole").alias("whole"))
    after = made(frame).to_polars()
    assert after.schema["day"] == pl.Date
    assert frame["day"].min() <= after["day"].min()
    assert after["day"].max() <= frame["day"].max()
    for name in ("whole", "text"):
        assert 0 < after[name].null_count() < 2 * frame[name].null_count()
    assert set(after["whole"].drop_nulls()) <= set(range(-5, 5))


def test_no_record_breaks_a_rule():
    draw = np.random.default_rng(7)
    age = draw.integers(0, 80, 2000)
    civil = np.where(draw.random(2000) < 0.4, "married", "single")
    frame = pl.DataFrame({"age": age, "civil": civil})
    rule = "age < 18 and civil = married"
    free, ruled = made(frame, Synthesize(least=400)), made(frame, Synthesize(least=400, never=(rule,)))
    wrong = [((x := each.to_polars())["age"] < 18) & (x["civil"] == "married") for each in (free, ruled)]
    assert wrong[0].sum() > 0
    assert wrong[1].sum() == 0
    assert ruled.table.remarks[0][1]["records_drawn_again"] == wrong[0].sum()
    with pytest.raises(DataError, match="synthetic records may not occur"):
        made(frame, Synthesize(never=("age < 200",)))
    with pytest.raises(SchemaError, match="weight"):
        made(frame, Synthesize(never=("weight > 3",)))


def test_copies_of_unique_records_are_drawn_again_where_that_is_asked_for():
    draw = np.random.default_rng(8)
    frame = pl.DataFrame({name: draw.choice(list("abcdef"), 300) for name in ("p", "q", "r")})
    for copies in ("keep", "redraw"):
        release = made(frame, Synthesize(least=5, copies=copies))
        (found,) = shoal.score(shoal.read(frame, quasi=frame.columns), release.table, measures=[ExactCopies()])
        assert (found.detail["of_unique_records"] == 0) == (copies == "redraw")
        assert release.table.remarks[0][1]["copies_of_unique_records"] == found.detail["of_unique_records"]


def test_a_copula_keeps_every_value_and_the_correlation_of_ranks():
    draw = np.random.default_rng(9)
    x = draw.normal(size=4000)
    frame = pl.DataFrame({"x": x.round(3), "y": np.exp(x + draw.normal(size=4000)).round(3)})
    release = made(frame, Synthesize("copula"))
    after = release.to_polars(row_order="input")
    for name in frame.columns:
        assert after[name].sort().equals(frame[name].sort())
    correlation = [each.select(pl.corr("x", "y", method="spearman")).item() for each in (frame, after)]
    assert abs(correlation[0] - correlation[1]) < 5 / 4000**0.5
    assert [kept.sentence() for kept in release.preserved[0].keeps] == ["margins of x, y"]
    with pytest.raises(ParameterError, match="every value of the table once"):
        Synthesize("copula", never=("x > 3",))


def test_a_root_is_that_of_the_nearest_correlation_matrix():
    for matrix in (np.eye(3), np.array([[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1]])):
        found = root(matrix) @ root(matrix).T
        assert np.diag(found) == pytest.approx(np.ones(3))
    assert root(np.eye(3)) @ root(np.eye(3)).T == pytest.approx(np.eye(3))
    assert redrawn(np.array([[2.0, np.nan], [1.0, 5.0]]), np.array([[1.0, 0.0], [0.0, 1.0]]))[:, 0].tolist() == [2, 1]


def test_numbers_spread_as_silverman_says_and_never_beyond_their_leaf():
    values = np.arange(1.0, 11.0)
    lower = (np.quantile(values, 0.75) - np.quantile(values, 0.25)) / 1.34
    assert bandwidth(values) == pytest.approx(0.9 * min(values.std(ddof=1), lower) * 10**-0.2)
    assert bandwidth(values[:1]) == 0
    learned = learn({"a": Variable(values, number=True)}, ["a"], 5)
    far = learned.draw(np.arange(50), 0, lambda r, j, t: np.full(50, 0.999), lambda r, j, t: np.linspace(-40, 40, 50))
    assert (far["a"].min(), far["a"].max()) == (1, 10)


def test_a_leaf_gives_each_of_its_records_equally_often():
    learned = learn({"a": Variable(np.array([0.0, 1, 1, 2]), number=False)}, ["a"], 50)
    drawn = learned.draw(np.arange(8), 0, lambda r, j, t: (r + 0.5) / 8, lambda r, j, t: np.zeros(8))
    assert drawn["a"].tolist() == [0, 0, 1, 1, 1, 1, 2, 2]


def test_rows_are_found_among_known_ones_whatever_is_missing():
    rows = np.array([[1.0, np.nan], [1.0, 2.0], [1.0, 2.0], [np.nan, 2.0]])
    asked = np.array([[1.0, 2.0], [1.0, np.nan], [np.nan, np.nan], [3.0, 2.0], [np.nan, 2.0]])
    assert KnownRows.of(rows).times(asked).tolist() == [2, 1, 0, 0, 1]


def test_what_cannot_be_meant_is_refused(monkeypatch):
    frame = pl.DataFrame({"who": ["a", "b"], "n": [1, 2]})
    with pytest.raises(SchemaError, match="belong to nobody"):
        shoal.anonymize(shoal.read(frame, quasi="n", subject="who"), Synthesize(), no_promise=True)
    for given in ({"model": "forest"}, {"least": 0}, {"copies": "many"}, {"never": ("nothing",)}):
        with pytest.raises(ParameterError):
            made(frame, Synthesize(**given))
    with pytest.raises(SchemaError, match="'m'"):
        made(frame, Synthesize(order=("m",)))
    monkeypatch.setattr("shoal.methods.synthesize.find_spec", lambda name: None)
    with pytest.raises(ParameterError, match="scikit-learn, which is not installed"):
        made(frame)
