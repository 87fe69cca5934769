"""The statistical programs whose files are read and written, and what each can hold."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from shoal.errors import DataError, ShoalError
from shoal.extras import missing


@dataclass(frozen=True)
class Program:
    """A program: how its files are read and written, and what its formats of dates are called.

    Attributes
    ----------
    name
        What people call it.
    reads, writes
        What the library calls its reader and its writer; no writer if there is none.
    epoch
        The day from which its days and moments count.
    per_day, per_moment
        How much a day counts in its dates, and in its moments.
    dates, moments
        How the names of its formats begin.
    labels_values
        Whether values can have labels in a file that is written.
    longest_label
        How many bytes the label of a value may have.
    smallest, largest
        The ends of the numbers that it keeps, other than 0.
    knows_missing
        Whether a file can say which codes are missing.
    knows_letters
        Whether the library tells which of several missing values a cell has.
    block
        How many bytes a file has, or a multiple of it.
    """

    name: str
    reads: str
    writes: str | None
    epoch: date
    per_day: int
    per_moment: int
    dates: tuple[str, ...]
    moments: tuple[str, ...]
    labels_values: bool = True
    longest_label: int = 120
    smallest: float = 0.0
    largest: float = 1.7976931348623157e308
    knows_missing: bool = False
    knows_letters: bool = True
    block: int = 1
    options: dict[str, Any] = field(default_factory=dict)


_SAS_DATES = ("DATE", "DDMMYY", "MMDDYY", "YYMMDD", "E8601DA", "B8601DA", "WEEKDATE", "WORDDATE", "JULIAN", "MONYY")
_SAS = {"epoch": date(1960, 1, 1), "per_day": 1, "per_moment": 86_400, "dates": _SAS_DATES,
        "moments": ("DATETIME", "E8601DT", "B8601DT", "DATEAMPM", "DTDATE", "MDYAMPM")}  # fmt: skip
_SPSS: dict[str, Any] = {
    "epoch": date(1582, 10, 14), "per_day": 86_400, "per_moment": 86_400,
    "dates": ("DATE", "ADATE", "EDATE", "JDATE", "SDATE"), "moments": ("DATETIME", "YMDHMS"), "knows_missing": True,
}  # fmt: skip
_STATA: dict[str, Any] = {
    "epoch": date(1960, 1, 1), "per_day": 1, "per_moment": 86_400_000, "dates": ("%td", "%d"), "moments": ("%tc",),
    "longest_label": 32_000,
}  # fmt: skip
_PROGRAMS = {
    ".sav": Program("SPSS", "read_sav", "write_sav", **_SPSS),
    ".zsav": Program("SPSS", "read_sav", "write_sav", **_SPSS, options={"compress": True}),
    ".dta": Program("Stata", "read_dta", "write_dta", **_STATA, largest=2.0**1023 - 2.0**970),
    ".sas7bdat": Program("SAS", "read_sas7bdat", None, **_SAS, labels_values=False),  # type: ignore[arg-type]
    ".xpt": Program(  # with numbers as mainframes of IBM keep them
        "SAS",
        "read_xport",
        "write_xport",
        **_SAS,  # type: ignore[arg-type]
        labels_values=False,
        knows_letters=False,
        block=80,
        smallest=16.0**-65,
        largest=16.0**63 - 16.0**49,
    ),
}
ENDINGS = tuple(_PROGRAMS)


def program_of(path: Path) -> Program:
    """Give the program whose file a name promises."""
    return _PROGRAMS[path.suffix.lower()]


def library(what: str) -> Any:
    """Give the library that reads and writes these files, or say how it is installed."""
    try:
        import pyreadstat
    except ImportError:
        raise missing(f"{what} needs pyreadstat", "stats", "Or save the file as CSV with labels.") from None
    return pyreadstat


@contextmanager
def in_words(path: Path, called: str | None = None) -> Iterator[None]:
    """Say what is wrong with a file without repeating a library, whose message may show a cell."""
    try:
        yield
    except ShoalError:
        raise
    except Exception as error:  # noqa: BLE001 - its message may show a cell
        if "encoding" in str(error) or isinstance(error, UnicodeDecodeError):
            raise DataError(
                f"'{path}' has text in another encoding than it says.", "Name it: --encoding windows-1252."
            ) from None
        raise DataError(
            f"'{path}' is not {called or f'a file of {program_of(path).name}'} that can be read "
            f"({type(error).__name__}).",
            "Check the file.",
        ) from None
