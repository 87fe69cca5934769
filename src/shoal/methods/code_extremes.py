"""Top and bottom coding: the highest values of a column become one, and so do the lowest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from shoal.arrays import Integers, Positions
from shoal.domains.axis import Axis
from shoal.domains.levels import Replacement
from shoal.domains.numerals import convert
from shoal.errors import ParameterError, SchemaError
from shoal.kernels import MISSING
from shoal.models import PrivacyModel
from shoal.parameters import settle, shown
from shoal.schema import names_given
from shoal.table import Table

CodedCell = Literal["range", "value"]


@dataclass(frozen=True)
class CodeExtremes:
    """Publish all values from a limit on as one, at the top, the bottom or both ends of a column with an order.

    Limits are given, or found: the lowest value that, with all above it, so many records have; and the highest that,
    with all below it, so many have. Cells without a value stay so. It enforces no privacy model: give it before a
    method that does.

    Parameters
    ----------
    top
        The limit of each column, from which on values are one: ``top.age=90``.
    bottom
        The limit of each column, up to which values are one.
    least
        Where no limit is given, how many records are to have the values that become one, in each of ``columns``.
    columns
        In which columns limits are found; in all quasi-identifiers with an order if neither these nor limits are given.
    publish
        ``range`` publishes the stretch from the limit to the last value that occurs. ``value`` publishes the limit
        itself, which others truly have: a reader cannot tell who does.

    References
    ----------
    A. Hundepool et al.: Statistical Disclosure Control, Wiley 2012, doi:10.1002/9781118348239.
    """

    name: ClassVar[str] = "code-extremes"
    enforces: ClassVar[tuple[str, ...]] = ()
    top: Mapping[str, Any] | None = None
    bottom: Mapping[str, Any] | None = None
    least: int = 3
    columns: tuple[str, ...] | None = None
    publish: CodedCell = "range"

    def __post_init__(self) -> None:
        """Refuse what is no limit."""
        settle(self)
        object.__setattr__(self, "columns", names_given("columns", self.columns) or None)
        for what, given in (("top", self.top), ("bottom", self.bottom)):
            if given is not None and not isinstance(given, Mapping):
                raise ParameterError(f"'{what}' has a limit for each column.", f"Write {what}.age=90.")
        if isinstance(self.least, bool) or not isinstance(self.least, int) or self.least < 2:
            raise ParameterError(
                f"How many records become one is a whole number of at least 2, not {shown(self.least)}.", "Give 5, say."
            )
        if self.publish not in ("range", "value"):
            raise ParameterError("What is published is the range of the values, or the limit.", "Say range or value.")

    def apply(self, table: Table, models: Sequence[PrivacyModel], seed: int) -> Table:
        """Code the ends of the columns."""
        rules = {}
        for name in self._columns(table):
            axis = table.schema[name].axis
            positions, counts = table.counts(name)
            known = positions != MISSING
            rules[name] = self._coded(name, axis, positions[known], counts[known])
        return table.recode(rules)

    def _columns(self, table: Table) -> tuple[str, ...]:
        quasi = table.schema.quasi
        named = (*(self.columns or ()), *(self.top or ()), *(self.bottom or ()))
        for name in named:
            if name not in quasi:
                raise SchemaError.missing_column(name, quasi)
            axis = table.schema[name].axis
            if axis.nominal or axis.tree is not None:
                raise ParameterError(
                    f"Column '{name}' has no highest and no lowest value to be coded.",
                    f"Leave it out, or give it a hierarchy with such nodes (--hierarchy '{name}=top 90').",
                )
        ordered = [
            name for name in quasi if not table.schema[name].axis.nominal and table.schema[name].axis.tree is None
        ]
        return tuple(dict.fromkeys(named or ordered))

    def _coded(self, name: str, axis: Axis, positions: Positions, counts: Integers) -> Replacement:
        """Give the cells of the values that change."""
        lows, highs = positions.copy(), positions.copy()
        if positions.size:
            found = self.columns is None and not self.top and not self.bottom
            found = found or name in (self.columns or ())
            upper, lower = _limit(name, axis, self.top, "left"), _limit(name, axis, self.bottom, "right")
            if found and upper is None:
                enough = np.flatnonzero(np.cumsum(counts[::-1])[::-1] >= self.least)
                upper = int(positions[enough[-1]]) if enough.size else int(positions[0])
            if found and lower is None:
                enough = np.flatnonzero(np.cumsum(counts) >= self.least)
                lower = int(positions[enough[0]]) if enough.size else int(positions[-1])
            if upper is not None and lower is not None and upper <= lower:
                if not found:
                    raise ParameterError(f"The ends of column '{name}' overlap.", "Give a top above the bottom.")
                upper = lower = None
                lows[:], highs[:] = positions[0], positions[-1]
            for limit, there, end in ((upper, positions >= (upper or 0), -1), (lower, positions <= (lower or 0), 0)):
                if limit is None or not there.any():
                    continue
                last = limit if self.publish == "value" else int(positions[end])
                lows[there], highs[there] = min(limit, last), max(limit, last)
        changed = (lows != positions) | (highs != positions)
        return Replacement(positions[changed], lows[changed], highs[changed])

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say what is done."""
        shows = "their range" if self.publish == "range" else "the limit"
        return f"Coded the highest and lowest values as one, published as {shows} ({', '.join(self._columns(table))})."


def _limit(name: str, axis: Axis, limits: Mapping[str, Any] | None, side: Literal["left", "right"]) -> int | None:
    """Give the position from which on values are one; between listed values, that of the next inside."""
    if limits is None or name not in limits:
        return None
    text = str(limits[name])
    try:
        if axis.kind == "ordered":
            return [str(value) for value in axis.values.tolist()].index(text) if axis.values is not None else None
        (number,) = convert([text], axis.kind)
    except (ValueError, OverflowError):
        raise ParameterError(f"The limit of column '{name}' is no {axis.kind}.", "Mend it.") from None
    if axis.values is None:
        return int(number)
    place = int(np.searchsorted(axis.values, number, side=side))
    return place if side == "left" else place - 1
