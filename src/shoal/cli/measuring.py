"""Commands that look: inspect, compare, list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from shoal.assessment.comparison import DISTANCES, Comparison, compare, weighed
from shoal.assessment.disclosure_risk import with_columns
from shoal.assessment.inspection import advice, inspect, next_command
from shoal.assessment.known_points import LinkedComparison
from shoal.assessment.study import Study
from shoal.catalogue import SHELVES, build, entries
from shoal.cli import options as opt
from shoal.cli import terminal
from shoal.cli.options import app, chosen_engine, given_options, print_json
from shoal.cli.parsing import asked_measures, asked_points, listed, read_options
from shoal.engines import read
from shoal.engines.io.streams import at_hand
from shoal.engines.sources import Source
from shoal.errors import ParameterError
from shoal.measures import Measure
from shoal.measures.attribute_disclosure import AttributeDisclosure
from shoal.measures.homogeneity import Homogeneity
from shoal.progress.display import in_command
from shoal.pseudonyms.treatments import OFFERED
from shoal.releases.release import STANDARD_MEASURES
from shoal.schema import Role, Roles
from shoal.table import Table


@app.command("inspect")
def inspect_command(
    context: typer.Context, file: opt.File, kind: opt.Kind = None, in_delimiter: opt.Delimiter = None, encoding: opt.Encoding = None,
    decimal: opt.Decimal = None, missing: opt.Missing = None, thousands: opt.Thousands = None, dates: opt.Dates = None, sheet: opt.SheetName = None, cell_range: opt.CellRange = None, at_version: opt.AtVersion = None, header: opt.Header = None,
    masked: opt.Masked = None, memory: opt.MemoryOption = None, engine: opt.EngineOption = None, master: opt.MasterOption = None,
    as_json: opt.Json = False,
) -> None:  # fmt: skip
    """Show columns, kinds, and suggested roles with reasons."""
    options = read_options(
        kind=kind, in_delimiter=in_delimiter, encoding=encoding, decimal=decimal, missing=missing,
        thousands=thousands, dates=dates, sheet=sheet, cell_range=cell_range, at_version=at_version, header=header, masked=masked,
    )  # fmt: skip
    with in_command(f"reading {file.name}"):
        found = inspect(
            file,
            engine=chosen_engine(engine, master),
            memory=memory,
            options=replace(options, roles=Roles(rest=Role.PLAIN)),
        )
    found |= {"file": file.name, "advice": advice(found.reports)}
    found["next"] = next_command(file.seen_from(None), found.reports, given_options(context))
    if as_json:
        print_json(found)
    else:
        terminal.inspection(found)


@app.command("compare")
def compare_command(
    original: Annotated[Source, typer.Argument(parser=Source.parse, metavar="ORIGINAL", help="The original table.")],
    released: Annotated[list[Source] | None, typer.Argument(parser=Source.parse, metavar="RELEASED", help="One or more releases of it.")] = None,
    methods: Annotated[list[str] | None, typer.Option(help="Compare methods on the table instead, separated by commas (repeat).")] = None,
    k: Annotated[list[str] | None, typer.Option(help="The levels of k at which methods are compared (repeat); 2,3,5,10 if left out.")] = None,
    target: Annotated[str | None, typer.Option(help="Also compare how well a model that learns from each predicts this column, with scikit-learn.")] = None,
    measure: opt.MeasureOption = None,
    report: opt.ReportOption = None,
    overwrite: opt.Overwrite = False,
    private: Annotated[list[Path] | None, typer.Option(help="The private record of a release, which tells its rows apart; found beside it if left out (repeat).")] = None,
    same_order: Annotated[bool, typer.Option("--same-order", help="Rows of the releases stand in the order of the original, as other tools leave them.")] = False,
    weight: opt.Weight = None, household: opt.Household = None, stratum: opt.Stratum = None,
    quasi: opt.Quasi = None, sensitive: opt.Sensitive = None, roles: opt.RolesOption = None, where: opt.Where = None, kind: opt.Kind = None,
    subject: opt.Subject = None, linked: opt.Linked = False, baskets: opt.Baskets = False, points: opt.PointsOption = None, at: opt.AtOption = None,
    order: opt.Order = None, hierarchy: opt.HierarchyOption = None, in_delimiter: opt.Delimiter = None, encoding: opt.Encoding = None,
    decimal: opt.Decimal = None, missing: opt.Missing = None, thousands: opt.Thousands = None, dates: opt.Dates = None, sheet: opt.SheetName = None, cell_range: opt.CellRange = None, at_version: opt.AtVersion = None, header: opt.Header = None,
    masked: opt.Masked = None, memory: opt.MemoryOption = None, engine: opt.EngineOption = None, master: opt.MasterOption = None,
    as_json: opt.Json = False,
) -> None:  # fmt: skip
    """Set releases, or methods, beside each other: what risk they leave and what they cost."""
    options = read_options(
        quasi, sensitive, None, subject, roles, kind, order, in_delimiter, encoding, decimal, missing, hierarchy,
        thousands=thousands, dates=dates, sheet=sheet, cell_range=cell_range, at_version=at_version, header=header, masked=masked, linked=linked, baskets=baskets, weight=weight, household=household, stratum=stratum,
    )  # fmt: skip
    if not (options.roles.quasi or options.roles.last_sensitive):
        raise ParameterError("No quasi-identifier is named.", "Name them: --quasi age,zip.")
    asked = asked_measures(measure, target)
    if bool(methods) == bool(released):
        raise ParameterError("There is nothing to compare.", "Name releases of the table, or --methods a,b, not both.")
    if report is not None:
        from shoal.atomic_files import files_read_by
        from shoal.report.page import usable

        usable(report, files_read_by([original, *(released or ()), options]), overwrite=overwrite)
    if [original.kind, *(path.kind for path in released or ())].count("stream") > 1:
        raise ParameterError("Only one table can come from stdin.", "Name the others.")
    original, held_by = at_hand(original), chosen_engine(engine, master)
    if methods:
        kept, levels = (report, overwrite), listed(k or _LEVELS)
        always = (*STANDARD_MEASURES, *DISTANCES)
        asked = [*DISTANCES, *(extra for extra in asked if extra not in always)]
        table = partial(read, engine=held_by, memory=memory, options=with_columns(options, where, (), asked))
        secret = bool(options.roles.sensitive)
        _compare_methods(original, table, listed(methods), levels, where, asked, kept, as_json, secret)
        return
    with in_command(f"reading {original.name}"):
        found = compare(
            original, *(released or ()), where=where, measures=asked, private=private or (), same_order=same_order,
            points=asked_points(points), at=at or (), engine=held_by, memory=memory, options=options,
        )  # fmt: skip
    if report is not None:
        from shoal.report.page import write_page

        page = _comparison_page(original.name, found)
        write_page(report, page, overwrite=overwrite)
        found["report"] = str(report)
    if as_json:
        print_json(found)
    elif isinstance(found, LinkedComparison):
        terminal.linked_comparison(found)
    else:
        terminal.comparison(found)


def _comparison_page(name: str, found: Comparison | LinkedComparison) -> str:
    if isinstance(found, LinkedComparison):
        from shoal.report.known_points_report import known_points_comparison

        return known_points_comparison(name, found)
    from shoal.report.comparison_report import releases_report

    return releases_report(name, found, found.measures)


_LEVELS = "2,3,5,10"


def _compare_methods(
    file: Source, reading: Callable[[Source], Table], methods: Sequence[str], levels: Sequence[str], where: str | None,
    asked: Sequence[Measure], kept: tuple[Path | None, bool], as_json: bool, secret: bool,
) -> None:  # fmt: skip
    """Run every method at every level of k, and show what each costs."""
    from shoal.report.comparison_report import comparison_report, sentences
    from shoal.report.page import write_page

    if not all(level.isdecimal() for level in levels):
        raise ParameterError("The levels of k are not whole numbers.", "Write --k 2,3,5,10.")
    measures: list[Measure] = [*STANDARD_MEASURES, *([AttributeDisclosure(where)] if where else []), *asked]
    if secret and not any(isinstance(each, Homogeneity) for each in measures):
        measures.append(Homogeneity())
    chosen = [build("methods", {"name": name}) for name in methods]
    with in_command(f"reading {file.name}"):
        table = reading(file)
        asked = weighed(measures, table)
        grid = Study.grid(chosen, [{"name": "k-anonymity", "k": [int(level) for level in levels]}], asked)
        rows = grid.run(table)
    said = sentences(rows)
    report, overwrite = kept
    if report is not None:
        write_page(report, comparison_report(rows, {"table": file.name}), file.files(), overwrite=overwrite)
    if as_json:
        print_json({"file": file.name, "rows": rows, "sentences": said})
    else:
        terminal.study(rows)
        terminal.lines(said)


@app.command("list")
def list_command(
    shelf: Annotated[
        str, typer.Argument(help="methods, models, measures, attacks, or identifiers.", show_default=False)
    ] = "",
    as_json: opt.Json = False,
) -> None:
    """List what there is: methods, models, measures, attacks, and what can become of identifiers."""
    lists = (*SHELVES, "identifiers")
    if not shelf:
        raise ParameterError("It was not said what to list.", f"Name one: {', '.join(lists)}.")
    if shelf not in lists:
        raise ParameterError(f"There is no list of '{shelf}'.", f"There are: {', '.join(lists)}.")
    if shelf == "identifiers":
        rows = [(name, text, parameters) for name, (text, parameters) in OFFERED.items()]
    else:
        rows = [
            (name, (entry.__doc__ or "").strip().splitlines()[0], tuple(field.name for field in fields(entry)))
            for name, entry in entries(shelf).items()
        ]
    if as_json:
        print_json({shelf: [{"name": name, "description": text} for name, text, _ in rows]})
    else:
        terminal.catalogue(rows)
