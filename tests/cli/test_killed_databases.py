"""Runs that are killed or stopped while a table in a database and its certificate take the place of others."""

import os
import signal
import subprocess
import sys

import pytest
from cli.bases import Duck, Postgres

pytestmark = pytest.mark.usefixtures("stoppable")
ASK = ("--quasi", "age,zip,sex", "--sensitive", "charge", "--method", "sorted-clusters")

# Ends itself before or after the table is committed, or between the files that belong to it.
ENDED = """
import os, sys
from shoal.cli import main
from shoal.engines.io import connections
from shoal.atomic_files.moving import Move
place, number = sys.argv.pop(), int(sys.argv.pop())
def end():
    os.kill(os.getpid(), number)
for kind in (connections._DuckDB, connections._Postgres):
    def commit(self, commit=kind.commit):
        if place == "before the commit":
            end()
        commit(self)
        if place == "after the commit":
            end()
    kind.commit = commit
moved, move_in = [], Move.move_in
def moving(self):
    moved.append(1)
    if place == "between the files" and len(moved) == 2:
        end()
    move_in(self)
Move.move_in = moving
main()
"""


@pytest.fixture(params=["duckdb", "postgresql"])
def base(request, desk, people):
    """Give a database with a table that was released, and its certificate and report beside it."""
    found = Duck(desk.folder) if request.param == "duckdb" else Postgres(request.getfixturevalue("server"))
    found.run("CREATE TABLE other AS SELECT 1 AS x")
    desk.put("in.csv", people)
    desk.run("anonymize", "in.csv", "--k", 2, *target(found)).fine()
    return found


def target(base):
    out = base.base + "shown&if_exists=replace"
    return (*ASK, "--out", out, "--certificate", "c.json", "--report", "r.html")


def ended_at(desk, place, number, *ask):
    return subprocess.run(
        [sys.executable, "-c", ENDED, *map(str, ask), str(int(number)), place],
        cwd=desk.folder, env=os.environ, capture_output=True, timeout=120, check=False,
    )  # fmt: skip


def whole(desk, base):
    """Check the table by its certificate, and tell which release both are of."""
    desk.run("check", base.base + "shown", "--certificate", "c.json").fine()
    assert not list(desk.folder.glob(".shoal-*"))
    classes = base.run("SELECT count(*) FROM (SELECT DISTINCT age, zip, sex FROM shown) x")[0][0]
    assert f"at least {6 // classes} times" in desk.read("r.html")
    return {3: "old", 2: "new"}[classes]


@pytest.mark.parametrize(
    ("place", "left"), [("before the commit", "old"), ("after the commit", "new"), ("between the files", "new")]
)
def test_a_run_that_is_killed_leaves_a_table_with_its_own_certificate(desk, base, place, left):
    done = ended_at(desk, place, signal.SIGKILL, "anonymize", "in.csv", "--k", 3, *target(base))
    assert done.returncode == -signal.SIGKILL, done.stderr
    password = base.base.partition("@")[0].rpartition(":")[2]
    for note in desk.folder.glob(".shoal-*/moves.json"):
        assert "shown" in note.read_text()
        assert base.base.startswith("duckdb") or password not in note.read_text()
    assert whole(desk, base) == left


@pytest.mark.parametrize(
    ("place", "stop"),
    [
        ("before the commit", signal.SIGINT),
        pytest.param("after the commit", signal.SIGTERM, marks=pytest.mark.large),
        ("between the files", signal.SIGTERM),
    ],
)
def test_a_run_that_is_stopped_while_it_commits_finishes_that_first(desk, base, place, stop):
    done = ended_at(desk, place, stop, "anonymize", "in.csv", "--k", 3, *target(base))
    assert done.returncode == 128 + stop, done.stderr
    assert "Stopped." in done.stderr.decode()
    assert whole(desk, base) == "new"


def test_the_next_run_after_one_that_was_killed_replaces_all(desk, base):
    ended_at(desk, "after the commit", signal.SIGKILL, "anonymize", "in.csv", "--k", 2, *target(base))
    desk.run("anonymize", "in.csv", "--k", 3, *target(base)).fine()
    assert whole(desk, base) == "new"


@pytest.mark.parametrize("place", ["before the commit", "after the commit", "between the files"])
def test_a_new_database_is_there_whole_or_not_at_all(desk, people, place):
    desk.put("in.csv", people)
    ask = ("anonymize", "in.csv", "--k", 2, *ASK, "--out", "duckdb:///new.db?table=shown", "--certificate", "c.json")
    assert ended_at(desk, place, signal.SIGKILL, *ask).returncode == -signal.SIGKILL
    if place == "between the files":  # all were complete
        desk.run("check", "duckdb:///new.db?table=shown", "--certificate", "c.json").fine()
    else:
        assert not (desk.folder / "new.db").exists()
        desk.run(*ask).fine()
    assert sorted(path.name for path in desk.folder.iterdir()) == ["c.json", "c.private.json", "in.csv", "new.db"]
