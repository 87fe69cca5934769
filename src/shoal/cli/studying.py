"""The command that runs studies: the paper's, or one of the user's own."""

from __future__ import annotations

import sys
import time
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from shoal import showing
from shoal.cli.options import Json, app, print_json
from shoal.engines.sources import Source
from shoal.errors import ParameterError
from shoal.progress import stage
from shoal.progress.showing import in_command

RowsOption = Annotated[int, typer.Option(help="How many made-up discharges.")]


@app.command("study")
def study_command(
    study: Annotated[Path | None, typer.Argument(help="A study of your own table in TOML; the paper's study if left out.")] = None,
    rows: RowsOption = 3_985_166,
    data: Annotated[Source | None, typer.Option(parser=Source.parse, metavar="FILE", help="A table of discharges to study instead of made-up ones.")] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder for results.")] = Path("reproduction/proper_anonymization"),
    cache: Annotated[Path | None, typer.Option(help="Where finished parts are kept, so that a study can be resumed; inside the folder if left out.")] = None,
    files: Annotated[bool, typer.Option("--files", help="Also write the data files of Table S10.")] = False,
    pdf: Annotated[bool, typer.Option("--pdf", help="Also write the report as PDF.")] = False,
    seed: Annotated[int, typer.Option(help="The seed of the made-up discharges.")] = 2009,
    show: Annotated[bool, typer.Option("--open/--no-open", help="Open the report when a person looks.")] = True,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Run the paper's study, or one of your own, and write a report."""
    if str(out) == "-":
        raise ParameterError("A study is a folder of files, which cannot go to stdout.", "Name a folder: --out FOLDER.")
    keep = cache or out / ".cache"
    if study is not None:
        _own(study, out, keep, as_json)
        return
    if rows < 100:
        raise ParameterError("A study needs at least 100 records.", "Give --rows 100 or more.")
    from shoal.datasets.discharges import KNOWLEDGE, QUASI, SENSITIVE, discharges
    from shoal.engines import read
    from shoal.engines.streams import at_hand
    from shoal.report.pdf import insist
    from shoal.reproduction.claims import as_rows
    from shoal.reproduction.experiments import Experiments
    from shoal.reproduction.files import write_files
    from shoal.reproduction.publish import publish

    if pdf:
        insist()
    begun, spent = time.monotonic(), time.process_time()
    with in_command("making the table"):
        if data is None:
            table = discharges(rows, seed)
        else:
            data = at_hand(data)
            table = read(data, quasi=QUASI, sensitive=SENSITIVE, knowledge=KNOWLEDGE, masked=True)
        results = Experiments(table, keep).results()
        stage("writing the report")
        made = {
            "data": "stand-in" if data is None else data.name,
            "records": table.rows,
            "seed": seed if data is None else "–",
            "seconds": round(time.monotonic() - begun),
            "CPU seconds": round(time.process_time() - spent),
        }
        claims = publish(results, table, out, made, pdf=pdf)
        if files:
            list(write_files(table, out / "files"))
    if as_json:
        print_json({"out": str(out), **made, "claims": as_rows(claims)})
        return
    showing.claims(as_rows(claims))
    report = out / "report.html"
    showing.lines([f"Report: {report}"])
    if show and sys.stdout.isatty():
        webbrowser.open(report.resolve().as_uri())


def _own(study: Path, out: Path, cache: Path, as_json: bool) -> None:
    """Run a study of the user's own table."""
    from shoal.engines import read
    from shoal.files import all_or_none, files_read_by, refuse_overwriting
    from shoal.reproduction.publish import as_csv
    from shoal.study import Study

    grid, recipe = Study.load(study, cache)
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
        showing.study(found)
        showing.written(len(found), target)
