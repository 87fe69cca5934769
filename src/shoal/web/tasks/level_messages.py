"""What is asked and given of the lattice of levels."""

from __future__ import annotations

from typing import Any

from shoal.web.tasks.messages import Message, RolesRequest


class LevelsRequest(RolesRequest):
    """Look at every combination of levels, with these promises and at most such a share of records suppressed."""

    models: tuple[dict[str, Any], ...]
    limit: float = 0.05


class LevelsBest(Message):
    """The combination of levels that loses least, and whether that is proven."""

    levels: dict[str, int]
    loss: float
    outliers: int
    classes: int
    proven: bool
    share: float


class LevelsNode(Message):
    """A combination of levels that suppresses few enough records, and what it comes to."""

    levels: tuple[int, ...]
    loss: float
    outliers: int
    classes: int


class LevelsPlace(Message):
    """A place of the map: one of the combinations that lie there, and how many do."""

    levels: tuple[int, ...]
    loss: float
    share: float
    feasible: bool
    nodes: int


class LevelsSummary(Message):
    """What was found of a lattice of levels.

    Attributes
    ----------
    records, nodes, feasible
        How many records and combinations there are, and how many of these suppress few enough; None if not counted.
    limit, suppressible
        The share of records that may be suppressed, and how many that are.
    heights
        The highest level of each column.
    best
        The combination that loses least.
    leading
        Those that lose least, the least first.
    places
        All of them, as places of a map.
    """

    records: int
    nodes: int
    feasible: int | None
    limit: float
    suppressible: int
    heights: dict[str, int]
    best: LevelsBest | None
    leading: tuple[LevelsNode, ...]
    places: tuple[LevelsPlace, ...]
