"""What a person sees of budgets, answers and ledgers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from shoal.cli.terminal import show_table

if TYPE_CHECKING:
    from shoal.private.answers import Interval
    from shoal.private.ledger import BudgetAccount, PaidAnswer
    from shoal.private.ledger_proof import LedgerProof


def account(found: BudgetAccount) -> None:
    """Show how a budget stands, and what is declared of the table."""
    said = found.plain()
    show_table(["", "cost"], [(name, _cost(said[name])) for name in ("spent", "left")], left=range(2))
    typer.echo(f"Answers so far: {said['answers']:,}. If nothing else is said, one costs {_cost(said['price'])}.")
    people = f"'{found.declared.subject}', of whom at most {found.declared.rows_per_person:,} rows count each"
    typer.echo(f"People: {people if found.declared.subject else 'every row is one'}.")
    rows = [(name, _kind(column), _declared(column)) for name, column in said["columns"].items()]
    show_table(["column", "kind", "declared"], rows, left=range(3))


def answer(paid: PaidAnswer) -> None:
    """Show an answer with its intervals, what it cost, and its receipt."""
    found = paid.answer
    names = list(found.cells[0].labels) if found.cells else []
    rows = [(*cell.labels.values(), _number(cell.value), _interval(cell.interval)) for cell in found.cells]
    show_table([*names, "answer", "95 % interval of the noise"], rows, left=range(len(names)))
    for note in found.notes:
        typer.echo(f"– {note}")
    scales = ", ".join(f"{scale:,.6g} ({what})" for what, scale in found.scales.items())
    typer.echo(f"Scale of the noise: {scales}")
    account = paid.account
    typer.echo(f"Cost: {_cost(account.cost(paid.rho))}. Left: {_cost(account.cost(account.left))}.")
    typer.echo(f"Receipt: {paid.number} {paid.seal}")


def proof(path: Path, found: LedgerProof) -> None:
    """Show what was proved of a ledger."""
    typer.echo(f"✓ {path.name} adds up.")
    for line in found.proved:
        typer.echo(f"  ✓ {line}")
    for line in found.not_proved:
        typer.echo(f"  – {line}")


def _cost(said: Mapping[str, Any]) -> str:
    shown = f", which is epsilon = {said['epsilon']:.4g} at delta = {said['delta']:g}" if "epsilon" in said else ""
    return f"rho = {said['rho']}{shown}"


def _kind(column: Mapping[str, Any]) -> str:
    return "number" if column["kind"] == "float" else str(column["kind"])


def _declared(column: Mapping[str, Any]) -> str:
    said = [str(column["bounds"])] if "bounds" in column else []
    for name in ("categories", "groups"):
        if name in column:
            few = column[name] if len(column[name]) <= 12 else [*column[name][:12], "…"]
            said.append(f"{name} {', '.join(few)}")
    return "; ".join(said) or "nothing"


def _number(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"


def _interval(interval: Interval | None) -> str:
    return "–" if interval is None else f"{_number(interval[0])} to {_number(interval[1])}"
