"""How generalized numbers and dates are shown: as text, by both of their ends, or by their middle.

What is decided here is certified: the file shows the middle of a range, or that a cell without a value is ``*``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from shoal.arrays import Integers, Positions
from shoal.domains.axis import Axis
from shoal.engines.io.bounds import refuse_taken_names
from shoal.engines.packed_cells import all_single, has_value, packed, unpacked
from shoal.errors import ParameterError, suggest
from shoal.kernels import MISSING, TOP
from shoal.kernels.grouping import distinct
from shoal.table import Column, Table

WAYS = ("text", "bounds", "middle")


def refuse_strange_cells(cells: str | None) -> None:
    """Refuse a way of showing cells that is none."""
    if cells is not None and cells not in WAYS:
        near = suggest(cells, WAYS)
        raise ParameterError(
            f"'{cells}' is no way to show ranges.",
            f"Did you mean '{near}'?" if near else f"Choose {', '.join(WAYS[:-1])} or {WAYS[-1]}.",
        )


def shown(table: Table, cells: str | None) -> tuple[Table, str | None]:
    """Give a table as it is to be shown, and a sentence that says so if it is another table now."""
    names = ranged_columns(table) if cells in ("bounds", "middle") else {}
    if not names:
        return table, None
    if cells == "middle":
        moved = table.put({name: _middles(table, name, found) for name, found in names.items()})
        return moved, f"Ranges of {', '.join(names)} are shown by their middle, and * as an empty cell."
    refuse_taken_names(table.schema, list(names))
    holes = [name for name, found in names.items() if (unpacked(found)[1] == MISSING).any()]
    if not holes:
        return table, None
    table = table.put({name: (table.schema[name].axis, table.combine(_starred, table.column(name))) for name in holes})
    return table, f"Cells of {', '.join(holes)} without a value are shown as *, which has no ends."


def ranged_columns(table: Table) -> dict[str, Integers]:
    """Give the quasi-identifiers of numbers and dates that have cells of several values, and their distinct cells."""
    found = {}
    for name in table.schema.quasi:
        axis = table.schema[name].axis
        if axis.numeric and axis.tree is None:
            pieces = table.collect(distinct, table.column(name))
            cells = distinct(np.concatenate(pieces))
            if not all_single(cells):
                found[name] = cells
    return found


def _middles(table: Table, name: str, distinct: Integers) -> tuple[Axis, Column]:
    """Give an axis of the middles of ranges, and the column on it."""
    axis = table.schema[name].axis
    known = distinct[has_value(distinct)]
    lo, hi = unpacked(known)
    ends = [side.astype(np.int64) if axis.values is None else axis.values[side] for side in (lo, hi)]
    whole = axis.kind in ("date", "datetime")
    middles = ends[0] + (ends[1] - ends[0]) // 2 if whole else ends[0] * 0.5 + ends[1] * 0.5
    values = np.unique(middles)
    places = np.searchsorted(values, middles).astype(np.int32)
    kind = "float" if axis.kind == "integer" else axis.kind
    if axis.kind == "date" and axis.values is None:
        # An axis of its own, so that its days are no longer written as ranges.
        return replace(axis), table.combine(_moved(known, middles.astype(np.int32)), table.column(name))
    return replace(axis, kind=kind, values=values), table.combine(_moved(known, places), table.column(name))


def _moved(known: Integers, places: Positions) -> Callable[[Integers], Integers]:
    def move(cells: Integers) -> Integers:
        at = np.minimum(np.searchsorted(known, cells), max(known.size - 1, 0))
        found = np.where(has_value(cells), places[at] if known.size else MISSING, MISSING).astype(np.int32)
        return packed(found, found)

    return move


def _starred(cells: Integers) -> Integers:
    lo, hi = unpacked(cells)
    return packed(lo, np.where(lo == MISSING, np.int32(TOP), hi))
