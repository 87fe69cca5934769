"""What the ending of a name promises to those who open the file, and what is therefore not written under it."""

from __future__ import annotations

from pathlib import Path

from shoal.engines.file_forms import bare
from shoal.engines.sources import Source
from shoal.errors import ParameterError

_TEXT = "Name a file that ends in .csv, or in .parquet for Parquet"
_PACKED = "Name a file that ends in .csv.gz, .zst, .bz2, .xz or .zip, or in .parquet, which is compressed in itself."
_FORMATS = {
    "a workbook that is not written": (
        ".xls .xlsm .xlsb .ods",
        "Name a file that ends in .xlsx or .csv: spreadsheets open both.",
    ),
    "a file of SPSS that is not written": (".por", f"{_TEXT}, and import it there."),
    "a file of SAS that only SAS writes": (
        ".sas7bdat",
        "Name a file that ends in .xpt, which SAS reads; .sav, .dta, .parquet and .csv are written too.",
    ),
    "a file of R": (".rds .rda .rdata", f"{_TEXT}, and read it there."),
    "JSON that is one value": (
        ".json .geojson",
        "Name a file that ends in .jsonl, which has an object on each line, or in .csv.",
    ),
    "a stream of Arrow": (".arrows", "Name a file that ends in .arrow or .feather."),
    "another format of tables": (".avro .h5 .hdf5 .pkl .pickle .npy .npz", f"{_TEXT}."),
    "a document": (".pdf .html .htm .xml .md .tex .doc .docx .rtf", f"{_TEXT}; --report writes a page or a PDF."),
    "a DuckDB database": (".db .duckdb", "Write a table into one: duckdb:///release.db?table=NAME."),
    "an SQLite database": (".sqlite .sqlite3", "Write a table into one: sqlite:///release.sqlite?table=NAME."),
    "a database": (".mdb .accdb .dbf .sql", f"{_TEXT}, and import it there."),
    "a compression that is not written": (".7z .rar .tar .tgz .lz4 .lzma .br .z", _PACKED),
    "settings": (".toml .yaml .yml .ini", f"{_TEXT}."),
    "an image": (".png .jpg .jpeg .svg", f"{_TEXT}."),
}
_OTHERS = {ending: (what, way) for what, (endings, way) in _FORMATS.items() for ending in endings.split()}
_DELIMITERS = {".tsv": "\t", ".tab": "\t", ".psv": "|"}
TEXTS = (".csv", *_DELIMITERS)


def refuse_other_formats(target: Source) -> None:
    """Refuse a file whose name promises what is not written, and a query, which is no place."""
    if target.query:
        raise ParameterError("Nothing can be written into a query.", "Name a new table: ?table=NAME.")
    if target.kind not in ("file", "remote"):
        return
    ending = _ending(target.path)
    if ending in _OTHERS:
        what, way = _OTHERS[ending]
        raise ParameterError(f"A name that ends in {ending} promises {what}.", way)


def is_written(path: Path) -> bool:
    """Tell whether files whose names end so are written."""
    return _ending(path) not in _OTHERS


def delimiter_for(target: Source) -> str:
    r"""Give what separates the cells of a text file if nobody says: a tab in .tsv, a bar in .psv, else a comma.

    >>> delimiter_for(Source.parse("release.tsv.gz"))
    '\t'
    """
    return _DELIMITERS.get(_ending(target.path), ",") if target.kind in ("file", "remote") else ","


def _ending(path: Path) -> str:
    return bare(path).suffix.lower()
