"""Versions of what was decided, one after the other, with a way back and forth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from shoal.web.cases.decisions import Decisions

Step = Literal["decide", "replace", "undo", "redo"]


@dataclass(frozen=True)
class Version:
    """What held from one moment on.

    Attributes
    ----------
    number
        Its number; each is larger than the one before.
    step
        How it came about: a decision, one in the place of that before it, or one taken back or made again.
    subject
        What was decided on.
    at
        When, in UTC.
    decisions
        What held then.
    """

    number: int
    step: Step
    subject: str
    at: str
    decisions: Decisions


def now() -> str:
    """Give the time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


Keep = Callable[[Version, int | None], None]


def _keep_nothing(version: Version, instead_of: int | None) -> None:
    """Keep a version nowhere else."""


class History:
    """All versions of one case.

    Parameters
    ----------
    first
        What holds at the start.
    keep
        Is given each new version, and the number of the one in whose place it comes, before it holds.
    """

    def __init__(self, first: Decisions, keep: Keep = _keep_nothing) -> None:
        self._keep = keep
        self.versions: list[Version] = []
        self._past: list[Version] = []
        self._future: list[Version] = []
        self._add("decide", "", first)

    @classmethod
    def restored(cls, versions: Sequence[Version], keep: Keep) -> History:
        """Give the history that these versions are of."""
        found = cls(versions[0].decisions)
        found.versions, found._past = [versions[0]], [versions[0]]
        for version in versions[1:]:
            found._take(version)
        found._keep = keep
        return found

    @property
    def now(self) -> Decisions:
        """What holds now."""
        return self._past[-1].decisions

    @property
    def number(self) -> int:
        """The number of the version that holds now."""
        return self.versions[-1].number

    def at(self, number: int) -> Decisions:
        """Give what held at a version, or at the last one before it."""
        return next((each.decisions for each in reversed(self.versions) if each.number <= number), self.now)

    @property
    def undoes(self) -> str:
        """What would be undone; nothing if there is nothing."""
        return self._past[-1].subject

    @property
    def redoes(self) -> str:
        """What would be done again; nothing if there is nothing."""
        return self._future[-1].subject if self._future else ""

    @property
    def before_undo(self) -> Decisions:
        """What would hold after the last decision was taken back."""
        return self._past[-2].decisions if len(self._past) > 1 else self.now

    @property
    def after_redo(self) -> Decisions:
        """What would hold after a decision was made again."""
        return self._future[-1].decisions if self._future else self.now

    def decide(self, subject: str, decisions: Decisions) -> None:
        """Take a step. One that follows another of the same kind takes its place, as when a slider is moved."""
        if decisions == self.now:
            return
        instead = self._past[-1].subject == subject and not self._future and subject.startswith("choice")
        self._add("replace" if instead else "decide", subject, decisions)

    def undo(self) -> None:
        """Go a step back."""
        if self.undoes:
            self._add("undo", self.undoes, self.before_undo)

    def redo(self) -> None:
        """Go a step forth again."""
        if self._future:
            self._add("redo", self.redoes, self.after_redo)

    def _add(self, step: Step, subject: str, decisions: Decisions) -> None:
        number = self.number + 1 if self.versions else 1
        last = self.versions[-1] if self.versions else None
        # Of a slider that is moved only the last version stays, as if the others had not been.
        instead_of = last if step == "replace" and last is self._past[-1] else None
        version = Version(number, instead_of.step if instead_of else step, subject, now(), decisions)
        self._keep(version, instead_of.number if instead_of else None)
        if instead_of:
            self.versions.pop()
            if instead_of.step == "decide":
                self._past.pop()
        self._take(version)

    def _take(self, version: Version) -> None:
        if version.step == "undo":
            self._future.append(self._past.pop())
        elif version.step == "redo":
            self._past.append(self._future.pop())
        else:
            if version.step == "replace":
                self._past.pop()
            self._past.append(version)
            self._future.clear()
        self.versions.append(version)
