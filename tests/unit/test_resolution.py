"""How coarsely points are seen: what a level means for each kind of column, and which levels nest."""

from datetime import date
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.domains.axis import days
from shoal.domains.resolution import Resolution, refuse_unless_nested
from shoal.errors import ParameterError, SchemaError
from shoal.kernels import MISSING


def seen(values, text, **said):
    """Give the cells of a column at a level, in the order of the values."""
    table = shoal.read(pl.DataFrame({"x": values}), quasi="x", **said)
    resolution = Resolution.of(f"x={text}")
    assert str(resolution) == f"x={text}"
    axes = {a.name: a.axis for a in table.schema.attributes}
    rules = resolution.rules(axes, lambda name: table.counts(name)[0])
    return table.recode(rules).to_polars(cells="text")["x"].to_list()


@pytest.mark.parametrize(
    ("values", "text", "expected"),
    [
        # Days are counted from the first of January of the first year, or from a day that is named.
        (["2017-01-01", "2017-01-07", "2017-01-08"], "7", [(0, 6), (0, 6), (7, 13)]),
        (["2017-01-02", "2017-01-08", "2017-01-09"], "7@2017-01-02", [(1, 7), (1, 7), (8, 14)]),
        # Numbers of which most occur are counted from 0; others by their places.
        ([0, 1, 2, 3, 6, 7], "7", [(0, 6)] * 5 + [(7, 13)]),
        ([2, 40, 300, 7000], "3", [(2, 300)] * 3 + [(7000, 7000)]),
        ([2, 40, 300, 7000], "100@0", [(0, 99), (0, 99), (300, 399), (7000, 7099)]),
        ([0, 1, 2, 3], "2 values", [(0, 1)] * 2 + [(2, 3)] * 2),
        ([-5, -4, -1, 0, 1], "5", [(-5, -1)] * 3 + [(0, 4)] * 2),
        # A price known up to half of itself: bins whose ends are as 1 to 3.
        ([0.01, 0.02, 0.03, 0.08, 0.09], "50%", [(0.01, 0.02)] * 2 + [(0.03, 0.08)] * 2 + [(0.09, 0.09)]),
        ([-0.03, 0.0, 0.03], "50%", [(-0.03, -0.03), (0.0, 0.0), (0.03, 0.03)]),
        ([0.5, 1.5, 2.25], "2", [(0.5, 1.5)] * 2 + [(2.25, 2.25)]),
        (["2017-01-01 10:00:00", "2017-01-01 20:00:00", "2017-01-02 01:00:00"], "1", [(0, 1), (0, 1), (2, 2)]),
    ],
)
def test_a_level_means_what_suits_the_kind_of_its_column(values, text, expected):
    kind = {10: "date", 19: "datetime"}.get(len(str(values[0])))
    cells = seen(values, text, **({"kinds": {"x": kind}} if kind else {}))
    if kind == "date":
        expected = [tuple(str(date(2017, 1, 1 + end)) for end in ends) for ends in expected]
    elif kind:
        expected = [tuple(values[end] for end in ends) for ends in expected]
    assert cells == [f"[{low};{high}]" for low, high in expected]


def test_ordered_categories_are_taken_in_blocks_and_hierarchies_by_level(tmp_path):
    order = {"orders": {"x": ["low", "mid", "high", "top"]}}
    assert seen(["mid", "low", "top", "high"], "2", **order) == ["[low;mid]", "[low;mid]", "[high;top]", "[high;top]"]
    (tmp_path / "x.csv").write_text("milk,soft,*\ntea,soft,*\nwine,strong,*\nbeer,strong,*\n")
    tree = {"hierarchies": {"x": str(tmp_path / "x.csv")}}
    assert seen(["tea", "beer"], "1", **tree) == ["soft", "strong"]
    assert seen(["tea", "beer"], "0", **tree) == ["tea", "beer"]
    with pytest.raises(ParameterError, match="levels from 0"):
        seen(["tea", "beer"], "3", **tree)


def test_cells_without_a_value_stay_so():
    assert seen([1, None, 2], "2") == ["[0;1]", None, "[2;3]"]


@pytest.mark.parametrize("text", ["", "x", "x=", "x=0 days", "x=100%", "x=50%@3", "x=1,x=2", "x=-3"])
def test_what_is_no_resolution_is_refused(text):
    with pytest.raises(ParameterError):
        Resolution.of(text)


def test_a_category_without_an_order_has_no_stretches():
    with pytest.raises(ParameterError, match="category without an order"):
        seen(["b", "a"], "2")


@pytest.mark.parametrize("text", ["0", "2.5"])
def test_days_come_in_whole_numbers(text):
    with pytest.raises(ParameterError, match="whole number"):
        seen(["2017-01-01"], text, kinds={"x": "date"})


def test_columns_may_be_left_out_but_not_all_and_must_be_there():
    assert Resolution.of("day=*").columns(["store", "day"]) == ("store",)
    with pytest.raises(ParameterError, match="No column"):
        Resolution.of("day=*").columns(["day"])
    with pytest.raises(SchemaError, match="no column 'dya'"):
        Resolution.of("dya=*").columns(["day"])


@pytest.mark.parametrize(("finer", "coarser"), [("7", "30"), ("7@2017-01-01", "28"), ("10%", "30%"), ("2", "4 values")])
def test_levels_that_cut_through_each_other_are_refused(finer, coarser):
    with pytest.raises(ParameterError, match="do not nest"):
        refuse_unless_nested([Resolution.of(f"day={finer},store=2"), Resolution.of(f"day={coarser}")])


def test_levels_that_nest_are_taken():
    refuse_unless_nested([Resolution.of(text) for text in ("day=7", "day=84", "day=28,store=10", "day=*", "price=5%")])
    refuse_unless_nested([Resolution.of(text) for text in ("item=2", "item=3")], trees=["item"])


def test_multiples_nest_in_fact():
    table = shoal.read(pl.DataFrame({"x": pl.Series(range(17167, 17167 + 400)).cast(pl.Date)}), quasi="x")
    axes, present = {"x": table.schema["x"].axis}, table.counts("x")[0]
    assert present[0] == days(["2017-01-01"])[0] != MISSING
    cuts = [Resolution.of(f"x={width}").rules(axes, lambda _: present)["x"].lows for width in (7, 28, 84)]
    assert all(np.isin(coarser, finer).all() for finer, coarser in pairwise(cuts))
