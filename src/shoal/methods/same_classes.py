"""The classes of an earlier release again, so that the two laid side by side tell no more than one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np

from shoal.arrays import Array, Floats, Integers, Positions
from shoal.domains.axis import Axis, PositionMap
from shoal.engines.local_data import moved
from shoal.engines.packed_cells import packed
from shoal.engines.reading import read
from shoal.engines.values import Boxes, Spans
from shoal.errors import ParameterError, SchemaError
from shoal.kernels import MISSING, TOP
from shoal.kernels.nearest_rows import NOMINAL, NUMBER, RowCells, RowTree
from shoal.methods import required_model
from shoal.methods.partitioning.merge_failing import merged_until_met
from shoal.models import PrivacyModel
from shoal.models.k_anonymity import KAnonymity
from shoal.parameters import settle
from shoal.schema import ReadOptions, Roles
from shoal.table import Classes, Column, Table


@dataclass(frozen=True)
class SameClasses:
    """Put every record into the class of an earlier release whose cells hold it, and publish these cells again.

    Somebody who is in both releases, with the same values, then is in cells of the same class in both, and classes do
    not cut each other. A record that no class holds joins the one that it fits best, whose cells grow to hold it; of
    several that fit, the first in the order of their cells is taken. Cells of a column with a hierarchy grow to the
    lowest node that covers them. Classes that too many people left are given up, the smallest first, and who is still
    there joins others in the same way; one that breaks another promise is joined with its neighbour in that order. What
    two releases tell together is measured by the attack ``intersection``, and ``shoal check --like`` proves from the
    files what they leave to everybody: where classes of the earlier one overlap, some people may have been in another.

    Parameters
    ----------
    release
        The file of the earlier release.

    References
    ----------
    S. R. Ganta, S. P. Kasiviswanathan, A. Smith: Composition attacks and auxiliary information in data privacy, KDD
    2008, doi:10.1145/1401890.1401926. X. Xiao, Y. Tao: m-Invariance, SIGMOD 2007, doi:10.1145/1247480.1247556.
    """

    name: ClassVar[str] = "same-classes"
    enforces: ClassVar[tuple[str, ...]] = ("k-anonymity", "t-closeness", "l-diversity", "alpha-k")
    release: str | Path | None = None

    def __post_init__(self) -> None:
        """Take a path as text."""
        settle(self)
        if isinstance(self.release, Path):
            object.__setattr__(self, "release", str(self.release))

    def files(self) -> list[Path]:
        """Give the file of the earlier release."""
        return [] if self.release is None else [Path(self.release)]

    def apply(self, table: Table, models: Sequence[PrivacyModel], seed: int) -> Table:
        """Put records into the classes, join those that break a promise, and publish their cells."""
        earlier = self._earlier(table)
        ground = [_Common.of(name, table, earlier) for name in table.schema.quasi]
        lo, hi = _boxes(earlier)
        for j, column in enumerate(ground):
            lo[:, j], hi[:, j] = column.moved(lo[:, j], hi[:, j])
        labels, used = _placed(table, ground, lo, hi, required_model(models, KAnonymity, self.name).k)
        joined, groups = merged_until_met(table, labels, used.size, models)
        into = np.zeros(used.size, np.int64)
        for pairs in table.collect(lambda a, b: np.unique(np.stack([a, b]), axis=1), labels, joined):
            into[pairs[0]] = pairs[1]
        columns: dict[str, tuple[Axis, Column]] = {}
        for j, name in enumerate(table.schema.quasi):
            axis, cells = ground[j].published(
                lo[used, j], hi[used, j], into, _members(table, name, joined, groups, ground[j])
            )
            columns[name] = axis, table.combine(_taken_from(cells), joined)
        public = {
            "method": self.name,
            "said": "Classes follow those of an earlier release.",
            "earlier": earlier.origin.sha256,
        }
        return table.put(columns).with_remark(public)

    def _earlier(self, table: Table) -> Table:
        if self.release is None:
            raise ParameterError("No earlier release is named.", "Name its file: --like RELEASE.csv, release='…'.")
        schema = table.schema
        attributes = [schema[name] for name in schema.quasi]
        trees = {each.name: each.axis.tree for each in attributes if each.axis.tree is not None}
        kinds = {each.name: each.axis.kind for each in attributes if each.name not in trees}
        orders = {n: tuple(schema[n].axis.values) for n, kind in kinds.items() if kind == "ordered"}  # type: ignore[arg-type]
        options = ReadOptions(
            Roles(quasi=schema.quasi), kinds=kinds, orders=orders, hierarchies=trees, released=True
        )  # fmt: skip
        return read(self.release, options=options)

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say what is done."""
        return (
            "Put each record into the class of an earlier release whose cells hold it, or nearly so, gave up classes "
            "that broke a promise, and published the cells of the others again."
        )


def _placed(table: Table, ground: Sequence[_Common], lo: Positions, hi: Positions, k: int) -> tuple[Column, Integers]:
    """Put records into classes, and give up the smaller half of those that hold too few until none does.

    Gives the place of each record's class among those that are used, and these.
    """
    left = np.arange(lo.shape[0])
    while True:
        place = table.map_rows(_Nearest.of(ground, lo[left], hi[left]))
        sizes = sum(table.collect(partial(np.bincount, minlength=left.size), place), np.zeros(left.size, np.int64))
        few = sizes[(sizes > 0) & (sizes < k)]
        if not few.size or left.size == 1:
            used = np.flatnonzero(sizes)
            return table.combine(_Ranks(used), place), left[used]
        kept = sizes > np.median(few)
        left = left[kept] if kept.any() else left[sizes == sizes.max()][:1]


@dataclass(frozen=True, eq=False)
class _Ranks:
    """The place of each number among some."""

    among: Integers

    def __call__(self, numbers: Positions) -> Positions:
        found: Positions = np.searchsorted(self.among, numbers).astype(np.int32)
        return found


def _boxes(earlier: Table) -> tuple[Positions, Positions]:
    """Give the classes of a release by their cells, in the order of these."""

    def ends(cells: Boxes) -> tuple[Positions, Positions]:
        return cells.lo, cells.hi

    found = earlier.boxes(ends)
    lo, hi = (np.concatenate([part[side] for part in found]) for side in (0, 1))
    order = np.lexsort([*hi.T[::-1], *lo.T[::-1]])
    return lo[order], hi[order]


@dataclass(frozen=True, eq=False)
class _Common:
    """A column of two tables on one axis, and where the positions of each go on it."""

    axis: Axis
    own: PositionMap
    earlier: PositionMap

    @classmethod
    def of(cls, name: str, table: Table, earlier: Table) -> _Common:
        first, second = table.schema[name].axis, earlier.schema[name].axis
        if first.tree is not None:  # both have its leaves, in its order
            return cls(first, None, None)
        if first.kind != second.kind or (first.values is None) != (second.values is None):
            raise SchemaError(
                f"Column '{name}' is not of the same kind in the earlier release.", "Declare what it is (--kind)."
            )
        return cls(*first.shared_with(second))

    @property
    def in_sets(self) -> bool:
        """Whether cells are single categories and sets of them; nodes of a hierarchy are stretches of its leaves."""
        return self.axis.nominal and self.axis.tree is None

    def moved(self, lo: Positions, hi: Positions) -> tuple[Positions, Positions]:
        """Give cells of the earlier release on the common axis."""
        return moved(lo, self.earlier), moved(hi, self.earlier)

    def codes(self, positions: Positions) -> Floats:
        """Give single values of the table as kernels compare them."""
        return np.where(positions == MISSING, np.nan, moved(positions, self.own).astype(np.float64))

    def _hull(self, lows: Positions, highs: Positions) -> tuple[int, int]:
        """Give the range of some cells, or the lowest node that covers them."""
        low, high = lows.min(keepdims=True), highs.max(keepdims=True)
        if self.axis.tree is not None:
            low, high = self.axis.tree.shown(low, high)
        return int(low[0]), int(high[0])

    def published(
        self, lo: Positions, hi: Positions, into: Integers, members: list[Positions]
    ) -> tuple[Axis, Integers]:
        """Give the cells of the classes: those of the earlier ones that went into each, wide enough for its members."""
        order = np.argsort(into, kind="stable")
        parts = np.split(order, np.flatnonzero(np.diff(into[order])) + 1)
        cells, sets = [], dict[int, tuple[int, ...]]()
        for number, (old, inside) in enumerate(zip(parts, members, strict=True)):
            values = moved(inside, self.own)
            lows, highs = np.append(lo[old], values), np.append(hi[old], values)
            gone = lows == MISSING
            if gone.all() and (highs == MISSING).all():
                cells.append((MISSING, MISSING))
            elif gone.any():
                cells.append((MISSING, TOP))
            elif self.in_sets:
                held = {m for position in np.unique(lows).tolist() for m in self.axis.members(position)}
                sets[number] = tuple(sorted(held))
                cells.append((0, 0))
            else:
                cells.append(self._hull(lows, highs))
        axis, places = (
            self.axis.with_groups(held for held in sets.values() if len(held) > 1) if sets else (self.axis, {})
        )
        for number, categories in sets.items():
            position = places[categories] if len(categories) > 1 else categories[0]
            cells[number] = position, position
        ends = np.array(cells, np.int32)
        return axis, packed(ends[:, 0].copy(), ends[:, 1].copy())


def _members(table: Table, name: str, labels: Column, groups: int, column: _Common) -> list[Positions]:
    """Give the values in each class that its cell has to hold: of numbers, the lowest and the highest."""

    def found(classes: Classes) -> list[Positions]:
        parts = np.split(classes.columns[name], classes.starts[1:-1])
        if column.in_sets:
            return [np.unique(part) for part in parts]  # one without a value has the lowest position of all
        return [np.array([part.min(), part.max()], np.int32) for part in parts]

    return [part for batch in table.groups(found, labels, (name,)) for part in batch]


def _taken_from(cells: Integers) -> Callable[[Array], Array]:
    return lambda labels: cells[labels]


@dataclass(frozen=True, eq=False)
class _Nearest:
    """The class that each record fits best; of several the first."""

    ground: Sequence[_Common]
    tree: RowTree

    @classmethod
    def of(cls, ground: Sequence[_Common], lo: Positions, hi: Positions) -> _Nearest:
        """Prepare the classes to be looked among."""
        low, high = np.empty(lo.shape), np.empty(lo.shape)
        sets: list[tuple[int, ...]] = []
        width = max(
            (len(each.axis.values) for each in ground if each.in_sets and each.axis.values is not None), default=1
        )
        for j, each in enumerate(ground):
            low[:, j], high[:, j] = lo[:, j], hi[:, j]
            if each.in_sets:
                assert each.axis.values is not None
                for i in np.flatnonzero(lo[:, j] >= len(each.axis.values)).tolist():
                    low[i, j], high[i, j] = -1, len(sets)
                    sets.append(each.axis.members(int(lo[i, j])))
            gone, star = lo[:, j] == MISSING, hi[:, j] == TOP
            low[gone, j], high[gone, j] = np.nan, np.nan
            low[gone & star, j], high[gone & star, j] = -np.inf, np.inf
        bits = np.zeros((len(sets), max(width, 1)), np.uint8)
        for number, members in enumerate(sets):
            bits[number, list(members)] = 1
        kinds = np.array([NOMINAL if each.in_sets else NUMBER for each in ground], np.int64)
        spread = [np.ptp(column[np.isfinite(column)]) if np.isfinite(column).any() else 0.0 for column in low.T]
        scale = np.array([1 / (width or 1.0) for width in spread])
        return cls(ground, RowTree(RowCells(low, high, bits), kinds, scale))

    def __call__(self, rows: Spans) -> Positions:
        """Give the number of the class of each record."""
        values = np.stack([each.codes(rows.lo[:, j]) for j, each in enumerate(self.ground)], axis=1)
        if (rows.lo != rows.hi).any():
            raise ParameterError("Records are ranges already.", "Give the original values.")
        found = np.empty(values.shape[0], np.int32)
        for part in self.tree.nearest(RowCells(values, values, np.zeros((0, 1), np.uint8))):
            begins = np.append(0, part.ends[:-1])
            found[part.start : part.start + part.ends.size] = np.minimum.reduceat(part.nearest, begins)
        return found
