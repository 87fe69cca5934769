"""The screen of the comparison: candidates side by side, what each loses, where, and for whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Form, Query
from fastapi.responses import HTMLResponse, Response
from pydantic import BaseModel, Field

from shoal.web import figures, measure_names, wording
from shoal.web.cases.aims import Aim
from shoal.web.cases.decisions import MOST_PINNED
from shoal.web.cases.findings import Found
from shoal.web.page_templates import page
from shoal.web.routes.shared import PATIENCE, Here, Shown, Wait, after, routers, see

api, pages = routers()


class Compared(BaseModel):
    """The keys of candidates, as `/api/candidates` names them."""

    keys: list[str] = Field(max_length=MOST_PINNED)


class MeasureName(BaseModel):
    """A measure of the catalogue."""

    measure: str = Field(description=f"One of {', '.join(measure_names.offered())}.")


@api.get("/comparison")
def comparison(case: Here, wait: Wait = 0) -> dict[str, Any]:
    """Give of the candidates that are compared what each gives, and how its columns are spread before and after."""
    case.candidates()
    case.spreads()

    beside = [
        {"case": each.case, "key": each.aim.key, "candidate": each.found, "differs": each.differs}
        for each in case.branches()
    ]

    def known() -> dict[str, Any]:
        found = {key: case.candidate(key) for key in case.decisions.pinned}
        scores = [score.plain() for score in case.scores().values()]
        return {"candidates": found, "spreads": case.spreads(), "branches": beside, "scores": scores}

    return after(case, "spread", wait, known)


@api.put("/comparison")
def compare(case: Here, shown: Shown, given: Compared, wait: Wait = 0) -> dict[str, Any]:
    """Put up to four candidates side by side."""
    with case.changing(shown):
        case.compare(given.keys)
    return comparison(case, wait)


@api.post("/comparison/measures")
def measure_also(case: Here, shown: Shown, given: MeasureName, wait: Wait = 0) -> dict[str, Any]:
    """Measure the candidates that are compared by another measure of the catalogue, from all rows."""
    with case.changing(shown):
        case.measure_also(given.measure)
    return after(case, "scores", wait, lambda: {"scores": [score.plain() for score in case.scores().values()]})


pages.by_form("/compare/measure", measure_also, "/compare")


@pages.get("/compare")
def compare_page(case: Here, by: Annotated[str, Query()] = "", of: Annotated[str, Query()] = "") -> HTMLResponse:
    """Show candidates side by side: what each loses, where, how its columns are spread, and for which people."""
    decisions = case.decisions
    named, spreads = [], {}
    if not decisions.problem and decisions.pinned:
        spreads = comparison(case, PATIENCE)["spreads"]
        letters = dict(zip(decisions.pinned, "ABCD", strict=False))
        named = [(letters[key], Aim.of(key), case.candidate(key)) for key in decisions.pinned]
    known = [(letter, found) for letter, _, found in named if found and "kept" in found]
    columns = list(dict.fromkeys(name for _, found in known for name in found.get("loss_by_group", {})))
    by = by if by in columns else next(iter(columns), "")
    scores = case.scores() if named else {}
    drawn = [(f"{letter}: {aim.label}", spreads[aim.key]) for letter, aim, _ in named if aim.key in spreads]
    spread_columns = list(dict.fromkeys(each["column"] for _, known in drawn for each in known["columns"]))
    of = of if of in spread_columns else max(spread_columns, key=lambda name: _change(known, name), default="")
    return page(
        case,
        "compare",
        branches=[] if decisions.problem else case.branches(),
        mine=named or [("", decisions.aim, case.candidate(decisions.aim.key))],
        spread_columns=spread_columns,
        of=of,
        spread_figure=figures.spreads(drawn, of) if of else None,
        spread_sampled=any(known["sampled"] for _, known in drawn),
        spread_job=case.jobs.of("spread"),
        scores=measure_names.rows(case.measured, decisions.pinned, scores) if named else [],
        scores_job=case.jobs.of("scores"),
        offered={name: measure_names.title(name) for name in measure_names.offered() if name not in case.measured},
        named=named,
        measures=wording.side_by_side([found for _letter, _aim, found in named]),
        known=known,
        columns=columns,
        by=by,
        sentence=wording.comparison(known),
        figure=figures.loss_by_group(known, by) if by else None,
        poll=(case.jobs.at_work("search") and len(known) < len(named))
        or any(map(case.jobs.at_work, ("spread", "scores"))),
        again=f"/compare?{urlencode({'by': by, 'of': of})}",
        job=case.jobs.of("search"),
    )


def _change(known: Sequence[tuple[str, Found]], column: str) -> float:
    """Tell how much detail a column loses in the candidate in which it loses most."""
    return max((found["coarse"].get(column, 0.0) for _letter, found in known), default=0.0)


@pages.post("/compare/pin")
def pin(
    case: Here,
    shown: Shown,
    key: Annotated[str, Form(max_length=2000)],
    pinned: Annotated[bool, Form()],
    back: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """Put a candidate beside others, or take it away."""
    with case.changing(shown):
        case.pin(key, pinned=pinned)
    return see("/protect" if back == "/protect" else "/compare")
