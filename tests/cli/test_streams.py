"""Tables from stdin and pipes, and releases on stdout: nothing else goes there, and nothing stays behind."""

import errno
import gzip
import io
import os
import signal
import subprocess
import sys
import threading

import pytest

import shoal

ASK = ("--quasi", "age,zip,sex", "--sensitive", "charge", "--k", 2, "--method", "sorted-clusters")


@pytest.fixture(autouse=True)
def temporary(tmp_path_factory, monkeypatch):
    """Give a folder of its own for what is temporary, so that it can be seen what stays there."""
    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    return folder


def parquet(text: str) -> bytes:
    import pyarrow.csv
    import pyarrow.parquet

    out = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.csv.read_csv(io.BytesIO(text.encode())), out)
    return out.getvalue()


def zstd(text: str) -> bytes:
    import pyarrow

    return pyarrow.compress(text.encode(), "zstd", asbytes=True)


# From stdin


@pytest.mark.parametrize("packed", [str.encode, lambda text: gzip.compress(text.encode()), zstd, parquet],
                         ids=["text", "gzip", "zstandard", "Parquet"])  # fmt: skip
def test_a_table_comes_from_stdin_in_every_form(desk, people, packed):
    """What it is shows by its first bytes: there is no name that tells."""
    desk.put("in.csv", people)
    desk.run("anonymize", "in.csv", *ASK, "--out", "named.csv").fine()
    desk.run("anonymize", "-", *ASK, "--out", "out.csv", stdin=packed(people)).fine()
    assert desk.read("out.csv") == desk.read("named.csv")
    desk.check().fine()


@pytest.mark.parametrize(
    "ask",
    [
        ("inspect", "-"),
        ("risk", "-", "--quasi", "age"),
        ("risk", "-"),
        ("compare", "-", "--quasi", "age", "--methods", "hilbert", "--k", "2"),
        ("risk", "/dev/stdin", "--quasi", "age"),
    ],
    ids=" ".join,
)
def test_every_command_takes_stdin_for_a_file(desk, people, ask):
    assert "stdin" not in desk.run(*ask, stdin=people.encode()).fine().err


def test_a_release_is_checked_and_compared_from_stdin(desk, people):
    desk.put("in.csv", people)
    desk.run("anonymize", "in.csv", *ASK, "--out", "out.csv").fine()
    released = desk.read("out.csv").encode()
    papers = ("--certificate", "out.certificate.json", "--private", "out.private.json")
    said = desk.run("check", "-", *papers, "--original", "in.csv", stdin=released).fine().out
    assert "✓ stdin keeps" in said
    assert "commits to this original" in said
    desk.run("check", "out.csv", *papers, "--original", "-", stdin=people.encode()).fine()
    desk.run("check", "-", *papers, stdin=released + b"\n").refused(1, "'stdin' is not the file")
    quasi = ("--quasi", "age,zip,sex")
    desk.run("compare", "in.csv", "-", *quasi, "--private", "out.private.json", stdin=released).fine()
    desk.run("compare", "-", "-", *quasi, stdin=released).refused(2, "stdin")
    desk.run("check", "-", *papers, "--original", "-", stdin=released).refused(2, "stdin")


def test_errors_speak_of_stdin_and_not_of_a_copy(desk, temporary):
    for content in (b"", b"\xff\xfea\0", b"age,zip\n1\n"):
        failed = desk.run("risk", "-", "--quasi", "age", stdin=content)
        assert failed.code == 3
        assert str(temporary) not in failed.err


def test_a_disk_without_room_for_a_copy_is_named_and_left_empty(desk, people, temporary, monkeypatch):
    def fills_up(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("shoal.engines.io.streams.shutil.copyfileobj", fills_up)
    desk.run("risk", "-", "--quasi", "age", stdin=people.encode()).refused(3, str(temporary), "full", "TMPDIR")
    assert list(temporary.iterdir()) == []


def test_a_terminal_is_not_waited_for(desk, monkeypatch):
    """Who forgets to pipe something in is told so, instead of looking at a command that does nothing."""
    terminal = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(terminal, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stdin", terminal)
    desk.run("risk", "-", "--quasi", "age").refused(2, "stdin", "Pipe")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_is_read_like_a_file(desk, people, temporary):
    """As bash's <(...) is, which is read only once."""
    os.mkfifo(desk.folder / "pipe")

    def fill():
        (desk.folder / "pipe").write_text(people)

    writer = threading.Thread(target=fill)
    writer.start()
    table = shoal.read(desk.folder / "pipe", quasi=["age", "zip"], sensitive=["charge"])
    writer.join()
    assert table.rows == 6
    release = shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)])
    release.write(desk.folder / "out.csv", recipe=desk.folder / "r.toml")
    assert 'file = "-"' in desk.read("r.toml")
    desk.check().fine()


# To stdout


def test_a_release_goes_to_stdout_and_nothing_else_does(desk, people, temporary):
    desk.put("in.csv", people)
    desk.run("anonymize", "in.csv", *ASK, "--out", "named.csv").fine()
    made = desk.run("anonymize", "in.csv", *ASK, "--out", "-", "--certificate", "c.certificate.json").fine()
    assert made.out == desk.read("named.csv")
    assert "Written: stdout and c.certificate.json" in made.err
    assert made.left == ("c.certificate.json", "c.private.json")
    assert list(temporary.iterdir()) == []
    assert desk.paper("c.certificate.json")["output"]["name"] == "stdout"
    desk.put("saved.csv", made.out)
    for file, given in (("saved.csv", None), ("-", made.out.encode())):
        desk.run("check", file, "--certificate", "c.certificate.json", stdin=given).fine()


def test_stdout_is_for_the_release_alone(desk, people):
    desk.put("in.csv", people)
    desk.run("anonymize", "in.csv", *ASK, "--out", "-").refused(2, "stdout", "--certificate")
    out = ("--out", "-", "--certificate", "c.json")
    desk.run("anonymize", "in.csv", *ASK, *out, "--json").refused(2, "--json")
    for place in ("--private", "--save-recipe", "--masked-counts"):
        desk.run("anonymize", "in.csv", *ASK, *out, place, "-").refused(2, "stdout", "Name a file")
    desk.run("anonymize", "in.csv", *ASK, "--out", "out.csv", "--certificate", "-").refused(2, "stdout")
    desk.run("data", "discharges", "--rows", 10, "--out", "-", "--json").refused(2, "--json")


def test_a_recipe_reads_stdin_and_writes_stdout(desk, people):
    ask = ("anonymize", "-", *ASK, "--out", "-", "--certificate", "c.json", "--save-recipe", "r.toml")
    made = desk.run(*ask, stdin=people.encode()).fine()
    assert desk.run("run", "r.toml", "--overwrite", stdin=people.encode()).fine().out == made.out
    desk.run("run", "r.toml", "--overwrite", "--json", stdin=people.encode()).refused(2, "--json")


def test_a_made_up_table_goes_to_stdout(desk):
    made = desk.run("data", "discharges", "--rows", 10, "--out", "-").fine()
    assert len(made.out.splitlines()) == 11
    assert "10 records to stdout" in made.err


def test_a_release_that_nobody_takes_has_no_papers(desk, temporary):
    """Whoever reads it may stop half-way: then nothing was released, and what was copied of the table is gone."""
    table = desk.put("in.csv", "age,zip,sex,charge\n" + "".join(f"{i % 90},{i},m,{i}\n" for i in range(30_000)))
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as closed, table.open("rb") as given:
        done = desk.start(
            "anonymize", "-", *ASK, "--out", "-", "--certificate", "c.json", stdin=given,
            capture_output=False, stdout=closed, stderr=subprocess.PIPE,
        )  # fmt: skip
    assert done.returncode == 3
    assert "cannot be written to stdout" in done.stderr.decode()
    assert len(done.stderr.decode().splitlines()) == 2
    assert [path.name for path in desk.folder.iterdir()] == ["in.csv"]
    assert list(temporary.iterdir()) == []


# What a run leaves that is killed

KILLED = """
import os, signal, sys
from shoal.__main__ import main
from shoal.engines.io import streams
from shoal.engines.local import Local
from shoal.atomic_files.moving import Move
place = sys.argv.pop()
def end(*_):
    os.kill(os.getpid(), signal.SIGKILL)
moment = {
    "while stdin is copied": (streams.shutil, "copyfileobj"),
    "while the release is written": (Local, "write"),
    "while files are moved": (Move, "move_in"),
}[place]
setattr(*moment, end)
main()
"""


@pytest.mark.parametrize(
    "place",
    ["while stdin is copied", "while the release is written", "while files are moved"],
)
def test_what_a_run_leaves_that_is_killed_is_removed_by_the_next(desk, people, place, temporary):
    ask = ["anonymize", "-", *map(str, ASK), "--out", "out.csv", place]
    done = subprocess.run(
        [sys.executable, "-c", KILLED, *ask],
        input=people.encode(),
        cwd=desk.folder,
        env=os.environ,
        capture_output=True,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert len(list(temporary.iterdir())) == 1
    desk.put("in.csv", people)
    again = desk.run("anonymize", "in.csv", *ASK, "--out", "out.csv", "--overwrite").fine()
    assert list(temporary.iterdir()) == []
    assert not list(desk.folder.glob(".shoal-*"))
    assert "out.csv" in again.left or place == "while files are moved"
    desk.check().fine()


# Papers that nobody named


def test_a_certificate_is_looked_for_beside_its_release(desk, people):
    desk.put("in.csv", people)
    for name in ("out.csv", "other.csv.gz", "folder/"):
        desk.run("anonymize", "in.csv", *ASK, "--out", name).fine()
        desk.run("check", name).fine()
    desk.run("check", "in.csv").refused(3, "in.certificate.json")
    desk.run("check", "-", stdin=desk.read("out.csv").encode()).refused(2, "stdin", "--certificate")
    desk.run("check", "duckdb:///d.db?table=t").refused(2, "--certificate")
