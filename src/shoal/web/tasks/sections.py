"""The sections of a risk: all that `shoal.risk` finds about attackers, the population, single records and columns.

All rows are read however large the file is: in a sample nearly everybody would stand alone.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from shoal.assessment.disclosure_risk import Risk, risk
from shoal.assessment.risk_section import RiskSection
from shoal.engines import read
from shoal.errors import DataError, ParameterError
from shoal.schema import Role, Roles
from shoal.web.tasks.messages import TableRequest
from shoal.web.tasks.reading import options_of
from shoal.web.tasks.registry import Reporter
from shoal.web.tasks.risk_messages import FoundSection, PopulationFile, SectionsFound, SectionsRequest


def population(request: TableRequest, report: Reporter) -> PopulationFile:
    """Look at a table of a population: at its columns, and at how many people it has."""
    report.step(f"Reading all of {request.name}")
    table = read(request.file, options=request.layout.options(roles=Roles(rest=Role.PLAIN)))
    return PopulationFile(
        name=request.name, sha256=_sha256(request.file), columns=tuple(table.schema.names), people=table.rows
    )


def find(request: SectionsRequest, report: Reporter) -> SectionsFound:
    """Find the sections of a risk."""
    found = risk_of(request, report)
    return SectionsFound(risk=dict(found), sections=tuple(map(_section, found.sections)))


def risk_of(request: SectionsRequest, report: Reporter) -> Risk:
    """Measure the risk as it is asked for, unless the table of the population is another one by now."""
    asked, place = request.asked, request.population
    if asked.population is not None and (place is None or _sha256(place) != asked.population.sha256):
        raise DataError("The table of the population has changed since it was given.", "Give it again.")
    report.step(f"Reading all of {request.name}")
    found = risk(request.file, options=options_of(request), population=place, **asked.questions())
    if not isinstance(found, Risk):
        raise ParameterError("This is asked of single rows, and here several belong together.", "Change the roles.")
    found["file"] = request.name
    return found


def _section(found: RiskSection) -> FoundSection:
    said = {"title": found.title, "answers": list(found.found), "sentences": found.sentences, "tables": found.tables}
    pictures = [drawn.html() for drawn in found.pictures()]
    return FoundSection.model_validate(said | {"pictures": pictures}, from_attributes=True)


def _sha256(place: Path) -> str:
    with place.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
