"""Known matches: how many released records fit what somebody knows of a person, hidden values included."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shoal.arrays import Integers
from shoal.engines.values import Boxes
from shoal.errors import ParameterError
from shoal.linked.traces import TracePoints
from shoal.measures import Direction, Score
from shoal.parameters import settle
from shoal.populations.covering import covering
from shoal.table import Table


@dataclass(frozen=True)
class KnownMatches:
    """The share of records that fewer released records fit than so many, for somebody who knows all of their values.

    A released record fits if what it shows is, or holds, what the person has; a hidden cell fits everything. So it is
    seen what hiding cells is worth against somebody who knows the hidden ones: what k-anonymity by ``either`` leaves
    open.

    Parameters
    ----------
    fewer
        How many records are to fit, 2 or more: with 2 the share is that of people who can be found for sure.

    References
    ----------
    M. Templ, A. Kowarik, B. Meindl: Statistical disclosure control for micro-data using the R package sdcMicro, Journal
    of Statistical Software 67(4), 2015, doi:10.18637/jss.v067.i04.
    """

    name: ClassVar[str] = "known-matches"
    direction: ClassVar[Direction] = "lower is safer"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    fewer: int = 2

    def __post_init__(self) -> None:
        """Refuse a number that everybody has."""
        settle(self)
        if isinstance(self.fewer, bool) or not isinstance(self.fewer, int) or self.fewer < 2:
            raise ParameterError("Of how many records fewer may fit is a whole number of at least 2.", "Give k.")

    def score(self, original: Table, released: Table) -> Score:
        """Count for each distinct record of the original the released ones that fit it."""
        (known, have), (shown, counts) = (_distinct(table) for table in (original, released))
        record, cell = covering(known, shown)
        fit = np.bincount(record, counts[cell], known.number)
        below, alone = (int(have[fit < number].sum()) for number in (self.fewer, 2))
        records = int(have.sum())
        detail = {"records": records, "fewer": self.fewer, "below": below, "alone": alone, "smallest": int(fit.min())}
        return Score.exact(self.name, below / records, detail)

    @staticmethod
    def sentence(detail: Mapping[str, Any]) -> str:
        """Say in words what was found."""
        return (
            f"To somebody who knows all of their values, hidden ones too, {detail['below']:,} of {detail['records']:,} "
            f"records are among fewer than {detail['fewer']:,} that fit, and {detail['alone']:,} of them are alone."
        )


def _distinct(table: Table) -> tuple[TracePoints, Integers]:
    """Give the distinct records of a table, and how many there are of each."""

    def collected(boxes: Boxes) -> tuple[Any, Any, Integers]:
        return boxes.lo, boxes.hi, boxes.counts

    parts = table.boxes(collected)
    lo, hi, counts = (np.concatenate([part[i] for part in parts]) for i in range(3))
    names = table.schema.quasi
    return TracePoints(names, tuple(table.schema[name].axis for name in names), lo, hi), counts
