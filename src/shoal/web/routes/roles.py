"""The screen of the roles: one column at a time, several at once, or as a recipe has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends, Form, Query, Request
from fastapi.responses import HTMLResponse, Response
from pydantic import BaseModel
from starlette.datastructures import FormData

from shoal.domains.axis import KINDS
from shoal.errors import DataError, ParameterError, ShoalError
from shoal.pseudonyms.treatments import DROP
from shoal.schema import Role
from shoal.secret_keys import key_in_environment
from shoal.web.cases.case import Case
from shoal.web.page_templates import page, part
from shoal.web.routes.shared import BYTES, LONGEST_WAIT, Fields, Here, Shown, by_htmx, routers, see
from shoal.web.tasks.messages import ColumnProfile, Layout
from shoal.web.uploads import small_file

api, pages = routers()
SentRoles = Annotated[bytes, Depends(small_file)]
Filter = Annotated[str, Query(max_length=200)]
UNDECIDED = "undecided"
MANY = 12  # quasi-identifiers that are not made at once without asking
_FIELD = "role of "


class GivenRoles(BaseModel):
    """Roles of some columns; null makes a column undecided."""

    roles: dict[str, Role | None]


class GivenTreatment(BaseModel):
    """What becomes of a column that names people."""

    column: str
    treatment: str


class ColumnState(ColumnProfile):
    """A column: what it is, which role it seems to have and why, and which was decided. It holds no cell."""

    decided: Role | None


@api.get("/roles")
def roles(case: Here) -> list[ColumnState]:
    """Give the columns, the roles that they seem to have, and those that were decided."""
    decided = case.decisions.roles
    return [ColumnState(**each, decided=decided.get(each["name"])) for each in case.look.get("columns", [])]


@api.put("/roles")
def give_roles(case: Here, shown: Shown, given: GivenRoles) -> list[ColumnState]:
    """Give columns roles."""
    with case.changing(shown):
        case.decide_roles(given.roles)
    return roles(case)


@api.put("/roles/identifier")
def treat_identifier(case: Here, shown: Shown, given: GivenTreatment) -> dict[str, str]:
    """Say what becomes of a column that names people: drop, pseudonym:patient, ff1:patient, or shift:182 for dates."""
    with case.changing(shown):
        case.decide_treatment(given.column, given.treatment)
    return dict(case.decisions.treatments)


@api.put("/roles/import", openapi_extra={"requestBody": BYTES})
def import_roles(case: Here, shown: Shown, sent: SentRoles) -> list[ColumnState]:
    """Give columns the roles that a recipe (TOML) or a certificate (JSON) gives them; others stay as they were."""
    with case.changing(shown):
        case.import_roles(sent)
    return roles(case)


@pages.get("/roles")
def roles_page(case: Here, named: Filter = "", having: Filter = "") -> Response:
    """Show the columns and their roles: all of them, or those whose name holds a text or that have a role."""
    return see("/data") if case.file is None else _page(case, named, having)


def _page(case: Case, named: str = "", having: str = "", *, status: int = 200, **more: Any) -> HTMLResponse:
    wanted = set(_shown(case, named, having))
    shown = [(place, each) for place, each in enumerate(case.look["columns"]) if each["name"] in wanted]
    content = {"shown": shown, "named": named, "having": having, "notice": "", "keyed": key_in_environment()} | more
    return page(case, "roles", status=status, **content)


def _shown(case: Case, named: str, having: str) -> list[str]:
    """Give the columns that a filter lets through."""
    return [
        name
        for name, role in case.decisions.roles.items()
        if named.casefold() in name.casefold() and having in ("", UNDECIDED if role is None else role.value)
    ]


def _back(named: str, having: str) -> Response:
    filters = {key: value for key, value in (("named", named), ("having", having)) if value}
    return see(f"/roles?{urlencode(filters)}" if filters else "/roles")


@pages.post("/roles")
def give_roles_by_form(request: Request, case: Here, shown: Shown, form: Fields) -> Response:
    """Give columns the roles that a form names; and one role to all that are ticked, if that was asked for."""
    give_roles(case, shown, GivenRoles(roles=_changed(form)))
    if by_htmx(request):
        return part(case, "role_state")
    return _back(str(form.get("named", "")), str(form.get("having", "")))


def _changed(form: FormData) -> dict[str, Role | None]:
    """Give the roles that a form gives: a field for each column, under its own name."""

    def role(value: object) -> Role | None:
        return Role(str(value)) if value in list(Role) else None

    def column(text: object) -> str:
        return str(text).removeprefix(_FIELD).replace("\r\n", "\n")  # as which browsers send the end of a line

    changed = {column(field): role(value) for field, value in form.multi_items() if field.startswith(_FIELD)}
    if "several" in form:
        changed |= dict.fromkeys(map(column, form.getlist("ticked")), role(form.get("to-ticked")))
    return changed


def _of_column(form: FormData, *names: str) -> list[str]:
    """Give the column that a form is about, and what it says of it."""
    column = str(form.get("column", "")).replace("\r\n", "\n")
    return [column, *(str(form.get(f"{name} of {column}", "")).strip() for name in names)]


@pages.post("/roles/kind")
def give_kind(case: Here, shown: Shown, form: Fields) -> Response:
    """Let a column be of another kind, or have another order of its categories."""
    column, kind, order = _of_column(form, "kind", "order")
    if column not in case.decisions.roles or kind not in ("", *KINDS):
        raise ParameterError("There is no such column, or no such kind.", "Reload the page and choose again.")
    ranks = tuple(part.strip() for part in order.split(",") if part.strip())
    layout = case.decisions.layout
    kinds: dict[str, str] = {name: value for name, value in layout.kinds.items() if name != column}
    orders = {name: value for name, value in layout.orders.items() if name != column}
    if kind == "ordered" and ranks:
        orders[column] = ranks
    elif kind == "ordered":
        raise ParameterError("An order needs its categories.", "Name them from low to high: low, middle, high.")
    elif kind:
        kinds[column] = kind
    wanted = Layout.model_validate(layout.model_dump(exclude_unset=True) | {"kinds": kinds, "orders": orders})
    with case.changing(shown):
        job = case.read_as(wanted)
    job.wait(LONGEST_WAIT)
    if job.state == "failed":
        return _page(case, message=DataError(job.error, job.remedy), status=422)
    return see("/roles")


@pages.post("/roles/identifier")
def give_treatment(case: Here, shown: Shown, form: Fields) -> Response:
    """Let a column that names people become something else than nothing."""
    column, kind, how = _of_column(form, "treatment", "how")
    given = GivenTreatment(column=column, treatment=f"{kind}:{how}" if how and kind != DROP else kind)
    try:
        treat_identifier(case, shown, given)
    except ShoalError as error:
        return _page(case, message=error, status=422)
    return see("/roles")


def _insist(roles: Mapping[str, Role | None], *, sure: bool) -> None:
    """Insist that someone means it who makes many quasi-identifiers at once: each makes all others worth less."""
    many = sum(role == Role.QUASI for role in roles.values())
    if many > MANY and not sure:
        raise ParameterError(
            f"This would make {many} columns quasi-identifiers at once.",
            "Tick the box that says so beside the button, if you mean it; or decide on them in smaller parts.",
        )


@pages.post("/roles/all")
def give_role_to_all(
    case: Here,
    shown: Shown,
    role: Annotated[Role, Form()],
    sure: Annotated[bool, Form()] = False,
    named: Annotated[str, Form(max_length=200)] = "",
    having: Annotated[str, Form(max_length=200)] = "",
) -> Response:
    """Give one role to all columns that are shown."""
    wanted: dict[str, Role | None] = dict.fromkeys(_shown(case, named, having), role)
    _insist(wanted, sure=sure)
    give_roles(case, shown, GivenRoles(roles=wanted))
    return _back(named, "")


@pages.post("/roles/accept")
def accept_roles(case: Here, shown: Shown, sure: Annotated[bool, Form()] = False) -> Response:
    """Take all guesses."""
    with case.changing(shown):
        _insist(case.suggested, sure=sure)
        case.decide_roles(case.suggested)
    return see("/roles")


@pages.post("/roles/import")
def import_roles_by_form(case: Here, shown: Shown, sent: SentRoles) -> Response:
    """Give columns the roles that a recipe or a certificate gives them."""
    if case.file is None:
        return see("/data")
    try:
        with case.changing(shown):
            found = case.import_roles(sent)
    except ShoalError as error:
        return _page(case, message=error, status=422)
    return _page(case, notice=found.sentence)
