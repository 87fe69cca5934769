"""The screen of the levels: all combinations of levels of the hierarchies, of which one can be picked and released."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from fastapi import Form, Query
from fastapi.responses import HTMLResponse, Response
from pydantic import BaseModel, Field

from shoal.assessment.exploration import lattice_map
from shoal.errors import ParameterError
from shoal.languages import _
from shoal.schema import Role
from shoal.web.cases.aims import Aim
from shoal.web.cases.method_steps import MethodStep
from shoal.web.page_templates import page
from shoal.web.routes.shared import PATIENCE, Here, Shown, Wait, after, routers, see

api, pages = routers()
USUAL_LIMIT = 0.05


class GivenLimit(BaseModel):
    """How much may be suppressed."""

    limit: float = Field(USUAL_LIMIT, description="The largest share of records that may be suppressed, from 0 to 1.")


@api.get("/levels")
def levels(case: Here, wait: Wait = 0) -> dict[str, Any]:
    """Give what is known of the combinations of levels, if that was asked for."""
    return after(case, "levels", wait, lambda: case.jobs.result("levels", case.levels_about))


@api.post("/levels")
def explore(case: Here, shown: Shown, given: GivenLimit, wait: Wait = 0) -> dict[str, Any]:
    """Look at every combination of levels, for the promises that are chosen."""
    if not 0 <= given.limit <= 1:
        raise ParameterError(_("The limit must be from 0 to 1."), _("It is a share of all records."))
    with case.changing(shown):
        case.explore_levels(given.limit)
    return levels(case, wait)


@pages.post("/levels")
def explore_by_form(case: Here, shown: Shown, percent: Annotated[float, Form()] = 100 * USUAL_LIMIT) -> Response:
    """Look at every combination of levels."""
    explore(case, shown, GivenLimit(limit=percent / 100), PATIENCE)
    return see("/levels")


@pages.get("/levels")
def show(case: Here, node: Annotated[str, Query(max_length=1200)] = "") -> HTMLResponse:
    """Show all combinations of levels on a map, and the one that a mark leads to."""
    found = case.jobs.result("levels", case.levels_about)
    aim = case.decisions.aim
    rows = [each | {"aim": _aim(aim, each["levels"])} for each in found.get("leading", ())]
    picked = _picked(found, node) if found and node else None
    return page(
        case,
        "levels",
        found=found,
        job=case.jobs.of("levels", case.levels_about),
        limit=found["limit"] if found else USUAL_LIMIT,
        rows=rows,
        picked=picked and picked | {"aim": _aim(aim, picked["levels"])},
        names=tuple(found["heights"]) if found else case.decisions.of(Role.QUASI),
        figure=lattice_map(found["places"], found["best"], link="?node=", width=900.0) if found.get("places") else None,
    )


def _aim(aim: Aim, levels: list[int]) -> Aim:
    """Give the candidate that a combination of levels is."""
    step = MethodStep.of({"name": "full-domain", "levels": levels})
    return replace(aim, method=step.name, settings=step.given, then=None)


def _picked(found: dict[str, Any], node: str) -> dict[str, Any] | None:
    """Give the combination that a mark leads to."""
    every = [*found["places"], *found["leading"]]
    return next((each for each in every if ",".join(map(str, each["levels"])) == node), None)
