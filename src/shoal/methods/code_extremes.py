"""Top and bottom coding: the highest values of a column become one, and so do the lowest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from shoal.arrays import Integers, Positions
from shoal.domains.axis import Axis
from shoal.domains.levels import Replacement
from shoal.errors import ParameterError, SchemaError
from shoal.kernels import MISSING
from shoal.methods.coding.coded_ends import CodedEnd, End, limit_of, mean_of, numbers_at, text_for, with_ends
from shoal.models import PrivacyModel
from shoal.parameters import settle, shown
from shoal.schema import names_given
from shoal.table import Table

CodedCell = Literal["range", "value", "text", "mean"]


@dataclass(frozen=True)
class CodeExtremes:
    """Publish all values from a limit on as one, at the top, the bottom or both ends of a column with an order.

    Limits are given, or found: the highest value that, with all above it, so many records have; and the lowest that,
    with all below it, so many have. Cells without a value stay so. It enforces no privacy model: give it before a
    method that does. As a level of a hierarchy, ends are coded by ``top 90``, ``bottom 18`` and ``intervals 5,10 top
    90`` (``--hierarchy``).

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
        ``range`` publishes the stretch from the limit to the last value that occurs. ``value`` publishes the limit,
        and ``mean`` the mean of the values that become one: a reader cannot tell who truly has it. ``text`` publishes a
        text, such as ``90+``, which stands for the limit in all that is computed.
    top_text
        With ``text``, what is published at the top of a column; the limit with a plus if left out.
    bottom_text
        With ``text``, what is published at the bottom; ``up to`` and the limit if left out.

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
    top_text: Mapping[str, str] | None = None
    bottom_text: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        """Refuse what is no limit."""
        settle(self)
        object.__setattr__(self, "columns", names_given("columns", self.columns) or None)
        for what in ("top", "bottom", "top_text", "bottom_text"):
            given = getattr(self, what)
            if given is not None and not isinstance(given, Mapping):
                example = '"90+"' if what.endswith("text") else "90"
                raise ParameterError(f"'{what}' is given for each column.", f"Write {what}.age={example}.")
        if isinstance(self.least, bool) or not isinstance(self.least, int) or self.least < 2:
            raise ParameterError(
                f"How many records become one is a whole number of at least 2, not {shown(self.least)}.", "Give 5, say."
            )
        if self.publish not in get_args(CodedCell):
            raise ParameterError(
                f"{shown(self.publish)} cannot be published.", f"There are: {', '.join(get_args(CodedCell))}."
            )
        if (self.top_text or self.bottom_text) and self.publish != "text":
            raise ParameterError("Texts are given, and none are published.", "Add publish=text.")

    def apply(self, table: Table, models: Sequence[PrivacyModel], seed: int) -> Table:
        """Code the ends of the columns."""
        ranges, others = {}, {}
        for name in self._columns(table):
            axis = table.schema[name].axis
            positions, counts = table.counts(name)
            known = positions != MISSING
            ends = self._ends(name, axis, positions[known], counts[known])
            if self.publish == "range" or axis.kind == "ordered":
                ranges[name] = self._coded(ends, axis, positions[known])
            elif ends:
                there, coded = with_ends(axis, ends)
                others[name] = (there, table.combine(coded, table.column(name)))
        table = table.recode(ranges) if ranges else table
        return table.put(others) if others else table

    def _columns(self, table: Table) -> tuple[str, ...]:
        quasi = table.schema.quasi
        named = (*(self.columns or ()), *(self.top or ()), *(self.bottom or ()))
        for name in (*named, *(self.top_text or ()), *(self.bottom_text or ())):
            if name not in quasi:
                raise SchemaError.missing_column(name, quasi)
            axis = table.schema[name].axis
            if axis.nominal or axis.tree is not None:
                raise ParameterError(
                    f"Column '{name}' has no highest and no lowest value to be coded.",
                    f"Leave it out, or give it a hierarchy with such nodes (--hierarchy '{name}=top 90').",
                )
            if axis.kind == "ordered" and self.publish in ("text", "mean"):
                raise ParameterError(
                    f"Column '{name}' holds categories, which have no {self.publish}.", "Publish the range."
                )
        ordered = [
            name for name in quasi if not table.schema[name].axis.nominal and table.schema[name].axis.tree is None
        ]
        if self.publish in ("text", "mean"):
            ordered = [name for name in ordered if table.schema[name].axis.numeric]
        return tuple(dict.fromkeys(named or ordered))

    def _ends(self, name: str, axis: Axis, positions: Positions, counts: Integers) -> list[CodedEnd]:
        """Give what becomes of the ends of a column; of categories with an order, numbers are their places."""
        found = name in (self.columns or ()) or not (self.columns or self.top or self.bottom)
        if not positions.size:
            return []
        numbers = positions.astype(np.int64) if axis.kind == "ordered" else numbers_at(axis, positions)
        limits: dict[End, float] = {}
        above = np.flatnonzero(np.cumsum(counts[::-1])[::-1] >= self.least)
        below = np.flatnonzero(np.cumsum(counts) >= self.least)
        for end, given, usual in (
            ("top", self.top, above[-1] if above.size else 0),
            ("bottom", self.bottom, below[0] if below.size else -1),
        ):
            limit = limit_of(name, axis, given)
            if limit is not None:
                limits[end] = limit  # type: ignore[index]
            elif found:
                limits[end] = numbers[usual].item()  # type: ignore[index]
        if len(limits) == 2 and limits["top"] <= limits["bottom"]:
            if not found or self.publish != "range":
                raise ParameterError(f"The ends of column '{name}' overlap.", "Give a top above the bottom.")
            limits = {"top": numbers[0].item()}
        return [self._end(name, axis, end, limit, numbers, counts) for end, limit in limits.items()]

    def _end(self, name: str, axis: Axis, end: End, limit: float, numbers: Any, counts: Integers) -> CodedEnd:
        coded = CodedEnd(end, limit, limit)
        those = coded.among(numbers)
        if self.publish == "mean" and those.any():
            return replace(coded, becomes=mean_of(axis, numbers[those], counts[those]))
        if self.publish == "text":
            said = (self.top if end == "top" else self.bottom) or {}
            (written,) = replace(axis, called={limit: "?"}).stands_for().values()
            texts = self.top_text if end == "top" else self.bottom_text
            return replace(coded, text=text_for(name, end, str(said.get(name, written)), texts))
        return coded

    def _coded(self, ends: Sequence[CodedEnd], axis: Axis, positions: Positions) -> Replacement:
        """Give the cells of the values that change: the stretch of those that are one, or of an order its limit."""
        lows, highs = positions.copy(), positions.copy()
        numbers = positions.astype(np.int64) if axis.kind == "ordered" else numbers_at(axis, positions)
        for each in ends:
            there = each.among(numbers)
            if there.any():
                low, high = positions[there][[0, -1]].tolist()
                if axis.values is None or axis.kind == "ordered":
                    low, high = (int(each.limit), high) if each.end == "top" else (low, int(each.limit))
                if self.publish == "value":
                    low = high = int(each.limit)
                lows[there], highs[there] = low, high
        changed = (lows != positions) | (highs != positions)
        return Replacement(positions[changed], lows[changed], highs[changed])

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say what is done."""
        shows = {"range": "their range", "value": "the limit", "mean": "their mean", "text": "a text"}[self.publish]
        return f"Coded the highest and lowest values as one, published as {shows} ({', '.join(self._columns(table))})."
