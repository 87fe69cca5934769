"""The screen of the risk: how many people stand alone in the table as it is, and why."""

from __future__ import annotations

from typing import Any

from fastapi.responses import HTMLResponse

from shoal.languages import _
from shoal.web import figures, wording
from shoal.web.cases.aims import K_USUAL
from shoal.web.page_templates import page
from shoal.web.routes.risk_certificate import certificate_part
from shoal.web.routes.sections import sections_part
from shoal.web.routes.shared import PATIENCE, Here, Wait, after, routers
from shoal.web.routes.unicity import unicity_section

api, pages = routers()


@api.get("/risk")
def risk(case: Here, wait: Wait = 0) -> dict[str, Any]:
    """Give the risk of the table as it is. While ``complete`` is missing, more is being found out."""
    case.risk()
    return after(case, "measure", wait, case.risk)


@pages.get("/risk")
def risk_page(case: Here) -> HTMLResponse:
    """Show how risky the table is, and what else was asked of its risk."""
    if case.decisions.problem:
        return page(case, "risk", found={}, job=None)
    found = case.risk()
    if not found:
        risk(case, PATIENCE)
        found = case.risk()
    linked = unicity_section(case)
    several = linked["linked"]
    drawn = []
    if found:
        if found["without"]:
            drawn.append(figures.drivers(found, several=several))
        k = case.decisions.aim.k or K_USUAL
        title = _("Rows by the size of their group") if several else _("People by the size of the group they hide in")
        drawn.append(figures.sizes(found, k, title, several=several))
    if found and found["sets"] and len(found["quasi"]) > 1:
        drawn.append(figures.knowledge(found, several=several))
    asked = {**linked, **sections_part(case), **certificate_part(case)}
    return page(
        case,
        "risk",
        **asked,
        found=found,
        figures=drawn,
        headline=wording.headline(found, several=several) if found else "",
        finding=wording.finding(found, several=several) if found else "",
        secret=wording.secret_line(found) if found else "",
        job=case.jobs.of("measure"),
    )
