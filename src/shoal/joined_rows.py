"""What pseudonyms join: whom a few of their rows single out, and whom the days between their dates do.

Each row may have its crowd, and the rows of a person together may not. All of it can be counted in the release, so it
is no secret: it is said before somebody else counts it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from shoal.arrays import Bits, Integers, Offsets, Positions
from shoal.engines.packed_cells import unpacked
from shoal.kernels import MISSING
from shoal.linked.traces import traces_of
from shoal.measures.reidentification.known_points import InvertedLists, attack
from shoal.pseudonyms.treatments import SHIFT
from shoal.roles import Role
from shoal.schema import Schema
from shoal.table import Classes, Given, Table

KNOWN = (1, 2, 3, 4)
EFFORT = 300_000_000  # a share of a second for each
_DAY = 86_400_000_000


@dataclass(frozen=True)
class JoinedRows:
    """What the rows of people tell that a pseudonym joins.

    Attributes
    ----------
    column
        The column of the pseudonym.
    people, records
        How many people have how many records.
    rows
        By the number of rows that somebody knows, the share of cases in which just one person has them.
    intervals
        By the name of a column of shifted dates, the share of people with several dates whom the days between these
        single out.
    """

    column: str
    people: int
    records: int
    rows: Mapping[int, float]
    intervals: Mapping[str, float]

    @property
    def sentences(self) -> tuple[str, ...]:
        """Say what is joined, and what that tells."""
        joined = f"'{self.column}' joins {self.records:,} records to the rows of {self.people:,} people"
        found = []
        if self.rows:
            numbers, shares = map(listed, (map(str, self.rows), map(percent, self.rows.values())))
            found.append(
                f"{joined}: who knows {numbers} of somebody's rows, as they are released, finds one person alone in "
                f"{shares} of cases."
            )
        else:
            found.append(f"{joined}.")
        found += [
            f"The days between the dates of '{name}' single out {percent(share)} of the people who have several."
            for name, share in self.intervals.items()
        ]
        return tuple(found)

    def content(self) -> dict[str, Any]:
        """Give it as plain values."""
        return asdict(self) | {
            "rows": {str(known): rounded(share) for known, share in self.rows.items()},
            "intervals": {name: rounded(share) for name, share in self.intervals.items()},
            "sentences": list(self.sentences),
        }


def rounded(share: float) -> float:
    """Give as many digits as a reader needs."""
    return float(f"{share:.3g}")


def percent(share: float) -> str:
    """Write a share."""
    return f"{100 * share:.3g} %"


def listed(texts: Iterable[str]) -> str:
    """Write texts one after the other."""
    *some, last = texts
    return f"{', '.join(some)} or {last}" if some else last


def joined_rows(released: Table) -> tuple[JoinedRows, ...]:
    """Measure what is joined by each pseudonym of a released table that has several rows of a person."""
    named = [a.name for a in released.schema.attributes if a.treatment is not None and a.treatment.names]
    found = (_joined_by(released, name) for name in named)
    return tuple(each for each in found if each is not None)


def _joined_by(released: Table, name: str) -> JoinedRows | None:
    positions, counts = released.counts(name)
    some = positions != MISSING
    people, records = int(some.sum()), int(counts[some].sum())
    if people == records:
        return None
    table = replace(released, schema=with_subject(released.schema, name))
    rows = _known(table, name) if table.schema.quasi else {}
    dates = [a.name for a in table.schema.attributes if a.treatment is not None and a.treatment.kind == SHIFT]
    exact = [each for each in dates if table.schema[each].role != Role.QUASI]
    intervals = {each: _alone_by_intervals(table, name, each) for each in exact}
    return JoinedRows(
        name, people, records, rows, {each: found for each, found in intervals.items() if found is not None}
    )


def with_subject(schema: Schema, name: str) -> Schema:
    """Give the same columns, of which one says whose a row is."""
    roles = {Role.SUBJECT: Role.PLAIN, Role.PSEUDONYM: Role.PLAIN}
    return replace(
        schema,
        attributes=tuple(
            replace(a, role=Role.SUBJECT if a.name == name else roles.get(a.role, a.role)) for a in schema.attributes
        ),
    )


def _known(table: Table, name: str) -> dict[int, float]:
    return known_rows(*points_of_people(table, name)[1:])


def known_rows(offsets: Offsets, labels: Positions) -> dict[int, float]:
    """Give the share of cases in which one person alone has some known rows, by their number."""
    lists = InvertedLists.of(offsets, labels, int(labels.max(initial=-1)) + 1)
    found = {known: attack(offsets, labels, lists, known, effort=EFFORT) for known in KNOWN}
    return {known: each.unique for known, each in found.items() if each.people}


def points_of_people(table: Table, name: str) -> tuple[Positions, Offsets, Positions]:
    """Give the people that a column names, by their positions, and the points of each; rows of nobody are nobody's."""
    positions = table.counts(name)[0].astype(np.int32)
    traces = traces_of(table, insist=False)
    offsets, labels = traces.offsets, traces.labels
    if positions[:1].tolist() == [MISSING]:
        positions, labels, offsets = positions[1:], labels[offsets[1] :], offsets[1:] - offsets[1]
    return positions, offsets, labels


def _alone_by_intervals(table: Table, person: str, name: str) -> float | None:
    """Give the share of people with several dates whose intervals nobody else has; None if nobody has several."""
    axis = table.schema[name].axis
    moment = Given(table.column(name))

    def signed(classes: Classes) -> Bits:
        lo = unpacked(classes.columns[moment])[0]
        there = lo != MISSING
        days = np.where(there, lo, 0).astype(np.int64) if axis.values is None else axis.values[np.where(there, lo, 0)]
        unit = 1 if axis.kind == "date" else _DAY
        first = np.minimum.reduceat(np.where(there, days, np.iinfo(np.int64).max), classes.starts[:-1])
        since = (days - np.repeat(first, classes.sizes)) // unit
        several = np.add.reduceat(there.astype(np.int64), classes.starts[:-1]) > 1
        signs = np.where(there, mixed(since), np.uint64(0))
        whose = np.add.reduceat(signs, classes.starts[:-1])
        known = classes.columns[person][classes.starts[:-1]] != MISSING
        found: Bits = whose[several & known]
        return found

    found = np.concatenate(table.groups(signed, table.number([person]), (person, moment)))
    return float((np.unique(found, return_counts=True)[1] == 1).sum() / found.size) if found.size else None


def mixed(numbers: Integers) -> Bits:
    """Give numbers whose sums tell which numbers they are sums of (SplitMix64), however these are ordered."""
    found = numbers.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        found = (found ^ (found >> np.uint64(shift))) * np.uint64(factor)
    whole: Bits = found ^ (found >> np.uint64(31))
    return whole
