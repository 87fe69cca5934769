"""A case as a file: an SQLite database that only its owner can read, in which every decision is a version."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, TypeVar
from weakref import WeakValueDictionary

from pydantic import ValidationError

from shoal.errors import DataError
from shoal.languages import _
from shoal.web.cases.history import Version
from shoal.web.cases.serialization import StoredHierarchy, StoredVersion
from shoal.web.file_access import make_private
from shoal.web.tasks.case_file import NameOfFile
from shoal.web.tasks.checked_values import Moment
from shoal.web.tasks.messages import Message, TableProfile

FORMAT = 1
_Kept = TypeVar("_Kept", bound=Message)
SUFFIX = ".case"
_APPLICATION = 0x53484F4C  # by which a database says that it is one of these
_PATIENCE = 1.0  # seconds to wait for someone else who has the case open
# The cases that are open in this process, by their places. Nobody tries to look into one of these: SQLite would keep a
# file open for each who does so at once, for as long as the case is open.
_OPEN: WeakValueDictionary[Path, CaseStore] = WeakValueDictionary()
_TABLES = """
CREATE TABLE info (name TEXT PRIMARY KEY, content TEXT NOT NULL) STRICT;
CREATE TABLE versions (number INTEGER PRIMARY KEY, content TEXT NOT NULL) STRICT;
CREATE TABLE hierarchies (digest TEXT PRIMARY KEY, content TEXT NOT NULL) STRICT;
CREATE TABLE findings (
    kind TEXT NOT NULL, digest TEXT NOT NULL, key TEXT NOT NULL, content TEXT NOT NULL, PRIMARY KEY (kind, digest, key)
) STRICT;
CREATE TABLE releases (id TEXT PRIMARY KEY, content TEXT NOT NULL) STRICT;
"""


class CaseInfo(Message):
    """What is said of a case where cases are listed.

    Attributes
    ----------
    id, name
        Its name for programs, which nobody can guess, and the one that people give it.
    begun, changed
        When it was begun and last changed, in UTC.
    file, path, sent
        What its file is called, where it lies if it was opened by its path, and whether it was sent.
    sha256
        The digest of the file, if it was read to its end.
    copy_of
        The case that it was copied from.
    """

    id: str
    name: str
    begun: Moment
    changed: Moment | Literal[""] = ""
    file: NameOfFile
    path: str = ""
    sent: bool = True
    sha256: str | None = None
    copy_of: str = ""

    @property
    def is_named(self) -> bool:
        """Whether someone gave it a name, or copied it."""
        return self.name != self.file or bool(self.copy_of)


class CaseStore:
    """The file of a case that is open. While it is, nobody else can open it.

    Parameters
    ----------
    path
        Where it lies.
    connection
        To the database in it.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    @classmethod
    def _alone(cls, path: Path, connection: sqlite3.Connection) -> CaseStore:
        store = cls(path, connection)
        _OPEN[path.absolute()] = store
        return store

    @classmethod
    def create(cls, path: Path, info: CaseInfo, profile: TableProfile) -> CaseStore:
        """Begin a case."""
        try:
            make_private(path.parent)
            _private(path)
            connection = _connected(path)
            connection.executescript(
                f"{_TABLES} PRAGMA application_id = {_APPLICATION}; PRAGMA user_version = {FORMAT};"
            )
        except (OSError, sqlite3.Error) as error:
            raise _unwritable(error) from None
        store = cls._alone(path, connection)
        store.set_info(info)
        store.set_profile(profile)
        return store

    @classmethod
    def open(cls, path: Path, *, alone: bool = True) -> CaseStore:
        """Open a case, unless it is damaged, of a newer version, or open elsewhere."""
        if path.absolute() in _OPEN:
            raise _open_elsewhere()
        try:
            connection = _connected(path, alone=alone)
        except sqlite3.Error as error:
            raise _unreadable(error) from None
        try:
            kind = connection.execute("PRAGMA application_id").fetchone()[0]
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            sound = not alone or connection.execute("PRAGMA quick_check").fetchone()[0] == "ok"
            if kind != _APPLICATION or not sound:
                raise sqlite3.DatabaseError
            if version > FORMAT:
                raise DataError(_("The case was written by a newer version."), _("Update shoal."))
        except sqlite3.Error as error:
            connection.close()
            raise _unreadable(error) from None
        except BaseException:
            connection.close()
            raise
        return cls._alone(path, connection) if alone else cls(path, connection)

    def close(self) -> None:
        """Let others open it."""
        with suppress(sqlite3.Error):
            self._connection.execute("PRAGMA journal_mode = DELETE")  # so that it is one file again
        self._connection.close()
        if _OPEN.get(self.path.absolute()) is self:
            del _OPEN[self.path.absolute()]

    def copy(self, path: Path, info: CaseInfo) -> CaseStore:
        """Begin another case with all that is in this one."""
        try:
            _private(path)
            with closing(sqlite3.connect(path)) as target:
                self._connection.backup(target)
            store = CaseStore._alone(path, _connected(path))
        except (OSError, sqlite3.Error) as error:
            raise _unwritable(error) from None
        store.set_info(info)
        return store

    @property
    def info(self) -> CaseInfo:
        """What is said of it where cases are listed."""
        info = _parsed(CaseInfo, self._one("SELECT content FROM info WHERE name = 'case'"))
        last = self._all("SELECT json_extract(content, '$.at') FROM versions ORDER BY number DESC LIMIT 1")
        return info.model_copy(update={"changed": last[0][0] if last else info.begun, "sha256": self.profile.sha256})

    def set_info(self, info: CaseInfo) -> None:
        """Say something else of it."""
        self._put("info", "name, content", ("case", info.model_dump_json()))

    @property
    def profile(self) -> TableProfile:
        """What was found at the first look at the file."""
        return _parsed(TableProfile, self._one("SELECT content FROM info WHERE name = 'profile'"))

    def set_profile(self, profile: TableProfile) -> None:
        """Keep what was found at the first look at the file."""
        self._put("info", "name, content", ("profile", profile.model_dump_json()))

    def add_version(self, version: Version, instead_of: int | None = None) -> None:
        """Keep a version, in the place of another one or after it, and the hierarchies in it that are new."""
        hierarchies = [
            (each.digest, StoredHierarchy.of(each).model_dump_json()) for each in version.decisions.hierarchies.values()
        ]
        content = StoredVersion.of(version).model_dump_json()
        with self._writing() as database:
            database.executemany("INSERT OR REPLACE INTO hierarchies (digest, content) VALUES (?, ?)", hierarchies)
            database.execute("DELETE FROM versions WHERE number = ?", (instead_of,))
            database.execute("INSERT INTO versions (number, content) VALUES (?, ?)", (version.number, content))

    def versions(self) -> list[Version]:
        """Give all versions, the oldest first."""
        hierarchies = {
            digest: _parsed(StoredHierarchy, content)
            for digest, content in self._all("SELECT digest, content FROM hierarchies")
        }
        kept = self._all("SELECT content FROM versions ORDER BY number")
        return [_parsed(StoredVersion, content).version(hierarchies) for (content,) in kept]

    def add_finding(self, kind: str, digest: str, key: str, content: dict[str, Any]) -> None:
        """Keep what was found out."""
        self._put("findings", "kind, digest, key, content", (kind, digest, key, json.dumps(content)))

    def findings(self) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
        """Give all that was found out: its kind, the digest of the decisions it hangs on, its key, and itself."""
        for kind, digest, key, content in self._all("SELECT kind, digest, key, content FROM findings"):
            yield kind, digest, key, json.loads(content)

    def add_release(self, id: str, content: dict[str, Any]) -> None:
        """Keep what was written, and who confirmed what."""
        self._put("releases", "id, content", (id, json.dumps(content)))

    def releases(self) -> dict[str, dict[str, Any]]:
        """Give what was written, the oldest first."""
        return {id: json.loads(content) for id, content in self._all("SELECT id, content FROM releases ORDER BY rowid")}

    def _put(self, table: str, columns: str, values: tuple[str, ...]) -> None:
        marks = ", ".join("?" * len(values))
        with self._writing() as database:
            database.execute(f"INSERT OR REPLACE INTO {table} ({columns}) VALUES ({marks})", values)  # noqa: S608

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Write all of it or nothing."""
        try:
            with self._connection:
                yield self._connection
        except sqlite3.Error as error:
            raise _unwritable(error) from None

    def _all(self, query: str) -> list[tuple[Any, ...]]:
        return self._connection.execute(query).fetchall()

    def _one(self, query: str) -> str:
        found: str = self._connection.execute(query).fetchone()[0]
        return found


def _parsed(kind: type[_Kept], content: str) -> _Kept:
    """Read what was kept; another version of shoal may have kept other things."""
    try:
        return kind.model_validate_json(content)
    except ValidationError:
        raise DataError(
            _("The case is damaged, or was written by another version of shoal."),
            _("Open its file again to begin another case."),
        ) from None


def _private(path: Path) -> None:
    """Make a file that only its owner can read."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def _connected(path: Path, *, alone: bool = True) -> sqlite3.Connection:
    """Connect to a database, for ourselves alone or just to look; what was written outlives the process."""
    place = f"{path.absolute().as_uri()}?mode=rw"
    patience = _PATIENCE if alone else 0.0  # who only looks does not wait until a case is closed elsewhere
    connection = sqlite3.connect(place, uri=True, timeout=patience, check_same_thread=False)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        if alone:
            connection.executescript(
                "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                "BEGIN EXCLUSIVE; COMMIT;"
            )
    except BaseException:
        connection.close()
        raise
    return connection


def _unreadable(error: sqlite3.Error) -> DataError:
    if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
        return _open_elsewhere()
    return DataError(_("The case is damaged, or is none."), _("Import it again if you have exported it."))


def _open_elsewhere() -> DataError:
    return DataError(_("The case is open elsewhere."), _("Close it there first."))


def _unwritable(error: Exception) -> DataError:
    reason = getattr(error, "strerror", None) or str(error)
    return DataError(_("The case cannot be kept: %(reason)s.", reason=reason), _("Check the space left."))
