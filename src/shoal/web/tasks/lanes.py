"""Lanes of work: each has room of its own, so that what a person waits for never stands behind what is done ahead."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Lane:
    """Work of one urgency.

    Parameters
    ----------
    name
        What it is called.
    at_once
        How many processes work on it at a time.
    niceness
        How far they stand back behind other processes, as the system counts it.
    preloaded
        The modules of tasks that its processes load before they are asked.
    """

    name: str
    at_once: int
    niceness: int
    preloaded: tuple[str, ...] = ()


OPENING = Lane("opening", 2, 0, ("profile",))  # someone has nothing to look at yet
SHOWN = Lane("shown", 2, 5, ("risk", "candidates", "distributions"))  # what is on the screen, or is to be
RELEASE = Lane("release", 1, 5)  # someone waits, but knows that it takes its time
AHEAD = Lane("ahead", max(1, (os.cpu_count() or 1) - 1), 15, ("candidates",))  # what someone may ask for next
LANES = (OPENING, SHOWN, RELEASE, AHEAD)
