"""A table from columns that are known already: the distinct cells of each, and which of them every record has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Positions
from shoal.domains.cell_parser import Vocabulary
from shoal.engines.local import Local
from shoal.engines.local_data import OWN, LocalData, Words
from shoal.schema import Attribute, Role, Schema
from shoal.table import Origin, Table


@dataclass(frozen=True, eq=False)
class NewColumn:
    """A column as its distinct cells and, record by record, the number of a cell among them."""

    name: str
    role: Role
    knowledge: str | None
    cells: Vocabulary
    codes: Positions

    @property
    def exact(self) -> bool:
        """Whether every cell is one value or missing."""
        return bool((self.cells.lo == self.cells.hi).all())


def assemble(columns: Sequence[NewColumn], origin: Origin, left_out: tuple[str, ...] = ()) -> Table:
    """Put columns of equal length together as a table of the local engine, in their order."""
    quasi = [column for column in columns if column.role == Role.QUASI]
    others = [column for column in columns if column.role != Role.QUASI]
    rows = len(columns[0].codes)
    lo = np.empty((rows, len(quasi)), np.int32)
    for j, column in enumerate(quasi):
        lo[:, j] = column.cells.lo[column.codes]
    hi = lo if all(column.exact for column in quasi) else lo.copy()  # exact cells are kept once
    for j, column in enumerate(quasi):
        if not column.exact:
            hi[:, j] = column.cells.hi[column.codes]
    carried = np.empty((rows, len(others)), np.int32)
    words = []
    for j, column in enumerate(others):
        carried[:, j], found = _carried(column)
        words.append(found)
    data = LocalData(
        tuple(column.name for column in quasi), lo, hi, OWN, tuple(column.cells.ranged for column in quasi),
        tuple(column.name for column in others), carried, tuple(words),
    )  # fmt: skip
    attributes = tuple(
        Attribute(column.name, column.role, column.cells.axis, column.knowledge, column.cells.reason)
        for column in columns
    )
    return Table(Schema(attributes, left_out), data, Local(), origin)


def _carried(column: NewColumn) -> tuple[Positions, Words | None]:
    """Give whole numbers as they are, and other cells as codes of their texts."""
    cells = column.cells
    if cells.axis.kind == "integer" and cells.axis.values is None and column.exact:
        return cells.lo[column.codes], None
    texts = cells.axis.render_all(cells.lo, cells.hi, ranged=cells.ranged)
    return column.codes, Words(texts, cells.lo, cells.hi)
