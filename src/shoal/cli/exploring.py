"""The command that looks at the lattice of levels: explore."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.assessment.exploration import Exploration, explore, search_of
from shoal.cli import options as opt
from shoal.cli.options import app, chosen_engine, print_json
from shoal.cli.parsing import asked_models, method_parameters, read_options
from shoal.engines import read
from shoal.engines.io.streams import at_hand
from shoal.engines.sources import Source
from shoal.errors import ParameterError
from shoal.progress.display import in_command


@app.command("explore")
def explore_command(
    file: opt.File, quasi: opt.Quasi = None, sensitive: opt.Sensitive = None, plain: opt.PlainOption = None, subject: opt.Subject = None,
    roles: opt.RolesOption = None,
    k: Annotated[int | None, typer.Option(help="Each combination occurs at least k times.")] = None,
    t: Annotated[list[float] | None, typer.Option(help="Confidential values are spread within t of the whole table (repeat, each with its column).")] = None,
    t_column: Annotated[list[str] | None, typer.Option(help="The confidential column that t is about (repeat).")] = None,
    t_distance: Annotated[list[str] | None, typer.Option(help="ordered-distinct, ordered-records, variation or hierarchical (repeat).")] = None,
    diversity: Annotated[list[float] | None, typer.Option("--l", help="Every class holds at least l confidential values (repeat, each with its column).")] = None,
    l_column: Annotated[list[str] | None, typer.Option(help="The confidential column that l is about (repeat).")] = None,
    l_kind: Annotated[list[str] | None, typer.Option(help="distinct (if left out), entropy or recursive (repeat).")] = None,
    alpha: Annotated[list[float] | None, typer.Option(help="No confidential value has more than this share of a class (repeat, each with its column).")] = None,
    alpha_column: Annotated[list[str] | None, typer.Option(help="The confidential column that alpha is about (repeat).")] = None,
    param: Annotated[list[str] | None, typer.Option(help="A parameter of full-domain: limit=0.04 (repeat).")] = None,
    every_node: Annotated[bool, typer.Option("--every-node", help="With --json: also give every node.")] = False,
    kind: opt.Kind = None, order: opt.Order = None, hierarchy: opt.HierarchyOption = None, in_delimiter: opt.Delimiter = None,
    encoding: opt.Encoding = None, decimal: opt.Decimal = None, missing: opt.Missing = None,
    thousands: opt.Thousands = None, dates: opt.Dates = None, sheet: opt.SheetName = None, cell_range: opt.CellRange = None, at_version: opt.AtVersion = None, header: opt.Header = None,
    page: opt.ReportOption = None, overwrite: opt.Overwrite = False, memory: opt.MemoryOption = None, engine: opt.EngineOption = None,
    master: opt.MasterOption = None, as_json: opt.Json = False,
) -> None:  # fmt: skip
    """Look at every combination of levels: what each suppresses and loses, and which is the best."""
    if every_node and not as_json:
        raise ParameterError("--every-node is for programs.", "Add --json, or leave it out.")
    if page is not None:
        from shoal.report.page import usable

        usable(page, file.files(), overwrite=overwrite)
    options = read_options(
        quasi, sensitive, plain, subject, roles, kind, order, in_delimiter, encoding, decimal, missing, hierarchy,
        thousands=thousands, dates=dates, sheet=sheet, cell_range=cell_range, at_version=at_version, header=header,
    )  # fmt: skip
    models = asked_models(k, t, t_column, t_distance, diversity, l_column, l_kind, alpha, alpha_column, None, None)
    search, file = search_of(method_parameters(param)), at_hand(file)
    with in_command(f"reading {file.name}"):
        table = read(file, engine=chosen_engine(engine, master), memory=memory, options=options)
        found = explore(table, models, method=search)
        found["file"] = file.name
        if page is not None:
            _write_page(page, found, file, overwrite=overwrite)
            found["report"] = str(page)
    if as_json:
        print_json({**found, **({"every_node": found.table()} if every_node else {})})
        return
    typer.echo(repr(found))
    if page is not None:
        typer.echo(f"\nReport: {page}")


def _write_page(page: Path, found: Exploration, file: Source, *, overwrite: bool) -> None:
    from shoal.report.exploration_report import exploration_report
    from shoal.report.page import write_page

    write_page(page, exploration_report(found), file.files(), overwrite=overwrite)
