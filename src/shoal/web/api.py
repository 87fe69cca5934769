"""The workbench through HTTP, for programs: the same session that the pages show, as JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from shoal.schema import Role
from shoal.web.decisions import K_LEVELS, K_MOST, MOST_PINNED, Aim
from shoal.web.entrance import session_of
from shoal.web.jobs import Job
from shoal.web.places import on_this_computer
from shoal.web.session import Session
from shoal.web.uploading import received

LONGEST_WAIT = 30.0


class Problem(BaseModel):
    """What is wrong, and what to do."""

    error: str
    remedy: str


PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "It cannot be read"},
    401: {"model": Problem, "description": "A token is needed"},
    404: {"model": Problem, "description": "It is not there"},
    413: {"description": "More than can be taken"},
    422: {"model": Problem, "description": "It cannot be done"},
}
router = APIRouter(prefix="/api", responses=PROBLEMS)
BYTES = {
    "required": True,
    "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
}
Here = Annotated[Session, Depends(session_of)]
Wait = Annotated[float, Query(ge=0, le=LONGEST_WAIT, description="Seconds to wait for the work to end.")]


class OpenPath(BaseModel):
    """A file in a folder that was named when the server was started."""

    path: str = Field(max_length=4096)


class RolesGiven(BaseModel):
    """Roles of some columns; null makes a column undecided."""

    roles: dict[str, Role | None]


class AimGiven(BaseModel):
    """How a table is to be protected."""

    method: Literal["hilbert", "mondrian", "sorted-clusters"] = "hilbert"
    k: int = Field(5, description=f"Whole, from 2 to {K_MOST}; tried ahead are {', '.join(map(str, K_LEVELS))}.")
    guard: Literal["none", "t-closeness", "l-diversity"] = "none"
    level: float = Field(0, description="t, between 0 and 1, or l, whole and at least 2; 0 without a further promise.")
    column: str = Field("", description="The confidential column that the further promise is about.")

    @property
    def aim(self) -> Aim:
        """What is asked for, if it makes sense."""
        return Aim(self.method, self.k, self.guard, self.level, self.column)


class Wanted(AimGiven):
    """How a table is to be protected, and how the release is written."""

    format: Literal["csv", "parquet"] = "csv"
    audience: Literal["internal", "external"] = "internal"
    pdf: bool = Field(False, description="The report also as PDF, for which `shoal[report]` must be installed.")
    approver: str = Field("", max_length=200)


class Compared(BaseModel):
    """The keys of candidates, as `/api/candidates` names them."""

    keys: list[str] = Field(max_length=MOST_PINNED)


class JobTold(BaseModel):
    """How a job is."""

    id: str
    task: str
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    step: str
    done: int
    of: int
    error: str
    remedy: str


class ColumnTold(BaseModel):
    """A column: what it is, and which role it seems to have and why. No cell is told."""

    name: str
    kind: str
    why_kind: str
    distinct: int
    missing: int
    role: Role
    why: str
    sure: bool
    bars: list[float]
    decided: Role | None


class WorkbenchTold(BaseModel):
    """What is open and decided."""

    file: str | None
    rows: int | None
    sampled: int | None
    columns: int
    undecided: list[str]
    problem: str
    aim: dict[str, Any]
    undoes: str
    redoes: str
    jobs: list[JobTold]


class ReleaseTold(BaseModel):
    """A release that has been written."""

    id: str
    kept: bool
    label: str
    files: dict[str, dict[str, Any]]
    verdicts: list[dict[str, Any]]
    scores: dict[str, float]
    proved: list[str]
    not_proved: list[str]
    sha256: str


def waited(job: Job, seconds: float) -> JobTold:
    """Tell how a job is after it had some time to end."""
    job.wait(seconds)
    return JobTold(**job.told())


def _after(session: Session, task: str, seconds: float, told: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Tell what is known after a task had some time to end, and how far it is."""
    job = session.working(task)
    if job is not None:
        job.wait(seconds)
    return told() | ({"job": job.told()} if job is not None else {})


@router.get("/workbench")
def workbench(session: Here) -> WorkbenchTold:
    """Tell what is open and decided."""
    decisions, history = session.decisions, session.history
    return WorkbenchTold(
        file=session.file.name if session.file else None,
        rows=session.look.get("rows"),
        sampled=session.look.get("sampled"),
        columns=len(decisions.roles),
        undecided=list(decisions.undecided),
        problem=decisions.problem,
        aim={"key": decisions.aim.key, "models": decisions.aim.models, "method": decisions.aim.method},
        undoes=history.undoes,
        redoes=history.redoes,
        jobs=[JobTold(**job.told()) for job in list(session.jobs.values())],
    )


@router.put("/file", status_code=202, openapi_extra={"requestBody": BYTES})
async def send_file(
    request: Request, session: Here, name: Annotated[str, Query(min_length=1, max_length=500)], wait: Wait = 0
) -> JobTold:
    """Send a file, as the bytes of the request, and open it."""
    path = await received(request, session.folder, session.settings.most_bytes, name)
    job = await run_in_threadpool(session.open, path, path.name, sent=True)
    return await run_in_threadpool(waited, job, wait)


@router.post("/file/open", status_code=202)
def open_file(session: Here, given: OpenPath, wait: Wait = 0) -> JobTold:
    """Open a file of this computer that lies in a folder named when the server was started."""
    path = on_this_computer(session.settings, given.path)
    return waited(session.open(path, path.name, sent=False), wait)


@router.delete("/file", status_code=204)
def close_file(session: Here) -> None:
    """Close the file, and remove it if it was sent."""
    session.close_file()


@router.get("/roles")
def roles(session: Here) -> list[ColumnTold]:
    """Tell the columns, the roles that they seem to have, and those that were decided."""
    decided = session.decisions.roles
    return [ColumnTold(**each, decided=decided.get(each["name"])) for each in session.look.get("columns", [])]


@router.put("/roles")
def give_roles(session: Here, given: RolesGiven) -> list[ColumnTold]:
    """Give columns roles."""
    session.decide_roles(given.roles)
    return roles(session)


@router.put("/roles/import", openapi_extra={"requestBody": BYTES})
async def import_roles(request: Request, session: Here) -> list[ColumnTold]:
    """Give columns the roles that a recipe (TOML) or a certificate (JSON) gives them; others stay as they were."""
    content = await request.body()
    await run_in_threadpool(session.import_roles, content)
    return roles(session)


@router.get("/risk")
def risk(session: Here, wait: Wait = 0) -> dict[str, Any]:
    """Tell the risk of the table as it is. While ``complete`` is missing, more is being found out."""
    session.risk()
    return _after(session, "measure", wait, session.risk)


@router.get("/candidates")
def candidates(session: Here, wait: Wait = 0) -> dict[str, Any]:
    """Tell what every way to protect the table would give, as far as that is known."""
    session.candidates()
    return _after(session, "search", wait, lambda: {"candidates": session.candidates()})


@router.put("/aim")
def choose(session: Here, given: AimGiven, wait: Wait = 0) -> dict[str, Any]:
    """Choose a way to protect the table, and tell what it gives; what was not tried ahead is tried now."""
    session.choose(given.aim)
    session.candidates()
    key = given.aim.key
    patience = wait if session.candidate(key) is None else 0
    return _after(session, "search", patience, lambda: {"key": key, "candidate": session.candidate(key)})


def _compared(session: Session, wait: float) -> dict[str, Any]:
    session.candidates()
    session.spreads()

    def told() -> dict[str, Any]:
        candidates = {key: session.candidate(key) for key in session.decisions.pinned}
        return {"candidates": candidates, "spreads": session.spreads()}

    return _after(session, "spread", wait, told)


@router.get("/comparison")
def comparison(session: Here, wait: Wait = 0) -> dict[str, Any]:
    """Tell of the candidates that are compared what each gives, and how its columns are spread before and after."""
    return _compared(session, wait)


@router.put("/comparison")
def compare(session: Here, given: Compared, wait: Wait = 0) -> dict[str, Any]:
    """Put up to four candidates side by side."""
    session.compare(given.keys)
    return _compared(session, wait)


@router.post("/anonymize", status_code=202)
def anonymize(session: Here, given: Wanted, wait: Wait = 0) -> JobTold:
    """Write a release as a job. When it is done, the release has the name of the job."""
    session.choose(given.aim)
    job = session.publish(
        parquet=given.format == "parquet", audience=given.audience, approver=given.approver, pdf=given.pdf
    )
    return waited(job, wait)


@router.get("/jobs/{id}")
def job(session: Here, id: str, wait: Wait = 0) -> JobTold:
    """Tell how a job is."""
    return waited(session.job(id), wait)


@router.delete("/jobs/{id}")
def cancel(session: Here, id: str) -> JobTold:
    """End a job. It leaves nothing behind."""
    found = session.job(id)
    found.cancel()
    return waited(found, 5)


def _release_told(session: Session, id: str) -> ReleaseTold:
    found = session.released(id)
    return ReleaseTold(**{**found.told, "id": found.id, "kept": found.kept})


@router.get("/releases")
def releases(session: Here) -> list[ReleaseTold]:
    """List the releases that have been written, those of earlier days included if they were kept."""
    return [_release_told(session, id) for id in list(session.releases)]


@router.post("/releases/{id}/keep")
def keep(session: Here, id: str) -> ReleaseTold:
    """Let a release outlive the server."""
    session.keep(id)
    return _release_told(session, id)


@router.delete("/releases/{id}", status_code=204)
def forget(session: Here, id: str) -> None:
    """Remove a release."""
    session.forget(id)


@router.get("/releases/{id}/{name}", response_class=FileResponse)
def download(session: Here, id: str, name: str) -> FileResponse:
    """Give a file of a release."""
    path = session.released(id).file(name)
    return FileResponse(path, filename=path.name, media_type="application/octet-stream")


@router.post("/undo")
def undo(session: Here) -> WorkbenchTold:
    """Take back the last decision."""
    session.undo()
    return workbench(session)


@router.post("/redo")
def redo(session: Here) -> WorkbenchTold:
    """Decide again what was taken back."""
    session.redo()
    return workbench(session)
