"""Commands on the files of hierarchies: build, check."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import options as opt
from shoal.cli.options import chosen_engine, print_json
from shoal.cli.parsing import read_options
from shoal.engines.io.streams import at_hand
from shoal.engines.sources import Source
from shoal.errors import ParameterError
from shoal.progress.display import in_command

hierarchy = typer.Typer(help="Build the file of a hierarchy from a table, or look at one.", no_args_is_help=True)


def add_hierarchy(to: typer.Typer) -> None:
    """Add ``shoal hierarchy`` with its commands."""
    to.add_typer(hierarchy, name="hierarchy")


@hierarchy.command("build")
def build_command(
    file: opt.File,
    way: Annotated[str, typer.Argument(metavar="WAY", help="How: 'intervals 5,10,20', 'prefix 3,1', 'columns county,state', icd10 … (as --hierarchy takes it).")],
    column: Annotated[str, typer.Option(help="The column whose values it is built over.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="Where the hierarchy goes: a line for each value, levels between semicolons.")],
    in_delimiter: opt.Delimiter = None, encoding: opt.Encoding = None, decimal: opt.Decimal = None,
    missing: opt.Missing = None, thousands: opt.Thousands = None, dates: opt.Dates = None, sheet: opt.SheetName = None, cell_range: opt.CellRange = None, at_version: opt.AtVersion = None, header: opt.Header = None, masked: opt.Masked = None,
    overwrite: opt.Overwrite = False, memory: opt.MemoryOption = None, engine: opt.EngineOption = None,
    master: opt.MasterOption = None, as_json: opt.Json = False,
) -> None:  # fmt: skip
    """Build a hierarchy over the values of a column, as a file for --hierarchy and for ARX."""
    from shoal.assessment.hierarchy_building import build_over
    from shoal.atomic_files import all_or_none, put, refuse_overwriting
    from shoal.domains.hierarchy_file import csv_of

    refuse_overwriting([out], file.files(), overwrite=overwrite)
    options = read_options(
        in_delimiter=in_delimiter, encoding=encoding, decimal=decimal, missing=missing, thousands=thousands,
        dates=dates, sheet=sheet, cell_range=cell_range, at_version=at_version, header=header, masked=masked,
    )  # fmt: skip
    how = " ".join(way.split())
    file, where = at_hand(file), chosen_engine(engine, master)
    with in_command(f"reading {file.name}"):
        tree = build_over(file, column, how, options, engine=where, memory=memory)
        content = csv_of(tree.levels, column)
        with all_or_none([out]) as (draft,):
            put(draft, content)
    levels = [len(set(level)) for level in zip(*tree.levels, strict=True)]
    if as_json:
        print_json(
            {
                "file": file.name, "column": column, "how": how, "out": str(out), "leaves": len(tree.leaves),
                "levels": levels, "note": tree.note,
            }
        )  # fmt: skip
        return
    nodes = " → ".join(f"{number:,}" for number in levels)
    values = "1 value" if len(tree.leaves) == 1 else f"{len(tree.leaves):,} values"
    typer.echo(f"{out}: {values} of '{column}', {len(levels)} levels ({nodes})")
    if tree.note:
        typer.echo(f"  {tree.note}")


@hierarchy.command("check")
def check_command(
    tree: Annotated[Path, typer.Argument(metavar="TREE", help="The file of the hierarchy: a line for each value, levels from left to right.")],
    data: Annotated[Source | None, typer.Option(parser=Source.parse, metavar="FILE", help="A table: does the hierarchy have all values of --column?")] = None,
    column: Annotated[str | None, typer.Option(help="The column of --data that it is for.")] = None,
    in_delimiter: opt.Delimiter = None, encoding: opt.Encoding = None, decimal: opt.Decimal = None,
    missing: opt.Missing = None, thousands: opt.Thousands = None, dates: opt.Dates = None, sheet: opt.SheetName = None, cell_range: opt.CellRange = None, at_version: opt.AtVersion = None, header: opt.Header = None, masked: opt.Masked = None,
    memory: opt.MemoryOption = None, engine: opt.EngineOption = None, master: opt.MasterOption = None, as_json: opt.Json = False,
) -> None:  # fmt: skip
    """Say what levels a hierarchy has, whether it is a tree, and how many values of a table it lacks."""
    from shoal.assessment.hierarchy_building import values_of
    from shoal.assessment.hierarchy_check import check_hierarchy

    if (data is None) != (column is None):
        raise ParameterError("--data and --column belong together.", "Give both, or neither.")
    values = None
    if data is not None and column is not None:
        options = read_options(
            in_delimiter=in_delimiter, encoding=encoding, decimal=decimal, missing=missing, thousands=thousands,
            dates=dates, sheet=sheet, cell_range=cell_range, at_version=at_version, header=header, masked=masked,
        )  # fmt: skip
        data = at_hand(data)
        with in_command(f"reading {data.name}"):
            values = values_of(data, column, options, engine=chosen_engine(engine, master), memory=memory)
    found = check_hierarchy(tree, column or "", values)
    if as_json:
        print_json(found)
    else:
        typer.echo(repr(found))
    if not found["usable"]:
        raise typer.Exit(1)
