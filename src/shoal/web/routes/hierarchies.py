"""The screen of the hierarchies: how values of a quasi-identifier belong together, one column at a time."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import Depends, Form, Query
from fastapi.responses import HTMLResponse, Response
from pydantic import BaseModel, Field, ValidationError

from shoal.domains.hierarchy_builders import LABELS, WAYS
from shoal.errors import ParameterError, ShoalError
from shoal.schema import Role
from shoal.web.cases.hierarchies import IN_A_GROUP, Edit, MergeInto, file_names, hierarchy_of
from shoal.web.page_templates import page, rendered
from shoal.web.routes.shared import BYTES, PATIENCE, Fields, Here, JobStatus, Shown, Wait, content_of, routers, see

api, pages = routers()
InQuery = Annotated[str, Query(max_length=1000, description="A quasi-identifier.")]
InForm = Annotated[str, Form(max_length=1000)]
SentTree = Annotated[bytes, Depends(content_of(16 << 20))]
MOST_TICKED = 400  # groups of a level that can be ticked
_USUAL = {
    "integer": ("bands", "5,10,20"),
    "float": ("quantiles", "8,4,2"),
    "date": ("dates", "month,quarter,year"),
    "datetime": ("dates", "month,quarter,year"),
    "ordered": ("ordered", "2,4"),
}


class Building(BaseModel):
    """How a hierarchy is built over the values of a column."""

    column: str
    how: str = Field(min_length=1, max_length=4000, description=f"One of: {WAYS}.")


class Merging(BaseModel):
    """How groups of few people are merged."""

    column: str
    least: int = Field(description="Groups of fewer people than that are merged.")
    into: MergeInto = "neighbour"


class Editing(BaseModel):
    """How groups of a level are changed; values are level 0."""

    column: str
    action: Edit = Field(
        description="`move` groups into the group `name` above them, `split` them off into a new one beside theirs, "
        "`merge` them into it, `rename` one, `dissolve` one into its parts, let a level have the `borders` in `name`, "
        "`add` a level above, or `remove` one."
    )
    level: int = Field(ge=0, le=100)
    groups: list[str] = Field(default=[], max_length=100_000)
    name: str = Field(default="", max_length=4000)


class HierarchyState(BaseModel):
    """A hierarchy: how it is built (nothing if it is a file), its levels for each value, and how many have each."""

    column: str
    how: str
    levels: list[list[str]]
    people: list[int]


@api.get("/hierarchies")
def hierarchies(case: Here) -> dict[str, str]:
    """Give the columns that have a hierarchy, and of which kind it is."""
    return {column: each.label for column, each in case.decisions.hierarchies.items()}


@api.get("/hierarchy")
def hierarchy(case: Here, column: InQuery) -> HierarchyState:
    """Give the hierarchy of a column, with its values."""
    found = case.hierarchy(column)
    levels = [list(row) for row in found.rows]
    return HierarchyState(column=column, how=found.how, levels=levels, people=list(found.counts))


@api.put("/hierarchy", status_code=202, openapi_extra={"requestBody": BYTES})
def send_hierarchy(case: Here, shown: Shown, column: InQuery, sent: SentTree, wait: Wait = 0) -> JobStatus:
    """Send a hierarchy as CSV without a header: a line for each value, levels from left to right."""
    with case.changing(shown):
        job = case.build_hierarchy(column, content=sent)
    return JobStatus.of_job(job, wait)


@api.post("/hierarchy/build", status_code=202)
def build(case: Here, shown: Shown, given: Building, wait: Wait = 0) -> JobStatus:
    """Build a hierarchy over the values of a column."""
    with case.changing(shown):
        job = case.build_hierarchy(given.column, how=given.how)
    return JobStatus.of_job(job, wait)


@api.post("/hierarchy/merge")
def merge(case: Here, shown: Shown, given: Merging) -> HierarchyState:
    """Merge groups of few people with the one beside them, or give up the split that made them."""
    with case.changing(shown):
        case.decide_hierarchy(given.column, case.hierarchy(given.column).merged(given.least, given.into))
    return hierarchy(case, given.column)


@api.post("/hierarchy/edit")
def edit(case: Here, shown: Shown, given: Editing) -> HierarchyState:
    """Change groups of a hierarchy: move, split, merge or rename them, set borders, add or remove a level."""
    with case.changing(shown):
        changed = case.hierarchy(given.column).edited(given.action, given.level, given.groups, given.name)
        case.decide_hierarchy(given.column, changed)
    return hierarchy(case, given.column)


@api.delete("/hierarchy")
def remove(case: Here, shown: Shown, column: InQuery) -> dict[str, Any]:
    """Let a column have no hierarchy."""
    with case.changing(shown):
        case.decide_hierarchy(column, None)
    return {"removed": column}


@pages.get("/hierarchies")
def hierarchies_page(
    case: Here, of: Annotated[str, Query(max_length=1000)] = "", level: Annotated[int, Query(ge=0, le=100)] = 0
) -> HTMLResponse:
    """Show the hierarchies of the quasi-identifiers, and one of them as a whole."""
    case.jobs.wait("tree", PATIENCE)
    decisions = case.decisions
    columns = decisions.of(Role.QUASI)
    of = of if of in columns else next(iter(columns), "")
    about: dict[str, Any] = next(
        (each for each in case.look.get("columns", []) if each["name"] == of), {"kind": "", "value_labels": {}}
    )
    tree = decisions.hierarchies.get(of)
    level = min(level, tree.top - 1) if tree is not None and tree.rows else 0
    return page(
        case,
        "hierarchies",
        columns=columns,
        of=of,
        tree=tree,
        level=level,
        groups=tree.groups(level)[:MOST_TICKED] if tree is not None and tree.rows else (),
        in_a_group=IN_A_GROUP,
        about=about,
        usual=(LABELS, "") if about["value_labels"] else _USUAL.get(about["kind"], ("prefix", "2,1")),
        job=case.jobs.of("tree", of),
        again=f"/hierarchies?{urlencode({'of': of})}",
    )


def _place(column: str, level: int | None = None) -> str:
    return f"/hierarchies?{urlencode({'of': column} | ({} if level is None else {'level': level}))}"


def _how(kind: str, numbers: str) -> str:
    return "ordered 1" if kind == "alone" else f"{kind} {numbers}".strip()


@pages.post("/hierarchies/preview")
def preview(
    case: Here,
    shown: Shown,
    column: InForm,
    kind: Annotated[str, Form(max_length=20)],
    numbers: Annotated[str, Form(max_length=4000)] = "",
) -> HTMLResponse:
    """Show how a hierarchy would be, before it is built."""
    try:
        with case.changing(shown):
            job = case.preview_hierarchy(column, _how(kind, numbers))
    except ShoalError as error:
        return HTMLResponse(rendered("hierarchy_preview.html", error=error.what, remedy=error.remedy, found=None))
    job.wait(15)
    found = None if job.result is None else hierarchy_of("", job.result.plain())
    return HTMLResponse(rendered("hierarchy_preview.html", error=job.error, remedy=job.remedy, found=found))


@pages.post("/hierarchies/edit")
def edit_by_form(case: Here, shown: Shown, form: Fields) -> Response:
    """Change the groups that are ticked."""
    said = {name: str(text).replace("\r\n", "\n") for name, text in form.items()}
    groups = [str(each).replace("\r\n", "\n") for each in form.getlist("group")]
    try:
        given = Editing.model_validate(said | {"groups": groups})
    except ValidationError:
        raise ParameterError("There is no such change of a hierarchy.", "Reload the page and choose again.") from None
    edit(case, shown, given)
    return see(_place(given.column, given.level))


@pages.post("/hierarchies/build")
def build_by_form(
    case: Here,
    shown: Shown,
    column: InForm,
    kind: Annotated[str, Form(max_length=20)],
    numbers: Annotated[str, Form(max_length=4000)] = "",
) -> Response:
    """Build a hierarchy over the values of a column."""
    build(case, shown, Building(column=column, how=_how(kind, numbers)))
    return see(_place(column))


@pages.post("/hierarchies/upload")
def upload(case: Here, shown: Shown, of: Annotated[str, Query(max_length=1000)], sent: SentTree) -> Response:
    """Take a file with a hierarchy."""
    send_hierarchy(case, shown, of, sent)
    return see(_place(of))


pages.by_form("/hierarchies/merge", merge, lambda _, asked: _place(asked["given"].column))
pages.by_form("/hierarchies/remove", remove, lambda _, asked: _place(asked["column"]))


@pages.get("/hierarchies/file")
def download(case: Here, of: Annotated[str, Query(max_length=1000)]) -> Response:
    """Give a hierarchy as a file."""
    name = quote(file_names([of])[of])
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{name}"}
    return Response(case.hierarchy(of).csv(), media_type="text/csv; charset=utf-8", headers=headers)
