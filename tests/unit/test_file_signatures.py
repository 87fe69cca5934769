"""Files that are no delimited text are called what they are, with the way out, instead of being read as one."""

import bz2
import gzip
import io
import lzma
import sqlite3
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather, orc

import shoal
from shoal.schema import Role

TEXT = b"age,ill\n34,flu\n35,cold\n"
TABLE = pa.table({"age": [34, 35]})


def made(write):
    sink = io.BytesIO()
    write(sink)
    return sink.getvalue()


def zipped(name):
    with zipfile.ZipFile(sink := io.BytesIO(), "w") as file:
        file.writestr(name, b"application/vnd.oasis.opendocument.spreadsheet" if name == "mimetype" else TEXT)
    return sink.getvalue()


def database():
    with sqlite3.connect(":memory:") as base:
        base.execute("create table t (age)")
        return base.serialize()


FILES = {
    "zip archive": (zipped("people.csv"), ".zip"),
    ".xlsx": (zipped("[Content_Types].xml"), ".xlsx"),
    ".ods": (zipped("mimetype"), ".ods"),
    ".xls": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99), ".xls"),
    "bzip2": (bz2.compress(TEXT), ".bz2"),
    "xz file": (lzma.compress(TEXT), ".xz"),
    "gzip": (gzip.compress(TEXT), ".gz"),
    "Zstandard": (pa.compress(TEXT, "zstd", asbytes=True), ".zst"),
    "Parquet": (made(lambda sink: pq.write_table(TABLE, sink)), ".parquet"),
    "Arrow": (made(lambda sink: feather.write_feather(TABLE, sink)), ".arrow"),
    "ORC": (made(lambda sink: orc.write_table(TABLE, sink)), ".orc"),
    "Avro": (b"Obj\x01\x04\x14avro.codec", "Parquet"),
    "SQLite": (database(), "sqlite:///"),
    ".sav": (b"$FL2@(#) SPSS DATA FILE" + bytes(99), ".sav"),
    ".por": (b" " * 40 + b"\r\nASCII SPSS PORT FILE\r\n" + b"x,y\r\n", "PSPP"),
    ".dta": (b"<stata_dta><header><release>118</release>", ".dta"),
    "Stata": (b"\x72\x02\x01\x00" + bytes(99), ".dta"),
    ".sas7bdat": (bytes(12) + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf" + bytes(99), ".sas7bdat"),
    ".xpt": (b"HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!000000", ".xpt"),
    "JSON lines": (b'{"age":36,"ill":"flu"}\n{"age":37,"ill":"cold"}\n', ".jsonl"),
    "JSON": (b'\xef\xbb\xbf[\n {"age": 36},\n {"age": 37}\n]\n', "read_json"),
    "JSON,": (b'{\n "people": [1, 2]\n}\n', "read_json"),
    "JSON lists": (b"[[36, 7],\n[37, 8]]\n", "read_json"),
    "XML": (b"<?xml version='1.0'?>\n<people><age>36</age></people>\n", "read_xml"),
    "XML,": (b"<people>\n<age>36</age>\n</people>\n", "read_xml"),
    "HTML": (b"<!DOCTYPE html>\n<table><tr><td>36</td></tr></table>\n", "read_html"),
    "fixed-width": (b"36 female 93614 fracture\n71 male   93727 pneumonia\n34 female 93611 asthma\n", "read_fwf"),
    "fixed-width,": (b"age  ill\n36   flu\n 7   cold\n", "read_fwf"),
}


# What its first line looks like can be said to be a header.
NAMED = ("XML", "XML,", "HTML", "fixed-width", "fixed-width,", "JSON lists")


CASES = [(name, header) for name in FILES for header in (None, False, True) if header is not True or name not in NAMED]


@pytest.mark.parametrize(("name", "header"), CASES)
def test_what_a_file_is_and_the_way_out_are_said(tmp_path, name, header):
    content, way = FILES[name]
    (tmp_path / "people.dat").write_bytes(content)
    with pytest.raises(shoal.errors.DataError) as refused:
        shoal.read(tmp_path / "people.dat", rest=Role.PLAIN, header=header)
    assert name.removesuffix(",").removesuffix(" lists") in refused.value.what
    assert way in refused.value.remedy
    assert "flu" not in str(refused.value)


TEXTS = {
    "names": "name\nAnn Lee\nBob Ray\nCat Sun\n",
    "times": "when\n2024-01-01 10:00:00\n2024-01-02 11:00:00\n2024-01-03 12:00:00\n",
    "sentences": "remark\nshe came late  again\nhe left\nnobody  there\n",
    "brackets": "[a],b\n1,2\n",
    "braces": "{x,y}\n1,2\n",
    "angles": "<5,>5\n1,2\n",
    "aligned commas": "age, ill\n 36, flu\n  7, cold\n",
    "signatures as names": "ORC,BZh,PK\n1,2,3\n",
}


@pytest.mark.parametrize("name", TEXTS)
def test_text_that_only_resembles_another_format_is_read(tmp_path, name):
    (tmp_path / "in.csv").write_text(TEXTS[name], encoding="utf-8")
    table = shoal.read(tmp_path / "in.csv", rest=Role.PLAIN)
    assert len(table.schema.names) == 1 + TEXTS[name].split("\n")[0].count(",")


def test_one_column_of_text_is_read_if_its_delimiter_is_named(tmp_path):
    (tmp_path / "in.txt").write_bytes(FILES["fixed-width,"][0])
    assert shoal.read(tmp_path / "in.txt", rest=Role.PLAIN, delimiter=",").rows == 2
