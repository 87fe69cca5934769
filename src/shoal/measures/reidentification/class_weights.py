"""Survey weights of classes: how many people of the population the records of a class stand for."""

from __future__ import annotations

from collections import Counter

import numpy as np

from shoal.arrays import Floats
from shoal.errors import DataError, SchemaError
from shoal.kernels import MISSING
from shoal.schema import Role
from shoal.table import Classes, Table


def weight_column(table: Table) -> str | None:
    """Give the name of the column of survey weights, if the table has one."""
    return next(iter(table.schema.of(Role.WEIGHT)), None)


def weights_of(table: Table, name: str, classes: Classes) -> Floats:
    """Give the weight of each record of some classes, or refuse a record without one."""
    axis, positions = table.schema[name].axis, classes.columns[name]
    if axis.kind not in ("integer", "float"):
        raise SchemaError(f"Column '{name}' does not hold numbers.", "Survey weights are numbers: --weight COLUMN.")
    lacking = positions == MISSING
    if lacking.any():
        raise DataError(
            f"Records without a weight in column '{name}': {int(lacking.sum()):,}.",
            "Give every record a weight: how many people of the population it stands for.",
        )
    found = positions if axis.values is None else axis.values[positions]
    return found.astype(np.float64)


def weighted_sizes(table: Table, name: str) -> Counter[tuple[int, float]]:
    """Count the classes of each size and each sum of weights; a class stands for its own records at least."""

    def counted(classes: Classes) -> Counter[tuple[int, float]]:
        sums = np.maximum(np.add.reduceat(weights_of(table, name, classes), classes.starts[:-1]), classes.sizes)
        return Counter(zip(classes.sizes.tolist(), sums.tolist(), strict=True))

    return sum(table.classes(counted, carry=(name,)), Counter())
