"""What models of linked tables share: they are about what people have in their rows together, not about classes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import SchemaError
from shoal.linked.traces import TracePoints
from shoal.schema import Schema
from shoal.table import Carry, Classes, Table


@dataclass(frozen=True)
class Measured:
    """What a model found: the level that holds everywhere, how many cases break the promise, and how many there are."""

    level: float
    failing: int
    cases: int


class LinkedModel(ABC):
    """A promise about everything that somebody may know of a person's rows."""

    name: ClassVar[str]

    @abstractmethod
    def measured(self, table: Table) -> Measured:
        """Measure the model on a table whose rows belong to people."""

    def for_release(self, original: TracePoints, released: TracePoints) -> Self:
        """Give the promise with what is to be said of published labels, so that the release alone proves it."""
        return self

    @property
    @abstractmethod
    def promised(self) -> float:
        """The level that is to be reached, or not to be exceeded."""

    @abstractmethod
    def met(self, level: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell which levels keep the promise."""

    @abstractmethod
    def worst(self, level: NDArray[np.float64]) -> float:
        """Give the level that holds everywhere."""

    @abstractmethod
    def sentence(self, level: float, schema: Schema) -> str:
        """Say in words what a level means."""

    @abstractmethod
    def convention(self, schema: Schema) -> str:
        """Name the convention by which the level is measured."""

    @abstractmethod
    def demand(self, rows: int, subjects: int | None) -> None:
        """Refuse what so many people cannot keep, before any work is done."""

    def carries(self, schema: Schema) -> tuple[Carry, ...]:
        """Name the columns that the formula looks at inside a class: it looks at none."""
        return ()

    def reference(self, table: Table) -> Any:
        """Refuse a table whose rows do not belong together."""
        raise SchemaError(
            f"{self.name} is about the rows of people together, and these rows are not linked.",
            "Say whose each row is: --linked --subject p, linked=True, subject='p'.",
        )

    def level(self, classes: Classes, schema: Schema, reference: Any) -> NDArray[np.float64]:
        """Give no level of classes: none is asked for."""
        raise NotImplementedError

    def nearest(self, level: float) -> str:
        """Say what could be asked for when all people together reach only this level."""
        return f"Ask for at most {level:g}."
