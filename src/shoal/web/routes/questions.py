"""The screen of questions: a box to ask in, the budget that is left, and answers with their intervals."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Form
from fastapi.responses import HTMLResponse, Response
from pydantic import BaseModel, Field

from shoal.errors import ShoalError
from shoal.web import question_words
from shoal.web.cases.case import Case
from shoal.web.desk import account_of, answers_of, asked
from shoal.web.errors import USUAL_STATUS
from shoal.web.page_templates import page
from shoal.web.routes.shared import Here, Shown, routers, see

api, pages = routers()
_LONGEST = 10_000


class Question(BaseModel):
    """What is asked, by whom, and what it may cost; the usual price if that is left out."""

    question: Annotated[str, Field(min_length=1, max_length=_LONGEST)]
    asker: Annotated[str, Field(min_length=1, max_length=200)]
    rho: Annotated[str | None, Field(max_length=100)] = None


@api.get("/budget")
def budget(case: Here) -> dict[str, Any]:
    """Give how the budget stands and what is declared of its table; nothing where no ledger is open."""
    account = account_of(case)
    return {} if account is None else account.plain()


@api.post("/questions")
def ask(case: Here, shown: Shown, given: Question) -> dict[str, Any]:
    """Answer a question from the budget, and book it under the name of who asks."""
    with case.changing(shown):
        pass
    return asked(case, given.question, given.asker, given.rho).plain()


@pages.get("/questions")
def questions(case: Here) -> Response:
    """Show the budget, the box, and what was answered."""
    return see("/data") if case.settings.ledger is None else _screen(case)


@pages.post("/questions")
def ask_by_form(
    case: Here,
    shown: Shown,
    question: Annotated[str, Form(max_length=_LONGEST)] = "",
    asker: Annotated[str, Form(max_length=200)] = "",
    rho: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """Answer a question; what is refused stays in the box, with what is wrong with it."""
    with case.changing(shown):
        pass
    try:
        asked(case, question, asker, rho)
    except ShoalError as error:
        if case.settings.ledger is None:
            raise
        message = {"what": error.what, "remedy": error.remedy}
        status = getattr(error, "status", USUAL_STATUS)
        return _screen(case, status=status, message=message, question=question, asker=asker, rho=rho)
    return see("/questions#answers")


def _screen(case: Case, *, status: int = 200, **typed: Any) -> HTMLResponse:
    account = account_of(case)
    assert account is not None
    answers = answers_of(case)
    last = answers[0].account.spendings[answers[0].number - 1].body.get("asker", "") if answers else ""
    content = {"question": "", "asker": last, "rho": "", "message": None} | typed
    return page(
        case, "questions", status=status, account=account, answers=answers, words=question_words, step="", **content
    )
