"""Known points looked for in a release: against brute force over everyone and every set of points."""

import itertools

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.assessment.known_points import asked_points, unicity_against, unicity_of
from shoal.domains.resolution import Resolution
from shoal.errors import SchemaError
from shoal.linked.resolutions import seen_at
from shoal.linked.traces import traces_of

QUASI = ["shop", "day", "kind"]
row = st.tuples(
    st.integers(1, 5), st.none() | st.integers(1, 3), st.integers(0, 9), st.sampled_from(["a", "b", "c"]) | st.none()
)
rows = st.lists(row, min_size=1, max_size=25)


def table_of(content, columns=QUASI):
    schema = {"p": pl.Int64, "shop": pl.Int64, "day": pl.Int64, "kind": pl.String}
    frame = pl.DataFrame(content, schema=schema, orient="row")
    return shoal.read(frame.select("p", *columns), subject="p", quasi=columns, linked=True)


def sets_of(content):
    found = {}
    for person, *point in content:
        found.setdefault(person, set())
        if any(part is not None for part in point):
            found[person].add(tuple(point))
    return found


def seen(point):
    """Give a point as it is seen with blocks of five days."""
    shop, day, kind = point
    return shop, day // 5, kind


def shares(known, released, points):
    """Give the share of unique and lost sets, and the smallest candidate set."""
    able = {person: trace for person, trace in known.items() if len(trace) >= points}
    unique = lost = 0.0
    smallest = []
    for trace in able.values():
        sets = list(itertools.combinations(trace, points))
        counts = [sum({seen(point) for point in some} <= other for other in released.values()) for some in sets]
        unique += counts.count(1) / len(sets) / len(able)
        lost += counts.count(0) / len(sets) / len(able)
        smallest += [count for count in counts if count]
    return len(able), unique, lost, min(smallest, default=0)


@given(rows, st.data())
def test_points_of_the_original_are_found_under_what_is_published_for_them(content, data):
    kept = data.draw(st.lists(st.sampled_from(content), min_size=1, unique=True))
    # Days from 0 to 9, so that both cut them alike whichever occur.
    released = table_of(kept).recode(
        Resolution.of("day=5@0").rules(
            {"day": table_of(kept).schema["day"].axis}, lambda name: table_of(kept).counts(name)[0]
        )
    )
    found = unicity_against(table_of(content), released, asked_points((1, 2, 3)))["unicity"]
    known, published = sets_of(content), {p: {seen(x) for x in t} for p, t in sets_of(kept).items()}
    for each in found:
        people, unique, lost, smallest = shares(known, published, each["points"])
        assert each["people"] == people
        if people:
            assert (each["share"], each["not_found"]) == pytest.approx((unique, lost), abs=1e-12)
            assert each["smallest"] == smallest


@given(rows)
def test_a_release_that_changes_nothing_leaves_what_the_table_has(content):
    table = table_of(content)
    alone, beside = unicity_of(table, asked_points((1, 2))), unicity_against(table, table, asked_points((1, 2)))
    for before, after in zip(alone["unicity"], beside["unicity"], strict=True):
        assert after.pop("not_found") in (0, None)
        assert before == pytest.approx(after)


def test_a_group_stands_for_each_of_its_members_and_a_star_for_all():
    original = [(1, 1, 0, "a"), (2, 1, 0, "b"), (3, 1, 0, "c"), (4, 2, 0, None)]
    cells = pl.DataFrame(
        {"p": [1, 2, 3, 4], "shop": ["[1;2]", "1", "1", "2"], "day": ["0"] * 4, "kind": ["{a;b}", "{a;b}", "*", None]}
    )
    kinds = {"shop": "integer", "day": "integer"}
    released = shoal.read(cells, subject="p", quasi=QUASI, linked=True, kinds=kinds, masked=True)
    (found,) = unicity_against(table_of(original), released, asked_points(1))["unicity"]
    # a and b fit three people, c only person 3, and what has no kind only person 4: 3 was in another shop.
    assert found["share"] == 0.5
    assert found["not_found"] == 0
    assert found["smallest"] == 1


def test_other_columns_are_no_release_of_these_points():
    with pytest.raises(SchemaError, match="same columns"):
        unicity_against(table_of([(1, 1, 0, "a")]), table_of([(1, 1, 0, "a")], ["shop", "day"]), asked_points(1))


def test_a_coarser_look_at_points_counts_each_once():
    content = [(1, 1, 0, "a"), (1, 1, 1, "a"), (1, 1, 7, "a"), (2, 1, 2, "b"), (3, None, 4, "a")]
    traces = traces_of(table_of(content))
    seen = seen_at(traces, Resolution.of("day=5@0,kind=*"))
    assert seen.labels.tolist() == [1, 2, 1, 0]
    assert list(zip(*seen.points.texts(), strict=True)) == [
        ("", "[0;4]", "*"),
        ("1", "[0;4]", "*"),
        ("1", "[5;9]", "*"),
    ]
    assert seen_at(traces, Resolution.of("day=*,kind=*")).offsets.tolist() == [0, 1, 2, 2]
