"""The section of the risk about the reasons: which columns put rows at risk, and which rows."""

from __future__ import annotations

from typing import Any

from fastapi.responses import Response

from shoal.web import wording
from shoal.web.cases.case import Case
from shoal.web.routes.shared import PATIENCE, Here, Shown, Wait, after, api_router, page_router, see

api, pages = api_router(), page_router()


@api.get("/reasons")
def reasons(case: Here, wait: Wait = 0) -> dict[str, Any]:
    """Give why rows are at risk, if that was asked for and is known."""
    return after(case, "reasons", wait, lambda: case.known_reasons)


@api.post("/reasons")
def find(case: Here, shown: Shown, wait: Wait = 0) -> dict[str, Any]:
    """Find the smallest sets of columns that put rows at risk."""
    with case.changing(shown):
        case.find_reasons()
    return reasons(case, wait)


@pages.post("/risk/reasons")
def find_by_form(case: Here, shown: Shown) -> Response:
    """Find the smallest sets of columns that put rows at risk."""
    find(case, shown, PATIENCE)
    return see("/risk#reasons")


def reasons_section(case: Case) -> dict[str, Any]:
    """Give what the section shows."""
    found, job = case.known_reasons, case.jobs.of("reasons")
    return {
        "reasons": found,
        "reasons_job": job if job is not None and job.about == case.decisions.roles_digest else None,
        "reasons_line": wording.reasons_line(found) if found else "",
    }
