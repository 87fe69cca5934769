"""The commands. Results go to stdout, progress and errors to stderr; a cell is never shown."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any

import typer

from shoal import showing
from shoal.cli.options import app, new_app
from shoal.errors import ShoalError
from shoal.version import VERSION

__all__ = ["application", "main"]

# The module of each command: to load and to prepare all of them takes longer than most commands do.
COMMANDS = {
    "inspect": "measuring",
    "risk": "measuring",
    "anonymize": "releasing",
    "check": "releasing",
    "compare": "measuring",
    "run": "releasing",
    "study": "studying",
    "web": "serving",
    "list": "measuring",
    "demo": "data",
    "data": "data",
}


def application(asked: str = "") -> typer.Typer:
    """Give the application with the command that is asked for, or with all of them for want of one."""
    names = [asked] if asked in COMMANDS else list(COMMANDS)
    for name in names:
        import_module(f"shoal.cli.{COMMANDS[name]}")
    given = new_app()
    given.callback(invoke_without_command=True)(_options_of_all)
    known = {command.name: command for command in app.registered_commands}
    given.registered_commands = [known[name] for name in names if name in known]
    given.registered_groups = [group for group in app.registered_groups if group.name in names]
    return given


def _options_of_all(version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False) -> None:
    if version:
        sys.stdout.write(f"shoal {VERSION}\n")
        raise typer.Exit


class _Stopped(BaseException):
    """Someone asked the command to stop."""


@contextmanager
def _ends_tidily() -> Iterator[None]:
    """Turn a request to stop into an exception that nobody mistakes for an error, so that drafts are removed."""

    def stop(*_: Any) -> None:
        raise _Stopped

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _forget_stdout() -> None:
    """Send what is still to be shown nowhere, so that the interpreter does not stumble over it at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main() -> None:
    """Run a command and turn errors into messages and exit codes."""
    debug = bool(os.environ.get("SHOAL_DEBUG"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a sign that the terminal does not know is no reason to fail
            stream.reconfigure(errors="backslashreplace")
    try:
        with _ends_tidily():
            code = application(*sys.argv[1:2])(standalone_mode=False) or 0
            sys.stdout.flush()
    except typer.Exit as end:
        code = end.exit_code
    except SystemExit:  # so typer ends when whoever reads the results has seen enough
        _forget_stdout()
        code = 0
    except typer.TyperException as error:
        if hasattr(error, "show"):
            error.show()
        else:
            showing.error(str(error), "")
        code = 2
    except ShoalError as error:
        if debug:
            raise
        showing.error(error.what, error.remedy)
        code = error.exit_code
    except (_Stopped, typer.Abort):
        showing.error("Stopped. Nothing was written.", "")
        code = 130
    except OSError as error:
        showing.error(f"The results cannot be shown: {error.strerror}.", "Check where the output goes.")
        _forget_stdout()
        code = 3
    except MemoryError:
        showing.error(
            "There is not enough memory for this table.",
            "Leave out columns that are not needed, or use a larger machine.",
        )
        code = 3
    except Exception as error:
        if debug:
            raise
        showing.error(
            f"Something went wrong inside shoal ({type(error).__name__}). This is a defect, not your mistake.",
            "Please report it with the command you ran; SHOAL_DEBUG=1 shows where it happened.",
        )
        code = 70
    sys.exit(code)
