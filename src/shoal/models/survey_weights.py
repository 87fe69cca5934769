"""Survey weights: how many people of the population each record stands for."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Array, Floats
from shoal.domains.axis import Axis
from shoal.engines.packed_cells import all_single, has_value, unpacked
from shoal.errors import DataError, SchemaError
from shoal.schema import Role
from shoal.table import Table


def weights_of(table: Table) -> Floats | None:
    """Give the weight of each record, in the order of the table; None if no column has that role."""
    name = table.schema.single(Role.WEIGHT)
    if name is None:
        return None
    axis = table.schema[name].axis
    if axis.kind not in ("integer", "float"):
        raise SchemaError(f"The weights in column '{name}' are no numbers.", "Name another column (--weight).")
    found = numbers_in(table, name)
    gone = int(np.isnan(found).sum())
    wrong = int((found < 0).sum()) + int(np.isinf(found).sum())
    if gone or wrong:
        what = "have no weight" if gone else "have a weight that is below 0, or not finite"
        raise DataError(
            f"{gone or wrong:,} records of column '{name}' {what}.", "Mend the column, or leave these records out."
        )
    return found


def numbers_in(table: Table, name: str) -> Floats:
    """Give the numbers of a column of exact cells, in the order of the table; NaN where there is none."""
    axis, odd = table.schema[name].axis, table.schema[name].odd
    if odd is not None:
        raise DataError(
            f"{odd.cells:,} cells of column '{name}' are no numbers (the first on line {odd.line}).", "Mend them."
        )
    parts = table.collect(lambda cells: _numbers(cells, axis), table.column(name))
    if any(part is None for part in parts):
        raise DataError(f"Column '{name}' has cells that stand for several numbers.", "Use exact numbers.")
    return np.concatenate([part for part in parts if part is not None])


def _numbers(cells: Array, axis: Axis) -> Floats | None:
    if not all_single(cells):
        return None
    places, shown = unpacked(cells)[0], has_value(cells)
    found = np.full(places.size, np.nan)
    found[shown] = places[shown] if axis.values is None else axis.values[places[shown]]
    return found
