"""Databases, folders of Parquet files and compressed text: round trips, proofs, and everything that can go wrong."""

import csv
import gzip
import json
import re
import shlex

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from architecture.markdown import blocks
from architecture.source import ROOT
from cli.bases import Duck, Postgres
from cli.server import PASSWORD, USER

ROLES = ("--quasi", "age,zip,sex", "--sensitive", "charge")
MASK = (*ROLES, "--k", 2, "--certificate", "c.json")


@pytest.fixture(params=["duckdb", "postgresql"])
def base(request, desk, people):
    """Give a database with a table of people in it."""
    found = Duck(desk.folder) if request.param == "duckdb" else Postgres(request.getfixturevalue("server"))
    rows = [line.split(",") for line in people.splitlines()[1:]]
    found.run("CREATE TABLE people (age integer, zip integer, sex varchar, charge bigint, secret uuid)")
    values = ", ".join(f"({age}, {zip_}, '{sex}', {charge}, NULL)" for age, zip_, sex, charge in rows)
    found.run(f"INSERT INTO people VALUES {values}")
    return found


def released(desk, people):
    """Give the rows that a release of the same people in a file has."""
    desk.put("same.csv", people)
    desk.run("anonymize", "same.csv", "--out", "masked.csv", *ROLES, "--k", 2).fine()
    rows = list(csv.reader(desk.read("masked.csv").splitlines()))[1:]
    return [(age, zip_, sex, int(charge)) for age, zip_, sex, charge in rows]


def tables(base):
    found = base.run("SELECT table_name FROM information_schema.tables WHERE table_schema IN ('public', 'main')")
    return sorted(name for (name,) in found)


def discreet(*texts):
    """Check that neither the password nor the user is shown."""
    for text in texts:
        assert PASSWORD not in text
        assert PASSWORD.replace("/", "%2F") not in text
        assert USER not in text


# Round trips


def test_every_command_reads_a_table(desk, base):
    table = base.base + "people"
    assert desk.run("inspect", table, "--json").json()["records"] == 6
    assert "people" in desk.run("inspect", table).fine().out
    found = desk.run("risk", table, "--quasi", "age,zip", "--json").json()
    assert found["unique"] == 6
    discreet(json.dumps(found))
    shown = desk.run("compare", table, "--methods", "sorted-clusters", "--k", 2, *ROLES, "--json").json()
    assert shown["rows"]
    desk.run("risk", table, "--quasi", "age", "--report", "r.html").fine()
    discreet(desk.read("r.html"))


def test_from_a_table_to_a_table_and_its_proof(desk, base, people):
    made = desk.run("anonymize", base.base + "people", "--out", base.base + "shown", *MASK, "--save-recipe", "r.toml",
                    "--report", "r.html")  # fmt: skip
    made.fine()
    papers = {"c.json", "c.private.json", "r.html", "r.toml"}
    assert papers <= set(made.left) <= {*papers, "clinic.db"}
    assert tables(base) == ["people", "shown"]
    assert base.run("SELECT * FROM shown") == released(desk, people)
    proof = desk.run("check", base.base + "shown", "--certificate", "c.json", "--json").json()
    assert "The table is the one that was released, cell for cell." in proof["proved"]
    whole = desk.run(
        "check",
        base.base + "shown",
        "--certificate",
        "c.json",
        "--private",
        "c.private.json",
        "--original",
        base.base + "people",
        "--json",
    )
    assert any(line.startswith("information-loss") for line in whole.json()["proved"])
    discreet(made.out, made.err, desk.read("c.json"), desk.read("r.html"))
    assert PASSWORD.replace("/", "%2F") not in desk.read("r.toml")
    assert "people" not in desk.read("c.json")
    assert json.loads(desk.read("c.private.json"))["input"]["name"].endswith("?table=people")
    for paper in ("c.json", "c.private.json"):
        assert "127.0.0.1" not in desk.read(paper)


def test_a_changed_cell_is_found_and_a_changed_order_is_none_of_the_verdicts_business(desk, base):
    order = ("--measure", "order-leak")
    desk.run("anonymize", base.base + "people", "--out", base.base + "shown", *MASK, *order).fine()
    base.run("CREATE TABLE turned AS SELECT * FROM shown ORDER BY charge DESC")
    check = ("--certificate", "c.json", "--private", "c.private.json", "--original", base.base + "people")
    found = desk.run("check", base.base + "turned", *check, "--json").json()
    assert any("no longer in the order" in line for line in found["not_proved"])
    assert any(line.startswith("order-leak") for line in found["not_proved"])
    base.run("UPDATE shown SET charge = 101 WHERE charge = 100")
    desk.run("check", base.base + "shown", "--certificate", "c.json").refused(1, "is not the table", "was changed")
    base.run("UPDATE shown SET charge = 100 WHERE charge = 101")
    desk.run("check", base.base + "shown", "--certificate", "c.json").fine()


@pytest.mark.parametrize("statement", [
    "DELETE FROM shown WHERE charge = 100",
    "DELETE FROM shown",
    "INSERT INTO shown SELECT * FROM shown WHERE charge = 100",
    "ALTER TABLE shown ADD COLUMN more integer",
    "ALTER TABLE shown RENAME COLUMN sex TO gender",
    "UPDATE shown SET age = '[33;36]' WHERE charge = 100",
])  # fmt: skip
def test_any_other_change_is_found(desk, base, statement):
    desk.run("anonymize", base.base + "people", "--out", base.base + "shown", *MASK).fine()
    base.run(statement)
    desk.run("check", base.base + "shown", "--certificate", "c.json").refused(1, "is not the table")


def test_the_commands_on_the_page_of_sources_run(desk, base):
    """They name a server, so the page cannot run them by itself."""
    page = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
    (block,) = [found.text for found in blocks(page) if found.language == "sh" and "postgresql://" in found.text]
    place = re.escape("postgresql://keeper@host/clinic?table=")
    made = [line for line in block.replace("\\\n", " ").splitlines() if line.startswith("shoal ")]
    assert len(made) == 2
    for line in made:
        _, *arguments = shlex.split(re.sub(place, lambda _: base.base, line))
        arguments = ["2" if each == "5" else each for each in arguments]  # these people are few
        desk.run(*arguments).fine()


def test_a_recipe_runs_with_a_database(desk, base, monkeypatch):
    (desk.folder / "recipes").mkdir()
    desk.run(
        "anonymize", base.base + "people", "--out", base.base + "shown", *MASK, "--save-recipe", "recipes/r.toml"
    ).fine()
    base.run("DROP TABLE shown")
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    desk.run("run", "recipes/r.toml", "--overwrite").fine()
    desk.run("check", base.base + "shown", "--certificate", "c.json").fine()


def test_a_file_goes_into_a_database_and_back(desk, base):
    name = 'näme, ""x""'
    cells = ("2020-01-01,a b,1.5", '2020-01-03,"c,d",', "2020-02-01,é,2", "2020-02-02,,-3.25")
    desk.put("in.csv", "\n".join([f'day,who,"{name}"', *cells]) + "\n")
    mask = ("--quasi", "day,who", "--plain", f'"{name}"', "--k", 2)
    desk.run("anonymize", "in.csv", "--out", "plain.csv", *mask).fine()
    out = base.base + "Shown+it"
    desk.run("anonymize", "in.csv", "--out", out, *mask, "--certificate", "c.json").fine()
    desk.run("check", out, "--certificate", "c.json", "--private", "c.private.json", "--original", "in.csv").fine()
    assert sorted(tables(base)) == ["Shown it", "people"]
    again = [desk.run("risk", place, "--quasi", "day,who", "--masked", "--json").json() for place in (out, "plain.csv")]
    assert {key: value for key, value in again[0].items() if key != "file"} == {
        key: value for key, value in again[1].items() if key != "file"
    }


# Bad input


def test_a_table_that_is_not_there(desk, base):
    desk.run("risk", base.base + "poeple", "--quasi", "age").refused(3, "no table 'poeple'", "Did you mean 'people'?")
    desk.run("risk", base.base + "nowhere.people", "--quasi", "age").refused(3, "no table 'people'")
    wrong = base.base.replace("?table=", "")
    desk.run("risk", wrong, "--quasi", "age").refused(2, "names no table", "?table=NAME")
    desk.run("check", base.base + "gone", "--certificate", "c.json").refused(3, "no certificate")


def test_a_table_that_is_there_already(desk, base, people):
    base.run("CREATE TABLE other AS SELECT 1 AS x")
    desk.run("anonymize", base.base + "people", "--out", base.base + "other", *MASK).refused(
        2, "already", "if_exists=replace"
    )
    replace = "&if_exists=replace"
    refused = desk.run("anonymize", base.base + "people", "--out", base.base + "other" + replace, *MASK)
    refused.refused(3, "not made by shoal")
    desk.run("anonymize", base.base + "people", "--out", base.base + "people" + replace, *MASK).refused(
        2, "overwrite the input"
    )
    desk.run("anonymize", base.base + "people", "--out", base.base + "people", *MASK).refused(2, "overwrite the input")
    assert tables(base) == ["other", "people"]
    assert base.run("SELECT * FROM other") == [(1,)]
    for _ in range(2):
        desk.run("anonymize", base.base + "people", "--out", base.base + "shown" + replace, *MASK).fine()
    assert base.run("SELECT * FROM shown") == released(desk, people)
    assert tables(base) == ["other", "people", "shown"]


def test_a_certificate_must_be_named(desk, base):
    desk.run("anonymize", base.base + "people", "--out", base.base + "shown", *ROLES, "--k", 2).refused(
        2, "--certificate"
    )
    assert tables(base) == ["people"]


def test_nothing_stays_when_the_certificate_cannot_be_written(desk, base):
    where = ("--certificate", "nowhere/c.json")
    desk.run("anonymize", base.base + "people", "--out", base.base + "shown", *ROLES, "--k", 2, *where).refused(
        3, "nowhere"
    )
    assert tables(base) == ["people"]


def test_nothing_stays_when_the_promise_or_the_last_step_fails(desk, base, monkeypatch):
    desk.run("anonymize", base.base + "people", "--out", base.base + "shown", *MASK, "--method", "coarsen").refused(
        1, "k-anonymity"
    )
    from shoal.engines.io import connections

    def fail(self):
        raise OSError(28, "No space left on device")

    for kind in (connections._DuckDB, connections._Postgres):
        monkeypatch.setattr(kind, "commit", fail)
    assert desk.run("anonymize", base.base + "people", "--out", base.base + "shown", *MASK).code == 3
    assert not (desk.folder / "c.json").exists()
    assert tables(base) == ["people"]


def test_a_schema_of_its_own(desk, base):
    missing = desk.run("anonymize", base.base + "people", "--out", base.base + "care.shown", *MASK)
    assert missing.code == 3
    base.run("CREATE SCHEMA care")
    desk.run("anonymize", base.base + "people", "--out", base.base + "care.shown", *MASK).fine()
    desk.run("check", base.base + "care.shown", "--certificate", "c.json").fine()


def test_an_empty_table(desk, base):
    base.run("CREATE TABLE nobody (age integer)")
    desk.run("risk", base.base + "nobody", "--quasi", "age").refused(3, "no records")


@pytest.mark.parametrize(("old", "new", "word"), [
    (PASSWORD.replace("/", "%2F"), "Geheim-124", "refused the user or the password"),
    (f"{USER}:", "Geheim-nobody:", "refused the user or the password"),
    ("127.0.0.1", "nowhere.invalid", "no host of this name"),
    (":PORT", ":1", "No server answers"),
    ("/clinic", "/klinic", "no database of this name"),
    ("?table", "?bogus=1&table", "setting that the driver does not know"),
])  # fmt: skip
def test_a_server_that_cannot_be_reached(desk, server, old, new, word):
    address = Postgres(server).address + "?table=people"
    wrong = address.replace(old.replace("PORT", str(server)), new)
    assert wrong != address
    desk.mask("age\n1\n1\n", "--quasi", "age").fine()
    for outcome in (
        desk.run("risk", wrong, "--quasi", "age"),
        desk.run("check", wrong, "--certificate", "out.certificate.json"),
    ):
        outcome.refused(3, word)
        discreet(outcome.err)
        assert "Geheim" not in outcome.err


def test_a_user_who_may_not(desk, server):
    owner = Postgres(server)
    owner.run("CREATE TABLE people AS SELECT 1 AS age")
    name = f"guest_{owner.database}"
    owner.run(f"CREATE ROLE {name} LOGIN PASSWORD 'Geheim-9'", autocommit=True)
    guest = f"postgresql://{name}:Geheim-9@127.0.0.1:{server}/{owner.database}?table="
    desk.run("risk", guest + "people", "--quasi", "age").refused(3, "no table 'people' that can be read")
    desk.mask("age\n1\n1\n", "--quasi", "age").fine()
    out = desk.run(
        "anonymize", "in.csv", "--out", guest + "shown", "--quasi", "age", "--k", 2, "--certificate", "c.json"
    )
    out.refused(3, "may not do this")


def test_a_zero_byte_does_not_fit_into_a_server(desk, server, secret):
    pq.write_table(pa.table({"age": [1, 1], "who": [f"{secret}\0", "x"]}), "in.parquet")
    base = Postgres(server)
    out = desk.run("anonymize", "in.parquet", "--out", base.base + "t", "--quasi", "age", "--plain", "who", "--k", 2,
                   "--certificate", "c.json")  # fmt: skip
    out.refused(3, "zero bytes")
    assert tables(base) == []


def test_duckdb_files_that_cannot_be_read(desk):
    desk.run("risk", "duckdb:///gone.db?table=t", "--quasi", "a").refused(3, "no file 'gone.db'")
    desk.put("text.db", "hello" * 1000)
    desk.run("risk", "duckdb:///text.db?table=t", "--quasi", "a").refused(3, "not a DuckDB database")
    desk.put("in.csv", "a\n1\n1\n")
    mask = ("--quasi", "a", "--k", 2, "--certificate", "c.json")
    desk.run("anonymize", "in.csv", "--out", "duckdb:///nowhere/x.db?table=t", *mask).refused(3, "'nowhere/x.db'")
    desk.run("anonymize", "in.csv", "--out", "duckdb:///c.json?table=t", *mask).refused(2, "the same name")


def test_a_duckdb_file_that_is_new_goes_again_when_something_fails(desk):
    desk.put("in.csv", "a\n1\n1\n")
    mask = ("--quasi", "a", "--k", 2, "--certificate", "nowhere/c.json")
    desk.run("anonymize", "in.csv", "--out", "duckdb:///new.db?table=t", *mask).refused(3, "nowhere")
    assert not (desk.folder / "new.db").exists()


# Folders and compressed text


def test_a_folder_of_parquet_files(desk, people, monkeypatch):
    monkeypatch.setattr("shoal.engines.io.folders.PART", 4)
    desk.put("in.csv", people)
    made = desk.run("anonymize", "in.csv", "--out", "out/", *ROLES, "--k", 2, "--save-recipe", "r.toml").fine()
    assert made.left == (
        "out.certificate.json", "out.private.json", "out/part-00000.parquet", "out/part-00001.parquet", "r.toml",
    )  # fmt: skip
    check = ("check", "out/", "--certificate", "out.certificate.json")
    desk.run(*check, "--private", "out.private.json", "--original", "in.csv").fine()
    assert desk.run("risk", "out", "--quasi", "age,zip,sex", "--json").json()["smallest_class"] >= 2
    desk.run("anonymize", "in.csv", "--out", "out/", *ROLES, "--k", 2).refused(3, "not empty")
    desk.run("anonymize", "in.csv", "--out", "out", *ROLES, "--k", 2).refused(3, "is a folder")
    desk.run("anonymize", "out", "--out", "out/", *ROLES, "--k", 2).refused(2, "overwrite the input")
    for path in (desk.folder / "out").iterdir():
        path.unlink()
    desk.run("run", "r.toml", "--overwrite").fine()
    (desk.folder / "out" / "part-00001.parquet").unlink()
    desk.run(*check).refused(1, "is not the folder")


def test_no_folder_stays_when_something_fails(desk, people):
    desk.put("in.csv", people)
    desk.run("anonymize", "in.csv", "--out", "out.parquet/", *ROLES, "--k", 2, "--certificate", "nowhere/c").refused(
        3, "nowhere"
    )
    assert sorted(path.name for path in desk.folder.iterdir()) == ["in.csv"]
    (desk.folder / "out").mkdir()
    desk.run("anonymize", "in.csv", "--out", "out/", *ROLES, "--k", 2, "--certificate", "out/c").refused(3, "'out'")
    assert sorted(path.name for path in desk.folder.rglob("*")) == ["in.csv", "out"]


def test_folders_that_cannot_be_read(desk):
    (desk.folder / "empty").mkdir()
    desk.run("risk", "empty", "--quasi", "a").refused(3, "holds no Parquet files")
    desk.run("risk", "gone/", "--quasi", "a").refused(3, "no folder 'gone'")
    pq.write_table(pa.table({"a": [1]}), "empty/a.parquet")
    desk.put("empty/b.parquet", b"PAR1 and nothing more")
    desk.run("risk", "empty", "--quasi", "a").refused(3, "b.parquet' is not a Parquet file")
    raw = (desk.folder / "empty" / "a.parquet").read_bytes()
    desk.put("empty/b.parquet", raw[:4] + bytes(20) + raw[24:])
    desk.run("risk", "empty", "--quasi", "a").refused(3, "b.parquet' is not a Parquet file")
    pq.write_table(pa.table({"a": [1], "b": [2]}), "empty/b.parquet")
    desk.run("risk", "empty", "--quasi", "a").refused(2, "has a column 'b'")


def test_a_folder_that_may_not_be_read(desk, not_root):
    folder = desk.folder / "closed"
    folder.mkdir(mode=0)
    desk.run("risk", "closed", "--quasi", "a").refused(3, "cannot be read")
    folder.chmod(0o700)


@pytest.mark.parametrize("suffix", ["csv.gz", "csv.zst", "tsv.gz", "gz"])
def test_compressed_text_in_and_out(desk, people, suffix):
    desk.put("in.csv", people)
    plain = "plain.tsv" if "tsv" in suffix else "plain.csv"
    desk.run("anonymize", "in.csv", "--out", plain, *ROLES, "--k", 2).fine()
    desk.run("anonymize", "in.csv", "--out", f"out.{suffix}", *ROLES, "--k", 2).fine()
    desk.run("check", f"out.{suffix}", "--certificate", "out.certificate.json", "--private", "out.private.json",
             "--original", "in.csv").fine()  # fmt: skip
    with pa.input_stream(f"out.{suffix}", compression="zstd" if suffix.endswith("zst") else "gzip") as file:
        assert file.read().decode() == desk.read(plain)
    first = (desk.folder / f"out.{suffix}").read_bytes()
    desk.run("anonymize", "in.csv", "--out", f"out.{suffix}", *ROLES, "--k", 2, "--overwrite").fine()
    assert (desk.folder / f"out.{suffix}").read_bytes() == first
    assert desk.run("risk", f"out.{suffix}", "--quasi", "age,zip,sex", "--json").json()["smallest_class"] >= 2


def test_compressed_text_that_is_damaged(desk, people, secret):
    raw = gzip.compress((people + f"70,93700,{secret},1\n" * 1000).encode())
    for bad in (raw[: len(raw) // 2], raw[:-4] + b"oops", b"not gzip", gzip.compress(b"")):
        desk.put("in.csv.gz", bad)
        desk.run("risk", "in.csv.gz", "--quasi", "age").refused(3, "in.csv.gz")
    desk.put("in.csv.zst", pa.compress(people.encode(), "zstd", asbytes=True)[:-3])
    desk.run("risk", "in.csv.zst", "--quasi", "age").refused(3, "damaged or was cut short")
    desk.put("in.csv", people)
    desk.run("anonymize", "in.csv", "--out", "x.parquet.gz", *ROLES, "--k", 2).refused(2, "Parquet is compressed")


def test_a_query_is_read_as_a_table_is(desk, base):
    """The types of its columns are those of the database."""
    asked = f"{base.base.replace('?table=', '?query=')}SELECT age, zip, sex, charge, secret FROM people WHERE 1 %3D 1"
    found, known = (desk.run("inspect", each, "--json").json() for each in (asked, f"{base.base}people"))
    assert found["columns"] == known["columns"]
    desk.run("inspect", asked.replace("FROM people", "FROM nobody")).refused(3, "refused")
