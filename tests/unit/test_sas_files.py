"""A file of SAS is read as another program reads it: numbers, days, texts, and where there is nothing."""

import datetime as dt
import gzip
import hashlib
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engines.tiny import Tiny

import shoal

pytest.importorskip("pyreadstat", reason="pyreadstat is not installed: make install EXTRAS=stats")

PACKED = Path(__file__).parents[1] / "data" / "sas" / "test1.sas7bdat.gz"
SHA256 = "a9b3a0cfccb6fcce9d3797f95fc56f865c0aab8cb0d928efe08b5a3124a1cddc"
KINDS = {"Column1": "float", "Column2": "category", "Column3": "integer", "Column4": "date"}


@pytest.fixture
def path(tmp_path):
    content = gzip.decompress(PACKED.read_bytes())
    assert hashlib.sha256(content).hexdigest() == SHA256
    (tmp_path / "in.sas7bdat").write_bytes(content)
    return tmp_path / "in.sas7bdat"


def shown(value):
    """Give a value as it is compared: None where there is none."""
    if value is None or pd.isna(value):
        return None
    return value.date() if isinstance(value, dt.datetime) else value


def rows_of(frame):
    return sorted((tuple(map(shown, row)) for row in zip(*(frame[name] for name in frame), strict=True)), key=str)


@pytest.mark.parametrize("engine", [lambda: None, Tiny], ids=["local", "parts"])
def test_all_columns_are_those_that_pandas_reads(path, tmp_path, engine):
    """Pandas has a reader of its own, which knows days by their format as well."""
    expected = pd.read_sas(path, encoding="latin1")
    names = list(expected)
    table = shoal.read(path, engine=engine(), quasi=names[:4], plain=names[4:])
    assert {name: table.schema[name].axis.kind for name in KINDS} == KINDS
    release = shoal.anonymize(table, [], no_promise=True)
    release.write(tmp_path / "out.parquet")
    out = pq.read_table(tmp_path / "out.parquet")
    kinds = [out.schema.field(name).type for name in KINDS]
    assert kinds == [pa.float64(), pa.string(), pa.int64(), pa.date32()]
    found = {name: out[name].to_pylist() for name in names}
    assert rows_of(found) == rows_of({name: [*expected[name]] for name in names})
    assert (len(names), out.num_rows) == (100, 10)
    first = (0.636, "pear", 84, dt.date(1965, 12, 10), 0.103, "apple", 20, None)
    assert first in [row[:8] for row in rows_of(found)]
    assert shoal.verify(tmp_path / "out.parquet", private=tmp_path / "out.private.json", original=path).proved


def test_a_promise_is_kept_and_proved(path, tmp_path):
    release = shoal.anonymize(path, "mondrian", k=3, quasi=["Column3", "Column4"], sensitive="Column2")
    release.write(tmp_path / "out.csv")
    proof = shoal.verify(tmp_path / "out.csv", private=tmp_path / "out.private.json", original=path)
    assert any("combination of quasi-identifiers occurs at least" in line for line in proof.proved)


def test_a_file_that_was_cut_short_is_refused(path):
    path.write_bytes(path.read_bytes()[:70_000])
    with pytest.raises(shoal.errors.DataError, match=r"in\.sas7bdat"):
        shoal.read(path, quasi="Column3")
