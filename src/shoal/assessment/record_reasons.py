"""Why records are at risk: for each the smallest sets of attributes that make it so, and what would help it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from shoal.arrays import Flags
from shoal.assessment.coarser_cells import CoarserCells
from shoal.kernels.grouping import count_labels, label_rows
from shoal.measures.reidentification.column_sets import DistinctTuples
from shoal.measures.reidentification.minimal_uniques import MinimalUniques
from shoal.models.record_risks import RecordClasses
from shoal.table import Table

_SHOWN = 3  # sets of each record in a list


@dataclass(frozen=True, eq=False)
class RecordReasons:
    """The records of a table that are at risk: in groups of fewer than so many.

    Attributes
    ----------
    classes
        The groups of all records.
    fewer
        A record in a group of so many is not at risk.
    found
        The smallest sets of attributes in which groups are smaller.
    coarser
        What attributes would show one step coarser, of those of which hierarchies or ranges tell it.
    """

    classes: RecordClasses
    fewer: int
    found: MinimalUniques
    coarser: Mapping[str, CoarserCells] = field(default_factory=dict)

    @classmethod
    def of(cls, table: Table, fewer: int = 2) -> RecordReasons:
        """Find the reasons of all records of a table."""
        names = table.schema.quasi
        classes = RecordClasses.of(table, names)
        lo, hi = (np.ascontiguousarray(side) for side in table.cells(names, classes.first))
        records = DistinctTuples.of_cells(names, lo, hi, classes.sizes)
        steps = {name: CoarserCells.of(table.schema[name].axis, lo[:, j], hi[:, j]) for j, name in enumerate(names)}
        coarser = {name: step for name, step in steps.items() if step is not None}
        return cls(classes, fewer, MinimalUniques.among(records, names, fewer=fewer), coarser)

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes."""
        return self.found.names

    @cached_property
    def risky(self) -> Flags:
        """Which groups are at risk."""
        return self.classes.sizes < self.fewer

    @property
    def records(self) -> int:
        """How many records are at risk."""
        return int(self.classes.sizes[self.risky].sum())

    def touched(self, column: int) -> Flags:
        """Tell of which groups some smallest set has an attribute."""
        found = np.zeros(self.classes.sizes.size, np.bool_)
        found[self.found.owners[self.found.holds(column)]] = True
        return found

    def freed(self, column: int) -> Flags:
        """Tell which groups are at risk by an attribute only: without it they would not be."""
        records = self.found.records
        others = np.array([j for j, name in enumerate(records.names) if name != self.names[column]], np.int64)
        if not others.size:
            return self.risky
        cells = np.ascontiguousarray(np.stack(records.codes, axis=1))
        labels, groups = label_rows(cells, cells, others)
        left: Flags = count_labels(labels, groups, records.counts)[labels] >= self.fewer
        return self.risky & left

    def freed_one_step_coarser(self, column: int) -> Flags:
        """Tell which groups would not be at risk if an attribute were one step coarser."""
        records, name = self.found.records, self.names[column]
        codes = [self.coarser[name].codes if each == name else records.codes[j] for j, each in enumerate(records.names)]
        cells = np.ascontiguousarray(np.stack(codes, axis=1))
        labels, groups = label_rows(cells, cells, np.arange(len(codes)))
        left: Flags = count_labels(labels, groups, records.counts)[labels] >= self.fewer
        return self.risky & left

    def number(self, groups: Flags) -> int:
        """Count the records of some groups that are at risk."""
        return int(self.classes.sizes[groups & self.risky].sum())

    def by_attribute(self) -> list[tuple[str, int, int]]:
        """Give for each attribute how many records are at risk by sets with it, and how many would not be without it.

        Those that free most come first.
        """
        rows = [(name, self.number(self.touched(j)), self.number(self.freed(j))) for j, name in enumerate(self.names)]
        return sorted(rows, key=lambda row: (-row[2], -row[1], self.names.index(row[0])))

    def by_step(self) -> dict[str, int]:
        """Give for attributes that could be one step coarser how many records that frees, those that free most first.

        More than leaving the attribute out it never is.
        """
        found = {
            name: self.number(self.freed_one_step_coarser(j))
            for j, name in enumerate(self.names)
            if name in self.coarser
        }
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def by_set(self, most: int) -> list[tuple[tuple[str, ...], int]]:
        """Give the sets that make most records to be at risk, and how many these are."""
        sets, which = np.unique(self.found.sets, return_inverse=True)
        counts = np.bincount(which.reshape(-1), self.classes.sizes[self.found.owners], sets.size).astype(np.int64)
        order = sorted(range(sets.size), key=lambda i: (-int(counts[i]), int(sets[i]).bit_count(), int(sets[i])))
        return [(self._columns(int(sets[i])), int(counts[i])) for i in order[:most]]

    def _columns(self, columns: int) -> tuple[str, ...]:
        return tuple(name for j, name in enumerate(self.names) if columns >> j & 1)

    def listed(self, most: int | None = None) -> Iterator[tuple[int, int, Sequence[tuple[str, ...]], Sequence[str]]]:
        """Give for each record at risk its number from 1 on, its group's size, its smallest sets, and what would help.

        What helps are attributes without any one of which it would not be at risk. The records with the smallest groups
        come first, and of these those with the smallest sets.
        """
        starts = np.searchsorted(self.found.owners, np.arange(self.classes.sizes.size + 1))
        least = np.full(self.classes.sizes.size, len(self.names) + 1)
        np.minimum.at(least, self.found.owners, self.found.sizes)
        rows = np.flatnonzero(self.risky[self.classes.labels])
        labels = self.classes.labels[rows]
        order = np.lexsort((rows, least[labels], self.classes.sizes[labels]))
        freed = [self.freed(j) for j in range(len(self.names))]
        for row, label in zip(rows[order][:most].tolist(), labels[order][:most].tolist(), strict=True):
            mine = self.found.sets[starts[label] : starts[label + 1]].tolist()
            mine.sort(key=lambda columns: (columns.bit_count(), columns))
            helps = [name for j, name in enumerate(self.names) if freed[j][label]]
            yield row + 1, int(self.classes.sizes[label]), [self._columns(each) for each in mine[:_SHOWN]], helps
