"""How many records have each two cells, for all pairs of columns at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from shoal.arrays import Integers
from shoal.engines.values import Spans
from shoal.errors import ParameterError
from shoal.kernels.spans import Members
from shoal.methods.private.declared_columns import UnitsOf
from shoal.methods.private.tree_model import Pair, Pooling
from shoal.table import Table

_STRETCH = 1 << 16  # rows at a time, so that what is made of them stays in the processor's cache
MOST_CELLS = 1 << 24


def pair_counts(table: Table, units: UnitsOf, poolings: Sequence[Pooling]) -> Mapping[Pair, Integers]:
    """Count the records in the cells of all pairs of columns; those that are in no cell of one are left out."""
    kernel = _PairCounter(units, tuple(pooling.cells for pooling in poolings), tuple(each.size for each in poolings))
    if kernel.cells > MOST_CELLS:
        raise ParameterError(
            f"The pairs of these columns have {kernel.cells:,} cells, of at most {MOST_CELLS:,}.",
            "Declare larger steps, or fewer categories.",
        )
    return kernel.taken_apart(table.fold(table, kernel))


@dataclass(frozen=True, eq=False)
class _PairCounter:
    """What counts the pairs in some records. One more cell of each column takes those that are in none."""

    units: UnitsOf
    cells_of: tuple[Integers, ...]
    sizes: tuple[int, ...]

    @property
    def shapes(self) -> dict[Pair, tuple[int, int]]:
        found = combinations(range(len(self.sizes)), 2)
        return {(a, b): (self.sizes[a] + 1, self.sizes[b] + 1) for a, b in found}

    @property
    def cells(self) -> int:
        return sum(rows * columns for rows, columns in self.shapes.values())

    def __call__(self, before: Spans, after: Spans, members: Members | None) -> Integers:
        """Count the pairs of the records."""
        shapes = self.shapes
        found = {pair: np.zeros(rows * columns, np.int64) for pair, (rows, columns) in shapes.items()}
        most = max(_STRETCH, *(4 * counts.size for counts in found.values()), 1)
        for start in range(0, before.lo.shape[0], most):
            end = slice(start, start + most)
            units = self.units(Spans(before.lo[end], before.hi[end], before.table, before.offsets))
            cells = [lookup[units[:, j]] for j, lookup in enumerate(self.cells_of)]
            for (a, b), counts in found.items():
                counts += np.bincount(cells[a] * shapes[a, b][1] + cells[b], minlength=counts.size)
        return np.concatenate([np.zeros(0, np.int64), *found.values()])

    def taken_apart(self, counted: Integers) -> dict[Pair, Integers]:
        """Give the table of each pair, without the cells for what is in none."""
        found, start = {}, 0
        for pair, (rows, columns) in self.shapes.items():
            whole = counted[start : start + rows * columns].reshape(rows, columns)
            found[pair] = np.ascontiguousarray(whole[:-1, :-1]).astype(np.int64)
            start += rows * columns
        return found
