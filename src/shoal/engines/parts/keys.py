"""Sort keys of records: positions, values computed from cells, and values of columns beside the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from shoal.engines.local_data import LocalData
from shoal.engines.parts.columns import LazyColumn, RowFunction
from shoal.engines.parts.data import PartsTable, column_part, value_of
from shoal.engines.parts.pool import Handle, Part, Pool

# What gives the keys of a part from its cells, its codes, and the columns beside it.
KeysIn = Callable[[Part, Part, Sequence[Part]], list[NDArray[Any]]]


@dataclass(frozen=True, eq=False)
class MappedColumn(LazyColumn):
    """A value for each record that is computed from its cells, and can be computed again wherever they are."""

    pool: Pool
    data: PartsTable
    function: RowFunction

    def compute(self) -> Handle:
        """Compute the value of each record, part by part."""
        shape, function = self.data.shape.quasi_only, self.function
        return self.pool.map(
            lambda number, cells, codes: column_part(function.of(shape.local(cells, codes))),
            self.data.cells,
            self.data.codes,
        )

    def row_function(self, data: object) -> RowFunction | None:
        """Give the function, if this is the table that it is about."""
        return self.function if data is self.data else None


def keys_in(data: PartsTable, keys: Sequence[str | LazyColumn]) -> tuple[KeysIn, list[Handle]]:
    """Say how keys are found in the parts of a table, and which columns must be read for that."""
    sources = [_source(data, key) for key in keys]
    names = {source for source in sources if isinstance(source, str)}
    shape = data.shape.quasi_only if names <= set(data.shape.quasi) else data.shape

    def found(cells: Part, codes: Part, given: Sequence[Part]) -> list[NDArray[Any]]:
        beside = iter(given)
        here = shape.local(cells, codes) if any(source is not None for source in sources) else None
        return [value_of(next(beside)) if source is None else _key(source, here) for source in sources]

    columns = [key for key, source in zip(keys, sources, strict=True) if source is None]
    return found, [column.materialize() for column in columns if not isinstance(column, str)]


def keys_by_cells(data: PartsTable, keys: Sequence[str | LazyColumn]) -> Callable[[Part], list[NDArray[Any]]] | None:
    """Say how keys are computed again from the cells of shuffled records; None if some cannot be."""
    shape = data.shape.quasi_only
    sources = [found for key in keys if (found := _source(data, key)) is not None and found not in data.shape.carried]
    if len(sources) < len(keys):
        return None
    return lambda part: [_key(source, shape.holding(*shape.ends(part))) for source in sources]


def _source(data: PartsTable, key: str | LazyColumn) -> str | RowFunction | None:
    """Give the name or the function by which a key is found in the cells; None if it has to be materialized."""
    return key if isinstance(key, str) else key.row_function(data)


def _key(source: str | RowFunction, here: LocalData | None) -> NDArray[Any]:
    assert here is not None
    return here.positions(source) if isinstance(source, str) else source.of(here)
