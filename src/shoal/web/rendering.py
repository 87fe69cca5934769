"""Templates: how they are found and filled, and what they can do with numbers."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from shoal.charts import Figure, style
from shoal.report.discretion import percent
from shoal.report.look import page_colours
from shoal.report.rendering import environment as templates_of
from shoal.schema import Role
from shoal.version import VERSION
from shoal.web import saying
from shoal.web.decisions import GUARD_LEVELS, GUARD_RANGES, K_LEVELS, K_MOST, METHODS, MOST_PINNED, place_of
from shoal.web.session import Session
from shoal.web.uploading import room

STEPS = {
    "data": "Data",
    "roles": "Roles",
    "risk": "Risk",
    "protect": "Protect",
    "compare": "Compare",
    "release": "Release",
}


@cache
def environment() -> Environment:
    """Make the templates ready."""
    made = templates_of("shoal.web", "shoal.report")
    filters: dict[str, Any] = {"percent": percent, "count": "{:,}".format, "size": _size, "room": room}
    filters["figure"] = _figure
    made.filters |= filters
    made.globals |= {
        "STEPS": STEPS,
        "ROLES": {role.value: (name, saying.ROLE_MEANINGS[role]) for role, name in saying.ROLE_NAMES.items()},
        "METHODS": {name: saying.METHOD_NAMES[name] for name in METHODS},
        "GUARDS": saying.GUARD_NAMES,
        "GUARD_LEVELS": GUARD_LEVELS,
        "GUARD_RANGES": GUARD_RANGES,
        "K_LEVELS": K_LEVELS,
        "K_MOST": K_MOST,
        "place_of": place_of,
        "MOST_PINNED": MOST_PINNED,
        "VERSION": VERSION,
        "Role": Role,
    }
    return made


def _size(count: int) -> str:
    """Write a number of bytes.

    >>> _size(512), _size(2_500_000)
    ('512 bytes', '2.5 MB')
    """
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if count >= unit:
            return f"{count / unit:.3g} {name}"
    return f"{count} bytes"


def _figure(drawn: Figure) -> Markup:
    """Give a figure for the page. Charts escape every text that they are given."""
    return Markup(drawn.html())  # noqa: S704


def rendered(name: str, **content: Any) -> str:
    """Fill a template."""
    return environment().get_template(name).render(**content)


def page(request: Request, session: Session, name: str, *, status: int = 200, **content: Any) -> HTMLResponse:
    """Answer with one of the six screens, in its frame."""
    whole = {
        "session": session,
        "decisions": session.decisions,
        "history": session.history,
        "step": name,
        "states": states(session),
        "message": None,
        "poll": False,
        "again": "",
    } | content
    return HTMLResponse(rendered(f"{name}.html", **whole), status)


def states(session: Session) -> dict[str, str]:
    """Tell of each step what there is to say: done, something to do, or not yet possible."""
    ready = session.file is not None and not session.decisions.problem
    undecided = len(session.decisions.undecided)
    chosen = session.candidate(session.decisions.aim.key) if ready else None
    return {
        "data": "done" if session.file else "",
        "roles": ""
        if session.file is None
        else f"{undecided} to decide"
        if undecided
        else "done"
        if ready
        else "to do",
        "risk": ("done" if session.known_risk.get("complete") else "") if ready else "not yet",
        "protect": "done" if chosen and "kept" in chosen else "" if ready else "not yet",
        "compare": (f"{len(session.decisions.pinned)} of {MOST_PINNED}" if session.decisions.pinned else "")
        if ready
        else "not yet",
        "release": "done" if session.releases else "" if ready else "not yet",
    }


@cache
def stylesheet() -> str:
    """Give all of the style in one file: figures, colours, and the workbench's own rules."""
    own = files("shoal.web").joinpath("static/workbench.css").read_text(encoding="utf-8")
    return style() + page_colours() + own
