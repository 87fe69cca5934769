"""The classes of a population at the nodes of a lattice, beside those of the table that comes from it."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Bits, Flags, Integers, Positions
from shoal.domains.axis import Axis
from shoal.engines.values import Boxes
from shoal.errors import ParameterError
from shoal.kernels.grouping import label_rows, numbered
from shoal.kernels.roll_up import Fields, Tuples
from shoal.methods.lattice.lattice import Lattice, LevelVector
from shoal.methods.lattice.level_columns import LevelColumn
from shoal.methods.lattice.nodes import RolledUp
from shoal.populations.people_of_classes import PeopleOfClasses
from shoal.populations.population_table import Population
from shoal.populations.shared_axes import all_single
from shoal.table import Table


class PopulationNodes:
    """Counts the people of a population who fit each class of a table at a node.

    Nodes of the two tables are the same if they are called the same: the population may have values of its own.

    Parameters
    ----------
    lattice
        The lattice of the table.
    table
        The table.
    population
        The population beside it.
    """

    def __init__(self, lattice: Lattice, table: Table, population: Population) -> None:
        self._lattice = lattice
        self._axes = [table.schema[column.name].axis for column in lattice.columns]
        self._their_axes = [population.table.schema[name].axis for name in population.columns]
        self._theirs, self._persons = _lattice_of(population, lattice.low)
        self._rolled = RolledUp(self._theirs)
        self._moves: dict[tuple[int, int], Positions] = {}
        self._last: tuple[Tuples | None, Integers, Integers] = None, np.zeros(0, np.int64), np.zeros(0, np.int64)
        self.records = self._theirs.rows
        self.people = self._persons or self.records

    def at(self, levels: LevelVector, classes: Tuples) -> Integers:
        """Give how many people fit each class at a node."""
        return self._found(levels, classes)[1]

    def records_at(self, levels: LevelVector, classes: Tuples) -> Integers:
        """Give how many of their records do."""
        return self._found(levels, classes)[2]

    def _found(self, levels: LevelVector, classes: Tuples) -> tuple[Tuples | None, Integers, Integers]:
        if self._last[0] is not classes:
            theirs, people = self._classes(self._bounded(levels))
            at, known = self._matched(levels, classes, theirs)
            self._last = classes, np.where(known, people[at], 0), np.where(known, theirs.counts[at], 0)
        return self._last

    def _classes(self, levels: LevelVector) -> tuple[Tuples, Integers]:
        """Give the classes of the population at a node, and how many people each has."""
        found = self._rolled.at(levels)
        if not self._persons:
            return found, found.counts
        last = len(levels)  # the field that says who it is: what is left of each class is one tuple for each person
        whole, of_tuples = self._rolled.space.roll_up(
            found, self._theirs.fields, [last], [np.zeros(self._persons, np.int32)], label=True
        )
        assert of_tuples is not None
        return whole, np.bincount(of_tuples, minlength=whole.size)

    def _matched(self, levels: LevelVector, classes: Tuples, theirs: Tuples) -> tuple[Integers, Flags]:
        """Give the class of the population that each class of the table is, and whether there is one."""
        codes = [self._move(j, level)[self._lattice.fields.unpacked(classes.keys, j)] for j, level in enumerate(levels)]
        known = np.all([code >= 0 for code in codes], axis=0)
        shown = [np.where(known, code, 0).astype(np.int32) for code in codes]
        nobody = [np.zeros(classes.size, np.int32)] if self._persons else []
        keys = self._theirs.fields.packed([*shown, *nobody])
        every = _halves(np.concatenate([theirs.keys, keys]))
        labels, groups = label_rows(every, every, np.arange(every.shape[1]))
        at = np.full(groups, -1, np.int64)
        at[labels[: theirs.size]] = np.arange(theirs.size)
        found = at[labels[theirs.size :]]
        return np.maximum(found, 0), known & (found >= 0)

    def _bounded(self, levels: LevelVector) -> LevelVector:
        return tuple(min(level, top) for level, top in zip(levels, self._theirs.high, strict=True))

    def _move(self, j: int, level: int) -> Positions:
        """Give the number that each node of a column has in the population; -1 for those that are not there."""
        if (j, level) not in self._moves:
            mine, theirs = self._lattice.columns[j], self._theirs.columns[j]
            there = min(level, theirs.height)
            if level == mine.height and level:  # everything
                found = np.zeros(mine.leaves[level].size, np.int32)
            else:
                places = {text: i for i, text in enumerate(_called(theirs, there, self._their_axes[j]))}
                texts = _called(mine, level, self._axes[j])
                found = np.array([places.get(text, -1) for text in texts], np.int32)
            self._moves[j, level] = found
        return self._moves[j, level]


def _called(column: LevelColumn, level: int, axis: Axis) -> list[str]:
    """Give the nodes of a level as they are written; a missing cell is called nothing."""
    low, high = column.low[level], column.high[level]
    return axis.render_all(low, high)


def _halves(keys: Bits) -> Positions:
    return np.ascontiguousarray(keys).view(np.int32).reshape(keys.shape[0], -1)


def _lattice_of(population: Population, low: LevelVector) -> tuple[Lattice, int]:
    """Give the distinct records of a population on the lowest levels of a lattice, and how many people there are.

    If somebody knows whose records they are, records of different people are distinct.
    """
    cells, counts, persons = _by_people(population) if population.subject else (*_cells(population), None)
    columns, codes = [], []
    for j, name in enumerate(population.columns):
        present, places = numbered(cells[:, j])
        sums = np.bincount(places, counts, present.size).astype(np.int64)
        column = LevelColumn.of(population.table.schema[name], present.astype(np.int32), sums)
        columns.append(column)
        codes.append(column.above[min(low[j], column.height)][places])
    high = tuple(column.height for column in columns)
    low = tuple(min(level, top) for level, top in zip(low, high, strict=True))
    number = 0 if persons is None else int(persons.max()) + 1
    sizes = [column.leaves[level].size for column, level in zip(columns, low, strict=True)]
    fields = Fields.of([*sizes, *([number] if number else [])])
    finest = Tuples(fields.packed([*codes, *([] if persons is None else [persons])]), counts).in_order()
    return Lattice(tuple(columns), fields, finest, {}, low, high, int(counts.sum())), number


def _by_people(population: Population) -> tuple[Positions, Integers, Positions]:
    """Give the distinct cells of each person, and of how many records they are."""
    assert population.subject is not None
    found = PeopleOfClasses.of(population.table, population.columns, population.subject)
    if not all_single(population.table, population.columns, found.lo, found.hi):
        raise ParameterError("The population has ranges or sets in the place of values.", "Give the values themselves.")
    cells = np.repeat(found.lo, found.people, axis=0)
    return cells, found.records_of_persons, found.persons.astype(np.int32)


def _cells(population: Population) -> tuple[Positions, Integers]:
    """Give the distinct cells of a population, and how many records have them."""

    def found(boxes: Boxes) -> tuple[Positions, Positions, Integers]:
        return boxes.lo, boxes.hi, boxes.counts

    parts = population.table.boxes(found, population.columns)
    lo, hi, counts = (np.concatenate([part[i] for part in parts]) for i in range(3))
    if not all_single(population.table, population.columns, lo, hi):
        raise ParameterError("The population has ranges or sets in the place of values.", "Give the values themselves.")
    return lo, counts
