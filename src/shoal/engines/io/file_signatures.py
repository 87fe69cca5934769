"""What a file is that is no delimited text, by its first bytes; and the way from there to a table that can be read."""

from __future__ import annotations

import re

from shoal.errors import DataError


def _with_pandas(reader: str) -> str:
    return f"Convert it: python -c \"import pandas; pandas.{reader}.to_csv('NEW.csv', index=False)\"."


def _named(ending: str) -> str:
    return f"Give it a name that ends in {ending}."


def _unpacked(how: str) -> str:
    return f"Unpack it first ({how}), and read what is inside."


_FIXED = "read_fwf('FILE')"
# The beginning of a file (a pattern over its bytes), what it is, and what to do.
_SIGNATURES: tuple[tuple[bytes, str, str], ...] = (
    (
        rb"PK\x03\x04.{26}mimetypeapplication/vnd\.oasis\.opendocument\.spreadsheet",
        "a spreadsheet (.ods)",
        _named(".ods"),
    ),
    (rb"PK\x03\x04.{26}(?:\[Content_Types\]|_rels/|docProps/|xl/)", "an Excel workbook (.xlsx)", _named(".xlsx")),
    (rb"PK(?:\x03\x04|\x05\x06|\x07\x08)", "a zip archive", _named(".zip")),
    (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel workbook (.xls)", _named(".xls")),
    (rb"\$FL[23]", "an SPSS file (.sav)", _named(".sav")),
    (rb".{0,200}SPSS PORT FILE", "an SPSS portable file (.por)", "Save it in SPSS or PSPP as CSV, and read that."),
    (rb"<stata_dta>|[ilnoqrs][\x01\x02]\x01\x00", "a Stata file (.dta)", _named(".dta")),
    (rb"\x00{12}\xc2\xea\x81\x60", "a SAS file (.sas7bdat)", _named(".sas7bdat")),
    (rb"HEADER RECORD\*{7}LIB", "a SAS transport file (.xpt)", _named(".xpt")),
    (rb"ARROW1|FEA1", "an Arrow (Feather) file", _named(".arrow")),
    (rb"ORC.*\x00", "an ORC file", _named(".orc")),
    (rb"Obj\x01", "an Avro file", "Write it as Parquet or CSV with the program that made it."),
    (rb"PAR1", "a Parquet file", _named(".parquet")),
    (rb"SQLite format 3\x00", "an SQLite database", "Name its table: sqlite:///FILE?table=NAME."),
    (rb".{8}DUCK", "a DuckDB database", "Name its table: duckdb:///FILE?table=NAME."),
    (rb"\x1f\x8b", "a gzip file", _named(".gz")),
    (rb"\x28\xb5\x2f\xfd", "a Zstandard file", _named(".zst")),
    (rb"BZh[1-9]1AY&SY", "a bzip2 file", _named(".bz2")),
    (rb"\xfd7zXZ\x00", "an xz file", _named(".xz")),
    (rb"7z\xbc\xaf\x27\x1c", "a 7z archive", _unpacked("7z x FILE")),
    (rb"\x89HDF\r\n", "an HDF5 file", _with_pandas("read_hdf('FILE')")),
    (rb"%PDF-", "a PDF file", "Ask those who made it for the table as CSV."),
)
# Text that is not delimited; blanks may stand before it. No header that csv writes begins as the first two do.
_JSON: tuple[tuple[bytes, str, str], ...] = (
    (rb'\{\s*"[^\n]*\}\s*\n\s*\{', "JSON lines", _named(".jsonl")),
    (rb'[\[{][\[{\s]*"', "JSON", _with_pandas("read_json('FILE')")),
)
_TEXTS: tuple[tuple[bytes, str, str], ...] = (
    (rb"\{\s*\}|\[\s*[\[{\]]", "JSON", _with_pandas("read_json('FILE')")),
    (rb"(?i:<!doctype html|<html|<table)", "HTML", _with_pandas("read_html('FILE')[0]")),
    (rb"(?i:<\?xml|<!doctype|<!--|<[a-z][^<>\n]*>\s*<)", "XML", _with_pandas("read_xml('FILE')")),
)
_BEGINNING = 1 << 16


def refuse_other_formats(name: str, chunk: bytes) -> None:
    """Refuse a file whose first bytes say that it is something else than text, and say what it is."""
    for pattern, what, remedy in _SIGNATURES:
        if re.match(pattern, chunk[:_BEGINNING], re.DOTALL):
            raise DataError(f"'{name}' is {what}, which is not delimited text.", remedy)


def refuse_other_texts(name: str, chunk: bytes, *, delimited: bool, named: bool) -> None:
    """Refuse text whose beginning says that it is not delimited, and say what it is.

    Lines without a delimiter are one column where one was said (``delimited``), and a header may look like much where
    it is said to be one (``named``).
    """
    text = chunk[:_BEGINNING].lstrip()
    for pattern, what, remedy in _JSON if named else (*_JSON, *_TEXTS):
        if re.match(pattern, text):
            raise DataError(f"'{name}' is {what}, which is not delimited text.", remedy)
    if not named and not delimited and _is_fixed_width(chunk[:_BEGINNING]):
        raise DataError(
            f"'{name}' looks like a fixed-width file: columns stand at the same places in all lines, between blanks.",
            f"{_with_pandas(_FIXED)} If it is one column of text, say --in-delimiter ','.",
        )


def _is_fixed_width(text: bytes) -> bool:
    """Tell whether lines without a delimiter have blanks at the same places, with something before and behind them."""
    lines = [line.rstrip() for line in text.split(b"\n")[:200]]
    lines = lines[:-1] if len(text) >= _BEGINNING or not lines[-1] else lines
    if len(lines) < 3 or not all(lines) or any(sign in line for line in lines for sign in b',;\t|"'):
        return False
    width = max(map(len, lines))
    blank = [all(line[place : place + 1] in (b" ", b"") for line in lines) for place in range(width)]
    # A gutter is a run of blanks in all lines; each line has something on both of its sides.
    gutters = [end for end in range(1, width) if blank[end - 1] and not blank[end]]
    gutters = [end for end in gutters if all(line[:end].strip() and line[end:].strip() for line in lines)]
    wide = any(line[end - 2 : end] == b"  " for end in gutters for line in lines)
    return len(gutters) > 1 or (bool(gutters) and wide)
