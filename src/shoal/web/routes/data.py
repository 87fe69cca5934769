"""The screen of the data: a file is sent or opened by its path, looked at, and closed."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import Annotated, Any

from fastapi import Form, Query, Request
from fastapi.responses import HTMLResponse, Response
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from shoal.datasets.patients import write_patients
from shoal.errors import DataError, ShoalError
from shoal.web.cases.case import Case
from shoal.web.errors import USUAL_STATUS, WebError
from shoal.web.file_access import offered, on_this_computer
from shoal.web.page_templates import page, rendered
from shoal.web.routes.shared import (
    BYTES,
    PATIENCE,
    Fields,
    Here,
    JobStatus,
    SentFile,
    Shown,
    Wait,
    by_htmx,
    routers,
    see,
)
from shoal.web.tasks.messages import Layout
from shoal.web.uploads import held

api, pages = routers()


class FilePath(BaseModel):
    """A file, or a folder that holds one table, in a folder that was named when the server was started."""

    path: str = Field(max_length=4096)


@api.put("/file", status_code=202, openapi_extra={"requestBody": BYTES})
def send_file(case: Here, shown: Shown, sent: SentFile, wait: Wait = 0) -> JobStatus:
    """Send a file, as the bytes of the request, and open it."""
    with case.changing(shown):
        job = case.open(sent, sent.name, sent=True)
    return JobStatus.of_job(job, wait)


@api.post("/file/open", status_code=202)
def open_file(case: Here, shown: Shown, given: FilePath, wait: Wait = 0) -> JobStatus:
    """Open a file, or a table in a folder, of this computer that lies in a folder named when the server was started."""
    with case.changing(shown):
        path = on_this_computer(case.settings, given.path, folders=True)
        job = case.open(path, path.name, sent=False)
    return JobStatus.of_job(job, wait)


@api.delete("/file", status_code=204)
def close_file(case: Here, shown: Shown, keep: Annotated[bool, Query()] = False) -> None:
    """Close the case. A file that was sent is removed, unless it is to be kept with the case."""
    with case.changing(shown):
        case.close_file(keep=keep)


@api.get("/reading")
def reading(case: Here) -> Layout:
    """Give what was said of how the file is laid out; what was not said is found out from the file."""
    return case.decisions.layout


@api.put("/reading", status_code=202)
def read_as(case: Here, shown: Shown, given: Layout, wait: Wait = 0) -> JobStatus:
    """Read the file in another way: delimiter, encoding, decimal sign, missing codes, sheet, kinds, orders."""
    with case.changing(shown):
        job = case.read_as(given)
    return JobStatus.of_job(job, wait)


@pages.get("/")
def start(case: Here) -> Response:
    """Lead to the screen on which there is something to do."""
    case.jobs.wait("look", PATIENCE)
    job = case.jobs.of("look")
    if case.file is None and job is not None and (not job.over or job.state == "failed"):
        return see("/data?then=roles")  # a file that was named when the server was started is looked at, or cannot be
    if case.file is None and case.settings.ledger is not None:
        return see("/questions")
    if case.file is None:
        return see("/cases" if case.library.exists() else "/data")
    return see("/roles" if case.decisions.problem else "/risk")


@pages.get("/data")
def data(request: Request, case: Here, then: Annotated[str, Query()] = "") -> Response:
    """Show what is open, and how to open something; lead on as soon as a file that was just opened is there."""
    case.jobs.wait("look", PATIENCE)
    if then == "roles" and case.is_open:
        return Response(status_code=204, headers={"HX-Redirect": "/roles"}) if by_htmx(request) else see("/roles")
    return _data(case, then=then)


def _data(case: Case, error: ShoalError | None = None, then: str = "") -> HTMLResponse:
    job, opened = case.jobs.of("look"), case.unread or case.file
    return page(
        case,
        "data",
        form="" if opened is None else opened.form,
        look={} if case.unread else case.look,
        status=200 if error is None else error.status if isinstance(error, WebError) else USUAL_STATUS,
        job=job,
        files=offered(case.settings, folders=True),
        limit=case.settings.most_bytes,
        error=error or (DataError(job.error, job.remedy) if job and job.state == "failed" else None),
        again="/data?then=roles" if then == "roles" else "/data",
    )


@pages.post("/data/upload")
async def upload(request: Request, case: Here, shown: Shown) -> Response:
    """Take a file that is sent, and open it."""
    async with AsyncExitStack() as stack:
        try:
            path = await stack.enter_async_context(held(request, case.folder, case.settings.most_bytes))
        except ShoalError as error:
            return await run_in_threadpool(_data, case, error)
        await run_in_threadpool(send_file, case, shown, path)
    return see("/data?then=roles")


@pages.post("/data/open")
def open_by_form(case: Here, shown: Shown, path: Annotated[str, Form(max_length=4096)]) -> Response:
    """Open a file of this computer."""
    try:
        open_file(case, shown, FilePath(path=path))
    except ShoalError as error:
        return _data(case, error)
    return see("/data?then=roles")


@pages.post("/data/example")
def example(case: Here, shown: Shown) -> Response:
    """Open a made-up table, to try things out."""
    with case.changing(shown):
        folder = case.folder / "example"
        folder.mkdir(mode=0o700, exist_ok=True)
        path = folder / "patients.csv"
        write_patients(path)
        case.open(path, path.name, sent=True)
    return see("/data?then=roles")


pages.by_form("/data/close", close_file, "/data")


@pages.post("/data/preview")
def preview_by_form(case: Here, shown: Shown) -> HTMLResponse:
    """Show the first rows, because someone asked to see them."""
    return preview(case, shown)


def preview(case: Case, shown: str | None, layout: Layout | None = None, *, shapes: bool = False) -> HTMLResponse:
    """Show the first rows, or how they would be read: as they are, or only the shapes of their cells."""
    with case.changing(shown):
        job = case.preview(layout)
    job.wait(20)
    return HTMLResponse(rendered("preview.html", job=job, found=job.result, shapes=shapes))


@pages.post("/data/reading")
def read_by_form(request: Request, case: Here, shown: Shown, form: Fields) -> Response:
    """Read the file as a form says; or show first how its rows would be read."""
    layout = _layout(case.decisions.layout, {name: str(value) for name, value in form.items()})
    if by_htmx(request) or "look" in form:
        return preview(case, shown, layout, shapes="values" not in form)
    job = read_as(case, shown, layout, 20.0)
    return _data(case, DataError(job.error, job.remedy)) if job.state == "failed" else see("/data?then=roles")


def _layout(before: Layout, form: Mapping[str, str]) -> Layout:
    """Give the layout that a form says; kinds and orders of columns stay, unless other cells of a workbook are read."""
    texts = {name: form[name] for name in ("delimiter", "encoding", "decimal", "thousands", "dates") if form.get(name)}
    said: dict[str, Any] = {name: {"tab": "\t", "blank": " "}.get(text, text) for name, text in texts.items()}
    said |= {name: form[name] == "yes" for name in ("header", "masked") if form.get(name)}
    place = {name: form.get(name) or None for name in ("sheet", "range", "at_version")}
    said |= {name: text for name, text in place.items() if text}
    marks = tuple(dict.fromkeys(mark.strip() for mark in form.get("missing", "").split(",") if mark.strip()))
    more: dict[str, Any] = {"missing": marks}
    if all(getattr(before, name) == text for name, text in place.items()):  # elsewhere are other columns
        more |= {"kinds": before.kinds, "orders": before.orders}
    return Layout.model_validate(said | {name: value for name, value in more.items() if value})
