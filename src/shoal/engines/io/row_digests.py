"""SHA-256 of the rows of a table, wherever they are kept and in whatever order."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from shoal.engines.io.external_sort import SortedLines, bytes_of
from shoal.engines.io.slices import rows_at_once
from shoal.errors import DataError
from shoal.table import Written

if TYPE_CHECKING:
    import pyarrow as pa


def of_rows(table: pa.Table) -> Written:
    """Give the digest of a table as comma-delimited text whose lines are sorted by their bytes.

    A database may keep its rows in any order, and no verdict depends on it. `Written.in_order` is the digest of the
    same lines as they come: it tells whether the order is still that of the release.
    """
    with SortedLines() as lines:
        digest = RowDigest(table.column_names, lines)
        digest.add(table)
        return digest.written


class RowDigest:
    """The digest of a table that comes a few rows at a time, in order: that of `of_rows`, once all were added.

    Parameters
    ----------
    names
        Of the columns.
    lines
        What sorts the lines.
    """

    def __init__(self, names: list[str], lines: SortedLines) -> None:
        self._head = _head(names).encode()
        self._digest = hashlib.sha256(self._head)
        self._lines = lines
        self._size = len(self._head)

    def add(self, table: pa.Table) -> None:
        """Add some rows."""
        at_once = rows_at_once(table.num_columns)
        for start in range(0, table.num_rows, at_once):
            lines = _lines(table.slice(start, at_once))
            for chunk in lines.chunks:
                some, _ = bytes_of(chunk)
                self._digest.update(some)
                self._size += len(some)
            self._lines.add(lines)

    @property
    def written(self) -> Written:
        """Both digests of all rows, and the length of their text."""
        digest = hashlib.sha256(self._head)
        for some in self._lines.batches():
            digest.update(some)
        return Written(digest.hexdigest(), self._size, self._digest.hexdigest())


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

    from shoal.engines.io.exact_types import named
    from shoal.engines.io.opaque_columns import is_opaque, texts_of

    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if is_opaque(kind) or named(kind):
        texts = [pa.array(texts_of(chunk), pa.large_string()) for chunk in column.chunks]
        return pa.chunked_array(texts, pa.large_string())
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
