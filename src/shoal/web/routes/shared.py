"""What the screens share: routers for pages and for the API, how a case is found, and how one waits for work."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, get_args

from fastapi import APIRouter, Depends, Form, Query, Request, params
from fastapi.responses import FileResponse, RedirectResponse, Response
from pydantic import BaseModel
from starlette.datastructures import FormData

from shoal.web.cases.case import Case
from shoal.web.session_middleware import session_of
from shoal.web.tasks.job import Job, State
from shoal.web.uploads import held, limited, received

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
        shown = str((await fields_of(request)).get("version", ""))
    return shown or ""


async def fields_of(request: Request) -> FormData:
    """Give the fields of a form that has as many as there are columns."""
    return await request.form(max_files=0, max_fields=MOST_FIELDS)


Here = Annotated[Case, Depends(case_of)]
Shown = Annotated[str | None, Depends(version_shown)]
Fields = Annotated[FormData, Depends(fields_of)]


def file_of_form(*, any_kind: bool = False) -> Callable[..., AsyncIterator[Path]]:
    """Take the file of a form, which may be no table if it may be of any kind."""

    async def file(request: Request, case: Here) -> AsyncIterator[Path]:
        async with held(request, case.folder, case.settings.most_bytes, any_kind=any_kind) as path:
            yield path

    return file


def file_of_bytes(*, any_kind: bool = False) -> Callable[..., AsyncIterator[Path]]:
    """Take the bytes of a request as a file, under a name."""

    async def file(
        request: Request, case: Here, name: Annotated[str, Query(min_length=1, max_length=500)]
    ) -> AsyncIterator[Path]:
        async with held(request, case.folder, case.settings.most_bytes, name, any_kind=any_kind) as path:
            yield path

    return file


def content_of(most: int, *, any_kind: bool = False) -> Callable[..., Awaitable[bytes]]:
    """Take at most so many bytes that programs send as they are, and people as the file of a form."""

    async def content(request: Request, case: Here) -> bytes:
        if request.url.path.startswith("/api/"):
            return await limited(request, most)
        path = await received(request, case.folder, most, any_kind=any_kind)
        try:
            return path.read_bytes()
        finally:
            shutil.rmtree(path.parent, ignore_errors=True)

    return content


SentFile = Annotated[Path, Depends(file_of_bytes())]
SentOther = Annotated[Path, Depends(file_of_bytes(any_kind=True))]
_SENT_BY_FORM: dict[Any, Any] = {
    SentFile: Annotated[Path, Depends(file_of_form())],
    SentOther: Annotated[Path, Depends(file_of_form(any_kind=True))],
}
Wait = Annotated[float, Query(ge=0, le=LONGEST_WAIT, description="Seconds to wait for the work to end.")]


class JobStatus(BaseModel):
    """How a job is."""

    id: str
    task: str
    state: State
    step: str
    done: int
    of: int
    error: str
    remedy: str

    @classmethod
    def of_job(cls, job: Job, wait: float = 0) -> JobStatus:
        """Give the status of a job after it had some time to end."""
        job.wait(wait)
        return cls.model_validate(job, from_attributes=True)


def after(case: Case, task: str, wait: float, known: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Give what is known after a task had some time to end, and how far it is."""
    job = case.jobs.of(task)
    status = {} if job is None else {"job": JobStatus.of_job(job, wait).model_dump()}
    return known() | status


class PageRouter(APIRouter):
    """A router for pages and their forms, which the API does not describe."""

    def __init__(self) -> None:
        super().__init__(include_in_schema=False)

    def by_form(self, path: str, act: Callable[..., Any], to: str | Callable[[Request, Any], str]) -> None:
        """Let a form do what programs ask for in the same words, and lead on to a screen, or to one for what was asked.

        What is found out has a moment to end, so that mostly it is there when the screen is.
        """
        takes = signature(act, eval_str=True).parameters
        sends = any(each.annotation in _SENT_BY_FORM for each in takes.values())  # then all else is in the address

        def done(request: Request, **values: Any) -> RedirectResponse:
            act(**values, **({"wait": PATIENCE} if "wait" in takes else {}))
            return see(to if isinstance(to, str) else to(request, values))

        fields = [
            each.replace(annotation=_of_form(each.annotation, in_address=sends or f"{{{name}}}" in path))
            for name, each in takes.items()
            if name != "wait"
        ]
        of_request = Parameter("request", Parameter.POSITIONAL_OR_KEYWORD, annotation=Request)
        done.__signature__ = Signature([of_request, *fields])  # type: ignore[attr-defined]
        self.post(path)(done)


def routers() -> tuple[APIRouter, PageRouter]:
    """Make the routers of a screen: one for programs, and one for its pages."""
    return APIRouter(prefix="/api", responses=PROBLEMS), PageRouter()


def _of_form(annotation: Any, *, in_address: bool) -> Any:
    """Give how a form says what programs say in a body, or in an address."""
    if annotation in _SENT_BY_FORM:
        return _SENT_BY_FORM[annotation]
    kind, *more = get_args(annotation) or (annotation,)
    if in_address or any(isinstance(each, params.Depends) for each in more):
        return annotation
    return Annotated[kind, *(limit for each in more for limit in each.metadata), Form()]


def see(place: str) -> RedirectResponse:
    """Lead on to a page after something was changed."""
    return RedirectResponse(place, 303)


def file_to_keep(place: Path) -> FileResponse:
    """Give a file to be kept under its own name."""
    return FileResponse(place, filename=place.name, media_type="application/octet-stream")


def made_anew(place: str) -> Response:
    """Let a script show the whole screen anew, because more of it is another one than what was asked for."""
    again = {"path": place, "target": "#screen", "select": "#screen", "swap": "outerHTML"}
    return Response(status_code=204, headers={"HX-Location": json.dumps(again)})


def by_htmx(request: Request) -> bool:
    """Tell whether a part of a page is asked for, by a script, rather than a page."""
    return "hx-request" in request.headers
