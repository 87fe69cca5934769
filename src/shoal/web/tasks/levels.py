"""Every combination of levels of a table: what each suppresses and loses, from all rows."""

from __future__ import annotations

from shoal.assessment.exploration import explore
from shoal.methods.full_domain import FullDomain
from shoal.web.tasks.candidates import models_of
from shoal.web.tasks.level_messages import LevelsRequest, LevelsSummary
from shoal.web.tasks.reading import whole
from shoal.web.tasks.registry import Reporter

_LEADING = 12


def explore_levels(request: LevelsRequest, report: Reporter) -> LevelsSummary:
    """Look at every combination of levels."""
    table = whole(request, report)
    report.step("Looking at every combination of levels")
    found = explore(table, models_of(request.models, table), method=FullDomain(limit=request.limit))
    best = found["best"] and {**found["best"], "share": found["best"]["outliers"] / found["records"]}
    known = {name: found[name] for name in ("records", "nodes", "feasible", "limit", "suppressible", "heights")}
    if best:
        best = {name: best[name] for name in ("levels", "loss", "outliers", "classes", "proven", "share")}
    return LevelsSummary.model_validate(
        known | {"best": best, "leading": found.leading(_LEADING), "places": found.places()}
    )
