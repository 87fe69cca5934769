"""Hierarchies built over the values of a column of a table: in a way that has a name, or from other columns of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from shoal.arrays import Integers
from shoal.domains.hierarchy import ROOT, Hierarchy
from shoal.domains.hierarchy_builders import BUILDERS, WAYS
from shoal.domains.hierarchy_file import GROUP, apart
from shoal.engines import read
from shoal.engines.packed_cells import has_value, unpacked
from shoal.errors import DataError, ParameterError
from shoal.schema import ReadOptions, Roles
from shoal.table import Table

COLUMNS = "columns"
_EACH = "frequent 1"  # a tree in which every value stands by itself: its leaves are the values, as hierarchies see them


def build_over(source: Any, column: str, how: str, options: ReadOptions, **places: Any) -> Hierarchy:
    """Build a hierarchy over the values of a column; ``places`` say where its table is held, as `read` takes them."""
    word = " ".join(how.split()).partition(" ")[0]
    if word not in BUILDERS:
        raise ParameterError(f"'{how}' is no way to build a hierarchy.", f"Write: {WAYS}; {COLUMNS} county,state.")
    table = read(source, options=_alone(options, {column: how}), **places)
    return _tree(table, column)


def build_from_columns(
    source: Any, column: str, above: Sequence[str], options: ReadOptions, **places: Any
) -> Hierarchy:
    """Build a hierarchy in which the groups of a value are what other columns say in its rows: city, county, state.

    A row without a county says nothing of its city. A city in two counties, or in none, is refused; so is a county in
    two states.
    """
    names = (column, *above)
    if not above or len(set(names)) < len(names):
        raise ParameterError(
            "Groups come from other columns, each named once.", f"Write: {COLUMNS} county,state, the smallest first."
        )
    table = read(source, options=_alone(options, dict.fromkeys(names, _EACH)), **places)
    rows = [[name] for name in _tree(table, column).leaves]
    for lower, upper in pairwise(names):
        parents = _parents(table, lower, upper)
        for row in rows:
            row.append(parents[row[-1]])
    # Where a group has the name of a value, as a county that of its city, one of them needs another.
    found = apart([[*row, ROOT] for row in rows])
    note = f"{found[1]:,} groups had a name of something below them: they are now called 'NAME{GROUP}'"
    return replace(Hierarchy.of(found[0], column), note=note if found[1] else "")


def values_of(source: Any, column: str, options: ReadOptions, **places: Any) -> dict[str, int]:
    """Give the values of a column, as hierarchies see them, and how many rows have each."""
    table = read(source, options=_alone(options, {column: _EACH}), **places)
    leaves, (positions, counts) = _tree(table, column).leaves, table.counts(column)
    return {
        leaves[place]: count for place, count in zip(positions.tolist(), counts.tolist(), strict=True) if place >= 0
    }


def _alone(options: ReadOptions, hierarchies: dict[str, str]) -> ReadOptions:
    """Read no other columns than these, with these trees."""
    return replace(options, roles=Roles(quasi=tuple(hierarchies)), hierarchies=hierarchies)


def _tree(table: Table, column: str) -> Hierarchy:
    tree = table.schema[column].axis.tree
    if tree is None:
        raise DataError(f"Column '{column}' has no value.", "Choose a column that has some.")
    return tree


def _pairs(*columns: Integers) -> Integers:
    """Give the distinct pairs of some rows in which both are known."""
    rows = np.stack(columns, axis=1)
    found: Integers = np.unique(rows[has_value(rows).all(axis=1)], axis=0)
    return found


def _parents(table: Table, lower: str, upper: str) -> dict[str, str]:
    """Give the one value of the upper column that each value of the lower one goes with."""
    parts = table.collect(_pairs, table.column(lower), table.column(upper))
    pairs = np.unique(np.concatenate(parts), axis=0)
    children, parents = ([tree.leaves[i] for i in unpacked(pairs[:, side])[0].tolist()]
                         for side, tree in enumerate((_tree(table, lower), _tree(table, upper))))  # fmt: skip
    found = dict(zip(children, parents, strict=True))
    several = len({child for child, before in zip(children[1:], children, strict=False) if child == before})
    if several:
        what = f"A value of '{lower}' goes" if several == 1 else f"{several:,} values of '{lower}' go"
        raise DataError(
            f"{what} with several of '{upper}': that is no tree.",
            "Make them different, such as by the name of the group behind them, or mend the rows.",
        )
    without = len(_tree(table, lower).leaves) - len(found)
    if without:
        what = f"A value of '{lower}' goes" if without == 1 else f"{without:,} values of '{lower}' go"
        raise DataError(f"{what} with none of '{upper}'.", "Fill the cells, or leave the rows out.")
    return found
