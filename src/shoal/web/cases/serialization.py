"""Decisions, versions and hierarchies as plain values, in which cases are kept and passed on."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import AfterValidator

from shoal.domains.hierarchy_builders import builds
from shoal.models.safe_harbor import SafeHarbor
from shoal.schema import Role
from shoal.web.cases.aims import Aim
from shoal.web.cases.decisions import Decisions
from shoal.web.cases.hierarchies import ColumnHierarchy
from shoal.web.cases.history import Version
from shoal.web.tasks.case_file import CaseFile
from shoal.web.tasks.messages import Layout, Message
from shoal.web.tasks.section_messages import RiskAsked


def _no_file(how: str) -> str:
    if how and not builds(how):
        raise ValueError("no way to build a hierarchy")
    return how


def _of_columns(rule: Mapping[str, Any]) -> Mapping[str, Any]:
    if rule and rule.get("name") != SafeHarbor.name:  # other promises may read files
        raise ValueError("no rule about columns")
    return rule


class StoredHierarchy(Message):
    """A hierarchy: see `ColumnHierarchy`."""

    how: Annotated[str, AfterValidator(_no_file)]
    rows: tuple[tuple[str, ...], ...]
    counts: tuple[int, ...]
    texts: tuple[str, ...] = ()

    @classmethod
    def of(cls, hierarchy: ColumnHierarchy) -> StoredHierarchy:
        """Give a hierarchy as plain values."""
        return cls(how=hierarchy.how, rows=hierarchy.rows, counts=hierarchy.counts, texts=hierarchy.texts)

    @property
    def hierarchy(self) -> ColumnHierarchy:
        """The hierarchy itself."""
        return ColumnHierarchy(self.how, self.rows, self.counts, self.texts)


class StoredVersion(Message):
    """A version: see `Version`. Hierarchies lie elsewhere, under their digests."""

    number: int
    step: str
    subject: str
    at: str
    roles: dict[str, Role | None]
    aim: str
    pinned: tuple[str, ...]
    hierarchies: dict[str, str]
    layout: Layout = Layout()
    treatments: Mapping[str, str] = MappingProxyType({})
    asked: RiskAsked = RiskAsked()
    files: tuple[CaseFile, ...] = ()
    rule: Annotated[Mapping[str, Any], AfterValidator(_of_columns)] = MappingProxyType({})

    @classmethod
    def of(cls, version: Version) -> StoredVersion:
        """Give a version as plain values."""
        decisions = version.decisions
        return cls(
            number=version.number,
            step=version.step,
            subject=version.subject,
            at=version.at,
            roles=dict(decisions.roles),
            aim=decisions.aim.key,
            pinned=decisions.pinned,
            hierarchies={column: each.digest for column, each in decisions.hierarchies.items()},
            layout=decisions.layout,
            treatments=dict(decisions.treatments),
            asked=decisions.asked,
            files=decisions.files,
            rule=dict(decisions.rule),
        )

    def version(self, hierarchies: Mapping[str, StoredHierarchy]) -> Version:
        """Give the version itself, with its hierarchies by their digests."""
        found = {column: hierarchies[digest].hierarchy for column, digest in self.hierarchies.items()}
        decisions = Decisions(
            self.roles, Aim.of(self.aim), self.pinned, found, self.layout, self.treatments, self.asked, self.files,
            self.rule,
        )  # fmt: skip
        given: dict[str, Any] = {"number": self.number, "step": self.step, "subject": self.subject, "at": self.at}
        return Version(**given, decisions=decisions)
