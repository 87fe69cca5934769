"""The screen of the protection: a method, k and a further promise are chosen, and what they give is shown."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Form, Query, Request
from fastapi.responses import HTMLResponse, Response
from pydantic import BaseModel, Field

from shoal.report.cell_kinds import CellKinds
from shoal.schema import Role
from shoal.web import figures, wording
from shoal.web.cases.aims import GUARDS, K_LEVELS, K_MOST, K_USUAL, METHODS, Aim
from shoal.web.cases.case import Case
from shoal.web.cases.method_steps import MethodStep, promises
from shoal.web.cases.promise_terms import terms
from shoal.web.page_templates import page, part
from shoal.web.routes.aim_form import ChosenAim
from shoal.web.routes.shared import PATIENCE, Here, Shown, Wait, after, by_htmx, made_anew, routers, see

api, pages = routers()
_MOST_COLUMNS = 12  # whose cells are described


class GivenAim(BaseModel):
    """How a table is to be protected."""

    method: str = Field("hilbert", description=f"One of {', '.join(METHODS)}.")
    k: int = Field(
        K_USUAL,
        description=f"Whole, from 2 to {K_MOST}; tried ahead are {', '.join(map(str, K_LEVELS))}. "
        "0 for a method that works towards no promise, or if a promise about a population stands alone.",
    )
    guard: str = Field("none", description=f"One of {', '.join(GUARDS)}.")
    level: float = Field(
        0, description="Of the parameter that the promise has, such as t, l or k; 0 without a promise."
    )
    column: str = Field(
        "", description="The confidential column that the further promise is about, if it is about one."
    )
    terms: dict[str, Any] = Field({}, description="Other parameters of the promise that are not as usual.")
    settings: dict[str, Any] = Field({}, description="Parameters of the method that are not as usual.")
    first: dict[str, Any] | None = Field(
        None, description="A method for the table before that: its `name`, and its parameters that are not as usual."
    )
    then: dict[str, Any] | None = Field(None, description="A method for the masked table, given in the same way.")

    @property
    def aim(self) -> Aim:
        """What is asked for, if it makes sense."""
        own = MethodStep.of({**self.settings, "name": self.method})
        first, then = (None if step is None else MethodStep.of(step) for step in (self.first, self.then))
        k = self.k if promises(self.method) else 0
        said = terms(self.guard, self.terms) if self.guard in GUARDS else ""
        return Aim(self.method, k, self.guard, self.level, self.column, own.given, first, then, said)


@api.get("/candidates")
def candidates(case: Here, wait: Wait = 0) -> dict[str, Any]:
    """Give what every way to protect the table would give, as far as that is known."""
    case.candidates()
    return after(case, "search", wait, lambda: {"candidates": case.candidates()})


@api.put("/aim")
def choose(case: Here, shown: Shown, given: GivenAim, wait: Wait = 0) -> dict[str, Any]:
    """Choose a way to protect the table, and give what it gives; what was not tried ahead is tried now."""
    return _choose(case, shown, given.aim, wait)


def _choose(case: Case, shown: str | None, aim: Aim, wait: float = 0) -> dict[str, Any]:
    with case.changing(shown):
        case.choose(aim)
    aim = case.decisions.aim  # with what the case knows of the population
    case.candidates()
    patience = wait if case.candidate(aim.key) is None else 0
    return after(case, "search", patience, lambda: {"key": aim.key, "candidate": case.candidate(aim.key)})


@pages.get("/protect")
def protect(
    case: Here,
    see_key: Annotated[str, Query(alias="see")] = "",
    whole: Annotated[bool, Query()] = False,
    view: Annotated[Literal["map", "rows", "cost"], Query()] = "map",
) -> HTMLResponse:
    """Show the ways to protect the table; one that a link leads to is shown, and can then be chosen."""
    if case.decisions.problem:
        return page(case, "protect", found=None, job=None, figures=[], seen=None)
    seen = Aim.of(see_key) if see_key else None
    case.risk()  # for the numbers before, also if the screen of the risk was never seen
    if case.candidate(case.decisions.aim.key) is None:
        candidates(case, PATIENCE)
    return page(case, "protect", **_result(case, whole=whole, view=view), seen=seen)


def _result(case: Case, *, whole: bool = False, view: str = "map") -> dict[str, Any]:
    near, aim, risk = case.candidates(), case.decisions.aim, case.risk()
    quasi = case.decisions.of(Role.QUASI)
    found, job = near.get(aim.key), case.jobs.of("search")
    known = {key: each for key, each in near.items() if "kept" in each}
    drawn = {key: each for key, each in known.items() if not wording.changes(each, quasi)}
    there = found is not None and "kept" in found
    cells = _cells(found) if found and there else []
    return {
        "found": found,
        "job": job,
        "aim": aim,
        "gone": case.gone(aim),
        "figures": [figures.risk_map(drawn, aim, whole=whole), figures.cost(drawn, aim)] if len(drawn) > 1 else [],
        "off_map": bool(known) and aim.key in known and aim.key not in drawn,
        "whole": whole,
        "view": view,
        "line": wording.result_line(found, quasi) if found and there else "",
        "secret": wording.secret_line(found) if found and there else "",
        "measures": wording.before_after(risk, found) if found and there else [],
        "cells": cells[:_MOST_COLUMNS],
        "more_cells": max(0, len(cells) - _MOST_COLUMNS),
        "nearest": _nearest(case, aim) if found and not there else None,
        "poll": case.jobs.at_work("search") or (case.jobs.at_work("measure") and (not risk or bool(risk["sampled"]))),
        **_rows(case, follow=bool(there)),
    }


def _cells(found: dict[str, Any]) -> list[tuple[str, str, float]]:
    """Say of each column what its cells become, those that change most first."""
    kinds = {name: CellKinds(**each) for name, each in found.get("cells", {}).items()}
    others: dict[str, float] = found.get("changed", {})
    order = sorted(kinds, key=lambda name: (-found["coarse"][name], -others.get(name, 0.0)))
    own = [(name, wording.cells_line(kinds[name], others.get(name, 0.0)), kinds[name].exact) for name in order]
    carried = [(name, wording.cells_line(None, share), 1.0) for name, share in others.items() if name not in kinds]
    return [(name, line, exact - others.get(name, 0.0)) for name, line, exact in (*carried, *own)]


def _rows(case: Case, *, follow: bool = False) -> dict[str, Any]:
    """Give the rows that someone asked to see, of the candidate that is chosen now.

    Those of another choice are made anew, if they are to follow it. Until then they are shown as they are in the table.
    """
    job = case.follow_rows() if follow else case.jobs.of("rows")
    if job is None or job.about != case.rows_shown or job.state == "cancelled":
        return {"rows": None, "rows_job": None}
    if job.result is not None:
        return {"rows": job.result.plain(), "rows_job": job}
    seen = case.rows_seen
    return {"rows": seen | {"after": ()} if seen and not job.over else None, "rows_job": job}


def _nearest(case: Case, aim: Aim) -> Aim | None:
    """Give what is nearest to a choice and can be done."""
    return next((each for each in aim.nearby() if "kept" in (case.candidate(each.key) or {})), None)


@pages.get("/protect/result")
def result(
    case: Here, version: Annotated[str, Query(max_length=200)] = "", whole: Annotated[bool, Query()] = False
) -> Response:
    """Show what the choice gives; a screen that shows another choice is made anew."""
    return part(case, "result", **_result(case, whole=whole)) if version == case.version else made_anew("/protect")


@api.post("/rows")
def make_rows(case: Here, shown: Shown, wait: Wait = 0) -> dict[str, Any]:
    """Give six rows as they are and as the chosen candidate would release them: cells of people."""
    with case.changing(shown):
        case.rows()
    return after(case, "rows", wait, lambda: {"rows": case.jobs.result("rows") or None})


@pages.post("/protect/rows")
def show_rows(request: Request, case: Here, shown: Shown) -> Response:
    """Show six rows before and after, to someone who asks for them."""
    make_rows(case, shown, PATIENCE)
    return rows(case) if by_htmx(request) else see("/protect?view=rows")


@pages.get("/protect/rows")
def rows(case: Here) -> HTMLResponse:
    """Show the rows that were asked for, or how far they are."""
    return part(case, "rows", **_rows(case))


@pages.post("/protect/choose")
def choose_by_form(request: Request, case: Here, shown: Shown, given: Annotated[ChosenAim, Form()]) -> Response:
    """Choose a way to protect the table."""
    before = case.decisions.aim
    aim = given.aim(before, case.decisions.of(Role.SENSITIVE))
    _choose(case, shown, aim)
    if not by_htmx(request):
        return see("/protect?whole=true" if given.whole else "/protect")
    # For another method or promise other controls are needed, so the whole screen is shown anew.
    return result(case, case.version, given.whole) if _controls(aim) == _controls(before) else made_anew("/protect")


def _controls(aim: Aim) -> tuple[str, ...]:
    return str(aim.alone), aim.guard, aim.method, *("" if step is None else step.name for step in (aim.first, aim.then))


@pages.post("/protect/candidate")
def choose_candidate(case: Here, shown: Shown, key: Annotated[str, Form(max_length=2000)]) -> Response:
    """Choose a candidate by its name, as a point of the map has it."""
    _choose(case, shown, Aim.of(key))
    return see("/protect")
