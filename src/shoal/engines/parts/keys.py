"""Keys by which records are sorted: positions, numbers that their cells tell, and numbers that lie beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from shoal.engines.local.data import LocalData, spans
from shoal.engines.parts.data import PartSchema, PartsTable, value_of
from shoal.engines.parts.pool import Beside, Handle, Lazy, Part, Pool, home
from shoal.engines.protocol import RowKernel
from shoal.schema import Schema

# What gives the keys of a part from its cells, its codes, and what lies beside them.
KeysIn = Callable[[Part, Part, Sequence[Part]], list[NDArray[Any]]]


@dataclass(frozen=True, eq=False)
class RowFunction:
    """How the cells of records tell a number for each."""

    schema: Schema
    kernel: RowKernel

    def by(self, here: LocalData) -> NDArray[Any]:
        """Give the numbers of some records."""
        found: NDArray[Any] = self.kernel(spans(here, self.schema))
        return found if here.index.size == 0 else found[here.index]


@dataclass(frozen=True, eq=False)
class MappedColumn(Lazy):
    """A number for each record that its cells tell: it can be found anew wherever they are."""

    pool: Pool
    data: PartsTable
    function: RowFunction

    @cached_property
    def column(self) -> Handle:
        """The number of each record, beside the parts of the table."""
        shape, told = self.data.shape.bare, self.function
        return self.pool.map(
            lambda number, cells, codes: {"value": told.by(shape.local(cells, codes))}, self.data.cells, self.data.codes
        )


def keys_in(data: PartsTable, keys: Sequence[str | Beside]) -> tuple[KeysIn, list[Handle]]:
    """Say how keys are found in the parts of a table, and what must lie beside these for that."""
    shape = data.shape
    ways = [_way(data, key) for key in keys]

    def found(cells: Part, codes: Part, given: Sequence[Part]) -> list[NDArray[Any]]:
        beside = iter(given)
        bare = all(not isinstance(way, str) or way in shape.quasi for way in ways)
        here = (shape.bare if bare else shape).local(cells, codes) if any(way is not None for way in ways) else None
        return [value_of(next(beside)) if way is None else _key(way, here) for way in ways]

    return found, [home(key) for key in keys if not isinstance(key, str) and _way(data, key) is None]


def keys_by_cells(data: PartsTable, keys: Sequence[str | Beside]) -> Callable[[Part], list[NDArray[Any]]] | None:
    """Say how the cells of records tell their keys, wherever they were brought; None if they do not tell all."""
    shape = data.shape.bare
    ways = [way for key in keys if (way := _way(data, key)) is not None and way not in data.shape.carried]
    if len(ways) < len(keys):
        return None

    def found(part: Part) -> list[NDArray[Any]]:
        return [_key(way, cells_there(shape, part)) for way in ways]

    return found


def cells_there(shape: PartSchema, part: Part) -> LocalData:
    """Give the cells of records that were brought together as the local engine would hold them."""
    return shape.holding(part["lo"], part.get("hi", part["lo"]))


def _way(data: PartsTable, key: str | Beside) -> str | RowFunction | None:
    """Tell how a key is found: by its name, by what cells tell, or in a column of its own."""
    if isinstance(key, MappedColumn) and key.data is data:
        return key.function
    return key if isinstance(key, str) else None


def _key(way: str | RowFunction, here: LocalData | None) -> NDArray[Any]:
    assert here is not None
    return way.by(here) if isinstance(way, RowFunction) else here.positions(way)
