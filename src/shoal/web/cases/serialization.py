"""Decisions, versions and hierarchies as plain values, in which cases are kept and passed on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import AfterValidator

from shoal.domains.hierarchy_builders import builds
from shoal.models.safe_harbor import SafeHarbor
from shoal.web.cases.aims import Aim
from shoal.web.cases.decisions import Decisions
from shoal.web.cases.hierarchies import ColumnHierarchy
from shoal.web.cases.history import Version
from shoal.web.tasks.case_file import CaseFile
from shoal.web.tasks.checked_values import GivenRole, Moment
from shoal.web.tasks.messages import Layout, Message
from shoal.web.tasks.risk_messages import RiskAsked


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


_BESIDE_DECISIONS = ("number", "step", "subject", "at")  # what a version says


class StoredVersion(Message):
    """A version: see `Version`. Hierarchies lie elsewhere, under their digests."""

    number: int
    step: str
    subject: str
    at: Moment
    roles: dict[str, GivenRole | None]
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
        said = {each.name: getattr(decisions, each.name) for each in fields(decisions)}
        said |= {name: dict(said[name]) for name in ("roles", "treatments", "rule")}
        said |= {"aim": decisions.aim.key}
        said |= {"hierarchies": {column: each.digest for column, each in decisions.hierarchies.items()}}
        return cls(**{name: getattr(version, name) for name in _BESIDE_DECISIONS}, **said)

    def version(self, hierarchies: Mapping[str, StoredHierarchy]) -> Version:
        """Give the version itself, with its hierarchies by their digests."""
        found = {column: hierarchies[digest].hierarchy for column, digest in self.hierarchies.items()}
        said: dict[str, Any] = {each.name: getattr(self, each.name) for each in fields(Decisions)}
        decisions = Decisions(**said | {"aim": Aim.of(self.aim), "hierarchies": found})
        return Version(**{name: getattr(self, name) for name in _BESIDE_DECISIONS}, decisions=decisions)
