"""Every hierarchy that is built, over whatever values: it nests, has every value, and is the same when read again."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.assessment.hierarchy_check import check_hierarchy
from shoal.domains.hierarchy import Hierarchy
from shoal.domains.hierarchy_builders import BUILDERS, COLUMNS, HARBOR, LABELS
from shoal.domains.hierarchy_file import HierarchyFile, csv_of
from shoal.errors import DataError

numbers = st.integers(-500, 500).map(str)
decimals = st.integers(-5000, 5000).map(lambda number: f"{number / 10}")
texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
days = st.dates().filter(lambda day: day.year >= 1000).map(str)
nine = st.from_regex(r"[1-9][0-9]{2}(\.[0-9]{1,2})?|V0[1-9]\.[0-9]|E[0-9]{3}", fullmatch=True)
ten = st.from_regex(r"[ABFG][0-9]{2}(\.[0-9]{1,3})?", fullmatch=True)
WAYS = {
    "bands 5,20": numbers,
    "intervals 2.5,10 from 1": decimals,
    "cuts -7,18,30.5 / 18": decimals,
    "quantiles 8,4,2": numbers,
    "top 90 bottom -18": decimals,
    "bottom 18": numbers,
    "prefix 4,2,1": numbers,
    "suffix 3,1": numbers,
    "dates day,month,quarter,year,decade": days,
    "ordered 2,4,8": texts,
    "groups low=a,b; high=c": texts,
    "frequent 2,10": texts,
    "icd9": nine,
    "icd10": ten,
}


def test_every_way_is_tried():
    # Safe harbor adds values that nobody has, and columns and labels need a table: they have tests of their own.
    others = {HARBOR, COLUMNS, LABELS}
    assert {way.split()[0] for way in WAYS} == BUILDERS.keys() - others


@pytest.mark.parametrize("way", WAYS)
@given(data=st.data())
def test_what_is_built_is_a_tree_over_all_values_and_the_same_when_it_is_read(way, data, tmp_path_factory):
    counts = data.draw(st.dictionaries(WAYS[way], st.integers(1, 20), min_size=1, max_size=25))
    try:
        tree = Hierarchy.build(way, counts, "v")
        text = csv_of(tree.levels, "v")
    except DataError as error:  # a value that is named like a group, or that a line cannot hold
        assert WAYS[way] is texts
        assert "same name" in error.what or "would be" in error.what  # noqa: PT017 - it is not always raised
        return
    assert sorted(tree.leaves) == sorted(counts)
    for lower, upper in pairwise(zip(*tree.levels, strict=True)):
        assert len(set(zip(lower, upper, strict=True))) == len(set(lower))
    assert len({row[-1] for row in tree.levels}) == 1
    path = tmp_path_factory.getbasetemp() / "tree.csv"
    path.write_bytes(text.encode())
    read = Hierarchy.read(path, "v")
    assert read.levels == tree.levels
    assert read.note == ""
    found = check_hierarchy(path, "v", counts)
    assert found["usable"]
    assert found["levels"] == [len(set(level)) for level in zip(*tree.levels, strict=True)]
    assert (found["leaves"], found["lacking"]) == (len(counts), 0)


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=8, unique_by=lambda row: row[0]))
def test_whatever_names_are_written_are_read_as_they_were_or_refused(rows):
    rows = [[*row, "*"] for row in rows]
    try:
        text = csv_of(rows, "v")
    except DataError:
        assert any(cell != cell.strip() or len(cell.splitlines()) != 1 or cell[0] == "\ufeff"
                   for row in rows for cell in row)  # fmt: skip
        return
    assert [list(row) for row in HierarchyFile.parse(text).rows] == rows
