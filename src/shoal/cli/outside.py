"""Commands that other packages add. One that cannot be loaded is in nobody's way: it is listed, and says so if called."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import typer

from shoal import plugins
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

# For commands that say the same whatever they are given.
ANYTHING = {"allow_extra_args": True, "ignore_unknown_options": True}


def add(to: typer.Typer, point: EntryPoint) -> None:
    """Add a function of another package as a command, under the name that its entry point has."""
    try:
        to.command(point.name)(plugins.load(point))
    except ParameterError as error:
        refused = error

        def refuse() -> NoReturn:
            raise refused

        to.command(point.name, help=refused.what, context_settings=ANYTHING)(refuse)
