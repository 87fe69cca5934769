"""The screen of the risk: how many people stand alone in the table as it is, and why."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from fastapi.responses import HTMLResponse

from shoal.languages import _
from shoal.web import figures, wording
from shoal.web.attackers import WHO, who_looks
from shoal.web.cases.aims import K_USUAL
from shoal.web.page_templates import page
from shoal.web.routes.reasons import reasons_section
from shoal.web.routes.shared import PATIENCE, Here, Wait, after, api_router, page_router
from shoal.web.routes.unicity import unicity_section

api, pages = api_router(), page_router()
Asked = Annotated[str, Query(max_length=30)]


@api.get("/risk")
def risk(case: Here, wait: Wait = 0) -> dict[str, Any]:
    """Give the risk of the table as it is. While ``complete`` is missing, more is being found out."""
    case.risk()
    return after(case, "measure", wait, case.risk)


@pages.get("/risk")
def risk_page(case: Here, people: Asked = "", threshold: Asked = "") -> HTMLResponse:
    """Show how risky the table is, also for a population of so many people."""
    if case.decisions.problem:
        return page(case, "risk", found={}, job=None)
    found = case.risk()
    if not found:
        risk(case, PATIENCE)
        found = case.risk()
    job = case.jobs.of("measure")
    drawn = []
    if found:
        if found["without"]:
            drawn.append(figures.drivers(found))
        k = case.decisions.aim.k or K_USUAL
        drawn.append(figures.sizes(found, k, _("People by the size of the group they hide in")))
    if found and found["sets"] and len(found["quasi"]) > 1:
        drawn.append(figures.knowledge(found))
    linked, reasons = unicity_section(case), reasons_section(case)
    busy = [each for each in (job, linked["unicity_job"], reasons["reasons_job"]) if each is not None and not each.over]
    return page(
        case,
        "risk",
        **linked,
        **reasons,
        found=found,
        looking=who_looks(found, people.strip(), threshold) if found else None,
        who=WHO,
        figures=drawn,
        headline=wording.headline(found, several=linked["linked"]) if found else "",
        finding=wording.finding(found, several=linked["linked"]) if found else "",
        secret=wording.secret_line(found) if found else "",
        job=job,
        poll=bool(busy),
    )
