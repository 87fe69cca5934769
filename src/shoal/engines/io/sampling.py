"""A part of a large file, for a first look while the whole is being read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from shoal.engines.file_forms import TEXT, form_of
from shoal.engines.io.compressed import is_compressed, opened
from shoal.engines.io.text_head import ENCODINGS, beginning_of, read_head
from shoal.engines.io.text_reader import TextReading
from shoal.engines.sources import is_parquet
from shoal.errors import DataError

PIECES = 64  # places of the file that rows are taken from
_HEAD = 1 << 16
_ROWS = 1 << 16  # at the beginning of a file, in which texts are counted


@dataclass(frozen=True)
class Sample:
    """Rows that were copied from a file: about how many the file has, and whether they come from all of it."""

    rows_in_file: int
    spread: bool


def sample(path: Path, target: Path, rows: int) -> Sample | None:
    """Copy about so many rows of a file to another, or give None if the file cannot be cut without reading it.

    Rows of delimited text come in pieces from all over the file; if cells may hold line ends, or the file is
    compressed, they are its first ones. Rows of Parquet come from row groups all over the file.

    Parameters
    ----------
    path
        The file.
    target
        Where the rows go: a file of the same kind, which is new.
    rows
        About how many.
    """
    if is_parquet(path):
        return _of_parquet(path, target, rows)
    if form_of(path) is not TEXT:
        return None
    with opened(path) as file:
        head = file.read(_HEAD)
        if b"\0" in head or b"\n" not in head:  # two bytes per sign, or lines that end otherwise
            return None
        line = len(head) / (head.count(b"\n") + 1)
        if is_compressed(path) or b'"' in head:
            return _first(file, head, target, rows, line, _size(path))
    return _pieces(path, head, target, rows, line)


def _size(path: Path) -> int:
    return path.stat().st_size * (4 if is_compressed(path) else 1)


def _first(file: BinaryIO, head: bytes, target: Path, rows: int, line: float, size: int) -> Sample | None:
    """Copy the first lines, up to a line end that stands outside quotes."""
    block = head + file.read(max(0, int(rows * line) - len(head)))
    end = block.rfind(b"\n")
    while end > 0 and block.count(b'"', 0, end) % 2:
        end = block.rfind(b"\n", 0, end)
    if end <= 0:
        return None
    target.write_bytes(block[: end + 1])
    return Sample(max(1, int(size / line) - 1), spread=False)


def _pieces(path: Path, head: bytes, target: Path, rows: int, line: float) -> Sample | None:
    size = path.stat().st_size
    header = head[: head.find(b"\n", beginning_of(head)) + 1]
    each = max(1, min(int(rows * line), size - len(header)) // PIECES)
    taken = 0
    with path.open("rb") as file, target.open("xb") as out:
        out.write(header)
        for number in range(PIECES):
            start = len(header) + (size - len(header)) * number // PIECES
            file.seek(start - 1)  # a piece begins after the first line end that is not before its place
            block = file.read(each + 1)
            first, last = block.find(b"\n"), block.rfind(b"\n")
            if b'"' in block or b"\0" in block:
                return None
            out.write(block[first + 1 : last + 1])
            taken += block.count(b"\n") - 1
    per_row = (out_size - len(header)) / taken if (out_size := target.stat().st_size) and taken > 0 else line
    return Sample(max(1, round((size - len(header)) / per_row)), spread=True)


def _of_parquet(path: Path, target: Path, rows: int) -> Sample:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file, pq.ParquetWriter(target, file.schema_arrow) as out:
            groups = file.metadata.num_row_groups
            chosen = sorted({number * groups // PIECES for number in range(PIECES)}) if groups else []
            for number in chosen:
                batch = next(file.iter_batches(max(1, rows // len(chosen)), row_groups=[number]), None)
                if batch is not None:
                    out.write_batch(batch)
            return Sample(file.metadata.num_rows, spread=groups > 1)
    except pa.ArrowException:
        raise DataError(f"'{path.name}' is not a Parquet file, or it is damaged.", "Get the file again.") from None


def count_at_beginning(
    path: Path, name: str, delimiter: str | None, encoding: str | None, rows: int = _ROWS
) -> tuple[int, int, bool]:
    """Count the different texts and the filled cells that a column has in the first rows of a file.

    Also tells whether these are all.
    """
    head = read_head(path, delimiter, encoding, header=True)  # it named the column already
    reading = TextReading(path, head, (), (name,), {name})
    batches = reading.batches(rows)
    first = next(batches)
    found = reading.result(ENCODINGS if encoding is None else (encoding,), first.cells, first.others)
    seen = len(first.others)
    counts = found.counts[name]  # of these rows: more may have been read
    texts = found.texts[name].texts[: counts.size]
    filled = [int(count) for text, count in zip(texts, counts, strict=True) if count and text.strip()]
    batches.close()  # type: ignore[attr-defined]
    return len(filled), sum(filled), seen < rows
