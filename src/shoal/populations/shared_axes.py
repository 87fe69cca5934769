"""A table and the population that it comes from on the same axes, whatever values each of them has."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.arrays import Positions
from shoal.domains.axis import Axis
from shoal.engines.local.aligning import Alignment, Used, alignment
from shoal.engines.local_data import moved
from shoal.kernels import MISSING, TOP
from shoal.schema import Attribute, Role, Schema
from shoal.table import Table

CellEnds = tuple[Positions, Positions]


def shared_axes(
    table: Table, population: Table, columns: Sequence[str], lo: Positions, hi: Positions, shown: CellEnds | None = None
) -> tuple[Alignment, Positions, Positions]:
    """Find axes that the columns of a population share with those of a table, and put cells of the table on them.

    Parameters
    ----------
    table
        The table.
    population
        The population, or what was released of it.
    columns
        Its columns, in the order of the table's quasi-identifiers.
    lo, hi
        Both ends of cells of the table, on its own axes.
    shown
        Both ends of the cells of a population that was released; if left out, its cells are exact values.

    Returns
    -------
    tuple
        The axes, with where the positions of the population go (``first``), and the cells.
    """
    names = table.schema.quasi
    theirs = _renamed(population, columns, names)
    lo, hi, axes = _by_names_of_nodes(table, theirs, lo, hi)
    there = _used(population, dict(zip(names, columns, strict=True))) if shown is None else _ends(names, *shown)
    plan = alignment(theirs, table.schema.with_axes(axes), names, (there, _ends(names, lo, hi)))
    low = on_shared(lo, plan, plan.second)
    return plan, low, low if (lo == hi).all() else on_shared(hi, plan, plan.second)


def all_single(table: Table, columns: Sequence[str], lo: Positions, hi: Positions) -> bool:
    """Tell whether cells of some columns are single values: none is a range, a set or a wildcard."""
    axes = [table.schema[name].axis for name in columns]
    return all(bool(axis.single(lo[:, j], hi[:, j]).all()) for j, axis in enumerate(axes))


def _renamed(population: Table, columns: Sequence[str], names: Sequence[str]) -> Schema:
    pairs = zip(names, columns, strict=True)
    return Schema(tuple(Attribute(name, Role.QUASI, population.schema[theirs].axis) for name, theirs in pairs))


def _by_names_of_nodes(
    table: Table, theirs: Schema, lo: Positions, hi: Positions
) -> tuple[Positions, Positions, dict[str, Axis]]:
    """Put cells in columns with hierarchies where nodes of the same names lie in the population, which may have more.

    A node that the population does not have is put behind all others, where nobody is.
    """
    axes: dict[str, Axis] = {}
    lo, hi = lo.copy(), hi.copy()
    for j, name in enumerate(table.schema.quasi):
        ours, other = table.schema[name].axis, theirs[name].axis
        if ours.tree is None or other.tree is None:
            continue
        axes[name] = other
        places = {text: span for span, text in other.tree.nodes.items()}
        nowhere = len(other.tree.levels)
        cells, which = np.unique(np.stack([lo[:, j], hi[:, j]], axis=1), axis=0, return_inverse=True)
        for i, (low, high) in enumerate(cells.tolist()):
            if low != MISSING:
                cells[i] = places.get(ours.tree.nodes[low, high], (nowhere, nowhere))
        lo[:, j], hi[:, j] = cells[which.reshape(-1)].T
    return lo, hi, axes


def _used(population: Table, columns: dict[str, str]) -> Used:
    def used(name: str) -> Positions:
        positions: Positions = population.counts(columns[name])[0]
        present: Positions = positions[positions != MISSING]
        return present

    return used


def _ends(names: Sequence[str], lo: Positions, hi: Positions) -> Used:
    def used(name: str) -> Positions:
        j = names.index(name)
        ends = np.unique(np.concatenate([lo[:, j], hi[:, j]]))
        found: Positions = ends[(ends != MISSING) & (ends != TOP)]
        return found

    return used


def on_shared(cells: Positions, plan: Alignment, moves: dict[str, Positions | None]) -> Positions:
    """Put cells on the axes that two tables share; a value that the other table lists nowhere stays one of its own."""
    if all(moves[name] is None for name in plan.names):
        return np.ascontiguousarray(cells)
    columns = []
    for j, name in enumerate(plan.names):
        column, move = np.ascontiguousarray(cells[:, j]), moves[name]
        if move is None or move.ndim == 1:
            columns.append(moved(column, move))
            continue
        known = (column != MISSING) & (column != TOP)
        out = column.copy()
        out[known] = move[1][np.searchsorted(move[0], column[known])]
        columns.append(out)
    return np.ascontiguousarray(np.stack(columns, axis=1))
