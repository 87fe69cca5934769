"""Rare values are hidden: those that too few records have become ``*``, or a group above them that enough have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.domains.axis import Axis
from shoal.domains.levels import Replacement
from shoal.errors import ParameterError, SchemaError
from shoal.kernels import MISSING, TOP
from shoal.models import PrivacyModel
from shoal.parameters import settle, shown
from shoal.schema import names_given
from shoal.table import Table


@dataclass(frozen=True)
class HideRare:
    """Hide each value that fewer records have than so many, column by column.

    In a column with a hierarchy a rare value becomes the lowest node above it that, with all rare values below it,
    enough records show; in others, and where there is no such node, it becomes ``*``. It enforces no privacy model:
    combinations of values may still be rare. Give it before a method that does.

    Parameters
    ----------
    least
        How many records have a value that is shown, 2 or more.
    columns
        In which columns; in all quasi-identifiers if left out.

    References
    ----------
    A. Hundepool et al.: Statistical Disclosure Control, Wiley 2012, doi:10.1002/9781118348239.
    """

    name: ClassVar[str] = "hide-rare"
    enforces: ClassVar[tuple[str, ...]] = ()
    least: int = 3
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse a number that every value has."""
        settle(self)
        object.__setattr__(self, "columns", names_given("columns", self.columns) or None)
        if isinstance(self.least, bool) or not isinstance(self.least, int) or self.least < 2:
            raise ParameterError(
                f"How many records have a value is a whole number of at least 2, not {shown(self.least)}.",
                "Offices use 3 to 11.",
            )

    def apply(self, table: Table, models: Sequence[PrivacyModel], seed: int) -> Table:
        """Hide the rare values of each column."""
        rules = {}
        for name in self.columns or table.schema.quasi:
            if name not in table.schema.quasi:
                raise SchemaError.missing_column(name, table.schema.quasi)
            positions, counts = table.counts(name)
            axis = table.schema[name].axis
            known = positions != MISSING
            if axis.nominal and axis.values is not None:
                known &= positions < len(axis.values)  # sets and wildcards stay what they are
            rules[name] = self._hidden(axis, positions[known], counts[known])
        return table.recode(rules)

    def _hidden(self, axis: Axis, positions: Positions, counts: NDArray[np.int64]) -> Replacement:
        rare = counts < self.least
        lows, highs = np.full(positions.size, MISSING, np.int32), np.full(positions.size, TOP, np.int32)
        if axis.tree is not None:
            ends, parents, _ = axis.tree.tables
            shows = np.zeros(parents.size, np.int64)
            shows[positions] = counts
            goes = np.arange(parents.size)
            for node in range(parents.size - 1):  # from the leaves on, level by level
                if 0 < shows[node] < self.least:
                    goes[node] = parents[node]
                    shows[parents[node]] += shows[node]
            while not np.array_equal(goes, higher := goes[goes]):
                goes = higher
            shown_as = goes[positions]
            named = shown_as < parents.size - 1
            lows[named], highs[named] = ends[shown_as[named], 0], ends[shown_as[named], 1]
        return Replacement(positions[rare], lows[rare], highs[rare])

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say what is done."""
        columns = ", ".join(self.columns or table.schema.quasi)
        return f"Hid values that fewer than {self.least:,} records have, each column by itself ({columns})."
