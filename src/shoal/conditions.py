"""Conditions on confidential values, such as ``charge > 100000``: the z of Eq. 5."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.domains.axis import Axis
from shoal.domains.cell_parser import interpret
from shoal.domains.texts import Reading, Texts
from shoal.errors import DataError, ParameterError
from shoal.kernels import MISSING
from shoal.schema import Schema

_PART = re.compile(
    r"""\s*(?P<column>"[^"]+"|[^<>=!]+?)\s*(?P<sign><=|>=|==|!=|<|>|=)\s*(?P<value>"[^"]*"|'[^']*'|.+?)\s*"""
)
# "and" between parts, not inside quotes: an even number of each kind of quote follows it.
_AND = re.compile(r"""\s+and\s+(?=(?:[^"]*"[^"]*")*[^"]*$)(?=(?:[^']*'[^']*')*[^']*$)""")
_SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
}


@dataclass(frozen=True)
class Relation:
    """One column against one value. A missing cell never satisfies it."""

    column: str
    sign: str
    value: str

    def holds(self, axis: Axis, positions: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Tell for which positions the comparison is true."""
        compare = _SIGNS[self.sign]
        present = positions != MISSING
        if axis.nominal:
            if self.sign not in ("=", "==", "!="):
                raise ParameterError(
                    f"Column '{self.column}' holds categories without an order, so '{self.sign}' says nothing.",
                    "Use = or !=.",
                )
            assert axis.values is not None
            same = np.array([value == self.value for value in axis.values] + [False] * (1 + len(axis.groups)))
            return np.asarray(present & (same[np.where(present, positions, 0)] == (self.sign != "!=")))
        if axis.kind == "ordered":
            assert axis.values is not None
            places = [i for i, value in enumerate(axis.values) if value == self.value]
            if not places:
                raise ParameterError(f"The order of '{self.column}' has no such category.", "Check the condition.")
            return np.asarray(present & compare(positions, places[0]))
        bound = self._bound(axis)
        if axis.values is not None and not len(axis.values):  # no cell has a value
            return np.zeros(positions.shape, np.bool_)
        numbers = positions if axis.values is None else axis.values[np.where(present, positions, 0)]
        return np.asarray(present & compare(numbers, bound))

    def _bound(self, axis: Axis) -> Any:
        """Give the value as a number on the axis."""
        if axis.kind == "integer" and re.fullmatch(r"[-+]?\d+", self.value):
            return int(self.value)  # exact, however large
        kind = "float" if axis.kind == "integer" else axis.kind
        texts = Texts(self.column, [self.value], [1], [1])
        try:
            found = interpret(texts, Reading(kind=kind, decimal="."))
            if found.lo[0] == MISSING or found.lo[0] != found.hi[0]:
                raise ValueError
            if (found.axis.zone is None) != (axis.zone is None):
                raise ParameterError(
                    f"'{self.value}' and the times of column '{self.column}' cannot be compared: only one has a zone.",
                    "Write times with an offset, 2024-01-01 00:00+09:00, where the column has one, and only there.",
                )
        except (DataError, ValueError):
            raise ParameterError(
                f"'{self.value}' is not a value of column '{self.column}' ({axis.kind}).", "Check the condition."
            ) from None
        position = int(found.lo[0])
        return position if found.axis.values is None else found.axis.values[position]


@dataclass(frozen=True)
class Condition:
    """Comparisons that must all be true, as written by the user."""

    text: str
    parts: tuple[Relation, ...]

    @classmethod
    def parse(cls, text: str) -> Condition:
        """Read a condition.

        >>> Condition.parse("charge > 100000 and sex = 2").columns
        ('charge', 'sex')
        """
        parts = []
        for piece in _AND.split(text.strip()):
            match = _PART.fullmatch(piece)
            if match is None:
                raise ParameterError(
                    f"'{text}' is not a condition.",
                    "Write a column, one of < <= > >= = !=, and a value: 'charge > 100000'.",
                )
            column, value = match["column"].strip('"'), match["value"].strip("\"'")
            parts.append(Relation(column, match["sign"], value))
        return cls(text, tuple(parts))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are spoken of."""
        return tuple(dict.fromkeys(part.column for part in self.parts))

    def holds(self, schema: Schema, columns: Any) -> NDArray[np.bool_]:
        """Tell which records satisfy all parts."""
        result: NDArray[np.bool_] | None = None
        for part in self.parts:
            here = part.holds(schema[part.column].axis, columns[part.column])
            result = here if result is None else result & here
        assert result is not None
        return result
