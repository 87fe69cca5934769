"""Order leak: the share of records that the order of the rows leaves in too small a crowd."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shoal.arrays import Flags
from shoal.errors import ParameterError
from shoal.kernels.box_intersection import ENOUGH, FEW, count_meeting
from shoal.measures import Direction, Score
from shoal.measures.reidentification.row_order import ObservedOrder, RowRange
from shoal.parameters import settle
from shoal.table import Classes, Table

_WAYS = {1: "ascending", -1: "descending"}
# Where boxes are small, a few hundred settle a record; four million records that spend it all take some minutes.
EFFORT = 10_000


@dataclass(frozen=True)
class OrderLeak:
    """The share of records that have fewer than k that fit once the order of the rows is used.

    Rows that were sorted by a quasi-identifier before they were masked, and kept their order, bound each other: no
    value is below the lower end of a range before it, none above the upper end of a range behind it. Every range is
    narrowed in this way in the columns that can have been sorted in one direction and not in the other. Two records
    fit if what is left of their cells meets in every quasi-identifier; whatever the true values are, no others do.

    Parameters
    ----------
    known
        The attributes that the attacker knows; all quasi-identifiers if left out.
    k
        How many should fit, at least 2; the size of the smallest class as it is published if left out.
    effort
        How many comparisons each record is worth, at most a million; 10,000 if left out. What is not settled then does
        not count as leaking, and the upper bound says how much it might be.

    References
    ----------
    L. Sweeney: k-anonymity: a model for protecting privacy, IJUFKS 10(5), 2002, doi:10.1142/S0218488502001648, where
    the order of rows is the first attack ("unsorted matching").
    """

    name: ClassVar[str] = "order-leak"
    direction: ClassVar[Direction] = "lower is safer"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    known: tuple[str, ...] | None = None
    k: int | None = None
    effort: int | None = None

    def __post_init__(self) -> None:
        """Check what was asked for."""
        settle(self)
        if self.k is not None and (not isinstance(self.k, int) or self.k < 2):
            raise ParameterError("k is a whole number, at least 2.", "Leave it out for that of the table.")
        if self.effort is not None and (not isinstance(self.effort, int) or not 0 <= self.effort <= 1_000_000):
            raise ParameterError("An effort is a whole number from 0 to 1,000,000.", "Leave it out for the usual one.")

    def look(self, released: Table) -> Score:
        """Measure a table in the order of its rows."""
        names = released.schema.quasi if self.known is None else self.known
        counted = released.classes(_sizes, self.known)
        classes, smallest = sum(number for number, _ in counted), min(least for _, least in counted)
        k = self.k or max(smallest, 2)
        order = ObservedOrder(released, names)
        # Where all classes are runs of rows, those of a class are narrowed alike; and rows that stand in the order of
        # their published cells are in runs, too, which tells nothing of the order that they had.
        steps = order.steps if order.runs > classes else np.zeros_like(order.steps)
        leaking = unsettled = 0
        for window in order.windows() if steps.any() else ():
            few, unsure = self._few(order, window, k, smallest)
            leaking, unsettled = leaking + int(few.sum()), unsettled + int(unsure.sum())
        ways = {name: _WAYS[int(step)] for name, step in zip(names, steps, strict=True) if step}
        detail = {"records": released.rows, "leaking": leaking, "unsettled": unsettled, "k": k, "sorted": ways}
        share = leaking / released.rows
        return Score(self.name, share, share, (leaking + unsettled) / released.rows, detail)

    def _few(self, order: ObservedOrder, window: RowRange, k: int, smallest: int) -> tuple[Flags, Flags]:
        """Say which records have too few that fit by the order alone, and which stay undecided."""
        effort = EFFORT if self.effort is None else self.effort
        before = None
        if k > smallest:  # who has few without any order has not lost them by it
            before = count_meeting(window.lo, window.hi, window.sets, k, effort)[window.asked]
        order.narrow(window)
        after = count_meeting(window.lo, window.hi, window.sets, k, effort)[window.asked]
        whole = window.first == 0 and window.last == window.end
        sure = (after == FEW) & order.apart(window)
        unsure = (after != ENOUGH) & ~sure
        if before is not None:
            had, lacked = before == ENOUGH, (before == FEW) & whole
            sure, unsure = sure & had, (unsure | (sure & ~had)) & ~lacked
        return sure, unsure

    @staticmethod
    def sentence(detail: Mapping[str, Any]) -> str:
        """Say in words what was found."""
        if not detail["sorted"]:
            return "The order of the rows bounds no quasi-identifier."
        names = " and ".join(f"'{name}'" for name in detail["sorted"])
        more = f" Of {detail['unsettled']:,} more it stays undecided." if detail["unsettled"] else ""
        return (
            f"Rows stand in the order of {names}: {detail['leaking']:,} of {detail['records']:,} records have fewer "
            f"than {detail['k']:,} that fit.{more}"
        )


def _sizes(classes: Classes) -> tuple[int, int]:
    return int(classes.sizes.size), int(classes.sizes.min())
