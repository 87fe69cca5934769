"""Survey weights: how many people of the population each record stands for."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Array, Floats
from shoal.domains.axis import Axis
from shoal.engines.packed_cells import all_single, has_value, unpacked
from shoal.errors import DataError, SchemaError
from shoal.schema import Role
from shoal.table import Table

LEAST, MOST = 1e-15, 1e15  # beyond these, squares of sums are no numbers any more, and measures would say 0


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
    wrong = int(((found != 0) & ~np.isnan(found) & ~((found >= LEAST) & (found <= MOST))).sum())
    if gone or wrong:
        what = "without a weight" if gone else f"with a weight that is neither 0 nor from {LEAST:g} to {MOST:g}"
        raise DataError(
            f"Column '{name}' has records {what}: {gone or wrong:,}.", "Mend the column, or leave these records out."
        )
    return found


def weights_asked_for(table: Table) -> Floats:
    """Give the weight of each record, or say that no column has that role."""
    found = weights_of(table)
    if found is None:
        raise SchemaError("Records are to be weighted, and no column holds weights.", "Name it: --weight w.")
    if found.size and not found.any():
        raise DataError("All records weigh 0, so none would count.", "Name another column (--weight).")
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
