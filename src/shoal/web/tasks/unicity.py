"""Whom a few known points single out, in a table whose rows belong to people.

All rows are read however large the file is: in a sample of rows people have fewer points than they have.
"""

from __future__ import annotations

from shoal.assessment.known_points import POINTS, asked_points, unicity_of
from shoal.web.tasks.messages import RolesRequest
from shoal.web.tasks.reading import whole
from shoal.web.tasks.registry import Reporter
from shoal.web.tasks.risk_messages import UnicitySummary


def measure(request: RolesRequest, report: Reporter) -> UnicitySummary:
    """Measure the unicity of a table as it is, by how many points are known."""
    table = whole(request, report)
    report.step("Looking for people by what is known of them")
    return UnicitySummary.model_validate(unicity_of(table, asked_points(POINTS)))
