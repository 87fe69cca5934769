"""What the order of rows tells of masked values: small tables worked out by hand, and a sorted export of people."""

import numpy as np
import polars as pl
import pytest
from engines.pools import Memory
from engines.tiny import Tiny

import shoal
from shoal.engines.parts.engine import PartsEngine
from shoal.errors import ParameterError
from shoal.measures.reidentification import row_order


def measured(columns, measure=None, engine=None, **options):
    table = shoal.read(pl.DataFrame(columns), quasi=list(columns), engine=engine, masked=True, **options)
    (found,) = shoal.score(table, measures=[measure or shoal.measures.OrderLeak()])
    return found


AGES = {"age": "integer"}
# Three classes of two. The export was sorted by age: the first row is at most 3, because the second is, and the last at
# least 5. The two men fitted each other; now each is alone.
SIX = {"age": ["[1;6]", "[2;3]", "[2;3]", "[5;5]", "[5;5]", "[1;6]"], "sex": list("mffffm")}


def test_rows_in_order_bound_each_other():
    found = measured(SIX, kinds=AGES)
    assert found.value == found.lower == found.upper == pytest.approx(1 / 3)
    assert found.detail == {"records": 6, "leaking": 2, "unsettled": 0, "k": 2, "sorted": {"age": "ascending"}}
    assert shoal.measures.OrderLeak.sentence(found.detail) == (
        "Rows stand in the order of 'age': 2 of 6 records have fewer than 2 that fit."
    )


def test_a_falling_order_tells_as_much_as_a_rising_one():
    found = measured({name: cells[::-1] for name, cells in SIX.items()}, kinds=AGES)
    assert found.value == pytest.approx(1 / 3)
    assert found.detail["sorted"] == {"age": "descending"}


def test_more_may_be_asked_to_fit():
    """By age alone three fit each with the order; without it six fitted [1;6] and four the others."""
    ages = {"age": SIX["age"]}
    # [1;3], [2;3], [2;3], [5;5], [5;5], [5;6] are left.
    found = [
        measured(ages, shoal.measures.OrderLeak(k=k), kinds=AGES).detail["leaking"] for k in (2, 3, 4, 5, 6, 7, 10**20)
    ]
    assert found == [0, 0, 6, 2, 2, 0, 0]


def test_who_had_few_before_did_not_lose_them_by_the_order():
    """An original has its values for all to see: that it is sorted tells nothing more."""
    found = measured({"age": [20, 21, 21, 35, 35, 35, 80], "sex": list("fmfmfmf")})
    assert found.detail["sorted"] == {"age": "ascending"}
    assert found.value == 0


@pytest.mark.parametrize(
    "ages",
    [
        ["[1;4]", "[3;8]", "[1;4]", "[9;9]", "[3;8]", "[9;9]", "[2;2]"],  # neither rises nor falls
        ["[1;9]", "[3;8]", "[1;9]", "[2;5]", "[3;8]", "[2;5]"],  # all may be 4: this would be a rise and a fall
        ["*", "[1;1]", "*", "*", "[1;1]", "*"],  # one value only
        ["", "5", "", "", "5", ""],
    ],
)
def test_what_is_not_sorted_in_one_direction_tells_nothing(ages):
    found = measured({"age": ages}, kinds=AGES)
    assert found.value == 0
    assert found.detail["sorted"] == {}
    assert shoal.measures.OrderLeak.sentence(found.detail) == "The order of the rows bounds no quasi-identifier."


def test_cells_without_a_value_and_wildcards_bound_nothing_and_are_not_bounded():
    """A wildcard in the midst of a rise fits everyone, as before; an empty cell wildcards and its like."""
    ages = ["[1;6]", "*", "[2;3]", "", "[2;3]", "[5;5]", "", "*", "[5;5]", "[1;6]"]
    # Besides the two wildcards, three fit each cell with a value, and two each empty one. Before, six fitted [1;6].
    found = [measured({"age": ages}, shoal.measures.OrderLeak(k=k), kinds=AGES) for k in (5, 6, 7, 8, 9)]
    assert [each.detail["sorted"] for each in found] == [{"age": "ascending"}] * 5
    assert [each.detail["leaking"] for each in found] == [0, 6, 2, 2, 0]


def test_classes_that_are_runs_of_rows_tell_nothing():
    """Rows of a class are narrowed alike there; and rows sorted by what is published are in runs, whatever they were.

    In the first table the first class and the last would come apart if its order were taken for that of the original.
    """
    loose = ["[20;60]", "[20;60]", "[30;35]", "[30;35]", "[40;50]", "[40;50]"]
    mixed = ["[20;60]", "[30;35]", "[20;60]", "[30;35]", "[40;50]", "[40;50]"]
    assert measured({"age": loose}, shoal.measures.OrderLeak(k=5), kinds=AGES).value == 0
    assert measured({"age": mixed}, shoal.measures.OrderLeak(k=5), kinds=AGES).value > 0


def test_sets_are_bounded_in_the_order_of_text_and_meet_in_their_members():
    """Ayr, Bath, Ely, York: whoever stands before Bath is not in Ely, and whoever stands behind Ely is not in Ayr."""
    towns = ["{Ayr;Ely}", "Bath", "Bath", "Ely", "Ely", "{Ayr;Ely}"]
    found = measured({"town": towns, "sex": list("mffffm")})
    assert found.detail["sorted"] == {"town": "ascending"}
    assert found.detail["leaking"] == 2
    # Between Ayr and York lie Bath and Ely, but these sets do not hold them.
    assert measured({"town": [town.replace(";Ely", ";York") for town in towns]}).detail["leaking"] == 2


def test_only_what_is_known_counts():
    both, age, sex = (
        measured(SIX, shoal.measures.OrderLeak(known), kinds=AGES) for known in (None, ("age",), ("sex",))
    )
    assert both.detail["sorted"] == age.detail["sorted"] == {"age": "ascending"}
    assert both.value > 0
    assert age.value == sex.value == 0


def test_what_is_not_settled_does_not_count_but_is_told():
    found = measured(SIX, shoal.measures.OrderLeak(effort=0), kinds=AGES)
    assert (found.value, found.lower, found.upper) == (0, 0, 1)
    assert found.detail["unsettled"] == 6
    assert shoal.measures.OrderLeak.sentence(found.detail).endswith("Of 6 more it stays undecided.")


@pytest.mark.parametrize(
    "given", [{"k": 1}, {"k": 2.5}, {"k": "3"}, {"effort": -1}, {"effort": 10**7}, {"effort": "much"}]
)
def test_what_cannot_be_meant_is_refused(given):
    with pytest.raises(ParameterError):
        shoal.measures.OrderLeak(**given)


def export(by, records=20_000):
    """Give people as a registry would export them, sorted by one column, with their places as a plain column."""
    draw = np.random.default_rng(1)
    people = pl.DataFrame(
        {"zip": draw.integers(90_000, 96_200, records), "day": draw.integers(0, 365, records),
         "age": draw.integers(0, 100, records)}
    )  # fmt: skip
    return people.sort(by).with_row_index("place")


def masked(people):
    """Mask people for k = 5 and put them back into the order of the export."""
    table = shoal.read(people, quasi=["zip", "day", "age"], plain=["place"])
    release = shoal.anonymize(
        table, shoal.methods.Hilbert(), [shoal.models.KAnonymity(5)], measures=[], allow_identifiers=["place"]
    )
    return pl.DataFrame(release.to_arrow(cells="text")).sort("place").drop("place")


@pytest.mark.parametrize(("by", "least"), [("zip", 0.99), ("day", 0.99), ("age", 0.95)])
def test_a_sorted_export_that_keeps_its_order_is_undone_by_it(by, least):
    """Five fit everyone by the cells alone; with those above and below, hardly anyone."""
    cells = masked(export(by))
    kinds = dict.fromkeys(cells.columns, "integer")
    found = measured(cells.to_dict(as_series=False), kinds=kinds)
    assert found.detail["sorted"] == {by: "ascending"}
    assert found.detail["k"] == 5
    assert found.value > least
    shuffled = cells.sample(fraction=1.0, shuffle=True, seed=1).to_dict(as_series=False)
    assert measured(shuffled, kinds=kinds).value == 0
    together = cells.sort(cells.columns).to_dict(as_series=False)
    assert measured(together, kinds=kinds).value == 0


@pytest.mark.parametrize("by", ["zip", "day"])
def test_a_table_that_is_looked_at_in_stretches_leaks_as_much(by, monkeypatch):
    """Rows that can meet are near each other where a table is sorted: few rows around a stretch settle all in it."""
    cells = masked(export(by)).to_dict(as_series=False)
    kinds = dict.fromkeys(cells, "integer")
    whole = measured(cells, kinds=kinds)
    monkeypatch.setattr(row_order, "REACH", 500)
    monkeypatch.setattr(row_order, "WIDTH", 4000)
    assert measured(cells, kinds=kinds) == whole
    upside_down = {name: column[::-1] for name, column in cells.items()}
    assert measured(upside_down, kinds=kinds).value == whole.value


@pytest.mark.parametrize("engine", [PartsEngine(Memory(), 50), Tiny()], ids=["parts", "disk"])
def test_it_does_not_depend_on_how_the_table_is_held(engine):
    cells = masked(export("day", 500)).to_dict(as_series=False)
    kinds = dict.fromkeys(cells, "integer")
    here = measured(cells, kinds=kinds)
    assert here.value > 0.5
    assert measured(cells, engine=engine, kinds=kinds) == here
