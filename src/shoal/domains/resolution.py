"""Resolutions: how coarsely points of several columns are seen, such as ``day=7,store=10``.

Levels of a column nest, or two of them say more than either: a week reaches over the end of a month, and who sees
both knows where they overlap. Stretches of days are therefore whole multiples of each other, from one public day 0.
"""

from __future__ import annotations

import csv
import datetime
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from shoal.arrays import Floats, Integers, Positions
from shoal.domains.axis import Axis
from shoal.domains.levels import Stretches
from shoal.errors import ParameterError, SchemaError
from shoal.kernels import MISSING, TOP

_HOW = (
    "Write day=7 (days, or numbers), store=10 (so many values that follow each other), price=50% or item=1 (a level "
    "of its hierarchy)."
)
_FORM = re.compile(r"(?P<width>\d+(?:\.\d+)?)\s*(?P<unit>%|values|)\s*(?:@\s*(?P<origin>\S+))?")
_DAY = 86_400_000_000  # microseconds
_EPOCH = datetime.date(1970, 1, 1).toordinal()


@dataclass(frozen=True)
class ColumnResolution:
    """How coarsely one column is seen.

    Attributes
    ----------
    width
        How many days, numbers, values or per cent; or a level of its hierarchy, of which 0 is the values themselves.
    unit
        ``%`` for bins of relative precision, ``values`` for blocks of values that follow each other; empty if the kind
        of the column tells.
    origin
        Where stretches are counted from, as it was written: a day, or a number.
    """

    width: float
    unit: str = ""
    origin: str = ""

    @classmethod
    def parse(cls, column: str, text: str) -> ColumnResolution:
        """Read a level, or say how one is written."""
        found = _FORM.fullmatch(text.strip())
        width = float(found["width"]) if found else 0.0
        if found is None or (found["unit"] and found["origin"]) or (found["unit"] == "%" and not 0 < width < 100):
            raise ParameterError(f"'{text}' is no level for the points' column '{column}'.", _HOW)
        return cls(width, found["unit"], found["origin"] or "")

    def __str__(self) -> str:
        """Write the level as it is given."""
        unit = f" {self.unit}" if self.unit == "values" else self.unit
        return f"{self.width:g}{unit}" + (f"@{self.origin}" if self.origin else "")

    def holds(self, finer: ColumnResolution) -> bool:
        """Tell whether each stretch of this level is made of whole ones of another, if both are of one kind."""
        if (self.unit, self.origin) != (finer.unit, finer.origin):
            return False
        return self == finer if self.unit == "%" else self.width % finer.width == 0

    def stretches(self, column: str, axis: Axis, present: Positions) -> Stretches | None:
        """Give the parts of the axis that stand for the values that occur; None leaves them as they are."""
        values = present[present != MISSING]
        if axis.tree is not None:
            return self._nodes(column, axis)
        if axis.nominal:
            raise ParameterError(
                f"Column '{column}' is a category without an order, which has no stretches.",
                f"Give it a hierarchy (--hierarchy {column}=FILE) or an order (--order {column}=…), or leave it out "
                f"({column}=*).",
            )
        if self.unit == "values" or (not self.unit and not self.origin and _named_by_numbers(axis, values)):
            return self._blocks(column, values)
        if not axis.numeric:
            raise ParameterError(f"Column '{column}' has no numbers.", f"Write {column}={self.width:g} values.")
        return self._relative(axis, values) if self.unit == "%" else self._multiples(column, axis, values)

    def _whole(self, column: str) -> int:
        if self.width != int(self.width) or self.width < 1:
            raise ParameterError(f"A level of column '{column}' is a whole number, at least 1.", _HOW)
        return int(self.width)

    def _nodes(self, column: str, axis: Axis) -> Stretches | None:
        """Take the nodes of a level of the hierarchy."""
        assert axis.tree is not None
        height = len(axis.tree.above)
        if self.unit or self.origin or self.width not in range(height):
            raise ParameterError(
                f"Column '{column}' has a hierarchy, with levels from 0 (the values) to {height - 1} (all of them).",
                f"Write {column}=1 for the groups above the values.",
            )
        if not self.width:
            return None
        nodes = axis.tree.above[int(self.width)]
        first = np.flatnonzero(np.append(True, nodes[1:] != nodes[:-1])).astype(np.int32)
        return Stretches(first, np.append(first[1:] - 1, nodes.size - 1).astype(np.int32))

    def _blocks(self, column: str, values: Positions) -> Stretches:
        """Take so many values that follow each other, of those that occur."""
        width = self._whole(column)
        first = np.arange(0, values.size, width)
        return Stretches(values[first], values[np.minimum(first + width, values.size) - 1])

    def _multiples(self, column: str, axis: Axis, values: Positions) -> Stretches:
        """Take whole multiples of days or numbers from day 0, or from 0."""
        if axis.values is None:
            width, origin = self._whole(column), int(self._origin(column, axis, values))
            lows = np.unique((values.astype(np.int64) - origin) // width * width + origin)
            # The ends of the 32-bit range are reserved, and nobody has a value beyond them.
            limits = MISSING + 1, TOP - 1
            highs = np.clip(lows + width - 1, *limits).astype(np.int32)
            return Stretches(np.clip(lows, *limits).astype(np.int32), highs)
        numbers = axis.values[values].astype(np.float64)
        unit = _DAY if axis.kind == "datetime" else 1
        steps = (numbers - self._origin(column, axis, values) * unit) / (self.width * unit)
        return _runs(values, np.floor(steps).astype(np.int64))

    def _origin(self, column: str, axis: Axis, values: Positions) -> float:
        """Give where counting starts: a number, or days since 1970; the first day of the first year if not said."""
        dated = axis.kind in ("date", "datetime")
        if not self.origin:
            if not dated or not values.size:
                return 0
            first = axis.value(int(values[0]))
            return datetime.date(first.year, 1, 1).toordinal() - _EPOCH
        try:
            return datetime.date.fromisoformat(self.origin).toordinal() - _EPOCH if dated else float(self.origin)
        except ValueError:
            what = "a day such as 2017-01-01" if dated else "a number"
            raise ParameterError(f"What column '{column}' is counted from is no such value.", f"Give {what}.") from None

    def _relative(self, axis: Axis, values: Positions) -> Stretches:
        """Take geometric bins of hundredths, within which a number is known up to so many per cent of itself."""
        numbers = values.astype(np.float64) if axis.values is None else axis.values[values].astype(np.float64)
        hundredths = np.round(np.abs(numbers) * 100, 6)
        precision = self.width / 100
        ratio = np.log((1 + precision) / (1 - precision))
        bins: Floats = np.zeros(values.size)
        some = hundredths > 0
        bins[some] = np.floor(np.log(hundredths[some]) / ratio) + 2.0**40  # so that none is that of 0
        return _runs(values, (np.sign(numbers) * bins).astype(np.int64))


def _named_by_numbers(axis: Axis, values: Positions) -> bool:
    """Tell whether values are counted by their places: categories, or numbers of which most are not used."""
    if axis.kind == "integer" and values.size:
        return 2 * values.size < int(values[-1]) - int(values[0]) + 1
    return axis.kind == "ordered"


def _runs(values: Positions, bins: Integers) -> Stretches:
    """Give the ends of each run of ascending values that are in one bin."""
    first = np.flatnonzero(np.append(True, bins[1:] != bins[:-1])[: values.size])
    last = np.append(first[1:] - 1, values.size - 1)[: first.size]
    return Stretches(values[first], values[last])


@dataclass(frozen=True)
class Resolution:
    """How coarsely points are seen: a level for some columns, while others are left out or seen as they are.

    Attributes
    ----------
    levels
        The level of each column that is seen more coarsely.
    left_out
        Columns that are no part of a point, written ``day=*``.
    """

    levels: Mapping[str, ColumnResolution]
    left_out: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: Any) -> Resolution:
        """Make a resolution of a text such as ``day=7,store=10``, or of a level for each column.

        >>> str(Resolution.of("day=7@2017-01-01, store=10 values, price=*"))
        'day=7@2017-01-01,store=10 values,price=*'
        >>> Resolution.of({"day": 7}) == Resolution.of("day=7")
        True
        """
        if isinstance(given, Resolution):
            return given
        if isinstance(given, Mapping):
            pairs = [(str(column), f"{level}") for column, level in given.items()]
        elif isinstance(given, str):
            pairs = [_cut(part) for part in next(csv.reader([given], skipinitialspace=True), [])]
        else:
            raise ParameterError(f"A resolution is a text such as day=7,store=10, not a {type(given).__name__}.", _HOW)
        names = [column for column, _ in pairs]
        if not names or len(set(names)) < len(names):
            raise ParameterError("A resolution names each column once, and at least one.", _HOW)
        levels = {column: ColumnResolution.parse(column, text) for column, text in pairs if text.strip() != "*"}
        return cls(levels, tuple(column for column in names if column not in levels))

    def __str__(self) -> str:
        """Write the resolution as it is given."""
        return ",".join(
            [*(f"{name}={level}" for name, level in self.levels.items()), *(f"{n}=*" for n in self.left_out)]
        )

    def columns(self, quasi: Sequence[str]) -> tuple[str, ...]:
        """Give the columns of points that are left; a column that points do not have is an error."""
        for name in (*self.levels, *self.left_out):
            if name not in quasi:
                raise SchemaError.missing_column(name, quasi)
        left = tuple(name for name in quasi if name not in self.left_out)
        if not left:
            raise ParameterError("No column of the points is left.", "Leave out fewer of them.")
        return left

    def rules(self, axes: Mapping[str, Axis], present: Callable[[str], Positions]) -> dict[str, Stretches]:
        """Give the parts of the axes that stand for the values that occur, for the columns that get coarser."""
        found = {name: level.stretches(name, axes[name], present(name)) for name, level in self.levels.items()}
        return {name: stretches for name, stretches in found.items() if stretches is not None}


def refuse_unless_nested(resolutions: Iterable[Resolution], trees: Iterable[str] = ()) -> None:
    """Refuse levels of a column that do not nest, from whichever resolutions; those of hierarchies (trees) do."""
    levels: dict[str, set[ColumnResolution]] = {}
    for resolution in resolutions:
        for name, level in resolution.levels.items():
            levels.setdefault(name, set()).add(level)
    for name in levels.keys() - set(trees):
        for finer, coarser in pairwise(sorted(levels[name], key=lambda level: level.width)):
            if not coarser.holds(finer):
                raise ParameterError(
                    f"The levels {finer} and {coarser} of column '{name}' do not nest: one cuts through the other.",
                    "Give whole multiples, counted from the same beginning: day=7, then day=28.",
                )


def _cut(part: str) -> tuple[str, str]:
    name, sign, text = part.rpartition("=")
    if not sign or not name.strip() or not text.strip():
        raise ParameterError(f"'{part}' is not of the form COLUMN=LEVEL.", _HOW)
    return name.strip(), text.strip()
