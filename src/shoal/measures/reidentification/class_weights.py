"""Survey weights of classes: how many people of the population the records of a class stand for."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from shoal.arrays import Floats
from shoal.domains.axis import Axis
from shoal.errors import DataError, SchemaError
from shoal.kernels import MISSING
from shoal.schema import Role
from shoal.table import Classes, Table


def weight_column(table: Table) -> str | None:
    """Give the name of the column of survey weights, if the table has one."""
    return next(iter(table.schema.of(Role.WEIGHT)), None)


def _axis_of(table: Table, name: str) -> Axis:
    """Give the axis of weights, which travels with the work on classes, or refuse a column without numbers."""
    axis = table.schema[name].axis
    if axis.kind not in ("integer", "float"):
        raise SchemaError(f"Column '{name}' does not hold numbers.", "Survey weights are numbers: --weight COLUMN.")
    return axis


def _weights_in(classes: Classes, name: str, axis: Axis) -> Floats:
    """Give the weight of each record of some classes, or refuse a record without one."""
    positions = classes.columns[name]
    lacking = positions == MISSING
    if lacking.any():
        raise DataError(
            f"Records without a weight in column '{name}': {int(lacking.sum()):,}.",
            "Give every record a weight: how many people of the population it stands for.",
        )
    found = positions if axis.values is None else axis.values[positions]
    return found.astype(np.float64)


def weight_alone(table: Table, name: str, by: Sequence[str] | None = None) -> tuple[float, float]:
    """Give how many people the records stand for that are alone in some columns, and all records."""
    axis = _axis_of(table, name)

    def counted(classes: Classes) -> tuple[Floats, Floats]:
        weights = _weights_in(classes, name, axis)
        return weights[classes.starts[:-1][classes.sizes == 1]], weights

    parts = table.classes(counted, by, (name,))
    # Sums of all numbers at once, which no order of classes changes.
    alone, everybody = (math.fsum(np.concatenate([part[i] for part in parts]).tolist()) for i in (0, 1))
    return alone, everybody


def weighted_sizes(table: Table, name: str) -> Counter[tuple[int, float]]:
    """Count the classes of each size and each sum of weights; a class stands for its own records at least."""
    axis = _axis_of(table, name)

    def counted(classes: Classes) -> Counter[tuple[int, float]]:
        sums = np.maximum(np.add.reduceat(_weights_in(classes, name, axis), classes.starts[:-1]), classes.sizes)
        return Counter(zip(classes.sizes.tolist(), sums.tolist(), strict=True))

    return sum(table.classes(counted, carry=(name,)), Counter())
