"""The command that opens the workbench: what it refuses, what it says, and how it ends."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path

import pytest

import shoal
from shoal.extras import how_to_install

SOURCE = str(Path(shoal.__file__).parents[1])


def run(*arguments, before=""):
    """Run the command in a process of its own, after some preparation."""
    code = f"{before}\nimport sys; sys.argv = ['shoal', *{list(arguments)!r}]\nfrom shoal.cli import main; main()"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "PYTHONPATH": SOURCE})  # fmt: skip


@pytest.mark.parametrize("missing", ["fastapi", "uvicorn", "jinja2", "python_multipart"])
def test_what_is_missing_is_named_with_how_to_get_it(missing, tmp_path):
    done = run("web", "--no-browser", "--port", "0", before=f"import sys; sys.modules[{missing!r}] = None")
    assert done.returncode == 2
    assert missing in done.stderr
    assert how_to_install("web") in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere.csv"], "There is no such file"),
        (["--folder", "nowhere"], "is not a folder"),
        (["picture.png"], "cannot be read here"),
        (["--port", "70000"], "70000"),
        (["--host", "203.0.113.77"], "cannot listen"),
        (["--host", "203.0.113.77", "--no-token"], "could read what is opened"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_is_opened(arguments, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "picture.png").write_bytes(b"x")
    done = run("web", "--no-browser", *arguments)
    assert done.returncode in (2, 3)
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_listens_when_it_says_so_and_leaves_nothing_when_it_ends(how, tmp_path):
    (tmp_path / "people.csv").write_text("age,sex\n" + "30,f\n" * 9, encoding="utf-8")
    command = [sys.executable, "-m", "shoal", "web", str(tmp_path / "people.csv"), "--port", "0", "--no-browser"]
    private = tmp_path / "private"
    private.mkdir()
    surroundings = {**os.environ, "PYTHONPATH": SOURCE, "TMPDIR": str(private)}
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=surroundings)
    try:
        address = server.stdout.readline().split()[-1]
        _visited(address)
        assert list(private.iterdir())
    finally:
        server.send_signal(how)
        _, errors = server.communicate(timeout=30)
    assert server.returncode == 0
    assert errors == ""
    assert not list(private.iterdir())


def _visited(address):
    assert address.startswith("http://127.0.0.1:")
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    browser.open(address).close()
    address = address.partition("?")[0]
    with browser.open(f"{address}api/workbench") as answer:
        job = json.load(answer)["jobs"][0]
    with browser.open(f"{address}api/jobs/{job['id']}?wait=30") as answer:
        assert json.load(answer)["state"] == "done"
    with browser.open(address) as answer:
        assert "people.csv" in answer.read().decode()


PRYING = """
import http.client, os, sys
port, pid, private = sys.argv[1:]
for way, path in [("GET", "/"), ("GET", "/api/roles"), ("POST", "/data/preview"), ("PUT", "/api/file?name=x.csv")]:
    asked = http.client.HTTPConnection("127.0.0.1", int(port))
    asked.request(way, path, headers={"Cookie": f"shoal-key-{port}=guess"})
    answer = asked.getresponse()
    print(answer.status, answer.getheader("set-cookie"), "people.csv" in answer.read().decode())
print("token" in open(f"/proc/{pid}/cmdline").read())
try:
    print(os.listdir(private))
except PermissionError:
    print("kept out")
"""


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0 or shutil.which("python3", path="/usr/bin") is None,
    reason="only the superuser can act for another account",
)
def test_another_account_gets_nothing(tmp_path, request):
    shared = Path(tempfile.mkdtemp())  # everybody may go there, unlike to the folder of a test
    request.addfinalizer(lambda: shutil.rmtree(shared))
    shared.chmod(0o755)
    (tmp_path / "people.csv").write_text("age,sex\n" + "30,f\n" * 9, encoding="utf-8")
    command = [sys.executable, "-m", "shoal", "web", str(tmp_path / "people.csv"), "--port", "0", "--no-browser"]
    surroundings = {**os.environ, "PYTHONPATH": SOURCE, "TMPDIR": str(shared)}
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=surroundings)
    try:
        address = server.stdout.readline().split()[-1]
        _visited(address)
        place, _, token = address.partition("?token=")
        private = next(shared.glob("shoal-scratch-*"))
        arguments = [place.rstrip("/").rpartition(":")[2], str(server.pid), str(private)]
        pried = subprocess.run(
            ["/usr/bin/python3", "-c", PRYING, *arguments], capture_output=True, text=True, user=65534, cwd="/",
            group=65534, extra_groups=[], env={},
        )  # fmt: skip
    finally:
        server.terminate()
        server.communicate(timeout=30)
    assert pried.stdout.splitlines() == ["401 None False"] * 4 + ["False", "kept out"], pried.stderr
    assert token not in pried.stdout


@pytest.mark.parametrize("host", ["0.0.0.0", "127.0.0.1"])
def test_a_token_is_printed_once(host):
    command = [sys.executable, "-m", "shoal", "web", "--host", host, "--port", "0", "--no-browser"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": SOURCE})
    try:
        address = server.stdout.readline().split()[-1]
        assert len(address.partition("?token=")[2]) >= 32
        bare = urllib.request.Request(address.partition("?")[0])
        with pytest.raises(urllib.error.HTTPError, match="401") as refused:
            urllib.request.urlopen(bare)
        refused.value.close()
    finally:
        server.terminate()
        rest, _ = server.communicate(timeout=30)
    assert "token" not in rest
