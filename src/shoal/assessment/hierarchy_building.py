"""Hierarchies built over the values of a column of a table, in a way that has a name."""

from __future__ import annotations

from typing import Any

from shoal.domains.hierarchy import Hierarchy
from shoal.domains.hierarchy_builders import WAYS, builds
from shoal.engines import read
from shoal.engines.column_trees import EACH, alone, columns_above, tree_of, tree_of_columns
from shoal.errors import ParameterError
from shoal.schema import ReadOptions


def build_over(source: Any, column: str, how: str, options: ReadOptions, **places: Any) -> Hierarchy:
    """Build a hierarchy over the values of a column; ``places`` say where its table is held, as `read` takes them."""
    if not builds(how):
        raise ParameterError(f"'{how}' is no way to build a hierarchy.", f"Write: {WAYS}.")
    above = columns_above(how)
    if above is not None:
        return tree_of_columns(column, above, options, lambda narrow: read(source, options=narrow, **places))
    return tree_of(read(source, options=alone(options, {column: how}), **places), column)


def values_of(source: Any, column: str, options: ReadOptions, **places: Any) -> dict[str, int]:
    """Give the values of a column, as hierarchies see them, and how many rows have each."""
    table = read(source, options=alone(options, {column: EACH}), **places)
    leaves, (positions, counts) = tree_of(table, column).leaves, table.counts(column)
    return {
        leaves[place]: count for place, count in zip(positions.tolist(), counts.tolist(), strict=True) if place >= 0
    }
