"""The application: pages, API and static files, behind the entrance and the guard."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from shoal.errors import DataError, ShoalError
from shoal.version import VERSION
from shoal.web import api, endings, pages, role_pages, tree_api, tree_pages
from shoal.web.entrance import Entrance
from shoal.web.guard import Guard
from shoal.web.rendering import rendered, states, stylesheet
from shoal.web.rooms import Rooms
from shoal.web.settings import Settings
from shoal.web.uploading import TooLargeError

_KINDS = {"htmx.min.js": "text/javascript", "workbench.js": "text/javascript", "shoal.svg": "image/svg+xml"}
# Nothing is told to anyone, whatever the environment says.
_SILENT: Any = {"tracing": False, "metrics": False, "logs": False, "operation_spans": False, "auto_configure": False}
_DAY = {"Cache-Control": "private, max-age=86400"}


def create_app(settings: Settings) -> ASGIApp:
    """Make the application for a server."""
    rooms = Rooms(settings)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        rooms.close()

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
    app.include_router(api.router)
    app.include_router(tree_api.router)
    app.include_router(tree_pages.router)
    app.include_router(pages.router)
    app.include_router(role_pages.router)
    app.include_router(endings.router)
    _static(app)
    _failures(app)
    return Guard(Entrance(app, rooms), settings)


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

    @app.exception_handler(ShoalError)
    def told(request: Request, error: Exception) -> Response:
        assert isinstance(error, ShoalError)
        status = 413 if isinstance(error, TooLargeError) else 422
        missing = isinstance(error, DataError) and error.what.startswith("There is no such")
        return _answer(request, 404 if missing else status, error.what, error.remedy)

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
    content |= {"session": session, "decisions": session.decisions, "history": session.history, "step": ""}
    content |= {"states": states(session), "poll": False, "again": "", "message": None}
    return HTMLResponse(rendered("error.html", **content), status, headers)
