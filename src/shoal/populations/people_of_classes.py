"""The classes of a table by the cells that they show, and the people who have records in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Integers, Offsets, Positions
from shoal.engines.packed_cells import unpacked
from shoal.kernels.grouping import numbered, starts_of
from shoal.table import Classes, Given, Table


@dataclass(frozen=True, eq=False)
class PeopleOfClasses:
    """The classes of a table, and who has records in each.

    Attributes
    ----------
    lo, hi
        Both ends of the cells of each class.
    records
        How many records each has.
    starts
        Where the people of each class begin, among all of them.
    persons
        Who they are, by numbers from 0 on; each once for a class.
    records_of_persons
        How many records of the class each of them has.
    """

    lo: Positions
    hi: Positions
    records: Integers
    starts: Offsets
    persons: Integers
    records_of_persons: Integers

    @classmethod
    def of(cls, table: Table, columns: Sequence[str], subject: str) -> PeopleOfClasses:
        """Find them, where the subject column says whose each record is."""
        cells = [table.column(name) for name in columns]
        low, high = ([Given(table.combine(side, cell)) for cell in cells] for side in (low_ends, high_ends))

        def found(classes: Classes) -> tuple[Positions, Positions, Integers, Integers, Integers, Integers]:
            first = classes.starts[:-1]
            owner = np.repeat(np.arange(first.size, dtype=np.int64), classes.sizes)
            pairs, counts = np.unique((owner << 32) + classes.columns[subject], return_counts=True)
            lo, hi = (np.stack([classes.columns[item][first] for item in side], axis=1) for side in (low, high))
            return lo, hi, classes.sizes, np.bincount(pairs >> 32, minlength=first.size), pairs & 0xFFFFFFFF, counts

        parts = table.classes(found, columns, (subject, *low, *high))
        lo, hi, records, people, persons, counts = (np.concatenate([part[i] for part in parts]) for i in range(6))
        return cls(lo, hi, records, starts_of(people), numbered(persons)[1].astype(np.int64), counts.astype(np.int64))

    @property
    def people(self) -> Integers:
        """How many people each class has."""
        return np.diff(self.starts)


def low_ends(cells: Integers) -> Positions:
    """Give the lower ends of packed cells."""
    return unpacked(cells)[0]


def high_ends(cells: Integers) -> Positions:
    """Give the upper ends of packed cells."""
    return unpacked(cells)[1]
