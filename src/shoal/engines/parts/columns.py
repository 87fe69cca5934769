"""Columns beside the parts of a table: one value per record, computed when it is first needed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from shoal.arrays import Array
from shoal.engines.local_data import LocalData, spans
from shoal.engines.parts.pool import Handle
from shoal.engines.protocol import RowKernel
from shoal.schema import Schema


@dataclass(frozen=True, eq=False)
class RowFunction:
    """A value that is computed from the quasi-identifiers of a record alone, wherever these are."""

    schema: Schema
    kernel: RowKernel

    def of(self, data: LocalData) -> NDArray[Any]:
        """Compute the value of each record."""
        found: NDArray[Any] = self.kernel(spans(data, self.schema))
        return found if data.index.size == 0 else found[data.index]


@dataclass(frozen=True, eq=False)
class Grouped:
    """Records shuffled so that each class is whole in one part.

    ``records(number, *parts)`` gives the columns of those in a part: their cells, row numbers and labels from 0 on.
    """

    records: Callable[..., dict[str, NDArray[Any]]]
    handles: tuple[Handle, ...]


class LazyColumn(ABC):
    """A column that is computed when it is first needed.

    It is materialized to read its values in the order of the table. A column that offers a shorter way to what it is
    needed for overrides one of the other methods, all of which may give None.
    """

    @abstractmethod
    def compute(self) -> Handle:
        """Compute the column, in parts beside those of the table."""

    @cached_property
    def _handle(self) -> Handle:
        return self.compute()

    def materialize(self) -> Handle:
        """Give the parts of the column, which are computed once."""
        return self._handle

    def row_function(self, data: object) -> RowFunction | None:
        """Give the function that computes the column from the cells of this table."""
        return None

    def grouped(self, cells: Handle) -> Grouped | None:
        """Give the records with these cells by the classes of which this column holds the labels."""
        return None

    def then(self, kernel: Callable[..., Array]) -> LazyColumn | None:
        """Apply a kernel to the values without materializing them first."""
        return None


@dataclass(frozen=True, eq=False)
class Materialized(LazyColumn):
    """A column whose parts exist already."""

    handle: Handle

    def compute(self) -> Handle:
        """Give the parts."""
        return self.handle
