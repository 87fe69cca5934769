"""What measures share that look at nothing but the sizes of classes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from shoal.measures import Score
from shoal.schema import Schema
from shoal.table import Classes


@dataclass(frozen=True)
class SizeMeasure(ABC):
    """A formula of how many classes there are of each size."""

    name: ClassVar[str]
    range: ClassVar[tuple[float, float]] = (1.0, float("inf"))
    known: tuple[str, ...] | None = None

    @abstractmethod
    def formula(self, sizes: Counter[int]) -> Score:
        """Give the score, from how many classes have each size."""
        ...

    def carries(self, schema: Schema) -> tuple[str, ...]:
        """Look at nothing but the sizes of classes."""
        return ()

    def part(self, classes: Classes, schema: Schema) -> Counter[int]:
        """Count the classes of each size."""
        return classes.counts_of_sizes

    def finish(self, parts: Sequence[Counter[int]]) -> Score:
        """Put the counts together."""
        return self.formula(sum(parts, Counter[int]()))


def records_in(sizes: Counter[int]) -> int:
    """Count the records of classes by their sizes."""
    return sum(size * count for size, count in sizes.items())
