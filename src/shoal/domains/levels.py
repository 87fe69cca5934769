"""Levels of generalization: what stands for a value when its column is made coarser by one step.

A level is written as text, so that recipes and commands can name it: ``*`` hides the value, ``bands 0,18,65`` keeps
the band that it lies in, and ``prefix 3`` keeps the first digits or letters of a code.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.domains.axis import Axis
from shoal.domains.numerals import convert
from shoal.errors import ParameterError
from shoal.kernels import MISSING, TOP


@dataclass(frozen=True, eq=False)
class Stretches:
    """Disjoint parts of an axis in ascending order, by their ends; ``patterns`` names those of a nominal axis."""

    lows: Positions
    highs: Positions
    patterns: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Replacement:
    """Other cells in the place of single positions of an axis, in ascending order; `MISSING` and `TOP` are ``*``."""

    positions: Positions
    lows: Positions
    highs: Positions


@dataclass(frozen=True, eq=False)
class Widening:
    """Wider ranges on an axis that has their ends too: where each end stood and stands now, MISSING if nowhere.

    A range with such an end becomes ``*``. ``moves`` says where single positions stand on that axis; None if where they
    stood.
    """

    axis: Axis
    lows: tuple[Positions, Positions]
    highs: tuple[Positions, Positions]
    moves: Positions | None

    def widened(self, low: Positions, high: Positions) -> tuple[Positions, Positions]:
        """Give both ends of cells."""
        ranges = (low != high) & (low != MISSING)
        lows, highs = low.copy(), high.copy()
        if self.moves is not None:
            single = (low == high) & (low != MISSING)
            lows[single] = highs[single] = self.moves[low[single]]
        if ranges.any():
            below, above = (
                after[np.searchsorted(before, ends[ranges])]
                for (before, after), ends in ((self.lows, low), (self.highs, high))
            )
            nowhere = (below == MISSING) | (above == MISSING)
            lows[ranges], highs[ranges] = np.where(nowhere, MISSING, below), np.where(nowhere, TOP, above)
        return lows, highs


Recoding = Stretches | Replacement | Widening


@dataclass(frozen=True)
class Step:
    """One step of masking: a column and the level that it is brought to, written ``COLUMN -> LEVEL``.

    >>> Step.parse("age -> bands 0,18,65")
    Step(column='age', level='bands', marks=('0', '18', '65'))
    """

    column: str
    level: str
    marks: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Step:
        """Read a step, or say how one is written."""
        column, arrow, wanted = (part.strip() for part in text.partition("->"))
        word, _, rest = wanted.partition(" ")
        marks = tuple(mark.strip() for mark in rest.split(",")) if rest.strip() else ()
        fine = {
            "*": not marks,
            "bands": len(marks) > 0 and all(marks),
            "prefix": len(marks) == 1 and marks[0].isdecimal() and int(marks[0]) > 0,
        }
        if not arrow or not column or not fine.get(word, False):
            raise ParameterError(
                f"'{text}' is not a masking step.",
                "Write COLUMN -> *, COLUMN -> bands 0,18,65 or COLUMN -> prefix 3.",
            )
        return cls(column, word, marks)

    def stretches(self, axis: Axis, present: Positions) -> Stretches | None:
        """Give the parts of the axis that stand for the values that occur; None stands for the wildcard ``*``."""
        if self.level == "*":
            return None
        values = present[present != MISSING]
        if axis.nominal and axis.values is not None:
            values = values[values < len(axis.values)]  # sets and wildcards stay what they are
        return self._bands(axis, values) if self.level == "bands" else self._prefixes(axis, values)

    def _bands(self, axis: Axis, values: Positions) -> Stretches:
        if axis.tree is not None:
            raise ParameterError(
                f"Column '{self.column}' has a hierarchy, and bands need not be nodes of it.",
                f"Write {self.column} -> *, or leave the hierarchy out.",
            )
        if axis.nominal:
            raise ParameterError(
                f"Column '{self.column}' is a category without an order, which has no bands.",
                f"Give it an order, or write {self.column} -> *.",
            )
        lows = self._lower_ends(axis)
        if not (np.diff(lows) > 0).all() or (values.size and values.min() < lows[0]):
            raise ParameterError(
                f"The bands of '{self.column}' are not in ascending order from its lowest value.",
                "Give the lower end of each band, beginning with the lowest value that occurs.",
            )
        highs = np.append(lows[1:] - 1, max(int(lows[-1]), int(values.max(initial=lows[-1]))))
        return Stretches(lows.astype(np.int32), highs.astype(np.int32))

    def _lower_ends(self, axis: Axis) -> NDArray[np.int64]:
        try:
            if axis.kind == "ordered":
                return np.array([list(axis.values).index(mark) for mark in self.marks], np.int64)  # type: ignore[arg-type]
            numbers = convert(list(self.marks), axis.kind)
        except (ValueError, OverflowError):
            raise ParameterError(
                f"A band of '{self.column}' does not begin with a value of its kind ({axis.kind}).", "Mend the step."
            ) from None
        return numbers if axis.values is None else np.searchsorted(axis.values, numbers).astype(np.int64)

    def _prefixes(self, axis: Axis, values: Positions) -> Stretches:
        kept = int(self.marks[0])
        if axis.nominal:
            texts = [str(axis.values[i]) for i in values]  # type: ignore[index]
            stems = [text[:kept] + "*" * (len(text) - kept) if len(text) > kept else text for text in texts]
            first = [i for i, stem in enumerate(stems) if i == 0 or stem != stems[i - 1]]
            last = [*(i - 1 for i in first[1:]), len(stems) - 1] if stems else []
            return Stretches(values[first], values[last], tuple(stems[i] for i in first))
        if axis.kind != "integer" or axis.values is not None:
            raise ParameterError(
                f"Column '{self.column}' holds no codes, so it has no first digits.", "Use bands, or *."
            )
        digits = len(str(int(values.max(initial=0))))
        unit = 10 ** max(digits - kept, 0)
        lows = np.unique(values.astype(np.int64) // unit * unit)
        # The ends of the 32-bit range are reserved, and nobody has a value beyond them.
        limits = MISSING + 1, TOP - 1
        return Stretches(np.clip(lows, *limits).astype(np.int32), np.clip(lows + unit - 1, *limits).astype(np.int32))
