"""Summaries of parts, which workers send to the driver through an accumulator while they create the parts."""

from __future__ import annotations

import pickle
from typing import Any

from shoal.engines.parts.pool import Part, Summarize

Recorded = dict[tuple[int, int], bytes]


class _Merge:
    """Merges what workers recorded, as Spark asks for it; a part that is created again has the same summary again."""

    def zero(self, value: Recorded) -> Recorded:
        return {}

    def addInPlace(self, value1: Recorded, value2: Recorded) -> Recorded:  # noqa: N802 - so it is called
        value1.update(value2)
        return value1


class Recorder:
    """Records on the workers the summaries of the parts that one job creates, if there is anything to summarize."""

    def __init__(self, job: int, summarize: Summarize, recorded: Any) -> None:
        self.job, self.summarize = job, summarize
        self.recorded: Any = recorded if summarize else None  # which is then not sent at all

    def record(self, number: int, part: Part) -> None:
        """Record the summary of a part."""
        if self.summarize:
            self.recorded.add({(self.job, number): pickle.dumps(self.summarize(number, part), protocol=5)})


class Summaries:
    """Summaries on the driver, until they are taken."""

    def __init__(self, context: Any) -> None:
        self._recorded = context.accumulator({}, _Merge())
        self._jobs = 0

    def recorder(self, summarize: Summarize) -> Recorder:
        """Give what travels to the workers with the next job."""
        self._jobs += 1
        return Recorder(self._jobs, summarize, self._recorded)

    def take(self, recorder: Recorder, parts: int) -> list[Any]:
        """Give the summary of each part, and forget all others: they are of earlier parts that were created again."""
        if not recorder.summarize:
            return []
        found, self._recorded.value = self._recorded.value, {}
        return [pickle.loads(found[recorder.job, number]) for number in range(parts)]  # noqa: S301 - by our workers
