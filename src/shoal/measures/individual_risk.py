"""Individual risk: the mean chance that a match with a record of a sample is right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from shoal.measures import Direction, Score, nothing_to_measure
from shoal.measures.reidentification.linkage_cells import attacked
from shoal.models.record_risks import RecordRisks
from shoal.parameters import settle
from shoal.table import Table


@dataclass(frozen=True)
class IndividualRisk:
    """The mean over records of the chance that a match with them is right, with survey weights (Franconi-Polettini).

    The f records of a class stand for F people, the sum of their weights, if the table has a column of weights. How
    many people there are really is taken to be f and a negative binomial number of others, each record having been
    drawn with chance f/F; the risk is the mean of one in their number. It is found by a recursion of two terms, which
    is exact to eleven digits for all f and F. Without weights, the table is the population, and the risk 1/f. Records
    agree with a hidden or missing cell whatever they show there. The detail has the sum (``expected``: how many are
    found rightly), and the ``highest``.

    Parameters
    ----------
    known
        The attributes that are looked at; all quasi-identifiers if left out.

    References
    ----------
    L. Franconi, S. Polettini: Individual risk estimation in µ-Argus: a review, Privacy in Statistical Databases 2004,
    doi:10.1007/978-3-540-25955-8_20.
    """

    name: ClassVar[str] = "individual-risk"
    direction: ClassVar[Direction] = "lower is safer"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    known: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Take names as they are given."""
        settle(self)

    def look(self, released: Table) -> Score:
        """Find the risk of all records."""
        if not released.rows:
            return nothing_to_measure(self.name, "there are no records")
        found = RecordRisks.of(released, attacked(released.schema, self.known))
        detail = {
            "records": released.rows,
            "expected": found.expected,
            "highest": float(found.risks.max()),
            "population": float(found.weights.sum()),
        }
        return Score.exact(self.name, min(found.expected / released.rows, 1.0), detail)

    @staticmethod
    def sentence(detail: Mapping[str, Any]) -> str:
        """Say how many are expected to be found."""
        return (
            f"{detail['expected']:,.4g} of {detail['records']:,} records are expected to be found rightly among "
            f"{detail['population']:,.0f} people, the most exposed one with a chance of {detail['highest']:.3g}."
        )
