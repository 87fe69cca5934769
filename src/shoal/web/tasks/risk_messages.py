"""What is asked and given of a risk: its sections and certificate, the reasons of rows, people with several rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field

from shoal.assessment.risk_section import ShownTable
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


class FoundSection(Message):
    """A section: see `shoal.assessment.risk_section.RiskSection`. Its pictures are drawn.

    Of its values there are only the names, by which it is known what it answers: the values are those of the risk.
    """

    title: str
    answers: tuple[str, ...]
    sentences: tuple[str, ...]
    tables: tuple[ShownTable, ...]
    pictures: tuple[str, ...]


class SectionsFound(Message):
    """The risk as ``shoal risk --json`` gives it, and its sections, in plain words."""

    risk: dict[str, Any]
    sections: tuple[FoundSection, ...]


class CertificateRequest(SectionsRequest):
    """Write a certificate of the risk.

    Attributes
    ----------
    sign, seal
        The file of the pair of keys that signs it, and of the shared key of its MAC: where they lie, never what they
        are.
    digest
        A name of what was asked.
    """

    sign: Path | None = None
    seal: Path | None = None
    digest: str


class CertifiedAttacker(Message):
    """Whether what an attacker finds is within the threshold; None if nothing is known of it."""

    attacker: str
    value: float | None
    within: bool | None


class CertificateDone(Message):
    """A certificate that was written: its file and its page, what it says, and with which key it was signed, if any."""

    file: str
    page: str
    attackers: tuple[CertifiedAttacker, ...]
    signed: str
    sealed: bool
    digest: str


class ReasonsRequest(RolesRequest):
    """List rows at risk, which are in groups of fewer than so many: so many of them.

    Attributes
    ----------
    values
        Whether what the quasi-identifiers say of these is given, too: cells of people, for who asks for them.
    list_file
        What the list of all of them is called, if it is to be written.
    """

    fewer: int
    listed: int = 100
    values: bool = False
    list_file: str = ""


class ReasonRow(Message):
    """A row at risk by its number from 1 on, the size of its group, its smallest sets, and which columns help it."""

    number: int
    group: int
    sets: tuple[tuple[str, ...], ...]
    helps: tuple[str, ...]
    values: tuple[str, ...] = ()


class ReasonsSummary(Message):
    """The rows at risk.

    Attributes
    ----------
    rows, at_risk, fewer
        How many rows there are, how many are at risk, and in groups of fewer than how many.
    listed
        Rows at risk, those in the smallest groups first. No cell of them is here that was not asked for.
    names
        The quasi-identifiers, if their values were asked for.
    list_file
        What the list of all is called, if it was written.
    """

    rows: int
    at_risk: int
    fewer: int
    listed: tuple[ReasonRow, ...]
    names: tuple[str, ...] = ()
    list_file: str = ""


class KnownPoints(Message):
    """What so many known points are worth.

    Attributes
    ----------
    points
        How many are known.
    people
        Of whom the share is a mean: all who have so many, or those who were drawn.
    share, smallest
        The unicity, and how many candidates are left at least; None where nobody has so many.
    exact, interval
        Whether all sets of points were counted; else the 95 % interval of the share.
    """

    points: int
    people: int
    share: float | None
    smallest: int | None
    exact: bool
    interval: tuple[float, float] | None = None


class UnicitySummary(Message):
    """Whom known points single out in a table whose rows belong to people.

    Attributes
    ----------
    subject
        The column that tells people apart.
    records, people, empty
        How many rows and people there are, and how many of these have no point.
    points, distinct, longest
        How many points people have together, how many different ones there are, and the most that one person has.
    unicity
        The share of people who are singled out, by how many points are known.
    """

    subject: str
    records: int
    people: int
    empty: int
    points: int
    distinct: int
    longest: int
    unicity: tuple[KnownPoints, ...]
