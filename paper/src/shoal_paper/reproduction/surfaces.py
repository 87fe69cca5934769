"""Figures S5 and S6: risk and loss when two groups of attributes are coarsened independently of each other.

Cells of the surface share their work. Records are numbered once per group and resolution, and a cell numbers them by
the two numbers. The squared distance of a record from its coarsened form is a sum over attributes, so it too is found
once per group and resolution, and a cell adds two of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.domains.axis import Axis
from shoal.domains.levels import Stretches
from shoal.engines import Spans
from shoal.kernels import MISSING
from shoal.methods.coarsen import Mode, intervals
from shoal.table import Classes, Given, Table

# The last one stands for the original resolution.
RESOLUTIONS = (2, 4, 8, 16, 32, 64, 128, 0)


def surfaces(table: Table, first: Sequence[str], second: Sequence[str], by: Mode = "distinct") -> list[dict[str, Any]]:
    """Measure uniqueness and information loss at every pair of resolutions of two groups of attributes."""
    others = [_Side(table, second, resolution, by) for resolution in RESOLUTIONS]
    rows = []
    for a in (_Side(table, first, resolution, by) for resolution in RESOLUTIONS):  # one at a time, as they are large
        for b, lost in zip(others, _lost(table, a, others), strict=True):
            labels = table.number([a.labels, b.labels])
            unique = sum(table.groups(lambda classes: int((classes.sizes == 1).sum()), labels))
            loss = lost / (table.rows * (len(first) + len(second)))
            rows.append(
                {
                    "first": a.resolution, "second": b.resolution, "unique": unique,
                    "uniqueness": unique / table.rows, "information_loss": loss,
                }
            )  # fmt: skip
    return rows


def _lost(table: Table, one: _Side, others: Sequence[_Side]) -> list[float]:
    """Add up the distances of all records when one group of attributes is coarsened together with others."""
    mine, theirs = Given(one.squares), [Given(other.squares) for other in others]

    def sums(classes: Classes) -> list[float]:
        return [float(np.sqrt(classes.columns[mine] + classes.columns[other]).sum()) for other in theirs]

    everyone = table.map_rows(lambda rows: np.zeros(rows.lo.shape[0], np.int32))
    return [sum(found) for found in zip(*table.groups(sums, everyone, (mine, *theirs)), strict=True)]


class _Side:
    """A group of attributes at one resolution: the numbers of records, and their squared distances."""

    def __init__(self, table: Table, names: Sequence[str], resolution: int, by: Mode) -> None:
        self.resolution = resolution
        rules: dict[str, Stretches] = {}
        costs: dict[int, tuple[NDArray[np.int32], NDArray[np.float64]]] = {}
        moments = table.moments()
        for name in names:
            j = table.schema.quasi.index(name)
            positions, _ = table.counts(name)
            present = positions[positions != MISSING]
            if 0 < resolution < present.size:
                axis = table.schema[name].axis
                parts = Stretches(*intervals(axis, present, resolution, by))
                rules[name] = parts
                place = np.searchsorted(parts.lows, present, side="right") - 1
                own, low, high = (_numbers(axis, at) for at in (present, parts.lows[place], parts.highs[place]))
                costs[j] = present, (np.maximum(high - own, own - low) / moments.deviation[j]) ** 2
        self.labels = (table.recode(rules) if rules else table).number(list(names))

        def squared(rows: Spans) -> NDArray[np.float64]:
            total = np.zeros(rows.lo.shape[0])
            for j, (present, cost) in costs.items():
                known = rows.lo[:, j] != MISSING
                total[known] += cost[np.searchsorted(present, rows.lo[known, j])]
            return total

        self.squares = table.map_rows(squared)


def _numbers(axis: Axis, positions: NDArray[np.int32]) -> NDArray[np.float64]:
    """Give the numbers behind positions."""
    numbers = axis.coordinates()
    return positions.astype(np.float64) if numbers is None else numbers[positions]
