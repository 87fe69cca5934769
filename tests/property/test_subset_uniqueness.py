"""Every set of attributes leaves those alone whom counting them one by one leaves alone."""

from collections import Counter
from itertools import combinations

import polars as pl
from engines.tiny import Tiny
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.measures.reidentification.subset_uniqueness import subset_uniqueness


@st.composite
def tables(draw):
    """Give some columns of a few records: many values and few, and missing cells."""
    records = draw(st.integers(1, 30))
    values = [draw(st.sampled_from([2, 3, 8, 40])) for _ in range(draw(st.integers(1, 5)))]
    return {
        f"q{i}": draw(st.lists(st.none() | st.integers(1, most), min_size=records, max_size=records))
        for i, most in enumerate(values)
    }


def counted(columns, most=None):
    """Count those who stand alone for each set, one set after the other."""
    found = {}
    for size in range(1, (most or len(columns)) + 1):
        for names in combinations(columns, size):
            often = Counter(zip(*(columns[name] for name in names), strict=True))
            found[names] = sum(count == 1 for count in often.values())
    return found


def read(columns, engine=None):
    frame = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.Int64))
    return shoal.read(frame, quasi=list(columns), kinds=dict.fromkeys(columns, "integer"), engine=engine)


@given(tables())
def test_all_sets_are_counted(columns):
    assert subset_uniqueness(read(columns)) == counted(columns)


@settings(max_examples=15)
@given(tables(), st.integers(1, 3))
def test_small_sets_are_counted_where_there_are_too_many(columns, most):
    assert subset_uniqueness(read(columns), most) == counted(columns, min(most, len(columns)))


def test_ranges_count_as_what_they_look_like_and_parts_on_disk_as_a_whole():
    ages = ["[20;29]", "[20;29]", "25", "25", "*", "[20;25]"]
    sexes = ["f", "m", "m", "m", "f", "f"]
    frame = pl.DataFrame({"age": ages, "sex": sexes})
    for engine in (None, Tiny()):
        table = shoal.read(frame, quasi=["age", "sex"], kinds={"age": "integer"}, masked=True, engine=engine)
        assert subset_uniqueness(table) == counted({"age": ages, "sex": sexes})
