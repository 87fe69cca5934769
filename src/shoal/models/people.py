"""People: with a subject column, what is counted in classes are persons, however many records they have.

A person counts once for each of the different values that the person has in a class: a hundred visits with one
diagnosis are one pair of a person and a value. A person with records in several classes counts in each of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Integers, Positions
from shoal.errors import DataError
from shoal.kernels import MISSING
from shoal.kernels.grouping import count_distinct, label_rows, numbered
from shoal.kernels.people import first_of_each
from shoal.schema import Schema
from shoal.table import Classes, Column, Ranked, Table


def refuse_nobody(table: Table) -> None:
    """Refuse a subject column that does not say for every record whose it is."""
    subject = table.schema.subject
    if subject is not None and table.counts(subject)[0][0] == MISSING:
        raise DataError(
            f"Column '{subject}' does not say for every record whose it is.",
            "Fill its empty cells: a record of nobody cannot be counted as a person.",
        )


def subject_of(schema: Schema) -> tuple[str, ...]:
    """Name the column that tells people apart, if there is one, as models carry it."""
    return () if schema.subject is None else (schema.subject,)


def people_in(classes: Classes, schema: Schema) -> Integers:
    """Count the people of each class; without a subject column, every record is somebody else's."""
    if schema.subject is None:
        return classes.sizes
    codes, people = numbered(classes.columns[schema.subject])
    return count_distinct(people.astype(np.int32), classes.starts, codes.size)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Who has what in each class: the bins of values, class after class from ``starts`` on, each pair once.

    ``persons`` numbers people in the order of the subject column; None where every record is somebody else's.
    """

    bins: Positions
    starts: Integers
    persons: Positions | None


def pairs_in(classes: Classes, schema: Schema, bins: Positions) -> Pairs:
    """Give the pairs of a person and a bin in each class.

    A record without a value has the bin -1. It may be anything: who has one in a class has only that there.
    """
    if schema.subject is None:
        return Pairs(bins, classes.starts, None)
    persons = numbered(classes.columns[schema.subject])[1].astype(np.int32)
    if (bins < 0).any():
        here = np.repeat(np.arange(classes.sizes.size, dtype=np.int32), classes.sizes)
        pair, number = _labelled(here, persons)
        unknown = np.zeros(number, bool)
        unknown[pair[bins < 0]] = True
        bins = np.where(unknown[pair], np.int32(-1), bins)
    codes, number = _labelled(persons, bins)
    first = first_of_each(codes, classes.starts, number)
    before = np.append(0, np.cumsum(first, dtype=np.int64))
    return Pairs(bins[first], before[classes.starts], persons[first])


def _labelled(*columns: Positions) -> tuple[Positions, int]:
    cells = np.stack(columns, axis=1)
    return label_rows(cells, cells, np.arange(len(columns)))


def values_had(table: Table, column: str) -> tuple[Positions, Integers]:
    """Give the values of a column in ascending order, and how many have each: people, if there is a subject column."""
    if table.schema.subject is None:
        return table.counts(column)
    refuse_nobody(table)

    def counted(classes: Classes) -> tuple[Positions, Integers]:
        values, counts = np.unique(classes.columns[column][classes.starts[:-1]], return_counts=True)
        return values, counts.astype(np.int64)

    parts = table.groups(counted, _alike(table, column), (column,))
    values, places = np.unique(np.concatenate([part[0] for part in parts]), return_inverse=True)
    counts = np.zeros(values.size, np.int64)
    np.add.at(counts, places.reshape(-1), np.concatenate([part[1] for part in parts]))
    return values, counts


@dataclass(frozen=True, eq=False)
class Repeats:
    """Numbers that only repeat others, in ascending order, and for each the one that it repeats."""

    again: Positions
    first: Positions

    @classmethod
    def of(cls, again: Positions, first: Positions) -> Repeats:
        """Take them in any order."""
        order = np.argsort(again)
        return cls(again[order], first[order])

    def merged(self, numbers: Positions) -> Positions:
        """Number anew without repeats, in the same order; what repeats another has the number of that."""
        at = np.searchsorted(self.again, numbers)
        repeats = np.append(self.again, -1)[at] == numbers
        first = np.where(repeats, np.append(self.first, -1)[at], numbers)
        return (first - np.searchsorted(self.again, first)).astype(np.int32)


def records_again(table: Table, column: str) -> Repeats:
    """Find the records whose value their person has in an earlier one, by their places in the order of the column."""
    refuse_nobody(table)
    place = Ranked(column)

    def found(classes: Classes) -> tuple[Positions, Positions]:
        places = classes.columns[place]
        first = np.repeat(np.minimum.reduceat(places, classes.starts[:-1]), classes.sizes)
        return places[places != first], first[places != first]

    parts = table.groups(found, _alike(table, column), (place,))
    return Repeats.of(*(np.concatenate([part[i] for part in parts]) for i in (0, 1)))


def _alike(table: Table, column: str) -> Column:
    """Number the records of a table by person and value."""
    return table.number([*subject_of(table.schema), column])


def of_records(model: object) -> bool:
    """Tell whether a model is about single records, of which a file shows all, though people have a column."""
    return bool(getattr(model, "of_records", False))
