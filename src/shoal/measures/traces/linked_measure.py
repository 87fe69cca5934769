"""What measures of linked tables share: they compare the traces of people before and after."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from shoal.linked.traces import Traces
from shoal.measures import Direction, Score


class LinkedMeasure(ABC):
    """A measure of what people's points lost between an original and its release."""

    name: ClassVar[str]
    direction: ClassVar[Direction] = "lower is more useful"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)

    @abstractmethod
    def compared(self, original: Traces, released: Traces) -> Score:
        """Compare the traces of the same people in the same order, on the same axes."""
