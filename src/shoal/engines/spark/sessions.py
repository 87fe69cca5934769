"""Starting Spark: silently, with an installed Java runtime, and on this machine reachable from localhost only."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from shoal.engines.spark.java import java_home
from shoal.engines.workspace import folder_until_exit
from shoal.errors import DataError, ParameterError
from shoal.extras import missing

# A cell may stand in what Spark logs when a task fails, so a session of our own logs nothing.
_QUIET = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "OFF"}
# A worker takes a task whose part is elsewhere rather than stay idle.
_OWN = {"spark.app.name": "shoal", "spark.locality.wait": "200ms", **_QUIET}


def needs_pyspark() -> None:
    """Refuse to go on without PySpark."""
    if find_spec("pyspark") is None:
        raise missing("The Spark engine needs PySpark", "spark")


def start(master: str | None, settings: Mapping[str, str]) -> Any:
    """Give the session that runs already, or start one."""
    needs_pyspark()
    from pyspark.sql import SparkSession

    running = _running()
    if running is not None:
        return usable(running)
    where = master or settings.get("spark.master") or "local[*]"
    if "://" not in where and not where.startswith(("local", "yarn")):
        raise ParameterError(
            f"'{where}' is not a Spark master.", "Masters are local[4], spark://HOST:7077, k8s://HOST:443 and yarn."
        )
    here = where.startswith("local")
    builder = SparkSession.builder.master(where)
    for name, value in {**_OWN, **(_on_this_machine() if here else {}), **settings}.items():
        builder = builder.config(name, value)
    try:
        with _surroundings(here), _silenced(), _signals_kept():
            return usable(builder.getOrCreate())
    except ParameterError:
        raise
    except Exception as error:
        raise DataError(
            f"Spark could not be started on '{where}' ({type(error).__name__}).",
            "Check the address of the master and the Java runtime (17 or 21); SHOAL_DEBUG=1 shows what Java says.",
        ) from error


def _running() -> Any:
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession()


def usable(session: Any) -> Any:
    """Give a session back if it can hold parts."""
    needs_pyspark()
    if not hasattr(session, "_jsc") and "connect" in type(session).__module__:
        raise ParameterError(
            "A session of Spark Connect cannot hold the parts of a table.",
            "Give a session that runs beside its driver: SparkSession.builder.master(...).",
        )
    return session


def _on_this_machine() -> dict[str, str]:
    return {
        "spark.driver.host": "localhost",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "2g",
    }


@contextmanager
def _surroundings(here: bool) -> Iterator[None]:
    """Set environment variables for Java, only while it starts."""
    named: dict[str, str] = {}
    home = java_home()
    if home is not None:
        named["JAVA_HOME"] = home
    if here:
        # Workers on this machine listen on localhost only, and log to a folder that is removed.
        named |= {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_HOSTNAME": "localhost"}
        named["SPARK_WORKER_DIR"] = str(folder_until_exit())
        named["PYSPARK_PYTHON"] = sys.executable
    before = {name: os.environ.get(name) for name in named}
    os.environ.update({name: value for name, value in named.items() if not before[name]})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)


@contextmanager
def _signals_kept() -> Iterator[None]:
    """Restore the handler of Ctrl-C, which a session replaces: the pool cancels jobs itself."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if before is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)


@contextmanager
def _silenced() -> Iterator[None]:
    """Discard what Java writes while it lives: only results belong on stdout."""
    if os.environ.get("SHOAL_DEBUG"):
        yield
        return
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(number) for number in (1, 2)]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        for number in (1, 2):
            os.dup2(nowhere, number)
        yield
    finally:
        for number, copy in zip((1, 2), kept, strict=True):
            os.dup2(copy, number)
            os.close(copy)
        os.close(nowhere)
