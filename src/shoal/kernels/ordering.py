"""The order of a release: classes by their cells, and the rows of each class by their other columns."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Integers, Positions
from shoal.kernels import below, call, of_kind
from shoal.kernels.radix import order_by_lengths

_BITS = 64


@dataclass(frozen=True)
class Matrices:
    """Both ends of cells, row by row, and the columns by which rows are sorted, the first of which matters most."""

    lo: Positions
    hi: Positions
    columns: Integers


def order_classes(cells: Matrices) -> tuple[Positions, Positions, int]:
    """Sort rows by their lower and upper ends, column after column.

    Gives their order, the class of each place in it (equal cells, equal class), and the size of the largest class.
    """
    of_kind(np.int32, cells.lo, cells.hi)
    of_kind(np.int64, cells.columns)
    n, m = cells.lo.shape
    keys, packed = _packed(cells)
    order = order_by_lengths(keys.view(np.float64))
    rest, classes = cells.columns[packed:].copy(), np.empty(n, np.int32)
    largest = call(
        "order_classes", keys, cells.lo, cells.hi, n, m, rest, rest.size, order, np.empty(n // 2 + 1, np.int32),
        classes, result=ctypes.c_int64,
    )  # fmt: skip
    return order, classes, int(largest)


def _packed(cells: Matrices) -> tuple[NDArray[np.uint64], int]:
    """Pack as many of the leading cells of each row into one number as it has room for; and say of how many columns."""
    n, m = cells.lo.shape
    fields: list[tuple[int, int, int]] = []
    room, whole = _BITS, 0
    sides = [_limits(ends) for ends in ((cells.lo,) if cells.hi is cells.lo else (cells.lo, cells.hi))]
    for j in cells.columns.tolist():
        for side, (lowest, highest) in enumerate(sides):
            low = int(lowest[j])
            bits = (int(highest[j]) - low).bit_length()
            if bits > room:
                break
            room -= bits
            fields.append((2 * j + side, low, bits))
        else:
            whole += 1
            continue
        break
    keys = np.empty(n, np.uint64)
    columns = np.array(fields, np.int64).reshape(-1, 3).T
    call("pack_cells", cells.lo, cells.hi, n, m, *(column.copy() for column in columns), len(fields), keys)
    return keys, whole


def _limits(cells: Positions) -> tuple[Positions, Positions]:
    """Give the lowest and the highest number of each column."""
    n, m = cells.shape
    lowest, highest = (cells[:1].sum(axis=0, dtype=np.int32) for _ in range(2))
    call("limits_of", cells, n, m, lowest, highest)
    return lowest, highest


def order_members(
    groups: Positions, classes: Positions, largest: int, members: tuple[Positions, Integers], labels: Positions,
    ranks: Positions, codes: Positions,
) -> tuple[Positions, Positions, Positions]:  # fmt: skip
    """Give rows class after class, those of a class by their ranks, column after column, and then by their number.

    ``groups`` come in the order of their ``classes``, the largest of which has so many of them; ``members`` are the
    rows of each group, and ``labels`` tell the group of each row. Gives the order of the rows, and their groups and
    codes in it.
    """
    rows, starts = members
    of_kind(np.int32, groups, classes, rows, labels, ranks, codes)
    of_kind(np.int64, starts)
    below(starts.size - 1, groups)
    below(codes.shape[0], rows)
    most = min(largest * int(np.diff(starts).max(initial=0)), rows.size)  # rows of a class
    order, grouped, taken = np.empty(rows.size, np.int32), np.empty(rows.size, np.int32), np.empty_like(codes)
    call(
        "order_members", groups, classes, groups.size, rows, starts, labels, ranks, ranks.shape[1], codes,
        codes.shape[1], np.empty(most, np.uint64), np.empty(most // 2 + 1, np.uint64), order, grouped, taken,
    )  # fmt: skip
    return order, grouped, taken


def are_ordered(cells: Matrices, index: Positions, ranks: Positions) -> bool:
    """Tell whether rows stand in the order of their cells, which they may share by an index, and then their ranks."""
    of_kind(np.int32, cells.lo, cells.hi, index, ranks)
    of_kind(np.int64, cells.columns)
    below(cells.lo.shape[0], index)
    found = call(
        "count_ordered", cells.lo, cells.hi, cells.lo.shape[1], cells.columns, cells.columns.size,
        index if index.size else None, ranks, ranks.shape[1], ranks.shape[0], result=ctypes.c_int64,
    )  # fmt: skip
    return bool(found == ranks.shape[0])


def lowest_bytes(numbers: Integers, width: int) -> bytes:
    """Give so many bytes of each number, the lowest first."""
    of_kind(np.int64, numbers)
    out = np.empty(numbers.size * width, np.uint8)
    call("lowest_bytes", numbers, numbers.size, width, out)
    return out.tobytes()
