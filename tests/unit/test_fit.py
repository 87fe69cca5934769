"""Fit uniqueness on tables worked by hand: the paper's examples, borders, and bounds when the effort is small."""

import json

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.assessment.disclosure_risk import risk_of
from shoal.certification.certificate import Certificate
from shoal.certification.signatures import digest
from shoal.errors import CertificateError, InternalError, ParameterError, SchemaError
from shoal.kernels.box_cover import COVERED, UNDECIDED, UNIQUE, CellRuns, code_cells, decide


def table(*, kinds=None, **columns):
    return shoal.read(
        pl.DataFrame(columns), quasi=list(columns), kinds=kinds or dict.fromkeys(columns, "integer"), masked=True
    )


def unique(read):
    (found,) = shoal.score(read, measures=[shoal.measures.Uniqueness(matching="fit")])
    assert found.detail["undecided"] == 0
    return found.detail["unique"]


@pytest.mark.parametrize(
    ("ages", "expected"),
    [
        (["26", "[24;28]"], 1),  # 26 fits the range; the range has four other values
        (["24", "25", "26", "27", "28", "[24;28]"], 0),  # the paper: every value of the range fits someone
        (["24", "25", "27", "28", "[24;28]"], 1),  # nobody is 26
        (["[24;26]", "[27;28]", "[24;28]"], 0),
        (["[24;26]", "[28;28]", "[24;28]"], 1),
        (["[24;26]", "[25;28]"], 2),
        (["[24;28]", "[24;28]"], 0),
        (["26", "26", "27"], 1),
        (["0", "*", "85"], 1),
        (["*", "*", "7"], 0),
    ],
)
def test_ranges_of_one_attribute(ages, expected):
    assert unique(table(age=ages)) == expected


def test_a_zip_code_fits_its_prefix():
    """937** covers 93700 to 93799 on an axis of numbers."""
    assert unique(table(zip=["93722", "937**"])) == 1
    assert unique(table(zip=["[93700;93749]", "[93750;93799]", "937**"])) == 0


def test_a_prefix_of_codes_is_not_covered_by_the_codes_that_were_listed():
    codes = {"zip": "category"}
    assert unique(table(zip=["93701", "93702", "937**"], kinds=codes)) == 1  # the prefix: other codes may exist
    assert unique(table(zip=["{93701;93702}", "937**"], kinds=codes)) == 1
    assert unique(table(zip=["937**", "93***"], kinds=codes)) == 1  # the wider one
    assert unique(table(zip=["937**", "*", "*"], kinds=codes)) == 0


def test_sets_cover_together():
    kinds = {"race": "category"}
    assert unique(table(race=["{a;c}", "{b;d}", "{a;b;c;d}"], kinds=kinds)) == 0
    assert unique(table(race=["{a;c}", "{b;d}", "{a;b;c;d;e}"], kinds=kinds)) == 1
    assert unique(table(race=["{a;c}", "{b;c}", "c"], kinds=kinds)) == 2


def test_a_missing_cell_is_a_value_that_only_a_wildcard_covers():
    assert unique(table(a=["1", "1", ""])) == 1
    assert unique(table(a=["1", "1", "", "*"])) == 0
    assert unique(table(a=["1", "1", "*"])) == 0  # nobody lacks the value, so there is nothing but 1
    assert unique(table(a=["1", "2", "*", ""])) == 0
    assert unique(table(a=["1", "3", "*", ""])) == 1  # 2 is left to the wildcard


def test_boxes_cover_together_though_none_holds_the_other():
    assert unique(table(age=["[20;29]", "[20;24]", "[25;29]"], sex=["*", "1", "1"])) == 0
    assert unique(table(age=["[20;29]", "[20;24]", "[25;29]"], sex=["[1;2]", "1", "1"])) == 1
    four = table(age=["[20;29]", "[20;24]", "[25;29]", "*"], sex=["[1;2]", "1", "1", "2"])
    assert unique(four) == 0


def test_one_row_is_unique_and_so_is_one_wildcard():
    assert unique(table(a=["5"], b=["[1;9]"])) == 1
    assert unique(table(a=["*"], b=["*"])) == 1


def test_nothing_but_wildcards():
    assert unique(table(a=["*", "*"], b=["*", "*"])) == 0
    assert unique(table(a=["*", ""], b=["*", "*"])) == 1  # someone may have a value


def test_exact_cells_need_no_boxes(monkeypatch):
    monkeypatch.setattr("shoal.measures.reidentification.fit_matching.decide", None)
    people = shoal.read(pl.DataFrame({"a": [1, 1, 2, None], "b": ["x", "x", "y", "y"]}), quasi=["a", "b"])
    assert unique(people) == risk_of(people, matching="signature")["unique"] == 2


def test_releases_with_k_companions_are_decided_at_once(monkeypatch):
    monkeypatch.setattr("shoal.measures.reidentification.fit_matching.decide", None)
    frame = pl.DataFrame({"age": [i * 7 % 50 for i in range(60)], "sex": [i % 2 for i in range(60)]})
    release = shoal.anonymize(
        shoal.read(frame, quasi=["age", "sex"]), shoal.methods.SortedClusters(), [shoal.models.KAnonymity(3)]
    )
    assert unique(release.table) == 0
    assert risk_of(release.table)["fit_uniqueness"] == 0


def test_coarsened_tables_are_the_same_by_fit_and_by_signature():
    frame = pl.DataFrame({"age": [i * 7 % 50 for i in range(60)], "size": [i * 11 % 60 for i in range(60)]})
    release = shoal.anonymize(shoal.read(frame, quasi=["age", "size"]), shoal.methods.Coarsen(5), [])
    found = risk_of(release.table)
    assert 0 < found["unique"] == found["fit_unique"] < 60


def test_what_is_undecided_counts_as_unique_and_the_lower_bound_says_so():
    people = table(age=["[20;29]", "[20;24]", "[25;29]", "[22;27]", "[40;40]"], sex=["*", "1", "1", "2", "1"])
    exact = unique(people)
    for effort in (*range(0, 400, 7), 10_000):
        (found,) = shoal.score(people, measures=[shoal.measures.Uniqueness(matching="fit", effort=effort)])
        assert found.lower * 5 <= exact <= found.upper * 5
        assert found.value == found.upper
        assert found.detail["undecided"] == round(5 * (found.upper - found.lower))
    assert found.lower == found.upper
    (nothing,) = shoal.score(people, measures=[shoal.measures.Uniqueness(matching="fit", effort=0)])
    assert (nothing.lower, nothing.upper, nothing.detail["undecided"]) == (0, 1, 5)


def test_random_boxes_end_with_bounds_that_narrow_with_the_effort():
    draw = np.random.default_rng(3)
    ends = np.sort(draw.integers(0, 10_000, (3000, 5, 2)), axis=2).astype(np.int32)
    low, high = (np.ascontiguousarray(ends[:, :, side]) for side in (0, 1))
    codes, cells = code_cells(low, high)
    columns = [CellRuns(np.arange(a.size + 1), a, b, 10_000) for a, b in cells]
    before = None
    for effort in (0, 10_000, 1_000_000, 20_000_000):
        now = decide(codes, columns, np.ones(3000, np.int64), effort)
        assert (now == decide(codes, columns, np.ones(3000, np.int64), effort)).all()
        if before is not None:
            assert ((before == now) | (before == UNDECIDED)).all()
            assert (now == UNDECIDED).sum() < (before == UNDECIDED).sum()
        before = now
    # A point of each box that was found unique can be found by trying; a covered one has none.
    assert {UNIQUE, COVERED} <= set(now.tolist())
    for box in np.flatnonzero(now == COVERED)[:50]:
        points = draw.integers(low[box], high[box] + 1, (200, 5))
        inside = ((low[None] <= points[:, None]) & (points[:, None] <= high[None])).all(axis=2).sum(axis=1)
        assert (inside > 1).all()


def test_known_attributes_are_measured_alone():
    people = table(age=["26", "[24;28]", "50"], sex=["1", "1", "2"])
    assert risk_of(people, ["sex"], matching="fit")["unique"] == 1
    assert risk_of(people, ["age"], matching="fit")["unique"] == 2
    with pytest.raises(SchemaError):
        shoal.score(people, measures=[shoal.measures.Uniqueness(("agee",), "fit")])


def test_risk_says_which_matching_it_is():
    people = table(age=["26", "[24;28]"])
    assert "fit_unique" not in risk_of(people, matching="signature")
    fit = risk_of(people, matching="fit")
    assert (fit["unique"], fit["uniqueness"], fit["matching"]) == (1, 0.5, "fit")
    assert not {"fit_unique", "uniqueness_lower", "uniqueness_upper"} & set(fit)
    both = risk_of(people)
    assert (both["unique"], both["fit_unique"], both["fit_uniqueness"]) == (2, 1, 0.5)


def test_risk_tells_bounds_only_when_it_is_not_exact(monkeypatch):
    monkeypatch.setattr("shoal.measures.uniqueness.EFFORT", 0)
    people = table(age=["26", "[24;28]"])
    fit = risk_of(people, matching="fit")
    assert (fit["uniqueness"], fit["uniqueness_lower"], fit["uniqueness_upper"]) == (1, 0, 1)
    assert risk_of(people)["fit_uniqueness_lower"] == 0


def test_a_measure_is_asked_for_something_that_exists():
    with pytest.raises(ParameterError, match="signature"):
        shoal.measures.Uniqueness(matching="luck")
    with pytest.raises(ParameterError, match="effort"):
        shoal.measures.Uniqueness(effort=-1)


def test_cells_outside_their_column_are_refused():
    cells = CellRuns(np.arange(3), np.array([0, 2], np.int32), np.array([1, 5], np.int32), 5)
    with pytest.raises(InternalError, match="outside"):
        decide(np.array([[0], [1]], np.int32), [cells], np.ones(2, np.int64), 100)


@pytest.mark.parametrize("tree", [False, True])
def test_a_release_passes_its_own_check_though_it_hides_values(tmp_path, tree):
    """A file does not show which values it hides, nor what nodes of a hierarchy cover: it proves a bound, or less."""
    (tmp_path / "tree.csv").write_text("a;x;*\nb;x;*\nc;y;*\n", "utf-8")
    read = shoal.read(
        pl.DataFrame({"q": ["a", "a", "b", "c", "c"]}),
        quasi="q",
        hierarchies={"q": str(tmp_path / "tree.csv")} if tree else {},
    )
    measure = shoal.measures.Uniqueness(matching="fit")
    release = shoal.anonymize(
        read, shoal.methods.MaskUniques(order=("q -> *",)), [], measures=[measure], no_promise=True
    )
    assert release.scores[0].detail["unique"] == 1  # b, which is hidden, fits nobody else
    sealed = release.write(tmp_path / "out.csv")
    proof = shoal.verify(tmp_path / "out.csv", tmp_path / "out.certificate.json")
    if tree:
        assert proof.not_proved == ("uniqueness (a release names the nodes of a hierarchy, not what they cover)",)
        return
    assert "uniqueness is at least 0." in proof.proved
    assert proof.not_proved == ("uniqueness is 0.2 (it depends on values that are not released)",)
    # No certificate may say less than what the file shows.
    other = shoal.anonymize(
        shoal.read(pl.DataFrame({"q": ["a", "b"]}), quasi="q"), [], [], measures=[measure], no_promise=True
    )
    honest = other.write(tmp_path / "two.csv")
    forged = json.loads(json.dumps(dict(honest.content)))
    forged["scores"][0] |= {"value": 0.5, "lower": 0.5, "upper": 0.5}
    forged["digest"] = digest(forged)
    with pytest.raises(CertificateError, match="uniqueness, at least"):
        shoal.verify(tmp_path / "two.csv", Certificate(forged))
    assert sealed.content["scores"][0]["value"] == 0.2
