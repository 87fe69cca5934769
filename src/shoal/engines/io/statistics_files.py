"""Files of statistical programs in: SPSS and Stata, whose numbers have labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.engines.io.sealed_files import Sealed
from shoal.errors import DataError
from shoal.extras import missing
from shoal.table import Origin, printable

_WHOLE = 2**53  # up to which floats hold every whole number


def from_statistics(path: Path) -> tuple[pa.Table, Origin]:
    """Read a file of SPSS or Stata: values that all have labels as these, in their order where the variable says so.

    Values that the file declares to be missing are.
    """
    try:
        import pyreadstat
    except ImportError:
        otherwise = "Or save the file as CSV with labels."
        raise missing(f"Reading '{path.name}' needs pyreadstat", "stats", otherwise) from None
    sealed = Sealed.of(path)
    read: Any = pyreadstat.read_dta if path.suffix.lower() == ".dta" else pyreadstat.read_sav
    try:
        with sealed.open() as file:
            columns, metadata = read(file, output_format="dict")
    except DataError:
        raise
    except Exception as error:  # noqa: BLE001 - its message may show a cell
        raise DataError(
            f"'{path}' is not a file of {_program(path)} that can be read ({type(error).__name__}).", "Check the file."
        ) from None
    made, notes = {}, []
    for name, values in columns.items():
        labels = metadata.variable_value_labels.get(name, {})
        column = _labelled(values, labels, ordinal=metadata.variable_measure.get(name) == "ordinal") if labels else None
        if labels and column is None:
            notes.append(f"labels of only some values of '{name}' left out")
        made[name] = _plain(name, values) if column is None else column
    origin = Origin(
        printable(path.name), sealed.written.sha256, "statistics", tuple(notes), place=str(path), written=sealed.written
    )
    return pa.table(made), origin


def _program(path: Path) -> str:
    return "Stata" if path.suffix.lower() == ".dta" else "SPSS"


def _labelled(values: Sequence[Any], labels: Mapping[Any, str], *, ordinal: bool) -> pa.Array | None:
    """Give values as their labels; None if some have none."""
    if any(value is not None and value not in labels for value in values):
        return None
    texts = pa.array([None if value is None else labels[value] for value in values], pa.string())
    listed = [labels[code] for code in sorted(labels, key=lambda code: (isinstance(code, str), code))]
    if not ordinal or len(set(listed)) < len(listed):
        return texts
    ranks = {text: rank for rank, text in enumerate(listed)}
    places = pa.array([None if text is None else ranks[text] for text in texts.to_pylist()], pa.int32())
    return pa.DictionaryArray.from_arrays(places, pa.array(listed, pa.string()), ordered=True)


def _plain(name: str, values: Sequence[Any]) -> pa.Array:
    """Give values without labels; numbers that are all whole as whole numbers, which these files do not have."""
    try:
        column = pa.array(values, from_pandas=True)
    except (pa.ArrowException, ValueError, TypeError, OverflowError):
        raise DataError(
            f"Column '{name}' has values of several types.", "Mend it in the program that wrote the file."
        ) from None
    if pa.types.is_null(column.type):
        return column.cast(pa.string())
    if pa.types.is_floating(column.type):
        known = [value for value in column.to_pylist() if value is not None]
        if all(value.is_integer() and abs(value) < _WHOLE for value in known):
            return column.cast(pa.int64())
    return column
