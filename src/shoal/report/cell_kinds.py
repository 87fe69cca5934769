"""How coarse the cells of a released column are, in its own unit: exact, in ranges or sets of some width, or hidden."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.domains.axis import Axis
from shoal.engines.values import Boxes
from shoal.kernels import MISSING, TOP
from shoal.languages import _, number
from shoal.report.discretion import percent
from shoal.table import Table

_DAY = {"date": 1.0, "datetime": 86400e6}  # how many steps of the axis a day has


@dataclass(frozen=True)
class CellKinds:
    """What the cells of a column are.

    Parameters
    ----------
    exact, coarse, hidden, missing
        The shares of cells that are one value, several, ``*``, or nothing.
    width
        How wide the coarse ones are on average: in the unit of a number, in days of a date, else in values.
    unit
        What the width counts: nothing for numbers, ``days``, or ``values``.
    """

    exact: float
    coarse: float
    hidden: float
    missing: float
    width: float
    unit: str

    @classmethod
    def of(cls, released: Table, name: str) -> CellKinds:
        """Count the cells of a released column."""
        axis = released.schema[name].axis
        parts = np.sum(released.boxes(_counted(axis), (name,)), axis=0)
        exact, coarse, hidden, missing, width = (float(part) for part in parts)
        unit = "values" if not axis.numeric else "days" if axis.kind in _DAY else ""
        rows = max(1, released.rows)
        return cls(exact / rows, coarse / rows, hidden / rows, missing / rows, width / max(1.0, coarse), unit)

    def sentence(self) -> str:
        """Say it in a few words.

        >>> CellKinds(0.13, 0.87, 0, 0, 5, "").sentence()
        '13% exact, 87% in ranges of 5 on average'
        >>> CellKinds(0.9, 0.08, 0.02, 0, 3.25, "values").sentence()
        '90% exact, 8% in sets of 3.25 values on average, 2% hidden'
        """
        if self.exact == 1:
            return _("exact")
        wide = number(self.width, ".3g")
        said = {
            "": _("%(share)s in ranges of %(width)s on average", share=percent(self.coarse), width=wide),
            "days": _("%(share)s in ranges of %(width)s days on average", share=percent(self.coarse), width=wide),
            "values": _("%(share)s in sets of %(width)s values on average", share=percent(self.coarse), width=wide),
        }[self.unit]
        parts = [
            (self.exact, _("%(share)s exact", share=percent(self.exact))),
            (self.coarse, said),
            (self.hidden, _("%(share)s hidden", share=percent(self.hidden))),
            (self.missing, _("%(share)s missing", share=percent(self.missing))),
        ]
        return ", ".join(text for share, text in parts if share)


def _counted(axis: Axis) -> Callable[[Boxes], NDArray[np.float64]]:
    """Count the cells of a batch by what they are, and sum up how wide the coarse ones are."""

    def counted(cells: Boxes) -> NDArray[np.float64]:
        lo, hi, counts = cells.lo[:, 0], cells.hi[:, 0], cells.counts
        shown = lo != MISSING
        wide = np.zeros(lo.size)
        if axis.nominal:
            used, place = np.unique(lo[shown], return_inverse=True)
            wide[shown] = np.array([len(axis.members(position)) for position in used.tolist()], np.float64)[place]
            single = wide == 1
        elif not axis.numeric:
            wide[shown] = hi[shown] - lo[shown] + 1.0
            single = shown & (lo == hi)
        else:
            numbers = axis.coordinates()
            ends = (lo, hi) if numbers is None else (numbers[np.where(shown, lo, 0)], numbers[np.where(shown, hi, 0)])
            wide = np.where(shown, ends[1].astype(np.float64) - ends[0], 0.0) / _DAY.get(axis.kind, 1.0)
            single = shown & (lo == hi)
        coarse = shown & ~single
        hidden = ~shown & (hi == TOP)
        missing = ~shown & ~hidden
        kinds = [counts[which].sum() for which in (single, coarse, hidden, missing)]
        return np.array([*kinds, (counts * wide)[coarse].sum()], np.float64)

    return counted
