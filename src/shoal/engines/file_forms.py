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
    whole
        Whether such a file can be read only whole.
    """

    form: FileKind
    format: str
    called: str
    whole: bool = False


TEXT = FileForm("text", "text", "delimited text")
_PARQUET = FileForm("parquet", "parquet", "Parquet")
_JSON_LINES = FileForm("json lines", "json lines", "a file of JSON lines", whole=True)
_SPSS = FileForm("labelled", "spss", "a file of SPSS")
_FORMS = {
    ".parquet": _PARQUET,
    ".pq": _PARQUET,
    ".sav": _SPSS,
    ".zsav": _SPSS,
    ".dta": FileForm("labelled", "stata", "a file of Stata"),
    ".sas7bdat": FileForm("labelled", "sas", "a file of SAS"),
    ".xpt": FileForm("labelled", "sas transport", "a transport file of SAS"),
    **dict.fromkeys((".feather", ".arrow", ".arrows", ".ipc"), FileForm("arrow", "arrow", "a file of Arrow")),
    ".orc": FileForm("orc", "orc", "a file of ORC"),
    **dict.fromkeys((".jsonl", ".ndjson"), _JSON_LINES),
    **dict.fromkeys((".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), FileForm("excel", "excel", "a workbook", whole=True)),
}
TYPED = tuple(_FORMS)
COMPRESSED = (".gz", ".zst", ".bz2", ".xz", ".zip")


def form_of(path: Path) -> FileForm:
    """Give the form of a file by its name: delimited text unless its ending says something else.

    >>> form_of(Path("people.SAV")).format, form_of(Path("people.jsonl.gz")).format
    ('spss', 'json lines')
    """
    return _FORMS.get(bare(path).suffix.lower(), TEXT)


def bare(path: Path) -> Path:
    """Give the name of a file without the ending that says that it is compressed."""
    return path.with_suffix("") if path.suffix.lower() in COMPRESSED else path
