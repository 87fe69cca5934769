"""The command that attacks a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.assessment.red_team import attack
from shoal.cli import options as opt
from shoal.cli import terminal
from shoal.cli.options import app, chosen_engine, print_json
from shoal.cli.parsing import asked_attacks, asked_errors, listed, read_options
from shoal.engines.io.streams import at_hand
from shoal.engines.sources import Source
from shoal.errors import ParameterError
from shoal.progress.display import in_command


@app.command("attack")
def attack_command(
    original: Annotated[Source, typer.Argument(parser=Source.parse, metavar="ORIGINAL", help="The original table.")],
    released: Annotated[Source | None, typer.Argument(parser=Source.parse, metavar="[RELEASED]", help="A release of it, of whatever tool; left out if one is made (--recipe, --set-aside).")] = None,
    quasi: opt.Quasi = None, sensitive: opt.Sensitive = None, subject: opt.Subject = None, roles: opt.RolesOption = None,
    known: Annotated[list[str] | None, typer.Option(help="The columns that the attacker knows of people, separated by commas; all quasi-identifiers if left out.")] = None,
    secret: Annotated[str | None, typer.Option(help="The confidential column that he wants to learn; the first --sensitive if left out.")] = None,
    holdout: Annotated[Source | None, typer.Option(parser=Source.parse, metavar="FILE", help="People who are not in the release, with the columns of the original: they tell what happens anyway.")] = None,
    set_aside: Annotated[float | None, typer.Option(help="Without a --holdout: set such a share of people aside, mask the others again by the recipe, and attack that; 0.2 is usual.")] = None,
    recipe: Annotated[Path | None, typer.Option(help="How the release was made: a recipe in TOML, or a certificate; the certificate beside RELEASED if left out.")] = None,
    beside: Annotated[list[Source] | None, typer.Option("--with", parser=Source.parse, metavar="FILE", help="Another release that has some of the same people, such as last month's (repeat).")] = None,
    error: opt.ErrorOption = None,
    private: Annotated[list[Path] | None, typer.Option(help="The private record of the release, which says which row is whose; found beside it if left out.")] = None,
    same_order: Annotated[bool, typer.Option("--same-order", help="Rows of the release stand in the order of the original, as other tools leave them.")] = False,
    attacks: Annotated[list[str] | None, typer.Option("--attack", help="Try this one: linkability, 'singling-out size=2' (repeat); all if left out, see 'shoal list attacks'.")] = None,
    most: Annotated[int | None, typer.Option(help="So many people, or rows, are looked at in each part of an attack; of more, a sample. All of up to 30,000, and else 10,000, if left out.")] = None,
    seed: Annotated[int, typer.Option(help="The seed by which they are chosen.")] = 0,
    kind: opt.Kind = None, order: opt.Order = None, hierarchy: opt.HierarchyOption = None, in_delimiter: opt.Delimiter = None,
    encoding: opt.Encoding = None, decimal: opt.Decimal = None, missing: opt.Missing = None,
    thousands: opt.Thousands = None, dates: opt.Dates = None, sheet: opt.SheetName = None, cell_range: opt.CellRange = None, at_version: opt.AtVersion = None, header: opt.Header = None, masked: opt.Masked = None,
    memory: opt.MemoryOption = None, engine: opt.EngineOption = None, master: opt.MasterOption = None,
    as_json: opt.Json = False,
) -> None:  # fmt: skip
    """Attack a release: how often that succeeds, beside people who are not in it."""
    asked = asked_attacks(attacks)
    options = read_options(
        quasi, sensitive, None, subject, roles, kind, order, in_delimiter, encoding, decimal, missing, hierarchy,
        thousands=thousands, dates=dates, sheet=sheet, cell_range=cell_range, at_version=at_version, header=header, masked=masked,
    )  # fmt: skip
    if recipe is None and not (options.roles.quasi or options.roles.last_sensitive):
        raise ParameterError("No quasi-identifier is named.", "Name them: --quasi age,zip.")
    tables = [original, *(each for each in (released, holdout) if each is not None), *(beside or ())]
    if [each.kind for each in tables].count("stream") > 1:
        raise ParameterError("Only one table can come from stdin.", "Name the others.")
    before, after, outside = (None if each is None else at_hand(each) for each in (original, released, holdout))
    more = [at_hand(each) for each in beside or ()]
    with in_command(f"reading {original.name}"):
        found = attack(
            before, after, known=listed(known), secret=secret, holdout=outside, beside=more, set_aside=set_aside, recipe=recipe,
            errors=asked_errors(error), private=private or (), same_order=same_order, attacks=asked,
            most=most, seed=seed, engine=chosen_engine(engine, master), memory=memory, options=options,
        )  # fmt: skip
    found |= {"original": original.name, "released": None if released is None else released.name}
    if as_json:
        print_json(found)
    else:
        terminal.findings(found)
