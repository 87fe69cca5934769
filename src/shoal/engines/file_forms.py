"""The forms of files that hold tables, by the endings of their names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

FileKind = Literal["text", "parquet", "labelled", "arrow", "orc", "json lines", "excel"]


@dataclass(frozen=True)
class FileForm:
    """A form of files.

    Attributes
    ----------
    form
        What reads and writes it here.
    format
        What certificates call it.
    called
        What people call such a file.
    """

    form: FileKind
    format: str
    called: str


TEXT = FileForm("text", "text", "delimited text")
_PARQUET = FileForm("parquet", "parquet", "Parquet")
_SPSS = FileForm("labelled", "spss", "a file of SPSS")
_FORMS = {
    ".parquet": _PARQUET,
    ".pq": _PARQUET,
    ".sav": _SPSS,
    ".zsav": _SPSS,
    ".dta": FileForm("labelled", "stata", "a file of Stata"),
    ".sas7bdat": FileForm("labelled", "sas", "a file of SAS"),
    ".xpt": FileForm("labelled", "sas transport", "a transport file of SAS"),
}


def form_of(path: Path) -> FileForm:
    """Give the form of a file by its name: delimited text unless its ending says something else.

    >>> form_of(Path("people.SAV")).format
    'spss'
    """
    return _FORMS.get(path.suffix.lower(), TEXT)
