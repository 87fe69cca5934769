"""Which confidential column a model is about, and how often its values occur in the classes of a table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.errors import SchemaError
from shoal.kernels import MISSING
from shoal.schema import Attribute, Schema


def confidential(schema: Schema, column: str | None, model: str) -> str:
    """Give the column that is meant: the one that is named, or the only confidential one."""
    if column is not None:
        attribute = schema[column]
        if attribute.name in schema.quasi:
            raise SchemaError(
                f"Column '{column}' is a quasi-identifier, so {model} cannot protect it.",
                "Name a column that is released as it is.",
            )
        return _of_values(attribute, model)
    if len(schema.sensitive) != 1:
        raise SchemaError(
            f"The table has {len(schema.sensitive)} confidential columns, so {model} needs a name.",
            "Say which one is meant (column=, --t-column, --l-column), or name one as sensitive (--sensitive).",
        )
    return _of_values(schema[schema.sensitive[0]], model)


def _of_values(attribute: Attribute, model: str) -> str:
    """Refuse cells that stand for several values: counted as values of their own, [5;6] and [5;7] would differ."""
    if attribute.generalized:
        raise SchemaError(
            f"Column '{attribute.name}' has cells that stand for several values ([5;6], 5*, {{a;b}} or *), so {model} "
            "cannot count its values.",
            "Give the values themselves, or leave the cells empty.",
        )
    return attribute.name


def places_among(values: NDArray[np.int32], column: NDArray[np.int32]) -> NDArray[np.int32]:
    """Give the place of each position among the distinct ones; of many that lie close together, by a table."""
    first, width = int(values[0]), int(values[-1]) - int(values[0]) + 1
    if width > min(1 << 24, 16 * column.size):
        return np.searchsorted(values, column).astype(np.int32)
    places = np.zeros(width, np.int32)
    places[values - first] = np.arange(values.size, dtype=np.int32)
    found: NDArray[np.int32] = places[column - np.int32(first)]
    return found


def bins_of(values: NDArray[np.int32], column: NDArray[np.int32]) -> NDArray[np.int32]:
    """Give the place of each position among the distinct ones, and -1 where there is no value."""
    return np.where(column == MISSING, np.int32(-1), places_among(values, column))
