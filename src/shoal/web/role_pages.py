"""The screen of roles: one column at a time, several at once, or as a recipe has them."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import HTMLResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData

from shoal.errors import ShoalError
from shoal.schema import Role
from shoal.web.entrance import session_of
from shoal.web.pages import by_htmx, see
from shoal.web.rendering import page, rendered
from shoal.web.session import Session
from shoal.web.uploading import small_file

router = APIRouter(include_in_schema=False)
Here = Annotated[Session, Depends(session_of)]
Named = Annotated[str, Query(max_length=200)]
UNDECIDED = "undecided"


@router.get("/roles")
def roles(request: Request, session: Here, named: Named = "", having: Named = "") -> Response:
    """Show the columns and their roles: all of them, or those whose name holds a text or that have a role."""
    return see("/data") if session.file is None else _roles(request, session, named, having)


def _roles(
    request: Request, session: Session, named: str = "", having: str = "", *, status: int = 200, **more: Any
) -> HTMLResponse:
    wanted = set(_shown(session, named, having))
    shown = [(place, each) for place, each in enumerate(session.look["columns"]) if each["name"] in wanted]
    content = {"shown": shown, "named": named, "having": having, "notice": ""} | more
    return page(request, session, "roles", status=status, **content)


def _shown(session: Session, named: str, having: str) -> list[str]:
    """Give the columns that a filter lets through."""
    return [
        name
        for name, role in session.decisions.roles.items()
        if named.casefold() in name.casefold() and having in ("", UNDECIDED if role is None else role.value)
    ]


def _back(named: str, having: str) -> Response:
    filters = {key: value for key, value in (("named", named), ("having", having)) if value}
    return see(f"/roles?{urlencode(filters)}" if filters else "/roles")


@router.post("/roles")
async def give_roles(request: Request, session: Here) -> Response:
    """Give columns the roles that a form names; and one role to all that are ticked, if that was asked for."""
    form = await request.form(max_files=0, max_fields=4000)
    await run_in_threadpool(session.decide_roles, _changed(form, list(session.decisions.roles)))
    if by_htmx(request):
        return HTMLResponse(rendered("role_state.html", decisions=session.decisions, history=session.history))
    return _back(str(form.get("named", "")), str(form.get("having", "")))


def _changed(form: FormData, names: list[str]) -> dict[str, Role | None]:
    def column(place: str) -> str | None:
        return names[int(place)] if place.isdecimal() and int(place) < len(names) else None

    changed: dict[str, Role | None] = {}
    for field, value in form.multi_items():
        name = column(field.removeprefix("role-"))
        if field.startswith("role-") and name is not None:
            changed[name] = Role(value) if value in list(Role) else None
    if "several" in form:
        ticked = [column(str(place)) for place in form.getlist("ticked")]
        role = Role(str(form["to-ticked"])) if form.get("to-ticked") in list(Role) else None
        changed |= {name: role for name in ticked if name is not None}
    return changed


@router.post("/roles/all")
def give_role_to_all(
    session: Here,
    role: Annotated[Role, Form()],
    named: Annotated[str, Form(max_length=200)] = "",
    having: Annotated[str, Form(max_length=200)] = "",
) -> Response:
    """Give one role to all columns that are shown."""
    session.decide_roles(dict.fromkeys(_shown(session, named, having), role))
    return _back(named, "")


@router.post("/roles/accept")
def accept_roles(session: Here) -> Response:
    """Take all guesses."""
    session.accept_roles()
    return see("/roles")


@router.post("/roles/import")
async def import_roles(request: Request, session: Here) -> Response:
    """Give columns the roles that a recipe or a certificate gives them."""
    content = await small_file(request)
    if session.file is None:
        return see("/data")
    return await run_in_threadpool(_imported, request, session, content)


def _imported(request: Request, session: Session, content: bytes) -> HTMLResponse:
    try:
        return _roles(request, session, notice=session.import_roles(content).sentence)
    except ShoalError as error:
        return _roles(request, session, message=error, status=422)
