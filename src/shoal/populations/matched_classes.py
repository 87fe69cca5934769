"""The classes of a table in the population that it comes from, given as a table of its own.

A person of the population is in a class of the table if what the class shows is, or holds, what the person has. Where
all cells of the table are exact values, these are equal ones, and only persons who may equal a record are brought
together; else every distinct person is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Flags, Integers, Positions
from shoal.engines.local.aligning import Alignment
from shoal.engines.values import Boxes
from shoal.errors import DataError, ParameterError
from shoal.kernels import MISSING, TOP
from shoal.populations.box_counts import PlacedBoxes, count_inside, count_people
from shoal.populations.covering import containing, distinct_cells
from shoal.populations.people_of_classes import PeopleOfClasses
from shoal.populations.record_matches import MatchedBoxes, RowLookup
from shoal.populations.shared_axes import all_single, on_shared, shared_axes
from shoal.table import Table


@dataclass(frozen=True)
class MatchedClasses:
    """The distinct records of a table, and how many there are of each in the table and in its population.

    Attributes
    ----------
    cells
        The lower ends of what each class shows.
    sizes
        How many records each class has, or people.
    people
        How many people of the population fit each class.
    strangers
        How many fit none, but for one beside others that shows ``*`` everywhere.
    """

    cells: Positions
    sizes: Integers
    people: Integers
    strangers: int

    def insist_on_superset(self) -> None:
        """Refuse a population that does not hold the table."""
        lacking = int((self.people < self.sizes).sum())
        if lacking:
            raise DataError(
                f"Classes of which the table has more records than its population has people: {lacking:,} of "
                f"{self.sizes.size:,}.",
                "The population is a table of all people that the table comes from, with the same columns: give that "
                "(and --population-columns age=AGE where names differ).",
            )


def matched_classes(
    table: Table, population: Table, columns: Sequence[str], subject: str | None = None
) -> MatchedClasses:
    """Count for each class of a table its records, and the people of the population who fit it.

    Parameters
    ----------
    table
        The table.
    population
        The population, with exact values.
    columns
        The columns of the population, in the order of the table's quasi-identifiers.
    subject
        The column of the population that says whose each of its records is; if left out, each is somebody else's, and
        so is each of the table.
    """
    if subject is not None:
        return _by_people(table, population, columns, subject)

    def collected(boxes: Boxes) -> MatchedBoxes:
        return boxes.lo, boxes.hi, boxes.counts

    parts = table.boxes(collected)
    lo, hi, sizes = (np.concatenate([part[i] for part in parts]) for i in range(3))
    says = ~((lo == MISSING) & (hi == TOP)).all(axis=1)
    exact = all_single(table, table.schema.quasi, lo, hi)
    plan, first, last = shared_axes(table, population, columns, lo, hi)
    if exact:
        lookup = RowLookup(first, first)
        people = lookup.counts(population.boxes(_among(lookup, plan), columns))
        return MatchedClasses(lo, sizes, people, population.rows - int(people.sum()))
    says |= not says.any()
    people, strangers = np.zeros(sizes.size, np.int64), 0
    for low, high, counts in population.boxes(collected, columns):
        _insist_on_values(population, columns, low, high)
        found = count_inside(*_placed(on_shared(low, plan, plan.first), counts, first, last, plan), says)
        people += found[0]
        strangers += int(counts[found[1]].sum())
    return MatchedClasses(lo, sizes, people, strangers)


def _by_people(table: Table, population: Table, columns: Sequence[str], subject: str) -> MatchedClasses:
    """Count the people of each class, however many records they have, and those of the population who fit it."""
    assert table.schema.subject is not None
    own = PeopleOfClasses.of(table, table.schema.quasi, table.schema.subject)
    theirs = PeopleOfClasses.of(population, columns, subject)
    _insist_on_values(population, columns, theirs.lo, theirs.hi)
    says = ~((own.lo == MISSING) & (own.hi == TOP)).all(axis=1)
    says |= not says.any()
    plan, first, last = shared_axes(table, population, columns, own.lo, own.hi)
    places, _, boxes = _placed(on_shared(theirs.lo, plan, plan.first), theirs.records, first, last, plan)
    people, strangers = count_people(places, theirs.starts, theirs.persons, boxes, says)
    return MatchedClasses(own.lo, own.people, people, strangers)


def _insist_on_values(population: Table, columns: Sequence[str], lo: Positions, hi: Positions) -> None:
    if not all_single(population, columns, lo, hi):
        raise ParameterError("The population has ranges or sets in the place of values.", "Give the values.")


def _placed(
    points: Positions, counts: Integers, lo: Positions, hi: Positions, plan: Alignment
) -> tuple[Positions, Integers, PlacedBoxes]:
    """Number the values that points have in each column, and say which of them each published cell holds."""
    places, low, high = np.empty_like(points), np.empty_like(lo), np.empty_like(lo)
    cells, held = np.zeros_like(lo), dict[int, Flags]()
    for j, name in enumerate(plan.names):
        values, places[:, j] = np.unique(points[:, j], return_inverse=True)
        if not plan.axes[name].nominal:
            low[:, j] = np.searchsorted(values, lo[:, j], side="left")
            high[:, j] = np.searchsorted(values, hi[:, j], side="right") - 1
            continue
        ends, cells[:, j] = distinct_cells(lo[:, j], hi[:, j])
        starts, of_value = containing(plan.axes[name], np.stack([values, values], axis=1).astype(np.int64), ends)
        fits = np.zeros((len(ends), values.size), np.bool_)
        fits[of_value, np.repeat(np.arange(values.size), np.diff(starts))] = True
        held[j] = fits
        some = fits.any(axis=1)
        first = np.where(some, fits.argmax(axis=1), values.size)
        last = np.where(some, values.size - 1 - fits[:, ::-1].argmax(axis=1), -1)
        low[:, j], high[:, j] = first[cells[:, j]], last[cells[:, j]]
    return places, counts, PlacedBoxes(low, high, cells, held)


def _among(lookup: RowLookup, plan: Alignment) -> Callable[[Boxes], MatchedBoxes]:
    """Give what finds the persons who may equal a record, on the axes that both tables share."""
    found = lookup.among()

    def among(boxes: Boxes) -> MatchedBoxes:
        there = on_shared(boxes.lo, plan, plan.first)
        here = there if boxes.hi is boxes.lo else on_shared(boxes.hi, plan, plan.first)
        return found(Boxes(boxes.names, there, here, boxes.counts, boxes.lowest, boxes.highest, boxes.missing))

    return among
