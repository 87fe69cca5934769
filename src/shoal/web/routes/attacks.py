"""The screen of the attacks: how often each succeeds on what is chosen, and with people who are not in it."""

from __future__ import annotations

from typing import Any

from fastapi.responses import HTMLResponse, Response

from shoal.web import attack_names
from shoal.web.page_templates import page
from shoal.web.routes.shared import PATIENCE, Here, Shown, Wait, after, api_router, page_router, see

api, pages = api_router(), page_router()


@api.get("/attacks")
def attacks(case: Here, wait: Wait = 0) -> dict[str, Any]:
    """Give how often attacks on what is chosen succeed, if that was asked for and is known."""
    return after(case, "attack", wait, lambda: case.known_attacks)


@api.post("/attacks")
def attack(case: Here, shown: Shown, wait: Wait = 0) -> dict[str, Any]:
    """Attack what is chosen, made again without a fifth of its people, who tell what happens anyway."""
    with case.changing(shown):
        case.attack()
    return attacks(case, wait)


@pages.post("/attacks")
def attack_by_form(case: Here, shown: Shown) -> Response:
    """Attack what is chosen."""
    attack(case, shown, PATIENCE)
    return see("/attacks")


@pages.get("/attacks")
def show(case: Here) -> HTMLResponse:
    """Show how often attacks on what is chosen succeed."""
    if case.decisions.problem:
        return page(case, "attacks", found=None, job=None)
    found, job = case.known_attacks, case.jobs.of("attack")
    job = job if job is not None and job.about == case.attacks_about else None
    return page(
        case,
        "attacks",
        found=found,
        rows=attack_names.rows(found) if found else [],
        job=job,
        aim=case.decisions.aim,
        poll=job is not None and not job.over,
    )
