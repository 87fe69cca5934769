"""The application: pages, API and static files, behind the guard and the middleware that finds the session."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any

import python_multipart  # noqa: F401 - FastAPI needs it for forms; here its absence is an ImportError as any other
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from shoal.errors import ShoalError
from shoal.version import VERSION
from shoal.web import reader
from shoal.web.errors import USUAL_STATUS, StaleError
from shoal.web.guard import Guard
from shoal.web.page_templates import framed, rendered, stylesheet
from shoal.web.routes import (
    attacks,
    cases,
    compare,
    data,
    harbor,
    hierarchies,
    jobs,
    levels,
    protect,
    questions,
    reasons,
    release,
    risk,
    risk_certificate,
    roles,
    sections,
    sessions,
    unicity,
)
from shoal.web.routes import (
    files as other_files,
)
from shoal.web.session_middleware import SessionMiddleware
from shoal.web.session_store import SessionStore
from shoal.web.settings import Settings

_KINDS = {"htmx.min.js": "text/javascript", "workbench.js": "text/javascript", "shoal.svg": "image/svg+xml"} | {
    f"inter-{script}.woff2": "font/woff2" for script in ("latin", "latin-ext", "greek", "cyrillic")
}
# Nothing is reported to anyone, whatever the environment says.
_SILENT: Any = {"tracing": False, "metrics": False, "logs": False, "operation_spans": False, "auto_configure": False}
_SCREENS = (
    cases, data, roles, harbor, risk, risk_certificate, sections, unicity, reasons, hierarchies, levels, protect,
    other_files, compare, attacks, release, jobs, sessions, questions,
)  # fmt: skip
_DAY = {"Cache-Control": "private, max-age=86400"}


def create_app(settings: Settings) -> ASGIApp:
    """Make the application for a server."""
    store = SessionStore(settings)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        store.close()

    app = FastAPI(
        title="shoal workbench",
        version=VERSION,
        summary="From a file to a release that nobody stands alone in.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        telemetry=_SILENT,
        lifespan=lifespan,
    )
    for screen in _SCREENS:
        app.include_router(screen.api)
        app.include_router(screen.pages)
    app.include_router(reader.router)
    _static(app)
    _failures(app)
    return Guard(reader.Reader(SessionMiddleware(app, store)), settings)


def _static(app: FastAPI) -> None:
    folder = files("shoal.web").joinpath("static")
    texts = {name: folder.joinpath(name).read_bytes() for name in _KINDS}

    @app.get("/static/workbench.css", include_in_schema=False)
    def css() -> Response:
        return Response(stylesheet(), media_type="text/css", headers=_DAY)

    @app.get("/static/{name}", include_in_schema=False)
    def static(name: str) -> Response:
        if name not in texts:
            raise HTTPException(404)
        return Response(texts[name], media_type=_KINDS[name], headers=_DAY)

    @app.get("/api/docs", include_in_schema=False)
    def docs() -> HTMLResponse:
        return HTMLResponse(rendered("api.html", schema=app.openapi(), VERSION=VERSION))


def _failures(app: FastAPI) -> None:
    """Say what is wrong in the form in which it was asked for: to programs as JSON, to people as a page."""

    @app.exception_handler(StaleError)
    @app.exception_handler(ShoalError)
    def mistaken(request: Request, error: Exception) -> Response:
        assert isinstance(error, ShoalError | StaleError)
        return _answer(request, getattr(error, "status", USUAL_STATUS), error.what, error.remedy)

    @app.exception_handler(RequestValidationError)
    def wrong(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        where = ", ".join(dict.fromkeys(str(each["loc"][-1]) for each in error.errors()))
        return _answer(request, 422, f"What was sent makes no sense ({where}).", "See /api/docs for what is expected.")

    @app.exception_handler(HTTPException)
    def missing(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        what = "There is no such page." if error.status_code == 404 else str(error.detail)
        return _answer(request, error.status_code, what, "Go back to the workbench.", error.headers)

    @app.exception_handler(Exception)
    def broken(request: Request, error: Exception) -> Response:
        what = f"Something went wrong inside shoal ({type(error).__name__}). This is a defect, not your mistake."
        return _answer(request, 500, what, "Please report it. Your file and your decisions are as they were.")


def _answer(request: Request, status: int, what: str, remedy: str, headers: Any = None) -> Response:
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": what, "remedy": remedy}, status, headers)
    if request.headers.get("hx-request"):
        text = rendered("message.html", what=what, remedy=remedy)
        return HTMLResponse(text, status, {"HX-Retarget": "#message", "HX-Reswap": "innerHTML"})
    session = getattr(request.state, "session", None)
    content = {"what": what, "remedy": remedy, "status": status}
    if session is None:
        return HTMLResponse(rendered("bare.html", **content), status, headers)
    return HTMLResponse(framed(session.case, "error", step="", **content), status, headers)
