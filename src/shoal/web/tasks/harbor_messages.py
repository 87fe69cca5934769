"""What is asked and given of the identifiers of safe harbor."""

from __future__ import annotations

from shoal.web.tasks.messages import Message, TableRequest


class HarborRequest(TableRequest):
    """Find the eighteen kinds of identifiers in a table that is released in such a year; this year if left out."""

    year: int | None = None


class HarborMatch(Message):
    """A column that looks like one of the eighteen kinds: see `shoal.models.harbor_kinds.HarborColumn`.

    Attributes
    ----------
    how
        How the hierarchy is built that leaves something of it; nothing if it is removed.
    """

    column: str
    kind: str
    by: str
    share: float | None
    sure: bool
    how: str = ""


class HarborPopulation(Message):
    """Which list of ZIP codes of few people is used, and its SHA-256."""

    name: str
    sha256: str


class HarborSummary(Message):
    """What safe harbor finds, and the recipe that follows, as it is written."""

    year: int
    columns: tuple[HarborMatch, ...]
    kept: tuple[str, ...]
    population: HarborPopulation
    recipe: str
