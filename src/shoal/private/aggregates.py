"""Whole numbers for answers, counted by the engine that holds the table, wherever that is."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from shoal.arrays import Flags, Integers, Positions
from shoal.domains.axis import Axis
from shoal.engines.values import Spans
from shoal.kernels import MISSING
from shoal.kernels.spans import Members
from shoal.private.codes import Codes, Units
from shoal.private.queries import QueryPlan
from shoal.schema import Schema
from shoal.table import Classes, Table

_LOW = 20  # bits of a number of steps that are summed by themselves, so that floats hold every sum exactly


@dataclass(frozen=True)
class Aggregates:
    """What was counted in every cell: rows, and the sum of steps."""

    rows: list[int]
    steps: list[int]


@dataclass(frozen=True)
class _Tabulation:
    """What is counted of rows, given the positions of their cells; it travels to where these are."""

    schema: Schema
    columns: tuple[str, ...]
    plan: QueryPlan
    size: int

    def of_rows(self, positions: Mapping[str, Positions], keep: Flags) -> Integers:
        """Count rows cell by cell, and sum their steps in two halves."""
        where, units = self.plan.query.where, self.plan.units
        if where is not None:
            keep = keep & where.holds(self.schema, positions)
        cell = np.zeros(keep.size, np.int64)
        for codes in self.plan.codes:
            code = codes.of(self._axis(codes), positions[codes.column])
            keep = keep & (code >= 0)
            cell = cell * len(codes.labels) + code
        if units is not None:
            keep = keep & units.present(positions[units.column])
        cell = cell[keep]
        found = np.zeros((3, self.size), np.int64)
        found[0] = np.bincount(cell, minlength=self.size)
        if units is not None and cell.size:
            steps = units.of(self._axis(units), positions[units.column])[keep]
            low, high = steps & ((1 << _LOW) - 1), steps >> _LOW
            for i, part in ((1, low), (2, high)):
                found[i] = np.rint(np.bincount(cell, part.astype(np.float64), minlength=self.size)).astype(np.int64)
        return found

    def _axis(self, of: Codes | Units) -> Axis:
        return self.schema[of.column].axis


@dataclass(frozen=True)
class _AllRows:
    """Counts rows as they come: nobody has too many."""

    tabulation: _Tabulation
    order: tuple[str, ...]

    def __call__(self, rows: Spans, _same: Spans, _members: Members | None) -> Integers:
        """Count the rows of a part."""
        places = {name: self.order.index(name) for name in self.tabulation.columns}
        positions = {name: np.ascontiguousarray(rows.lo[:, place]) for name, place in places.items()}
        return self.tabulation.of_rows(positions, np.ones(rows.lo.shape[0], bool))


@dataclass(frozen=True)
class _RowsOfPeople:
    """Counts rows person by person, of each no more than a number, in an order that a secret key draws."""

    tabulation: _Tabulation
    subject: str
    most: int
    over: Positions = field(repr=False)
    seeds: Integers = field(repr=False)

    def __call__(self, people: Classes) -> Integers:
        """Count the rows of some people."""
        subjects = people.columns[self.subject]
        keep = subjects != MISSING
        sizes = people.sizes
        many = np.repeat((sizes > self.most) & keep[people.starts[:-1]], sizes)
        rows = np.flatnonzero(many)
        if rows.size:
            person = np.repeat(np.arange(sizes.size), sizes)[rows]
            number = rows - people.starts[person]
            seeds = self.seeds[np.searchsorted(self.over, subjects[rows])].astype(np.uint64)
            order = np.lexsort((number, _mixed(seeds + number.astype(np.uint64)), person))
            first = np.flatnonzero(np.append(True, person[order][1:] != person[order][:-1]))
            place = np.arange(rows.size) - np.repeat(first, np.diff(np.append(first, rows.size)))
            keep = keep.copy()
            keep[rows[order[place >= self.most]]] = False
        positions = {name: people.columns[name] for name in self.tabulation.columns}
        return self.tabulation.of_rows(positions, np.asarray(keep))


def _mixed(numbers: np.ndarray) -> np.ndarray:
    """Scatter 64-bit numbers (the output function of SplitMix64)."""
    with np.errstate(over="ignore"):
        z = numbers * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def aggregated(table: Table, plan: QueryPlan, subject: str | None, key: bytes) -> Aggregates:
    """Count what a plan needs. Which rows of a person count depends on the key, the person and the rows' numbers alone.

    So a person who is added or removed changes nothing of what counts of others.
    """
    size = plan.cells * (1 if plan.buckets is None else len(plan.buckets.labels))
    schema = Schema(tuple(each for each in table.schema.attributes if each.name != subject))  # who there is stays here
    tabulation = _Tabulation(schema, plan.query.columns, plan, size)
    counts = None if subject is None else table.counts(subject)
    if counts is None or (counts[1].max(initial=0) <= plan.rows_per_person and (counts[0] != MISSING).all()):
        found = np.asarray(table.fold(table, _AllRows(tabulation, table.schema.quasi)))
    else:
        assert subject is not None
        over = counts[0][(counts[1] > plan.rows_per_person) & (counts[0] != MISSING)].astype(np.int32)
        work = _RowsOfPeople(tabulation, subject, plan.rows_per_person, over, _seeds(table, subject, over, key))
        parts = table.groups(work, table.number([subject]), carry=(*plan.query.columns, subject))
        found = np.sum(parts, axis=0)
    low, high = found[1].tolist(), found[2].tolist()
    return Aggregates(found[0].tolist(), [a + (b << _LOW) for a, b in zip(low, high, strict=True)])


def _seeds(table: Table, subject: str, people: Positions, key: bytes) -> Integers:
    """Give a secret number for each of some people, from who they are and not from where they stand."""
    own = hmac.digest(key, b"which rows of a person count", "sha256")
    axis = table.schema[subject].axis
    digests = b"".join(
        hashlib.blake2b(str(axis.value(position)).encode("utf-8", "replace"), key=own, digest_size=8).digest()
        for position in people.tolist()
    )
    return np.frombuffer(digests, np.int64)
