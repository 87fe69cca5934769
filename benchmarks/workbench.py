"""The workbench with a large file: first result, exact one, slider, memory. python benchmarks/workbench.py FILE."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from http.cookiejar import CookieJar
from typing import Any


class Client:
    """A user of the workbench."""

    def __init__(self, address: str) -> None:
        self._address = address.rstrip("/")
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))

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

    def form(self, path: str, text: str) -> str:
        """Send a form as the page does."""
        request = urllib.request.Request(self._address + path, text.encode(), {"HX-Request": "true"})
        with self._opener.open(request) as answer:
            found: str = answer.read().decode()
            return found


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


def main(path: str) -> None:
    """Open a file, and measure."""
    folder = os.path.dirname(os.path.abspath(path))
    kept = tempfile.mkdtemp()
    command = [sys.executable, "-m", "shoal", "web", "--port", "0", "--no-browser", "--folder", folder, "--keep", kept]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    client = Client(server.stdout.readline().split()[-1])
    peak, over = [0], threading.Event()

    def watch() -> None:
        while not over.wait(0.1):
            peak[0] = max(peak[0], memory(server.pid))

    threading.Thread(target=watch, daemon=True).start()
    try:
        client.ask("POST", "/api/file/open", {"path": os.path.abspath(path)})
        print(f"columns from a sample   {until(lambda: client.ask('GET', '/api/roles')):6.2f} s")
        exact = until(lambda: client.ask("GET", "/api/workbench")["sampled"] is None)
        print(f"columns exactly         {exact:6.2f} s more")
        guesses = client.ask("GET", "/api/roles")
        client.ask("PUT", "/api/roles", {"roles": {each["name"]: each["role"] for each in guesses}})
        print(f"risk from a sample      {until(lambda: 'unique' in client.ask('GET', '/api/risk')):6.2f} s")
        exact = until(lambda: client.ask("GET", "/api/risk").get("sampled", 1) is None)
        print(f"risk exactly            {exact:6.2f} s more")
        whole = until(lambda: client.ask("GET", "/api/risk").get("complete"))
        print(f"columns that drive it   {whole:6.2f} s more")
        key = client.ask("GET", "/api/workbench")["aim"]["key"]
        print(
            f"k = 5 from a sample     {until(lambda: key in client.ask('GET', '/api/candidates')['candidates']):6.2f} s"
        )

        def is_exact() -> bool:
            found = client.ask("GET", "/api/candidates")["candidates"].get(key, {"sampled": 1})
            return found["sampled"] is None

        print(f"k = 5 exactly           {until(is_exact):6.2f} s more")
        times = []
        for place in (0, 5, 9, 1, 3):
            begun = time.perf_counter()
            client.form("/protect/choose", f"method=hilbert&k_place={place}")
            times.append(time.perf_counter() - begun)
        print(f"slider                  {max(times):6.3f} s at most, while work goes on")
        job = client.ask("POST", "/api/anonymize", {"k": 5})
        written = until(lambda: client.ask("GET", f"/api/jobs/{job['id']}")["state"] == "done")
        print(f"release                 {written:6.2f} s")
    finally:
        over.set()
        server.terminate()
        server.wait()
        print(f"peak memory             {peak[0] / 1e9:6.2f} GB, server and all its processes")


if __name__ == "__main__":
    main(sys.argv[1])
