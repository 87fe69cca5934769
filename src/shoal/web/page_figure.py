"""A figure of the page, drawn once for wide screens and once for narrow ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.charts import Figure

WIDE, BROAD, NARROW = 580.0, 760.0, 330.0  # of half a page, of most of it, and of a telephone


@dataclass(frozen=True)
class Drawing:
    """A figure as it is drawn for wide screens and for narrow ones."""

    wide: Figure
    narrow: Figure

    @property
    def title(self) -> str:
        """What it shows."""
        return self.wide.title

    def html(self) -> str:
        """Give it for the page, which shows one of the two."""
        return self.wide.html(narrow=self.narrow)


def both(
    chart: Callable[..., Figure], rows: Sequence[Mapping[str, Any]], *, wide: float = WIDE, **look: Any
) -> Drawing:
    """Draw a figure of rows for wide screens and for narrow ones."""
    return Drawing(chart(rows, **look, width=wide), chart(rows, **look, width=NARROW))
