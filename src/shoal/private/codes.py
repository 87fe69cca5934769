"""Values as small whole numbers: the category, group or bucket that a cell falls into, and the steps that it is worth.

All of it depends on declarations alone. A cell without a value falls nowhere (-1).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Flags, Integers, Positions
from shoal.domains.axis import Axis
from shoal.errors import DataError
from shoal.kernels import MISSING
from shoal.private.declarations import OTHER, Bounds, ordered


@dataclass(frozen=True)
class Codes:
    """A column, and the cells of the answer that its values fall into.

    Parameters
    ----------
    column
        Its name.
    labels
        What the cells are called, in the order of their codes.
    """

    column: str
    labels: tuple[str, ...]

    def of_values(self, values: NDArray[Any]) -> Integers:
        """Give the codes of values that are there."""
        raise NotImplementedError

    def of(self, axis: Axis, positions: Positions) -> Integers:
        """Give the code of each position on an axis."""
        return _looked_up(axis, positions, self.of_values, -1)


@dataclass(frozen=True)
class CategoryCodes(Codes):
    """Declared categories; each other value is "other", which is always there and the last."""

    @classmethod
    def declared(cls, column: str, categories: Sequence[str]) -> CategoryCodes:
        """Make codes of categories."""
        return cls(column, (*(each for each in categories if each != OTHER), OTHER))

    def of_values(self, values: NDArray[Any]) -> Integers:
        """Give the place of each value among the categories."""
        places = {label: i for i, label in enumerate(self.labels)}
        return np.array([places.get(str(value), len(self.labels) - 1) for value in values], np.int64)


@dataclass(frozen=True)
class GroupCodes(Codes):
    """Declared groups of numbers or dates, from one edge to below the next, the last with its end; else "other"."""

    edges: tuple[float, ...] = ()

    @classmethod
    def declared(cls, column: str, edges: Sequence[str], kind: str) -> GroupCodes:
        """Make codes of the edges of groups."""
        ends = [*(")" for _ in edges[2:]), "]"]
        labels = [f"[{a};{b}{end}" for a, b, end in zip(edges, edges[1:], ends, strict=False)]
        return cls(column, (*labels, OTHER), tuple(ordered(edges, kind, "edges of groups")))

    def of_values(self, values: NDArray[Any]) -> Integers:
        """Give the group of each number."""
        edges = np.array(self.edges)
        found = np.searchsorted(edges, values, "right") - 1
        found[values == edges[-1]] = edges.size - 2
        found[(found < 0) | (found >= edges.size - 1)] = len(self.labels) - 1
        return found.astype(np.int64)


@dataclass(frozen=True)
class BucketCodes(Codes):
    """Where numbers lie among candidates: below, on or above each, in ascending order."""

    candidates: tuple[float, ...] = ()

    @classmethod
    def declared(cls, column: str, candidates: Sequence[str], kind: str) -> BucketCodes:
        """Make codes of candidates, which must ascend."""
        numbers = tuple(ordered(candidates, kind, "candidates of a quantile"))
        return cls(column, ("",) * (2 * len(numbers) + 1), numbers)

    def of_values(self, values: NDArray[Any]) -> Integers:
        """Give the bucket of each number: odd ones are candidates, even ones lie beside and between them."""
        among = np.array(self.candidates)
        found: Integers = np.searchsorted(among, values, "left") + np.searchsorted(among, values, "right")
        return found.astype(np.int64)

    def scores(self, counts: Sequence[int], fraction: tuple[int, int]) -> list[int]:
        """Give the score of each candidate as a quantile a/b: −|(b−a)·#{x<v} − a·#{x>v}|.

        >>> BucketCodes.declared("x", ("1", "2", "3"), "float").scores([0, 5, 0, 4, 0, 1, 0], (1, 2))
        [-5, -4, -9]
        """
        a, b = fraction
        numbers = np.array(counts, dtype=object)
        upto = np.cumsum(numbers)
        below, whole = upto[0:-1:2], upto[-1]
        above = whole - upto[1::2]
        return [-abs((b - a) * int(lower) - a * int(higher)) for lower, higher in zip(below, above, strict=True)]


@dataclass(frozen=True)
class Units:
    """A column of numbers as whole steps from a centre: round((x − centre) / step), of values within bounds.

    Parameters
    ----------
    column
        Its name.
    bounds
        The declared limits and the step.
    centre
        Where steps are counted from: 0 for sums, the middle of the bounds for means.
    """

    column: str
    bounds: Bounds
    centre: Fraction

    @property
    def most(self) -> int:
        """The most steps that one value may be away from the centre."""
        farthest = max(abs(self.bounds.lower - self.centre), abs(self.bounds.upper - self.centre))
        return math.ceil(farthest / self.bounds.step)

    def of_values(self, values: NDArray[Any]) -> Integers:
        """Give the steps of numbers."""
        if not np.isfinite(values).all():
            raise DataError(f"Column '{self.column}' holds what is no number.", "Leave these cells empty.")
        within = np.clip(values.astype(np.float64), float(self.bounds.lower), float(self.bounds.upper))
        steps = np.rint((within - float(self.centre)) / float(self.bounds.step))
        return np.clip(steps, -self.most, self.most).astype(np.int64)

    def of(self, axis: Axis, positions: Positions) -> Integers:
        """Give the steps of each position on an axis; 0 where there is no value."""
        return _looked_up(axis, positions, self.of_values, 0)

    def present(self, positions: Positions) -> Flags:
        """Tell where there is a value."""
        found: Flags = positions != MISSING
        return found


def _looked_up(axis: Axis, positions: Positions, code: Any, otherwise: int) -> Integers:
    """Find a number for each distinct value once, and give it for each position."""
    if axis.values is None:
        present = positions != MISSING
        found = np.full(positions.size, otherwise, np.int64)
        found[present] = code(positions[present].astype(np.float64))
        return found
    table = np.append(code(axis.values), np.int64(otherwise))
    return np.asarray(table[np.where(positions == MISSING, len(axis.values), positions)], np.int64)
