"""What an attacker has before him: a release, what he knows of people, and, to judge him by, who is not in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from shoal.arrays import Integers, Positions
from shoal.attacks.beliefs import believed
from shoal.attacks.remaking import Remaking
from shoal.kernels import MISSING, TOP
from shoal.kernels.grouping import count_labels, label_rows
from shoal.kernels.nearest_rows import RowCells, RowTree
from shoal.measures.statistics.comparable_rows import CommonGround
from shoal.measures.statistics.sampling import sampled_rows
from shoal.recipe import Recipe
from shoal.table import Table

USUAL = 30_000  # records up to which all of them are looked at, unless it is said otherwise
SAMPLE = 10_000  # and how many of those of larger tables


@dataclass(frozen=True, eq=False)
class Crowd:
    """Rows of a table, by kind: those with equal cells in some columns are one kind, and counted.

    Attributes
    ----------
    table, names
        The table, and the columns.
    lo, hi
        Both ends of the cells of each kind, as positions on the axes of the table.
    counts
        How many rows are of each kind.
    sampled
        Whether they are only some of the rows of the table, or something in them was drawn.
    """

    table: Table
    names: tuple[str, ...]
    lo: Positions
    hi: Positions
    counts: Integers
    sampled: bool = False

    @classmethod
    def of(
        cls, table: Table, names: tuple[str, ...], most: int | None = None, seed: int = 0, *, drawn: bool = False
    ) -> Crowd:
        """Give the rows of a table by kind; if there are more than so many, a sample of so many.

        What was ``drawn`` of them by chance is a sample, too.
        """
        rows = sampled_rows(table.rows, table.rows if most is None else most, seed)
        lo, hi = (np.ascontiguousarray(ends) for ends in table.cells(names, rows))
        whole = cls(table, names, lo, hi, np.ones(rows.size, np.int64), sampled=drawn or rows.size < table.rows)
        return whole.by(names)[0]

    @property
    def kinds(self) -> int:
        """How many kinds there are."""
        return self.counts.size

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.counts.sum())

    def by(self, names: Sequence[str]) -> tuple[Crowd, Positions]:
        """Give the kinds by fewer columns, and which of them each of these kinds is."""
        columns = np.array([self.names.index(name) for name in names], np.int64)
        labels, number = label_rows(self.lo, self.hi, columns)
        first = np.empty(number, np.int64)
        first[labels[::-1]] = np.arange(labels.size - 1, -1, -1)
        lo, hi = (np.ascontiguousarray(ends[first][:, columns]) for ends in (self.lo, self.hi))
        counts = count_labels(labels, number, self.counts)
        return Crowd(self.table, tuple(names), lo, hi, counts, sampled=self.sampled), labels

    def taken(self, which: Integers) -> Crowd:
        """Give some of the kinds."""
        return Crowd(self.table, self.names, self.lo[which], self.hi[which], self.counts[which], sampled=self.sampled)

    def columns(self, which: Sequence[int]) -> Crowd:
        """Give the same kinds with fewer columns; some may then be equal."""
        names = tuple(self.names[j] for j in which)
        return Crowd(self.table, names, self.lo[:, which], self.hi[:, which], self.counts, sampled=self.sampled)

    @property
    def hidden(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Which kinds show nothing but ``*``."""
        found: np.ndarray[tuple[int], np.dtype[np.bool_]] = ((self.lo == MISSING) & (self.hi == TOP)).all(axis=1)
        return found


# Rows in a tree, and by kind.
Grove = tuple[RowTree, Crowd]


@dataclass(frozen=True, eq=False)
class Scene:
    """What an attacker has before him.

    Attributes
    ----------
    original
        The table that was masked: its people are in the release.
    released
        The release.
    outsiders
        People who are not in the release, with the columns of the original; None if nobody is known to be such a one.
    known
        The columns that the attacker knows of people.
    secret
        The confidential column that he wants to learn, if there is one.
    most
        So many people, or rows, are looked at in each part of an attack; of more, a sample.
    seed
        The seed by which they are chosen.
    beside
        Other releases that have some of the same people.
    recipe
        How the release was made, if that is known.
    errors
        How likely what he knows of a column is wrong.
    paired
        The release with its rows in the order of the original; None if that is not known.
    reordered
        Whether rows are put into the released order before others see them: here they are as they were masked.
    """

    original: Table
    released: Table
    outsiders: Table | None = None
    known: tuple[str, ...] = ()
    secret: str | None = None
    most: int = USUAL
    seed: int = 0
    beside: tuple[Table, ...] = ()
    recipe: Recipe | None = None
    errors: Mapping[str, float] = field(default_factory=dict)
    paired: Table | None = None
    reordered: bool = False
    _kept: dict[tuple[str, tuple[str, ...]], Grove] = field(default_factory=dict, init=False, repr=False)

    @property
    def quasi(self) -> tuple[str, ...]:
        """The quasi-identifiers of the original that the release has too, but for the secret, if it is one of them."""
        shown = self.released.schema.names
        return tuple(name for name in self.original.schema.quasi if name in shown and name != self.secret)

    @property
    def columns(self) -> tuple[str, ...]:
        """The quasi-identifiers, and the secret behind them."""
        return (*self.quasi, *(() if self.secret is None else (self.secret,)))

    @property
    def halves(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What the attacker knows, and what another does: if he knows everything, each knows half of it."""
        rest = tuple(name for name in self.quasi if name not in self.known)
        if rest:
            return self.known, rest
        middle = (len(self.known) + 1) // 2
        return self.known[:middle], self.known[middle:]

    @cached_property
    def remaking(self) -> Remaking | None:
        """The release as its recipe makes it of the original again; None if that is another one."""
        if self.recipe is None or self.secret is None:
            return None
        return Remaking.of(self.original, self.released, self.recipe, self.secret, self.quasi)

    @cached_property
    def ground(self) -> CommonGround:
        """What the columns of the tables have in common."""
        tables = (
            self.original, self.released, *(() if self.outsiders is None else (self.outsiders,)), *self.beside
        )  # fmt: skip
        return CommonGround.of(tables, self.columns)

    @cached_property
    def beliefs(self) -> tuple[Table, Table | None]:
        """What the attacker takes for the people in the release, and for the others."""
        mine = believed(self.original, self.errors, self.seed)
        return mine, None if self.outsiders is None else believed(self.outsiders, self.errors, self.seed + 1)

    @cached_property
    def rows(self) -> Crowd:
        """The released rows by kind, all of them."""
        return Crowd.of(self.released, self.columns)

    @cached_property
    def people(self) -> Crowd:
        """The people in the release by kind, or a sample of them."""
        return Crowd.of(self.beliefs[0], self.columns, self.most, self.seed, drawn=bool(self.errors))

    @cached_property
    def strangers(self) -> Crowd | None:
        """The people who are not in the release by kind, or a sample of them; None if there are none."""
        if self.outsiders is None or not self.outsiders.rows:
            return None
        assert self.beliefs[1] is not None
        return Crowd.of(self.beliefs[1], self.columns, self.most, self.seed, drawn=bool(self.errors))

    @cached_property
    def everyone(self) -> Crowd:
        """All people in the release by kind, as they are."""
        return Crowd.of(self.original, self.columns)

    @cached_property
    def all_strangers(self) -> Crowd | None:
        """All people who are not in the release by kind; None if there are none."""
        return None if self.outsiders is None or not self.outsiders.rows else Crowd.of(self.outsiders, self.columns)

    def placed(self, table: Table, names: Sequence[str], rows: Integers) -> RowCells:
        """Give some rows of a table as kernels compare them, each by itself."""
        return self.ground.among(names).cells(table, rows)

    @cached_property
    def trees_of_people(self) -> tuple[RowTree, RowTree | None]:
        """Give all people by their quasi-identifiers in trees: those in the release, and those who are not."""
        others = self.all_strangers
        inside = self.tree_of(self.everyone.by(self.quasi)[0])
        return inside, None if others is None else self.tree_of(others.by(self.quasi)[0])

    def cells(self, crowd: Crowd) -> RowCells:
        """Give the kinds of a crowd as kernels compare them, what rows of a release may stand for."""
        return self._ground(crowd).placed(crowd.table, crowd.lo, crowd.hi)

    def points(self, crowd: Crowd) -> RowCells:
        """Give the kinds of a crowd as single values, as people have them."""
        return self._ground(crowd).points(self.cells(crowd))

    def released_tree(self, names: Sequence[str]) -> Grove:
        """Give the released rows by kind in some columns, in a tree; built once for the same columns."""
        return self._tree("released", self.rows, tuple(names), self.cells)

    def tree_of_everyone(self, names: Sequence[str]) -> Grove:
        """Give all people in the release by kind in some columns, in a tree; built once for the same columns."""
        return self._tree("everyone", self.everyone, tuple(names), self.points)

    def _tree(
        self, what: str, crowd: Crowd, names: tuple[str, ...], form: Callable[[Crowd], RowCells]
    ) -> Grove:  # fmt: skip
        if (what, names) not in self._kept:
            kinds, ground = crowd.by(names)[0], self.ground.among(names)
            self._kept[what, names] = RowTree(form(kinds), ground.kinds, ground.scale, kinds.counts), kinds
        return self._kept[what, names]

    def tree_of(self, crowd: Crowd) -> RowTree:
        """Give people by kind in a tree."""
        ground = self._ground(crowd)
        return RowTree(self.points(crowd), ground.kinds, ground.scale, crowd.counts)

    def _ground(self, crowd: Crowd) -> CommonGround:
        return self.ground.among(crowd.names)
