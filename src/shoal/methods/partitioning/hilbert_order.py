"""The Hilbert order: along a curve through the standardized attributes, neighbours are alike."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Array
from shoal.engines.values import Moments, Spans
from shoal.kernels.hilbert_curve import bits_for, curve_keys
from shoal.kernels.partition import Costs
from shoal.methods.partitioning import gaps_first
from shoal.schema import Schema
from shoal.table import Column, Table

REACH = 3.5  # standard deviations from the mean up to which the curve tells values apart
AXES = 21  # of the curve: with more, each would be cut into fewer than eight parts


def hilbert_keys(table: Table, moments: Moments, costs: Costs | None = None) -> list[Column]:
    """Give the keys to sort by: which cells are missing, then the place along the curve (see `gaps_first`)."""
    functions = hilbert_key_functions(table, moments, costs or standardized_costs(table.schema, moments))
    return [table.map_rows(function) for function in functions]


def hilbert_key_functions(table: Table, moments: Moments, costs: Costs) -> list[Callable[[Spans], Array]]:
    """Say how the keys of rows are found.

    The grid has the same cells in units of cost for all columns, so that the curve strays as far in each of them, and
    ends where values are rare. With very many columns, those that vary little are left out of it.
    """
    spread = moments.deviation * costs.scale
    chosen = np.sort(np.argsort(-spread, kind="stable")[: min(AXES, max(1, int((spread > 0).sum())))])
    start = np.maximum(costs.lowest, moments.mean - REACH * moments.deviation)
    reach = 2 * REACH if costs.squared else 1.0
    scale = costs.scale * 2.0 ** bits_for(chosen.size) / reach
    origin = start if costs.squared else costs.lowest

    def place(rows: Spans) -> Array:
        return curve_keys(rows.lo, rows.hi, chosen, origin, scale, rows.table, rows.offsets)

    return gaps_first(table, moments, place)


def standardized_costs(schema: Schema, moments: Moments) -> Costs:
    """Say what cells cost by Eq. 3, which measures sets of categories, and nodes, by their places on the axis."""
    none = np.empty(0, np.int64)
    return Costs(inverse(moments.deviation), *limits(schema, moments), none, none, squared=True)


def limits(schema: Schema, moments: Moments) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give the numbers behind the lowest and highest position of each column; 0 where no cell has a value."""
    found = np.zeros((2, len(schema.quasi)))
    for j, name in enumerate(schema.quasi):
        numbers = schema[name].axis.coordinates()
        for side, position in enumerate((moments.lowest[j], moments.highest[j])):
            if moments.count[j]:
                found[side, j] = position if numbers is None else numbers[position]
    return found[0], found[1]


def inverse(lengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide 1 by lengths; what does not vary costs nothing."""
    return np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
