"""What the paper printed, as far as a table can be compared with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from shoal.assessment.study import Row
from shoal.charts.numerals import Format
from shoal_paper.datasets.published import FULL

PUBLISHED = "published"
percent = Format(percent=True)


@dataclass(frozen=True)
class Printed:
    """Which numbers of the paper may stand beside those of a table.

    Parameters
    ----------
    applies
        Whether the table is of the kind that the paper is about.
    rows
        How many records it has.
    """

    applies: bool
    rows: int

    @classmethod
    def beside(cls, results: Mapping[str, Sequence[Row]], applies: bool) -> Printed:
        """Tell it from the rows of a study."""
        return cls(applies, int(results["masking"][0]["total"]))

    @property
    def full(self) -> bool:
        """Whether those numbers may, too, that depend on how many records there are."""
        return self.applies and self.rows == FULL

    @property
    def caution(self) -> str:
        """Say why numbers of the paper are not shown; nothing where they are, or where there are none."""
        if self.full or not self.applies:
            return ""
        return f"What the paper prints is about {FULL:,} records and not shown beside these {self.rows:,}."

    def said(self, text: str) -> str:
        """Give a text with numbers of the full table, or why it cannot stand here."""
        return text if self.full else self.caution


def by_pair(printed: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Give the correlations of a printed table by pair.

    >>> by_pair({"los": (-0.005,)})
    {'los ~ adm_qtr': -0.005}
    """
    values = [value for row in printed.values() for value in row]
    pairs = combinations([*printed, "adm_qtr"], 2)
    return {f"{a} ~ {b}": value for (a, b), value in zip(pairs, values, strict=True)}
