"""Rooms: one session for each user, found by a cookie, in private folders that are wiped at the end."""

from __future__ import annotations

import re
import secrets
import tempfile
import threading
import time
from pathlib import Path

from shoal.engines.workspace import private_folder, temp_folder
from shoal.web.jobs import Jobs
from shoal.web.keeping import Shelf
from shoal.web.session import Session
from shoal.web.settings import Settings

_IDLE = 12 * 3600.0
_MOST = 64
_ID = re.compile(r"[A-Za-z0-9_-]{43}")


class Rooms:
    """All sessions of a server."""

    def __init__(self, settings: Settings, jobs: Jobs | None = None) -> None:
        self.settings = settings
        self.jobs = jobs or Jobs()
        self.cookie = f"shoal-session-{settings.port}"
        self._held = private_folder(temp_folder())  # what is in it is removed by the next one if this process is killed
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
                known = bool(_ID.fullmatch(given)) and Shelf(self.settings.kept, given).exists()
                session = self._new(given if known else secrets.token_urlsafe(32))
            session.used = time.monotonic()
            return session

    def _new(self, id: str) -> Session:
        self._clear_idle()
        folder = Path(tempfile.mkdtemp(dir=self._held.path))
        session = Session(id, folder, self.jobs, self.settings)
        self._sessions[id] = session
        if self.settings.first is not None:
            session.open(self.settings.first, self.settings.first.name, sent=False)
        return session

    def _clear_idle(self) -> None:
        """End sessions that nobody uses any more, and the oldest ones without a file if there are too many."""
        limit = time.monotonic() - _IDLE
        idle = [each for each in self._sessions.values() if each.used < limit]
        bare = [each for each in self._sessions.values() if each.file is None and not each.jobs and each not in idle]
        surplus = max(0, len(self._sessions) - len(idle) - _MOST + 1)
        for session in [*idle, *sorted(bare, key=lambda each: each.used)[:surplus]]:
            session.end()
            del self._sessions[session.id]

    def close(self) -> None:
        """End all sessions and remove all that they had."""
        with self._lock:
            for session in self._sessions.values():
                session.end()
            self._sessions.clear()
        self.jobs.close()
        self._held.remove()
