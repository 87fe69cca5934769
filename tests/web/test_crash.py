"""A server that is killed at any moment: no half release, no original left after the next start."""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import urllib.request
from contextlib import suppress
from http.client import HTTPException
from http.cookiejar import CookieJar
from pathlib import Path

import pytest
from web.conftest import people, until

from shoal.certification.verification import verify

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="what a descriptor stands for is looked up in /proc"
)
SECRET = "Zwiebelfisch"
ROLES = {"patient_name": "identifier", "age": "quasi", "sex": "quasi", "zip": "quasi", "shoe": "plain",
         "diagnosis": "sensitive"}  # fmt: skip


# In the server and all that it starts: the server is killed at the n-th change of its files.
ENDING = """
import os, signal, sys
watched, at, count = os.environ["WATCHED"].split(os.pathsep), int(os.environ["KILLED_AT"]), os.environ["COUNT"]
changing = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.truncate"}
busy = []

def hook(event, given):
    if busy or not (event in changing or (event == "open" and isinstance(given[2], int) and given[2] & 3)):
        return
    path = given[0] if isinstance(given[0], str) else os.fsdecode(given[0]) if isinstance(given[0], bytes) else ""
    if any(path.startswith(place) for place in watched):
        busy.append(1)
        with open(count, "ab", buffering=0) as counter:
            counter.write(b".")
            reached = counter.tell()
        busy.clear()
        if reached == at:
            server = int(os.environ.get("SERVER") or os.getpid())
            os.kill(server, signal.SIGKILL)

sys.addaudithook(hook)
os.environ.setdefault("SERVER", str(os.getpid()))
"""


class Victim:
    """A workbench in a process of its own, and one user of it; it is killed after so many steps."""

    def __init__(self, tmp_path, moment=0):
        scratch, kept, place = (tmp_path / name for name in ("scratch", "kept", "ending"))
        place.mkdir(exist_ok=True)
        (place / "sitecustomize.py").write_text(ENDING)
        self._count = tmp_path / "count"
        self._count.write_bytes(b"")
        command = [sys.executable, "-m", "shoal", "web", "--port", "0", "--no-browser", "--no-token"]
        surroundings = {
            "TMPDIR": str(scratch), "PYTHONPATH": str(place), "COUNT": str(self._count),
            "WATCHED": os.pathsep.join(map(str, (scratch, kept))), "KILLED_AT": str(moment),
        }  # fmt: skip
        self.process = subprocess.Popen(
            [*command, "--keep", str(kept)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, **surroundings},
        )  # fmt: skip
        self.address = (self.process.stdout.readline().split() or [""])[-1]
        self._browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))

    def ask(self, way, path, content=None):
        body = content if content is None or isinstance(content, bytes) else json.dumps(content).encode()
        request = urllib.request.Request(
            f"{self.address}api/{path}", body, {"Content-Type": "application/json"}, method=way
        )
        with self._browser.open(request) as answer:
            return json.loads(answer.read() or b"null")

    @property
    def steps(self):
        """How often a file or folder was made, moved or removed."""
        return self._count.stat().st_size

    def walk(self):
        """Walk from a file to a kept release, as far as the server lives."""
        table = people(600).replace(b"P7,", SECRET.encode() + b",")
        with suppress(OSError, HTTPException):
            with self._half_sent(table, len(table) // 2):
                self.ask("PUT", "file?name=people.csv&wait=30", table)
            self.ask("PUT", "roles", {"roles": ROLES})
            self.ask("GET", "risk?wait=30")
            self.ask("GET", "candidates?wait=0.1")
            job = self.ask("POST", "anonymize?wait=30", {"k": 3})
            assert job["state"] == "done", job
            self.ask("POST", f"releases/{job['id']}/keep")
            self.ask("PUT", "file?name=people.csv&wait=30", table)  # in place of the one before

    def _half_sent(self, table, size):
        host, _, port = self.address.removeprefix("http://").rstrip("/").partition(":")
        connection = socket.create_connection((host, int(port)))
        head = f"PUT /api/file?name=people.csv HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: {len(table)}\r\n\r\n"
        connection.sendall(head.encode() + table[:size])
        return connection

    def kill(self):
        """Kill it, and wait until all that it had started is gone."""
        family = _family(self.process.pid)
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        until(lambda: not [pid for pid in family if _lives(pid)], 10)


def _family(pid):
    with suppress(OSError):
        children = [int(text) for task in Path(f"/proc/{pid}/task").iterdir()
                    for text in (task / "children").read_text().split()]  # fmt: skip
        return [each for child in children for each in (child, *_family(child))]
    return []


def _lives(pid):
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def _nothing_is_left(scratch, kept):
    """See what the next server finds after its start: nothing but what is its own, and whole releases."""
    (own,) = scratch.iterdir()
    assert not [path for path in own.rglob("*") if path.is_file() and path.name != "lock"]
    files = [path for path in kept.rglob("*") if path.is_file()]
    assert not [path for path in files if SECRET.encode() in path.read_bytes()]
    for table in (path for path in files if path.name == "people_release.csv"):
        assert verify(table, table.with_name("people_release.certificate.json")).proved
    whole = [path.parent for path in files if path.name == ".release.json"]
    assert all((folder / "people_release.certificate.json").exists() for folder in whole), files
    assert not list(kept.rglob("*.part"))


@pytest.fixture
def steps(tmp_path):
    """How many steps there are on the whole way, and a way to kill a server at one of them, and look what is left."""
    (tmp_path / "scratch").mkdir()
    (tmp_path / "kept").mkdir()
    whole = Victim(tmp_path)
    whole.walk()
    found = whole.steps
    whole.kill()

    def killed_at(moment):
        victim = Victim(tmp_path, moment)
        try:
            if victim.address:
                _nothing_is_left(tmp_path / "scratch", tmp_path / "kept")
                victim.walk()
        finally:
            victim.kill()
        return victim.steps >= moment

    yield found, killed_at
    last = Victim(tmp_path)
    try:
        _nothing_is_left(tmp_path / "scratch", tmp_path / "kept")
    finally:
        last.process.send_signal(signal.SIGTERM)
        last.process.wait(20)
        last.process.stdout.close()
    assert not list((tmp_path / "scratch").iterdir())


@pytest.mark.slow
def test_a_server_that_is_killed_leaves_nothing_behind_and_no_half_release(steps):
    """Six moments, spread over the whole way."""
    found, killed_at = steps
    assert found > 50
    assert all(killed_at(1 + (2 * number + 1) * found // 12) for number in range(6))


@pytest.mark.large
def test_a_server_that_is_killed_a_hundred_times(steps):
    found, killed_at = steps
    draw = random.Random(19)
    assert sum(killed_at(draw.randrange(1, found)) for _ in range(100)) > 90
