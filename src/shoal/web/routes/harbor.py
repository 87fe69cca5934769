"""The screen of safe harbor: which columns look like its eighteen kinds of identifiers, and the recipe that follows."""

from __future__ import annotations

import datetime
from pathlib import PurePath
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Form
from fastapi.responses import HTMLResponse, Response
from pydantic import BaseModel, Field

from shoal.web import code_export, harbor_names
from shoal.web.cases.case import Case
from shoal.web.errors import NotThereError
from shoal.web.file_access import safe_name
from shoal.web.page_templates import page
from shoal.web.routes.shared import PATIENCE, Here, Shown, Wait, after, api_router, page_router, see

api, pages = api_router(), page_router()
_FIRST, _LAST = 1990, 2200  # years of a release that the model takes


class GivenYear(BaseModel):
    """In which year it is released."""

    year: int | None = Field(None, ge=_FIRST, le=_LAST, description="In which ages are counted; this year if left out.")


@api.get("/safe-harbor")
def harbor(case: Here, wait: Wait = 0) -> dict[str, Any]:
    """Give which columns look like one of the eighteen kinds, if that was asked for and is known."""
    return after(case, "harbor", wait, lambda: case.known_harbor)


@api.post("/safe-harbor")
def find(case: Here, shown: Shown, given: GivenYear, wait: Wait = 0) -> dict[str, Any]:
    """Find the columns that look like one of the eighteen kinds, and make the recipe that follows."""
    with case.changing(shown):
        case.find_harbor(given.year)
    return harbor(case, wait)


@api.put("/safe-harbor/roles")
def take_roles(case: Here, shown: Shown) -> dict[str, str | None]:
    """Make what must go a direct identifier, and what stays in part a quasi-identifier; others stay as they are."""
    with case.changing(shown):
        case.decide_harbor()
    return {name: None if role is None else role.value for name, role in case.decisions.roles.items()}


@api.get("/safe-harbor/recipe", response_class=Response)
def recipe(case: Here) -> Response:
    """Give the recipe that `shoal run` carries out beside the file."""
    found = case.known_harbor
    if not found:
        raise NotThereError("There is no recipe of safe harbor.", "Look for identifiers first.")
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(_recipe_name(case))}"}
    return Response(found["recipe"], media_type="application/toml; charset=utf-8", headers=headers)


def _recipe_name(case: Case) -> str:
    return safe_name(f"{PurePath(case.file.name).stem}.harbor.toml") if case.file else "harbor.toml"


@pages.post("/safe-harbor")
def find_by_form(case: Here, shown: Shown, year: Annotated[int, Form(ge=_FIRST, le=_LAST)]) -> Response:
    """Find the columns that look like one of the eighteen kinds."""
    find(case, shown, GivenYear(year=year), PATIENCE)
    return see("/safe-harbor")


@pages.post("/safe-harbor/roles")
def take_roles_by_form(case: Here, shown: Shown) -> Response:
    """Take the roles that follow."""
    take_roles(case, shown)
    return see("/safe-harbor")


@pages.get("/safe-harbor")
def show(case: Here) -> HTMLResponse:
    """Show which columns look like one of the eighteen kinds, and what becomes of each."""
    if case.file is None:
        return page(case, "harbor", found=None, job=None)
    found, job = case.known_harbor, case.jobs.of("harbor")
    job = job if job is not None and job.about == case.harbor_about else None
    year = found["year"] if found else datetime.datetime.now(datetime.UTC).year
    return page(
        case,
        "harbor",
        found=found,
        rows=harbor_names.rows(found, case.decisions.roles) if found else [],
        job=job,
        poll=job is not None and not job.over,
        year=year,
        command=code_export.harbor_command(case.file.name, case.decisions.layout, year, _recipe_name(case)),
    )
