"""What is asked and given of candidates beyond what is found of all: rows, distributions, scores and attacks."""

from __future__ import annotations

from typing import Any

from shoal.web.tasks.messages import CandidateSpec, Message, RiskRequest, RolesRequest


class RowsRequest(RiskRequest):
    """Give some rows as they are and as they would be released: someone's cells, for a person who asks for them."""

    candidate: CandidateSpec
    count: int = 6


class RowsBeforeAfter(Message):
    """Some rows of a table, or of a sample, before and after: someone's cells, for a person who asked for them."""

    key: str
    sampled: int | None
    names: tuple[str, ...]
    before: tuple[tuple[str, ...], ...]
    after: tuple[tuple[str, ...], ...]


class DistributionsRequest(RolesRequest):
    """Compare the values of columns before and after, in some candidates."""

    candidates: tuple[CandidateSpec, ...]


class ColumnDistribution(Message):
    """How the values of a column are spread before and after, in rows for a figure."""

    column: str
    stepped: bool
    rows: tuple[dict[str, float | str], ...]


class Distributions(Message):
    """How the columns of a candidate are spread before and after."""

    key: str
    sampled: int | None
    columns: tuple[ColumnDistribution, ...]


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


class AttackRequest(RolesRequest):
    """Attack a candidate, made from all rows but those of some people who are set aside."""

    candidate: CandidateSpec


class AttackSuccess(Message):
    """How often an attack succeeds: see `shoal.attacks.Success`."""

    name: str
    rate: float
    control: float | None
    residual: float | None
    low: float | None
    high: float | None


class AttackSummary(Message):
    """How a candidate was attacked.

    Attributes
    ----------
    key
        The name of the candidate.
    attacks
        How often each attack succeeds.
    problem
        Why nothing was attacked.
    """

    key: str
    attacks: tuple[AttackSuccess, ...] = ()
    problem: str = ""
