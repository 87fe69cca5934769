"""Commands that make data to work on: the discharges of the paper, and the state's own files."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import terminal
from shoal.cli.options import Json, Overwrite, print_json, refuse_json_on_stdout, results_beside
from shoal.engines.sources import Source
from shoal.errors import ParameterError
from shoal.progress.display import in_command


def discharges_command(
    out: Annotated[Source | None, typer.Option("--out", "-o", parser=Source.parse, metavar="FILE", help="Where the table goes; .parquet gives Parquet, - stdout.")] = None,
    rows: Annotated[int, typer.Option(help="How many discharges.")] = 3_985_166,
    seed: Annotated[int, typer.Option(help="Same seed, same table.")] = 2009,
    subject: Annotated[bool, typer.Option("--subject", help="Add a column that tells patients apart.")] = False,
    describe: Annotated[bool, typer.Option("--describe", help="Compare the table with the published figures.")] = False,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Make a stand-in for California's hospital discharges of 2009. Nobody in it exists."""
    from shoal_paper.datasets import discharges

    if out is None and not describe:
        raise ParameterError("There is nothing to do.", "Give --out FILE, --describe, or both.")
    if out is not None:
        refuse_json_on_stdout(out, as_json)
        with in_command(f"making {rows:,} discharges"):
            discharges.write(out, rows, seed, subject=subject, overwrite=overwrite)
    goals = []
    if describe:
        with in_command("measuring"):
            goals = discharges.describe(rows=rows, seed=seed)
    if as_json:
        made = {"rows": rows, "seed": seed} | ({"out": str(out)} if out else {})
        print_json(made | ({"goals": [goal._asdict() for goal in goals]} if describe else {}))
        return
    with results_beside(out) if out is not None else nullcontext():
        if describe:
            terminal.goals(goals)
        if out is not None:
            terminal.written(rows, out)


def oshpd_command(
    files: Annotated[list[Path], typer.Argument(help="The comma-delimited public files, for example PDD_LA_comma_2009.csv.")],
    out: Annotated[Source, typer.Option("--out", "-o", parser=Source.parse, metavar="FILE", help="Where the table goes; .parquet gives Parquet, - stdout.")],
    charges: Annotated[str, typer.Option(help="'dollars': 0 (not reported) becomes missing, 1 (no charge) 0; 'codes': as they are.")] = "dollars",
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Read the state's public discharge files: the eleven attributes of the paper, typed."""
    from shoal_paper.datasets.oshpd import write_oshpd

    if charges not in ("dollars", "codes"):
        raise ParameterError(f"Charges cannot be read as '{charges}'.", "Use --charges dollars or --charges codes.")
    refuse_json_on_stdout(out, as_json)
    with in_command(f"reading {len(files)} files"):
        table = write_oshpd(files, out, charges="codes" if charges == "codes" else "dollars", overwrite=overwrite)
    if as_json:
        print_json({"rows": table.rows, "out": str(out)})
        return
    with results_beside(out):
        terminal.written(table.rows, out)
