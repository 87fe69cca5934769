"""Scores: candidates that are compared, measured by what someone chose from the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from shoal.catalogue import build
from shoal.engines import read
from shoal.errors import ShoalError
from shoal.measures import insist_on_measurable, score
from shoal.releases.release import Release
from shoal.table import Table
from shoal.web.tasks.candidates import made
from shoal.web.tasks.messages import ImpossibleCandidate
from shoal.web.tasks.reading import evenly, options_of
from shoal.web.tasks.registry import Reporter
from shoal.web.tasks.score_messages import CandidateScore, ScoresDone, ScoresRequest


def measure(request: ScoresRequest, report: Reporter) -> ScoresDone:
    """Measure candidates that are made from all rows."""
    report.step(f"Reading all of {request.name}")
    table = read(request.file, options=options_of(request))
    asked = evenly(report, "Measuring candidates", list(request.measures) * len(request.candidates))
    for candidate in request.candidates:
        release = made(table, candidate)
        for each in islice(asked, len(request.measures)):
            report.partial(_measured(table, release, candidate.key, each))
    return ScoresDone(measured=len(request.candidates))


def _measured(
    table: Table, release: Release | ImpossibleCandidate, key: str, asked: Mapping[str, Any]
) -> CandidateScore:
    name = str(asked["name"])
    if isinstance(release, ImpossibleCandidate):
        return CandidateScore(key=key, measure=name, problem=release.impossible)
    try:
        wanted = build("measures", asked)
        insist_on_measurable([wanted], table)
        (found,) = score(table, release.table, measures=[wanted])
    except ShoalError as error:
        return CandidateScore(key=key, measure=name, problem=str(error))
    if why := found.detail.get("nothing_to_measure"):
        return CandidateScore(key=key, measure=name, problem=str(why))
    value, lower, upper = (float(number) for number in (found.value, found.lower, found.upper))
    return CandidateScore(key=key, measure=name, value=value, lower=lower, upper=upper)
