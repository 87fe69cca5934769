"""Files of Stata out (format 118), a stretch of rows at a time, each variable in the type that it had.

The format is that of "help dta" of Stata. The same table gives the same file: it says neither when nor by whom it was
made.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.engines.io.labelled.coding import CodedColumn
from shoal.errors import DataError

_TYPES = {"strL": 32768, "double": 65526, "float": 65527, "int32": 65528, "int16": 65529, "int8": 65530}
_NUMPY = {"strL": "<u8", "double": "<f8", "float": "<f4", "int32": "<i4", "int16": "<i2", "int8": "i1"}
_FORMATS = {"strL": "%9s", "double": "%10.0g", "float": "%9.0g", "int32": "%12.0g", "int16": "%8.0g", "int8": "%8.0g"}
# The first of the 27 missing values of each type, . and then .a to .z, and how far they lie apart, as whole numbers.
_MISSING = {
    "int8": ("i1", 101, 1), "int16": ("<i2", 32_741, 1), "int32": ("<i4", 2_147_483_621, 1),
    "float": ("<i4", 0x7F000000, 0x800), "double": ("<i8", 0x7FE0000000000000, 0x10000000000),
}  # fmt: skip
_LIMITS = {"int8": (-127, 100), "int16": (-32_767, 32_740), "int32": (-2_147_483_647, 2_147_483_620)}
_LARGEST_FLOAT = 2.0**127  # from here on, a float is a missing value
_LONGEST = 2045  # bytes of a text that stands among the values of its row; longer ones lie behind all rows
_AS_TEXT = 130  # how such a text is marked
_MOST = 32_767  # variables
_AT_ONCE = 1 << 16
_NAME, _FORMAT, _LABEL = 129, 57, 321


def write_stata(columns: Sequence[CodedColumn], rows: int, path: Path) -> None:
    """Write columns to a new file of Stata."""
    if len(columns) > _MOST:
        raise DataError(f"Stata holds {_MOST:,} variables, and these are {len(columns):,}.", "Write Parquet or text.")
    kinds = [_kind(column) for column in columns]
    with path.open("xb") as file:
        places = [0]

        def part(name: str, content: bytes) -> None:
            places.append(file.tell())
            file.write(b"<%s>%s</%s>" % (name.encode(), content, name.encode()))

        file.write(b"<stata_dta><header><release>118</release><byteorder>LSF</byteorder>")
        file.write(b"<K>%s</K><N>%s</N>" % (struct.pack("<H", len(columns)), struct.pack("<Q", rows)))
        file.write(b"<label>\0\0</label><timestamp>\0</timestamp></header>")
        part("map", bytes(14 * 8))
        types = (struct.pack("<H", _TYPES.get(kind) or int(kind)) for kind in kinds)
        part("variable_types", b"".join(types))
        part("varnames", b"".join(_fixed(column.name, _NAME) for column in columns))
        part("sortlist", bytes(2 * (len(columns) + 1)))
        pairs = zip(columns, kinds, strict=True)
        shown = (column.variable.format or _FORMATS.get(kind, f"%-{kind}s") for column, kind in pairs)
        part("formats", b"".join(_fixed(each, _FORMAT) for each in shown))
        part("value_label_names", b"".join(_fixed(_labels_of(column), _NAME) for column in columns))
        part("variable_labels", b"".join(_fixed(column.variable.label, _LABEL) for column in columns))
        part("characteristics", b"")
        places.append(file.tell())
        file.write(b"<data>")
        long = {j: _long_texts(columns[j].values) for j, kind in enumerate(kinds) if kind == "strL"}
        _write_rows(file, columns, kinds, rows, {j: found[0] for j, found in long.items()})
        file.write(b"</data>")
        part("strls", b"".join(_objects({j: found[1] for j, found in long.items()})))
        part("value_labels", b"".join(_label_table(c) for c in columns if _labels_of(c)))
        places.append(file.tell())
        file.write(b"</stata_dta>")
        places.append(file.tell())
        file.seek(places[1] + len(b"<map>"))
        file.write(struct.pack("<14Q", *places))


def _kind(column: CodedColumn) -> str:
    """Give the type of a variable: its own if its values fit, or the next that has room; of texts, their length."""
    if pa.types.is_string(column.values.type):
        longest = pc.max(pc.binary_length(column.values)).as_py() or 1
        if longest > _LONGEST:
            return "strL"
        said = column.variable.format.strip("%-s")
        return str(max(longest, int(said) if column.variable.storage == "string" and said.isdigit() else 1))
    kind, ends = column.variable.storage, pc.min_max(column.values).as_py()
    low, high = ends["min"] or 0, ends["max"] or 0
    while kind in _LIMITS and not _LIMITS[kind][0] <= low <= high <= _LIMITS[kind][1]:
        kind = {"int8": "int16", "int16": "int32", "int32": "double"}[kind]
    if kind == "float" and max(high, -low) >= _LARGEST_FLOAT:
        kind = "double"
    return kind if kind in _TYPES else "double"


def _long_texts(values: pa.Array) -> tuple[NDArray[np.int64], dict[int, str]]:
    """Give the row, from 1, in which the text of each cell first stands, and the texts by these; 0 is no text."""
    encoded = values.fill_null("").dictionary_encode()
    codes, texts = encoded.indices.to_numpy(), encoded.dictionary.to_pylist()
    first = np.zeros(len(texts), np.int64)
    first[codes[::-1]] = np.arange(codes.size, 0, -1)
    first[[not text for text in texts]] = 0
    return first[codes], {row: text for row, text in zip(first.tolist(), texts, strict=True) if row}


def _objects(long: Mapping[int, Mapping[int, str]]) -> Iterator[bytes]:
    """Give long texts, row by row, as cells point to them: by the variable and the row where each first stands."""
    for row, j, text in sorted((row, j, text) for j, texts in long.items() for row, text in texts.items()):
        content = text.encode() + b"\0"
        yield b"GSO" + struct.pack("<IQBI", j + 1, row, _AS_TEXT, len(content)) + content


def _write_rows(
    file: BinaryIO, columns: Sequence[CodedColumn], kinds: Sequence[str], rows: int,
    long: Mapping[int, NDArray[np.int64]],
) -> None:  # fmt: skip
    fields = [(f"f{j}", _NUMPY.get(kind) or f"S{kind}") for j, kind in enumerate(kinds)]
    layout = np.dtype(fields)
    for start in range(0, rows, _AT_ONCE):
        size = min(_AT_ONCE, rows - start)
        block = np.zeros(size, layout)
        for j, (column, kind) in enumerate(zip(columns, kinds, strict=True)):
            if j in long:
                places = long[j][start : start + size]
                block[f"f{j}"] = np.where(places > 0, (places << 16) + j + 1, 0)
            else:
                block[f"f{j}"] = _cells(column, kind, start, size)
        file.write(block.tobytes())


def _cells(column: CodedColumn, kind: str, start: int, size: int) -> Any:
    some = column.values.slice(start, size)
    if kind not in _NUMPY:
        return np.array([text.encode() for text in some.fill_null("").to_pylist()], f"S{kind}")
    whole, first, apart = _MISSING[kind]
    numbers = some.cast(pa.float64()).fill_null(0.0).to_numpy(zero_copy_only=False).astype(_NUMPY[kind])
    gone = np.asarray(some.is_null(nan_is_null=True))
    if gone.any():
        bits = numbers.view(whole)
        bits[gone] = first
        for row, letter in column.letters.items():
            if start <= row < start + size:
                bits[row - start] = first + (ord(letter) - ord("a") + 1) * apart
    return numbers


def _labels_of(column: CodedColumn) -> str:
    """Give the name of the labels of a variable: its own name."""
    return column.name if column.variable.values and not pa.types.is_string(column.values.type) else ""


def _label_table(column: CodedColumn) -> bytes:
    pairs = sorted((_as_code(code), text) for code, text in column.variable.values.items())
    texts = [text.encode() + b"\0" for _, text in pairs]
    ends = np.cumsum([0, *map(len, texts)])
    body = struct.pack("<ii", len(pairs), int(ends[-1]))
    body += ends[:-1].astype("<i4").tobytes() + np.array([code for code, _ in pairs], "<i4").tobytes()
    body += b"".join(texts)
    return b"<lbl>%s%s\0\0\0%s</lbl>" % (struct.pack("<i", len(body)), _fixed(column.name, _NAME), body)


def _as_code(code: object) -> int:
    if isinstance(code, str):
        return _MISSING["int32"][1] + ord(code) - ord("a") + 1
    return int(code)  # type: ignore[call-overload,no-any-return]


def _fixed(text: str, room: int) -> bytes:
    """Give a text in so many bytes, the last of which ends it."""
    whole = text.encode()[: room - 1]
    return whole.decode(errors="ignore").encode().ljust(room, b"\0")
