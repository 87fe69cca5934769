"""What crosses the border between the server and the processes that work for it: requests, reports and results.

Both sides check what comes in. Nothing else crosses: no frames, no objects, and no cells but those of a preview.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from shoal.domains.axis import AxisKind
from shoal.report.cell_kinds import CellKinds
from shoal.schema import ReadOptions, Role
from shoal.web.tasks.checked_values import GivenRole, Moment

LARGE = 24 << 20  # bytes from which a file is first looked at in part
SOON_EXACT = 1 << 30  # bytes up to which the exact risk is there before a sample would help: it is far too high in one
SAMPLE_ROWS = 50_000


class Message(BaseModel):
    """Values that nobody changes and that JSON can hold."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")

    def plain(self) -> dict[str, Any]:
        """Give it as plain values."""
        return self.model_dump(mode="json")


# Requests


class Layout(Message):
    """How a file is laid out, as far as a person has said it; what is left out is found out from the file."""

    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    dates: str | None = None
    missing: tuple[str, ...] = ()
    header: bool | None = None
    masked: bool | None = None
    sheet: str | None = None
    range: str | None = None
    at_version: str | None = None
    kinds: dict[str, AxisKind] = {}
    orders: dict[str, tuple[str, ...]] = {}

    def options(self, **more: Any) -> ReadOptions:
        """Give the options to read a table with, and what else is known of it."""
        return ReadOptions(**{name: getattr(self, name) for name in self.model_fields_set}, **more)


class TableRequest(Message):
    """A table to work on.

    Attributes
    ----------
    file, name
        Where it lies, and what it is called.
    folder
        Where the task may write: a folder of its own.
    layout
        How it is laid out.
    large, sample_rows
        From how many bytes on a sample is looked at first, and of how many rows.
    """

    file: Path
    name: str
    folder: Path = Path()
    layout: Layout = Layout()
    large: int = LARGE
    sample_rows: int = SAMPLE_ROWS

    @property
    def places(self) -> dict[str, str]:
        """What the files are called that lie somewhere."""
        return {str(self.file): self.name}

    def rest(self, result: Message) -> TableRequest | None:
        """Give what is still to be done after a result, if it says that this was not all."""
        return None


class ProfileRequest(TableRequest):
    """Look at all columns."""

    most_columns: int = 1000


class PreviewRequest(TableRequest):
    """Give the first rows as they are."""


class HierarchyRequest(TableRequest):
    """Build a hierarchy over the values of a column, in a way that has a name, or take the content of a file."""

    column: str
    how: str = ""
    content: str = ""


class RolesRequest(TableRequest):
    """A table whose columns have roles, and some of them hierarchies; and where what is read beside it lies.

    Attributes
    ----------
    roles, hierarchies
        The roles, and how hierarchies are built or the files that they are in.
    population, beside
        A table of the population, and other files by their names.
    """

    roles: dict[str, Role]
    hierarchies: dict[str, str] = {}
    population: Path | None = None
    beside: dict[str, Path] = {}

    @property
    def places(self) -> dict[str, str]:
        """What the files are called that lie somewhere."""
        others = [*self.beside.values(), *([] if self.population is None else [self.population])]
        return super().places | {str(each): each.name for each in others}


class RiskRequest(RolesRequest):
    """Measure the risk of a table as it is."""

    large: int = SOON_EXACT


class CandidateSpec(Message):
    """One way to protect a table: its name, its methods and the models it promises, as the catalogue names them.

    ``files`` says where files lie that its methods name, and ``rule`` what else is promised if it is kept anyway.
    """

    key: str
    methods: tuple[dict[str, Any], ...]
    models: tuple[dict[str, Any], ...]
    files: dict[str, Path] = {}
    rule: dict[str, Any] | None = None

    @property
    def way(self) -> str:
        """The names of its methods."""
        return " + ".join(str(each["name"]) for each in self.methods)


class MethodCost(Message):
    """How long a method has taken for how many candidates, from all rows or from a sample."""

    method: str
    exact: bool
    candidates: int
    seconds: float


class CandidatesRequest(RolesRequest):
    """Make candidates, in this order.

    Attributes
    ----------
    estimates, exact
        Those that are made from a sample, if the file is large, and then those that are made from all rows.
    seconds
        After how long to stop with a result that names the rest, so that others have their turn.
    tried, costs
        How many were made before, and what they have cost.
    """

    estimates: tuple[CandidateSpec, ...] = ()
    exact: tuple[CandidateSpec, ...] = ()
    seconds: float | None = None
    tried: int = 0
    costs: tuple[MethodCost, ...] = ()

    def rest(self, result: Message) -> TableRequest | None:
        """Give the request for the candidates that were not reached."""
        assert isinstance(result, CandidatesDone)
        if not result.estimates and not result.exact:
            return None
        return self.model_copy(update={name: getattr(result, name) for name in CandidatesDone.model_fields})


# Results


class ColumnProfile(Message):
    """A column: what it is, which role it seems to have and why, and how its values are spread. It holds no cell.

    Attributes
    ----------
    label, value_labels, missing_codes
        What the file of a statistical program says: what it is, the labels of codes, and which of these mean nothing.
    """

    name: str
    kind: AxisKind
    why_kind: str
    distinct: int
    missing: int
    role: GivenRole
    why: str
    sure: bool
    bars: tuple[float, ...]
    label: str = ""
    value_labels: dict[str, str] = {}
    missing_codes: tuple[str, ...] = ()


class TableProfile(Message):
    """A first look at a table: of some of its rows if `sampled` says of how many, else with the digest of its file."""

    rows: int
    sampled: int | None
    notes: tuple[str, ...]
    columns: tuple[ColumnProfile, ...]
    sha256: str | None = None
    naming: dict[str, str] | None = None  # columns that seem to name people, each with the reason, if they were sought
    sheets: tuple[str, ...] = ()  # of a workbook
    versions: tuple[tuple[str, Moment], ...] = ()  # of a table of a lakehouse, and when each came to be


class Preview(Message):
    """The first rows as they are: someone's cells, for a person who asked for them."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class RiskWithout(Message):
    """How many records would still be unique if one column were not known."""

    column: str
    uniqueness: float


class RiskOfKnowledge(Message):
    """How many records are unique for those who know these columns."""

    known: tuple[str, ...]
    uniqueness: float


class RiskSummary(Message):
    """The risk of a table as it is.

    Attributes
    ----------
    quasi
        The quasi-identifiers.
    records, unique, uniqueness, groups, smallest
        How many records there are, how many and what share are unique, how many classes, and how large the smallest.
    guess
        The mean chance to find the right record.
    sizes
        How many classes there are by their size, as the measure gives it.
    secrets
        The share of people who share a confidential value with everybody in their class, by column.
    of_one_person, fewest_people
        How many records are in classes of one person, and how many people are in the class with the fewest; None where
        every record is somebody else's.
    without, sets
        What it would be if one column were not known, or only some were.
    sampled, in_file
        The number of rows that this was measured on, if they are a sample, and of those in the file.
    sets_sampled
        Whether `sets` are of a sample.
    complete
        Whether nothing more follows.
    """

    quasi: tuple[str, ...]
    records: int
    unique: int
    uniqueness: float
    groups: int
    smallest: int
    guess: float
    sizes: Any
    secrets: dict[str, float] = {}
    of_one_person: int | None = None
    fewest_people: int | None = None
    without: tuple[RiskWithout, ...] = ()
    sets: tuple[RiskOfKnowledge, ...] = ()
    sampled: int | None = None
    in_file: int
    sets_sampled: bool = False
    complete: bool = False


class GroupLoss(Message):
    """How much detail the records of a group of people lose, from 0 to 1."""

    group: str
    records: int
    lost: float


class Headline(Message):
    """The numbers of a candidate, without groups of people and values of columns: what is passed on of it.

    Attributes
    ----------
    key, sampled
        Its name, and on how many rows it was made if they are a sample.
    sentences, levels
        What it promises, and which level of each model the released table reaches.
    uniqueness, groups, smallest, fewest_people, guess, mean_size
        Its risk: see `RiskSummary`.
    secrets
        The share of people who share a confidential value with everybody in their class, by column.
    rule
        Whether the rule is kept that is promised if it is, and so among the sentences; None without such a rule.
    forbidden
        The columns because of which it is not kept, and of what something may be left there, such as ``zip``; or empty.
    loss, kept, coarse
        How much information is lost, what share of the detail is kept, and how coarse each column is.
    """

    key: str
    sampled: int | None
    sentences: tuple[str, ...]
    levels: tuple[float, ...]
    uniqueness: float
    groups: int
    smallest: int
    fewest_people: int | None = None
    guess: float
    mean_size: float
    secrets: dict[str, float] = {}
    rule: bool | None = None
    forbidden: dict[str, str] = {}
    loss: float
    kept: float
    coarse: dict[str, float]


class Candidate(Headline):
    """What one way to protect a table gives.

    Attributes
    ----------
    sizes
        How many classes there are by their size.
    cells
        What the cells of each column are.
    changed
        What share of the cells of a column show another value than their own, of columns in which some do.
    loss_by_group
        Whose detail is lost, by column.
    guess_interval, kept_interval
        How far an estimate of these two may be off: see `estimates`.
    """

    sizes: Any
    cells: dict[str, CellKinds]
    changed: dict[str, float] = {}
    loss_by_group: dict[str, tuple[GroupLoss, ...]]
    guess_interval: tuple[float, float] | None = None
    kept_interval: tuple[float, float] | None = None


class ImpossibleCandidate(Message):
    """Why a way to protect a table cannot be had, and what can be done."""

    key: str
    sampled: int | None
    impossible: str
    remedy: str


class TriedCandidate(Message):
    """A candidate that was tried."""

    candidate: Annotated[Candidate | ImpossibleCandidate, Field(union_mode="left_to_right")]


class CandidatesDone(Message):
    """How many candidates were tried, what they have cost, and those that were not reached: see `CandidatesRequest`."""

    estimates: tuple[CandidateSpec, ...] = ()
    exact: tuple[CandidateSpec, ...] = ()
    tried: int
    costs: tuple[MethodCost, ...] = ()


class HierarchyRows(Message):
    """A hierarchy: the levels of each value, how many people have it, and the labels it is read as elsewhere, if so."""

    rows: tuple[tuple[str, ...], ...]
    counts: tuple[int, ...]
    texts: tuple[str, ...] = ()
