"""The workbench with a large file: first result, exact one, slider, memory. python benchmarks/workbench.py FILE."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.cookiejar import CookieJar
from typing import Any
from urllib.parse import quote

VERSION = re.compile(r'name="version" value="([^"]*)"')


class Client:
    """A user of the workbench, whose forms say which version they show, as those of a browser do."""

    def __init__(self, address: str) -> None:
        self._address = address.partition("?")[0].rstrip("/")
        self._version = ""
        self._cookies = CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self._cookies))
        self._opener.open(address).close()  # which holds the token

    @property
    def cookies(self) -> str:
        """The cookies that the server has given, as a header tells them."""
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in self._cookies)

    def ask(self, way: str, path: str, content: Any = None) -> Any:
        """Ask the API for something."""
        body = None if content is None else json.dumps(content).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self._address + path, body, headers, method=way)
        with self._opener.open(request) as answer:
            return json.loads(answer.read() or b"null")

    def send(self, way: str, path: str, body: bytes | None = None) -> bytes:
        """Send bytes as they are, and give the answer likewise."""
        headers = {"Content-Type": "application/octet-stream"}
        request = urllib.request.Request(self._address + path, body, headers, method=way)
        with self._opener.open(request) as answer:
            found: bytes = answer.read()
            return found

    def show(self, path: str) -> str:
        """Look at a page, with the forms on it."""
        return self._shown(urllib.request.Request(self._address + path))

    def form(self, path: str, text: str = "") -> str:
        """Send a form of the page that was shown last, and look at what comes back."""
        body = f"version={quote(self._version)}&{text}".encode()
        return self._shown(urllib.request.Request(self._address + path, body, {"HX-Request": "true"}))

    def _shown(self, request: urllib.request.Request) -> str:
        with self._opener.open(request) as answer:
            text: str = answer.read().decode()
        found = VERSION.search(text)
        self._version = found[1] if found else self._version
        return text


def memory(root: int) -> int:
    """Give the resident bytes of a process and all that it has started."""
    text = subprocess.run(["ps", "-e", "-o", "pid=,ppid=,rss="], capture_output=True, text=True).stdout
    rows = [tuple(map(int, line.split())) for line in text.splitlines()]
    family, grown = {root}, True
    while grown:
        more = {pid for pid, parent, _ in rows if parent in family} - family
        family |= more
        grown = bool(more)
    return sum(1024 * size for pid, _, size in rows if pid in family)


def until(found: Any) -> float:
    """Wait until something is there, and tell how long that took."""
    begun = time.perf_counter()
    while not found():
        time.sleep(0.05)
    return time.perf_counter() - begun


@contextmanager
def serving(*arguments: str) -> Iterator[tuple[str, int]]:
    """Start a workbench on a free port, and give its address and the number of its process."""
    command = [sys.executable, "-m", "shoal", "web", "--port", "0", "--no-browser", "--keep", tempfile.mkdtemp()]
    server = subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        yield server.stdout.readline().split()[-1], server.pid
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()


@dataclass
class Measured:
    """Seconds until something was there, each since the one before, and bytes."""

    seconds: dict[str, float] = field(default_factory=dict)
    slider: float = 0.0
    peak: int = 0


def measured(path: str) -> Measured:
    """Open a file in a workbench, walk to a release, and measure."""
    found, over = Measured(), threading.Event()
    with serving("--folder", os.path.dirname(os.path.abspath(path))) as (address, pid):

        def watch() -> None:
            while not over.wait(0.1):
                found.peak = max(found.peak, memory(pid))

        watching = threading.Thread(target=watch, daemon=True)
        watching.start()
        try:
            _walk(Client(address), os.path.abspath(path), found)
        finally:
            over.set()
            watching.join()
    return found


def _walk(client: Client, path: str, found: Measured) -> None:
    def took(what: str, there: Any) -> None:
        found.seconds[what] = until(there)

    client.ask("POST", "/api/file/open", {"path": path})
    took("columns from a sample", lambda: client.ask("GET", "/api/roles"))
    took("columns exactly", lambda: client.ask("GET", "/api/workbench")["sampled"] is None)
    guesses = client.ask("GET", "/api/roles")
    client.ask("PUT", "/api/roles", {"roles": {each["name"]: each["role"] for each in guesses}})
    took("risk exactly", lambda: client.ask("GET", "/api/risk").get("sampled", 1) is None)
    took("columns that drive it", lambda: client.ask("GET", "/api/risk").get("complete"))
    key = client.ask("GET", "/api/workbench")["aim"]["key"]

    def candidate() -> dict[str, Any]:
        there: dict[str, Any] = client.ask("GET", "/api/candidates")["candidates"].get(key, {})
        return there

    took("k = 5 from a sample", candidate)
    took("k = 5 exactly", lambda: candidate().get("sampled", 1) is None)
    client.show("/protect")
    for place in (0, 5, 9, 1, 3):  # while work goes on
        begun = time.perf_counter()
        client.form("/protect/choose", f"method=hilbert&k_place={place}")
        found.slider = max(found.slider, time.perf_counter() - begun)
    job = client.ask("POST", "/api/anonymize", {"k": 5})
    took("release", lambda: client.ask("GET", f"/api/jobs/{job['id']}")["state"] in ("done", "failed"))
    assert client.ask("GET", f"/api/jobs/{job['id']}")["state"] == "done"


def main(path: str) -> None:
    """Measure, and tell."""
    found = measured(path)
    for what, seconds in found.seconds.items():
        print(f"{what:24}{seconds:6.2f} s")
    print(f"{'slider':24}{found.slider:6.3f} s at most, while work goes on")
    print(f"{'peak memory':24}{found.peak / 1e9:6.2f} GB, server and all its processes")


if __name__ == "__main__":
    main(sys.argv[1])
