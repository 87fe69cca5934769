"""A section of a risk: what one view of a table found, as plain values, in sentences, and in small tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.charts import Figure


@dataclass(frozen=True)
class ShownTable:
    """A small table of texts: its title, its head, and its lines, whose first cell says what they are about."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class RiskSection:
    """What one view of a table's risk found.

    A module of its own gives it, from the table and what was asked: so sections can be added without each other.

    Attributes
    ----------
    title
        What the section is about; the heading in a report.
    found
        Plain values by name, which join those of the whole risk, as ``--json`` shows them.
    sentences
        The same, as a person says it.
    tables
        What is shown below the sentences, on a terminal and in a report.
    pictures
        Draws what a report shows beside them, when it is asked for.
    """

    title: str
    found: Mapping[str, Any]
    sentences: Sequence[str]
    tables: Sequence[ShownTable] = ()
    pictures: Callable[[], Sequence[Figure]] = tuple
