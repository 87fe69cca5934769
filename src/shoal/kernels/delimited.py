"""Delimited text to numbers: one pass over the bytes, whole numbers parsed in place, other cells interned.

A column is read in one of three modes: ``SKIP``, ``NUMBER`` (canonical 32-bit integers or empty) or ``TEXT`` (each
distinct cell is stored once and the column holds its code). A number column in which another cell turns up is
reported, and the caller reads it again as text.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import MISSING, compiled

SKIP, NUMBER, TEXT = 0, 1, 2
DONE, MORE_ROWS, MORE_WORDS, RAGGED, OPEN_QUOTE = 0, 1, 2, 3, 4

Bytes = NDArray[np.uint8]
Integers = NDArray[np.int64]
Codes = NDArray[np.int32]


@compiled
def _find(
    buffer: Bytes, start: int, stop: int, column: int, seats: Codes, words: Integers, heap: Bytes
) -> tuple[np.int64, np.uint64]:
    """Find the seat of a word in the hash table, or the empty seat where it belongs."""
    state = np.uint64(14695981039346656037) ^ np.uint64(column)
    for i in range(start, stop):
        state = (state ^ np.uint64(buffer[i])) * np.uint64(1099511628211)
    state ^= state >> np.uint64(32)
    mask = np.uint64(seats.size - 1)
    seat = np.int64(state & mask)
    length = stop - start
    while seats[seat] >= 0:
        word = seats[seat]
        if words[word, 0] == column and words[word, 2] == length:
            at = words[word, 1]
            same = True
            for i in range(length):
                if heap[at + i] != buffer[start + i]:
                    same = False
                    break
            if same:
                break
        seat = np.int64((np.uint64(seat) + np.uint64(1)) & mask)
    return np.int64(seat), state


@compiled
def _store(cells: Codes, others: Codes, row: int, target: int, value: int | np.int64) -> None:
    if target >= 0:
        cells[row, target] = value
    else:
        others[row, -1 - target] = value


@compiled
def reseat(seats: Codes, words: Integers, count: int, heap: Bytes) -> None:
    """Fill a larger, empty hash table with the words found so far."""
    for word in range(count):
        at = words[word, 1]
        seat, _ = _find(heap, at, at + words[word, 2], words[word, 0], seats, words, heap)
        seats[seat] = word


@compiled
def read_rows(
    buffer: Bytes,
    start: int,
    stop: int,
    delimiter: int,
    modes: Codes,
    targets: Codes,
    cells: Codes,
    others: Codes,
    row: int,
    line: int,
    seats: Codes,
    words: Integers,
    heap: Bytes,
    state: Integers,
    spoilt: Integers,
    scratch: Bytes,
) -> tuple[int, int, int, int, int]:
    """Read whole rows of ``buffer[start:stop]`` into two matrices and give status, place, row, line and a detail.

    A column's target is its place in ``cells``, or, counted down from -1, in ``others``. ``words`` holds per distinct
    text its column, place in ``heap``, length, code and first line; ``state`` holds the number of words, the filled
    part of the heap and, behind, the number of codes of each column. ``spoilt`` counts per number column the cells
    that are not canonical integers.
    """
    columns = modes.size
    place = start
    while place < stop:
        if row >= cells.shape[0]:
            return MORE_ROWS, place, row, line, 0
        # A row that may need more room than is left must not be begun: nothing is taken back.
        if state[0] + columns >= words.shape[0] or 2 * (state[0] + columns) >= seats.size:
            return MORE_WORDS, place, row, line, 0
        p = place
        lines = 1
        column = 0
        complete = False
        while column < columns:
            mode = modes[column]
            quoted = p < stop and buffer[p] == 34
            text = buffer
            if quoted:
                p += 1
                length = 0
                closed = False
                while p < stop:
                    c = buffer[p]
                    if c == 34:
                        if p + 1 < stop and buffer[p + 1] == 34:
                            p += 1
                        else:
                            closed = True
                            p += 1
                            break
                    elif c == 10:
                        lines += 1
                    if length >= scratch.size:
                        return OPEN_QUOTE, place, row, line, column
                    scratch[length] = c
                    length += 1
                    p += 1
                if not closed:
                    return DONE, place, row, line, 1
                # What stands between the closing quote and the delimiter belongs to the cell, as in other readers.
                while p < stop and buffer[p] != delimiter and buffer[p] != 10 and buffer[p] != 13:
                    if length >= scratch.size:
                        return OPEN_QUOTE, place, row, line, column
                    scratch[length] = buffer[p]
                    length += 1
                    p += 1
                text = scratch
                first, last = 0, length
                if p < stop and buffer[p] == 13:
                    p += 1
            else:
                first = p
                if mode == NUMBER:
                    # The hot loop: a run of digits that ends at a delimiter needs no second look.
                    value = np.int64(0)
                    negative = p < stop and buffer[p] == 45
                    if negative:
                        p += 1
                    digits = p
                    while p < stop and np.uint8(buffer[p] - 48) < 10:
                        value = value * 10 + np.int64(buffer[p] - 48)
                        p += 1
                    digits = p - digits
                    if p < stop and digits > 0 and (buffer[p] == delimiter or buffer[p] == 10):
                        leading = buffer[p - digits] == 48 and (digits > 1 or negative)
                        if digits < 11 and value < 2147483647 and not leading:
                            _store(cells, others, row, targets[column], -value if negative else value)
                            complete = buffer[p] == 10
                            p += 1
                            column += 1
                            if complete:
                                break
                            continue
                while p < stop and buffer[p] != delimiter and buffer[p] != 10:
                    p += 1
                last = p
                if p < stop and buffer[p] == 10 and last > first and buffer[last - 1] == 13:
                    last -= 1
            if p >= stop:
                return DONE, place, row, line, 1 if quoted else 0
            complete = buffer[p] == 10
            p += 1
            if mode == NUMBER:
                value = np.int64(0)
                digits = 0
                sign = np.int64(1)
                at = first
                if at < last and text[at] == 45:
                    sign = np.int64(-1)
                    at += 1
                lead = at
                while at < last and np.uint8(text[at] - 48) < 10 and digits < 11:
                    value = value * 10 + np.int64(text[at] - 48)
                    digits += 1
                    at += 1
                if first == last:
                    _store(cells, others, row, targets[column], MISSING)
                elif at < last or digits == 0 or value >= 2147483647 or (text[lead] == 48 and (digits > 1 or sign < 0)):
                    spoilt[column] += 1
                else:
                    _store(cells, others, row, targets[column], sign * value)
            elif mode == TEXT:
                seat, _ = _find(text, first, last, column, seats, words, heap)
                word = seats[seat]
                if word < 0:
                    word = state[0]
                    size = last - first
                    if state[1] + size > heap.size:
                        return MORE_WORDS, place, row, line, size
                    for i in range(size):
                        heap[state[1] + i] = text[first + i]
                    words[word, 0] = column
                    words[word, 1] = state[1]
                    words[word, 2] = size
                    words[word, 3] = state[2 + column]
                    words[word, 4] = line
                    seats[seat] = word
                    state[0] += 1
                    state[1] += size
                    state[2 + column] += 1
                _store(cells, others, row, targets[column], words[word, 3])
            column += 1
            if complete:
                break
        if not complete or column < columns:
            if column == 1 and p - place <= 2 and columns > 1:
                # Empty lines are allowed where nothing follows them.
                rest = p
                while rest < stop and (buffer[rest] == 10 or buffer[rest] == 13):
                    rest += 1
                if rest >= stop:
                    return DONE, p, row, line + lines, 2
            if complete:
                return RAGGED, place, row, line, column
            # Too many fields: count them up to the end of the line.
            while p < stop and buffer[p] != 10:
                if buffer[p] == delimiter:
                    column += 1
                p += 1
            return RAGGED, place, row, line, column + 1
        place = p
        row += 1
        line += lines
    return DONE, place, row, line, 0
