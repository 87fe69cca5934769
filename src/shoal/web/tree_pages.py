"""The page of hierarchies: how values of a quasi-identifier belong together, one column at a time."""

from __future__ import annotations

import shutil
from typing import Annotated
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import HTMLResponse, Response
from starlette.concurrency import run_in_threadpool

from shoal.errors import DataError
from shoal.schema import Role
from shoal.web.entrance import session_of
from shoal.web.pages import patient, see
from shoal.web.rendering import page
from shoal.web.session import Session
from shoal.web.trees import IN_A_GROUP, Into, file_names
from shoal.web.uploading import received

router = APIRouter(include_in_schema=False)
Here = Annotated[Session, Depends(session_of)]
Column = Annotated[str, Form(max_length=1000)]
MOST_BYTES = 16 << 20
_USUAL = {"integer": ("bands", "5,10,20"), "date": ("dates", ""), "datetime": ("dates", "")}


def _see(column: str) -> Response:
    return see(f"/hierarchies?{urlencode({'of': column})}")


@router.get("/hierarchies")
def hierarchies(request: Request, session: Here, of: Annotated[str, Query(max_length=1000)] = "") -> HTMLResponse:
    """Show the trees of the quasi-identifiers, and one of them as a whole."""
    patient(session, "tree")
    decisions, job = session.decisions, session.working("tree")
    columns = decisions.of(Role.QUASI)
    of = of if of in columns else next(iter(columns), "")
    kinds = {each["name"]: each["kind"] for each in session.look.get("columns", [])}
    mine = job is not None and job.about == of
    return page(
        request,
        session,
        "hierarchies",
        columns=columns,
        of=of,
        tree=decisions.trees.get(of),
        in_a_group=IN_A_GROUP,
        usual=_USUAL.get(kinds.get(of, ""), ("prefix", "2,1")),
        job=job if mine else None,
        again=f"/hierarchies?{urlencode({'of': of})}",
        poll=mine and job is not None and not job.over,
    )


@router.post("/hierarchies/build")
def build(
    session: Here,
    column: Column,
    kind: Annotated[str, Form(max_length=20)],
    numbers: Annotated[str, Form(max_length=200)] = "",
) -> Response:
    """Build a tree over the values of a column."""
    session.plant(column, how=kind if kind == "dates" else f"{kind} {numbers}")
    return _see(column)


@router.post("/hierarchies/upload")
async def upload(request: Request, session: Here, of: Annotated[str, Query(max_length=1000)]) -> Response:
    """Take a file with a tree."""
    path = await received(request, session.folder, MOST_BYTES)
    try:
        await run_in_threadpool(session.plant, of, content=path.read_bytes())
    finally:
        shutil.rmtree(path.parent, ignore_errors=True)
    return _see(of)


@router.post("/hierarchies/merge")
def merge(
    session: Here, column: Column, least: Annotated[int, Form()], into: Annotated[Into, Form()] = "neighbour"
) -> Response:
    """Merge groups of few people."""
    session.merge_groups(column, least, into)
    return _see(column)


@router.post("/hierarchies/remove")
def remove(session: Here, column: Column) -> Response:
    """Let a column have no tree."""
    session.decide_tree(column, None)
    return _see(column)


@router.get("/hierarchies/file")
def download(session: Here, of: Annotated[str, Query(max_length=1000)]) -> Response:
    """Give a tree as a file."""
    tree = session.decisions.trees.get(of)
    if tree is None:
        raise DataError("There is no such hierarchy.", "Build it first.")
    name = quote(file_names([of])[of])
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{name}"}
    return Response(tree.csv(), media_type="text/csv; charset=utf-8", headers=headers)
