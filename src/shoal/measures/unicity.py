"""Unicity: the share of sets of a few known points that only one person has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from shoal.errors import ParameterError
from shoal.linked.traces import Traces, traces_of
from shoal.measures import Direction, Score, nothing_to_measure
from shoal.measures.reidentification.known_points import (
    MOST_POINTS,
    PEOPLE,
    InvertedLists,
    TraceAttack,
    attack,
)
from shoal.parameters import seed_of, settle
from shoal.table import Table


@dataclass(frozen=True)
class Unicity:
    """The share of sets of so many known points of a person that nobody else has, as a mean over people.

    Where people have several rows, someone may know a few of them: four purchases, say. A point is what the
    quasi-identifiers of a row say together, and each counts once for a person. All sets are counted, if that is no
    more work than ``effort``; else one set is drawn for each of ``sample`` people, and the bounds are the 95 % interval
    of the normal distribution.

    Of a release made from another table, this measures the published points alone. An attacker knows original ones:
    `shoal.compare` draws them there, and looks for what stands for them in the release.

    Parameters
    ----------
    points
        How many points are known: from 1 to 64.
    sample
        Of how many people one set each is drawn if counting all is too much work; 20,000 if left out.
    effort
        How many steps counting may take, about a nanosecond each; three thousand million if left out, and 0 draws a
        sample at once. The same effort gives the same result everywhere.
    seed
        What a sample is drawn by.

    References
    ----------
    Y.-A. de Montjoye, L. Radaelli, V. K. Singh, A. Pentland: Unique in the shopping mall: on the reidentifiability of
    credit card metadata, Science 347(6221), 2015, doi:10.1126/science.1256297; for traces of places, Y.-A. de Montjoye
    et al.: Unique in the crowd, Scientific Reports 3, 2013, doi:10.1038/srep01376.
    """

    name: ClassVar[str] = "unicity"
    direction: ClassVar[Direction] = "lower is safer"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    points: int = 4
    sample: int = PEOPLE
    effort: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        """Check what was asked for."""
        settle(self)
        if isinstance(self.points, bool) or not isinstance(self.points, int) or not 1 <= self.points <= MOST_POINTS:
            raise ParameterError(f"Known points are a whole number from 1 to {MOST_POINTS}.", "Try --points 1,2,3,4.")
        if isinstance(self.sample, bool) or not isinstance(self.sample, int) or self.sample < 1:
            raise ParameterError("A sample has at least one person.", "Leave it out for the usual number.")
        if self.effort is not None and (not isinstance(self.effort, int) or self.effort < 0):
            raise ParameterError("An effort is a whole number, at least 0.", "Leave it out for the usual one.")
        seed_of(self.seed)

    def look(self, released: Table) -> Score:
        """Measure the traces of a table."""
        if released.schema.person is None and released.schema.subject is None:
            return nothing_to_measure(self.name, "nothing says which rows belong to one person")
        return self.scored(self.of(traces_of(released)))

    def of(self, traces: Traces, lists: InvertedLists | None = None) -> TraceAttack:
        """Attack traces by their own points; the lists of who has each may be given if they are known."""
        lists = lists or InvertedLists.of(traces.offsets, traces.labels, traces.points.number)
        return self.against(traces, traces.labels, lists)

    def against(self, traces: Traces, known: Any, lists: InvertedLists) -> TraceAttack:
        """Look for candidates who have what stands for known points of people, by the number of its list."""
        return attack(traces.offsets, known, lists, self.points, effort=self.effort, sample=self.sample, seed=self.seed)

    def scored(self, found: TraceAttack) -> Score:
        """Give what was found as a score."""
        detail = {"points": found.points, "people": found.people, "exact": found.exact, "smallest": found.smallest}
        if not found.people:
            return nothing_to_measure(self.name, "nobody has so many points", detail)
        return Score(self.name, found.unique, found.lower, found.upper, detail)

    @staticmethod
    def sentence(detail: Mapping[str, Any]) -> str:
        """Say in words what was found."""
        if "people" not in detail or not detail["people"]:
            return f"Nothing to measure: {detail['nothing_to_measure']}."
        how = "all sets of their points" if detail["exact"] else "one set of their points each, drawn by chance"
        return (
            f"Of {detail['people']:,} people with at least {detail['points']} points, {how}; at least "
            f"{detail['smallest']:,} candidates are left."
        )
