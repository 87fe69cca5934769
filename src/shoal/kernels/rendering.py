"""Numbers back to delimited text: the text of a group is made once and repeated for each of its rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import MISSING, TOP, compiled

Bytes = NDArray[np.uint8]
Integers = NDArray[np.int64]
Positions = NDArray[np.int32]

# What a field of the output is made of.
SPAN, CARRIED = 0, 1


@compiled
def _put_number(out: Bytes, at: int, value: int) -> int:
    if value < 0:
        out[at] = 45
        at += 1
        value = -value
    stop = at + 1
    rest = value // 10
    while rest > 0:
        stop += 1
        rest //= 10
    p = stop
    while p > at:
        p -= 1
        out[p] = 48 + value % 10
        value //= 10
    return stop


@compiled
def _put_text(out: Bytes, at: int, word: int, offsets: Integers, heap: Bytes) -> int:
    for i in range(offsets[word], offsets[word + 1]):
        out[at] = heap[i]
        at += 1
    return at


@compiled
def _put_end(out: Bytes, at: int, value: int, base: int, offsets: Integers, heap: Bytes) -> int:
    """Write one end of a span: a number, or the text it stands for."""
    if base < 0:
        return _put_number(out, at, value)
    return _put_text(out, at, base + value, offsets, heap)


@compiled
def render_spans(
    low: Positions,
    high: Positions,
    first: int,
    stop: int,
    ranged: Positions,
    bases: Integers,
    offsets: Integers,
    heap: Bytes,
    delimiter: int,
    quotes: Positions,
    out: Bytes,
    places: Integers,
    at: int,
) -> int:
    """Write the cells of span rows first..stop-1 one after the other and note where each row begins.

    ``ranged`` says per column whether a single value is still written as a range; ``bases`` where the column's texts
    begin in the text table, or -1 for numbers; ``quotes`` whether quotes are put around no cell (0), ranges (1) or
    every cell (2). Columns are separated by the delimiter.
    """
    m = low.shape[1]
    for g in range(first, stop):
        places[g - first] = at
        for j in range(m):
            if j > 0:
                out[at] = delimiter
                at += 1
            a, b = low[g, j], high[g, j]
            if a == MISSING:
                if b == TOP:
                    out[at] = 42
                    at += 1
                elif m == 1:
                    out[at] = 34  # a lone empty cell would look like an empty line
                    out[at + 1] = 34
                    at += 2
                continue
            alone = a == b and ranged[j] == 0
            quote = quotes[j] == 2 or (quotes[j] == 1 and not alone)
            if quote:
                out[at] = 34
                at += 1
            if alone:
                at = _put_end(out, at, a, bases[j], offsets, heap)
            else:
                out[at] = 91
                at = _put_end(out, at + 1, a, bases[j], offsets, heap)
                out[at] = 59
                at = _put_end(out, at + 1, b, bases[j], offsets, heap)
                out[at] = 93
                at += 1
            if quote:
                out[at] = 34
                at += 1
    places[stop - first] = at
    return at


@compiled
def join_rows(
    first: int,
    stop: int,
    fields: Positions,
    numbers: Positions,
    texts: tuple[Bytes, ...],
    places: tuple[Integers, ...],
    index: Positions,
    shift: int,
    carried: Positions,
    bases: Integers,
    offsets: Integers,
    heap: Bytes,
    delimiter: int,
    out: Bytes,
) -> int:
    """Write the rows first..stop-1: in each field the text of the row's group, or the row's own carried cell.

    ``fields`` tells what each field is and ``numbers`` which run of span columns or which carried column;
    ``shift`` is the group number at which ``places`` begins.
    """
    at = 0
    direct = index.size == 0
    for row in range(first, stop):
        group = (row if direct else index[row]) - shift
        for f in range(fields.size):
            if f > 0:
                out[at] = delimiter
                at += 1
            number = numbers[f]
            if fields[f] == SPAN:
                begin, end = places[number][group], places[number][group + 1]
                out[at : at + end - begin] = texts[number][begin:end]
                at += end - begin
            else:
                code = carried[row, number]
                if bases[number] >= 0:
                    at = _put_text(out, at, bases[number] + code, offsets, heap)
                elif code != MISSING:
                    at = _put_number(out, at, code)
                elif fields.size == 1:
                    out[at] = 34
                    out[at + 1] = 34
                    at += 2
        out[at] = 10
        at += 1
    return at
