"""Dates and moments of statistical programs, which are numbers with a format."""

from __future__ import annotations

import re
from datetime import date
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.engines.io.labelled.programs import Program
from shoal.errors import DataError

_DAY = 86_400_000_000  # microseconds
_EPOCH = date(1970, 1, 1)
_USUAL = {
    ("SPSS", "date"): "SDATE10", ("SPSS", "datetime"): "YMDHMS19", ("Stata", "date"): "%td",
    ("Stata", "datetime"): "%tc", ("SAS", "date"): "DATE", ("SAS", "datetime"): "DATETIME",
}  # fmt: skip


def kind_of(program: Program, shown: str) -> Literal["date", "datetime"] | None:
    """Tell what numbers with a format are.

    Times of a day and spans of time stay numbers: they may be longer than a day.
    """
    if program.name == "Stata":
        bare = shown.replace("-", "")
        if bare.startswith(program.moments):
            return None if "HH" in bare[3:] and "D" not in bare[3:].upper().replace("HH", "") else "datetime"
        return "date" if bare.startswith(program.dates) else None
    name = re.sub(r"[\d.]+$", "", shown.upper())
    return "datetime" if name in program.moments else "date" if name in program.dates else None


def usual_format(program: Program, kind: str) -> str:
    """Give the format of dates that come from elsewhere."""
    return _USUAL[program.name, kind]


def as_moments(numbers: NDArray[np.float64], program: Program, kind: str) -> NDArray[Any]:
    """Give microseconds since 1970 of the numbers of a program; those that are none are any number."""
    per_day = program.per_day if kind == "date" else program.per_moment
    shift = (program.epoch - _EPOCH).days * _DAY
    found: NDArray[Any] = np.rint(np.nan_to_num(numbers) * (_DAY / per_day)).astype(np.int64) + shift
    return found


def as_arrow(numbers: NDArray[np.float64], program: Program, kind: str, *, days: bool) -> pa.Array:
    """Give the numbers of a program as days, or as moments."""
    moments, gone = as_moments(numbers, program, kind), np.isnan(numbers)
    if days:
        return pa.array((moments // _DAY).astype(np.int32), mask=gone).cast(pa.date32())
    return pa.array(moments, mask=gone).cast(pa.timestamp("us"))


def as_numbers(name: str, column: pa.Array, program: Program) -> pa.Array:
    """Give days or moments as the numbers of a program, if these tell all of them apart."""
    is_days = pa.types.is_date(column.type)
    per_day = program.per_day if is_days else program.per_moment
    plain = column.cast(pa.date32()).cast(pa.int32()) if is_days else column.cast(pa.timestamp("us")).cast(pa.int64())
    counts = plain.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
    shift = (program.epoch - _EPOCH).days
    numbers = (counts - shift) * float(per_day) if is_days else (counts - shift * _DAY) / (_DAY / per_day)
    if not is_days and (as_moments(numbers, program, "datetime") != counts).any():
        raise DataError(
            f"Column '{name}' has moments with more digits of a second than {program.name} keeps.",
            "Round them to milliseconds, or write Parquet or text.",
        )
    return pa.array(numbers, pa.float64(), mask=np.asarray(column.is_null()))
