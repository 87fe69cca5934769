"""Standard errors of estimates: by hand, by leaving out one unit at a time, and by their definition."""

import math
from itertools import combinations, groupby, product

import numpy as np
import polars as pl
import pytest
from engines.tiny import Tiny
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import DataError, ParameterError, SchemaError
from shoal.measures import EstimateShift

KINDS = {"a": "integer", "c": "category"}


def estimates(frame, engine=None, replacement=True, **roles):
    kinds = {name: kind for name, kind in KINDS.items() if name in frame}
    table = shoal.read(frame, quasi=list(kinds), kinds=kinds, engine=engine, **roles)
    return shoal.score(table, table, measures=[EstimateShift(replacement)])[0].detail


def test_five_records_by_hand():
    frame = pl.DataFrame({"a": [1, 2, 3, 4, 5], "w": [2, 2, 1, 1, 1]})
    found = estimates(frame, weight="w")["estimates"]["a"]
    assert found["mean"][0] == pytest.approx(18 / 7)
    assert found["total"][0] == pytest.approx(18)
    assert found["total_error"][0] == pytest.approx(math.sqrt(6.5))  # 5 / 4 of the squares of 2, 4, 3, 4, 5 around 3.6
    apart = [2 * (1 - 18 / 7), 2 * (2 - 18 / 7), 3 - 18 / 7, 4 - 18 / 7, 5 - 18 / 7]
    assert found["mean_error"][0] == pytest.approx(math.sqrt(5 / 4 * sum(each**2 for each in apart)) / 7)


def test_of_a_simple_sample_it_is_the_deviation_by_the_root_of_its_size():
    found = estimates(pl.DataFrame({"a": [1, 2, 4, 8, 16]}))["estimates"]["a"]
    assert found["mean_error"][0] == pytest.approx(np.std([1, 2, 4, 8, 16], ddof=1) / math.sqrt(5))


def test_strata_that_do_not_vary_inside_leave_no_error():
    frame = pl.DataFrame({"a": [1, 1, 7, 7, 7], "s": list("NNSSS")})
    assert estimates(frame, stratum="s")["estimates"]["a"]["total_error"] == pytest.approx([0, 0])


def test_a_household_is_drawn_as_one():
    frame = pl.DataFrame({"a": [1, 3, 5, 5, 9], "h": ["x", "x", "y", "y", None]})
    found = estimates(frame, household="h")["estimates"]["a"]
    assert found["total_error"][0] == pytest.approx(math.sqrt(3 / 2 * np.sum((np.array([4, 10, 9]) - 23 / 3) ** 2)))


def test_shares_of_categories_and_those_of_few_records():
    frame = pl.DataFrame({"c": ["x"] * 6 + ["y"] * 5 + ["z"] * 4, "w": [2] * 15})
    found = estimates(frame, weight="w")["shares"]["c"]
    assert list(found) == ["x", "y"]  # of four people nothing is said
    assert found["x"]["mean"][0] == pytest.approx(6 / 15)
    assert found["x"]["total"][0] == pytest.approx(12)
    assert found["x"]["mean_error"][0] == pytest.approx(math.sqrt(0.4 * 0.6 / 14))


def test_one_unit_alone_has_no_error():
    frame = pl.DataFrame({"a": [1, 3], "h": ["x", "x"]})
    assert estimates(frame, household="h")["estimates"]["a"]["mean_error"] == [None, None]


def by_definition(rows, values):
    """Give the error of a sum of values, as the textbook says it, in plain loops."""
    mean = sum(values) / len({(row["s"], row["h"]) for row in rows})
    variance = 0.0
    pairs = sorted(zip(rows, values, strict=True), key=lambda pair: (pair[0]["s"], pair[0]["h"]))
    for _, stratum in groupby(pairs, key=lambda pair: pair[0]["s"]):
        homes = groupby(stratum, key=lambda pair: pair[0]["h"])
        sums = [sum(value for _, value in members) for _, members in homes]
        middle = mean if len(sums) == 1 else sum(sums) / len(sums)
        variance += len(sums) / max(len(sums) - 1, 1) * sum((each - middle) ** 2 for each in sums)
    return math.sqrt(variance)


@st.composite
def surveys(draw):
    rows = draw(st.integers(5, 14))
    some = {
        "a": st.one_of(st.integers(0, 9), st.none()), "c": st.sampled_from("xy"), "w": st.integers(1, 4),
        "s": st.sampled_from("NS"), "h": st.integers(1, 5),
    }  # fmt: skip
    columns = {name: draw(st.lists(each, min_size=rows, max_size=rows)) for name, each in some.items()}
    return pl.DataFrame(columns, dict.fromkeys("awh", pl.Int64) | dict.fromkeys("cs", pl.String))


@given(surveys())
def test_errors_are_as_defined_whatever_holds_the_table(frame):
    roles = {"weight": "w", "stratum": "s", "household": "h"}
    detail, rows = estimates(frame, **roles), frame.to_dicts()
    assert estimates(frame, Tiny(), **roles) == detail
    if len({(row["s"], row["h"]) for row in rows}) == 1:
        return
    for name, found in detail["estimates"].items():
        shown = [row for row in rows if row[name] is not None]
        weight = sum(row["w"] for row in shown)
        mean = sum(row["w"] * row[name] for row in shown) / weight
        parts = [0 if row[name] is None else row["w"] * (row[name] - mean) / weight for row in rows]
        assert found["mean_error"] == pytest.approx([by_definition(rows, parts)] * 2, abs=1e-9)
        sums = [row["w"] * (row[name] or 0) for row in rows]
        assert found["total_error"] == pytest.approx([by_definition(rows, sums)] * 2, abs=1e-9)
    for category, found in detail["shares"].get("c", {}).items():
        own = [row["w"] * (row["c"] == category) for row in rows]
        assert found["total_error"][0] == pytest.approx(by_definition(rows, own), abs=1e-9)


@given(surveys())
def test_totals_err_as_much_as_leaving_out_one_unit_at_a_time_says(frame):
    frame = frame.drop_nulls("a")
    rows = frame.to_dicts()
    units = {stratum: {row["h"] for row in rows if row["s"] == stratum} for stratum in "NS"}
    if any(len(each) == 1 for each in units.values()) or frame["a"].n_unique() < 2:
        return
    variance, total = 0.0, sum(row["w"] * row["a"] for row in rows)
    for stratum, homes in units.items():
        for home in homes:
            times = {stratum: len(homes) / (len(homes) - 1)}
            left = [row for row in rows if (row["s"], row["h"]) != (stratum, home)]
            again = sum(row["w"] * row["a"] * times.get(row["s"], 1) for row in left)
            variance += (len(homes) - 1) / len(homes) * (again - total) ** 2
    found = estimates(frame, weight="w", stratum="s", household="h")["estimates"]["a"]
    assert found["total_error"][0] == pytest.approx(math.sqrt(variance), abs=1e-7)


# Drawn without replacement

TOWNS = {"N": [[1], [5], [2, 2], [9]], "S": [[4], [0, 7], [3]]}  # the people of each household
DRAWN = {"N": 2, "S": 2}


def samples():
    """Give every sample of two households of each town, with the weight that design gives them."""
    rows = ((stratum, number, home) for stratum, homes in TOWNS.items() for number, home in enumerate(homes))
    homes = {each[:2]: each[2] for each in rows}
    for some in product(*(combinations([each for each in homes if each[0] == s], n) for s, n in DRAWN.items())):
        chosen = [each for part in some for each in part]
        people = [(value, s, f"{s}{i}", len(TOWNS[s]) / DRAWN[s]) for s, i in chosen for value in homes[s, i]]
        yield pl.DataFrame(people, ["a", "s", "h", "w"], orient="row")


def test_variances_without_replacement_are_on_average_those_of_all_samples():
    roles = {"weight": "w", "stratum": "s", "household": "h"}
    found = [estimates(frame, replacement=False, **roles)["estimates"]["a"] for frame in samples()]
    totals, errors = (np.array([each[what][0] for each in found]) for what in ("total", "total_error"))
    assert len(totals) == 6 * 3
    assert totals.mean() == pytest.approx(sum(sum(home) for homes in TOWNS.values() for home in homes))
    assert (errors**2).mean() == pytest.approx(totals.var())  # with replacement it would be twice as much, or more
    with_it = [estimates(frame, **roles)["estimates"]["a"]["total_error"][0] for frame in samples()]
    assert np.mean(np.square(with_it)) > 1.9 * totals.var()


def test_of_a_simple_sample_it_is_the_textbook_correction():
    frame = pl.DataFrame({"a": [1, 2, 4, 8, 16], "w": [4] * 5})  # five of twenty
    found = estimates(frame, weight="w", replacement=False)
    error = math.sqrt((1 - 5 / 20) / 5) * np.std([1, 2, 4, 8, 16], ddof=1)
    assert found["estimates"]["a"]["mean_error"][0] == pytest.approx(error)
    assert found["estimates"]["a"]["total_error"][0] == pytest.approx(20 * error)
    assert not found["replacement"]


def test_a_stratum_of_which_all_were_asked_adds_no_error():
    frame = pl.DataFrame({"a": [1, 5, 9, 2, 4], "s": list("NNNSS"), "w": [1, 1, 1, 3, 3]})
    found = estimates(frame, weight="w", stratum="s", replacement=False)["estimates"]["a"]
    assert found["total_error"][0] == pytest.approx(math.sqrt((1 - 2 / 6) * 2 * 2 * 3**2))
    everybody = estimates(frame.with_columns(w=1), weight="w", stratum="s", replacement=False)["estimates"]["a"]
    assert everybody["mean_error"] == [0, 0]


@given(surveys())
def test_each_stratum_has_its_correction(frame):
    roles = {"weight": "w", "stratum": "s"}
    first, then = (estimates(frame, replacement=way, **roles)["estimates"].get("a") for way in (True, False))
    if first is None or len(frame) < 2:
        return
    parts = {}
    rows = frame.with_columns(a=pl.col("a").fill_null(0) * pl.col("w"))
    for (stratum,), some in rows.group_by("s"):
        apart = some["a"] - (some["a"].mean() if len(some) > 1 else rows["a"].mean())
        many, people = len(some), some["w"].sum()
        parts[stratum] = many / max(many - 1, 1) * (apart**2).sum(), 1 - many / people
    assert first["total_error"][0] == pytest.approx(math.sqrt(sum(part for part, _ in parts.values())), abs=1e-7)
    corrected = math.sqrt(sum(part * left for part, left in parts.values()))
    assert then["total_error"][0] == pytest.approx(corrected, abs=1e-7)


def test_weights_that_do_not_tell_how_many_there_are_are_refused():
    frame = pl.DataFrame({"a": [1, 2, 3], "w": [0.5, 0.5, 0.5]})
    with pytest.raises(DataError, match="stand for fewer than were drawn:"):
        estimates(frame, weight="w", replacement=False)
    with pytest.raises(DataError, match="in 1 of 2 strata"):
        estimates(
            frame.with_columns(w=pl.Series([1.0, 1.0, 0.5]), s=pl.Series(list("NNS"))),
            None,
            False,
            weight="w",
            stratum="s",
        )
    with pytest.raises(SchemaError, match="no column holds weights"):
        estimates(frame[["a"]], replacement=False)
    with pytest.raises(ParameterError, match="true or false"):
        EstimateShift(replacement="no")
