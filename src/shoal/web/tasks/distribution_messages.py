"""What is asked and given of how columns are spread before and after."""

from __future__ import annotations

from shoal.web.tasks.messages import CandidateSpec, Message, RolesRequest


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
