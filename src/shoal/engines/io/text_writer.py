"""Delimited text out: cells are written once and repeated for the rows that follow with the same."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.domains.axis import Axis
from shoal.engines.io.compressed import created, is_compressed
from shoal.engines.io.digests import of_file
from shoal.engines.io.direct_io import DirectWriter, write_all
from shoal.engines.local_data import LocalData, renumbered
from shoal.engines.values import Layout
from shoal.errors import DataError
from shoal.kernels import MISSING, TOP
from shoal.kernels.rendering import CARRIED, SLACK, SPAN, Form, SpanTexts, TextTable, write_rows
from shoal.progress import along
from shoal.schema import RELEASED, Schema
from shoal.table import Written

_BUFFER = 1 << 22
_ROWS = 1 << 16


def write_text(
    parts: Iterable[LocalData], schema: Schema, path: Path, layout: Layout, *, direct: bool = False
) -> Written:
    """Write the released columns of a table, part after part, in the order of the schema; give their digest.

    With direct I/O if that is asked for: what is larger than memory.
    """
    digest, size = hashlib.sha256(), 0
    parts = (_with_text(part, schema) for part in parts)
    with _sink(path, direct=direct) as sink:
        for chunk in _chunks(parts, schema, layout.delimiter, sink.room):
            digest.update(chunk)
            size += len(chunk)
            sink.took(len(chunk))
    return of_file(path) if is_compressed(path) else Written(digest.hexdigest(), size)


def _with_text(data: LocalData, schema: Schema) -> LocalData:
    """Give a part of a table back if text has a form for all its columns."""
    if data.sources:
        from shoal.engines.io.opaque_columns import refuse_without_text

        names = schema.of(*RELEASED)
        refuse_without_text({name: column.type for name, column in data.sources.items() if name in names})
    return data


def digest_text(parts: Iterable[LocalData], schema: Schema, layout: Layout) -> Written:
    """Give the digest of what `write_text` would write."""
    digest, size, memory = hashlib.sha256(), 0, _Memory()
    for chunk in _chunks(parts, schema, layout.delimiter, memory.room):
        digest.update(chunk)
        size += len(chunk)
    return Written(digest.hexdigest(), size)


class _Memory:
    """Memory that is filled again and again."""

    def __init__(self) -> None:
        self._memory = np.empty(0, np.uint8)

    def room(self, size: int) -> NDArray[np.uint8]:
        """Give memory for so many bytes, to be filled from its beginning."""
        if self._memory.size < size:
            self._memory = np.empty(size, np.uint8)
        return self._memory[:size]


class _Plain(_Memory):
    """A file that is written through memory of its own."""

    def __init__(self, file: Any) -> None:
        super().__init__()
        self._file = file

    def took(self, size: int) -> None:
        """Write as many bytes as were filled."""
        write_all(self._file, self._memory[:size].data)


@contextlib.contextmanager
def _sink(path: Path, *, direct: bool) -> Iterator[_Plain | DirectWriter]:
    """Make a new file and give what writes to it."""
    if direct and not is_compressed(path):
        out = DirectWriter(path)
        try:
            yield out
            out.end()
        finally:
            out.close()
        return
    with created(path) as file:
        yield _Plain(file)


def _chunks(
    parts: Iterable[LocalData], schema: Schema, delimiter: str, room: Callable[[int], NDArray[np.uint8]]
) -> Iterator[memoryview]:
    names = schema.of(*RELEASED)
    # A name that is empty or begins or ends with a blank is quoted, so that a reader takes it as it is.
    heads = [_in_quotes(n) if n != n.strip() or not n or _needs_quotes(n, delimiter) else n for n in names]
    head = np.frombuffer(delimiter.join(heads).encode() + b"\n", np.uint8)
    out = room(head.size)
    out[:] = head
    yield out.data
    for data in parts:
        yield from _rows(data, schema, names, delimiter, room)


def _rows(
    data: LocalData, schema: Schema, names: Sequence[str], delimiter: str,
    room: Callable[[int], NDArray[np.uint8]],
) -> Iterator[memoryview]:  # fmt: skip
    spans, widest = _span_texts(data, schema, names, delimiter)
    fields, numbers = _fields(data, names)
    texts = [_carried_texts(data, name, delimiter, alone=len(names) == 1) for name in data.carried]
    carried, widths = _text_table(texts)
    form = Form(fields, numbers, data.codes, carried, delimiter)
    widest += len(fields) + 2 + int(widths.sum())
    step = max(1, min(_ROWS, _BUFFER // widest))
    for first in along(range(0, data.rows, step)):
        stop = min(first + step, data.rows)
        out = room((stop - first) * widest + SLACK)
        yield out[: write_rows(first, stop, spans, form, out)].data


def _fields(data: LocalData, names: Sequence[str]) -> tuple[Positions, Positions]:
    """Tell what each field of a row is: a run of neighbouring quasi-identifiers, or one carried column."""
    fields: list[int] = []
    numbers: list[int] = []
    runs = 0
    for kind, run in groupby(names, key=lambda name: SPAN if name in data.quasi else CARRIED):
        mine = [runs] if kind == SPAN else [data.carried.index(name) for name in run]
        runs += kind == SPAN
        fields += [kind] * len(mine)
        numbers += mine
    return np.array(fields, np.int32), np.array(numbers, np.int32)


def _text_table(columns: Sequence[Sequence[str] | None]) -> tuple[TextTable, NDArray[np.int64]]:
    """Put the texts of columns one behind the other, and tell how wide each column can be; None means numbers."""
    bases = np.full(max(len(columns), 1), -1, np.int64)
    widest = np.full(len(columns), 11, np.int64)
    encoded: list[bytes] = []
    for j, texts in enumerate(columns):
        if texts is not None:
            bases[j] = len(encoded)
            mine = [text.encode() for text in texts]
            widest[j] = max(map(len, mine), default=0)
            encoded += mine
    if any(b"\0" in text for text in encoded):
        raise DataError("A column holds zero bytes, which no text file can hold.", "Take them out, or write Parquet.")
    offsets = np.zeros(len(encoded) + 1, np.int64)
    offsets[1:] = np.cumsum([len(text) for text in encoded])
    return TextTable(bases, offsets, np.frombuffer(b"".join(encoded) or b"\0", np.uint8)), widest


def _span_texts(data: LocalData, schema: Schema, names: Sequence[str], delimiter: str) -> tuple[SpanTexts, int]:
    """Give the cells of quasi-identifiers in the order of the names, how they are written, and how wide they can be."""
    quasi = [name for name in names if name in data.quasi]
    places = [data.at(name) for name in quasi]
    same = places == list(range(len(data.quasi)))
    low = data.lo if same else np.ascontiguousarray(data.lo[:, places])
    high = low if data.hi is data.lo else data.hi if same else np.ascontiguousarray(data.hi[:, places])
    ranged = np.array([data.ranged[j] for j in places], np.int32)
    quotes = np.full(len(quasi), int(delimiter == ";"), np.int32)
    before = dict(zip(names[1:], names, strict=False))
    opens = [j for j, name in enumerate(quasi) if before.get(name) not in quasi]
    texts: list[Sequence[str] | None] = []
    for j, name in enumerate(quasi):
        axis = schema[name].axis
        if axis.kind == "integer" and axis.values is None and not axis.called:
            texts.append(None)
            continue
        if axis.tree is not None:
            low, high, mine = _nodes(axis, low, high, j)
        else:
            used, low, high = renumbered(low, high, j)
            mine = axis.texts(used)
        if axis.nominal or axis.tree is not None:
            # A category or a set is a cell of its own, a range is put together from two texts.
            mine = [_quoted([text], delimiter) for text in mine]
            ranged[j] = quotes[j] = 0
        elif _quotes_ends(axis, delimiter):
            mine = [text.replace('"', '""') for text in mine]
            quotes[j] = 2
        texts.append(mine)
    table, widths = _text_table(texts)
    runs = np.array([*opens, len(quasi)], np.int64)
    return SpanTexts(low, high, data.index, ranged, quotes, runs, table), int((2 * widths + 6).sum())


def _quotes_ends(axis: Axis, delimiter: str) -> bool:
    """Tell whether a range of a column may need quotes for what stands at its ends; of numbers only times may."""
    if axis.numeric:
        return axis.kind == "datetime" and delimiter == ":"
    return any(_needs_quotes(str(text), delimiter) for text in (() if axis.values is None else axis.values))


def _nodes(axis: Axis, low: Positions, high: Positions, j: int) -> tuple[Positions, Positions, list[str]]:
    """Number the nodes that occur in a column from 0; give the two matrices with the new numbers, and the texts."""
    low, high = low.copy(), high.copy()
    shown = (low[:, j] != MISSING) & (high[:, j] != TOP)
    pairs, places = np.unique(np.stack([low[shown, j], high[shown, j]]), axis=1, return_inverse=True)
    low[shown, j] = high[shown, j] = places.reshape(-1)
    return low, high, [axis.node((a, b)) for a, b in pairs.T.tolist()]


def _carried_texts(data: LocalData, name: str, delimiter: str, *, alone: bool) -> list[str] | None:
    words = data.words[data.carried.index(name)]
    if words is None:
        return None
    return ['""' if alone and not text else _quoted([text], delimiter) for text in words.texts]


def _quoted(texts: Sequence[str], delimiter: str) -> str:
    """Join texts as one line, quoting where a reader would need it."""
    return delimiter.join(_in_quotes(text) if _needs_quotes(text, delimiter) else text for text in texts)


def _needs_quotes(text: str, delimiter: str) -> bool:
    return delimiter in text or '"' in text or "\n" in text or "\r" in text


def _in_quotes(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
