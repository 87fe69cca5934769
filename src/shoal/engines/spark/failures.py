"""Errors on workers, raised again on the driver as the same error, without a cell of the data.

Spark passes on the text of an exception. Errors of shoal show no cell, so they are sent as text; of any other exception
only the type and the line are sent, because its message may hold someone's value.
"""

from __future__ import annotations

import base64
import gc
import json
import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shoal import errors
from shoal.errors import InternalError, ShoalError

_modules = 0  # that a worker had imported when it last froze its objects
_MARK = re.compile(r"shoal-error:([A-Za-z0-9+/=]+);")


class TaskError(Exception):
    """What a worker raises: its text holds the error."""


@contextmanager
def on_worker() -> Iterator[None]:
    """Turn any exception of work into one that can be sent."""
    try:
        yield
        _freeze()
    except ShoalError as error:
        raise TaskError(_text(type(error).__name__, error.what, error.remedy)) from None
    except MemoryError:
        raise TaskError(
            _text("DataError", "A worker of the cluster has not enough memory.", "Use more or larger workers.")
        ) from None
    except Exception as error:  # noqa: BLE001 - its message may hold a cell
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}, line {place.lineno}"
        raise TaskError(_text("InternalError", f"A task failed with {type(error).__name__} ({where}).", "")) from None


def _freeze() -> None:
    """Exempt the objects of modules from the garbage collection after each task, which takes longer than most tasks."""
    global _modules  # noqa: PLW0603 - a worker has one memory
    if len(sys.modules) > _modules:
        _modules = len(sys.modules)
        gc.collect()
        gc.freeze()


def _text(kind: str, what: str, remedy: str) -> str:
    coded = base64.b64encode(json.dumps([kind, what, remedy]).encode()).decode()
    return f"shoal-error:{coded};"


@contextmanager
def on_driver() -> Iterator[None]:
    """Raise here what was raised on a worker."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (Py4JError, PySparkException) as error:
        raise _found(str(error)) from None


def _found(text: str) -> ShoalError:
    found = _MARK.search(text)
    if found:
        kind, what, remedy = json.loads(base64.b64decode(found[1]))
        raised: ShoalError = getattr(errors, kind, InternalError)(what, remedy)
        return raised
    if "No module named 'shoal'" in text:
        return errors.ParameterError(
            "The workers of the cluster do not have shoal.",
            "Install it there, or send an environment that holds it (spark.archives); see docs/cluster.md.",
        )
    if "No module named 'pyarrow'" in text or "PACKAGE_NOT_INSTALLED" in text:
        return errors.ParameterError(
            "The workers of the cluster do not have PyArrow.",
            "Install it there, or send an environment that holds it (spark.archives); see docs/cluster.md.",
        )
    causes = re.findall(r"(?:org\.apache\.spark|java)\.[\w.]*?(\w+(?:Exception|Error))\b", text)
    return errors.DataError(
        f"Spark could not finish a job ({causes[0] if causes else 'unknown reason'}).",
        "Look at the logs of the cluster; executors that were lost may need more memory.",
    )
