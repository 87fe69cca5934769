"""What the tests of the workbench share: a server in this process, and tables to send to it."""

import json
import os
import queue
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from typing import ClassVar

import pytest
from fastapi.testclient import TestClient

from shoal.web.app import create_app
from shoal.web.settings import Settings
from shoal.web.tasks import processes, worker

IN_A_PROCESS = processes.started
ADDRESS = "http://127.0.0.1:8642"
CHROMIUM = os.environ.get("SHOAL_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


def people(rows=60, seed=3):
    """Give a table as text: a name, things that others may know, one column to decide on, and a secret."""
    draw = random.Random(seed)
    lines = ["patient_name,age,sex,zip,shoe,diagnosis"]
    for number in range(rows):
        ill = draw.choice(["flu", "asthma", "stroke"])
        lines.append(f"P{number},{20 + draw.randrange(50)},{draw.choice('fm')},{90000 + draw.randrange(9)},"
                     f"{draw.randrange(36, 46)},{ill}")  # fmt: skip
    return ("\n".join(lines) + "\n").encode()


class Visitor:
    """Someone with a browser of their own."""

    def __init__(self, client):
        self.client = client

    def get(self, path, **more):
        return self.client.get(path, **more)

    def post(self, path, **more):
        """Send a form as a page that was just loaded does: with the version that it shows, unless one is given."""
        if not path.startswith("/api/") and "content" not in more and "version=" not in path:
            state = self.state()
            if "files" in more:
                path += f"{'&' if '?' in path else '?'}version={state['version']}"
            else:
                key = {"key": state["aim"]["key"]} if path == "/release/write" else {}
                more["data"] = {"version": state["version"], **key, **more.get("data", {})}
        return self.client.post(path, **more)

    def send(self, content, name="people.csv"):
        return self.post("/data/upload", files={"file": (name, content)})

    @property
    def store(self):
        """All sessions of the server, which lie inside what guards them."""
        inner = self.client.app
        while not hasattr(inner, "_sessions"):
            inner = inner._app
        return inner._sessions

    @property
    def session(self):
        return self.store.enter(self.client.cookies[self.store.cookie])

    def state(self):
        return self.get("/api/workbench").json()

    def opened(self, content=None, name="people.csv"):
        """Open a table and decide all roles."""
        job = self.client.put("/api/file", params={"name": name, "wait": 30}, content=content or people()).json()
        assert job["state"] == "done", job
        self.post("/roles/accept")
        return self

    def tried(self, **aim):
        """Wait until all candidates are known."""
        if aim:
            self.post("/protect/choose", data=aim)
        return self.get("/api/candidates", params={"wait": 30}).json()["candidates"]


def until(found, seconds=20.0):
    """Wait until something is true; it is asked for again and again, because nobody tells."""
    end = time.monotonic() + seconds
    while not (value := found()):
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)
    return value


@contextmanager
def serving(tmp_path, **more):
    """Run a server, and give a way to enter it as somebody new, and its application."""
    app = create_app(Settings(**{"kept": tmp_path / "kept", **more}))
    with TestClient(app, base_url=ADDRESS) as first:

        def enter(address=ADDRESS):
            return Visitor(TestClient(app, base_url=address))

        yield Visitor(first), enter


class _Ended(BaseException):
    """Nobody waits for a task any more."""


class Nearby:
    """A worker in this process, asked and answered by the same lines: most tests can do without a process for each."""

    reusable = True

    def __init__(self, lane):
        self._over = False
        self._threads = []

    def ask(self, line):
        lines = queue.SimpleQueue()
        thread = threading.Thread(target=self._work, args=[line, _Lines(self, lines)], daemon=True)
        self._threads = [thread]
        thread.start()
        while (report := lines.get()) is not None:
            found = json.loads(report)
            found.pop("peak", 0)
            yield from found.items()

    def _work(self, line, lines):
        with suppress(_Ended):
            worker.run(line, lines)
        lines.reports.put(None)

    def stop(self):
        self._over = True

    def end(self):
        self.stop()
        for thread in self._threads:
            thread.join(2)


class _Lines:
    """What such a worker writes to."""

    def __init__(self, nearby, reports):
        self._nearby, self.reports = nearby, reports

    def write(self, text):
        if self._nearby._over:
            raise _Ended
        self.reports.put(text)

    def flush(self):
        pass


class Held(Nearby):
    """A worker that does not begin with some tasks before it is stopped."""

    tasks: ClassVar[set[str]] = set()

    def ask(self, line):
        if any(line.startswith(f'{{"{task}"') for task in self.tasks):
            until(lambda: self._over, 60)
            return
        yield from super().ask(line)


@pytest.fixture(scope="module", autouse=True)
def tasks_are_near(request):
    """Let tasks run in this process, unless a module says that its tests are about processes."""
    with pytest.MonkeyPatch.context() as patch:
        if not getattr(request.module, "IN_PROCESSES", False):
            patch.setattr("shoal.web.tasks.processes.started", Nearby)
        yield


@pytest.fixture
def in_processes(monkeypatch):
    """Let tasks run as they do for users, each in a process of its own."""
    monkeypatch.setattr("shoal.web.tasks.processes.started", IN_A_PROCESS)


@pytest.fixture
def holding(monkeypatch):
    """Let some tasks go on until they are stopped; which, is said while the server runs."""
    monkeypatch.setattr("shoal.web.tasks.processes.started", Held)
    monkeypatch.setattr(Held, "tasks", set())
    return Held.tasks


@pytest.fixture
def server(tmp_path):
    """A server of one's own, for tests that count what it holds."""
    with serving(tmp_path) as both:
        yield both


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A server that the tests of a module share."""
    with serving(tmp_path_factory.mktemp("house")) as both:
        yield both


@pytest.fixture
def visitor(house):
    """Somebody new."""
    someone = house[1]()
    yield someone
    someone.post("/data/close")  # so that nobody waits for work that nobody waits for


@pytest.fixture(scope="module")
def resident(house):
    """Somebody who has a table open and all roles decided, for tests that change neither."""
    return house[1]().opened()


@contextmanager
def started(*arguments, end=signal.SIGINT, **more):
    """Start a workbench in a process of its own, as people do, and give its address."""
    command = [sys.executable, "-m", "shoal", "web", "--no-browser", *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **more)
    try:
        yield process.stdout.readline().split()[-1]
    finally:
        process.send_signal(end)
        process.wait(20)
        process.stdout.close()
    assert end == signal.SIGKILL or process.returncode == 0


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    """A workbench that all who look at it with a browser share, each as someone new."""
    with started("--port", 0, "--no-token", "--keep", tmp_path_factory.mktemp("kept")) as place:
        yield place


@pytest.fixture(scope="session")
def browser():
    """A browser that is started once."""
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("no Chromium: install it, or name it in SHOAL_CHROMIUM")
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()
