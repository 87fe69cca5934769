"""Algorithm S3: fixed intervals for each attribute on its own, the naïve coarsening that the paper argues against."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from shoal.arrays import Positions
from shoal.domains.axis import Axis
from shoal.domains.hierarchy import Hierarchy
from shoal.domains.levels import Stretches
from shoal.errors import ParameterError, SchemaError
from shoal.kernels import MISSING
from shoal.models import PrivacyModel
from shoal.parameters import settle
from shoal.table import Table

Mode = Literal["distinct", "width"]


@dataclass(frozen=True)
class Coarsen:
    """Replace each quasi-identifier by one of a fixed number of intervals, whatever the others are.

    It enforces no privacy model: unique records remain. It is here to be compared with.

    Parameters
    ----------
    resolution
        The number of intervals, for all quasi-identifiers or by name; those not named stay as they are.
    by
        ``distinct`` cuts the distinct values that occur into intervals of equal number, as the authors' program
        does; ``width`` cuts the range of values into intervals of equal length, as the text says. They agree where
        all values occur. An attribute with no more distinct values than intervals stays as it is. Of one with a
        hierarchy only nodes are published: it is cut at the lowest level that has no more nodes than intervals.

    References
    ----------
    D. Sánchez, S. Martínez, J. Domingo-Ferrer, supplement of doi:10.1126/science.aad9295, Algorithm S3.
    """

    name: ClassVar[str] = "coarsen"
    enforces: ClassVar[tuple[str, ...]] = ()
    resolution: int | Mapping[str, int] = 8
    by: Mode = "distinct"

    def __post_init__(self) -> None:
        """Refuse a resolution that is no number of intervals."""
        settle(self)
        given = self.resolution.values() if isinstance(self.resolution, Mapping) else [self.resolution]
        for number in given:
            if isinstance(number, bool) or not isinstance(number, int) or number < 1:
                raise ParameterError("A resolution is a whole number of at least 1.", "Typical values are 8, 16, 32.")
        if self.by not in ("distinct", "width"):
            raise ParameterError(f"Coarsening goes by distinct or by width, not by '{self.by}'.", "Choose one.")

    def _resolutions(self, table: Table) -> dict[str, int]:
        if not isinstance(self.resolution, Mapping):
            return dict.fromkeys(table.schema.quasi, self.resolution)
        for name in self.resolution:
            if name not in table.schema.quasi:
                raise SchemaError.missing_column(name, table.schema.quasi)
        return dict(self.resolution)

    def apply(self, table: Table, models: Sequence[PrivacyModel], seed: int) -> Table:
        """Coarsen each attribute on its own."""
        rules = {}
        for name, resolution in self._resolutions(table).items():
            positions, _ = table.counts(name)
            axis = table.schema[name].axis
            present = positions[positions != MISSING]
            if axis.nominal and axis.values is not None:
                present = present[present < len(axis.values)]  # sets and wildcards stay what they are
            if resolution < present.size:
                rules[name] = Stretches(*intervals(axis, present, resolution, self.by))
        return table.recode(rules)

    def changed(self, table: Table) -> tuple[str, ...]:
        """Name the columns that are coarsened."""
        return tuple(self._resolutions(table))

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say what is done."""
        parts = ", ".join(f"{name} into {number}" for name, number in self._resolutions(table).items())
        return f"Coarsened each quasi-identifier on its own into fixed intervals by {self.by} ({parts}; Algorithm S3)."


def intervals(axis: Axis, present: Positions, resolution: int, by: str) -> tuple[Positions, Positions]:
    """Cut the values that occur into intervals and give the lower and upper ends of each.

    >>> lows, highs = intervals(Axis("integer"), np.arange(86, dtype=np.int32), 4, "distinct")
    >>> list(zip(lows.tolist(), highs.tolist()))
    [(0, 20), (21, 42), (43, 63), (64, 85)]
    """
    if axis.tree is not None:
        return _level(axis.tree, resolution)
    if by == "width" and axis.numeric:
        return _equal_widths(axis, present, resolution)
    step = present.size / resolution
    ends: list[int] = []
    reached = 0.0
    for _ in range(resolution - 1):
        reached += step  # a running sum, as in the authors' program
        ends.append(math.floor(reached - 1))
    ends.append(present.size - 1)
    upper = np.array(ends)
    lower = np.append(0, upper[:-1] + 1)
    return present[lower], present[upper]


def _level(tree: Hierarchy, resolution: int) -> tuple[Positions, Positions]:
    """Give the ends of the nodes of the lowest level that has so few of them; the root is one."""
    for nodes in tree.above:
        first = np.flatnonzero(np.append(True, nodes[1:] != nodes[:-1]))
        if first.size <= resolution:
            break
    return first.astype(np.int32), np.append(first[1:] - 1, nodes.size - 1).astype(np.int32)


def _equal_widths(axis: Axis, present: Positions, resolution: int) -> tuple[Positions, Positions]:
    """Cut the range of values into intervals of equal length; an interval without values is left out."""
    low, high = int(present[0]), int(present[-1])
    if axis.values is None:  # every whole number or day in the range belongs to the domain
        cuts = [low + (high - low + 1) * i // resolution for i in range(resolution + 1)]
        lower = np.array(cuts[:-1], np.int32)
        upper = np.array(cuts[1:], np.int32) - np.int32(1)
        filled = np.array([bool(((present >= a) & (present <= b)).any()) for a, b in zip(lower, upper, strict=True)])
        return lower[filled], upper[filled]
    # Between listed values nothing is known: each interval is published by the values that it holds.
    numbers = axis.values[present].astype(np.float64)
    span = numbers[-1] - numbers[0]
    cell = np.minimum(((numbers - numbers[0]) / span * resolution).astype(np.int64), resolution - 1)
    first = np.flatnonzero(np.append(True, cell[1:] != cell[:-1]))
    return present[first], present[np.append(first[1:] - 1, present.size - 1)]
