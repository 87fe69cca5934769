"""What is asked and given of candidates that are measured by more than what is measured of all."""

from __future__ import annotations

from typing import Any

from shoal.web.tasks.messages import CandidateSpec, Message, RolesRequest


class ScoresRequest(RolesRequest):
    """Measure some candidates, made from all rows, each by these measures of the catalogue."""

    candidates: tuple[CandidateSpec, ...]
    measures: tuple[dict[str, Any], ...]


class CandidateScore(Message):
    """What a measure of the catalogue found of a candidate.

    Attributes
    ----------
    key, measure
        The names of the candidate and of the measure.
    value, lower, upper
        What was measured, and its bounds if the measure draws; None if nothing was.
    problem
        Why nothing was measured.
    """

    key: str
    measure: str
    value: float | None = None
    lower: float | None = None
    upper: float | None = None
    problem: str = ""
