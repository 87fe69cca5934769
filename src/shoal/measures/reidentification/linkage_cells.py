"""Original records and the cells released for them, as record linkage compares them.

A number, a date or an ordered category differs from a range by how far it is from its nearer end, in standard
deviations of the original, and by nothing inside. A category differs by 1 from a set that does not hold it, or from a
node of a hierarchy that is not above it. ``*`` fits everything, and a cell without a value another one without.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from shoal.arrays import Bits, Floats, Integers, Positions
from shoal.errors import SchemaError
from shoal.kernels import MISSING, TOP
from shoal.kernels.linkage import LinkageCells
from shoal.measures.statistics.paired_columns import PairedTables, deviation
from shoal.measures.statistics.uniformity import ORIGINAL, RELEASED, Categories, Line
from shoal.schema import Schema
from shoal.table import Table


def linkage_cells(
    original: Table, released: Table, known: Sequence[str] | None, rows: Integers
) -> tuple[LinkageCells, tuple[str, ...]]:
    """Give all original records, and the cells that some of them have in the release, in columns that vary.

    Parameters
    ----------
    original, released
        The tables.
    known
        The attributes that an attacker knows; all quasi-identifiers if None.
    rows
        The records whose cells are linked, ascending.

    Returns
    -------
    tuple
        The cells, and the names of their columns.
    """
    tables = PairedTables.of(original, released, attacked(original.schema, known))
    numbers = []
    for name in tables.ordered:
        column = tables.column(name)
        if (spread := deviation(column.own)) > 0:
            numbers.append((name, column.own, column.low[rows], column.high[rows], spread**-2))
    categories = [(name, *_categories(tables, name, rows)) for name in tables.grounds if name not in tables.ordered]
    categories = [found for found in categories if np.unique(found[1]).size > 1]
    words = [found[4].shape[1] for found in categories]
    sizes = [found[4].size for found in categories]
    columns = [*numbers, *((*found[:4], 1.0) for found in categories)]
    cells = LinkageCells(
        records=_together([column[1] for column in columns], original.rows),
        low=_together([column[2] for column in columns], rows.size),
        high=_together([column[3] for column in columns], rows.size),
        rows=rows,
        numbers=len(numbers),
        weights=np.array([column[4] for column in columns], np.float64),
        sets=np.concatenate([np.empty(0, np.uint64), *(found[4].reshape(-1) for found in categories)]),
        starts=np.array([0] * len(numbers) + [0, *np.cumsum(sizes)][: len(sizes)], np.int64),
        words=np.array([0] * len(numbers) + words, np.int64),
    )
    return cells, tuple(column[0] for column in columns)


def attacked(schema: Schema, known: Sequence[str] | None) -> tuple[str, ...]:
    """Give the attributes that an attacker knows, or refuse those that are no quasi-identifiers."""
    names = schema.quasi if known is None else tuple(known)
    for name in names:
        if name not in schema.quasi:
            raise SchemaError.missing_column(name, schema.quasi)
    return names


def _together(columns: Sequence[Floats], rows: int) -> Floats:
    return np.stack(columns, axis=1) if columns else np.empty((rows, 0))


def _categories(tables: PairedTables, name: str, rows: Integers) -> tuple[Floats, Floats, Floats, Bits]:
    """Give the codes of a column, the ends of the cells of some records, and the sets among these as bits."""
    ground = tables.grounds[name]
    before, after = (
        tuple(ends[:, 0] for ends in table.cells([name], which))
        for table, which in (
            (tables.original, np.arange(tables.original.rows, dtype=np.int64)),
            (tables.released, rows),
        )
    )
    codes = _codes(ground, *before)
    cells, which = np.unique(np.stack(after), axis=1, return_inverse=True)
    members = [_members(ground, lo, hi) for lo, hi in cells.T]
    sets = sorted({held for held in members if isinstance(held, tuple) and len(held) != 1})
    place = {held: -1.0 - i for i, held in enumerate(sets)}
    low = np.array([_end(held, place) for held in members], np.float64)
    high = np.where(np.isinf(low), np.inf, low)
    top = 1 + max([int(codes.max(initial=0, where=~np.isnan(codes))), *(max(held, default=0) for held in sets)])
    bits = np.zeros((len(sets), -(-top // 64)), np.uint64)
    for i, held in enumerate(sets):
        for code in held:
            bits[i, code >> 6] |= np.uint64(1 << (code & 63))
    which = which.reshape(-1)
    return codes, low[which], high[which], bits


def _codes(ground: Line | Categories, lo: Positions, hi: Positions) -> Floats:
    """Give the code of the category of each original cell; a set, if there are any, has a code of its own."""
    found = np.full(lo.size, np.nan)
    shown = (lo != MISSING) & (hi != TOP)
    if isinstance(ground, Line):
        found[shown] = ground.numbers(ORIGINAL, lo[shown])
    else:
        found[shown] = ground.moves[ORIGINAL][lo[shown]]
    return found


def _members(ground: Line | Categories, lo: int, hi: int) -> tuple[int, ...] | float:
    """Give the categories that a released cell may stand for; minus infinity for ``*``, no number for no value."""
    if lo == MISSING:
        return -np.inf if hi == TOP else np.nan
    if isinstance(ground, Line):  # leaves of a hierarchy: a node is those from its first to its last
        first, last = (int(ground.numbers(RELEASED, np.array([end], np.int32))[0]) for end in (lo, hi))
        return tuple(range(first, last + 1))
    both = (np.array([end], np.int32) for end in (lo, hi))
    _, found, _ = ground.members(RELEASED, *both)
    held = {int(code) for code in found if code < ground.size}
    if lo >= _plain(ground):  # records of the original that have this very set
        held.add(int(ground.moves[RELEASED][lo]))
    return tuple(sorted(held))


def _end(held: tuple[int, ...] | float, place: Mapping[tuple[int, ...], float]) -> float:
    if not isinstance(held, tuple):
        return held
    return place[held] if held in place else float(held[0])


def _plain(ground: Categories) -> int:
    values = ground.axes[RELEASED].values
    return 0 if values is None else len(values)
