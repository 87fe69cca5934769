"""Rounded ends: ranges are widened until both their ends lie on a public grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from shoal.arrays import Positions
from shoal.domains.levels import Widening
from shoal.domains.public_grid import GridStep, in_words, numbers_at, rounded
from shoal.engines.values import Boxes
from shoal.kernels import MISSING
from shoal.models import PrivacyModel
from shoal.models.rounded_ends import EndSteps, RoundedEnds, refuse_no_ends, steps_of
from shoal.parameters import settle
from shoal.table import Table


@dataclass(frozen=True)
class RoundEnds:
    """Widen every range until both its ends lie on a grid that does not depend on the data.

    It comes after a method that forms classes (``--ends 5`` does so). Classes that then show the same are one, so k
    never falls. A range whose grid ends cannot be written becomes ``*``. The release promises `RoundedEnds`.

    Parameters
    ----------
    ends
        The grid, as `RoundedEnds` takes it: a number, a unit of time, or one of these for each column.

    References
    ----------
    A. Cohen, K. Nissim: Towards formalizing the GDPR's notion of singling out, PNAS 117(15), 2020,
    doi:10.1073/pnas.1914598117.
    """

    name: ClassVar[str] = "round-ends"
    enforces: ClassVar[tuple[str, ...]] = ("rounded-ends",)
    ends: EndSteps = 5

    def __post_init__(self) -> None:
        """Refuse what is no grid."""
        settle(self)
        refuse_no_ends(self.ends)

    def asks(self, models: Sequence[PrivacyModel]) -> tuple[PrivacyModel, ...]:
        """Promise what it does."""
        own = RoundedEnds(self.ends)
        return (*models, *([] if own in models else [own]))

    def apply(self, table: Table, models: Sequence[PrivacyModel], seed: int) -> Table:
        """Widen the ranges."""
        steps = steps_of(table.schema, self.ends)
        return table.recode({name: _widening(table, name, step) for name, step in steps.items()})

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say what is done."""
        steps = steps_of(table.schema, self.ends)
        where = ", ".join(f"{name} to {in_words(step)}" for name, step in steps.items())
        return f"Widened ranges until they end on a public grid ({where})."


def _ends(cells: Boxes) -> tuple[Positions, Positions]:
    low, high = cells.lo[:, 0], cells.hi[:, 0]
    ranges = (low != high) & (low != MISSING)
    return np.unique(low[ranges]), np.unique(high[ranges])


def _widening(table: Table, name: str, step: GridStep) -> Widening:
    """Say what becomes of the ends of ranges in a column, on an axis that has the points of the grid too."""
    axis, found = table.schema[name].axis, table.boxes(_ends, (name,))
    ends = [np.unique(np.concatenate([part[side] for part in found])) for side in (0, 1)]
    points = [rounded(axis, step, numbers_at(axis, ends[side]), up=bool(side)) for side in (0, 1)]
    if axis.values is None:
        places = [np.where(written, value, MISSING).astype(np.int32) for value, written in points]
        return Widening(axis, (ends[0], places[0]), (ends[1], places[1]), None)
    values = np.unique(np.concatenate([axis.values, *(value[written] for value, written in points)]))
    places = [np.where(written, np.searchsorted(values, value), MISSING).astype(np.int32) for value, written in points]
    moves = np.searchsorted(values, axis.values).astype(np.int32)
    return Widening(replace(axis, values=values), (ends[0], places[0]), (ends[1], places[1]), moves)
