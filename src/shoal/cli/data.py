"""Commands that make data to work on: demo, and the tables that other packages bring."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal import plugins
from shoal.cli.options import Overwrite, app
from shoal.cli.outside import ANYTHING, add
from shoal.extras import missing


@app.command("demo")
def demo_command(
    folder: Annotated[Path | None, typer.Option(help="Where the example's files are kept; a temporary folder if left out.")] = None,
    overwrite: Overwrite = False,
) -> None:  # fmt: skip
    """Anonymize a built-in example and show it before and after."""
    from shoal.cli.demo import tour

    tour(folder, overwrite=overwrite)


def add_tables(to: typer.Typer) -> None:
    """Add ``shoal data`` with a command for each table that a package brings; without any, it says what to install."""
    found = plugins.added("shoal.datasets")
    if not found:
        to.command("data", context_settings=ANYTHING)(_no_tables)
        return
    tables = typer.Typer(help="Make data to try things on, or read published files.", no_args_is_help=True)
    for point in found.values():
        add(tables, point)
    to.add_typer(tables, name="data")


def _no_tables() -> None:
    """Make data to try things on; the package shoal-paper brings tables."""
    raise missing("Data to try things on need the package shoal-paper", "paper")
