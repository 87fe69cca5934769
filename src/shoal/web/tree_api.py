"""Hierarchies through HTTP, for programs."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from shoal.errors import DataError
from shoal.web.api import BYTES, PROBLEMS, JobTold, Wait, waited
from shoal.web.entrance import session_of
from shoal.web.session import Session
from shoal.web.tree_pages import MOST_BYTES
from shoal.web.trees import Into
from shoal.web.uploading import limited

router = APIRouter(prefix="/api", responses=PROBLEMS)
Here = Annotated[Session, Depends(session_of)]
Column = Annotated[str, Query(max_length=1000, description="A quasi-identifier.")]


class Building(BaseModel):
    """How a hierarchy is built over the values of a column."""

    column: str
    how: str = Field(min_length=1, max_length=200, description="`bands 5,10,20`, `prefix 4,3,1` or `dates`.")


class Merging(BaseModel):
    """How groups of few people are merged."""

    column: str
    least: int = Field(description="Groups of fewer people than that are merged.")
    into: Into = "neighbour"


class TreeTold(BaseModel):
    """A hierarchy: how it is built (nothing if it is a file), its levels for each value, and how many have each."""

    column: str
    how: str
    levels: list[list[str]]
    people: list[int]


def _told(session: Session, column: str) -> TreeTold:
    tree = session.decisions.trees.get(column)
    if tree is None:
        raise DataError("There is no such hierarchy.", "Build it first.")
    return TreeTold(column=column, how=tree.how, levels=[list(row) for row in tree.rows], people=list(tree.counts))


@router.get("/hierarchies")
def hierarchies(session: Here) -> dict[str, str]:
    """Tell which columns have a hierarchy, and of which kind it is."""
    return {column: tree.label for column, tree in session.decisions.trees.items()}


@router.get("/hierarchy")
def hierarchy(session: Here, column: Column) -> TreeTold:
    """Tell the hierarchy of a column, with its values."""
    return _told(session, column)


@router.put("/hierarchy", status_code=202, openapi_extra={"requestBody": BYTES})
async def send_hierarchy(request: Request, session: Here, column: Column, wait: Wait = 0) -> JobTold:
    """Send a hierarchy as CSV without a header: a line for each value, levels from left to right."""
    content = await limited(request, MOST_BYTES)
    job = await run_in_threadpool(session.plant, column, content=content)
    return await run_in_threadpool(waited, job, wait)


@router.post("/hierarchy/build", status_code=202)
def build(session: Here, given: Building, wait: Wait = 0) -> JobTold:
    """Build a hierarchy over the values of a column."""
    return waited(session.plant(given.column, how=given.how), wait)


@router.post("/hierarchy/merge")
def merge(session: Here, given: Merging) -> TreeTold:
    """Merge groups of few people with the one beside them, or give up the split that made them."""
    session.merge_groups(given.column, given.least, given.into)
    return _told(session, given.column)


@router.delete("/hierarchy")
def remove(session: Here, column: Column) -> dict[str, Any]:
    """Let a column have no hierarchy."""
    session.decide_tree(column, None)
    return {"removed": column}
