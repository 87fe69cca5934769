"""Delimited text out: the cells of each group are written once and repeated for its rows."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shoal.engines import Layout, Written
from shoal.engines.local.data import LocalData
from shoal.kernels import MISSING, TOP
from shoal.kernels.rendering import CARRIED, SPAN, join_rows, render_spans
from shoal.schema import RELEASED, Schema

_BUFFER = 1 << 22
_ROWS = 1 << 16
Positions = NDArray[np.int32]


def write_text(data: LocalData, schema: Schema, path: Path, layout: Layout) -> Written:
    """Write the released columns in the order of the schema and give the digest of the bytes."""
    digest, size = hashlib.sha256(), 0
    with path.open("xb", buffering=0) as file:
        for chunk in _chunks(data, schema, layout.delimiter):
            digest.update(chunk)
            size += len(chunk)
            rest = memoryview(chunk)
            while rest:
                rest = rest[file.write(rest) :]
    return Written(digest.hexdigest(), size)


def _chunks(data: LocalData, schema: Schema, delimiter: str) -> Iterator[bytes | memoryview]:
    names = schema.of(*RELEASED)
    yield _quoted(names, delimiter).encode() + b"\n"
    runs = [_Run(data, schema, tuple(run), delimiter) for kind, run in _runs(data, names) if kind == SPAN]
    fields, numbers = [], []
    for kind, columns in _runs(data, names):
        for name in columns[:1] if kind == SPAN else columns:
            fields.append(kind)
            numbers.append(sum(f == SPAN for f in fields) - 1 if kind == SPAN else data.carried.index(name))
    carried = _Table([_carried_texts(data, name, delimiter, alone=len(names) == 1) for name in data.carried])
    widest = len(fields) + 2 + sum(run.widest for run in runs) + int(carried.widest.sum())
    step = max(1, min(_ROWS, _BUFFER // widest))
    out = np.empty(step * widest, np.uint8)
    shared = data.index.size > 0
    for run in runs:
        if shared:
            run.render(0, data.lo.shape[0])
    for first in range(0, data.rows, step):
        stop = min(first + step, data.rows)
        for run in runs:
            if not shared:
                run.render(first, stop)
        length = join_rows(
            first, stop, np.array(fields, np.int32), np.array(numbers, np.int32),
            tuple(run.text for run in runs) or (out[:0],), tuple(run.places for run in runs) or (_NO_PLACES,),
            data.index, 0 if shared else first, data.codes, carried.bases, carried.offsets, carried.heap,
            ord(delimiter), out,
        )  # fmt: skip
        yield out[:length].data


_NO_PLACES = np.zeros(1, np.int64)


def _runs(data: LocalData, names: Sequence[str]) -> list[tuple[int, list[str]]]:
    """Split the columns into runs of quasi-identifiers, whose text is shared by a group, and of carried columns."""
    kinds = groupby(names, key=lambda name: SPAN if name in data.quasi else CARRIED)
    return [(kind, list(run)) for kind, run in kinds]


class _Table:
    """Texts of several columns one behind the other; a column without texts is written as numbers."""

    def __init__(self, columns: Sequence[Sequence[str] | None]) -> None:
        self.bases = np.full(max(len(columns), 1), -1, np.int64)
        self.widest = np.full(len(columns), 11, np.int64)
        encoded: list[bytes] = []
        for j, texts in enumerate(columns):
            if texts is not None:
                self.bases[j] = len(encoded)
                mine = [text.encode() for text in texts]
                self.widest[j] = max(map(len, mine), default=0)
                encoded += mine
        self.offsets = np.zeros(len(encoded) + 1, np.int64)
        self.offsets[1:] = np.cumsum([len(text) for text in encoded])
        self.heap = np.frombuffer(b"".join(encoded) or b"\0", np.uint8)


class _Run:
    """Neighbouring quasi-identifiers whose cells are written together."""

    def __init__(self, data: LocalData, schema: Schema, names: tuple[str, ...], delimiter: str) -> None:
        places = [data.at(name) for name in names]
        whole = places == list(range(len(data.quasi)))
        self.low = data.lo if whole else np.ascontiguousarray(data.lo[:, places])
        self.high = self.low if data.hi is data.lo else data.hi if whole else np.ascontiguousarray(data.hi[:, places])
        self.ranged = np.array([data.ranged[j] for j in places], np.int32)
        self.delimiter = ord(delimiter)
        self.quotes = np.full(len(names), int(delimiter == ";"), np.int32)
        texts: list[Sequence[str] | None] = []
        for j, name in enumerate(names):
            axis = schema[name].axis
            if axis.kind == "integer" and axis.values is None:
                texts.append(None)
                continue
            used, self.low, self.high = _renumbered(self.low, self.high, j)
            mine = [axis.text(p) for p in used.tolist()]
            if axis.nominal:  # a category or a set is a cell of its own, a range is put together from two texts
                mine = [_quoted([text], delimiter) for text in mine]
                self.ranged[j] = self.quotes[j] = 0
            elif any(_quoted([text], delimiter) != text for text in mine):
                mine = [text.replace('"', '""') for text in mine]
                self.quotes[j] = 2
            texts.append(mine)
        self.table = _Table(texts)
        self.widest = int((2 * self.table.widest + 6).sum())
        self.text = np.empty(0, np.uint8)
        self.places = np.zeros(1, np.int64)

    def render(self, first: int, stop: int) -> None:
        """Write the texts of some groups, in pieces so that no more memory is taken than they need."""
        step = max(1, _BUFFER // self.widest)
        self.places = np.empty(stop - first + 1, np.int64)
        if self.text.size < min(step, stop - first) * self.widest:
            self.text = np.empty(min(step, stop - first) * self.widest, np.uint8)
        at = 0
        for begin in range(first, stop, step):
            end = min(begin + step, stop)
            if self.text.size < at + (end - begin) * self.widest:
                share = (stop - first) / (begin - first)
                larger = np.empty(int(at * share * 1.02) + step * self.widest, np.uint8)
                larger[:at] = self.text[:at]
                self.text = larger
            at = render_spans(
                self.low, self.high, begin, end, self.ranged, self.table.bases, self.table.offsets, self.table.heap,
                self.delimiter, self.quotes, self.text, self.places[begin - first :], at,
            )  # fmt: skip


def _renumbered(low: Positions, high: Positions, j: int) -> tuple[Positions, Positions, Positions]:
    """Number the positions that occur in a column from 0, so that only their texts are made."""
    low, high = low.copy(), high.copy()
    used = np.unique(np.concatenate([low[:, j], high[:, j]]))
    used = used[(used != MISSING) & (used != TOP)]
    for matrix in (low, high):
        inside = (matrix[:, j] != MISSING) & (matrix[:, j] != TOP)
        matrix[inside, j] = np.searchsorted(used, matrix[inside, j])
    return used, low, high


def _carried_texts(data: LocalData, name: str, delimiter: str, *, alone: bool) -> list[str] | None:
    words = data.words[data.carried.index(name)]
    if words is None:
        return None
    return ['""' if alone and not text else _quoted([text], delimiter) for text in words.texts]


def _quoted(texts: Sequence[str], delimiter: str) -> str:
    """Join texts as one line, quoting where a reader would need it."""
    if len(texts) == 1 and texts[0] == "":
        return ""
    line = io.StringIO()
    csv.writer(line, delimiter=delimiter, lineterminator="").writerow(texts)
    return line.getvalue()
