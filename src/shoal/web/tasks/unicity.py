"""Whom a few known points single out, in a table whose rows belong to people.

All rows are read however large the file is: in a sample of rows people have fewer points than they have.
"""

from __future__ import annotations

from shoal.assessment.known_points import asked_points, unicity_of
from shoal.engines import read
from shoal.web.tasks.reading import options_of
from shoal.web.tasks.registry import Reporter
from shoal.web.tasks.unicity_messages import UnicityRequest, UnicitySummary


def measure(request: UnicityRequest, report: Reporter) -> UnicitySummary:
    """Measure the unicity of a table as it is, by how many points are known."""
    report.step(f"Reading all of {request.name}")
    table = read(request.file, options=options_of(request))
    report.step("Looking for people by what is known of them")
    return UnicitySummary.model_validate(unicity_of(table, asked_points(request.known)))
