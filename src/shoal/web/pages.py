"""The pages: six screens, each made anew from what the session knows, and the forms that change it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from shoal.datasets.patients import write_patients
from shoal.errors import DataError, ShoalError
from shoal.schema import Role
from shoal.web import drawing, saying
from shoal.web.decisions import GUARD_LEVELS, K_LEVELS, USUAL_LEVELS, Aim, place_of
from shoal.web.entrance import session_of
from shoal.web.places import offered, on_this_computer
from shoal.web.rendering import page, rendered
from shoal.web.session import Session
from shoal.web.uploading import received

router = APIRouter(include_in_schema=False)
Here = Annotated[Session, Depends(session_of)]
_PATIENCE = 0.7  # seconds that a page waits for work that is nearly done, rather than showing that it goes on


_ANEW = {"path": "/protect", "target": "#screen", "select": "#screen", "swap": "outerHTML"}


def see(place: str) -> RedirectResponse:
    """Lead on to a page after something was changed."""
    return RedirectResponse(place, 303)


@router.get("/")
def start(session: Here) -> Response:
    """Lead to the screen on which there is something to do."""
    patient(session, "look")
    if session.file is None:
        return see("/data")
    return see("/roles" if session.decisions.problem else "/risk")


def patient(session: Session, task: str) -> None:
    """Wait a little for work that may be nearly done."""
    job = session.working(task)
    if job is not None and not job.over:
        job.wait(_PATIENCE)


@router.get("/data")
def data(request: Request, session: Here, then: Annotated[str, Query()] = "") -> Response:
    """Show what is open, and how to open something; lead on as soon as a file that was just opened is there."""
    patient(session, "look")
    if then == "roles" and session.is_open:
        return Response(status_code=204, headers={"HX-Redirect": "/roles"}) if by_htmx(request) else see("/roles")
    return _data(request, session, then=then)


def by_htmx(request: Request) -> bool:
    """Tell whether a part of a page is asked for, by a script, rather than a page."""
    return "hx-request" in request.headers


def _data(
    request: Request, session: Session, error: ShoalError | None = None, status: int = 200, then: str = ""
) -> HTMLResponse:
    job = session.working("look")
    return page(
        request,
        session,
        "data",
        status=status,
        job=job,
        files=offered(session.settings),
        limit=session.settings.most_bytes,
        error=error or (DataError(job.error, job.remedy) if job and job.state == "failed" else None),
        poll=job is not None and not job.over,
        again="/data?then=roles" if then == "roles" else "/data",
    )


@router.post("/data/upload")
async def upload(request: Request, session: Here) -> Response:
    """Take a file that is sent, and open it."""
    try:
        path = await received(request, session.folder, session.settings.most_bytes)
    except DataError as error:
        status = 413 if "larger than" in error.what else 422
        return await run_in_threadpool(_data, request, session, error, status)
    await run_in_threadpool(session.open, path, path.name, sent=True)
    return await run_in_threadpool(_opened, session)


def _opened(session: Session) -> Response:
    return see("/data?then=roles")


@router.post("/data/open")
def open_path(request: Request, session: Here, path: Annotated[str, Form(max_length=4096)]) -> Response:
    """Open a file of this computer."""
    try:
        found = on_this_computer(session.settings, path)
    except DataError as error:
        return _data(request, session, error, 422)
    session.open(found, found.name, sent=False)
    return _opened(session)


@router.post("/data/example")
def example(session: Here) -> Response:
    """Open a made-up table, to try things out."""
    folder = session.folder / "example"
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / "patients.csv"
    write_patients(path)
    session.open(path, path.name, sent=True)
    return _opened(session)


@router.post("/data/close")
def close(session: Here) -> Response:
    """Close the file."""
    session.close_file()
    return see("/data")


@router.post("/data/preview")
def preview(session: Here) -> HTMLResponse:
    """Show the first rows, because someone asked to see them."""
    job = session.preview()
    job.wait(20)
    return HTMLResponse(rendered("preview.html", job=job, found=job.result if job.state == "done" else {}))


@router.get("/risk")
def risk(request: Request, session: Here) -> HTMLResponse:
    """Show how risky the table is."""
    if session.decisions.problem:
        return page(request, session, "risk", found={}, job=None)
    found = session.risk()
    if not found:
        patient(session, "measure")
        found = session.risk()
    job = session.working("measure")
    figures = []
    if found:
        figures.append(drawing.sizes(found, session.decisions.aim.k, "People by the size of the group they hide in"))
    if found and found["sets"] and len(found["quasi"]) > 1:
        figures.append(drawing.knowledge(found))
    return page(
        request,
        session,
        "risk",
        found=found,
        figures=figures,
        headline=saying.headline(found) if found else "",
        finding=saying.finding(found) if found else "",
        job=job,
        poll=job is not None and not job.over,
    )


@router.get("/protect")
def protect(request: Request, session: Here, see_key: Annotated[str, Query(alias="see")] = "") -> HTMLResponse:
    """Show the ways to protect the table."""
    if session.decisions.problem:
        return page(request, session, "protect", found=None, job=None, figures=[])
    if see_key:
        session.choose(Aim.of(unquote(see_key)))
    if session.candidate(session.decisions.aim.key) is None:
        session.candidates()
        patient(session, "search")
    return page(request, session, "protect", **_chosen(session))


def _chosen(session: Session) -> dict[str, Any]:
    candidates, aim = session.candidates(), session.decisions.aim
    found, job = candidates.get(aim.key), session.working("search")
    known = {key: each for key, each in candidates.items() if "kept" in each}
    figures = [drawing.risk_map(known, aim), drawing.cost(known, aim)] if len(known) > 1 else []
    working = job is not None and not job.over
    return {
        "found": found,
        "job": job,
        "aim": aim,
        "figures": figures,
        "line": saying.result_line(found) if found and "kept" in found else "",
        "nearest": _nearest(session, aim) if found and "impossible" in found else None,
        "risk": session.known_risk,
        "poll": working,
    }


def _nearest(session: Session, aim: Aim) -> Aim | None:
    """Give what is nearest to a choice and can be done."""
    return next((each for each in aim.nearby() if "kept" in (session.candidate(each.key) or {})), None)


@router.get("/protect/result")
def result(session: Here) -> HTMLResponse:
    """Show what the choice gives."""
    return HTMLResponse(rendered("result.html", session=session, decisions=session.decisions, **_chosen(session)))


@router.post("/protect/choose")
def choose(
    request: Request,
    session: Here,
    method: Annotated[str, Form()],
    k: Annotated[int | None, Form()] = None,
    k_place: Annotated[int | None, Form(ge=0, lt=len(K_LEVELS))] = None,
    guard: Annotated[str, Form()] = "none",
    level: Annotated[float | None, Form()] = None,
    level_place: Annotated[int | None, Form(ge=0)] = None,
    column: Annotated[str, Form()] = "",
) -> Response:
    """Choose a way to protect the table; a slider tells the place of a level in its list, a field any other number."""
    before, secrets = session.decisions.aim, session.decisions.of(Role.SENSITIVE)
    crowd = int(_wanted(K_LEVELS, k, k_place, before.k))
    if guard == "none" or not secrets:
        guard, wanted, column = "none", 0.0, ""
    else:
        column = column if column in secrets else secrets[0]
        wanted = USUAL_LEVELS.get(guard, 0.0)
        if guard == before.guard:
            wanted = _wanted(GUARD_LEVELS[guard], level, level_place, before.level)
    session.choose(Aim(method, crowd, guard, wanted, column))
    if not by_htmx(request):
        return see("/protect")
    if guard == before.guard:
        return result(session)
    # Other controls are needed, so the whole screen is shown anew.
    return Response(status_code=204, headers={"HX-Location": json.dumps(_ANEW)})


def _wanted(levels: Sequence[float], typed: float | None, place: int | None, before: float) -> float:
    """Tell which level is meant: what was typed, unless only the slider was moved, as can be where no script runs."""
    inside = place is not None and place < len(levels)
    if typed is not None and (not inside or typed != before or place_of(levels, typed) == place):
        return typed
    return levels[place] if place is not None and inside else before


@router.post("/undo")
def undo(session: Here) -> Response:
    """Take back the last decision."""
    session.undo()
    return see("/")


@router.post("/redo")
def redo(session: Here) -> Response:
    """Decide again what was taken back."""
    session.redo()
    return see("/")
