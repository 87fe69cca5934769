"""The commands. Results go to stdout, progress and errors to stderr; a cell is never shown."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Annotated

import typer

from shoal import plugins
from shoal.cli import terminal
from shoal.cli.once import OnceCommand
from shoal.cli.options import app, new_app
from shoal.cli.outside import add
from shoal.cli.stopping import SAID, Requests, Stopped
from shoal.errors import ShoalError
from shoal.version import VERSION

__all__ = ["application", "main"]

# The module of each command: to load and to prepare all of them takes longer than most commands do.
COMMANDS = {
    "inspect": "measuring",
    "risk": "risking",
    "attack": "attacking",
    "hierarchy": "hierarchies",
    "explore": "exploring",
    "safe-harbor": "harboring",
    "anonymize": "releasing",
    "check": "releasing",
    "compare": "measuring",
    "run": "releasing",
    "key": "keys",
    "budget": "budgeting",
    "query": "budgeting",
    "study": "studying",
    "web": "server",
    "list": "measuring",
    "demo": "data",
    "data": "data",
}
# Packages add commands, functions as typer takes them, as `shoal.commands`; and may take the place of these alone.
OPEN = {"study"}


def application(asked: str = "") -> typer.Typer:
    """Give the application with the command that is asked for, or with all of them for want of one."""
    own = COMMANDS.keys() - OPEN
    found = {} if asked in own else plugins.added("shoal.commands")
    added = {name: point for name, point in found.items() if name not in own}
    every = [*dict.fromkeys((*COMMANDS, *added))]
    given = new_app()
    given.callback(invoke_without_command=True)(_options_of_all)
    for name in [asked] if asked in every else every:
        if name in added:
            add(given, added[name])
            continue
        module = import_module(f"shoal.cli.{COMMANDS[name]}")
        if name == "data":
            module.add_tables(given)
        elif name == "budget":
            module.add_budget(given)
        elif name == "hierarchy":
            module.add_hierarchy(given)
        elif name == "key":
            module.add_key(given)
        else:
            given.registered_commands += [command for command in app.registered_commands if command.name == name]
    inner = [group.typer_instance for group in given.registered_groups if group.typer_instance is not None]
    for command in (command for each in (given, *inner) for command in each.registered_commands):
        command.cls = OnceCommand
    return given


def _options_of_all(version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False) -> None:
    if version:
        sys.stdout.write(f"shoal {VERSION}\n")
        raise typer.Exit


def _forget_stdout() -> None:
    """Send what is still to be shown nowhere, so that the interpreter does not stumble over it at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _stdout_fails() -> bool:
    """Tell whether it is the results that cannot be shown."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        return True
    return False


def main() -> None:
    """Run a command and turn errors into messages and exit codes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a sign that the terminal does not know is no reason to fail
            stream.reconfigure(errors="backslashreplace")
    requests = Requests()
    with requests.heard():
        try:
            code = _run(requests)
        except Stopped:  # when all was done already
            code = 128 + requests.came[0]
    sys.exit(code)


def _run(requests: Requests) -> int:
    try:
        code = int(application(*sys.argv[1:2])(standalone_mode=False) or 0)
        sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001 - however a command ends, it says so
        requests.over = True
        code = _say_how_it_ended(error, requests.came)
    return code


def _say_how_it_ended(error: BaseException, came: Sequence[int]) -> int:
    """Say how a command ended, and give its exit code."""
    debug = bool(os.environ.get("SHOAL_DEBUG"))
    if isinstance(error, typer.Exit):
        return error.exit_code
    if isinstance(error, SystemExit):  # so typer ends when the reader of the results has seen enough
        _forget_stdout()
        return 0
    if came or isinstance(error, typer.Abort):  # libraries may have made an error of their own of a request to stop
        with suppress(OSError):  # the terminal may be gone
            terminal.error(SAID, "")
        return 128 + (came[0] if came else signal.SIGINT)
    if isinstance(error, typer.TyperException):
        if hasattr(error, "show"):
            error.show()
        else:
            terminal.error(str(error), "")
        return 2
    if debug:
        raise error
    if isinstance(error, ShoalError):
        from shoal.engines.io.streams import said_as_given

        terminal.error(said_as_given(error.what), error.remedy)
        return error.exit_code
    if isinstance(error, OSError):
        _tell_of_file(error)
        return 3
    if isinstance(error, MemoryError):
        terminal.error(
            "There is not enough memory for this table.",
            "Leave out columns that are not needed, or use a larger machine.",
        )
        return 3
    terminal.error(
        f"Something went wrong inside shoal ({type(error).__name__}). This is a defect, not your mistake.",
        "Please report it with the command you ran; SHOAL_DEBUG=1 shows where it happened.",
    )
    return 70


def _tell_of_file(error: OSError) -> None:
    """Say which file an error is about, or that it is what results are shown on."""
    reason = error.strerror or type(error).__name__
    if error.filename is not None:
        remedy = "Check the file, its folder, its permissions and the space left."
        terminal.error(f"'{os.fsdecode(error.filename)}' cannot be read or written: {reason}.", remedy)
    elif _stdout_fails():
        terminal.error(f"The results cannot be shown: {reason}.", "Check where the output goes.")
        _forget_stdout()
    else:
        terminal.error(
            f"A file cannot be read or written: {reason}.", "Check the space left; SHOAL_DEBUG=1 shows more."
        )
