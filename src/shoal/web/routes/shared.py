"""What the screens share: routers for pages and for the API, how a case is found, and how one waits for work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import RedirectResponse
from pydantic import BaseModel

from shoal.web.cases.case import Case
from shoal.web.session_middleware import session_of
from shoal.web.tasks.job import Job

LONGEST_WAIT = 30.0
MOST_FIELDS = 4000  # of a form: two for each column
PATIENCE = 0.7  # seconds that a page waits for work that is nearly done, rather than showing that it goes on


class Problem(BaseModel):
    """What is wrong, and what to do."""

    error: str
    remedy: str


PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "It cannot be read"},
    401: {"model": Problem, "description": "A token is needed"},
    404: {"model": Problem, "description": "It is not there"},
    409: {"model": Problem, "description": "It was shown another version than holds now"},
    413: {"description": "More than can be taken"},
    422: {"model": Problem, "description": "It cannot be done"},
}
BYTES = {
    "required": True,
    "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
}


def page_router() -> APIRouter:
    """Make a router for pages and their forms, which the API does not describe."""
    return APIRouter(include_in_schema=False)


def api_router() -> APIRouter:
    """Make a router for programs."""
    return APIRouter(prefix="/api", responses=PROBLEMS)


def case_of(request: Request) -> Case:
    """Give the case that is open in the session of a request."""
    return session_of(request).case


async def version_shown(request: Request) -> str | None:
    """Give the version that a request was made for. A form must carry one, beside its fields or in its address.

    Programs may send it as a header; what does not is meant for whatever holds.
    """
    if request.url.path.startswith("/api/"):
        return request.headers.get("case-version")
    shown = request.query_params.get("version")
    if shown is None and "multipart" not in request.headers.get("content-type", ""):
        form = await request.form(max_files=0, max_fields=MOST_FIELDS)
        shown = str(form.get("version", ""))
    return shown or ""


Here = Annotated[Case, Depends(case_of)]
Shown = Annotated[str | None, Depends(version_shown)]
Wait = Annotated[float, Query(ge=0, le=LONGEST_WAIT, description="Seconds to wait for the work to end.")]


class JobStatus(BaseModel):
    """How a job is."""

    id: str
    task: str
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    step: str
    done: int
    of: int
    error: str
    remedy: str

    @classmethod
    def of_job(cls, job: Job, wait: float = 0) -> JobStatus:
        """Give the status of a job after it had some time to end."""
        job.wait(wait)
        return cls(**job.status())


def after(case: Case, task: str, wait: float, known: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Give what is known after a task had some time to end, and how far it is."""
    job = case.jobs.of(task)
    if job is not None:
        job.wait(wait)
    return known() | ({"job": job.status()} if job is not None else {})


def see(place: str) -> RedirectResponse:
    """Lead on to a page after something was changed."""
    return RedirectResponse(place, 303)


def by_htmx(request: Request) -> bool:
    """Tell whether a part of a page is asked for, by a script, rather than a page."""
    return "hx-request" in request.headers
