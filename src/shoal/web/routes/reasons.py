"""The rows at risk, in the section of the risk about the reasons: each with its own, for who may see the table."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Form
from fastapi.responses import FileResponse, Response
from pydantic import BaseModel, Field

from shoal.web.routes.sections import GivenQuestions, ask
from shoal.web.routes.shared import PATIENCE, Here, Shown, Wait, after, file_to_keep, routers, see

api, pages = routers()


@api.get("/reasons")
def reasons(case: Here, wait: Wait = 0) -> dict[str, Any]:
    """Give the rows at risk with their reasons, if these were asked for and are known."""
    return after(case, "reasons", wait, lambda: case.known_reasons)


class GivenReasons(BaseModel):
    """What is given of the rows at risk. Those are at risk whose risk is not acceptable: see `/risk/questions`."""

    values: bool = Field(False, description="Give what the quasi-identifiers say of the listed rows: cells of people.")
    listed: bool = Field(False, description="Write the list of all rows at risk, to be downloaded.")


@api.post("/reasons")
def find(case: Here, shown: Shown, given: GivenReasons | None = None, wait: Wait = 0) -> dict[str, Any]:
    """List rows at risk, each with the smallest sets of columns that put it there."""
    asked = given or GivenReasons(values=False, listed=False)
    with case.changing(shown):
        case.find_reasons(values=asked.values, listed=asked.listed)
    return reasons(case, wait)


@api.get("/reasons.csv", response_class=FileResponse)
def records(case: Here) -> FileResponse:
    """Give the list of all rows at risk by their numbers, if it was asked for: for those who may see the table."""
    return file_to_keep(case.records_at_risk())


@pages.post("/risk/reasons")
def find_by_form(case: Here, shown: Shown, given: Annotated[GivenReasons, Form()]) -> Response:
    """Find which columns put rows at risk; once that is asked, list the rows."""
    if case.decisions.asked.why:
        find(case, shown, given, PATIENCE)
    else:
        ask(case, shown, GivenQuestions.model_validate({"why": True}), PATIENCE)
    return see("/risk#reasons")
