"""The command that runs studies: the paper's, or one of the user's own as shoal runs it."""

from __future__ import annotations

import sys
import time
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import studying, terminal
from shoal.cli.options import Json, print_json
from shoal.engines.sources import Source
from shoal.errors import ParameterError
from shoal.progress import stage
from shoal.progress.display import in_command

if TYPE_CHECKING:
    from shoal_paper.reproduction.case import Case
    from shoal_paper.reproduction.setting import Setting

OUT = Path("reproduction/proper_anonymization")
TRACES_OUT = Path("reproduction/critics")
PRIVATE_OUT = Path("reproduction/privacy")
RowsOption = Annotated[int, typer.Option(help="How many made-up discharges.")]


def study_command(
    study: Annotated[Path | None, typer.Argument(help="A study of your own table in TOML: a grid of releases, or the paper's study if it has a section [paper]. Left out: the paper's study of discharges.")] = None,
    rows: RowsOption = 3_985_166,
    data: Annotated[Source | None, typer.Option(parser=Source.parse, metavar="FILE", help="A table of discharges to study instead of made-up ones, in full or masked.")] = None,
    counts: Annotated[Path | None, typer.Option(metavar="FILE", help="How often each value was masked (column, value, count), if the table is masked already.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help=f"The folder for results; {OUT} if left out, and {studying.OUT} for a grid.")] = None,
    cache: Annotated[Path | None, typer.Option(help="Where finished parts are kept, so that a study can be resumed; inside the folder if left out.")] = None,
    files: Annotated[bool, typer.Option("--files", help="Also write the data files of Table S10.")] = False,
    pdf: Annotated[bool, typer.Option("--pdf", help="Also write the report as PDF.")] = False,
    seed: Annotated[int, typer.Option(help="The seed of the made-up discharges.")] = 2009,
    repeats: Annotated[int, typer.Option(help="Of how many more tables, made with assumptions drawn anew, the range of each number is given.")] = 0,
    traces: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Run the attack by known points, and the answer to it, on public tables in this folder (completejourney_transactions.csv.gz, BMS1.dat) instead.")] = None,
    private: Annotated[bool, typer.Option("--private", help="Compare answers and releases with differential privacy with k-anonymous releases, on made-up discharges, instead.")] = False,
    show: Annotated[bool, typer.Option("--open/--no-open", help="Open the report when a person looks.")] = True,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Run the paper's study, or one of your own, and write a report."""
    setting = None if study is None else _setting(study)
    if study is not None and setting is None:
        studying.run_grid(study, out or studying.OUT, cache, as_json=as_json)
        return
    if traces is not None:
        if study is not None or data is not None:
            raise ParameterError("--traces is a study of its own.", "Leave out the other tables.")
        _run_traces(traces, out or TRACES_OUT, show=show, as_json=as_json)
        return
    if private:
        if study is not None or data is not None:
            raise ParameterError("--private is a study of its own.", "Leave out the other tables.")
        _run_private(rows, seed, out or PRIVATE_OUT, show=show, as_json=as_json)
        return
    out = out or OUT
    studying.refuse_stdout(out)
    keep = cache or out / ".cache"
    from shoal.report.pdf import insist
    from shoal_paper.reproduction.case import Case
    from shoal_paper.reproduction.claims import as_rows
    from shoal_paper.reproduction.experiments import Experiments
    from shoal_paper.reproduction.files import write_files
    from shoal_paper.reproduction.numbers import uniqueness
    from shoal_paper.reproduction.provenance import provenance
    from shoal_paper.reproduction.publish import publish

    if rows < 100:
        raise ParameterError("A study needs at least 100 records.", "Give --rows 100 or more.")
    if counts is not None and data is None:
        raise ParameterError("Counts of masked values belong to a table.", "Give it too: --data FILE.")
    if repeats < 0 or (repeats and (data is not None or setting is not None)):
        raise ParameterError(
            "Tables are made anew a number of times, and only those that are made up.",
            "Leave out --repeats, or --data.",
        )
    if pdf:
        insist()
    begun, spent = time.monotonic(), time.process_time()
    with in_command("making the table"):
        case = Case.stand_in(rows, seed) if data is None and setting is None else _given(data, counts, setting)
        results = Experiments(case, keep).results()
        if repeats:
            from shoal_paper.reproduction.repeats import repeats as drawn_anew

            results["repeats"] = drawn_anew(repeats, rows, seed, keep)
        stage("writing the report")
        made = {
            **provenance(case, seed),
            "seconds": round(time.monotonic() - begun),
            "CPU seconds": round(time.process_time() - spent),
        }
        claims = publish(results, case, out, made, pdf=pdf)
        if files:
            list(write_files(case.table, out / "files"))
    if as_json:
        print_json({"out": str(out), **made, "uniqueness": uniqueness(results), "claims": as_rows(claims)})
        return
    terminal.claims(as_rows(claims))
    report = out / "report.html"
    terminal.lines([f"Report: {report}"])
    if show and sys.stdout.isatty():
        webbrowser.open(report.resolve().as_uri())


def _run_traces(folder: Path, out: Path, *, show: bool, as_json: bool) -> None:
    """Run the study of known points."""
    from shoal_paper.reproduction.critics.publish import publish, studied

    studying.refuse_stdout(out)
    begun, spent = time.monotonic(), time.process_time()
    with in_command("reading the tables"):
        rows, made = studied(folder)
        made |= {
            "seconds": round(time.monotonic() - begun),
            "CPU seconds": round(time.process_time() - spent),
        }
        publish(rows, made, out)
    if as_json:
        print_json({"out": str(out), **made, "price": rows["price"]})
        return
    if made["not there"]:
        terminal.lines([f"Left out, because they are not in {folder}: {made['not there']}."])
    report = out / "report.html"
    terminal.lines([f"Report: {report}"])
    if show and sys.stdout.isatty():
        webbrowser.open(report.resolve().as_uri())


def _run_private(rows: int, seed: int, out: Path, *, show: bool, as_json: bool) -> None:
    """Run the comparison of differential privacy with k-anonymity."""
    from shoal.private.mechanisms import version
    from shoal_paper.reproduction.privacy.experiment import results
    from shoal_paper.reproduction.privacy.publish import publish
    from shoal_paper.reproduction.provenance import software

    studying.refuse_stdout(out)
    if rows < 1000:
        raise ParameterError("This study needs at least 1,000 records.", "Give --rows 1000 or more.")
    begun, spent = time.monotonic(), time.process_time()
    made: dict[str, object] = {"records": rows, "seed of the records": seed, "OpenDP": version(), **software()}
    with in_command("making the table"):
        found = results(rows, seed)
        made |= {
            "seconds": round(time.monotonic() - begun),
            "CPU seconds": round(time.process_time() - spent),
        }
        publish(found, made, out)
    if as_json:
        print_json({"out": str(out), **made, **found})
        return
    report = out / "report.html"
    terminal.lines([f"Report: {report}"])
    if show and sys.stdout.isatty():
        webbrowser.open(report.resolve().as_uri())


def _setting(study: Path) -> Setting | None:
    """Read what the paper's study needs to know of a table, if the file tells that."""
    from shoal_paper.reproduction.setting import Setting

    return Setting.load(study)


def _given(data: Source | None, counts: Path | None, setting: Setting | None) -> Case:
    """Read a table of the user's own."""
    from shoal.engines.io.streams import at_hand
    from shoal_paper.reproduction.case import Case
    from shoal_paper.reproduction.setting import DISCHARGES

    setting = setting or DISCHARGES
    if data is None and setting.source is None:
        raise ParameterError("The study names no table.", "Add file = … to [table], or give --data FILE.")
    return Case.read(at_hand(data or Source.parse(setting.source or "")), setting, counts)
