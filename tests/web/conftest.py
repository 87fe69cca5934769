"""What the tests of the workbench share: a server in this process, and tables to send to it."""

import random
import time
from contextlib import contextmanager

import pytest
from fastapi.testclient import TestClient

from shoal.web.app import create_app
from shoal.web.settings import Settings

ADDRESS = "http://127.0.0.1:8642"


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
        return self.client.post(path, **more)

    def send(self, content, name="people.csv"):
        return self.post("/data/upload", files={"file": (name, content)})

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
