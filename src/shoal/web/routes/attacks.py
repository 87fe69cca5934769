"""The screen of the attacks: how often each succeeds on what is chosen, and with people who are not in it."""

from __future__ import annotations

from typing import Any

from fastapi.responses import HTMLResponse

from shoal.web.page_templates import page
from shoal.web.routes.shared import Here, Shown, Wait, after, routers
from shoal.web.words import named

api, pages = routers()


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


pages.by_form("/attacks", attack, "/attacks")


@pages.get("/attacks")
def show(case: Here) -> HTMLResponse:
    """Show how often attacks on what is chosen succeed."""
    found = case.known_attacks
    return page(
        case,
        "attacks",
        found=found,
        rows=[(each, *named("attacks", each["name"])) for each in found.get("attacks", ())],
        job=case.jobs.of("attack", case.attacks_about),
        aim=case.decisions.aim,
    )
