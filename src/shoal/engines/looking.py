"""A short look at one column of a text file, without reading the rest of it."""

from __future__ import annotations

from pathlib import Path

_ROWS = 1 << 16


def count_at_beginning(
    path: Path, name: str, delimiter: str | None, encoding: str | None, rows: int = _ROWS
) -> tuple[int, int, bool]:
    """Count the different texts and the filled cells that a column has in the first rows of a file.

    Also tells whether these are all.
    """
    from shoal.engines.local.text_head import ENCODINGS, read_head
    from shoal.engines.local.text_reader import TextReading

    head = read_head(path, delimiter, encoding, header=True)  # it named the column already
    reading = TextReading(path, head, (), (name,), {name})
    stretches = reading.stretches(rows)
    first = next(stretches)
    found = reading.result(ENCODINGS if encoding is None else (encoding,), first.cells, first.others)
    seen = len(first.others)
    counts = found.counts[name]  # of these rows: more may have been read
    texts = found.texts[name].texts[: counts.size]
    filled = [int(count) for text, count in zip(texts, counts, strict=True) if count and text.strip()]
    stretches.close()  # type: ignore[attr-defined]
    return len(filled), sum(filled), seen < rows
