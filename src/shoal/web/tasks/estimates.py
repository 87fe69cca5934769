"""Intervals of estimates: how far what was found in a sample may be from what holds for the whole table.

Three things set the two apart, and the interval reaches as far as each of them:

- which rows were drawn. The sample is cut into five parts, what was made from it is made from each of them too, and
  Student's t with four degrees of freedom makes a 95 % interval of how these differ. A sample comes in pieces from
  all over the file, and what stands together may be alike, so a part is made of pieces. There are not four
  parts, because methods that halve a table would be in step with these;
- that more rows keep more detail. What was gained for each doubling of the rows, from the parts to the sample, is
  expected of every further doubling at the most, since such gains become smaller;
- that more people are equal in more rows, who then may stand as they are in a group that is larger than asked for. A
  combination of values that stands twice or more in the sample grows with the rows; how often one that stands there
  once does in the rest is estimated as by Good (The population frequencies of species and the estimation of population
  parameters. Biometrika 40, 1953, 237-264). This moves the average risk even a little more, so its interval has a
  least width.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean, stdev

import numpy as np

from shoal.engines.io.sampling import PIECES
from shoal.engines.local_data import LocalData
from shoal.measures import score
from shoal.measures.class_sizes import ClassSizes
from shoal.table import Table

_PARTS = 5
_STUDENT = 2.776  # the quantile 0.975 with four degrees of freedom
_LEAST = 0.1  # of the average risk, either way

Interval = tuple[float, float]


@dataclass(frozen=True)
class SampledTable:
    """Rows from all over a file that has about so many."""

    table: Table
    rows_in_file: int

    @property
    def growth(self) -> float:
        """How many times as many rows the file has."""
        return max(1.0, self.rows_in_file / self.table.rows)

    @cached_property
    def parts(self) -> list[Table]:
        """Its parts, none if it is not held in memory, or has fewer rows than pieces."""
        data = self.table.data
        if not isinstance(data, LocalData) or data.rows < PIECES:
            return []
        piece = np.arange(data.rows) * PIECES // data.rows
        return [replace(self.table, data=data.part(np.flatnonzero(piece % _PARTS == part))) for part in range(_PARTS)]

    @cached_property
    def equal(self) -> list[tuple[float, float]]:
        """How many people are equal in the whole file, by the share of people who have so many."""
        (found,) = score(self.table, measures=[ClassSizes()])
        return equal_people(dict(found.detail["classes_by_size"]), self.growth)

    def intervals(
        self, guess: float, highest: float, kept: float, measure: Callable[[Table], tuple[float, float] | None]
    ) -> tuple[Interval, Interval] | None:
        """Give the intervals of average risk and detail kept, unless these cannot be had from the parts.

        Parameters
        ----------
        guess, highest, kept
            What was found in the sample: average risk, highest risk, which it cannot be above, and detail kept.
        measure
            Finds average risk and detail kept in a part.
        """
        each = [found for part in self.parts if (found := measure(part)) is not None]
        if len(each) < _PARTS:
            return None
        doublings = math.log2(self.growth)
        low, high = interval(guess, [found[0] for found in each], doublings)
        fallen = sum(share * min(guess, 1 / people) for people, share in self.equal)
        low, high = min(low, (1 - _LEAST) * fallen), max(high, (1 + _LEAST) * guess)
        least, most = interval(kept, [found[1] for found in each], doublings)
        as_they_are = sum(share for people, share in self.equal if people * guess >= 1)
        most = max(most, kept + as_they_are * (1 - kept))
        return _within(low, min(high, highest)), _within(least, most)


def interval(found: float, parts: Sequence[float], doublings: float) -> Interval:
    """Give the interval of what was found in a sample, from its parts and how much larger the whole is.

    >>> interval(0.8, [0.7, 0.7, 0.7, 0.7], 2.0)  # from a fourth to the whole sample it grew by 0.05 a doubling
    (0.8, 0.9)
    """
    spread = _STUDENT * stdev(parts) / math.sqrt(len(parts))
    gained = (found - fmean(parts)) / math.log2(len(parts)) * doublings
    return _within(found - spread + min(0.0, gained), found + spread + max(0.0, gained))


def equal_people(classes: dict[int, int], growth: float) -> list[tuple[float, float]]:
    """Give how many people are equal in a whole, each with the share of people, by the classes in a sample by size.

    >>> equal_people({1: 10, 2: 1, 4: 2}, 3)  # of those who stand alone, two in ten have a fellow in the sample
    [(1.4, 0.5), (6, 0.1), (12, 0.4)]
    """
    people = sum(size * count for size, count in classes.items())
    fellows = 2 * classes.get(2, 0) / classes[1] if classes.get(1) else 0.0
    return [
        (1 + (growth - 1) * fellows if size == 1 else size * growth, size * count / people)
        for size, count in classes.items()
    ]


def _within(low: float, high: float) -> Interval:
    return round(max(0.0, low), 6), round(min(1.0, high), 6)
