"""Where questions are answered from a budget: one at a time, and each kept for the session that asked it."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from shoal.languages import N_
from shoal.private.ledger import BudgetAccount, Ledger, PaidAnswer
from shoal.web.cases.case import Case
from shoal.web.errors import NotThereError, WebError

_MOST = 50  # answers that a session keeps
_busy = threading.Lock()  # a table is read for each question: one at a time is enough for a computer
_answers: WeakKeyDictionary[Case, list[PaidAnswer]] = WeakKeyDictionary()


def ledger_of(case: Case) -> Ledger | None:
    """Give the ledger that the server was started with, if there is one."""
    place: Path | None = case.settings.ledger
    return None if place is None else Ledger.open(place)


def account_of(case: Case) -> BudgetAccount | None:
    """Verify the ledger, and say how its budget stands."""
    ledger = ledger_of(case)
    return None if ledger is None else ledger.account()


def answers_of(case: Case) -> list[PaidAnswer]:
    """Give what was answered in this session, the last first."""
    return list(_answers.get(case, ()))


def asked(case: Case, question: str, asker: str, rho: str | None) -> PaidAnswer:
    """Answer a question, in the name of who asks it."""
    ledger = ledger_of(case)
    if ledger is None:
        raise NotThereError(
            N_("No ledger of a budget is open."), N_("Start the workbench with one: shoal web people.ledger.")
        )
    if not asker.strip():
        raise WebError(N_("Nobody's name is given."), N_("Give your name: the ledger keeps it beside the question."))
    price: dict[str, Any] = {"rho": rho.strip()} if rho and rho.strip() else {}
    with _busy:
        paid = ledger.ask(question.strip(), asker=asker.strip(), **price)
    _answers[case] = [paid, *answers_of(case)][:_MOST]
    return paid
