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
from shoal.domains.axis import Axis
from shoal.engines.local.aligning import Alignment, Used, alignment
from shoal.engines.local_data import moved
from shoal.engines.values import Boxes
from shoal.errors import DataError, ParameterError
from shoal.kernels import MISSING, TOP
from shoal.populations.box_counts import PlacedBoxes, count_inside
from shoal.populations.covering import containing, distinct_cells
from shoal.populations.record_matches import MatchedBoxes, RowLookup
from shoal.schema import Attribute, Role, Schema
from shoal.table import Table


@dataclass(frozen=True)
class MatchedClasses:
    """The distinct records of a table, and how many there are of each in the table and in its population.

    Attributes
    ----------
    sizes
        How many records each class has.
    people
        How many people of the population fit each class.
    strangers
        How many fit none, but for one beside others that shows ``*`` everywhere.
    """

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


def matched_classes(table: Table, population: Table, columns: Sequence[str]) -> MatchedClasses:
    """Count for each class of a table its records, and the people of the population who fit it.

    Parameters
    ----------
    table
        The table.
    population
        The population, with exact values.
    columns
        The columns of the population, in the order of the table's quasi-identifiers.
    """

    def collected(boxes: Boxes) -> MatchedBoxes:
        return boxes.lo, boxes.hi, boxes.counts

    names = table.schema.quasi
    parts = table.boxes(collected)
    lo, hi, sizes = (np.concatenate([part[i] for part in parts]) for i in range(3))
    theirs = _renamed(population, columns, names)
    lo, hi, axes = _by_names_of_nodes(table, theirs, lo, hi)
    ours = table.schema.with_axes(axes)
    plan = alignment(
        theirs, ours, names, (_used(population, dict(zip(names, columns, strict=True))), _ends(names, lo, hi))
    )
    if (lo == hi).all():
        lookup = RowLookup(*(_on_common(lo, plan, plan.second),) * 2)
        people = lookup.counts(population.boxes(_among(lookup, plan), columns))
        return MatchedClasses(sizes, people, population.rows - int(people.sum()))
    shown = _on_common(lo, plan, plan.second), _on_common(hi, plan, plan.second)
    says = ~((lo == MISSING) & (hi == TOP)).all(axis=1)
    says |= not says.any()
    people, strangers = np.zeros(sizes.size, np.int64), 0
    for low, high, counts in population.boxes(collected, columns):
        if (low != high).any():
            raise ParameterError("The population has ranges or sets in the place of values.", "Give the values.")
        found = count_inside(*_placed(_on_common(low, plan, plan.first), counts, *shown, plan), says)
        people += found[0]
        strangers += found[1]
    return MatchedClasses(sizes, people, strangers)


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


def _by_names_of_nodes(
    table: Table, theirs: Schema, lo: Positions, hi: Positions
) -> tuple[Positions, Positions, dict[str, Axis]]:
    """Put cells in columns with hierarchies where nodes of the same names lie in the population, which may have more.

    A node that the population does not have is put behind all others, where nobody is.
    """
    axes: dict[str, Axis] = {}
    lo, hi = lo.copy(), hi.copy()
    for j, name in enumerate(table.schema.quasi):
        ours, other = table.schema[name].axis, theirs[name].axis
        if ours.tree is None or other.tree is None:
            continue
        axes[name] = other
        places = {text: span for span, text in other.tree.nodes.items()}
        nowhere = len(other.tree.levels)
        cells, which = np.unique(np.stack([lo[:, j], hi[:, j]], axis=1), axis=0, return_inverse=True)
        for i, (low, high) in enumerate(cells.tolist()):
            if low != MISSING:
                cells[i] = places.get(ours.tree.nodes[low, high], (nowhere, nowhere))
        lo[:, j], hi[:, j] = cells[which.reshape(-1)].T
    return lo, hi, axes


def _renamed(population: Table, columns: Sequence[str], names: Sequence[str]) -> Schema:
    pairs = zip(names, columns, strict=True)
    return Schema(tuple(Attribute(name, Role.QUASI, population.schema[theirs].axis) for name, theirs in pairs))


def _used(population: Table, columns: dict[str, str]) -> Used:
    def used(name: str) -> Positions:
        positions: Positions = population.counts(columns[name])[0]
        present: Positions = positions[positions != MISSING]
        return present

    return used


def _ends(names: Sequence[str], lo: Positions, hi: Positions) -> Used:
    def used(name: str) -> Positions:
        j = names.index(name)
        ends = np.unique(np.concatenate([lo[:, j], hi[:, j]]))
        found: Positions = ends[(ends != MISSING) & (ends != TOP)]
        return found

    return used


def _among(lookup: RowLookup, plan: Alignment) -> Callable[[Boxes], MatchedBoxes]:
    """Give what finds the persons who may equal a record, on the axes that both tables share."""
    found = lookup.among()

    def among(boxes: Boxes) -> MatchedBoxes:
        there = _on_common(boxes.lo, plan, plan.first)
        here = there if boxes.hi is boxes.lo else _on_common(boxes.hi, plan, plan.first)
        return found(Boxes(boxes.names, there, here, boxes.counts, boxes.lowest, boxes.highest, boxes.missing))

    return among


def _on_common(cells: Positions, plan: Alignment, moves: dict[str, Positions | None]) -> Positions:
    """Put cells on the axes that two tables share; a value that the other table lists nowhere stays one of its own."""
    if all(moves[name] is None for name in plan.names):
        return np.ascontiguousarray(cells)
    columns = []
    for j, name in enumerate(plan.names):
        column, move = np.ascontiguousarray(cells[:, j]), moves[name]
        if move is None or move.ndim == 1:
            columns.append(moved(column, move))
            continue
        known = (column != MISSING) & (column != TOP)
        out = column.copy()
        out[known] = move[1][np.searchsorted(move[0], column[known])]
        columns.append(out)
    return np.ascontiguousarray(np.stack(columns, axis=1))
