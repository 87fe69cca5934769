"""The risk of every record of a sample, and of every household: what surveys call individual risk.

Records that are alike in what is known are one class. Their weights say how many people are like them, and the risk of
each is the mean chance that a match with it is right, if the others were drawn as these were. Where cells are hidden or
missing, records count as alike that agree wherever both show a cell. A household is found if one of its members is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.arrays import Floats, Integers, Positions
from shoal.engines.packed_cells import has_value, numbered_cells
from shoal.kernels import MISSING, TOP
from shoal.kernels.grouping import label_rows, numbered
from shoal.kernels.individual_risk import individual_risks
from shoal.models.agreeing_records import agreeing
from shoal.models.survey_weights import weights_of
from shoal.table import Table


@dataclass(frozen=True, eq=False)
class RecordClasses:
    """The records of a table by what is known of them, in the order of the table.

    Attributes
    ----------
    names
        What is known.
    labels
        The class of each record; classes are numbered as their first records come.
    sizes
        How many records each class has.
    first
        The first record of each class.
    """

    names: tuple[str, ...]
    labels: Integers
    sizes: Integers
    first: Integers

    @classmethod
    def of(cls, table: Table, names: Sequence[str]) -> RecordClasses:
        """Find the classes of a table."""
        found = np.concatenate([np.asarray(part) for part in table.collect(_itself, table.number(names))])
        values, labels = numbered(found)
        first = np.empty(values.size, np.int64)
        first[labels[::-1]] = np.arange(labels.size)[::-1]
        order = np.argsort(first)
        rank = np.empty(order.size, np.int64)
        rank[order] = np.arange(order.size)
        labels = rank[labels]
        return cls(tuple(names), labels, np.bincount(labels, minlength=values.size), first[order])

    def codes(self, lo: Positions, hi: Positions) -> Positions:
        """Number what the classes show in each column, by both ends of their cells."""
        ends = np.ascontiguousarray(lo), np.ascontiguousarray(hi)
        return np.stack([label_rows(*ends, np.array([j]))[0] for j in range(len(self.names))], axis=1)


@dataclass(frozen=True, eq=False)
class RecordRisks:
    """The classes of a table, and the risk in each.

    Attributes
    ----------
    classes
        The classes.
    weights
        The weight of each record; ones if the table has no weights.
    people
        How many people of the population each class stands for.
    risks
        The risk of each record of a class.
    """

    classes: RecordClasses
    weights: Floats
    people: Floats
    risks: Floats

    @classmethod
    def of(cls, table: Table, names: Sequence[str]) -> RecordRisks:
        """Find the risk of all records of a table."""
        classes = RecordClasses.of(table, names)
        given = weights_of(table)
        weights = np.ones(classes.labels.size) if given is None else given
        records = classes.sizes.astype(np.float64)
        people = np.bincount(classes.labels, weights, classes.sizes.size).astype(np.float64)
        lo, hi = table.cells(names, classes.first)
        if (lo == MISSING).any():
            codes = classes.codes(lo, hi)
            shown = ~((lo == MISSING) & ((hi == TOP) | (hi == MISSING)))
            records, people = (agreeing(codes, shown, counts, "either") for counts in (records, people))
        return cls(classes, weights, people, individual_risks(records, people))

    @property
    def expected(self) -> float:
        """How many records are expected to be found rightly."""
        return float((self.risks * self.classes.sizes).sum())

    @cached_property
    def of_records(self) -> Floats:
        """The risk of each record, in the order of the table."""
        found: Floats = self.risks[self.classes.labels]
        return found

    def of_households(self, table: Table, household: str) -> Floats:
        """Give for each record the risk that a member of its household is found; without a household, its own."""
        cells = np.concatenate(table.collect(_itself, table.column(household)))
        places = numbered_cells(cells)[1]
        with np.errstate(divide="ignore"):
            safe = np.bincount(places, np.log1p(-self.of_records))
        found: Floats = np.where(has_value(cells), -np.expm1(safe)[places], self.of_records)
        return found


def _itself(numbers: Integers) -> Integers:
    return numbers
