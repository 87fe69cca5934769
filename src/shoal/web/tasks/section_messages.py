"""What is asked and given of the sections of a risk: attackers, the population, single records, columns."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from shoal.web.tasks.case_file import CaseFile
from shoal.web.tasks.messages import Message, RolesRequest


class PopulationFile(CaseFile):
    """A table of a population, with its columns and people. No cell of it is here."""

    columns: tuple[str, ...]
    people: int


class RiskAsked(Message):
    """What is asked of a risk, and what is known of the population that the table comes from.

    Attributes
    ----------
    population, called
        A table of it, and how columns are called there that have another name.
    population_size, sampling_fraction
        Or how many people it has, or which share of them is in the table.
    threshold
        The risk above which a record is at risk: a number, or the name of a preset.
    suda, screen, why
        Which further sections are wanted: see `shoal.risk`.
    """

    population: PopulationFile | None = None
    called: dict[str, str] = Field(default_factory=dict)
    population_size: int | None = None
    sampling_fraction: float | None = None
    threshold: str = "trusted"
    suda: bool = False
    screen: bool = False
    why: bool = False

    def questions(self) -> dict[str, Any]:
        """Give it as `shoal.risk` takes it, but for the table of a population."""
        return self.model_dump(exclude={"population", "called"}) | {"population_columns": self.called}


class SectionsRequest(RolesRequest):
    """Find the sections of a risk."""

    asked: RiskAsked


class SectionTable(Message):
    """A small table of texts: see `shoal.assessment.risk_section.ShownTable`."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class FoundSection(Message):
    """A section: see `shoal.assessment.risk_section.RiskSection`. Its pictures are drawn.

    Of its values there are only the names, by which it is known what it answers: the values are those of the risk.
    """

    title: str
    answers: tuple[str, ...]
    sentences: tuple[str, ...]
    tables: tuple[SectionTable, ...]
    pictures: tuple[str, ...]


class SectionsFound(Message):
    """The risk as ``shoal risk --json`` gives it, and its sections, in plain words."""

    risk: dict[str, Any]
    sections: tuple[FoundSection, ...]
