"""What is asked and given of the identifiers of safe harbor."""

from __future__ import annotations

from typing import Any

from shoal.web.tasks.messages import Message, TableRequest


class HarborRequest(TableRequest):
    """Find the eighteen kinds of identifiers in a table that is released in such a year; this year if left out.

    Attributes
    ----------
    countries
        Of which other countries numbers of people and post codes are looked for.
    people, people_file
        The people of ZIP codes as the text of a file, and what it is called; the list of the census if left out.
    """

    year: int | None = None
    countries: tuple[str, ...] = ()
    people: str = ""
    people_file: str = ""


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
    """What safe harbor finds, the recipe that follows, as it is written, and its promise, as the catalogue names it."""

    year: int
    countries: tuple[str, ...] = ()
    columns: tuple[HarborMatch, ...]
    kept: tuple[str, ...]
    population: HarborPopulation
    recipe: str
    rule: dict[str, Any]
