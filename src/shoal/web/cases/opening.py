"""How the file of a case is opened, looked at, read in another way, closed, and opened again."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from shoal.errors import DataError, ParameterError
from shoal.languages import N_, _
from shoal.schema import Role
from shoal.web.cases.decided import OF_CANDIDATES, DecidedCase, fresh_id
from shoal.web.cases.decisions import Decisions
from shoal.web.cases.findings import Findings, Found
from shoal.web.cases.history import History, Version, now
from shoal.web.cases.library import CaseLibrary
from shoal.web.cases.opened_file import Opened
from shoal.web.cases.store import CaseInfo, CaseStore
from shoal.web.file_access import on_this_computer
from shoal.web.settings import Settings
from shoal.web.tasks import messages as m
from shoal.web.tasks.case_jobs import CaseJobs
from shoal.web.tasks.job import Job, Part, leave_it

# What is done with the table as it is read, and is for nothing when it is read in another way.
_OF_THE_TABLE = (
    "tree", "tree-preview", "measure", "unicity", "reasons", "sections", "population", "certificate", "harbor",
    "levels", "rows", *OF_CANDIDATES,
)  # fmt: skip

Take = Callable[[Found], None]


class OpenedCase(DecidedCase):
    """A case with its file: see `Case`.

    Parameters
    ----------
    jobs
        The work for it.
    library
        Where cases are kept.
    settings
        How the server is set up.
    """

    def __init__(self, jobs: CaseJobs, library: CaseLibrary, settings: Settings) -> None:
        super().__init__(jobs)
        self.folder = jobs.folder
        self.settings = settings
        self.library = library
        self.findings = Findings()
        self.unread: Opened | None = None  # a file that could not be read as it was tried
        self._store: CaseStore | None = None
        self._look_by = ""

    def open(self, path: Path, name: str, *, sent: bool) -> Job:
        """Open a file: look at its columns and guess their roles. What was open before stays so until this works."""
        return self._look_at(Opened(path, name, sent), m.Layout())

    def _look_at(self, opened: Opened, layout: m.Layout) -> Job:
        with self.lock:
            self.jobs.cancel("look")
            before, self.unread = self.unread, None
            if before is not None and before is not opened:
                before.remove()
            more = {"layout": layout, "most_columns": self.settings.most_columns}
            request = m.ProfileRequest(**(self._table(opened) | more))

            def found(part: m.TableProfile) -> None:
                with self.lock:
                    if self.jobs.of("look") is job:
                        self._looked(opened, part, layout)
                        self._look_by = job.id

            def ended(done: Job) -> None:
                with self.lock:
                    if done.state == "failed" and self.file is not opened and self.jobs.of("look") is job:
                        self.unread = opened  # it may be read in another way
                    elif done.state != "done" and self.file is not opened:
                        opened.remove()

            return (job := self.jobs.start("look", request, found=found, ended=ended))

    @property
    def is_open(self) -> bool:
        """Whether what was last asked to be opened is open, be it only a sample of it yet."""
        job = self.jobs.of("look")
        return job is not None and job.id == self._look_by and job.state in ("running", "done")

    @property
    def is_bare(self) -> bool:
        """Whether nothing is open and nothing is being done."""
        return self.file is None and not self.jobs.all()

    def _looked(self, opened: Opened, profile: m.TableProfile, layout: m.Layout) -> None:
        names = [column.name for column in profile.columns]
        if self.file is not opened:
            self._leave()
            self._begin(opened, profile, Decisions(_guessed(profile), layout=layout))
        elif self.decisions.layout != layout:
            self.jobs.cancel(*_OF_THE_TABLE)
            self.history.decide(N_("reading options"), self.decisions.with_layout(layout, _guessed(profile)))
        elif list(self.decisions.roles) != names:  # all of it has other columns than a part of it
            self.history.decide(N_("columns"), Decisions(dict.fromkeys(names), layout=layout))
        self.look = profile.plain()
        if self._store is not None:
            self._store.set_profile(profile)

    def _begin(self, opened: Opened, profile: m.TableProfile, first: Decisions) -> None:
        """Begin a case about a file."""
        self.file, self.id = opened, fresh_id()
        place = "" if opened.sent else str(opened.path)
        info = CaseInfo(id=self.id, name=opened.name, begun=now(), file=opened.name, path=place, sent=opened.sent)
        with suppress(DataError):  # where nothing can be kept, one can still work: the list of cases says so
            self._store = self.library.begin(info, profile)
        self.findings, self.history = Findings(self._keep_finding), History(first, self._keep_version)

    def reopen(self, id: str, sent: Path | None = None) -> None:
        """Open a case of an earlier day, with its file: at its path, kept with it, or sent once more."""
        with self.lock:
            if id == self.id:
                return
            store = self.library.open(id)
            try:
                profile, versions = store.profile, store.versions()
                wanted = profile.sha256
                same = wanted is not None and self.look.get("sha256") == wanted
                opened = self._file_of(store, self.file if same else None, sent)
            except BaseException:
                store.close()
                raise
            if opened is self.file:
                self.file = None  # which so stays open when the case is left
            self._leave()
            self.file, self.id, self._store = opened, id, store
            self.look = profile.plain()
            self.history = History.restored(versions, self._keep_version)
            self.findings = Findings.restored(store.findings(), self._keep_finding)
            if self.look["sampled"] is not None:
                self._look_at(opened, self.decisions.layout)

    def _file_of(self, store: CaseStore, same: Opened | None, sent: Path | None) -> Opened:
        """Give the file of a case: the one that was sent for it, that is open, that was kept with it, or at its path.

        Only the one that the case was decided about will do.
        """
        info, wanted = store.info, store.profile.sha256
        kept = self.library.original(info.id) / info.file
        if sent is not None:
            opened = Opened(sent, info.file, sent=True)
        elif same is not None:
            return same
        elif kept.is_file():
            opened = Opened(kept, info.file, sent=False)
        elif info.path:
            opened = Opened(on_this_computer(self.settings, info.path, folders=True), info.file, sent=False)
        else:
            raise ParameterError(
                _("The file of this case was sent, and removed when the case was closed."), _("Send it once more.")
            )
        if wanted is not None and opened.sha256(store.versions()[-1].decisions.layout) != wanted:
            opened.remove()
            raise DataError(
                _("This is not the file that the case is about: its fingerprint is another one."),
                _("Take the file as it was, or open this one as a new case."),
            )
        return opened

    def close_file(self, *, keep: bool = False) -> None:
        """Close the case; the file is removed if it was sent, unless it is to be kept with the case."""
        with self.lock:
            self.jobs.cancel()
            if self.unread is not None:
                self.unread.remove()
                self.unread = None
            self._leave(keep=keep)

    def _leave(self, *, keep: bool = False) -> None:
        """Put the case away. One in which nobody decided anything is gone then."""
        self.jobs.cancel(*_OF_THE_TABLE, "publish")
        opened, store = self.file, self._store
        if store is not None:
            decided = self.history.number > 1 or store.releases() or store.info.is_named
            store.close()
            if not decided:
                self.library.delete(self.id)
            elif keep and opened is not None and opened.sent:
                opened = opened.moved(self.library.original(self.id))
        if opened is not None:
            opened.remove()
        self.file, self._store, self.look, self.id = None, None, {}, fresh_id()
        self.findings, self.history = Findings(), History(Decisions())

    def _keep_version(self, version: Version, instead_of: int | None) -> None:
        if self._store is not None:
            self._store.add_version(version, instead_of)

    def _keep_finding(self, kind: str, digest: str, key: str, content: Found) -> None:
        if self._store is not None:
            self._store.add_finding(kind, digest, key, content)

    def _table(self, opened: Opened) -> Found:
        """Give what every request says of the table."""
        large = {} if self.settings.large is None else {"large": self.settings.large}
        layout = self.decisions.layout if self.file is opened else m.Layout()
        return {"file": opened.path, "name": opened.name, "layout": layout, **large}

    def _with_roles(self) -> Found:
        """Give what requests say of a table whose columns have roles."""
        return {**self._table(self._need_file()), "roles": self.decisions.given_roles}

    def _reading(self) -> Found:
        """Give what requests say of a table that is protected: its roles, and its hierarchies, those sent as files."""
        hierarchies = self.decisions.hierarchies
        places = {column: each.how for column, each in hierarchies.items()}
        for column, name in self.decisions.hierarchy_files.items():
            file = self.folder / "trees" / hierarchies[column].digest / name
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            file.write_text(hierarchies[column].csv(), encoding="utf-8")
            places[column] = str(file)
        return {**self._with_roles(), "hierarchies": places}

    def _start(
        self, task: str, *parts: m.TableRequest | Part, found: Take = leave_it, ended: Take = leave_it, **more: Any
    ) -> Job:
        """Start a job for the file that is open; what it finds on its way and at its end is taken while that is."""
        opened = self._need_file()
        self.jobs.cancel(task)

        def take(part: m.Message) -> None:
            with self.lock:
                if self.file is opened:
                    found(part.plain())

        def finish(job: Job) -> None:
            with self.lock:
                if self.file is opened and job.result is not None:
                    ended(job.result.plain())

        return self.jobs.start(task, *parts, found=take, ended=finish, **more)

    def _find_out(self, task: str, request: m.TableRequest, kind: str, digest: str, key: str = "") -> None:
        """Find out what decisions lead to, and keep it with them, unless it is known or being found out."""
        about, job = f"{digest} {key}".strip(), self.jobs.of(task)
        if self.findings.known(kind, digest, key) or (job is not None and job.about == about and not job.over):
            return
        self._start(task, request, about=about, ended=lambda found: self.findings.take(kind, digest, key, found))

    def read_as(self, layout: m.Layout) -> Job:
        """Read the file in another way; what cannot be read so changes nothing."""
        return self._look_at(self.unread or self._need_file(), layout)

    def undo(self) -> None:
        """Take back the last decision; the file is looked at again if it is read in another way then."""
        self._go(self.history.undo)

    def redo(self) -> None:
        """Decide again what was taken back; the file is looked at again if it is read in another way then."""
        self._go(self.history.redo)

    def _go(self, step: Callable[[], None]) -> None:
        before = self.decisions.layout
        step()
        if self.file is not None and self.decisions.layout != before:
            self._look_at(self.file, self.decisions.layout)


def _guessed(profile: m.TableProfile) -> dict[str, Role | None]:
    """Give the roles that columns seem to have, where that is sure."""
    return {each.name: each.role if each.sure else None for each in profile.columns}
