"""The attack before and after: unicity of traces as they are, coarsened, and k^m-anonymous, and what each costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from shoal.arrays import Flags, Floats, Integers, Offsets, Positions
from shoal.assessment.study import Row
from shoal.domains.resolution import Resolution
from shoal.kernels.grouping import starts_of
from shoal.linked.losses import costs_of
from shoal.linked.resolutions import seen_at
from shoal.linked.traces import Traces, traces_of
from shoal.measures.reidentification.known_points import TraceAttack
from shoal.measures.reidentification.published_points import known_in
from shoal.measures.statistics.sampling import chances
from shoal.measures.unicity import Unicity
from shoal.methods.traces.suppression import suppressed
from shoal.populations.covering import covering
from shoal.progress import stage
from shoal.table import Table
from shoal_paper.datasets.linked_tables import HOUSEHOLDS, SESSIONS, households, sessions

K = 5
KNOWN = (1, 2, 3, 4)
PROMISED = (1, 2, 3)
_EXACT, _COARSE = Unicity(), Unicity(effort=200_000_000, sample=4_000)
_BINS = (1, 3, 6, 11, 21, 41)


@dataclass(frozen=True)
class LinkedTable:
    """A public table in which people have many records.

    Parameters
    ----------
    name
        What its people are called.
    file
        Its file.
    point
        What a point is, in words.
    read
        Reads it from a folder.
    levels
        Generalization levels of its points, from fine to coarse, as resolutions; the values themselves come before.
    attack
        How releases are attacked: where all sets are too many to count, by a sample.
    thinned
        How many points are kept of each person, to see what it costs to have many.
    """

    name: str
    file: str
    point: str
    read: Callable[[Path], Table]
    levels: tuple[str, ...]
    attack: Unicity = _EXACT
    thinned: tuple[int, ...] = ()


TABLES = (
    LinkedTable(
        "households", HOUSEHOLDS, "the store and the day of a purchase", households,
        ("day=7", "day=28", "day=84", "day=*", "store=10,day=*", "store=50,day=*", "store=1000,day=84",
         "store=1000,day=*"), thinned=(2, 5, 10, 20, 40),
    ),
    LinkedTable(
        "sessions", SESSIONS, "an item that was looked at", sessions, ("item=1", "item=2", "item=3", "item=4"), _COARSE
    ),
)  # fmt: skip


def measure(table: LinkedTable, folder: Path) -> dict[str, list[Row]]:
    """Measure one table in all steps."""
    traces = traces_of(table.read(folder))
    found: dict[str, list[Row]] = {"attack": [], "price": [], "people": [], "points": []}
    named: Row = {"table": table.name}
    stage(f"attacking {table.name}")
    found["attack"] += [named | {"data": "original", "at": ""} | row for row in _attacked(traces, traces)]
    levels = levels_of(table, traces)
    for at, level in levels.items():
        stage(f"attacking {table.name} at {at or 'their points'}")
        what = named | {"data": "coarsened", "at": at}
        if at:
            found["attack"] += [what | row for row in _attacked(traces, level.traces, _COARSE)]
            found["price"].append(what | {"suppressed": 0.0, "loss": level.loss})
    for m in PROMISED:
        stage(f"making {table.name} {K}^{m}-anonymous")
        release = cheapest(levels, m)
        what = named | {"data": f"k = {K}, m = {m}", "at": release.at, "m": m}
        found["attack"] += [what | row for row in _attacked(traces, release.traces, table.attack)]
        fewest = _fewest(release.traces, m)
        found["price"].append(what | {"suppressed": release.suppressed, "loss": release.loss, "fewest": fewest})
        found["people"] += [what | row for row in _by_length(traces, release.traces)]
    for most in table.thinned:
        some = thinned(traces, most)
        levels = levels_of(table, some)
        for m in PROMISED:
            stage(f"making at most {most} points of each of the {table.name} {K}^{m}-anonymous")
            release = cheapest(levels, m)
            row = {"most": most, "m": m, "at": release.at, "points": int(some.labels.size)}
            found["points"].append(named | row | {"suppressed": release.suppressed, "loss": release.loss})
    return found


@dataclass(frozen=True, eq=False)
class TraceLevel:
    """Traces whose points are seen at a level.

    ``label_of`` is the label of each occurrence of an original point, and ``costs`` what each label leaves open.
    """

    at: str
    traces: Traces
    owners: Positions
    label_of: Integers
    costs: Floats

    @property
    def loss(self) -> float:
        """The mean cost of the original points, with none suppressed."""
        return float(self.costs[self.label_of].mean())


@dataclass(frozen=True, eq=False)
class TraceRelease:
    """A k^m-anonymous release of traces: at which level its points are, and what it lost."""

    at: str
    traces: Traces
    suppressed: float
    loss: float


def levels_of(table: LinkedTable, traces: Traces) -> dict[str, TraceLevel]:
    """Give traces as they are, and at each generalization level."""
    found = {}
    for at in ("", *table.levels):
        seen = seen_at(traces, Resolution.of(at)) if at else traces
        point, label = covering(traces.points, seen.points)
        label_of = np.full(traces.points.number, -1)
        label_of[point] = label
        costs = costs_of(seen.points, traces.points)
        found[at] = TraceLevel(at, seen, traces.holders.persons, label_of[traces.labels], costs)
    return found


def cheapest(levels: Mapping[str, TraceLevel], m: int) -> TraceRelease:
    """Suppress points at each level until every m of them are had by K people, and give the release that loses least.

    The loss is set-loss: the mean cost of the original points, of which a suppressed one counts 1.
    """
    found = []
    for at, level in levels.items():
        left, _ = suppressed(level.traces.holders, K, m)
        kept = _had(left.offsets, left.labels, level.owners, level.label_of)
        release = replace(level.traces, offsets=left.offsets, labels=left.labels)
        loss = float(np.where(kept, level.costs[level.label_of], 1.0).mean())
        found.append(TraceRelease(at, release, float((~kept).mean()), loss))
    return min(found, key=lambda release: release.loss)


def _fewest(traces: Traces, m: int) -> int:
    """Count how many people have the rarest combination of up to m points; 0 if nobody has any point."""
    found = [
        int(people.min()) for size in range(1, m + 1) for _, people in traces.holders.combinations(size) if people.size
    ]
    return min(found, default=0)


def _had(offsets: Offsets, labels: Positions, owners: Positions, wanted: Integers) -> Flags:
    """Tell of each wanted label whether its owner has it."""
    size = 1 + max(int(labels.max(initial=0)), int(wanted.max(initial=0)))
    have = np.repeat(np.arange(offsets.size - 1), np.diff(offsets)) * size + labels
    found: Flags = np.isin(owners.astype(np.int64) * size + wanted, have)
    return found


def thinned(traces: Traces, most: int) -> Traces:
    """Give everyone at most so many of their points, drawn by chance."""
    kept: Flags = np.zeros(traces.labels.size, np.bool_)
    owner = traces.holders.persons
    order = np.lexsort((chances(np.arange(owner.size), most), owner))
    place = np.arange(owner.size) - traces.offsets[owner]
    kept[order[place < most]] = True
    offsets = np.append(0, np.cumsum(kept))[traces.offsets].astype(np.int64)
    return replace(traces, offsets=offsets, labels=traces.labels[kept])


def _attacked(original: Traces, published: Traces, measure: Unicity = _EXACT) -> Iterator[Row]:
    """Look for people by points of the original: on coarser points only those count as known that are seen apart."""
    list_of, lists = known_in(original, published)
    for points in KNOWN:
        found = replace(measure, points=points).against(original, list_of[original.labels], lists)
        yield _row(found)


def _row(found: TraceAttack) -> Row:
    return {
        "known": found.points, "people": found.people, "unique": found.unique, "not found": found.not_found,
        "fewest": found.smallest, "exact": found.exact, "lower": found.lower, "upper": found.upper,
    }  # fmt: skip


def _by_length(original: Traces, released: Traces) -> Iterator[Row]:
    """Say what share of their points people lose, by how many they have."""
    list_of, lists = known_in(original, released)
    owner, held = original.holders.persons, np.repeat(np.arange(lists.starts.size - 1), np.diff(lists.starts))
    begins = starts_of(np.bincount(lists.people, minlength=original.people))
    order = np.argsort(lists.people, kind="stable")
    lost = ~_had(begins, held[order].astype(np.int32), owner, list_of[original.labels].astype(np.int64))
    lengths = original.holders.lengths
    place = np.searchsorted(_BINS, lengths[owner], side="right") - 1
    for number, least in enumerate(_BINS):
        mine = place == number
        end = _BINS[number + 1] - 1 if number + 1 < len(_BINS) else None
        if mine.any():
            people = int(((lengths >= least) & (lengths <= (end or lengths.max()))).sum())
            yield {
                "least": least,
                "most": end,
                "people": people,
                "points": int(mine.sum()),
                "lost": float(lost[mine].mean()),
            }


def results(folder: Path, tables: Sequence[LinkedTable] = TABLES) -> dict[str, list[Row]]:
    """Measure the tables that are in a folder, step by step."""
    found: dict[str, list[Row]] = {}
    for table in tables:
        for step, rows in measure(table, folder).items():
            found.setdefault(step, []).extend(rows)
    return found
