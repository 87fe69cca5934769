"""The classes of a population at the nodes of a lattice, beside those of the table that comes from it."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Bits, Integers, Positions
from shoal.domains.axis import Axis
from shoal.engines.values import Boxes
from shoal.errors import ParameterError
from shoal.kernels.grouping import label_rows, numbered
from shoal.kernels.roll_up import Fields, Tuples
from shoal.methods.lattice.lattice import Lattice, LevelVector
from shoal.methods.lattice.level_columns import LevelColumn
from shoal.methods.lattice.nodes import RolledUp
from shoal.populations.population_table import Population
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
        self._theirs = _lattice_of(population, lattice.low)
        self._rolled = RolledUp(self._theirs)
        self._moves: dict[tuple[int, int], Positions] = {}
        self._last: tuple[Tuples | None, Integers] = None, np.zeros(0, np.int64)
        self.people = self._theirs.rows

    def at(self, levels: LevelVector, classes: Tuples) -> Integers:
        """Give how many people fit each class at a node."""
        if self._last[0] is not classes:
            self._last = classes, self._counted(levels, classes)
        return self._last[1]

    def _counted(self, levels: LevelVector, classes: Tuples) -> Integers:
        theirs = self._rolled.at(self._bounded(levels))
        codes = [self._move(j, level)[self._lattice.fields.unpacked(classes.keys, j)] for j, level in enumerate(levels)]
        known = np.all([code >= 0 for code in codes], axis=0)
        keys = self._theirs.fields.packed([np.where(known, code, 0).astype(np.int32) for code in codes])
        every = _halves(np.concatenate([theirs.keys, keys]))
        labels, groups = label_rows(every, every, np.arange(every.shape[1]))
        people = np.zeros(groups, np.int64)
        people[labels[: theirs.size]] = theirs.counts
        return np.where(known, people[labels[theirs.size :]], 0)

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


def _lattice_of(population: Population, low: LevelVector) -> Lattice:
    """Give the distinct people of a population on the lowest levels of a lattice."""

    def exact(boxes: Boxes) -> tuple[Positions, bool, Integers]:
        return boxes.lo, bool((boxes.lo != boxes.hi).any()), boxes.counts

    parts = population.table.boxes(exact, population.columns)
    if any(part[1] for part in parts):
        raise ParameterError("The population has ranges or sets in the place of values.", "Give the values themselves.")
    cells, counts = np.concatenate([part[0] for part in parts]), np.concatenate([part[2] for part in parts])
    columns, codes = [], []
    for j, name in enumerate(population.columns):
        present, places = numbered(cells[:, j])
        sums = np.bincount(places, counts, present.size).astype(np.int64)
        column = LevelColumn.of(population.table.schema[name], present.astype(np.int32), sums)
        columns.append(column)
        codes.append(column.above[min(low[j], column.height)][places])
    high = tuple(column.height for column in columns)
    low = tuple(min(level, top) for level, top in zip(low, high, strict=True))
    fields = Fields.of([column.leaves[level].size for column, level in zip(columns, low, strict=True)])
    finest = Tuples(fields.packed(codes), counts).in_order()
    return Lattice(tuple(columns), fields, finest, {}, low, high, int(counts.sum()))
