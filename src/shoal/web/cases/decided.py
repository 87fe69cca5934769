"""What someone decides about one file: every decision is a version, and a change is for the version that was shown."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from shoal.errors import ParameterError
from shoal.languages import N_, _
from shoal.schema import Role
from shoal.web.cases.aims import Aim
from shoal.web.cases.changes import changes
from shoal.web.cases.decisions import Decisions
from shoal.web.cases.hierarchies import ColumnHierarchy
from shoal.web.cases.history import History
from shoal.web.cases.opened_file import Opened
from shoal.web.cases.role_import import ImportedRoles, roles_in
from shoal.web.errors import NotThereError, StaleError
from shoal.web.tasks.case_jobs import CaseJobs

OF_CANDIDATES = ("search", "spread", "scores", "attack")  # tasks about ways to protect the table


def fresh_id() -> str:
    """Give a name that nobody can guess."""
    return secrets.token_urlsafe(12)


class DecidedCase:
    """The decisions about one file. Who makes one holds the case: see `changing`.

    Parameters
    ----------
    jobs
        The work for it, which what is decided may make useless.
    """

    def __init__(self, jobs: CaseJobs) -> None:
        self.jobs = jobs
        self.lock: threading.RLock = jobs.lock
        self.id = fresh_id()
        self.file: Opened | None = None
        self.look: dict[str, Any] = {}
        self.history = History(Decisions())

    @property
    def version(self) -> str:
        """What a page shows: which case, and which version of it."""
        return f"{self.id}.{self.history.number}"

    @property
    def decisions(self) -> Decisions:
        """What holds now."""
        return self.history.now

    @property
    def choice(self) -> str:
        """A name of all that a release hangs on: the case, roles, hierarchies, and how the table is protected."""
        return f"{self.id} {self.decisions.choice}"

    @property
    def last_changes(self) -> list[str]:
        """What the last step changed."""
        return changes(self.history.at(self.history.number - 1), self.decisions)

    @property
    def undoable(self) -> list[str]:
        """What would be taken back."""
        return changes(self.history.before_undo, self.decisions)

    @property
    def redoable(self) -> list[str]:
        """What would be decided again."""
        return changes(self.decisions, self.history.after_redo)

    @contextmanager
    def changing(self, shown: str | None) -> Iterator[None]:
        """Hold the case for a change by someone who was shown a version of it, unless that is stale."""
        with self.lock:
            if shown is not None and shown != self.version:
                id, _separator, number = shown.rpartition(".")
                if id == self.id and number.isdecimal():
                    raise StaleError(changes(self.history.at(int(number)), self.decisions))
                if self.file is None:
                    raise StaleError([_("the file was closed")])
                raise StaleError([_("another file was opened: %(name)s", name=self.file.name)])
            yield

    def decide_roles(self, changed: Mapping[str, Role | None], rule: Mapping[str, Any] | None = None) -> None:
        """Give columns roles, and with them maybe a rule that is promised where it is kept."""
        self._need_file()
        decided = self.decisions.with_roles(changed)
        self.history.decide(N_("roles"), decided if rule is None else replace(decided, rule=rule))
        self.jobs.cancel("measure", "unicity", "reasons", "sections", "levels", *OF_CANDIDATES)

    def decide_treatment(self, column: str, written: str) -> None:
        """Let a column that names people, or holds dates, become something else than nothing."""
        self._need_file()
        self.history.decide(N_("identifiers"), self.decisions.with_treatment(column, written))

    def import_roles(self, content: bytes) -> ImportedRoles:
        """Give columns the roles that a recipe or a certificate gives them; others stay as they were."""
        self._need_file()
        found = roles_in(content, list(self.decisions.roles))
        self.decide_roles(found.roles)
        for column, written in found.treatments.items():
            self.decide_treatment(column, written)
        return found

    @property
    def suggested(self) -> dict[str, Role | None]:
        """The roles that were guessed for columns that are undecided."""
        guesses = {column["name"]: Role(column["role"]) for column in self.look.get("columns", [])}
        return {name: guesses[name] for name in self.decisions.undecided if name in guesses}

    def choose(self, aim: Aim) -> None:
        """Choose a way to protect the table."""
        self._need_file()
        self.history.decide(N_("choice of protection"), self.decisions.with_aim(aim, self._people))

    @property
    def _people(self) -> int | None:
        """How many people the table is about, if all of it was looked at."""
        if self.look.get("sampled") is not None:
            return None
        columns = {each["name"]: each["distinct"] for each in self.look.get("columns", ())}
        return next((columns[name] for name in self.decisions.of(Role.SUBJECT)), self.look.get("rows"))

    def pin(self, key: str, *, pinned: bool) -> None:
        """Put a candidate beside others, or take it away."""
        self.history.decide(N_("comparison"), self.decisions.with_pin(Aim.of(key).key, pinned=pinned))

    def compare(self, keys: Sequence[str]) -> None:
        """Put some candidates side by side, and no others."""
        self._need_file()
        self.history.decide(N_("comparison"), self.decisions.with_pins([Aim.of(key).key for key in keys]))

    def decide_hierarchy(self, column: str, hierarchy: ColumnHierarchy | None) -> None:
        """Give a quasi-identifier a hierarchy, or none."""
        self._need_file()
        self.history.decide(N_("hierarchy"), self.decisions.with_hierarchy(column, hierarchy))
        self.jobs.cancel(*OF_CANDIDATES)

    def hierarchy(self, column: str) -> ColumnHierarchy:
        """Give the hierarchy of a column."""
        if column not in self.decisions.hierarchies:
            raise NotThereError("There is no such hierarchy.", "Build it first.")
        return self.decisions.hierarchies[column]

    def _need_file(self) -> Opened:
        if self.file is None:
            raise ParameterError("No file is open.", "Open one first.")
        return self.file

    def _ready(self) -> str:
        self._need_file()
        if self.decisions.problem:
            raise ParameterError(self.decisions.problem, "Give every column a role first.")
        return self.decisions.roles_digest
