"""The section of the risk about people with several rows: whom a few known points of theirs single out."""

from __future__ import annotations

from typing import Any

from shoal.schema import Role
from shoal.web import figures, wording
from shoal.web.cases.case import Case
from shoal.web.routes.shared import Here, Shown, Wait, after, routers

api, pages = routers()


@api.get("/unicity")
def unicity(case: Here, wait: Wait = 0) -> dict[str, Any]:
    """Give whom a few known points of a person single out, if that was asked for and is known."""
    return after(case, "unicity", wait, lambda: case.known_unicity)


@api.post("/unicity")
def measure(case: Here, shown: Shown, wait: Wait = 0) -> dict[str, Any]:
    """Find out whom a few known points of a person single out, where a column tells people apart."""
    with case.changing(shown):
        case.measure_unicity()
    return unicity(case, wait)


pages.by_form("/risk/unicity", measure, "/risk#unicity")


def unicity_section(case: Case) -> dict[str, Any]:
    """Give what the section shows; there is none where each row is a person's only one."""
    if not case.decisions.of(Role.SUBJECT):
        return {"linked": False, "unicity_job": None}
    found = case.known_unicity
    return {
        "linked": True,
        "unicity": found,
        "unicity_job": case.jobs.of("unicity", case.decisions.roles_digest),
        "unicity_line": wording.known_points_line(found) if found else "",
        "unicity_figure": figures.unicity(found) if found and found["longest"] else None,
    }
