"""How long something still takes, judged by how far it has come."""

from __future__ import annotations

import math
import time
from collections import deque

from shoal.progress import Look

_FIRST = 1.0  # seconds before which there is nothing to go by
_LEAST = 0.005  # the share that must be done by then
_WINDOW = 30.0  # seconds that are looked back
_CALM = 3.0  # seconds in which an estimate follows what is found


class TimeLeft:
    """An estimate that is made anew for each thing that is done. It follows the pace of late, but slowly."""

    def __init__(self) -> None:
        self._key: object = None
        self._begun = 0.0
        self._left: float | None = None
        self._at = 0.0
        self._seen: deque[tuple[float, float]] = deque()

    def elapsed(self, now: float) -> float:
        """Tell for how many seconds it has been done."""
        return now - self._begun

    def after(self, look: Look, now: float | None = None) -> float | None:
        """Tell how many seconds are left; None as long as there is nothing to go by."""
        now = time.monotonic() if now is None else now
        if look.key != self._key:
            self._key, self._begun, self._left = look.key, now, None
            self._seen.clear()
        if look.share is None:
            return None
        if not self._seen or look.share > self._seen[-1][1]:
            self._seen.append((now, look.share))
        while len(self._seen) > 2 and self._seen[1][0] < now - _WINDOW:
            self._seen.popleft()
        then, share = self._seen[0]
        come = self._seen[-1][1] - share
        if now - self._begun < _FIRST or come < _LEAST:
            return None
        found = (1 - self._seen[-1][1]) * (now - then) / come
        if self._left is not None:
            expected = max(self._left - (now - self._at), 0.0)
            found = expected + (found - expected) * (1 - math.exp((self._at - now) / _CALM))
        self._left, self._at = found, now
        return found


def about(seconds: float) -> str:
    """Give an estimated time, no more precisely than it is known."""
    return in_words(max(math.ceil(seconds), 1) if seconds < 20 else 5 * math.ceil(seconds / 5))


def in_words(seconds: float) -> str:
    """Give a time as precisely as anyone would like to know it."""
    if seconds < 60:
        return f"{int(seconds)} s"
    minutes = int(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min" if minutes < 600 else f"{round(minutes / 60)} h"
