"""Zones: how far the clocks of a column were ahead of UTC, and from when on.

Moments are compared and measured in UTC, and shown as the clocks showed them. What a text tells of its zone is the
offset alone, so a zone is known by the offsets that occur, whether a column came with its name or not.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_START = datetime.datetime(1970, 1, 1)
_STEP = datetime.timedelta(microseconds=1)


@dataclass(frozen=True, eq=False)
class Zone:
    """The offsets of a zone.

    Parameters
    ----------
    starts
        Moments in ascending order, in microseconds of UTC since 1970.
    offsets
        The seconds that clocks were ahead of UTC, from each of these moments on; the first also holds before.
    name
        What a typed column calls it, such as ``Asia/Tokyo``; None if that is not known.
    """

    starts: NDArray[np.int64]
    offsets: NDArray[np.int64]
    name: str | None = None

    @classmethod
    def of(cls, moments: NDArray[np.int64], offsets: NDArray[np.int64], name: str | None = None) -> Zone:
        """Give the zone in which clocks had these offsets at these moments."""
        starts, first = np.unique(moments, return_index=True)
        there = offsets[first]
        news = np.flatnonzero(np.append(True, there[1:] != there[:-1])) if starts.size else np.empty(0, np.int64)
        return cls(starts[news], there[news], name)

    @property
    def typed(self) -> str:
        """What a typed column can call it: its name, its one offset, or UTC where only several offsets are known."""
        if self.name is not None:
            return self.name
        if self.offsets.size != 1 or self.offsets[0] % 60:
            return "UTC"
        sign, minutes = "+-"[int(self.offsets[0] < 0)], abs(int(self.offsets[0])) // 60
        return f"{sign}{minutes // 60:02}:{minutes % 60:02}"

    @property
    def ahead(self) -> int:
        """The microseconds that clocks were ahead of UTC at last."""
        return int(self.offsets[-1]) * 1_000_000 if self.offsets.size else 0

    def shown(self, moment: int) -> datetime.datetime:
        """Give a moment as the clocks showed it."""
        at = max(int(np.searchsorted(self.starts, moment, "right")) - 1, 0)
        ahead = datetime.timedelta(seconds=int(self.offsets[at]) if self.offsets.size else 0)
        return (_START + moment * _STEP + ahead).replace(tzinfo=datetime.timezone(ahead))


def zone_in(texts: list[str], moments: NDArray[Any]) -> Zone | None:
    """Give the zone that ISO texts of moments are in; None if they name none."""
    if not texts or datetime.datetime.fromisoformat(texts[0]).tzinfo is None:
        return None
    offsets = (datetime.datetime.fromisoformat(text).utcoffset() for text in texts)
    return Zone.of(moments, np.array([int(ahead.total_seconds()) for ahead in offsets if ahead is not None], np.int64))
