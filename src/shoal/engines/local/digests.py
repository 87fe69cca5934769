"""SHA-256 of what was written or read: of a file, of a folder, and of a table whose rows have no place in a file."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.engines import Written
from shoal.engines.sources import parquet_files
from shoal.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa


def of_file(path: Path) -> Written:
    """Give the digest and the length of a file."""
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while part := file.read(1 << 20):
                digest.update(part)
            return Written(digest.hexdigest(), file.tell())
    except OSError as error:
        raise DataError(f"'{path}' cannot be read: {error.strerror}.", "Check its name and folder.") from None


def of_folder(folder: Path) -> Written:
    """Give the digest of the list of a folder's Parquet files, as ``sha256sum`` prints it, and their length."""
    files = parquet_files(folder)
    each = [of_file(path) for path in files]
    names = [path.relative_to(folder).as_posix() for path in files]
    lines = "".join(f"{found.sha256}  {name}\n" for found, name in zip(each, names, strict=True))
    return Written(hashlib.sha256(lines.encode()).hexdigest(), sum(found.size for found in each))


def of_rows(table: pa.Table, *, ordered: bool = False) -> Written:
    """Give the digest of a table as comma-delimited text whose lines are sorted by their bytes.

    A database may keep its rows in any order, and no verdict depends on it. `Written.in_order` is the digest of the
    same lines as they come: it tells whether the order is still that of the release. With ``ordered``, both are that.
    """
    import pyarrow.compute as pc

    head, lines = _head(table.column_names), _lines(table)
    size = len(head.encode()) + (pc.sum(pc.binary_length(lines)).as_py() or 0)
    in_order = _hashed(head, lines)
    return Written(in_order if ordered else _hashed(head, lines.take(pc.sort_indices(lines))), size, in_order)


class RowDigest:
    """The digest of a table that comes a few rows at a time, in order: that of `of_rows`, once all were added."""

    def __init__(self, names: list[str]) -> None:
        self._digest = hashlib.sha256(_head(names).encode())
        self._rows = 0

    def add(self, table: pa.Table) -> None:
        """Add some rows."""
        self._rows += table.num_rows
        _add(self._digest, _lines(table))

    @property
    def sha256(self) -> str:
        """The digest of all rows; nothing if there are none."""
        return self._digest.hexdigest() if self._rows else ""


def _head(names: list[str]) -> str:
    import pyarrow as pa

    return ",".join(_quoted(pa.chunked_array([names], pa.large_string())).to_pylist()) + "\n"


def _lines(table: pa.Table) -> pa.ChunkedArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = [_quoted(as_texts(name, table.column(name)).fill_null("")) for name in table.column_names]
    comma, end, nothing = (pa.scalar(text, pa.large_string()) for text in (",", "\n", ""))
    return pc.binary_join_element_wise(pc.binary_join_element_wise(*columns, comma), nothing, end)


def _quoted(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Put quotes around the texts that a reader would otherwise misunderstand."""
    import pyarrow as pa
    import pyarrow.compute as pc

    needed = pc.match_substring_regex(texts, '[,"\n\r]')
    if not pc.any(needed).as_py():
        return texts
    doubled = pc.replace_substring(texts, '"', '""')
    quote = pa.scalar('"', pa.large_string())
    inside = pc.binary_join_element_wise(quote, doubled, quote, pa.scalar("", pa.large_string()))
    return pc.if_else(needed, inside, texts)


def as_texts(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Give the cells of a column as text, the same whatever version of a library reads them."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_floating(kind):
        coded = column.combine_chunks().dictionary_encode()
        coded = coded if isinstance(coded, pa.DictionaryArray) else coded.combine_chunks()
        shortest = pa.array([repr(float(value.as_py())) for value in coded.dictionary], pa.large_string())
        return pa.chunked_array([shortest.take(coded.indices)])
    if pa.types.is_timestamp(kind):
        column = column.cast(pa.timestamp("us", kind.tz), safe=False).cast(pa.int64()).cast(pa.timestamp("us"))
    try:
        return column.cast(pa.large_string())
    except pa.ArrowException:
        raise DataError(
            f"Column '{name}' is of a type that cannot be written as text ({kind}).",
            "Leave it out, or convert it to numbers, dates or text.",
        ) from None


def _hashed(head: str, lines: pa.ChunkedArray) -> str:
    digest = hashlib.sha256(head.encode())
    _add(digest, lines)
    return digest.hexdigest()


def _add(digest: Any, lines: pa.ChunkedArray) -> None:
    for chunk in filter(len, lines.chunks):  # the bytes of texts lie one behind the other
        ends = np.frombuffer(chunk.buffers()[1], np.int64)[chunk.offset : chunk.offset + len(chunk) + 1]
        digest.update(memoryview(chunk.buffers()[2])[ends[0] : ends[-1]])
