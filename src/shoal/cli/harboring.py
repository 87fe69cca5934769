"""The command that finds the identifiers of safe harbor, and writes a recipe against them: safe-harbor."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from shoal.assessment.harbor import safe_harbor
from shoal.atomic_files import OutputFile, all_or_none, put, refuse_overwriting
from shoal.cli import options as opt
from shoal.cli.options import app, chosen_engine, print_json
from shoal.cli.parsing import listed, read_options
from shoal.engines.io.streams import at_hand
from shoal.errors import ParameterError
from shoal.progress.display import in_command


@app.command("safe-harbor")
def safe_harbor_command(
    file: opt.File,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Where the recipe goes that 'shoal run' carries out.")] = None,
    release: Annotated[Path | None, typer.Option(help="Where that recipe puts the release; beside it, as NAME.release.csv, if left out.")] = None,
    year: Annotated[int | None, typer.Option(help="The year of the release, in which ages are counted; this year if left out.")] = None,
    population: Annotated[Path | None, typer.Option(metavar="FILE", help="People of ZIP codes (zip,population), such as of a newer census; the list of the census of 2000 if left out.")] = None,
    country: Annotated[str | None, typer.Option(metavar="ca,de,…", help="Look for numbers and post codes of these countries, too: ca, de, es, fr, gb, it, nl.")] = None,
    kind: opt.Kind = None, in_delimiter: opt.Delimiter = None, encoding: opt.Encoding = None, decimal: opt.Decimal = None,
    missing: opt.Missing = None, thousands: opt.Thousands = None, dates: opt.Dates = None, sheet: opt.SheetName = None, cell_range: opt.CellRange = None, at_version: opt.AtVersion = None, header: opt.Header = None,
    memory: opt.MemoryOption = None, engine: opt.EngineOption = None, master: opt.MasterOption = None,
    overwrite: opt.Overwrite = False, as_json: opt.Json = False,
) -> None:  # fmt: skip
    """Find the eighteen kinds of identifiers of safe harbor, and write a recipe that removes or coarsens them."""
    options = read_options(
        kind=kind, in_delimiter=in_delimiter, encoding=encoding, decimal=decimal, missing=missing,
        thousands=thousands, dates=dates, sheet=sheet, cell_range=cell_range, at_version=at_version, header=header,
    )  # fmt: skip
    if release is not None and out is None:
        raise ParameterError("--release is for the recipe, and none is written.", "Add --out recipe.toml.")
    if out is not None:
        if out.suffix.lower() != ".toml":
            raise ParameterError("A recipe is written in TOML.", "Give it a name that ends in .toml.")
        refuse_overwriting([out], file.files(), overwrite=overwrite)
    given, file = file, at_hand(file)
    with in_command(f"reading {file.name}"):
        found = safe_harbor(
            file,
            year=year,
            population=population,
            countries=listed(country or ""),
            engine=chosen_engine(engine, master),
            memory=memory,
            options=options,
        )
        found["file"] = file.name
    if out is not None:
        target = f"{out.stem}.release.csv" if release is None else os.path.relpath(release, out.absolute().parent)
        recipe = replace(found.recipe, source=given.seen_from(out.absolute().parent), target=target)
        with all_or_none([OutputFile(out, vacant=not overwrite)]) as (draft,):
            put(draft, recipe.to_toml())
        found["recipe"] = str(out)
    if as_json:
        print_json(found)
        return
    typer.echo(repr(found))
    if out is not None:
        typer.echo(f"\nRecipe: {out}. Read it, and then: shoal run {out}")
