"""Which tasks there are: what each is asked, what it hands over on its way and at its end, and where it is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

from shoal.errors import InternalError
from shoal.web.tasks import candidate_messages as c
from shoal.web.tasks import messages as m
from shoal.web.tasks import risk_messages as r
from shoal.web.tasks.harbor_messages import HarborRequest, HarborSummary
from shoal.web.tasks.lanes import OPENING, RELEASE, SHOWN, Lane
from shoal.web.tasks.level_messages import LevelsRequest, LevelsSummary
from shoal.web.tasks.release_messages import ReleaseDone, ReleaseRequest


class Reporter(Protocol):
    """Says how far a task is, and hands over what is known already."""

    def step(self, what: str, done: int = 0, of: int = 0, left: float | None = None) -> None:
        """Say what is being done, how much of it, and about how many seconds it still takes, if that is known."""
        ...

    def partial(self, found: m.Message) -> None:
        """Hand over what is known already."""
        ...


Task = Callable[[Any, Reporter], m.Message]


@dataclass(frozen=True)
class TaskKind:
    """A kind of task.

    Parameters
    ----------
    request, partial, result
        What it is asked, and what it gives on its way and at its end; an empty message if all was given by then.
    place
        The module and the function that does it, which only the process that needs it loads.
    lane
        How urgent it is, unless said otherwise.
    """

    request: type[m.TableRequest]
    partial: type[m.Message]
    result: type[m.Message]
    place: str
    lane: Lane = SHOWN

    def load(self) -> Task:
        """Give the function, loading only what it needs."""
        module, _, function = self.place.partition(":")
        task: Task = getattr(import_module(f"shoal.web.tasks.{module}"), function)
        return task


TASKS = {
    "look": TaskKind(m.ProfileRequest, m.TableProfile, m.TableProfile, "profile:profile", OPENING),
    "preview": TaskKind(m.PreviewRequest, m.Preview, m.Preview, "profile:preview", OPENING),
    "measure": TaskKind(m.RiskRequest, m.RiskSummary, m.RiskSummary, "risk:measure"),
    "unicity": TaskKind(m.RolesRequest, r.UnicitySummary, r.UnicitySummary, "unicity:measure"),
    "reasons": TaskKind(r.ReasonsRequest, r.ReasonsSummary, r.ReasonsSummary, "reasons:find"),
    "certificate": TaskKind(r.CertificateRequest, r.CertificateDone, r.CertificateDone, "risk_certificate:write"),
    "sections": TaskKind(r.SectionsRequest, r.SectionsFound, r.SectionsFound, "sections:find"),
    "population": TaskKind(m.TableRequest, r.PopulationFile, r.PopulationFile, "sections:population", OPENING),
    "harbor": TaskKind(HarborRequest, HarborSummary, HarborSummary, "harbor:find"),
    "search": TaskKind(m.CandidatesRequest, m.TriedCandidate, m.CandidatesDone, "candidates:search"),
    "levels": TaskKind(LevelsRequest, LevelsSummary, LevelsSummary, "levels:explore_levels"),
    "rows": TaskKind(c.RowsRequest, c.RowsBeforeAfter, c.RowsBeforeAfter, "rows:before_after"),
    "tree": TaskKind(m.HierarchyRequest, m.HierarchyRows, m.HierarchyRows, "hierarchies:build", OPENING),
    "tree-preview": TaskKind(m.HierarchyRequest, m.HierarchyRows, m.HierarchyRows, "hierarchies:build"),
    "spread": TaskKind(c.DistributionsRequest, c.Distributions, m.Message, "distributions:compare"),
    "scores": TaskKind(c.ScoresRequest, c.CandidateScore, m.Message, "scores:measure"),
    "attack": TaskKind(c.AttackRequest, c.AttackSummary, c.AttackSummary, "attacks:attack"),
    "publish": TaskKind(ReleaseRequest, ReleaseDone, ReleaseDone, "release:publish", RELEASE),
}


def task_kind(name: str) -> TaskKind:
    """Give a kind of task by its name."""
    if name not in TASKS:
        raise InternalError(f"There is no task '{name}'.", f"There are: {', '.join(TASKS)}.")
    return TASKS[name]
