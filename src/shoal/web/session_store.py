"""Sessions: one for each browser, found by a cookie, in private folders that are wiped at the end."""

from __future__ import annotations

import re
import secrets
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from shoal.engines.workspace import private_folder, temp_folder
from shoal.web.cases.case import Case
from shoal.web.cases.library import CaseLibrary
from shoal.web.cases.releases import KeptReleases, remove_drafts
from shoal.web.guard import is_loopback
from shoal.web.settings import Settings
from shoal.web.tasks.queue import Queue

_IDLE = 12 * 3600.0
_MOST = 64
_ID = re.compile(r"[A-Za-z0-9_-]{43}")


@dataclass
class Session:
    """What belongs to one cookie: the case that is open, and when it was last asked for."""

    id: str
    case: Case
    used: float


class SessionStore:
    """All sessions of a server."""

    def __init__(self, settings: Settings, queue: Queue | None = None) -> None:
        self.settings = settings
        self.queue = queue or Queue()
        self.cookie = f"shoal-session-{settings.port}"
        self._held = private_folder(temp_folder())  # what is in it is removed by the next one if this process is killed
        remove_drafts(settings.kept)
        self._sessions: dict[str, Session] = {}
        self._lock = threading.Lock()

    def enter(self, given: str) -> Session:
        """Give the session that a cookie stands for, or a new one.

        A cookie of before a restart is taken again if something is kept for it, so that its owner finds that.
        """
        with self._lock:
            if given in self._sessions:
                session = self._sessions[given]
            else:
                known = bool(_ID.fullmatch(given)) and self._has_something(given)
                session = self._new(given if known else secrets.token_urlsafe(32))
            session.used = time.monotonic()
            return session

    def _has_something(self, id: str) -> bool:
        kept, owner = self.settings.kept, self._owner(id)
        return KeptReleases(kept, owner).exists() or CaseLibrary(kept, owner).exists()

    def _owner(self, id: str) -> str:
        """Tell whose a session is: where only one person has the token, theirs, whatever browser they take."""
        alone = self.settings.token is not None and is_loopback(self.settings.host)
        return "who has the token" if alone else id

    def _new(self, id: str) -> Session:
        self._clear_idle()
        folder = Path(tempfile.mkdtemp(dir=self._held.path))
        session = Session(id, Case(self._owner(id), folder, self.queue, self.settings), time.monotonic())
        self._sessions[id] = session
        if self.settings.first is not None:
            session.case.open(self.settings.first, self.settings.first.name, sent=False)
        return session

    def end(self, id: str) -> None:
        """End a session and remove all that it had."""
        with self._lock:
            session = self._sessions.pop(id, None)
        if session is not None:
            session.case.end()

    def _clear_idle(self) -> None:
        """End sessions that nobody uses any more, and the oldest ones without a file if there are too many."""
        limit = time.monotonic() - _IDLE
        idle = [each for each in self._sessions.values() if each.used < limit]
        bare = [each for each in self._sessions.values() if each.case.is_bare and each not in idle]
        surplus = max(0, len(self._sessions) - len(idle) - _MOST + 1)
        for session in [*idle, *sorted(bare, key=lambda each: each.used)[:surplus]]:
            session.case.end()
            del self._sessions[session.id]

    def close(self) -> None:
        """End all sessions and remove all that they had."""
        with self._lock:
            for session in self._sessions.values():
                session.case.end()
            self._sessions.clear()
        self.queue.close()
        self._held.remove()
