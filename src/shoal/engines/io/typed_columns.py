"""Typed columns: the numbers behind their values, and their values as they are released.

A value that cannot be kept as it is would be published as another one, so it is refused: times finer than a
microsecond, decimals with more digits than a float holds, days that no calendar has.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.domains.axis import AxisKind, same_number
from shoal.domains.numerals import convert
from shoal.domains.zones import Zone
from shoal.engines.io.exact_types import is_exact, named, workable
from shoal.engines.io.opaque_columns import cleaned, texts_of
from shoal.errors import DataError

_DIGITS = 15  # that every float holds
_DAY = 86_400_000_000  # microseconds


def as_numbers(name: str, column: pa.Array) -> tuple[NDArray[Any], str]:
    """Give the numbers behind a typed column and the kind of axis that they lie on."""
    kind = column.type
    if pa.types.is_integer(kind):
        if pa.types.is_uint64(kind) and (pc.max(column).as_py() or 0) >= 2**63:
            raise DataError(f"Column '{name}' has integers beyond 64 bits.", _as_codes(name))
        return column.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False), "integer"
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        numbers = column.cast(pa.float64()).fill_null(0.0).to_numpy(zero_copy_only=False) + 0.0
        if np.isinf(numbers).any():
            raise DataError(f"Column '{name}' has infinite numbers.", "Mend them, or leave the cells empty.")
        if pa.types.is_decimal(kind):
            insist_on_digits(name, column, numbers)
        return numbers, "float"
    if pa.types.is_date(kind):
        days = _exactly(name, column, pa.date32()).cast(pa.int32()).fill_null(0).to_numpy(zero_copy_only=False)
        _in_calendar(name, days.min(initial=0), days.max(initial=0))
        return days.astype(np.int64), "date"
    if pa.types.is_timestamp(kind):
        stamps = _exactly(name, column, pa.timestamp("us")).cast(pa.int64()).fill_null(0)
        moments = stamps.to_numpy(zero_copy_only=False)
        _in_calendar(name, moments.min(initial=0) // _DAY, moments.max(initial=0) // _DAY)
        return moments, "datetime"
    raise unusable(name, kind)


def unusable(name: str, kind: pa.DataType) -> DataError:
    """Say that nothing is known of a type."""
    return DataError(
        f"Column '{name}' is of a type that has no cells shoal knows ({kind}).",
        "Leave it out, or convert it to numbers, dates or text.",
    )


def _as_codes(name: str) -> str:
    return f"If they are codes, declare them so (kinds={{'{name}': 'category'}}, --kind {name}=category)."


def insist_on_digits(name: str, column: pa.Array, numbers: NDArray[np.float64]) -> None:
    """Refuse decimals that are other numbers as floats: no range that is written would hold them."""
    long = np.flatnonzero(np.abs(numbers) * 10.0**column.type.scale >= 10**_DIGITS)
    if not long.size:
        return
    for value in pc.unique(column.take(pa.array(long))).to_pylist():
        if value is not None and not same_number(format(value, "f"), float(value)):
            raise DataError(
                f"Column '{name}' has decimals with more digits than a number holds.",
                f"Round them. {_as_codes(name)}",
            )


def _exactly(name: str, column: pa.Array, kind: pa.DataType) -> pa.Array:
    """Give days as days and moments as microseconds, where nothing is lost."""
    try:
        return column.cast(kind)
    except pa.ArrowInvalid:
        if pa.types.is_date(kind):
            raise DataError(f"Column '{name}' has dates with a time of day.", "Cast it to timestamps.") from None
        if column.type.unit != "ns":
            raise _no_calendar(name) from None
        raise DataError(
            f"Column '{name}' has times that are finer than a microsecond.",
            'Cast it to microseconds first (pandas: .dt.floor("us"), Polars: .dt.cast_time_unit("us")).',
        ) from None


def _in_calendar(name: str, first: int, last: int) -> None:
    """Refuse days before year 1 or after year 9999."""
    if first < -719_162 or last > 2_932_896:
        raise _no_calendar(name)


def _no_calendar(name: str) -> DataError:
    return DataError(f"Column '{name}' has days that no calendar has.", "Mend them, or leave the cells empty.")


def as_declared(name: str, numbers: NDArray[Any], kind: str, declared: str) -> NDArray[Any]:
    """Turn numbers of one kind into those of another, where nothing is lost."""
    if (kind, declared) == ("integer", "float"):
        floats = numbers.astype(np.float64)
        if not (floats.astype(np.int64) == numbers).all():
            raise DataError(f"Column '{name}' has integers that no float holds.", "Do not declare it as floats.")
        return floats
    if (kind, declared) == ("date", "datetime"):
        return numbers * _DAY
    if (kind, declared) == ("float", "integer") and (numbers == np.rint(numbers)).all() and abs(numbers).max() < 2**53:
        return numbers.astype(np.int64)
    raise DataError(f"Column '{name}' is {kind} and cannot be read as {declared}.", "Declare another kind.")


def marks(missing: Iterable[str], kind: str) -> list[Any]:
    """Give the numbers behind those marks for missing values that are texts of a kind: numbers, days, microseconds."""
    found = (_behind(mark, "float" if kind == "integer" else kind) for mark in missing)  # type: ignore[arg-type]
    return [mark for mark in found if mark is not None]


def _behind(mark: str, kind: AxisKind) -> int | float | None:
    try:
        number: int | float = convert([mark], kind)[0].item()
    except ValueError:
        return None
    if kind == "float" and Decimal(mark) == Decimal(mark).to_integral_value() and abs(Decimal(mark)) < 2**63:
        return int(Decimal(mark))  # which is exact beside large integers
    return number


def zone_of(name: str, kind: pa.DataType, moments: NDArray[np.int64]) -> Zone | None:
    """Give the zone of a column of moments, as its clocks were at these; None if it has none."""
    if not pa.types.is_timestamp(kind) or kind.tz is None:
        return None
    shown = pc.local_timestamp(pa.array(moments).cast(pa.timestamp("us", kind.tz))).cast(pa.int64())
    clocks = shown.to_numpy(zero_copy_only=False)
    _in_calendar(name, clocks.min(initial=0) // _DAY, clocks.max(initial=0) // _DAY)
    return Zone.of(moments, (clocks - moments) // 1_000_000, kind.tz)


def is_text(kind: pa.DataType) -> bool:
    """Tell whether a column is text."""
    return any(test(kind) for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)) or (
        pa.types.is_null(kind)
    )


def plain_column(column: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray:
    """Give the values of a column that is kept as numbers of its distinct values, or in a type with a name of its own.

    A list of distinct values may name some that occur in no row, as those of people who were left out before.
    """
    column = pa.chunked_array([column]) if isinstance(column, pa.Array) else column
    kind = column.type
    if is_exact(kind) and not is_text(kind):
        return passed_on(column)
    if named(kind) == "arrow.uuid":
        return pa.chunked_array([pa.array(texts_of(chunk), pa.string()) for chunk in column.chunks], pa.string())
    if isinstance(kind, pa.BaseExtensionType):
        return plain_column(pa.chunked_array([chunk.storage for chunk in column.chunks], kind.storage_type))
    if not pa.types.is_dictionary(kind):
        return column
    plain = pa.string() if is_text(kind.value_type) else kind.value_type
    return pa.chunked_array([c.dictionary.cast(plain).take(c.indices) for c in column.chunks], plain)


def passed_on(column: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray:
    """Give a column as it is released: its values and nothing behind them, in the type in which they are worked on."""
    column = pa.chunked_array([column]) if isinstance(column, pa.Array) else column
    return pa.chunked_array([cleaned(chunk) for chunk in column.chunks], workable(column.type))


def in_workable_type(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Give a column of which rows can be taken; of texts, none are."""
    return passed_on(column) if is_exact(column.type) and not is_text(column.type) else column


def levels_of(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """Give the distinct values that a column is kept as numbers of, in their own order."""
    whole = pa.chunked_array([column]) if isinstance(column, pa.Array) else column
    listed = whole.unify_dictionaries().chunk(0).dictionary
    return listed.cast(pa.string() if is_text(listed.type) else listed.type).drop_null()
