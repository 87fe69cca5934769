"""What the page says of questions and answers, in the language of its reader."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from shoal.languages import N_, _, number, written
from shoal.private.answers import Interval
from shoal.private.declarations import OTHER, DeclaredColumn
from shoal.private.ledger import BudgetAccount, PaidAnswer

# In the words of the grammar, which is the same in all languages.
EXAMPLES = (
    "count where age >= 65 by sex",
    "sum charge in 0..100000 step 1",
    "mean charge in 0..100000 step 1 by county",
    "histogram age in 0, 18, 65, 120",
    "median charge over 0..50000 step 1000",
    "quantile 9/10 of charge over 1000, 5000, 20000",
)


def cost(said: Mapping[str, Any]) -> str:
    """Say what something costs."""
    rho = written(said["rho"])
    if "epsilon" not in said:
        return _("ρ = %(rho)s", rho=rho)
    epsilon, delta = number(said["epsilon"], ".4g"), number(said["delta"], "g")
    return _("ε = %(epsilon)s at δ = %(delta)s (ρ = %(rho)s)", epsilon=epsilon, delta=delta, rho=rho)


def share_left(account: BudgetAccount) -> float:
    """Give which share of the budget is left."""
    return float(account.left / account.budget.rho)


def declared(column: DeclaredColumn) -> str:
    """Say what is declared of a column."""
    said = [] if column.bounds is None else [str(column.bounds)]
    for values in (column.categories, column.edges):
        if values is not None:
            said.append(", ".join(values if len(values) <= 12 else (*values[:12], "…")))
    return "; ".join(said) or "–"


def kind(column: DeclaredColumn) -> str:
    """Say what a column holds."""
    names = {"float": N_("numbers"), "date": N_("dates"), "datetime": N_("times"), "category": N_("categories")}
    return _(names[column.kind])


def label(text: str) -> str:
    """Say what a cell of an answer is called."""
    return _("other") if text == OTHER else text


def value(found: float | str) -> str:
    """Write a number of an answer, or a date that was chosen."""
    if isinstance(found, str):
        return found
    return number(found) if isinstance(found, int) else number(found, ",.6g")


def interval(found: Interval | None) -> str:
    """Write the interval of the noise."""
    return "–" if found is None else _("%(low)s to %(high)s", low=value(found[0]), high=value(found[1]))


def scales(paid: PaidAnswer) -> str:
    """Say how strong the noise was."""
    names = {"rows": N_("rows"), "steps": N_("sum"), "scores": N_("scores")}
    return ", ".join(f"{number(scale, ',.4g')} ({_(names[what])})" for what, scale in paid.answer.scales.items())


def notes(paid: PaidAnswer) -> list[str]:
    """Say what counts as what. It is always said, whether it happened or not."""
    plan, subject = paid.plan, paid.account.declared.subject
    said = [_("Every row counts as a person of its own.")]
    if subject is not None:
        said = [
            _(
                "Of a person at most so many rows count: %(rows)s. Which ones is drawn by a secret key.",
                rows=plan.rows_per_person,
            )
        ]
    if plan.units is not None:
        bounds = plan.units.bounds
        low, high = (value(_plain(end)) for end in (bounds.lower, bounds.upper))
        said.append(_("Values below %(low)s or above %(high)s count as these.", low=low, high=high))
    if plan.groups:
        said.append(_("Values that were not declared count as other."))
    if plan.query.columns:
        said.append(_("Rows in which something that is asked about is missing are left out."))
    if plan.buckets is not None:
        said.append(_("The answer is one of the candidates; noise may have chosen one that is next to the best."))
    return said


def _plain(end: Fraction) -> float:
    return int(end) if end.denominator == 1 else float(end)
