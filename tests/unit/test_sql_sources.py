"""Tables in SQLite, and queries beside tables: read, released, proved, and refused as places to write to."""

import datetime as dt
import sqlite3

import pyarrow as pa
import pytest
from engines.tiny import Tiny

import shoal
from shoal.engines.sources import Source
from shoal.errors import CertificateError, DataError, ParameterError

ROWS = [
    (30, "Åby", "flu", 0.5, "2020-01-01", "2020-01-01 10:00:00", 1, b"\0\1", 2**60),
    (31, "b", "cold", 1.25, "1850-12-31", "2020-01-01 10:00:00.250000", 0, None, 3),
    (50, "b", "flu", None, None, None, None, b"", None),
    (52, "b", "none", 3e-7, "2020-01-04", "2020-01-01 11:00:00", 1, b"x", 4),
]
NAMES = ("age", "town", "ill", "share", "visit", "seen", "well", "code", "large")
PASSED = ["share", "visit", "seen", "well", "code", "large"]


@pytest.fixture
def clinic(tmp_path):
    path = tmp_path / "clinic.sqlite"
    with sqlite3.connect(path) as base:
        base.execute(
            "CREATE TABLE people (age INTEGER, town TEXT, ill TEXT, share REAL, visit DATE, "
            "seen TIMESTAMP, well BOOLEAN, code BLOB, large BIGINT)"
        )
        base.executemany("INSERT INTO people VALUES (?,?,?,?,?,?,?,?,?)", ROWS)
        base.execute("CREATE TABLE mixed (age INTEGER, a, b DATE)")
        base.executemany("INSERT INTO mixed VALUES (?,?,?)", [(30, 1, "2020-01-01"), (30, "x", "soon")])
        base.execute("CREATE VIEW old AS SELECT * FROM people WHERE age > 40")
    return path


def address(path, rest):
    return f"sqlite:///{path}?{rest}"


@pytest.mark.parametrize("engine", [lambda: None, Tiny], ids=["local", "parts"])
def test_a_table_of_sqlite_goes_the_whole_way(clinic, tmp_path, engine):
    source = address(clinic, "table=people")
    table = shoal.read(source, engine=engine(), quasi=["age", "town"], sensitive="ill", plain=PASSED)
    kinds = {name: table.schema[name].axis.kind for name in NAMES}
    assert kinds == {
        "age": "integer", "town": "category", "ill": "category", "share": "float", "visit": "date", "seen": "datetime",
        "well": "category", "code": "category", "large": "integer",
    }  # fmt: skip
    release = shoal.anonymize(table, "mondrian", k=2)
    paper = tmp_path / "shown.certificate.json"
    for target in (address(clinic, "table=shown"), address(tmp_path / "new.sqlite", "table=shown")):
        release.write(target, certificate=paper, overwrite=paper.exists())
        proof = shoal.verify(target, paper, private=tmp_path / "shown.private.json", original=source, engine=engine())
        assert proof.by_original
    with sqlite3.connect(clinic) as base:
        found = base.execute("SELECT share, visit, seen, well, code, large FROM shown").fetchall()
        assert sorted(map(str, found)) == sorted(str(row[3:]) for row in ROWS)
        assert base.execute("SELECT DISTINCT typeof(age) FROM shown").fetchall() == [("text",)]
        base.execute("UPDATE shown SET ill = 'none' WHERE ill = 'flu'")
    with pytest.raises(CertificateError, match="was changed"):
        shoal.verify(address(clinic, "table=shown"), paper)


def test_only_what_shoal_made_is_replaced(clinic, tmp_path):
    release = shoal.anonymize(address(clinic, "table=people"), "mondrian", k=2, quasi="age")
    papers = {"certificate": tmp_path / "c.certificate.json"}
    with pytest.raises(ParameterError, match="overwrite the input"):
        release.write(address(clinic, "table=people"), **papers)
    with pytest.raises((DataError, ParameterError), match=r"not made by shoal|overwrite the input"):
        release.write(address(clinic, "table=mixed&if_exists=replace"), **papers)
    release.write(address(clinic, "table=shown"), **papers)
    release.write(address(clinic, "table=shown"), **papers, overwrite=True)
    with sqlite3.connect(clinic) as base:
        assert base.execute("SELECT count(*) FROM shown").fetchone() == (4,)
        assert base.execute("SELECT count(*) FROM sqlite_master WHERE name LIKE 'shoal%'").fetchone() == (0,)


def test_cells_of_several_types_are_text(clinic):
    found = shoal.anonymize(
        address(clinic, "table=mixed"), [], quasi="age", plain=["a", "b"], no_promise=True, allow_identifiers=["a", "b"]
    ).to_arrow()
    assert sorted(found.column("a").to_pylist()) == ["1", "x"]
    assert sorted(found.column("b").to_pylist()) == ["2020-01-01", "soon"]


QUERY = "query=SELECT age, town, ill FROM people WHERE age > 30 ORDER BY age;"


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
@pytest.mark.parametrize("engine", [lambda: None, Tiny], ids=["local", "parts"])
def test_a_query_is_read_as_a_table_is(clinic, tmp_path, kind, engine):
    path = clinic
    if kind == "duckdb":
        duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: make install EXTRAS=db")
        path = tmp_path / "clinic.db"
        people = pa.table({name: [row[place] for row in ROWS] for place, name in enumerate(NAMES[:3])})
        with duckdb.connect(str(path)) as base:
            base.register("given", people)
            base.execute("CREATE TABLE people AS SELECT * FROM given")
    source = f"{kind}:///{path}?{QUERY}"
    table = shoal.read(source, engine=engine(), quasi=["age", "town"], sensitive="ill")
    assert (table.rows, table.schema.names) == (3, ("age", "town", "ill"))
    assert "30" not in table.origin.name
    release = shoal.anonymize(table, "mondrian", k=2)
    release.write(tmp_path / "out.csv", recipe=tmp_path / "r.toml")
    asked = shoal.Recipe.load(tmp_path / "r.toml")
    assert Source.parse(asked.source).query == "SELECT age, town, ill FROM people WHERE age > 30 ORDER BY age"
    assert shoal.verify(
        tmp_path / "out.csv", private=tmp_path / "out.private.json", original=source, engine=engine()
    ).by_original
    with pytest.raises(ParameterError, match="into a query"):
        release.write(f"{kind}:///{path}?{QUERY}", certificate=tmp_path / "q.certificate.json")
    for wrong, said in (
        ("query=SELECT age FROM nobody", "refused|no table|not one"),
        ("query=SELECT 1; DROP TABLE people", "refused|not one"),
        ("query=SELECT 1&table=people", "both a table and a query"),
        ("query=DELETE FROM people", "refused|not one"),
    ):
        with pytest.raises((DataError, ParameterError), match=said) as refused:
            shoal.read(f"{kind}:///{path}?{wrong}", quasi="age")
        assert "SELECT" not in str(refused.value)  # a query may hold values
    assert shoal.read(f"{kind}:///{path}?table=people", quasi="age").rows == 4


@pytest.mark.parametrize(("name", "said"), [("mysql", "MySQL"), ("mssql", "SQL Server"), ("mariadb", "MariaDB")])
def test_databases_without_a_driver_are_said_to_have_none(name, said):
    with pytest.raises(ParameterError, match=f"Tables in {said} are not read"):
        shoal.read(f"{name}://host/clinic?table=people", quasi="age")


def test_what_is_no_sqlite_file_is_refused(tmp_path):
    (tmp_path / "bad.sqlite").write_bytes(b"not a database at all, but long enough to be one" * 99)
    with pytest.raises(DataError, match="not an SQLite database"):
        shoal.read(address(tmp_path / "bad.sqlite", "table=t"), quasi="age")
    with pytest.raises(DataError, match="no file"):
        shoal.read(address(tmp_path / "none.sqlite", "table=t"), quasi="age")
    with sqlite3.connect(tmp_path / "a.sqlite") as base:
        base.execute("CREATE TABLE people (age INTEGER)")
    with pytest.raises(DataError, match="no table 'peple'"):
        shoal.read(address(tmp_path / "a.sqlite", "table=peple"), quasi="age")
    frame = pa.table({"age": [1, 1], "t": pa.array([dt.datetime(2020, 1, 1)] * 2, pa.timestamp("us", "UTC"))})
    release = shoal.anonymize(frame, [], quasi="age", plain="t", no_promise=True)
    with pytest.raises(DataError, match="SQLite cannot hold"):
        release.write(address(tmp_path / "b.sqlite", "table=t"), certificate=tmp_path / "c.certificate.json")
    assert not (tmp_path / "b.sqlite").exists()
