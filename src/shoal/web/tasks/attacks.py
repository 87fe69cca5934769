"""Attacks on a candidate, which is made again without some people, who tell what happens anyway."""

from __future__ import annotations

from shoal.assessment.set_aside import attacked
from shoal.web.tasks.candidate_messages import AttackRequest, AttackSummary
from shoal.web.tasks.candidates import made
from shoal.web.tasks.messages import ImpossibleCandidate
from shoal.web.tasks.reading import whole
from shoal.web.tasks.registry import Reporter


def attack(request: AttackRequest, report: Reporter) -> AttackSummary:
    """Attack a candidate."""
    key = request.candidate.key
    table = whole(request, report)
    release = made(table, request.candidate)
    if isinstance(release, ImpossibleCandidate):
        return AttackSummary(key=key, problem=release.impossible)
    report.step("Attacking the release")
    found = attacked(release, table)
    if found is None:
        return AttackSummary(key=key, problem="It cannot be made again without some of its people.")
    return AttackSummary.model_validate({"key": key, "attacks": found}, from_attributes=True)
