"""The cases: listed, opened, copied, renamed, passed on and deleted; and the open one as a whole, back and forth."""

from __future__ import annotations

from contextlib import closing, nullcontext
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Depends, Query
from fastapi.responses import HTMLResponse, Response
from pydantic import BaseModel, Field

from shoal.web.cases.case import Case
from shoal.web.cases.decided import fresh_id
from shoal.web.cases.store import CaseInfo
from shoal.web.cases.transfer import MOST_BYTES, exported, imported
from shoal.web.file_access import safe_name
from shoal.web.page_templates import STEPS, page
from shoal.web.redirects import came_from
from shoal.web.routes.shared import BYTES, Here, JobStatus, SentFile, Shown, content_of, routers

api, pages = routers()
SCREENS = (*STEPS, "hierarchies", "same", "cases")
Name = Annotated[str, Field(min_length=1, max_length=200)]
SentCase = Annotated[bytes, Depends(content_of(MOST_BYTES, any_kind=True))]
CaseId = Annotated[str, Query(max_length=100, description="The case.")]


class CaseState(BaseModel):
    """What is open and decided."""

    case: str
    version: str
    file: str | None
    rows: int | None
    sampled: int | None
    columns: int
    undecided: list[str]
    problem: str
    aim: dict[str, Any]
    undoes: str
    redoes: str
    jobs: list[JobStatus]


class CaseName(BaseModel):
    """What a case is called."""

    name: Name


class CaseSummary(BaseModel):
    """A case: what it is called, which file it is about, and whether that must be sent to open it."""

    id: str
    name: str
    begun: str
    changed: str
    file: str
    sha256: str | None
    copy_of: str
    is_open: bool
    needs_file: bool


def _summary(case: Case, info: CaseInfo) -> CaseSummary:
    kept = (case.library.original(info.id) / info.file).is_file()
    same = info.sha256 is not None and info.sha256 == case.look.get("sha256")
    given = info.model_dump(include=set(CaseSummary.model_fields))
    return CaseSummary(**given, is_open=info.id == case.id, needs_file=not (info.path or kept or same))


@api.get("/workbench")
def workbench(case: Here) -> CaseState:
    """Give what is open and decided."""
    decisions, history = case.decisions, case.history
    return CaseState(
        case=case.id,
        version=case.version,
        file=case.file.name if case.file else None,
        rows=case.look.get("rows"),
        sampled=case.look.get("sampled"),
        columns=len(decisions.roles),
        undecided=list(decisions.undecided),
        problem=decisions.problem,
        aim={"key": decisions.aim.key, "models": decisions.aim.models, "method": decisions.aim.method},
        undoes=history.undoes,
        redoes=history.redoes,
        jobs=[JobStatus.of_job(job) for job in case.jobs.all()],
    )


@api.post("/undo")
def undo(case: Here, shown: Shown) -> CaseState:
    """Take back the last decision."""
    with case.changing(shown):
        case.undo()
    return workbench(case)


@api.post("/redo")
def redo(case: Here, shown: Shown) -> CaseState:
    """Decide again what was taken back."""
    with case.changing(shown):
        case.redo()
    return workbench(case)


@api.get("/cases")
def cases(case: Here) -> list[CaseSummary]:
    """List the cases, the last changed first."""
    return [_summary(case, info) for info in case.library.cases(case.info)]


@api.post("/cases/{id}/open")
def open_case(case: Here, shown: Shown, id: str) -> CaseState:
    """Open a case of an earlier day, if its file is still there; what is open is put away."""
    with case.changing(shown):
        case.reopen(id)
    return workbench(case)


@api.put("/cases/file", openapi_extra={"requestBody": BYTES})
def send_file(case: Here, shown: Shown, of: CaseId, sent: SentFile) -> CaseState:
    """Send the file of a case once more, as the bytes of the request, and open the case with it."""
    with case.changing(shown):
        case.reopen(of, sent)
    return workbench(case)


@api.post("/cases/copy")
def copy(case: Here, shown: Shown, given: CaseName) -> CaseState:
    """Go on with a copy of the case that is open, to try other roles or hierarchies; it stays as it is."""
    with case.changing(shown):
        case.branch(given.name)
    return workbench(case)


@api.put("/cases/name")
def rename(case: Here, shown: Shown, given: CaseName) -> CaseSummary:
    """Give the case that is open another name."""
    with case.changing(shown):
        case.store.set_info(case.store.info.model_copy(update={"name": given.name}))
        return _summary(case, case.store.info)


@api.delete("/cases/{id}", status_code=204)
def delete(case: Here, shown: Shown, id: str) -> None:
    """Delete a case. A file that was opened by its path stays where it is."""
    with case.changing(shown):
        if id == case.id:
            case.close_file()
        if case.library.has(id):
            case.library.delete(id)


@api.get("/cases/{id}.json", response_class=Response)
def export(case: Here, id: str) -> Response:
    """Give a case as a file, without anything of the original."""
    with case.lock, nullcontext(case.store) if id == case.id else closing(case.library.open(id)) as store:
        name, content = quote(f"{safe_name(store.info.name)}.case.json"), exported(store)
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{name}"}
    return Response(content, media_type="application/json", headers=headers)


@api.put("/cases/import", openapi_extra={"requestBody": BYTES})
def import_case(case: Here, shown: Shown, sent: SentCase) -> CaseSummary:
    """Take a case that was exported. Its file must be sent to open it."""
    with case.changing(shown):
        info = imported(case.library, sent, fresh_id())
    return _summary(case, info)


@pages.get("/cases")
def cases_page(case: Here) -> HTMLResponse:
    """Show the cases, and the trail of the one that is open."""
    known = case.library.cases(case.info)
    return page(
        case,
        "cases",
        cases=[_summary(case, info) for info in known],
        elsewhere=case.library.unreadable(known),
        trail=case.trail(),
        limit=case.settings.most_bytes,
    )


pages.by_form("/cases/{id}/open", open_case, "/")
pages.by_form("/cases/file", send_file, "/")
pages.by_form("/cases/copy", copy, "/cases")
pages.by_form("/cases/name", rename, "/cases")
pages.by_form("/cases/{id}/delete", delete, "/cases")
pages.get("/cases/{id}/export")(export)
pages.by_form("/cases/import", import_case, "/cases")
pages.by_form("/undo", undo, lambda request, _: came_from(request, SCREENS))
pages.by_form("/redo", redo, lambda request, _: came_from(request, SCREENS))
