"""Commands that look: inspect, risk, compare, list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal import showing
from shoal.arguments import asked_measures, listed, read_options
from shoal.catalogue import SHELVES, build, entries, look_up
from shoal.cli.options import (
    Dates,
    Decimal,
    Delimiter,
    Encoding,
    EngineOption,
    File,
    Header,
    HierarchyOption,
    Json,
    Kind,
    Known,
    Masked,
    MasterOption,
    MatchingOption,
    MeasureOption,
    MemoryOption,
    Missing,
    Order,
    Overwrite,
    Quasi,
    ReportOption,
    RolesOption,
    Sensitive,
    Thousands,
    Where,
    app,
    chosen_engine,
    given_options,
    print_json,
)
from shoal.conditions import Condition
from shoal.engines import Engine, engine_for, read
from shoal.engines.sources import Source
from shoal.engines.streams import at_hand
from shoal.errors import ParameterError, SchemaError
from shoal.inspection import advice, inspect, next_command
from shoal.measures import Demanding, Measure, PairMeasure, Score, score
from shoal.measures.attribute_disclosure import AttributeDisclosure
from shoal.measures.information_loss import InformationLoss
from shoal.measures.kolmogorov_smirnov import KolmogorovSmirnov
from shoal.measures.total_variation import TotalVariation
from shoal.measures.uniqueness import Matching
from shoal.pairing import misplaced, paired
from shoal.private_record import PrivateRecord
from shoal.progress.showing import in_command
from shoal.release import STANDARD_MEASURES
from shoal.risk import risk
from shoal.schema import ReadOptions, Role, Roles
from shoal.study import Study
from shoal.table import Table


@app.command("inspect")
def inspect_command(
    context: typer.Context, file: File, kind: Kind = None, in_delimiter: Delimiter = None, encoding: Encoding = None,
    decimal: Decimal = None, missing: Missing = None, thousands: Thousands = None, dates: Dates = None, header: Header = None,
    masked: Masked = None, memory: MemoryOption = None, engine: EngineOption = None, master: MasterOption = None,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Show columns, kinds, and suggested roles with reasons."""
    options = read_options(
        kind=kind, in_delimiter=in_delimiter, encoding=encoding, decimal=decimal, missing=missing,
        thousands=thousands, dates=dates, header=header, masked=masked,
    )  # fmt: skip
    with in_command(f"reading {file.name}"):
        table = read(
            file,
            engine=chosen_engine(engine, master),
            memory=memory,
            options=replace(options, roles=Roles(rest=Role.PLAIN)),
        )
        reports = inspect(table)
    said, then = advice(reports), next_command(file.seen_from(None), reports, given_options(context))
    if as_json:
        print_json({"file": file.name, "records": table.rows, "notes": list(table.origin.notes),
                     "columns": [asdict(report) for report in reports], "advice": said, "next": then})  # fmt: skip
    else:
        showing.inspection(file, table, reports, said, then)


@app.command("risk")
def risk_command(
    file: File, quasi: Quasi = None, sensitive: Sensitive = None, roles: RolesOption = None, known: Known = None,
    where: Where = None, matching: MatchingOption = None, measure: MeasureOption = None, kind: Kind = None, order: Order = None,
    in_delimiter: Delimiter = None, encoding: Encoding = None, decimal: Decimal = None, missing: Missing = None,
    thousands: Thousands = None, dates: Dates = None, header: Header = None, masked: Masked = None,
    page: ReportOption = None, overwrite: Overwrite = False, memory: MemoryOption = None, engine: EngineOption = None, master: MasterOption = None,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Measure how many records stand alone."""
    if page is not None:
        from shoal.report.page import usable

        usable(page, file.files(), overwrite=overwrite)
    if matching not in (None, "signature", "fit"):
        raise ParameterError(f"'{matching}' is no way to match records.", "Use --matching signature or --matching fit.")
    way: Matching | None = "fit" if matching == "fit" else "signature" if matching else None
    sets = [listed(text) for text in known or ()]
    if not all(sets):
        raise ParameterError("A set of known attributes names none.", "Name at least one: --known age,sex.")
    extra = asked_measures(measure)
    for asked in extra:
        if isinstance(asked, PairMeasure):
            raise ParameterError(f"{asked.name} compares with the original.", "Use shoal compare ORIGINAL RELEASED.")
    options = read_options(
        quasi, sensitive, None, None, roles, kind, order, in_delimiter, encoding, decimal, missing,
        thousands=thousands, dates=dates, header=header, masked=masked,
    )  # fmt: skip
    held_by = chosen_engine(engine, master)
    file = at_hand(file)
    with in_command(f"reading {file.name}"):
        guessed = not (options.roles.quasi or options.roles.last_sensitive or sets)
        if guessed:
            options = _guessed(file, options, held_by, memory)
        table = read(file, engine=held_by, memory=memory, options=_with_columns(options, where, sets, extra))
        for names in sets:
            for name in names:
                if name not in table.schema.quasi:
                    raise SchemaError.missing_column(name, table.schema.quasi)
        report = {"file": file.name, "quasi": list(table.schema.quasi), "guessed": guessed}
        report |= risk(table, where=where, matching=way)
        if sets:
            report["known"] = [risk(table, names, where, way) for names in sets]
        if extra:
            report["scores"] = [_score(value) for value in score(table, measures=extra)]
        if page is not None:
            from shoal.report.page import write_page
            from shoal.report.risk_report import risk_report

            write_page(page, risk_report(table, report, extra), file.files(), overwrite=overwrite)
            report["report"] = str(page)
    if as_json:
        print_json(report)
    else:
        showing.risk(table, report, guessed=guessed)
        if page is not None:
            typer.echo(f"\nReport: {page}")


def _guessed(file: Source, options: ReadOptions, engine: Engine | str | None, memory: str | None) -> ReadOptions:
    """Take the columns that look like quasi-identifiers when none are named."""
    table = read(
        file,
        engine=engine,
        memory=memory,
        options=replace(options, roles=Roles(rest=Role.PLAIN)),
    )
    taken = (*options.roles.sensitive, *options.roles.plain)
    quasi = tuple(report.name for report in inspect(table) if report.role == Role.QUASI and report.name not in taken)
    if not quasi:
        raise ParameterError("No column looks like a quasi-identifier.", "Name them: --quasi age,zip.")
    return replace(options, roles=replace(options.roles, quasi=quasi))


def _with_columns(
    options: ReadOptions, where: str | None, sets: Sequence[Sequence[str]], measures: Sequence[Measure] = ()
) -> ReadOptions:
    """Read also the columns that a condition, a set of known attributes or a measure speaks of."""
    roles = options.roles
    if roles.last_sensitive:
        return options
    extra = dict.fromkeys(name for names in sets for name in names) if not roles.quasi else {}
    quasi = (*roles.quasi, *extra)
    named = {*quasi, *roles.sensitive}
    conditions = [text for text in (where, *(getattr(measure, "where", None) for measure in measures)) if text]
    targets = [measure.target for measure in measures if hasattr(measure, "target")]
    columns = dict.fromkeys([*(c for text in conditions for c in Condition.parse(text).columns), *targets])
    spoken = tuple(column for column in columns if column not in named)
    return replace(options, roles=replace(roles, quasi=quasi, plain=(*roles.plain, *spoken)))


@app.command("compare")
def compare_command(
    original: Annotated[Source, typer.Argument(parser=Source.parse, metavar="ORIGINAL", help="The original table.")],
    released: Annotated[list[Source] | None, typer.Argument(parser=Source.parse, metavar="RELEASED", help="One or more releases of it.")] = None,
    methods: Annotated[list[str] | None, typer.Option(help="Compare methods on the table instead, separated by commas (repeat).")] = None,
    k: Annotated[list[str] | None, typer.Option(help="The levels of k at which methods are compared (repeat); 2,3,5,10 if left out.")] = None,
    target: Annotated[str | None, typer.Option(help="Also compare how well a model that learns from each predicts this column, with scikit-learn.")] = None,
    measure: MeasureOption = None,
    report: ReportOption = None,
    overwrite: Overwrite = False,
    private: Annotated[list[Path] | None, typer.Option(help="The private record of a release, which tells its rows apart; found beside it if left out (repeat).")] = None,
    same_order: Annotated[bool, typer.Option("--same-order", help="Rows of the releases stand in the order of the original, as other tools leave them.")] = False,
    quasi: Quasi = None, sensitive: Sensitive = None, roles: RolesOption = None, where: Where = None, kind: Kind = None,
    order: Order = None, hierarchy: HierarchyOption = None, in_delimiter: Delimiter = None, encoding: Encoding = None,
    decimal: Decimal = None, missing: Missing = None, thousands: Thousands = None, dates: Dates = None, header: Header = None,
    masked: Masked = None, memory: MemoryOption = None, engine: EngineOption = None, master: MasterOption = None,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Set releases, or methods, beside each other: what risk they leave and what they cost."""
    options = read_options(
        quasi, sensitive, None, None, roles, kind, order, in_delimiter, encoding, decimal, missing, hierarchy,
        thousands=thousands, dates=dates, header=header, masked=masked,
    )  # fmt: skip
    if not (options.roles.quasi or options.roles.last_sensitive):
        raise ParameterError("No quasi-identifier is named.", "Name them: --quasi age,zip.")
    always = (*STANDARD_MEASURES, *_DISTANCES)
    asked = [*_DISTANCES, *(extra for extra in asked_measures(measure, target) if extra not in always)]
    options = _with_columns(options, where, (), asked)
    if bool(methods) == bool(released):
        raise ParameterError("There is nothing to compare.", "Name releases of the table, or --methods a,b, not both.")
    records = [PrivateRecord.load(path) for path in private or ()]
    if report is not None:
        from shoal.files import files_read_by
        from shoal.report.page import usable

        usable(report, files_read_by([original, *(released or ()), options]), overwrite=overwrite)
    if [original.kind, *(path.kind for path in released or ())].count("stream") > 1:
        raise ParameterError("Only one table can come from stdin.", "Name the others.")
    original, released = at_hand(original), [at_hand(path) for path in released or ()]
    held_by = engine_for([original, *released], options, engine=chosen_engine(engine, master), memory=memory)
    if methods:
        kept, levels = (report, overwrite), listed(k or _LEVELS)
        _compare_methods(original, held_by, options, listed(methods), levels, where, asked, kept, as_json)
        return
    with in_command(f"reading {original.name}"):
        before = read(original, engine=held_by, options=options)
        for extra in asked:
            if isinstance(extra, Demanding):
                extra.demand(before.schema)
        found: dict[str, Any] = {"original": risk(before, where=where, matching="signature"), "releases": []}
        for path in released:
            after = read(path, engine=held_by, options=_like(before, options))
            after = paired(after, path, before, records, same_order=same_order)
            scores = score(before, after, measures=[InformationLoss(), *asked])
            told = {"path": str(path)} | {value.measure.replace("-", "_"): value.value for value in scores}
            told |= risk(after, where=where, matching="signature")
            if same_order:  # which was said, and not found out
                told["misplaced"] = misplaced(before, after)
            found["releases"].append(told | {"scores": [_score(value) for value in scores]})
    if report is not None:
        from shoal.report.comparison_report import releases_report
        from shoal.report.page import write_page

        page = releases_report(original.name, found, [InformationLoss(), *asked])
        write_page(report, page, overwrite=overwrite)
        found["report"] = str(report)
    if as_json:
        print_json(found)
    else:
        showing.comparison(found)


# What is always compared beside the information loss: it costs little.
_DISTANCES: tuple[Measure, ...] = (KolmogorovSmirnov(), TotalVariation())
_LEVELS = "2,3,5,10"


def _score(value: Score) -> dict[str, Any]:
    return {"measure": value.measure, "value": value.value, "detail": dict(value.detail)}


def _compare_methods(
    file: Source, engine: Engine, options: ReadOptions, methods: Sequence[str], levels: Sequence[str], where: str | None,
    asked: Sequence[Measure], kept: tuple[Path | None, bool], as_json: bool,
) -> None:  # fmt: skip
    """Run every method at every level of k, and show what each costs."""
    from shoal.report.comparison_report import comparison_report, sentences
    from shoal.report.page import write_page

    if not all(level.isdecimal() for level in levels):
        raise ParameterError("The levels of k are not whole numbers.", "Write --k 2,3,5,10.")
    measures: list[Measure] = [*STANDARD_MEASURES, *([AttributeDisclosure(where)] if where else []), *asked]
    chosen = [build("methods", {"name": name}) for name in methods]
    grid = Study.grid(chosen, [{"name": "k-anonymity", "k": [int(level) for level in levels]}], measures)
    with in_command(f"reading {file.name}"):
        rows = grid.run(read(file, engine=engine, options=options))
    said = sentences(rows)
    report, overwrite = kept
    if report is not None:
        write_page(report, comparison_report(rows, {"table": file.name}), file.files(), overwrite=overwrite)
    if as_json:
        print_json({"file": file.name, "rows": rows, "sentences": said})
    else:
        showing.study(rows)
        showing.lines(said)


def _like(table: Table, options: ReadOptions) -> ReadOptions:
    """Read a release by the kinds of its original: ranges and sets say less of what a column is."""
    attributes = table.schema.attributes
    plain = [a for a in attributes if a.axis.tree is None]
    orders = {a.name: tuple(a.axis.values) for a in plain if a.axis.kind == "ordered"}  # type: ignore[arg-type]
    kinds = {a.name: a.axis.kind for a in plain}
    like = replace(options, kinds=kinds, orders=orders, delimiter=None, encoding=None, decimal=None)
    named = None if options.header is None else True
    return replace(like, thousands=None, dates=None, header=named, released=True)


@app.command("list")
def list_command(
    shelf: Annotated[str, typer.Argument(help="methods, models or measures.")], as_json: Json = False
) -> None:
    """List what there is."""
    if shelf not in SHELVES:
        raise ParameterError(f"There is no list of '{shelf}'.", f"There are: {', '.join(SHELVES)}.")
    found = [(name, (entry.__doc__ or "").strip().splitlines()[0]) for name, entry in entries(shelf).items()]
    if as_json:
        print_json({shelf: [{"name": name, "description": text} for name, text in found]})
    else:
        showing.catalogue(shelf, found, look_up)
