"""Commands that answer from a budget: budget, query."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import options as opt
from shoal.cli.options import app, chosen_engine, print_json
from shoal.cli.parsing import listed, pairs, read_options
from shoal.engines.io.streams import at_hand
from shoal.engines.sources import Source
from shoal.errors import CertificateError, ParameterError
from shoal.progress.display import in_command

if TYPE_CHECKING:
    from shoal.private.ledger import Ledger

LedgerArgument = Annotated[Path, typer.Argument(metavar="LEDGER", help="The ledger of a budget.")]
KeyOption = Annotated[
    Path | None, typer.Option(help="The file with the key of the ledger; the one beside it if left out.")
]
Receipts = Annotated[
    list[Path] | None,
    typer.Option(
        "--receipts", help="Answers as --json gave them: none of them may be missing from the ledger (repeat)."
    ),
]
Rho = Annotated[str | None, typer.Option(help="What the answer is to cost, in rho of zCDP: 0.001.")]
Epsilon = Annotated[
    str | None, typer.Option(help="What it is to cost, as an epsilon of pure differential privacy: 0.1.")
]

budget = typer.Typer(
    help="Keep a budget of differential privacy, from which questions are answered.", no_args_is_help=True
)


def add_budget(to: typer.Typer) -> None:
    """Add ``shoal budget`` with its commands."""
    to.add_typer(budget, name="budget")


@budget.command("new")
def new_command(
    file: opt.File,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="LEDGER", help="Where the ledger goes; its key is written beside it.")],
    epsilon: Annotated[str | None, typer.Option(help="What all answers together may cost, at --delta.")] = None,
    delta: Annotated[str | None, typer.Option(help="Less than one in the number of people: 1e-6.")] = None,
    rho: Annotated[str | None, typer.Option(help="What all answers together may cost, in rho of zCDP, instead of epsilon.")] = None,
    price: Annotated[str | None, typer.Option(help="What an answer costs if nothing else is said, in rho; a twentieth of the budget if left out.")] = None,
    subject: opt.Subject = None,
    rows_per_person: Annotated[int | None, typer.Option(help="How many rows of a person count; further ones are left out.")] = None,
    bounds: Annotated[list[str] | None, typer.Option(help="Limits of a column of numbers: 'charge=0..100000 step 1' (repeat).")] = None,
    categories: Annotated[list[str] | None, typer.Option(help="Categories of a column: sex=female,male (repeat).")] = None,
    groups: Annotated[list[str] | None, typer.Option(help="Where groups of numbers or dates begin, and the last one ends: age=0,18,65,120 (repeat).")] = None,
    declare: Annotated[Path | None, typer.Option(help="A file in TOML with all of this.")] = None,
    key: Annotated[Path | None, typer.Option(help="A file with a secret key to be used; a new one is drawn if left out.")] = None,
    kind: opt.Kind = None, in_delimiter: opt.Delimiter = None, encoding: opt.Encoding = None, decimal: opt.Decimal = None,
    missing: opt.Missing = None, thousands: opt.Thousands = None, dates: opt.Dates = None, sheet: opt.SheetName = None, cell_range: opt.CellRange = None, at_version: opt.AtVersion = None, header: opt.Header = None, masked: opt.Masked = None,
    memory: opt.MemoryOption = None, engine: opt.EngineOption = None, master: opt.MasterOption = None, as_json: opt.Json = False,
) -> None:  # fmt: skip
    """Begin a ledger: say what may be spent on a table, and what is known of it without looking."""
    from shoal.private.accounting import Budget, Price
    from shoal.private.declarations import Said
    from shoal.private.declared_file import DeclaredFile
    from shoal.private.ledger import Ledger

    options = read_options(
        in_delimiter=in_delimiter, encoding=encoding, decimal=decimal, missing=missing, thousands=thousands,
        dates=dates, sheet=sheet, cell_range=cell_range, at_version=at_version, header=header, masked=masked,
    )  # fmt: skip
    written = DeclaredFile() if declare is None else DeclaredFile.load(declare)
    lists = {
        "categories": {
            name: listed(text) for name, text in pairs(categories, "COLUMN=ONE,TWO", "sex=female,male").items()
        },
        "groups": {name: listed(text) for name, text in pairs(groups, "COLUMN=0,18,65", "age=0,18,65,120").items()},
    }
    said = Said(
        {**written.said.bounds, **pairs(bounds, "COLUMN=LOW..HIGH", "age=0..120")},
        {**written.said.categories, **lists["categories"]},
        {**written.said.groups, **lists["groups"]},
        {**written.said.kinds, **pairs(kind, "COLUMN=KIND", "zip=category", at_last=True)},
    )
    others: dict[str, Any] = dict(written.others)
    if epsilon is not None or rho is not None:  # the whole budget is said here
        others.pop("epsilon", None), others.pop("rho", None)
    given = {"epsilon": epsilon, "delta": delta, "rho": rho, "price": price, "subject": subject}
    others |= {name: value for name, value in given.items() if value is not None}
    others |= {} if rows_per_person is None else {"rows-per-person": rows_per_person}
    whole = Budget.of(epsilon=others.get("epsilon"), delta=others.get("delta"), rho=others.get("rho"))
    usual = None if "price" not in others else Price.of(rho=others["price"])
    file = at_hand(file)
    with in_command(f"reading {file.name}"):
        ledger = Ledger.create(
            out, file, whole, said=said, options=options, subject=others.get("subject"),
            rows_per_person=others.get("rows-per-person"), price=usual, key=key,
            engine=chosen_engine(engine, master), memory=memory,
        )  # fmt: skip
    if key is None and not as_json:
        typer.echo(f"Written: {out}, and its key {out}.key: keep both where only you can read them.")
    _show(ledger, as_json=as_json)


@budget.command("show")
def show_command(ledger: LedgerArgument, key: KeyOption = None, as_json: opt.Json = False) -> None:
    """Verify a ledger, and show what was spent and what is left."""
    from shoal.private.ledger import Ledger

    _show(Ledger.open(ledger, key), as_json=as_json)


@budget.command("continue")
def continue_command(
    ledger: LedgerArgument, file: opt.File, key: KeyOption = None, memory: opt.MemoryOption = None,
    engine: opt.EngineOption = None, master: opt.MasterOption = None, as_json: opt.Json = False,
) -> None:  # fmt: skip
    """Go on with a newer version of the table, about the same people; what was spent stays spent."""
    from shoal.private.ledger import Ledger

    found = Ledger.open(ledger, key)
    file = at_hand(file)
    with in_command(f"reading {file.name}"):
        found.continue_with(file, engine=chosen_engine(engine, master), memory=memory)
    _show(found, as_json=as_json)


@budget.command("mend")
def mend_command(ledger: LedgerArgument, key: KeyOption = None, as_json: opt.Json = False) -> None:
    """Remove a last line that a power cut left half written; the ledger says that it was there."""
    from shoal.private.ledger import Ledger

    found = Ledger.open(ledger, key)
    found.mend()
    _show(found, as_json=as_json)


@budget.command("check")
def check_ledger_command(
    ledger: LedgerArgument, key: KeyOption = None, receipts: Receipts = None, as_json: opt.Json = False
) -> None:
    """Prove a ledger again: its seals, its arithmetic, and that no answer is missing that there is a receipt of."""
    check_ledger(ledger, key, receipts, as_json=as_json)


@app.command("query")
def query_command(
    ledger: LedgerArgument,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="'count where age >= 65 by sex', 'mean charge in 0..100000 step 1 by county', 'sum charge', 'histogram age', 'median charge over 0..50000 step 1000'.")],
    rho: Rho = None, epsilon: Epsilon = None,
    asker: Annotated[str, typer.Option(help="Who asks; the ledger keeps the name.")] = "",
    data: Annotated[Source | None, typer.Option(parser=Source.parse, metavar="FILE", help="The table, if it lies elsewhere than the ledger says.")] = None,
    non_negative: Annotated[bool, typer.Option("--non-negative", help="Bring counts below zero to zero afterwards, and keep their sum.")] = False,
    key: KeyOption = None, memory: opt.MemoryOption = None, engine: opt.EngineOption = None, master: opt.MasterOption = None,
    as_json: opt.Json = False,
) -> None:  # fmt: skip
    """Answer a question about a table with noise, and pay for it from the budget."""
    from shoal.cli import budget_words
    from shoal.private.ledger import Ledger

    opened = Ledger.open(ledger, key)
    table = None if data is None else at_hand(data)
    with in_command("reading the table"):
        paid = opened.ask(
            question, table, rho=rho, epsilon=epsilon, asker=asker, non_negative=non_negative,
            engine=chosen_engine(engine, master), memory=memory,
        )  # fmt: skip
    if as_json:
        print_json(paid.plain())
    else:
        budget_words.answer(paid)


def check_ledger(path: Path, key: Path | None, receipts: list[Path] | None, *, as_json: bool) -> None:
    """Prove a ledger again, and show what was proved."""
    from shoal.cli import budget_words
    from shoal.private.ledger import Ledger
    from shoal.private.ledger_proof import proved, receipts_in

    kept = [receipt for place in receipts or () for receipt in receipts_in(place)]
    try:
        proof = proved(Ledger.open(path, key), kept)
    except CertificateError as error:
        if as_json:
            print_json({"verified": False, "reason": error.what})
        raise
    if as_json:
        said = {"proved": list(proof.proved), "not_proved": list(proof.not_proved)}
        print_json({"verified": True, "kind": "stated", **said, **proof.account.plain()})
    else:
        budget_words.proof(path, proof)


def refuse_for_ledgers(**given: object) -> None:
    """Refuse options of `check` that say nothing of a ledger."""
    for name, value in given.items():
        if value is not None:
            raise ParameterError(f"--{name.replace('_', '-')} says nothing of a ledger.", "Leave it out.")


def _show(ledger: Ledger, *, as_json: bool) -> None:
    from shoal.cli import budget_words

    account = ledger.account()
    if as_json:
        print_json(account.plain())
    else:
        budget_words.account(account)
