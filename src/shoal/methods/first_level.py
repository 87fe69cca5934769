"""The first level of each hierarchy: every cell becomes the group above it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.domains.levels import Replacement
from shoal.kernels import MISSING
from shoal.models import PrivacyModel
from shoal.table import Table


@dataclass(frozen=True)
class FirstLevel:
    """Bring every column with a hierarchy to its first level above the values; others stay as they are.

    With the hierarchies ``safe-harbor zip``, ``safe-harbor age``, ``safe-harbor date`` and ``safe-harbor birth 2026``
    that is what the rule of safe harbor leaves of a cell, also where one alone is in its group; with others, a group of
    one value is shown as that value. It enforces no privacy model: the model ``safe-harbor`` proves that rule.

    References
    ----------
    45 CFR 164.514(b)(2). K. Benitez, B. Malin: Evaluating re-identification risks with respect to the HIPAA privacy
    rule, JAMIA 17(2), 2010, doi:10.1136/jamia.2009.000026.
    """

    name: ClassVar[str] = "first-level"
    enforces: ClassVar[tuple[str, ...]] = ()

    def apply(self, table: Table, models: Sequence[PrivacyModel], seed: int) -> Table:
        """Show of each cell the group above it."""
        rules = {}
        for name in self._columns(table):
            tree = table.schema[name].axis.tree
            assert tree is not None
            positions, _ = table.counts(name)
            positions = positions[positions != MISSING]
            ends, _, _ = tree.tables
            above = ends[tree.above[1][positions]]
            rules[name] = Replacement(
                positions, np.ascontiguousarray(above[:, 0], np.int32), np.ascontiguousarray(above[:, 1], np.int32)
            )
        return table.recode(rules) if rules else table

    def _columns(self, table: Table) -> list[str]:
        return [name for name in table.schema.quasi if table.schema[name].axis.tree is not None]

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say what is done."""
        columns = ", ".join(self._columns(table)) or "of which no column has one"
        return f"Brought every value to the first level of its hierarchy ({columns})."
