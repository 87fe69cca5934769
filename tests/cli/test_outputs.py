"""Where a release may be written: not over what nobody gave up, in place of a link, or under a false name."""

import errno
import os
import shutil
from pathlib import Path

import pytest

from shoal.atomic_files import OutputFile, all_or_none, put
from shoal.engines.local import Local
from shoal.errors import DataError

ASK = ("--quasi", "age,zip,sex", "--sensitive", "charge", "--k", 2, "--method", "sorted-clusters")
PLACES = ("--out", "--certificate", "--private", "--save-recipe", "--report", "--masked-counts")
NAMES = {"--report": "x.html"}


def asked(place: str, name: str) -> tuple[str, ...]:
    return (*(() if place == "--out" else ("--out", "out.csv")), place, name)


@pytest.fixture
def never_read(monkeypatch):
    """Let a command fail that reads its input."""

    def reads(*_):
        pytest.fail("the input was read")

    monkeypatch.setattr(Local, "read", reads)


# Links and devices


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("there", [True, False], ids=["to a file", "to nothing"])
def test_a_link_is_never_replaced(desk, people, place, there, never_read):
    """Whoever placed it meant another file, which would be left behind as it was."""
    desk.put("in.csv", people)
    if there:
        desk.put("far", "kept")
    link = NAMES.get(place, "x.csv")
    (desk.folder / link).symlink_to("far")
    desk.run("anonymize", "in.csv", *ASK, *asked(place, link), "--overwrite").refused(3, f"'{link}' is a link", "far")
    assert (desk.folder / link).is_symlink()


def test_the_stdout_of_the_system_is_no_file_to_replace(desk, people, never_read):
    """The superuser would lose it for everyone."""
    desk.put("in.csv", people)
    (desk.folder / "fd").symlink_to("/proc/self/fd/1")
    for out in ("/dev/stdout", "fd"):
        if os.path.lexists(out):
            desk.run("anonymize", "in.csv", *ASK, "--out", out, "--overwrite").refused(3, f"'{out}' is a link")
    if os.path.lexists("/dev/stdout"):
        assert Path("/dev/stdout").is_symlink()
        assert not Path("/dev/stdout.certificate.json").exists()


def test_a_link_in_the_way_to_a_folder_is_followed(desk, people):
    desk.put("in.csv", people)
    (desk.folder / "far").mkdir()
    (desk.folder / "near").symlink_to("far")
    assert "far/out.csv" in desk.run("anonymize", "in.csv", *ASK, "--out", "near/out.csv").fine().left


@pytest.mark.parametrize("names", [("one",), ("one", "two")], ids=["alone", "with another"])
@pytest.mark.parametrize("vacant", [True, False])
def test_a_link_that_is_placed_while_files_are_written_stays(tmp_path, names, vacant):
    """Between the look at a place and the move to it someone may put a link there."""
    (tmp_path / "far").write_text("kept")

    def work():
        with all_or_none([OutputFile(tmp_path / name, vacant=vacant) for name in names]) as drafts:
            for draft in drafts:
                put(draft, "new")
            (tmp_path / names[-1]).symlink_to("far")

    with pytest.raises(DataError, match=f"{names[-1]}' cannot be written: It "):
        work()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["far", names[-1]])
    assert (tmp_path / names[-1]).is_symlink()
    assert (tmp_path / "far").read_text() == "kept"


# What is there already


@pytest.mark.parametrize("place", PLACES)
def test_what_is_there_already_is_replaced_only_when_asked_for(desk, people, place, never_read):
    """It is refused before the table is read, which may take long."""
    desk.put("in.csv", people)
    name = NAMES.get(place, "x.csv")
    desk.put(name, "kept")
    desk.run("anonymize", "in.csv", *ASK, *asked(place, name)).refused(2, f"'{name}' is there already", "--overwrite")
    assert desk.read(name) == "kept"


def test_an_earlier_release_and_its_papers_are_replaced_together(desk, people):
    desk.put("in.csv", people)
    ask = ("anonymize", "in.csv", *ASK, "--out", "out.csv", "--save-recipe", "r.toml")
    desk.run(*ask).fine()
    desk.run(*ask).refused(2, "'out.csv' is there already")
    (desk.folder / "out.csv").unlink()
    desk.run(*ask).refused(2, "'out.certificate.json' is there already")
    (desk.folder / "out.certificate.json").unlink()
    desk.run(*ask).refused(2, "'out.private.json' is there already")
    made = desk.run(*ask, "--overwrite", "--publish", "mean").fine()
    assert set(made.left) == {"out.csv", "out.certificate.json", "out.private.json", "r.toml"}
    desk.check("--private", "out.private.json", "--original", "in.csv").fine()
    assert "overwrite" not in desk.read("r.toml")
    desk.run("run", "r.toml").refused(2, "'out.csv' is there already", "--overwrite")
    desk.run("run", "r.toml", "--overwrite").fine()
    desk.check().fine()


def test_overwriting_in_a_database_replaces_the_table_and_its_papers(desk, people):
    pytest.importorskip("duckdb", reason="DuckDB is not installed")
    desk.put("in.csv", people)
    ask = ("anonymize", "in.csv", *ASK, "--out", "duckdb:///d.db?table=t", "--certificate", "c.json")
    desk.run(*ask).fine()
    desk.run(*ask).refused(2, "'c.json' is there already")
    for name in ("c.json", "c.private.json"):
        (desk.folder / name).unlink()
    desk.run(*ask).refused(2, "There is a table 't'", "--overwrite", "if_exists=replace")
    replacing = [f"{word}&if_exists=replace" if "table=t" in str(word) else word for word in ask]
    for again in ((*ask, "--overwrite"), replacing):
        desk.run(*again).fine()
        desk.run("check", "duckdb:///d.db?table=t", "--certificate", "c.json").fine()


@pytest.mark.parametrize(
    "ask",
    [
        ("data", "discharges", "--rows", 10, "--out", "x.csv"),
        ("risk", "in.csv", "--quasi", "age", "--report", "x.html"),
        ("compare", "in.csv", "--quasi", "age", "--methods", "hilbert", "--k", "2", "--report", "x.html"),
        ("demo", "--folder", "."),
    ],
    ids=lambda ask: ask[0],
)
def test_no_command_writes_over_what_is_there(desk, people, ask):
    desk.put("in.csv", people)
    for name in ("x.csv", "x.html", "patients.csv"):
        desk.put(name, "kept")
    desk.run(*ask).refused(2, "is there already", "--overwrite")
    desk.run(*ask, "--overwrite").fine()


def test_a_name_that_is_taken_while_a_release_is_made_is_not_taken_from_who_was_faster(desk, people, monkeypatch):
    desk.put("in.csv", people)
    write = Local.write

    def meanwhile(*given):
        desk.put("out.certificate.json", "of another")
        return write(*given)

    monkeypatch.setattr(Local, "write", meanwhile)
    made = desk.run("anonymize", "in.csv", *ASK, "--out", "out.csv")
    assert (made.code, made.left) == (3, ("out.certificate.json",))
    assert "'out.certificate.json' cannot be written: It has been made meanwhile" in made.err
    assert desk.read("out.certificate.json") == "of another"


# What fails on the way


def _full(*_):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _stuck(source, target, rename=os.rename):
    if Path(target).parent.name == "papers" and Path(source).parent.name != "old":
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), str(source), None, str(target))
    rename(source, target)


@pytest.mark.parametrize(
    ("patched", "fails"),
    [
        ((os, "rename"), _stuck),
        ((os, "fsync"), _full),
        ((Local, "write"), _full),
        (("shoal.releases.writing", "put"), _full),
    ],
    ids=["the certificate cannot be moved", "the disk fills up at the end", "with the table", "with the certificate"],
)
def test_an_earlier_release_stays_whole_when_its_successor_fails(desk, people, monkeypatch, patched, fails):
    """It goes when all that replaces it is in place, and not before."""
    desk.put("in.csv", people)
    (desk.folder / "papers").mkdir()
    places = ("--out", "out.csv", "--certificate", "papers/c.json", "--private", "papers/p.json")
    desk.run("anonymize", "in.csv", *ASK, *places).fine()
    with monkeypatch.context() as patch:
        if isinstance(patched[0], str):
            patch.setattr(".".join(patched), fails)
        else:
            patch.setattr(*patched, fails)
        failed = desk.run("anonymize", "in.csv", *ASK, *places, "--publish", "mean", "--overwrite")
    failed.refused(3, "cannot be written")
    desk.run("check", "out.csv", "--certificate", "papers/c.json", "--private", "papers/p.json").fine()
    assert not [path for path in desk.folder.rglob(".shoal-*") if path.exists()]


# What a name promises


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("b.xls", ".xlsx"),
        ("b.arrows", ".arrow"),
        ("b.csv.7z", ".csv.gz"),
        ("b.json", ".csv"),
        ("b.sas7bdat", ".xpt"),
        ("b.html", "--report"),
        ("b.db", "duckdb:///"),
        ("b.sqlite", "sqlite:///"),
        ("b.mdb", ".csv"),
    ],
)
def test_a_name_that_promises_another_format_is_refused(desk, people, name, way, never_read):
    """Who opens it with the program that it names would find a damaged file."""
    desk.put("in.csv", people)
    desk.run("anonymize", "in.csv", *ASK, "--out", name).refused(2, "promises", way)
    desk.run("data", "discharges", "--rows", 10, "--out", name).refused(2, "promises")


@pytest.mark.parametrize(
    ("name", "delimiter"),
    [("b", ","), ("b.txt", ","), ("b.dat", ","), ("b.2024", ","), ("b.tsv", "\t"), ("b.psv", "|"), ("b.TSV", "\t")],
)
def test_text_is_separated_as_its_name_says(desk, people, name, delimiter):
    desk.put("in.csv", people)
    ask = ("anonymize", "in.csv", *ASK, "--out", name, "--certificate", "c.json", "--save-recipe", "r.toml")
    desk.run(*ask).fine()
    assert desk.read(name).splitlines()[0] == delimiter.join(("age", "zip", "sex", "charge"))
    desk.run("check", name, "--certificate", "c.json").fine()
    released = desk.read(name)
    assert "delimiter" not in desk.read("r.toml")
    desk.run("run", "r.toml", "--overwrite").fine()
    assert desk.read(name) == released


def test_who_names_a_delimiter_has_it_whatever_the_name(desk, people):
    desk.put("in.csv", people)
    desk.run("anonymize", "in.csv", *ASK, "--out", "b.tsv", "--delimiter", ";", "--save-recipe", "r.toml").fine()
    assert desk.read("b.tsv").startswith("age;zip;sex;charge\n")
    desk.run("run", "r.toml", "--overwrite").fine()
    assert desk.read("b.tsv").startswith("age;zip;sex;charge\n")
    shutil.copy(desk.folder / "b.tsv", desk.folder / "copy.tsv")
    desk.run("check", "copy.tsv", "--certificate", "b.certificate.json").fine()
