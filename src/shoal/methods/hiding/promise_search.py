"""Cells hidden so that every class keeps all promises: what k-anonymity asks of sizes, other models ask of records.

Classes are released whole and joined whole or in part, always as far as models say: joining two classes that both keep
a promise keeps it, and so does a class that lends records only if the model says so of what is left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from shoal.arrays import Flags, Floats, Integers, Positions
from shoal.errors import GuaranteeError
from shoal.methods.hiding.crowd_search import Lots, Masks, Records
from shoal.methods.hiding.patterns import by_rising_cost, cost_of, shown_in

# Which groups keep all promises: of some records, given with the number of the group of each and how many there are.
Kept = Callable[[Integers, Positions, int], Flags]
_LIMITS = (1.0, 2.0, 4.0, np.inf)  # what a record may cost with its helpers, where 1 is all of its own cells


@dataclass(eq=False)
class PromiseSearch:
    """A search over single records: in which class each is, and what classes hide.

    Parameters
    ----------
    records
        The records, of which each counts once.
    kept
        Tells which groups of records keep all promises.
    least
        How many records a class has at least.
    costs, importance
        What it costs to hide a cell, and of equals what is hidden first.
    """

    records: Records
    kept: Kept
    least: int
    costs: Floats
    importance: Sequence[float]
    class_of: Integers = field(init=False)
    masks: Masks = field(default_factory=lambda: np.empty(0, np.int64))

    def __post_init__(self) -> None:
        """Begin with all records."""
        self.class_of = np.full(self.records.counts.size, -1, np.int64)

    def run(self) -> Lots:
        """Hide cells until every class keeps the promises, and give the pattern of each record."""
        everybody = np.arange(self.class_of.size)
        strata = self.records.strata
        if not self.kept(everybody, strata, int(strata.max(initial=0)) + 1).all():
            raise GuaranteeError(
                "What is promised cannot be kept by hiding cells: all records together break it.",
                "Ask for less, or for fewer strata.",
            )
        patterns, prices = by_rising_cost(self.costs, self.importance)
        for mask in patterns.tolist():
            self._release(mask)
        for limit in _LIMITS:
            for mask, price in zip(patterns.tolist(), prices.tolist(), strict=True):
                if (self.class_of >= 0).all():
                    break
                self._join(mask, price, limit * float(prices[-1]))
        return Lots(everybody, self.masks[self.class_of], np.ones(everybody.size, np.int64))

    def _release(self, mask: int) -> None:
        """Release the groups of a pattern that keep the promises by themselves."""
        left = np.flatnonzero(self.class_of < 0)
        if left.size:
            labels, groups = self.records.alike(left, shown_in(mask, self.records.columns))
            good = self.kept(left, labels, groups)
            self._add(mask, left[good[labels]], labels[good[labels]])

    def _add(self, mask: int, which: Integers, labels: Positions) -> None:
        """Make a class of the records of each label, whatever classes they were in."""
        if which.size:
            numbers = np.unique(labels, return_inverse=True)[1].reshape(-1)
            self.class_of[which] = self.masks.size + numbers
            self.masks = np.append(self.masks, np.full(int(numbers.max()) + 1, mask))

    def _join(self, mask: int, price: float, limit: float) -> None:
        """Let groups of a pattern take what they lack from classes that agree in all that it shows."""
        left, shown = np.flatnonzero(self.class_of < 0), shown_in(mask, self.records.columns)
        some = np.flatnonzero((self.class_of >= 0) & (self.masks[self.class_of] & ~mask == 0))
        labels, groups = self.records.alike(np.append(left, some), shown)
        mine, theirs = labels[: left.size], labels[left.size :]
        sizes = np.bincount(mine, minlength=groups)
        wanted = sizes[theirs] > 0
        some, theirs = some[wanted], theirs[wanted]
        if not some.size:
            return
        # Classes side by side by group, those that lose least first, and of each the records that come last.
        extra = price - cost_of(self.masks[self.class_of[some]], self.costs)
        order = np.lexsort((-some, self.class_of[some], extra, theirs))
        some, theirs, extra = some[order], theirs[order], extra[order]
        lent = np.arange(some.size) - np.searchsorted(theirs, theirs)
        lost = np.cumsum(extra) - np.append(0, np.cumsum(extra))[np.searchsorted(theirs, theirs)]
        fits = price + lost / sizes[theirs] <= limit
        self._lend(mask, left, mine, some[fits], theirs[fits], lent[fits], groups, sizes)

    def _lend(
        self, mask: int, left: Integers, mine: Positions, some: Integers, theirs: Positions, lent: Integers,
        groups: int, sizes: Integers,
    ) -> None:  # fmt: skip
        """Try with few helpers first, then with twice as many, and so on; what does not keep all promises is not done.

        A class that lends must keep them with what is left, or lend all of its records.
        """
        open_groups, many = np.bincount(theirs, minlength=groups) > 0, np.maximum(self.least - sizes, 1)
        while open_groups.any():
            helping = open_groups[theirs] & (lent < many[theirs])
            joined = np.append(left[open_groups[mine]], some[helping])
            labels = np.append(mine[open_groups[mine]], theirs[helping])
            good = open_groups & self.kept(joined, labels, groups) & self._spared(some, theirs, helping, groups)
            self._add(mask, joined[good[labels]], labels[good[labels]])
            open_groups &= ~good & (np.bincount(theirs, minlength=groups) > many)
            many = many * 2

    def _spared(self, some: Integers, theirs: Positions, helping: Flags, groups: int) -> Flags:
        """Tell of which groups all lenders keep the promises with the records that are left to them."""
        lenders = np.unique(self.class_of[some[helping]])
        where = np.full(self.masks.size, -1, np.int64)
        where[lenders] = np.arange(lenders.size)
        stays = np.flatnonzero((self.class_of >= 0) & (where[self.class_of] >= 0))
        stays = stays[~np.isin(stays, some[helping])]
        fine: Flags = np.ones(groups, np.bool_)
        if stays.size:
            numbers, labels = np.unique(where[self.class_of[stays]], return_inverse=True)
            broken = numbers[~self.kept(stays, labels.reshape(-1).astype(np.int32), numbers.size)]
            gone = np.isin(where[self.class_of[some[helping]]], broken)
            fine[theirs[helping][gone]] = False
        return fine
