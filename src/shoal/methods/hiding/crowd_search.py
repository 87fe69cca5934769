"""Cells hidden so that nobody stands in a crowd of fewer than k: the cheapest patterns first, with helpers.

Records that agree in all that a pattern shows become a class if they are enough. Where they are too few, records that
were released with less hidden and agree too help out, as long as their own class can spare them. A hidden cell counts
as a value of its own, so the promise holds whatever else a hidden cell may be taken for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Flags, Floats, Integers, Positions
from shoal.errors import GuaranteeError
from shoal.kernels.grouping import count_labels, label_rows
from shoal.methods.hiding.patterns import by_rising_cost, cost_of, shown_in

Masks = NDArray[np.int64]
EFFORT = 2_500_000  # cells that are looked at while other orders and patiences are tried: some hundredths of a second
MOST_EFFORT = 2_000_000_000  # beyond, those who are left join others
_A_LOOK = 2_500  # what every look at a pattern costs beside its cells
PATIENCES = (2.0, 1.0, 4.0, 0.0)
_STEPS = 64
_FEW_PATTERNS = 1 << 12
_SLIGHTLY = 1e-9


@dataclass(frozen=True, eq=False)
class Records:
    """Distinct records: their cells as codes, how many there are of each, and in which stratum.

    Parameters
    ----------
    codes
        The number of each cell of each distinct record in its column.
    counts
        How many records there are of each.
    strata
        Records of different strata are never in one class.
    """

    codes: Positions
    counts: Integers
    strata: Positions

    @property
    def columns(self) -> int:
        """How many columns there are."""
        return int(self.codes.shape[1])

    def alike(self, which: Integers, shown: Integers) -> tuple[Positions, int]:
        """Number some of the records by what they show and by stratum; also gives how many numbers there are."""
        cells = np.empty((which.size, shown.size + 1), np.int32)
        cells[:, 0], cells[:, 1:] = self.strata[which], self.codes[which][:, shown]
        return label_rows(cells, cells, np.arange(cells.shape[1]))


@dataclass(frozen=True, eq=False)
class Lots:
    """So many records of a distinct one, all with the same pattern of hidden columns."""

    units: Integers
    masks: Masks
    counts: Integers

    def merged(self) -> Lots:
        """Give the same lots by distinct record, each pattern of it once: the one that hides least comes first."""
        some = self.counts > 0
        units, masks, counts = self.units[some], self.masks[some], self.counts[some]
        order = np.lexsort([masks, units])
        units, masks, counts = units[order], masks[order], counts[order]
        first = np.flatnonzero(np.append(True, (units[1:] != units[:-1]) | (masks[1:] != masks[:-1]))[: units.size])
        sums = np.add.reduceat(counts, first) if first.size else counts
        return Lots(units[first], masks[first], sums)

    def cost(self, costs: Floats) -> float:
        """Give what all hidden cells cost."""
        return float((cost_of(self.masks, costs) * self.counts).sum())


@dataclass(eq=False)
class _Classes:
    """Classes that were released: their patterns, how many records each has, and which; helpers are listed apart."""

    masks: Masks = field(default_factory=lambda: np.empty(0, np.int64))
    sizes: Integers = field(default_factory=lambda: np.empty(0, np.int64))
    firsts: Integers = field(default_factory=lambda: np.zeros(1, np.int64))  # where the lots of each begin, and all end
    units: Integers = field(default_factory=lambda: np.empty(0, np.int64))
    counts: Integers = field(default_factory=lambda: np.empty(0, np.int64))
    helpers: list[tuple[int, int, int]] = field(default_factory=list)

    def add(self, mask: int, units: Integers, counts: Integers, labels: Positions, sizes: Integers) -> None:
        """Add classes of one pattern; labels tell the class of each lot, and sizes count helpers too."""
        order = np.argsort(labels, kind="stable")
        lots = np.bincount(labels, minlength=sizes.size)
        self.masks = np.append(self.masks, np.full(sizes.size, mask))
        self.sizes = np.append(self.sizes, sizes)
        self.firsts = np.append(self.firsts, self.firsts[-1] + np.cumsum(lots))
        self.units = np.append(self.units, units[order])
        self.counts = np.append(self.counts, counts[order])

    def lend(self, which: Integers, many: Integers, mask: int) -> None:
        """Take so many records from some classes, and let them hide what a pattern hides."""
        for one, wanted in zip(which.tolist(), many.tolist(), strict=True):
            self.sizes[one] -= wanted
            for lot in range(int(self.firsts[one]), int(self.firsts[one + 1])):
                taken = min(wanted, int(self.counts[lot]))
                if taken:
                    self.counts[lot] -= taken
                    self.helpers.append((int(self.units[lot]), mask, taken))
                    wanted -= taken
                if not wanted:
                    break

    def dissolve(self, one: int, mask: int, units: Integers, counts: Integers) -> None:
        """Make one class, which hides what a pattern hides, of all records of another and of some more."""
        began = len(self.helpers)
        self.lend(np.array([one]), self.sizes[[one]], mask)
        moved = np.array(self.helpers[began:], np.int64).reshape(-1, 3)
        del self.helpers[began:]
        units, counts = np.append(units, moved[:, 0]), np.append(counts, moved[:, 2])
        self.add(mask, units, counts, np.zeros(units.size, np.int32), np.array([counts.sum()]))

    def lots(self) -> Lots:
        """Give who shows what."""
        of_each = np.diff(self.firsts)
        helpers = np.array(self.helpers, np.int64).reshape(-1, 3)
        return Lots(
            np.append(self.units, helpers[:, 0]),
            np.append(np.repeat(self.masks, of_each), helpers[:, 1]),
            np.append(self.counts, helpers[:, 2]),
        ).merged()


def hide_until_crowds(records: Records, k: int, costs: Floats, importance: Sequence[float]) -> Lots:
    """Hide cells so that k records or more show the same, and say of how many records which.

    Helpers cost too. So groups are released when the price of a record reaches a limit that rises slowly; what helpers
    lose counts in it as often as patience says. The cheapest of several patiences and orders of columns is kept, as
    far as the effort lasts: it is counted and not timed, so that every machine finds the same.

    Parameters
    ----------
    records
        The distinct records.
    k
        How many records are to show the same.
    costs
        What it costs to hide a cell of each column.
    importance
        Of patterns that cost the same, those go first that hide columns with a large number.
    """
    best, effort = None, EFFORT
    for order, patience in product(_orders(importance), PATIENCES):
        search = _Search(records, k, costs, *by_rising_cost(costs, order))
        found = search.run(patience)
        if best is None or found.cost(costs) < best.cost(costs) * (1 - _SLIGHTLY):
            best = found
        effort -= search.spent
        if effort < search.spent:
            break
    assert best is not None
    return best


def _orders(importance: Sequence[float]) -> Iterator[list[float]]:
    """Give the order that is asked for, then the others that come from it when two columns change places."""
    yield list(importance)
    for i, j in combinations(range(len(importance)), 2):
        changed = list(importance)
        changed[i], changed[j] = changed[j], changed[i]
        yield changed


@dataclass(eq=False)
class _Search:
    """One search: who is left, and which classes there are."""

    records: Records
    k: int
    costs: Floats
    patterns: Masks
    prices: Floats
    spent: int = 0
    classes: _Classes = field(default_factory=_Classes)
    rest: Integers = field(init=False)

    def __post_init__(self) -> None:
        """Begin with all records."""
        self.rest = self.records.counts.copy()

    def run(self, patience: float) -> Lots:
        """Release groups by a rising limit of their price."""
        for limit in self._limits(patience):
            for mask, price in zip(self.patterns.tolist(), self.prices.tolist(), strict=True):
                if not self.rest.any() or price > limit or self.spent > MOST_EFFORT:
                    break
                self._release(mask, price, limit, patience)
        self._join()
        return self.classes.lots()

    def _limits(self, patience: float) -> list[float]:
        """Give the limits: what patterns cost, then far more, then none."""
        if not patience:
            return [np.inf]
        steps = np.unique(np.round(self.prices, 9))
        if steps.size > _STEPS:
            steps = np.linspace(0.0, float(steps[-1]), _STEPS)
        return [*(steps + _SLIGHTLY).tolist(), 2 * float(steps[-1]), 4 * float(steps[-1]), np.inf]

    def _release(self, mask: int, price: float, limit: float, patience: float) -> None:
        """Release the groups of a pattern that are enough, by themselves or with helpers within the limit."""
        rest, classes, k = self.rest, self.classes, self.k
        left, shown = np.flatnonzero(rest), shown_in(mask, self.records.columns)
        donors = np.flatnonzero((classes.masks & ~mask == 0) & (classes.sizes > k))
        self.spent += (left.size + donors.size) * (shown.size + 2) + _A_LOOK
        labels, groups = self.records.alike(np.append(left, classes.units[classes.firsts[donors]]), shown)
        mine, theirs = labels[: left.size], labels[left.size :]
        sizes = count_labels(mine, groups, rest[left])
        spare = classes.sizes[donors] - k
        short = np.where((sizes > 0) & (sizes < k), k - sizes, 0)
        helped = (short > 0) & (count_labels(theirs, groups, spare) >= short)
        if helped.any():
            # Of each group the helpers that lose least come first, and give no more than is wanted.
            extra = price - cost_of(classes.masks[donors], self.costs)
            order = np.lexsort((donors, extra, theirs))
            order = order[helped[theirs[order]]]
            group = theirs[order]
            taken = np.clip(short[group] - _before(group, spare[order]), 0, spare[order])
            lost = np.bincount(group, taken * extra[order], groups)
            helped &= price + patience * lost / np.maximum(sizes, 1) <= limit
            taken = np.where(helped[group], taken, 0)
            classes.lend(donors[order][taken > 0], taken[taken > 0], mask)
        released = (sizes >= k) | helped
        if not released.any():
            return
        some, number = released[mine], np.cumsum(released) - 1
        units = left[some]
        sizes = np.where(helped, k, sizes)[released]
        classes.add(mask, units, rest[units], number[mine[some]].astype(np.int32), sizes)
        rest[units] = 0

    def _join(self) -> None:
        """Let those who are left over join whole classes: of all patterns and classes those that then lose least."""
        while self.rest.any():
            found = self._best_joint()
            if found is None:
                raise GuaranteeError(
                    f"k = {self.k} cannot be reached by hiding cells: too few records belong together.",
                    "Ask for a smaller k, or for fewer strata.",
                )
            mask, one, units = found
            counts = self.rest[units].copy()
            self.rest[units] = 0
            self.classes.dissolve(one, mask, units, counts)

    def _best_joint(self) -> tuple[int, int, Integers] | None:
        """Find the pattern and the class that those who are left over join at least cost for each of them."""
        classes, left = self.classes, np.flatnonzero(self.rest)
        least, best = np.inf, None
        every = slice(None) if self.patterns.size <= _FEW_PATTERNS else slice(-1, None)
        for mask, price in zip(self.patterns[every].tolist(), self.prices[every].tolist(), strict=True):
            donors = np.flatnonzero((classes.masks & ~mask == 0) & (classes.sizes > 0))
            if not donors.size or price >= least:
                continue
            shown = shown_in(mask, self.records.columns)
            labels, groups = self.records.alike(np.append(left, classes.units[classes.firsts[donors]]), shown)
            mine, theirs = labels[: left.size], labels[left.size :]
            joining = count_labels(mine, groups, self.rest[left])[theirs]
            lost = classes.sizes[donors] * (price - cost_of(classes.masks[donors], self.costs))
            with np.errstate(divide="ignore", invalid="ignore"):
                each = np.where(joining > 0, price + lost / joining, np.inf)
            one = int(np.argmin(each))
            if each[one] < least:
                least, best = float(each[one]), (mask, int(donors[one]), left[mine == theirs[one]])
        return best


def _before(groups: Positions, sizes: Integers) -> Integers:
    """Give how much stands before each place in its group; groups stand one behind the other."""
    before = np.cumsum(sizes) - sizes
    first = np.flatnonzero(np.append(True, groups[1:] != groups[:-1]))
    found: Integers = before - np.repeat(before[first], np.diff(np.append(first, groups.size)))
    return found


def enough(records: Records, lots: Lots, k: int) -> Flags:
    """Tell of each lot whether k records or more show the same as it does."""
    cells = np.where(
        (lots.masks[:, None] >> np.arange(records.columns) & 1).astype(bool), np.int32(-1), records.codes[lots.units]
    )
    cells = np.ascontiguousarray(np.concatenate([records.strata[lots.units][:, None], cells], axis=1), np.int32)
    labels, groups = label_rows(cells, cells, np.arange(cells.shape[1]))
    found: Flags = count_labels(labels, groups, lots.counts)[labels] >= k
    return found
