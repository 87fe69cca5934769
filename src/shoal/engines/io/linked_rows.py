"""The rows of a linked release, as frames that any engine reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.arrays import Integers, Positions

# Of a column, its texts, and which of them stands in each row; none where the number is below zero.
CellTexts = tuple[Sequence[str], Integers | Positions]


def rows_of(person: str, numbers: Integers, cells: Mapping[str, CellTexts]) -> Any:
    """Give a row for each number of a person with its cells."""
    import pyarrow as pa  # commands that release nothing do without it

    return pa.table({person: pa.array(numbers), **{name: _column(*each) for name, each in cells.items()}})


def frame_of_people(columns: Sequence[str], texts: Sequence[Sequence[str]], labels: Positions) -> Any:
    """Give a row for each label with the texts of it."""
    import pyarrow as pa

    return pa.table({name: _column(each, labels) for name, each in zip(columns, texts, strict=True)})


def _column(texts: Sequence[str], places: Integers | Positions) -> Any:
    import pyarrow as pa

    return pa.array([text or None for text in texts], pa.string()).take(pa.array(places, mask=places < 0))


def texts_in(frame: Any, columns: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Give the cells of a frame as texts, column by column."""
    found = (frame.column(name).to_pylist() for name in columns)
    return tuple(tuple("" if cell is None else str(cell) for cell in column) for column in found)
