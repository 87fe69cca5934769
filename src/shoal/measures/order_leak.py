"""Order leak: the share of records that the order of the rows leaves in too small a crowd."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.axis import Axis
from shoal.errors import ParameterError
from shoal.kernels import MISSING, TOP
from shoal.kernels.meeting import FEW, UNSETTLED, count_meeting
from shoal.measures import Direction, Score
from shoal.table import Classes, Table

Positions = NDArray[np.int32]
Column = tuple[Positions, Positions]
ALL = np.uint64(2**64 - 1)
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
        How many comparisons each record is worth; 10,000 if left out. What is not settled then does not count as
        leaking, and the upper bound says how much it might be.

    References
    ----------
    The order of rows as knowledge of an attacker: L. Sweeney, "unsorted matching attack", k-anonymity: a model for
    protecting privacy, 2002, doi:10.1142/S0218488502001648.
    """

    name: ClassVar[str] = "order-leak"
    direction: ClassVar[Direction] = "lower is safer"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    known: tuple[str, ...] | None = None
    k: int | None = None
    effort: int | None = None

    def __post_init__(self) -> None:
        """Check what was asked for."""
        if self.k is not None and (not isinstance(self.k, int) or self.k < 2):
            raise ParameterError("k is a whole number, at least 2.", "Leave it out for that of the table.")
        if self.effort is not None and (not isinstance(self.effort, int) or self.effort < 0):
            raise ParameterError("An effort is a whole number, at least 0.", "Leave it out for the usual one.")

    def look(self, released: Table) -> Score:
        """Measure a table in the order of its rows."""
        names = released.schema.quasi if self.known is None else self.known
        counted = released.classes(_sizes, self.known)
        classes, smallest = sum(number for number, _ in counted), min(least for _, least in counted)
        k = self.k or max(smallest, 2)
        lo, hi = released.cells(names, np.arange(released.rows))
        directions: dict[str, str] = {}
        few = unsettled = np.zeros(released.rows, np.bool_)
        # Where all classes are runs of rows, those of a class are narrowed alike; and rows that stand in the order of
        # their published cells are in runs, too, which tells nothing of the order that they had.
        if _runs(lo, hi) > classes:
            axes = [released.schema[name].axis for name in names]
            sets = _as_stretches(axes, lo, hi)
            published = (lo.copy(), hi.copy()) if k > smallest else None
            directions = dict(_narrowed(names, axes, lo, hi))
            effort = EFFORT if self.effort is None else self.effort
            if directions:
                verdicts = count_meeting(lo, hi, sets, k, effort)
                few, unsettled = verdicts == FEW, verdicts == UNSETTLED
            if directions and published is not None:  # who has few without any order has not lost them by it
                before = count_meeting(*published, sets, k, effort)
                unsettled = (unsettled & (before != FEW)) | (few & (before == UNSETTLED))
                few &= (before != FEW) & (before != UNSETTLED)
        leaking, open_ = int(few.sum()), int(unsettled.sum())
        detail = {"records": released.rows, "leaking": leaking, "unsettled": open_, "k": k, "sorted": directions}
        share = leaking / released.rows
        return Score(self.name, share, share, (leaking + open_) / released.rows, detail)

    @staticmethod
    def sentence(detail: Mapping[str, Any]) -> str:
        """Say in words what was found."""
        if not detail["sorted"]:
            return "The order of the rows bounds no quasi-identifier."
        names = " and ".join(f"'{name}'" for name in detail["sorted"])
        more = f" Of {detail['unsettled']:,} more it could not be told." if detail["unsettled"] else ""
        return (
            f"Rows stand in the order of {names}: {detail['leaking']:,} of {detail['records']:,} records have fewer "
            f"than {detail['k']:,} that fit.{more}"
        )


def _sizes(classes: Classes) -> tuple[int, int]:
    return int(classes.sizes.size), int(classes.sizes.min())


def _runs(lo: Positions, hi: Positions) -> int:
    """Count the runs of rows that follow each other with equal cells."""
    changes = np.zeros(lo.shape[0] - 1, np.bool_)
    for ends in (lo, hi):
        for column in ends.T:
            changes |= column[1:] != column[:-1]
    return 1 + int(changes.sum())


def _as_stretches(axes: list[Axis], lo: Positions, hi: Positions) -> NDArray[np.uint64]:
    """Make sets of categories stretches from their first to their last, in place; give their members as bits.

    Where there are more than 64 categories several share a bit: sets may then seem to meet, but never the reverse.
    """
    listed = [j for j, axis in enumerate(axes) if axis.groups]
    sets = np.full((lo.shape[0], len(listed)), ALL)
    for number, j in enumerate(listed):
        axis = axes[j]
        assert axis.values is not None
        own = np.uint64(1) << (np.arange(len(axis.values)) % 64).astype(np.uint64)
        joined = [np.bitwise_or.reduce(own[list(group.members)]) if group.members else ALL for group in axis.groups]
        bits = np.append(own, np.array(joined, np.uint64))
        first, last = axis.hull()
        some = lo[:, j] != MISSING
        cells = lo[some, j]
        sets[some, number], lo[some, j], hi[some, j] = bits[cells], first[cells], last[cells]
    return sets


def _narrowed(names: tuple[str, ...], axes: list[Axis], lo: Positions, hi: Positions) -> Iterator[tuple[str, str]]:
    """Narrow the columns that the rows are sorted by, in place; give the direction of each."""
    for j, (name, axis) in enumerate(zip(names, axes, strict=True)):
        if any(group.pattern for group in axis.groups):
            continue  # codes that nobody listed have no place among the others
        up, down = (_bounded(lo[::step, j], hi[::step, j]) for step in (1, -1))
        if (up is None) == (down is None):
            continue  # not sorted; or one value may be in all cells, and what fits both directions shows neither
        step = 1 if up is not None else -1
        lo[::step, j], hi[::step, j] = up or down  # type: ignore[misc]
        yield name, "ascending" if step == 1 else "descending"


def _bounded(lo: Positions, hi: Positions) -> Column | None:
    """Narrow the cells of a column that ascends; None if it cannot ascend. No value and ``*`` bound nothing."""
    bare = lo == MISSING
    low = np.maximum.accumulate(lo)
    high = np.minimum.accumulate(np.where(bare, TOP, hi)[::-1])[::-1]
    if (low > high).any():
        return None
    return np.where(bare, lo, low), np.where(bare, hi, high)
