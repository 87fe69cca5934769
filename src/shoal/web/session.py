"""A session: what one user has opened and decided, what was found, and what was written. Nothing of it knows HTTP."""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.errors import DataError, ParameterError
from shoal.extras import how_to_install
from shoal.report.pdf import installed
from shoal.schema import Role
from shoal.web.decisions import Aim, Decisions, History
from shoal.web.errands import Errands, Found
from shoal.web.importing import Imported, roles_in
from shoal.web.jobs import Job, Jobs
from shoal.web.keeping import Released, Shelf
from shoal.web.places import release_names
from shoal.web.settings import Settings
from shoal.web.trees import Into, Tree, buildable, tree_of

PDF_REMEDY = f"{how_to_install('report')}, then start the workbench again."


@dataclass(frozen=True)
class Opened:
    """A file that is open: where it lies, what it is called, and whether it was sent, so that it is ours to remove."""

    path: Path
    name: str
    sent: bool


class Session(Errands):
    """One user's work on one file.

    Parameters
    ----------
    id
        Its name, which nobody can guess.
    folder
        A private folder for everything that is written.
    jobs
        Where work is done.
    settings
        How the server is set up.
    """

    def __init__(self, id: str, folder: Path, jobs: Jobs, settings: Settings) -> None:
        super().__init__(folder, jobs)
        self.id = id
        self.settings = settings
        self.file: Opened | None = None
        self.look: Found = {}
        self.history = History(Decisions())
        self.used = time.monotonic()
        self.shelf = Shelf(settings.kept, id)
        self.releases: dict[str, Released] = {each.id: each for each in self.shelf.releases()}
        self._look_by = ""
        self._risks: dict[str, Found] = {}
        self._candidates: dict[tuple[str, str], Found] = {}
        self._spreads: dict[tuple[str, str], Found] = {}

    # What is decided

    @property
    def decisions(self) -> Decisions:
        """What holds now."""
        return self.history.now

    def decide_roles(self, changed: Mapping[str, Role | None]) -> None:
        """Give columns roles."""
        with self.lock:
            self._need_file()
            self.history.decide("roles", self.decisions.with_roles(changed))
            self._cancel("measure", "search", "spread")

    def import_roles(self, content: bytes) -> Imported:
        """Give columns the roles that a recipe or a certificate gives them; others stay as they were."""
        with self.lock:
            self._need_file()
            found = roles_in(content, list(self.decisions.roles))
            self.decide_roles(found.roles)
            return found

    def accept_roles(self) -> None:
        """Give every undecided column the role that was guessed."""
        guesses = {column["name"]: Role(column["role"]) for column in self.look.get("columns", [])}
        self.decide_roles({name: guesses[name] for name in self.decisions.undecided})

    def choose(self, aim: Aim) -> None:
        """Choose a way to protect the table."""
        with self.lock:
            self._need_file()
            self.history.decide("choice of protection", self.decisions.with_aim(aim))

    def pin(self, key: str, *, pinned: bool) -> None:
        """Put a candidate beside others, or take it away."""
        with self.lock:
            aim = Aim.of(key)
            self.history.decide("comparison", self.decisions.with_pin(aim.key, pinned=pinned))

    def compare(self, keys: Sequence[str]) -> None:
        """Put some candidates side by side, and no others."""
        with self.lock:
            self._need_file()
            self.history.decide("comparison", self.decisions.with_pins([Aim.of(key).key for key in keys]))

    def decide_tree(self, column: str, tree: Tree | None) -> None:
        """Give a quasi-identifier a hierarchy, or none."""
        with self.lock:
            self._need_file()
            self.history.decide("hierarchy", self.decisions.with_tree(column, tree))
            self._cancel("search", "spread")

    def merge_groups(self, column: str, least: int, into: Into) -> None:
        """Merge groups of few people in the hierarchy of a column."""
        with self.lock:
            if column not in self.decisions.trees:
                raise DataError("There is no such hierarchy.", "Build it first.")
            self.decide_tree(column, self.decisions.trees[column].merged(least, into))

    def undo(self) -> None:
        """Take back the last decision."""
        with self.lock:
            self.history.undo()

    def redo(self) -> None:
        """Decide again what was taken back."""
        with self.lock:
            self.history.redo()

    # What is open

    def open(self, path: Path, name: str, *, sent: bool) -> Job:
        """Open a file: look at its columns and guess their roles. What was open before stays so until this works."""
        with self.lock:
            opened = Opened(path, name, sent)
            self._cancel("look")
            request = self._request(opened) | {"most_columns": self.settings.most_columns}

            def found(part: Found) -> None:
                with self.lock:
                    if self.jobs.get("look") is job:
                        self._looked(opened, part)
                        self._look_by = job.id

            def ended(done: Job) -> None:
                if done.state != "done" and self.file is not opened:
                    self._remove(opened)

            job = self._launch("look", request, found, ended)
            return job

    @property
    def is_open(self) -> bool:
        """Whether what was last asked to be opened is open, be it only a sample of it yet."""
        job = self.jobs.get("look")
        return job is not None and job.id == self._look_by and job.state in ("running", "done")

    def _looked(self, opened: Opened, look: Found) -> None:
        names = [column["name"] for column in look["columns"]]
        if self.file is not opened:
            before, self.file = self.file, opened
            if before is not None:
                self._remove(before)
            self._cancel("tree", "measure", "search", "spread", "publish")
            self._forget_findings()
            roles = {each["name"]: Role(each["role"]) if each["sure"] else None for each in look["columns"]}
            self.history = History(Decisions(roles))
        elif list(self.decisions.roles) != names:  # all of it has other columns than a part of it
            self.history = History(Decisions(dict.fromkeys(names)))
        self.look = look

    def close_file(self) -> None:
        """Close the file, and remove it if it was sent."""
        with self.lock:
            self._cancel(*list(self.jobs))
            if self.file is not None:
                self._remove(self.file)
            self.file, self.look, self.history = None, {}, History(Decisions())
            self._forget_findings()

    def _forget_findings(self) -> None:
        for known in (self._risks, self._candidates, self._spreads):
            known.clear()

    def _remove(self, opened: Opened) -> None:
        if opened.sent:
            shutil.rmtree(opened.path.parent, ignore_errors=True)

    def _need_file(self) -> Opened:
        if self.file is None:
            raise ParameterError("No file is open.", "Open one first.")
        return self.file

    def _request(self, opened: Opened) -> Found:
        request: Found = {"file": str(opened.path), "name": opened.name}
        return request if self.settings.large is None else request | {"large": self.settings.large}

    # What is found

    def preview(self) -> Job:
        """Read the first rows as they are."""
        return self._start("preview", {})

    def risk(self) -> Found:
        """Give what is known of the risk; what is not is found out."""
        with self.lock:
            digest = self._ready()
            found = self._risks.get(digest, {})
            if not found.get("complete") and not self._busy("measure", digest):

                def take(part: Found) -> None:
                    self._risks[digest] = part

                def ended(job: Job) -> None:
                    if job.state == "done":
                        self._risks[digest] = job.result | {"complete": True}

                self._start("measure", {"roles": self.decisions.plain_roles, "about": digest}, take, ended)
            return self._risks.get(digest, {})

    @property
    def known_risk(self) -> Found:
        """What is known of the risk already; nothing is begun for it."""
        return self._risks.get(self.decisions.roles_digest, {})

    def candidates(self) -> dict[str, Found]:
        """Give the candidates near to what was chosen that are known by now; what is not known is found out."""
        with self.lock:
            self._ready()
            digest = self.decisions.digest
            near = self.decisions.aim.nearby()
            missing = [aim.asked for aim in near if self._lacks(digest, aim)]
            about = f"{digest} {self.decisions.aim.family}"
            if missing and not self._busy("search", about):
                self._search(digest, about, missing)
            keys = [aim.key for aim in near]
            return {key: self._candidates[digest, key] for key in keys if (digest, key) in self._candidates}

    def candidate(self, key: str) -> Found | None:
        """Give a candidate if it is known, whatever is chosen now."""
        return self._candidates.get((self.decisions.digest, key))

    def _lacks(self, digest: str, aim: Aim) -> bool:
        """Tell whether a candidate is to be made: of a large file, exactly only by the method that is chosen."""
        found = self._candidates.get((digest, aim.key))
        return found is None or (bool(found.get("sampled")) and aim.method == self.decisions.aim.method)

    def _search(self, digest: str, about: str, missing: list[Found]) -> None:
        def take(part: Found) -> None:
            found = part["candidate"]
            place = digest, found["key"]
            if found["sampled"] is None or place not in self._candidates:
                self._candidates[place] = found

        self._start("search", self._reading() | {"candidates": missing, "about": about}, take)

    def plant(self, column: str, *, how: str = "", content: bytes = b"") -> Job:
        """Build a hierarchy over the values of a column, or take one that was sent; what fails changes nothing."""
        with self.lock:
            self._need_file()
            self.decisions.with_tree(column, None)  # refuses what is no quasi-identifier
            if how:
                more: Found = {"how": buildable(how)}
            else:
                try:
                    more = {"content": content.decode("utf-8-sig")}
                except UnicodeDecodeError:
                    raise DataError("The hierarchy is not UTF-8 text.", "Save it as UTF-8.") from None

            def ended(job: Job) -> None:
                if job.state == "done" and self.decisions.roles.get(column) == Role.QUASI:
                    self.decide_tree(column, tree_of(more.get("how", ""), job.result))

            return self._start("tree", more | {"column": column, "about": column}, ended=ended)

    def _reading(self) -> Found:
        """How the table is read where it is protected: its roles, and its hierarchies, those sent as files."""
        trees = self.decisions.trees
        places = {column: tree.how for column, tree in trees.items()}
        for column, name in self.decisions.tree_files.items():
            file = self.folder / "trees" / trees[column].digest / name
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            file.write_text(trees[column].csv(), encoding="utf-8")
            places[column] = str(file)
        return {"roles": self.decisions.plain_roles, "hierarchies": places}

    def spreads(self) -> dict[str, Found]:
        """Give how columns are spread before and after in the compared candidates; what is not known is found out."""
        with self.lock:
            self._ready()
            digest, pinned = self.decisions.digest, self.decisions.pinned
            known = {key: self._spreads[digest, key] for key in pinned if (digest, key) in self._spreads}
            missing = [Aim.of(key).asked for key in pinned if known.get(key, {"sampled": True})["sampled"]]
            about = " ".join((digest, *pinned))
            if missing and not self._busy("spread", about):

                def take(part: Found) -> None:
                    self._spreads[digest, part["key"]] = part

                self._start("spread", self._reading() | {"candidates": missing, "about": about}, take)
            return known

    def _ready(self) -> str:
        self._need_file()
        if self.decisions.problem:
            raise ParameterError(self.decisions.problem, "Give every column a role first.")
        return self.decisions.roles_digest

    # What is written

    def publish(self, *, parquet: bool, audience: str, approver: str, pdf: bool = False) -> Job:
        """Write what was chosen: table, certificate, private record, report (also as PDF, if asked for) and recipe."""
        with self.lock:
            opened, decisions = self._need_file(), self.decisions
            self._ready()
            if audience not in ("internal", "external"):
                raise ParameterError("There is no such audience.", "Choose internal or external.")
            if pdf and not installed():
                raise ParameterError("A PDF needs WeasyPrint, which is not installed.", PDF_REMEDY)
            self._cancel("publish")
            files = release_names(opened.name, parquet=parquet, pdf=pdf)

            def ended(job: Job) -> None:
                with self.lock:
                    if job.state == "done":
                        told = job.result | {
                            "label": decisions.aim.label, "source": opened.name, "approver": approver,
                            "audience": audience, "written": time.strftime("%Y-%m-%d %H:%M"),
                        }  # fmt: skip
                        self.releases[job.id] = Released(job.id, self.folder / job.id, told)

            files |= {f"hierarchy of {column}": name for column, name in decisions.tree_files.items()}
            request: Found = self._reading() | {"candidate": decisions.aim.asked, "files": files}
            request["audience"] = audience
            return self._launch("publish", self._request(opened) | request, ended=ended, stays=True)

    def released(self, id: str) -> Released:
        """Give a release that has been written."""
        if id not in self.releases:
            raise DataError("There is no such release.", "Write it first, or choose one of those on the page.")
        return self.releases[id]

    def keep(self, id: str) -> None:
        """Let a release outlive the server."""
        with self.lock:
            self.releases[id] = self.shelf.keep(self.released(id))

    def forget(self, id: str) -> None:
        """Remove a release."""
        with self.lock:
            release = self.released(id)
            self.shelf.forget(release)
            shutil.rmtree(self.folder / release.id, ignore_errors=True)
            del self.releases[id]

    # Work

    def _start(self, task: str, more: Found, found: Any = None, ended: Any = None) -> Job:
        opened = self._need_file()
        self._cancel(task)

        def take(part: Found) -> None:
            with self.lock:
                if self.file is opened and found is not None:
                    found(part)

        def finish(job: Job) -> None:
            with self.lock:
                if self.file is opened and ended is not None:
                    ended(job)

        return self._launch(task, self._request(opened) | more, take, finish)

    def end(self) -> None:
        """End all work and remove everything that is not to stay."""
        with self.lock:
            self._cancel(*list(self.jobs))
            with suppress(OSError):
                shutil.rmtree(self.folder)
