"""Methods that change values at random: what they keep, exactly and in expectation, and what other tools get wrong."""

import datetime
import json
import math

import numpy as np
import polars as pl
import pytest
from engines.pools import Memory
from public_files import CODED, find

import shoal
from shoal.certification.certificate import Certificate
from shoal.certification.signatures import digest
from shoal.engines.parts.engine import PartsEngine
from shoal.errors import CertificateError, DataError, ParameterError, SchemaError
from shoal.methods import ROMM, Coarsen, Noise, RankSwap, Shuffle
from shoal.methods.perturbation.exact_moments import moments_of
from shoal.methods.perturbation.joint_noise import Root
from shoal.methods.perturbation.numbers import numbers_of
from shoal.methods.perturbation.preserved import KeptStep, Preserved, kept_by_all
from shoal.methods.perturbation.robust_distance import chi_square_quantile, robust_moments

SEED = 2026
LARGE = 40_000


@pytest.fixture(scope="module")
def census(tmp_path_factory):
    """Give Census as numbers with decimals: nothing is rounded then."""
    return pl.read_csv(find("census/census.csv", tmp_path_factory.mktemp("census"))).cast(pl.Float64)


@pytest.fixture(scope="module")
def adult(tmp_path_factory):
    path = find(CODED, tmp_path_factory.mktemp("adult"))
    return pl.read_csv(path, separator=";").cast(pl.Float64)


@pytest.fixture(scope="module")
def normal():
    """Give many records of three columns that go together, and of one that does not."""
    draw = np.random.Generator(np.random.PCG64(1))
    root = np.array([[2.0, 0, 0], [1.5, 1, 0], [-30, 10, 20]])
    rows = draw.normal(size=(LARGE, 3)) @ root.T + [5, -3, 1000]
    return pl.DataFrame({"a": rows[:, 0], "b": rows[:, 1], "c": rows[:, 2], "alone": draw.normal(size=LARGE)})


def changed(frame, method, seed=SEED):
    """Give a frame of numbers as a method changes it."""
    table = shoal.read(frame, quasi=frame.columns)
    return method.apply(table, (), seed).to_polars()


def numbers(frame):
    return frame.to_numpy().astype(float)


def assert_moments_stay(before, after, places=None):
    x, y = (numbers(frame)[:, places] if places else numbers(frame) for frame in (before, after))
    deviation = x.std(axis=0, ddof=1)
    assert (np.abs(y.mean(axis=0) - x.mean(axis=0)) <= 1e-9 * deviation).all()
    assert (np.abs(np.cov(y.T) - np.cov(x.T)) <= 1e-9 * np.outer(deviation, deviation)).all()


EXACT = [Noise(kind="exact", alpha=0.2), Noise(kind="exact", alpha=2.0), ROMM(), ROMM(alpha=1.0, block=500)]


@pytest.mark.parametrize("method", EXACT, ids=str)
def test_means_and_covariances_of_census_stay(census, method):
    after = changed(census, method)
    assert_moments_stay(census, after)
    apart = np.corrcoef(numbers(census)[:, 0], numbers(after)[:, 0])[0, 1]
    assert apart == pytest.approx(1 / math.sqrt(1 + method.alpha), abs=0.05 if method.alpha < 1 else 0.15)
    assert (numbers(census) != numbers(after)).all()


@pytest.mark.parametrize("method", EXACT[:3:2], ids=str)
def test_means_and_covariances_of_adult_stay(adult, method):
    assert_moments_stay(adult, changed(adult, method))


def test_columns_that_depend_on_others_keep_that(census):
    """A covariance matrix that is singular, and a column that is constant."""
    table = census.select(
        "TAXINC", "FICA", pl.lit(7.0).alias("same"), (2 * pl.col("TAXINC") - pl.col("FICA") + 3).alias("sum")
    )
    for method in (Noise(kind="exact"), ROMM(), Noise(kind="correlated"), Noise(kind="mixture")):
        after = changed(table, method)
        assert (after["same"] == 7.0).all()
        lost = after["sum"] - (2 * after["TAXINC"] - after["FICA"] + 3)
        assert float(lost.abs().max()) < 1e-6 * float(table["sum"].std())
    assert_moments_stay(table, changed(table, Noise(kind="exact")), [0, 1, 3])


def test_rotation_keeps_sums_where_any_orthogonal_matrix_would_not(census):
    """A peer's matrix is orthogonal but moves the ones, and so means by 0.2 percent of a deviation."""
    after = numbers(changed(census, ROMM(block=500, alpha=1.0)))
    assert np.abs(after.mean(axis=0) - numbers(census).mean(axis=0)).max() / numbers(census).std() < 1e-12


def test_exact_moments_are_those_of_numpy_however_records_are_divided(census):
    frame = census.with_columns(pl.when(pl.col("FICA") < 100).then(None).otherwise(pl.col("FICA")).alias("FICA"))
    tables = [shoal.read(frame, quasi=frame.columns, engine=engine) for engine in (None, PartsEngine(Memory(), 97))]
    one, other = (moments_of(table, numbers_of(table, frame.columns)) for table in tables)
    for name in vars(one):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    x = numbers(frame)
    whole = x[~np.isnan(x).any(axis=1)]
    assert one.complete == len(whole) < len(x)
    assert one.centre == pytest.approx(whole.mean(axis=0), rel=1e-13)
    assert one.covariance == pytest.approx(np.cov(whole.T), rel=1e-11)
    assert one.mean == pytest.approx(np.nanmean(x, axis=0), rel=1e-13)
    assert one.deviation == pytest.approx(np.nanstd(x, axis=0, ddof=1), rel=1e-12)
    root = Root.of(one.covariance)
    assert root.spread().T @ root.spread() == pytest.approx(one.covariance, rel=1e-9)


# What each kind of noise makes of variances and correlations: five deviations of the estimate from what is stated.
@pytest.mark.parametrize(
    ("method", "variance", "correlation"),
    [
        (Noise(kind="independent", alpha=0.5), 1.5, 1 / 1.5),
        (Noise(kind="correlated", alpha=0.5), 1.5, 1),
        (Noise(kind="correlated", alpha=0.5, rescale=True), 1, 1),
        (Noise(kind="mixture", alpha=0.5), 1, 1),
        (Noise(kind="exact", alpha=0.5), 1, 1),
        (ROMM(alpha=0.5, block=50), 1, 1),
    ],
    ids=str,
)  # fmt: skip
def test_noise_has_the_moments_that_it_is_said_to_have(normal, method, variance, correlation):
    x, y = numbers(normal), numbers(changed(normal, method))
    n, deviation = len(x), x.std(axis=0)
    assert (np.abs(y.mean(axis=0) - x.mean(axis=0)) < 5 * deviation * math.sqrt(method.alpha / n)).all()
    assert (np.abs(y.var(axis=0) / x.var(axis=0) - variance) < 5 * variance * math.sqrt(4 / n)).all()
    assert (
        np.abs(np.corrcoef(y.T) - np.where(np.eye(4) > 0, 1, correlation * np.corrcoef(x.T))) < 5 * 2 / math.sqrt(n)
    ).all()
    kept = [np.corrcoef(x[:, j], y[:, j])[0, 1] for j in range(4)]
    expected = math.sqrt(1 - method.alpha) if method == Noise(kind="mixture", alpha=0.5) else 1 / math.sqrt(1.5)
    assert kept == pytest.approx([expected] * 4, abs=0.06 if method.name == "romm" else 0.02)


def test_two_steps_and_two_columns_draw_other_numbers(normal):
    table = shoal.read(normal, quasi=normal.columns)
    x = numbers(normal)
    twice = [Noise(kind="independent", alpha=1.0)] * 2
    once, again = (
        numbers(shoal.anonymize(table, twice[:steps], no_promise=True, seed=SEED).table.to_polars()) for steps in (1, 2)
    )
    first, second = (once - x) / x.std(axis=0), (again - once) / once.std(axis=0)
    noise = np.hstack([first, second])
    assert np.abs(np.corrcoef(noise.T) - np.eye(8)).max() < 5 / math.sqrt(LARGE)


def test_only_records_far_from_the_others_get_noise_of_kind_outliers():
    """A peer's restricted noise adds none. Of normal records 2.5 percent count as far from the others."""
    draw = np.random.Generator(np.random.PCG64(7))
    x = np.vstack([draw.normal(size=(2000, 2)) @ [[1, 0.8], [0, 1]], np.add(draw.normal(size=(300, 2)), [9, -9])])
    y = numbers(changed(pl.DataFrame({"a": x[:, 0], "b": x[:, 1]}), Noise(kind="outliers", alpha=0.5)))
    moved = (x != y).any(axis=1)
    assert moved[2000:].all()
    assert abs(moved[:2000].mean() - 0.025) < 0.02
    assert (x[moved] != y[moved]).all()


def test_robust_moments_do_not_follow_a_crowd_of_outliers():
    draw = np.random.Generator(np.random.PCG64(3))
    rows = np.vstack([draw.normal(size=(800, 2)) @ [[1, 0.5], [0, 1]], draw.normal(size=(200, 2)) + 50])
    centre, covariance = robust_moments(rows, np.array([1, 2], np.uint64))
    assert np.abs(centre).max() < 0.3
    assert covariance == pytest.approx(np.cov(rows[:800].T), abs=0.3)
    assert chi_square_quantile(0.95, 2) == pytest.approx(-2 * math.log(0.05), rel=1e-12)


def test_a_mark_that_nobody_named_is_a_number():
    """A peer reads -999 as missing."""
    frame = pl.DataFrame({"x": [-999.0, 1.0, None, 3.0] * 25})
    after = changed(frame, Noise(alpha=0.1))["x"].to_list()
    assert [value is None for value in after] == [False, False, True, False] * 25
    assert np.std(after[::4]) > 10
    table = shoal.read(frame, quasi=["x"])
    moments = moments_of(table, numbers_of(table, ["x"]))
    assert (moments.count[0], moments.mean[0]) == (75, pytest.approx((-999 + 1 + 3) / 3))


@pytest.mark.parametrize("method", EXACT[:3:2], ids=str)
def test_records_that_lack_a_value_keep_out_of_what_is_kept(census, method, tmp_path):
    frame = census.select("TAXINC", "FICA", "INTVAL").with_row_index("i")
    frame = frame.with_columns(FICA=pl.when(pl.col("i") % 7 == 3).then(None).otherwise(pl.col("FICA"))).drop("i")
    after = changed(frame, method)
    assert (after["FICA"].is_null() == frame["FICA"].is_null()).all()
    whole = frame["FICA"].is_not_null()
    assert_moments_stay(frame.filter(whole), after.filter(whole))
    assert (frame.filter(~whole)["TAXINC"] != after.filter(~whole)["TAXINC"]).all()
    assert all(kept.complete for kept in method.preserves(shoal.read(frame, quasi=frame.columns), ()))
    frame.write_csv(tmp_path / "in.csv")
    shoal.anonymize(tmp_path / "in.csv", method, quasi=frame.columns, no_promise=True).write(tmp_path / "out.csv")
    proof = shoal.verify(tmp_path / "out.csv", private=tmp_path / "out.private.json", original=tmp_path / "in.csv")
    assert sum("in the records that lack none of these" in line for line in proof.by_original) == 2


def test_whole_numbers_and_dates_are_rounded_and_stay_what_they_are():
    day, noon = datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1, 12)
    frame = pl.DataFrame(
        {
            "whole": [i % 90 for i in range(200)],
            "large": [10_000_000_000 * i for i in range(200)],
            "day": [day + datetime.timedelta(i % 37) for i in range(200)],
            "hour": [None if i == 7 else noon + datetime.timedelta(hours=i % 51) for i in range(200)],
            "last": [datetime.date(9999, 12, 31 - i % 5) for i in range(200)],
        }
    )
    table = shoal.read(frame, quasi=frame.columns[:3], sensitive=["hour", "last"])
    for method in (Noise(alpha=0.5), Noise(kind="exact"), ROMM()):
        after = method.apply(table, (), SEED).to_polars()
        assert [str(kind) for kind in after.dtypes[:3]] == ["Int64", "Int64", "Date"]
        assert all(value is None or value.minute == value.second == value.microsecond == 0 for value in after["hour"])
        assert after["hour"].null_count() == 1
        assert after["last"].max() <= datetime.date(9999, 12, 31)
        assert all((frame[name] != after[name]).any() for name in frame.columns)


@pytest.mark.parametrize("method", [RankSwap(), RankSwap(percent=12.5), RankSwap(bounded=False), Shuffle()], ids=str)
def test_columns_keep_their_values(census, method):
    table = shoal.read(census, quasi=census.columns[:6], sensitive=census.columns[6:])
    after = method.apply(table, (), SEED).to_polars()
    assert (np.sort(numbers(census), axis=0) == np.sort(numbers(after), axis=0)).all()
    assert (numbers(census)[:, 12] != numbers(after)[:, 12]).mean() > 0.5


@pytest.mark.parametrize("engine", [None, PartsEngine(Memory(), 17)], ids=["local", "parts"])
def test_values_that_change_places_keep_their_types_and_texts(engine, tmp_path):
    frame = pl.DataFrame(
        {
            "q": range(60),
            "small": pl.Series([i * 7 % 50 for i in range(60)], dtype=pl.Int16),
            "price": pl.Series([f"{i * 13 % 40}.25" for i in range(60)]).cast(pl.Decimal(10, 2)),
            "lacking": pl.Series([None if i % 9 == 0 else i for i in range(60)], dtype=pl.UInt8),
        }
    )
    table = shoal.read(frame, quasi=["q"], sensitive=frame.columns[1:], engine=engine)
    after = RankSwap(percent=20).apply(table, (), SEED).to_polars()
    assert after.schema == frame.schema
    assert (after["lacking"].is_null() == frame["lacking"].is_null()).all()
    assert all(after[name].sort().equals(frame[name].sort()) for name in frame.columns)
    marks = {0: "NA", 1: ""}
    texts = [marks.get(i % 7, f"{i % 10}.{'0' * (1 + i % 2)}") for i in range(70)]
    texts += [text + "0" if "." in text else text for text in texts]  # 2.0 and 2.00 are one value
    (tmp_path / "in.csv").write_text("q,x\n" + "".join(f"{i},{text}\n" for i, text in enumerate(texts)))
    written = shoal.read(tmp_path / "in.csv", quasi=["q"], sensitive=["x"], missing=["NA"], engine=engine)
    release = shoal.anonymize(
        written, RankSwap(columns="x", percent=20), no_promise=True, seed=SEED, allow_identifiers="q"
    )
    release.write(tmp_path / "out.csv", row_order="input")
    cells = [line.split(",")[1] for line in (tmp_path / "out.csv").read_text().splitlines()[1:]]
    assert [cell if cell in ("NA", "") else "x" for cell in cells] == [marks.get(i % 7, "x") for i in range(140)]
    assert len({cell for cell in cells if "." in cell}) == len({float(cell) for cell in cells if "." in cell})
    assert cells != texts


def ranks(column):
    order = np.argsort(column, kind="stable")
    found = np.empty(order.size, int)
    found[order] = np.arange(order.size)
    return found


def test_percent_is_percent(census):
    """A peer takes it for a share."""
    frame = census.select("AFNLWGT", "AGI")  # no two values are equal in the first
    moves = [
        np.abs(ranks(frame["AFNLWGT"].to_numpy()) - ranks(changed(frame, method)["AFNLWGT"].to_numpy()))
        for method in (RankSwap(percent=5), RankSwap(percent=50), RankSwap(percent=5, bounded=False))
    ]
    assert moves[0].max() <= 54
    assert 15 < moves[0].mean() < 40
    assert 54 < moves[1].max() <= 540
    assert moves[2].max() > 54
    assert 30 < moves[2].mean() < 80
    for few in (RankSwap(percent=0.05), RankSwap(percent=0.1, bounded=False)):
        with pytest.raises(DataError, match="less than two ranks"):
            changed(frame, few)


def test_cells_that_were_coarsened_change_places_as_they_are(census):
    table = shoal.read(census.select("FEDTAX", "FICA"), quasi=["FEDTAX", "FICA"])
    coarse = Coarsen(resolution={"FEDTAX": 40}).apply(table, (), 0)
    after = RankSwap(percent=20).apply(coarse, (), SEED)
    before, swapped = (each.to_arrow(cells="text")["FEDTAX"].to_pylist() for each in (coarse, after))
    assert sorted(before) == sorted(swapped)
    assert before != swapped
    with pytest.raises(SchemaError, match="'FEDTAX' are ranges"):
        Noise().apply(coarse, (), SEED)


def test_shuffled_ranks_tell_nothing_once_the_others_are_known(normal):
    """What is left of a confidential value, given the columns that stay, goes neither with itself nor with its like."""
    table = shoal.read(normal, quasi=["a", "alone"], sensitive=["b", "c"])
    after = Shuffle().apply(table, (), SEED).to_polars()
    assert after["a"].equals(normal["a"])
    x, y = numbers(normal), numbers(after)
    given = np.column_stack([np.ones(LARGE), x[:, [0, 3]]])
    left = [m[:, [1, 2]] - given @ np.linalg.lstsq(given, m[:, [1, 2]], rcond=None)[0] for m in (x, y)]
    across = np.corrcoef(np.hstack(left).T)
    assert np.abs(across[:2, 2:]).max() < 5 / math.sqrt(LARGE)
    assert np.abs(np.corrcoef(x.T) - np.corrcoef(y.T)).max() < 5 * 2 / math.sqrt(LARGE)
    few = shoal.read(normal[:30], quasi=["a", "alone"], sensitive=["b", "c"])
    with pytest.raises(DataError, match="needs 40 records"):
        Shuffle().apply(few, (), SEED)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Noise(alpha=0), lambda: Noise(alpha=-1), lambda: Noise(alpha="x"), lambda: Noise(alpha=float("nan")),
        lambda: Noise(kind="loud"), lambda: Noise(kind="mixture", alpha=2), lambda: Noise(rescale=True),
        lambda: Noise(columns=()), lambda: Noise(columns=("a", "a")), lambda: Noise(columns=3),
        lambda: ROMM(block=501), lambda: ROMM(block=2), lambda: ROMM(alpha=True),
        lambda: RankSwap(percent=0), lambda: RankSwap(percent=101), lambda: RankSwap(bounded=1),
        lambda: Shuffle(columns=("a",), given=("a",)),
    ],
)  # fmt: skip
def test_parameters_that_make_no_sense_are_refused(make):
    with pytest.raises(ParameterError):
        make()


def test_columns_that_a_method_is_not_for_are_refused():
    frame = pl.DataFrame({"x": list(range(60)), "word": list("abc") * 20, "w": [1.5] * 60})
    table = shoal.read(frame, quasi=["x", "word"], weight="w")
    assert Noise().changed(table) == ("x",)
    for names in (("word",), ("w",), ("nobody",)):
        with pytest.raises(SchemaError):
            Noise(columns=names).apply(table, (), SEED)
    with pytest.raises(SchemaError, match="no column"):
        Shuffle().apply(table, (), SEED)
    with pytest.raises(DataError, match="needs"):
        Noise(kind="exact", columns="x").apply(shoal.read(frame[:2], quasi=["x"]), (), SEED)


def kept(statistic, *columns, exactly=True, within=None):
    return Preserved(statistic, columns, exactly, within)


def test_a_step_spoils_what_others_keep_of_its_columns():
    means, margins = kept("means", "a", "b"), kept("margins", "a", "b")
    noise, swap = KeptStep("noise", ("a", "b"), (means,)), KeptStep("rank-swap", ("a", "b"), (margins,))
    other, coarse = KeptStep("noise", ("c",), (kept("means", "c", exactly=False),)), KeptStep("coarsen", ("b",), ())
    assert kept_by_all([noise, other]) == (means,)
    assert kept_by_all([noise, noise]) == (means,)
    assert kept_by_all([noise, swap]) == (means,)
    assert kept_by_all([swap, coarse]) == (kept("margins", "a"),)
    assert kept_by_all([coarse, noise]) == (kept("means", "a"),)
    both = kept("covariances", "a", "b")
    assert kept_by_all([KeptStep("noise", ("a", "b"), (both,)), coarse]) == ()
    assert kept_by_all([KeptStep("noise", ("a", "b"), (kept("covariances", "a", "b"),)), swap]) == ()
    moves = KeptStep("rank-swap", ("a",), (kept("margins", "a"), kept("rank moves", "a", within=5)))
    assert kept_by_all([moves, moves]) == (kept("margins", "a"), kept("rank moves", "a", within=10))
    assert kept_by_all([moves, swap]) == (kept("margins", "a"), margins)
    more = KeptStep("rank-swap", ("a", "b"), (margins, kept("rank moves", "a", "b", within=7)))
    assert kept_by_all([moves, more])[1] == kept("rank moves", "a", within=12)
    assert kept_by_all([moves, more])[2:] == (margins, kept("rank moves", "b", within=7))
    assert KeptStep.of(json.loads(json.dumps(moves.content()))) == moves


RECIPE = """
method = [
  {name = "coarsen", resolution = {AGI = 20}},
  {name = "rank-swap", columns = ["FEDTAX", "AGI"], percent = 10},
  {name = "noise", columns = ["TAXINC", "INTVAL"], kind = "exact", alpha = 0.3},
]
[table]
quasi = ["AGI", "FEDTAX"]
sensitive = ["TAXINC", "INTVAL"]
[release]
no_promise = true
"""


@pytest.fixture
def stacked(census, tmp_path):
    """Give a folder with a release by three steps, and its original."""
    census.select("AGI", "FEDTAX", "TAXINC", "INTVAL").write_csv(tmp_path / "in.csv")
    recipe = shoal.Recipe.from_toml(RECIPE)
    table = shoal.read(tmp_path / "in.csv", options=recipe.options)
    release = shoal.anonymize(table, recipe.methods, no_promise=True)
    release.write(tmp_path / "out.csv")
    release.report(tmp_path / "out.html")
    return tmp_path


def test_steps_that_follow_each_other_have_one_certificate(stacked):
    paper = json.loads((stacked / "out.certificate.json").read_text(encoding="utf-8"))
    assert [step["method"] for step in paper["preserved"]] == ["coarsen", "rank-swap", "noise"]
    assert [step["changes"] for step in paper["preserved"]] == [["AGI"], ["FEDTAX", "AGI"], ["TAXINC", "INTVAL"]]
    proof = shoal.verify(stacked / "out.csv", private=stacked / "out.private.json", original=stacked / "in.csv")
    shown = [line for line in proof.by_original if line.startswith("Kept")]
    assert shown == [
        "Kept as in the original: margins of FEDTAX.",
        "Kept as in the original: rank moves of at most 108 of FEDTAX.",
        "Kept as in the original: means of TAXINC, INTVAL.",
        "Kept as in the original: covariances of TAXINC, INTVAL.",
    ]
    page = (stacked / "out.html").read_text(encoding="utf-8")
    assert "exactly the means of TAXINC, INTVAL; the covariances of TAXINC, INTVAL" in page
    assert "Seed" not in page
    assert "seed" not in page


def test_what_is_said_to_be_kept_and_is_not_is_refused(stacked):
    content = dict(Certificate.load(stacked / "out.certificate.json").content)
    record = json.loads((stacked / "out.private.json").read_text(encoding="utf-8"))

    def forged(number, keeps):
        steps = [dict(step) for step in content["preserved"]]
        steps[number] |= {"exactly": keeps}
        other = content | {"preserved": steps}
        other["digest"] = digest(other)
        (stacked / "forged.json").write_text(json.dumps(other), encoding="utf-8")
        (stacked / "own.json").write_text(json.dumps(record | {"certificate": other["digest"]}), encoding="utf-8")
        return shoal.verify(
            stacked / "out.csv", stacked / "forged.json", private=stacked / "own.json", original=stacked / "in.csv"
        )

    spoiled = forged(2, [{"statistic": "covariances", "columns": ["FEDTAX", "TAXINC"]}]).not_proved
    assert "covariances of FEDTAX, TAXINC, kept by noise (other steps change them too)" in spoiled
    for number, claim in (
        (1, {"statistic": "rank moves", "columns": ["FEDTAX"], "within": 50}),
        (2, {"statistic": "margins", "columns": ["TAXINC"]}),
        (2, {"statistic": "means", "columns": ["nobody"]}),
        (2, {"statistic": "nothing known", "columns": 7}),
    ):
        with pytest.raises(CertificateError):
            forged(number, [claim])


def test_a_seed_that_is_given_repeats_a_release_and_is_told_to_nobody(stacked):
    table = shoal.read(stacked / "in.csv", quasi=["AGI"], sensitive=["INTVAL"])
    some = [shoal.anonymize(table, "noise", no_promise=True, seed=seed) for seed in (4, 4, 5, None)]
    texts = [release.to_polars().write_csv() for release in some]
    assert texts[0] == texts[1]
    assert len(set(texts)) == 3
    assert [release.recipe.seed for release in some] == [4, 4, 5, None]
    assert all("seed" not in release.recipe.public()["release"] for release in some)
    assert shoal.anonymize(table, "coarsen", no_promise=True).recipe.public()["release"]["seed"] == 0
