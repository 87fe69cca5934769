"""Hierarchies from columns of the table itself: city, county, state, as the rows have them together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from shoal.arrays import Integers
from shoal.domains.hierarchy import ROOT, Hierarchy
from shoal.domains.hierarchy_builders import COLUMNS, LABELS
from shoal.domains.hierarchy_file import GROUP, apart
from shoal.engines.packed_cells import has_value, unpacked
from shoal.errors import DataError, ParameterError
from shoal.schema import ReadOptions, Roles
from shoal.table import Table

EACH = "frequent 1"  # a tree in which every value stands by itself: its leaves are the values, as hierarchies see them
Reader = Callable[[ReadOptions], Table]


def columns_above(how: Any) -> tuple[str, ...] | None:
    """Give the columns that a hierarchy comes from, if it is said to come from some.

    >>> columns_above("columns county, state"), columns_above("bands 5")
    (('county', 'state'), None)
    """
    if not isinstance(how, str) or how.split(" ")[0] != COLUMNS:
        return None
    return tuple(part.strip() for part in how.removeprefix(COLUMNS).split(",") if part.strip())


def with_trees_of_columns(options: ReadOptions, read: Reader) -> ReadOptions:
    """Give the same way to read a table, with trees in the place of words for hierarchies from columns."""
    trees = {
        name: tree_of_columns(name, above, options, read)
        for name, how in options.hierarchies.items()
        if (above := columns_above(how)) is not None
    }
    return replace(options, hierarchies={**options.hierarchies, **trees}) if trees else options


def as_said(table: Table, hierarchies: Mapping[str, Any]) -> Table:
    """Let a table remember what was said of its hierarchies, so that it can be read in the same way again."""
    said = {name: how for name, how in hierarchies.items() if how == LABELS or columns_above(how) is not None}
    if not said:
        return table
    given = table.origin.given
    known = {**given.get("hierarchies", {}), **said}
    return replace(table, origin=replace(table.origin, given={**given, "hierarchies": known}))


def tree_of_columns(column: str, above: Sequence[str], options: ReadOptions, read: Reader) -> Hierarchy:
    """Build a hierarchy in which the groups of a value are what other columns say in its rows.

    A row without a county says nothing of its city. A city in two counties, or in none, is refused; so is a county in
    two states.
    """
    names = (column, *above)
    if not above or len(set(names)) < len(names):
        raise ParameterError(
            "Groups come from other columns, each named once.", f"Write: {COLUMNS} county,state, the smallest first."
        )
    table = read(alone(options, dict.fromkeys(names, EACH)))
    rows = [[name] for name in tree_of(table, column).leaves]
    for lower, upper in pairwise(names):
        parents = _parents(table, lower, upper)
        for row in rows:
            row.append(parents[row[-1]])
    # Where a group has the name of a value, as a county that of its city, one of them needs another.
    found = apart([[*row, ROOT] for row in rows])
    note = f"{found[1]:,} groups had a name of something below them: they are now called 'NAME{GROUP}'"
    return replace(Hierarchy.of(found[0], column), note=note if found[1] else "")


def alone(options: ReadOptions, hierarchies: dict[str, str]) -> ReadOptions:
    """Read no other columns than these, with these trees."""
    only = {
        field: {name: value for name, value in getattr(options, field).items() if name in hierarchies}
        for field in ("kinds", "orders", "knowledge")
    }
    return replace(options, roles=Roles(quasi=tuple(hierarchies)), hierarchies=hierarchies, linked=False, **only)  # type: ignore[arg-type]


def tree_of(table: Table, column: str) -> Hierarchy:
    """Give the tree of a column."""
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
                         for side, tree in enumerate((tree_of(table, lower), tree_of(table, upper))))  # fmt: skip
    found = dict(zip(children, parents, strict=True))
    several = len({child for child, before in zip(children[1:], children, strict=False) if child == before})
    if several:
        what = f"A value of '{lower}' goes" if several == 1 else f"{several:,} values of '{lower}' go"
        raise DataError(
            f"{what} with several of '{upper}': that is no tree.",
            "Make them different, such as by the name of the group behind them, or mend the rows.",
        )
    without = len(tree_of(table, lower).leaves) - len(found)
    if without:
        what = f"A value of '{lower}' goes" if without == 1 else f"{without:,} values of '{lower}' go"
        raise DataError(f"{what} with none of '{upper}'.", "Fill the cells, or leave the rows out.")
    return found
