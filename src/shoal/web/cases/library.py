"""The cases of one person: listed, begun, opened, copied and deleted, each a file in a folder of their own."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections import Counter
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from shoal.errors import DataError, ShoalError
from shoal.web.cases.aims import Aim
from shoal.web.cases.changes import differences
from shoal.web.cases.decisions import Decisions
from shoal.web.cases.findings import Found
from shoal.web.cases.history import now
from shoal.web.cases.store import SUFFIX, CaseInfo, CaseStore
from shoal.web.errors import NotThereError
from shoal.web.tasks.messages import TableProfile

_ID = re.compile(r"[A-Za-z0-9_-]{16}")


@dataclass(frozen=True)
class BranchCandidate:
    """A candidate of another case about the same file.

    Attributes
    ----------
    case, aim, found
        What the case is called, what is chosen there, and what it gives if that is known.
    differs
        What is decided otherwise in that case.
    """

    case: str
    aim: Aim
    found: Found | None
    differs: list[str]


def _candidates(name: str, store: CaseStore, here: Decisions) -> list[BranchCandidate]:
    decisions = store.versions()[-1].decisions
    known = {
        key: found for kind, digest, key, found in store.findings() if (kind, digest) == ("candidate", decisions.digest)
    }
    differs = differences(here, decisions)
    keys = decisions.pinned or (decisions.aim.key,)
    return [BranchCandidate(name, Aim.of(key), known.get(key), differs) for key in keys]


class CaseLibrary:
    """The cases of one person.

    Parameters
    ----------
    kept
        Where everything is kept that outlives the server.
    owner
        Whose cases they are.
    """

    def __init__(self, kept: Path, owner: str) -> None:
        self._folder = kept / "cases" / hashlib.sha256(owner.encode()).hexdigest()[:32]

    def exists(self) -> bool:
        """Whether there is a case."""
        return any(self._folder.glob(f"*{SUFFIX}"))

    def unreadable(self, known: Sequence[CaseInfo]) -> int:
        """Count the cases that cannot be listed: they are open elsewhere, damaged, or of another version."""
        return len({path.stem for path in self._folder.glob(f"*{SUFFIX}")} - {each.id for each in known})

    def cases(self, current: CaseInfo | None = None) -> list[CaseInfo]:
        """List the cases that can be read, the last changed first; the one that is open is known already."""
        found = [] if current is None else [current]
        for path in self._folder.glob(f"*{SUFFIX}"):
            if current is None or path.stem != current.id:
                try:
                    with closing(CaseStore.open(path, alone=False)) as store:
                        found.append(store.info)
                except DataError:  # damaged, of another version, or open elsewhere: opening it says which
                    continue
        return sorted(found, key=lambda each: each.changed, reverse=True)

    def beside(self, current: CaseInfo | None, sha256: str, here: Decisions) -> list[BranchCandidate]:
        """Give the candidates of other cases about a file: those that are compared there, or the one that is chosen.

        Cases of one name have a number, the first begun the smallest.
        """
        found, names = [], Counter[str]()
        for info in sorted(self.cases(current), key=lambda each: (each.begun, each.id)):
            if info is not current and info.sha256 == sha256:
                names[info.name] += 1
                name = info.name if names[info.name] == 1 else f"{info.name} ({names[info.name]})"
                # Also of a method that a package from outside had, which is no longer there.
                with suppress(ShoalError), closing(CaseStore.open(self._path(info.id), alone=False)) as store:
                    found += _candidates(name, store, here)
        return found

    def begin(self, info: CaseInfo, profile: TableProfile) -> CaseStore:
        """Begin a case."""
        return CaseStore.create(self._path(info.id), info, profile)

    def open(self, id: str) -> CaseStore:
        """Open a case."""
        path = self._path(id)
        if not path.exists():
            raise NotThereError("There is no such case.", "Choose one of those on the page.")
        return CaseStore.open(path)

    def copy(self, store: CaseStore, id: str, name: str) -> CaseStore:
        """Begin another case with all that is in one, to try other roles or hierarchies."""
        before = store.info
        info = before.model_copy(update={"id": id, "name": name, "copy_of": before.id, "begun": now()})
        return store.copy(self._path(id), info)

    def has(self, id: str) -> bool:
        """Whether there is such a case."""
        return self._path(id).exists()

    def delete(self, id: str) -> None:
        """Delete a case, and the original if it was kept with it."""
        self.open(id).close()  # refuses what is open elsewhere
        path = self._path(id)
        for part in (path, *path.parent.glob(f"{path.name}-*")):
            part.unlink(missing_ok=True)
        shutil.rmtree(self.original(id), ignore_errors=True)

    def original(self, id: str) -> Path:
        """Give the folder in which the file of a case is kept, if someone asked for that."""
        return self._path(id).with_suffix(".original")

    @property
    def signing_key(self) -> Path:
        """Where the pair of keys of this person lies, if there is one."""
        return self._folder / "signing.key"

    def _path(self, id: str) -> Path:
        if not _ID.fullmatch(id):
            raise NotThereError("There is no such case.", "Choose one of those on the page.")
        return self._folder / f"{id}{SUFFIX}"
