"""What is asked and given of rows before and after: someone's cells, which only who asks for them is shown."""

from __future__ import annotations

from shoal.web.tasks.messages import CandidateSpec, Message, RiskRequest


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
