"""The command that runs studies of one's own: a grid of releases. The paper's study is a package of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import terminal
from shoal.cli.options import Json, app, print_json
from shoal.cli.outside import ANYTHING
from shoal.engines.sources import Source
from shoal.errors import ParameterError
from shoal.extras import missing
from shoal.progress.display import in_command

OUT = Path("study")


@app.command("study", context_settings=ANYTHING)
def study_command(
    context: typer.Context,
    study: Annotated[Path | None, typer.Argument(help="A study of your own table in TOML: a grid of releases.")] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder for results.")] = OUT,
    cache: Annotated[Path | None, typer.Option(help="Where finished parts are kept, so that a study can be resumed; inside the folder if left out.")] = None,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Run a study of your own; the package shoal-paper adds the paper's."""
    from shoal.assessment.study import toml_of

    if study is None or context.args or str(study).startswith("-") or "paper" in toml_of(study):
        raise missing("The paper's study, with options of its own, needs the package shoal-paper", "paper")
    run_grid(study, out, cache, as_json=as_json)


def refuse_stdout(out: Path) -> None:
    """Refuse to write a folder to a stream."""
    if str(out) == "-":
        raise ParameterError("A study is a folder of files, which cannot go to stdout.", "Name a folder: --out FOLDER.")


def run_grid(study: Path, out: Path, cache: Path | None, *, as_json: bool) -> None:
    """Make the releases of a grid, and show and keep what was measured."""
    from shoal.assessment.study import Study, as_csv
    from shoal.atomic_files import all_or_none, files_read_by, refuse_overwriting
    from shoal.engines import read

    refuse_stdout(out)
    grid, recipe = Study.load(study, cache or out / ".cache")
    target = out / "study.csv"
    parts = [Source.parse(recipe.source or ""), recipe.options, *recipe.methods]
    refuse_overwriting([target], [study, *files_read_by(parts)], overwrite=True)  # results of a study are made anew
    with in_command(f"reading {study.name}"):
        found = grid.run(read(recipe.source, options=recipe.options))
    out.mkdir(parents=True, exist_ok=True)
    with all_or_none([target]) as (draft,):
        draft.write_bytes(as_csv(found))
    if as_json:
        print_json({"out": str(target), "rows": found})
    else:
        terminal.study(found)
        terminal.written(len(found), target)
