"""The last two screens, on which candidates are compared and a release is written; and what can be done with work."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import FileResponse, HTMLResponse, Response

from shoal.errors import DataError, ParameterError
from shoal.report.pdf import installed
from shoal.schema import Role
from shoal.web import drawing, saying
from shoal.web.decisions import Aim
from shoal.web.entrance import session_of
from shoal.web.guard import style_policy
from shoal.web.pages import patient, see
from shoal.web.places import release_names
from shoal.web.rendering import page
from shoal.web.session import PDF_REMEDY, Session

router = APIRouter(include_in_schema=False)
Here = Annotated[Session, Depends(session_of)]
_TASKS = {
    "look": "/data",
    "measure": "/risk",
    "tree": "/hierarchies",
    "search": "/protect",
    "spread": "/compare",
    "publish": "/release",
}


@router.get("/compare")
def compare(
    request: Request, session: Here, by: Annotated[str, Query()] = "", of: Annotated[str, Query()] = ""
) -> HTMLResponse:
    """Show candidates side by side: what each loses, where, how its columns are spread, and who pays for it."""
    decisions = session.decisions
    named, spreads = [], {}
    if not decisions.problem and decisions.pinned:
        session.candidates()
        spreads = session.spreads()
        patient(session, "spread")
        spreads = session.spreads()
        letters = dict(zip(decisions.pinned, "ABCD", strict=False))
        named = [(letters[key], Aim.of(key), session.candidate(key)) for key in decisions.pinned]
    known = [(f"{letter}: {aim.label}", found) for letter, aim, found in named if found and "kept" in found]
    columns = list(dict.fromkeys(name for _, found in known for name in found["payers"]))
    by = by if by in columns else next(iter(columns), "")
    job, second = session.working("search"), session.working("spread")
    drawn = [(f"{letter}: {aim.label}", spreads[aim.key]) for letter, aim, _ in named if aim.key in spreads]
    spread_columns = list(dict.fromkeys(each["column"] for _, known in drawn for each in known["columns"]))
    of = of if of in spread_columns else next(iter(spread_columns), "")
    return page(
        request,
        session,
        "compare",
        spread_columns=spread_columns,
        of=of,
        spread_figure=drawing.spreads(drawn, of) if of else None,
        spread_sampled=any(known["sampled"] for _, known in drawn),
        spread_job=second,
        named=named,
        known=known,
        columns=columns,
        by=by,
        sentence=saying.comparison([(text.partition(":")[0], found) for text, found in known]),
        figure=drawing.payers([(text.partition(":")[0], found) for text, found in known], by) if by else None,
        poll=(job is not None and not job.over and len(known) < len(named)) or (second is not None and not second.over),
        again=f"/compare?{urlencode({'by': by, 'of': of})}",
        job=job,
    )


@router.post("/compare/pin")
def pin(
    session: Here, key: Annotated[str, Form()], pinned: Annotated[bool, Form()], back: Annotated[str, Form()] = ""
) -> Response:
    """Put a candidate beside others, or take it away."""
    session.pin(key, pinned=pinned)
    return see("/protect" if back == "/protect" else "/compare")


@router.get("/release")
def release(request: Request, session: Here) -> HTMLResponse:
    """Show what is to be checked before a release is written, and what has been written."""
    patient(session, "publish")
    job = session.working("publish")
    decisions = session.decisions
    ready = session.file is not None and not decisions.problem
    found = session.candidate(decisions.aim.key) if ready else None
    return page(
        request,
        session,
        "release",
        found=found,
        aim=decisions.aim,
        gone=[*decisions.of(Role.IDENTIFIER), *decisions.of(Role.SUBJECT)],
        as_it_is=[*decisions.of(Role.SENSITIVE), *decisions.of(Role.PLAIN), *decisions.of(Role.WEIGHT)],
        **_elsewhere(session),
        job=job,
        pdf=installed(),
        pdf_remedy=PDF_REMEDY,
        written=list(reversed(session.releases.values())),
        poll=job is not None and not job.over,
    )


@router.post("/release/write")
def write(
    session: Here,
    format: Annotated[str, Form()] = "csv",
    audience: Annotated[str, Form()] = "internal",
    approver: Annotated[str, Form(max_length=200)] = "",
    looked: Annotated[bool, Form()] = False,
    others: Annotated[bool, Form()] = False,
    pdf: Annotated[bool, Form()] = False,
) -> Response:
    """Write the release."""
    if not (looked and others):
        raise ParameterError("The checklist is not complete.", "Confirm both points that only a person can check.")
    session.publish(parquet=format == "parquet", audience=audience, approver=approver.strip(), pdf=pdf)
    return see("/release")


@router.post("/release/{id}/keep")
def keep(session: Here, id: str) -> Response:
    """Let a release outlive the server."""
    session.keep(id)
    return see("/release")


@router.post("/release/{id}/forget")
def forget(session: Here, id: str) -> Response:
    """Remove a release."""
    session.forget(id)
    return see("/release")


@router.get("/release/{id}/report")
def report(session: Here, id: str) -> HTMLResponse:
    """Show the report of a release. It brings its own style, which is let in by its hash, and nothing that runs."""
    found = session.released(id)
    text = found.file(found.told["files"]["report"]["name"]).read_text(encoding="utf-8")
    styles = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(style.encode()).digest()).decode() for style in styles]
    return HTMLResponse(text, headers={"Content-Security-Policy": style_policy(hashes)})


@router.get("/release/{id}/file/{name}")
def download(session: Here, id: str, name: str) -> FileResponse:
    """Give a file of a release."""
    path = session.released(id).file(name)
    return FileResponse(path, media_type="application/octet-stream", filename=path.name)


@router.post("/jobs/{id}/cancel")
def cancel(session: Here, id: str) -> Response:
    """End a job."""
    job = session.job(id)
    job.cancel()
    job.wait(5)
    return see(_TASKS.get(job.task, "/"))


@router.post("/tasks/{task}/retry")
def retry(session: Here, task: str) -> Response:
    """Begin a task again."""
    if task not in _TASKS:
        raise DataError("There is no such work.", "Reload the page.")
    session.retry(task)
    return see(_TASKS[task])


@router.get("/same")
def same(request: Request, session: Here) -> HTMLResponse:
    """Show how the same is done without the page."""
    return page(request, session, "same", **_elsewhere(session))


def _elsewhere(session: Session) -> dict[str, Any]:
    """Say whether all is decided, and how the same is done then on the command line and in Python."""
    if session.file is None or session.decisions.problem:
        return {"ready": False, "command": "", "python": ""}
    told = session.file.name, session.decisions, release_names(session.file.name)
    return {"ready": True, "command": saying.command(*told), "python": saying.python(*told)}
