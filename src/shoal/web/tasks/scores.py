"""Scores: candidates that are compared, measured by what someone chose from the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from shoal.catalogue import build
from shoal.errors import ShoalError
from shoal.measures import insist_on_measurable, score
from shoal.releases.release import Release
from shoal.table import Table
from shoal.web.tasks.candidate_messages import CandidateScore, ScoresRequest
from shoal.web.tasks.candidates import made
from shoal.web.tasks.messages import ImpossibleCandidate, Message
from shoal.web.tasks.reading import evenly, whole
from shoal.web.tasks.registry import Reporter


def measure(request: ScoresRequest, report: Reporter) -> Message:
    """Measure candidates that are made from all rows."""
    table = whole(request, report)
    asked = evenly(report, "Measuring candidates", list(request.measures) * len(request.candidates))
    for candidate in request.candidates:
        release = made(table, candidate)
        for each in islice(asked, len(request.measures)):
            report.partial(_measured(table, release, candidate.key, each))
    return Message()


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
