"""Aggregates: one number for what is lost in several columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Literal, get_args

import numpy as np

from shoal.arrays import Array, Floats
from shoal.errors import ParameterError

Aggregate = Literal["arithmetic", "sum", "maximum", "geometric", "rank"]
AGGREGATES: tuple[str, ...] = get_args(Aggregate)
# A loss as it is compared: one number, or for the rank several.
Loss = tuple[float, ...]


def shares_of(weights: Mapping[str, float], names: Sequence[str]) -> Floats:
    """Give the weight of each column, the largest of which counts as 1."""
    for name, weight in weights.items():
        if name not in names:
            raise ParameterError(
                f"'weights' names '{name}', which is no quasi-identifier.", f"There are: {', '.join(names)}."
            )
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight < np.inf:
            raise ParameterError(f"The weight of '{name}' must be a number of at least 0.", "Usual ones are 0 to 1.")
    found = np.array([float(weights.get(name, 1.0)) for name in names])
    if not found.max(initial=0.0) > 0:
        raise ParameterError("No column has a weight.", "Give one of them a weight above 0.")
    shares: Floats = found / found.max()
    return shares


@dataclass(frozen=True, eq=False)
class Aggregation:
    """How the losses of columns become one, by their weights.

    Sums over many nodes are made of one list of losses per column. They are kept as they add up, and ``finish`` makes
    them what is reported, which is no greater where they are no greater.
    """

    kind: str
    weights: Floats

    def raw(self, losses: Sequence[float]) -> float:
        """Give the aggregate of one loss per column, before it is finished."""
        weighed: list[float] = [w * loss for w, loss in zip(self.weights.tolist(), losses, strict=True)]
        if self.kind == "geometric":
            return math.prod(map(float, self._roots(np.array(weighed))))
        return max(weighed) if self.kind in ("maximum", "rank") else sum(weighed)

    def _roots(self, weighed: Floats) -> Floats:
        """Give the factors of a geometric mean, each by itself, so that a sum and a grid round alike."""
        roots: Floats = (1.0 + weighed) ** (1.0 / self.weights.size)
        return roots

    def grid(self, losses: Sequence[Floats]) -> Floats:
        """Give the same for all combinations of the losses that columns may have, in an array with an axis for each."""
        weighed = [weight * loss for weight, loss in zip(self.weights.tolist(), losses, strict=True)]
        if self.kind == "geometric":
            return outer(np.multiply, [self._roots(each) for each in weighed])
        return outer(np.maximum if self.kind in ("maximum", "rank") else np.add, weighed)

    def of_rows(self, losses: Floats) -> Floats:
        """Give the aggregate of each row of losses, finished."""
        weighed = losses * self.weights
        if self.kind == "geometric":
            found: Floats = np.prod(self._roots(weighed), axis=1) - 1.0
        elif self.kind in ("maximum", "rank"):
            found = weighed.max(axis=1)
        else:
            found = weighed.sum(axis=1) / (self.weights.size if self.kind == "arithmetic" else 1)
        return found

    def finish(self, raw: float) -> float:
        """Give what is reported for a sum."""
        if self.kind == "geometric":
            return raw - 1.0
        return raw / self.weights.size if self.kind == "arithmetic" else raw

    def compared(self, losses: Sequence[float]) -> Loss:
        """Give what is compared: for the rank all losses, the largest first, and else the aggregate."""
        if self.kind == "rank":
            return tuple(sorted((w * x for w, x in zip(self.weights.tolist(), losses, strict=True)), reverse=True))
        return (self.finish(self.raw(losses)),)


def outer(way: Callable[[Array, Array], Array], each: Sequence[Floats]) -> Floats:
    """Combine one list per axis into an array of all combinations."""
    d = len(each)
    shaped = [values.reshape([-1 if axis == j else 1 for axis in range(d)]) for j, values in enumerate(each)]
    found: Floats = reduce(way, shaped)
    return found
