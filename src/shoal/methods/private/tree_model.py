"""A model of a table from noisy counts: one-way margins, a tree of pairs that fits them, and records drawn from it.

Everything here is done with numbers that have noise already, so it costs nothing more.

References
----------
C. K. Chow, C. N. Liu: Approximating discrete probability distributions with dependence trees, IEEE Transactions on
Information Theory 14(3), 1968, doi:10.1109/TIT.1968.1054142. R. McKenna, G. Miklau, D. Sheldon: Winning the NIST
contest: a scalable and general approach to differentially private synthetic data, Journal of Privacy and
Confidentiality 11(3), 2021, doi:10.29012/jpc.778.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats, Integers

Pair = tuple[int, int]
_ROUNDS = 500
_CLOSE = 1e-9
DRAWN_ALONE = 3.0  # deviations of the noise below which a value is pooled with others


def projected(estimate: Floats, total: float) -> Floats:
    """Give the nearest numbers that are not negative and add up to a total.

    >>> projected(np.array([5.0, -1.0, 2.0]), 6.0).tolist()
    [4.5, 0.0, 1.5]
    """
    flat = np.sort(estimate.reshape(-1))[::-1]
    excess = (np.cumsum(flat) - total) / np.arange(1, flat.size + 1)
    level = excess[np.flatnonzero(flat > excess)[-1]] if total > 0 else np.inf
    return np.maximum(estimate - level, 0.0)


def fitted(pair: Floats, rows: Floats, columns: Floats) -> Floats:
    """Scale a table to the sums of its rows and columns, which add up to the same (iterative proportional scaling).

    Where a sum is wanted of cells that are all empty, they are filled as if the two columns were independent.
    """
    total = rows.sum()
    if total <= 0:
        return np.zeros_like(pair)
    alone = np.outer(rows, columns) / total
    empty = ((pair.sum(axis=1) <= 0) & (rows > 0))[:, None] | ((pair.sum(axis=0) <= 0) & (columns > 0))[None, :]
    found = np.where(empty & (pair <= 0), alone, pair)
    for _ in range(_ROUNDS):
        found = found * _ratio(rows, found.sum(axis=1))[:, None]
        found = found * _ratio(columns, found.sum(axis=0))[None, :]
        if np.abs(found.sum(axis=1) - rows).max() <= _CLOSE * total:
            break
    return found


def _ratio(wanted: Floats, there: Floats) -> Floats:
    return np.divide(wanted, there, out=np.zeros_like(wanted), where=there > 0)


@dataclass(frozen=True)
class Pooling:
    """Which values of a column are counted together, because they are too rare to stand out of the noise.

    Attributes
    ----------
    cells
        The cell of each value, and last of all of no value. What is in no cell has the number behind the last one.
    alone
        The values that have a cell of their own, in the order of their cells.
    pooled
        The values of the pool, which is the last cell if there are any.
    shares
        The share of the pool that each of its values is drawn with.
    """

    cells: Integers
    alone: Integers
    pooled: Integers
    shares: Floats

    @classmethod
    def of(cls, counts: Floats, deviation: float) -> Pooling:
        """Pool the values whose noisy count is below three deviations of the noise.

        The last count is that of cells without a value. They are believed in only where they stand out of the noise,
        and are in no cell otherwise.
        """
        stands = counts >= DRAWN_ALONE * deviation
        if not stands[:-1].any() and counts.size == 2:  # nothing to pool with
            stands[0] = True
        alone, rare = np.flatnonzero(stands), np.flatnonzero(~stands[:-1])
        size = alone.size + (rare.size > 0)
        cells = np.full(counts.size, alone.size, np.int64)
        cells[alone] = np.arange(alone.size)
        if not stands[-1]:
            cells[-1] = size
        weight = np.maximum(counts[rare], 0.0)
        shares = weight / weight.sum() if weight.sum() > 0 else np.full(rare.size, 1 / max(rare.size, 1))
        return cls(cells, alone, rare, shares)

    @property
    def size(self) -> int:
        """The number of cells."""
        return self.alone.size + (self.pooled.size > 0)

    def in_cells(self, counts: Floats) -> Floats:
        """Give the noisy count of each cell."""
        return np.append(counts[self.alone], counts[self.pooled].sum())[: self.size]

    def spread(self, deviation: float) -> Floats:
        """Give the variance of the noise of each cell."""
        return deviation**2 * np.append(np.ones(self.alone.size), self.pooled.size)[: self.size]

    def values(self, cells: Integers, random: np.random.Generator) -> Integers:
        """Give a value for each of some cells; those of the pool by their shares, in random order."""
        found = np.append(self.alone, 0)[cells]
        pooled = np.flatnonzero(cells == self.alone.size)
        if pooled.size:
            drawn = np.repeat(self.pooled, systematic(self.shares, pooled.size, random))
            found[pooled] = random.permutation(drawn)
        return found


@dataclass(frozen=True)
class TreeModel:
    """Margins of all columns, and fitted tables of the pairs of a tree, which say how the columns hang together.

    Attributes
    ----------
    margins
        How many records have each cell, column by column; all add up to the same.
    pairs
        How many have each two cells, by the two columns.
    """

    margins: tuple[Floats, ...]
    pairs: Mapping[Pair, Floats]

    @classmethod
    def fit(
        cls,
        ones: Sequence[tuple[Floats, Floats]],
        pairs: Mapping[Pair, Floats],
        deviation: float,
    ) -> TreeModel:
        """Put noisy counts together.

        Parameters
        ----------
        ones
            The noisy count of each cell of each column, and the variance of its noise.
        pairs
            Noisy tables of the pairs of a tree.
        deviation
            The deviation of the noise in these.
        """
        total = total_of([(counts.sum(), spread.sum()) for counts, spread in ones])
        margins = []
        for column, (counts, spread) in enumerate(ones):
            weight = 1 / spread
            found = counts * weight
            for (first, second), table in pairs.items():
                if column in (first, second):
                    axis = 1 if column == first else 0
                    again = 1 / (deviation**2 * table.shape[axis])
                    found = found + table.sum(axis=axis) * again
                    weight = weight + again
            margins.append(projected(found / weight, total))
        tables = {(a, b): fitted(projected(table, total), margins[a], margins[b]) for (a, b), table in pairs.items()}
        return cls(tuple(margins), tables)

    def drawn(self, rows: int, random: np.random.Generator) -> list[Integers]:
        """Draw records: one cell of each column for each."""
        columns: list[Integers | None] = [None] * len(self.margins)
        columns[0] = np.repeat(np.arange(self.margins[0].size), systematic(self.margins[0], rows, random))
        for parent, child, table in _from_root(self.pairs, len(self.margins)):
            above = columns[parent]
            assert above is not None
            columns[child] = _children(above, table, self.margins[child], random)
        return [column for column in columns if column is not None]


def total_of(estimates: Sequence[tuple[float, float]]) -> float:
    """Put several estimates of one number together, each with its variance; it is at least 0."""
    weights = np.array([1 / variance for _, variance in estimates])
    return max(float(weights @ np.array([value for value, _ in estimates]) / weights.sum()), 0.0)


def systematic(weights: Floats, rows: int, random: np.random.Generator) -> Integers:
    """Share out so many records in proportion to weights: each share is rounded up or down, at random and fairly.

    >>> systematic(np.array([1.0, 1.0, 2.0]), 8, np.random.default_rng(0)).tolist()
    [2, 2, 4]
    """
    total = weights.sum()
    if total <= 0:
        weights, total = np.ones_like(weights), float(weights.size)
    below = np.cumsum(weights) * (rows / total)
    below[-1] = rows
    edges = np.clip(np.floor(below + random.random()), 0, rows).astype(np.int64)
    edges[-1] = rows
    shares: Integers = np.diff(edges, prepend=0)
    return shares


def _from_root(pairs: Mapping[Pair, Floats], columns: int) -> list[tuple[int, int, Floats]]:
    """Give the pairs of a tree from its root on, each with the column nearer to the root first."""
    left, reached, order = dict(pairs), {0}, []
    while len(reached) < columns:
        for (a, b), table in left.items():
            if (a in reached) != (b in reached):
                order.append((a, b, table) if a in reached else (b, a, table.T))
                reached |= {a, b}
                del left[a, b]
                break
    return order


def _children(above: Integers, table: Floats, margin: Floats, random: np.random.Generator) -> Integers:
    """Draw a cell for each record, given the one that it has in another column.

    Records with one cell there get just as many of each cell here as the table says, in random order.
    """
    rows = above.size
    shuffled = random.permutation(rows)
    kind = np.uint16 if table.shape[0] < 1 << 16 else np.int64  # short numbers are sorted in one pass
    order = shuffled[np.argsort(above[shuffled].astype(kind), kind="stable")]
    many = np.bincount(above, minlength=table.shape[0])
    cells = np.arange(margin.size)
    drawn = [
        np.repeat(cells, systematic(weights if weights.sum() > 0 else margin, int(count), random))
        for weights, count in zip(table, many, strict=True)
        if count
    ]
    found = np.empty(rows, np.int64)
    found[order] = np.concatenate(drawn) if drawn else np.empty(0, np.int64)
    return found
