"""Small things that workers tell the driver while they make parts, so that nobody has to visit the parts again."""

from __future__ import annotations

import pickle
from typing import Any

from shoal.engines.parts.pool import Part, Summarize

Found = dict[tuple[int, int], bytes]


class _Together:
    """Adds notes up, as Spark asks for it; a part that is made again tells the same again."""

    def zero(self, value: Found) -> Found:
        return {}

    def addInPlace(self, value1: Found, value2: Found) -> Found:  # noqa: N802 - so it is called
        value1.update(value2)
        return value1


class Taker:
    """What travels to the workers to take notes of the parts that one piece of work makes."""

    def __init__(self, piece: int, summarize: Any, notes: Any) -> None:
        self.piece, self.summarize, self.notes = piece, summarize, notes

    def take(self, number: int, part: Part) -> None:
        """Note what is to be told of a part."""
        self.notes.add({(self.piece, number): pickle.dumps(self.summarize(number, part), protocol=5)})


class Notes:
    """What workers have told, until it is asked for."""

    def __init__(self, context: Any) -> None:
        self._notes = context.accumulator({}, _Together())
        self._pieces = 0

    def taker(self, summarize: Summarize) -> Taker | None:
        """Give what takes notes for the next piece of work, if there is something to tell."""
        self._pieces += 1
        return None if summarize is None else Taker(self._pieces, summarize, self._notes)

    def of(self, taker: Taker, parts: int) -> list[Any]:
        """Give what was told of each part, and forget all notes: those of earlier work came from parts made again."""
        found, self._notes.value = self._notes.value, {}
        return [pickle.loads(found[taker.piece, number]) for number in range(parts)]  # noqa: S301 - made by our workers
