"""The screen of safe harbor: which columns look like its eighteen kinds of identifiers, and the recipe that follows."""

from __future__ import annotations

import datetime
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, Response
from pydantic import BaseModel, Field, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile

from shoal.domains.national_numbers import COUNTRIES
from shoal.languages import _
from shoal.schema import Role
from shoal.web import code_export
from shoal.web.cases.case import Case
from shoal.web.errors import NotThereError
from shoal.web.file_access import safe_name
from shoal.web.page_templates import page
from shoal.web.routes.shared import PATIENCE, Here, Shown, Wait, after, routers, see
from shoal.web.words import names

api, pages = routers()
_FIRST, _LAST = 1990, 2200  # years of a release that the model takes


class GivenHarbor(BaseModel):
    """In which year it is released, and what else the rule is asked with."""

    year: int | None = Field(None, ge=_FIRST, le=_LAST, description="In which ages are counted; this year if left out.")
    countries: list[str] = Field([], description=f"Look for numbers of these countries, too: {', '.join(COUNTRIES)}.")
    people: str = Field("", description="People of ZIP codes, as delimited text; the census of 2000 if left out.")
    people_file: str = Field("people.csv", description="What the file with these is called.", max_length=200)


@api.get("/safe-harbor")
def harbor(case: Here, wait: Wait = 0) -> dict[str, Any]:
    """Give which columns look like one of the eighteen kinds, if that was asked for and is known."""
    return after(case, "harbor", wait, lambda: case.known_harbor)


@api.post("/safe-harbor")
def find(case: Here, shown: Shown, given: GivenHarbor, wait: Wait = 0) -> dict[str, Any]:
    """Find the columns that look like one of the eighteen kinds, and make the recipe that follows."""
    with case.changing(shown):
        name = safe_name(given.people_file) if given.people else ""
        case.find_harbor(year=given.year, countries=tuple(given.countries), people=given.people, people_file=name)
    return harbor(case, wait)


@api.put("/safe-harbor/roles")
def take_roles(case: Here, shown: Shown) -> dict[str, str | None]:
    """Make what must go a direct identifier, and what stays in part a quasi-identifier; others stay as they are.

    Releases that keep the rule promise it from now on.
    """
    with case.changing(shown):
        case.decide_harbor()
    return {name: None if role is None else role.value for name, role in case.decisions.roles.items()}


@api.delete("/safe-harbor/promise", status_code=204)
def promise_no_more(case: Here, shown: Shown) -> None:
    """Promise the rule no more, also in releases that keep it."""
    with case.changing(shown):
        case.promise_no_rule()


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
async def find_by_form(request: Request, case: Here, shown: Shown) -> Response:
    """Find the columns that look like one of the eighteen kinds; a file with the people of ZIP codes may be sent."""
    async with request.form(max_files=1, max_fields=20) as form:
        file = form.get("file")
        sent = file if isinstance(file, UploadFile) and file.filename else None
        given: dict[str, Any] = {"countries": [str(each) for each in form.getlist("countries")]}
        given |= {"year": form["year"]} if form.get("year") else {}
        if sent is not None:
            given |= {"people": (await sent.read()).decode("utf-8-sig", "replace"), "people_file": sent.filename}
    try:
        asked = GivenHarbor.model_validate(given)
    except ValidationError as error:
        raise RequestValidationError(error.errors()) from None
    await run_in_threadpool(find, case, shown, asked, PATIENCE)
    return see("/safe-harbor")


pages.by_form("/safe-harbor/roles", take_roles, "/safe-harbor")
pages.by_form("/safe-harbor/no-promise", promise_no_more, "/safe-harbor")


@pages.get("/safe-harbor")
def show(case: Here) -> HTMLResponse:
    """Show which columns look like one of the eighteen kinds, and what becomes of each."""
    if case.file is None:
        return page(case, "harbor", found=None, job=None)
    found = case.known_harbor
    year = found["year"] if found else datetime.datetime.now(datetime.UTC).year
    return page(
        case,
        "harbor",
        found=found,
        rows=[_row(each, case.decisions.roles.get(each["column"])) for each in found.get("columns", ())],
        job=case.jobs.of("harbor", case.harbor_about),
        year=year,
        countries={each: found and each in found["countries"] for each in COUNTRIES},
        command=code_export.harbor_command(case.file.name, case.decisions.layout, year, _recipe_name(case), found),
    )


def _row(each: dict[str, Any], role: Role | None) -> dict[str, Any]:
    """Give a column that was found, with what is said of it, its role, and how the page would group it."""
    numbers = each["how"].partition(" ")[2]  # such as ``birth 2026`` of ``safe-harbor birth 2026``
    keys = {"identifiers": each["kind"], "seen": each["by"], "left": numbers.split()[0] if numbers else "nothing"}
    return each | {kind: _(names(kind)[key]) for kind, key in keys.items()} | {"role": role, "numbers": numbers}
