"""Rounded ends: grids against arithmetic of another kind, ranges that only grow, and proof from the released file."""

import datetime
import json
import math
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from engines.tiny import Tiny

import shoal
from shoal.certification.certificate import Certificate
from shoal.certification.signatures import digest
from shoal.domains.axis import Axis
from shoal.domains.public_grid import on_grid, rounded
from shoal.errors import CertificateError, ParameterError, SchemaError
from shoal.methods import RoundEnds
from shoal.models import RoundedEnds

NUMBERS = np.random.default_rng(7)


@pytest.mark.parametrize("step", [1, 5, 7, 1000])
def test_whole_numbers_go_to_the_next_multiples(step):
    values = NUMBERS.integers(-10_000, 10_000, 200)
    axis = Axis("integer")
    below, above = (rounded(axis, step, values, up=up)[0] for up in (False, True))
    assert below.tolist() == [math.floor(Fraction(int(v), step)) * step for v in values]
    assert above.tolist() == [math.ceil(Fraction(int(v), step)) * step for v in values]


@pytest.mark.parametrize("step", [0.1, 0.25, 2.5, 5, 1e-9, 3e7])
def test_decimals_go_to_multiples_as_they_are_written(step):
    part = Fraction(repr(step))
    values = np.append(NUMBERS.normal(0, 50 * step, 200), [0.0, step, 3 * step, float(3 * part), -7 * step])
    axis = Axis("float", values=np.unique(values))
    for up in (False, True):
        found, written = rounded(axis, step, values, up=up)
        whole = math.ceil if up else math.floor
        assert written.all()
        for value, end in zip(values.tolist(), found.tolist(), strict=True):
            number = whole(Fraction(value) / part)  # beside it, if that multiple is written as the same float
            assert end in {float((number + i) * part) for i in (-1, 0, 1)}
            assert end >= value if up else end <= value
            assert abs(end - value) < step


def test_days_go_to_limits_of_units():
    days = NUMBERS.integers(-200_000, 200_000, 300)
    epoch = datetime.date(1970, 1, 1).toordinal()

    def ends(unit):
        return [
            [datetime.date.fromordinal(int(d) + epoch) for d in rounded(Axis("date"), unit, days, up=up)[0]]
            for up in (False, True)
        ]

    dates = [datetime.date.fromordinal(int(day) + epoch) for day in days]
    below, above = ends("week")
    assert all(a.weekday() == 0 and b.weekday() == 6 and (b - a).days == 6 for a, b in zip(below, above, strict=True))
    for unit, months in (("month", 1), ("quarter", 3), ("year", 12), ("decade", 120)):
        below, above = ends(unit)
        for date, low, high in zip(dates, below, above, strict=True):
            assert low <= date <= high
            assert low.day == 1
            assert (low.year * 12 + low.month - 1 - 1970 * 12) % months == 0
            after = high + datetime.timedelta(1)
            assert (after.year - low.year) * 12 + after.month - low.month == months
            assert after.day == 1


def test_what_cannot_be_written_becomes_the_wildcard():
    frame = pl.DataFrame({"q": [2_147_483_600, 2_147_483_640, 1, 4], "s": ["a", "b", "a", "b"]})
    table = shoal.read(frame, quasi=["q"], sensitive=["s"])
    release = shoal.anonymize(table, "sorted-clusters", k=2, ends=1000)
    assert sorted(release.to_polars(cells="text")["q"]) == ["*", "*", "[0;1000]", "[0;1000]"]


ROWS = {
    "age": [31, 34, 38, 35, 61, 62, 63, None, 35, 35],
    "pay": [10.5, 10.7, 11.25, 12.0, 13.1, 13.2, None, 99.0, 5.0, 5.0],
    "born": [datetime.date(1970 + i, 1 + i, 3 * i + 1) for i in range(10)],
    "at": [datetime.datetime(2001, 1 + i, 3, i, 30) for i in range(10)],
    "job": list("ababababaa"),
    "ill": list("xyxyxyxyxy"),
}
ENDS = {"age": 10, "pay": 0.5, "born": "quarter", "at": "hour"}
ROLES = {"quasi": ["age", "pay", "born", "at", "job"], "sensitive": ["ill"]}


@pytest.mark.parametrize("method", ["sorted-clusters", "hilbert", "mondrian"])
def test_ranges_only_grow_and_single_values_stay(method):
    table = shoal.read(pl.DataFrame(ROWS), **ROLES)
    plain, wide = (shoal.anonymize(table, method, k=2, row_order="input", ends=ends) for ends in (None, ENDS))
    before, after = (release.table.to_polars(cells="struct").to_dicts() for release in (plain, wide))
    for row, wider in zip(before, after, strict=True):
        assert row["job"] == wider["job"]
        for name in ENDS:
            (a, b), (c, d) = row[name].values(), wider[name].values()
            assert (c is None and d is None) or (c <= a and b <= d)
            assert a != b or (c, d) == (a, b)
    assert wide.holds
    assert wide.verdicts[0].level >= plain.verdicts[0].level
    assert wide.scores["information-loss"].value >= plain.scores["information-loss"].value
    other = shoal.anonymize(
        shoal.read(pl.DataFrame(ROWS), engine=Tiny(), **ROLES), method, k=2, row_order="input", ends=ENDS
    )
    assert other.table.to_polars(cells="text").equals(wide.table.to_polars(cells="text"))


def test_a_file_proves_it_and_one_that_ends_elsewhere_does_not(tmp_path):
    table = shoal.read(pl.DataFrame(ROWS), **ROLES)
    shoal.anonymize(table, "sorted-clusters", k=2, ends=ENDS).write(tmp_path / "r.csv")
    proof = shoal.verify(tmp_path / "r.csv")
    assert any("'born' at limits of quarters" in sentence for sentence in proof.proved)
    shoal.anonymize(table, "sorted-clusters", RoundedEnds({"age": 1}), k=2).write(tmp_path / "s.csv")
    paper = json.loads((tmp_path / "s.certificate.json").read_text())
    for part in (paper["recipe"]["model"][1], paper["verdicts"][1]["model"]):
        part["ends"] = {"age": 10}
    paper["digest"] = digest(paper)
    with pytest.raises(CertificateError, match="rounded-ends does not hold"):
        shoal.verify(tmp_path / "s.csv", Certificate(paper))


def test_ends_are_somebodys_no_more():
    generator = np.random.default_rng(3)
    frame = pl.DataFrame({"zip": generator.integers(0, 5000, 600), "age": generator.integers(0, 90, 600), "ill": "x"})
    table = shoal.read(frame, quasi=["zip", "age"], sensitive=["ill"])

    def singled_out(ends):
        """Give the share of classes in which exactly one record has the lower end of its zip."""
        release = shoal.anonymize(table, k=5, ends=ends, row_order="input")
        shown = release.table.to_polars(cells="struct").with_columns(frame["zip"].alias("true"))
        low = pl.col("zip").struct.field(shown["zip"].struct.fields[0])
        found = shown.group_by("zip", "age").agg((pl.col("true") == low).sum().alias("hits"))
        return (found["hits"] == 1).mean()

    assert singled_out(None) > 0.95  # whatever k is
    assert singled_out({"zip": 100}) < 0.2


@pytest.mark.parametrize(
    "ends",
    [
        *(0, True, math.inf, "fortnight", {}, [5], {"age": "month"}, {"age": 0.5}),
        *({"job": 5}, {"born": 5}, {"born": "hour"}, {"height": 5}),
    ],
)
def test_what_is_no_grid_is_refused(ends):
    with pytest.raises((ParameterError, SchemaError)):
        shoal.anonymize(pl.DataFrame(ROWS), k=2, ends=ends, **ROLES)


def test_nothing_that_could_end_on_a_grid_is_said():
    with pytest.raises(ParameterError, match="No quasi-identifier"):
        shoal.anonymize(pl.DataFrame(ROWS), k=2, ends=5, quasi=["job"], sensitive=["ill"])


def test_a_recipe_asks_for_it_once():
    release = shoal.anonymize(pl.DataFrame(ROWS), ["sorted-clusters", RoundEnds(ENDS)], RoundedEnds(ENDS), k=2, **ROLES)
    assert [model.name for model in release.recipe.models] == ["k-anonymity", "rounded-ends"]


def test_on_grid_tells_lower_from_upper_ends():
    days = np.array([0, 30, 31], np.int32)  # the first and last of January, and the first of February 1970
    assert on_grid(Axis("date"), "month", days, up=False).tolist() == [True, False, True]
    assert on_grid(Axis("date"), "month", days, up=True).tolist() == [False, True, False]
