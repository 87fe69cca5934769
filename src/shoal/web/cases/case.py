"""A case: one file, what someone decides about it, what was found out for it, and what was written."""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

from shoal.certification.approval import Approval
from shoal.engines.io.digests import of_file
from shoal.engines.io.written_forms import written_form
from shoal.errors import ParameterError
from shoal.extras import how_to_install
from shoal.languages import _
from shoal.measures.reidentification.thresholds import threshold_of
from shoal.report.pdf import installed
from shoal.schema import Role
from shoal.web.cases.aims import Aim
from shoal.web.cases.certified import CertifiedCase
from shoal.web.cases.changes import trail
from shoal.web.cases.decided import fresh_id
from shoal.web.cases.findings import Found
from shoal.web.cases.hierarchies import buildable, hierarchy_of, text_of
from shoal.web.cases.history import now
from shoal.web.cases.library import BranchCandidate, CaseLibrary
from shoal.web.cases.releases import KeptReleases, WrittenRelease
from shoal.web.cases.search_plan import search_plan
from shoal.web.cases.store import CaseInfo, CaseStore
from shoal.web.errors import NotThereError
from shoal.web.file_access import release_names
from shoal.web.settings import Settings
from shoal.web.tasks import messages as m
from shoal.web.tasks.candidate_messages import RowsRequest
from shoal.web.tasks.case_file import CaseFile
from shoal.web.tasks.case_jobs import CaseJobs
from shoal.web.tasks.job import Job
from shoal.web.tasks.queue import Queue
from shoal.web.tasks.release_messages import ReleaseRequest
from shoal.web.tasks.risk_messages import ReasonsRequest

PDF_REMEDY = f"{how_to_install('report')}, then start the workbench again."


class Case(CertifiedCase):
    """Someone's work on one file at a time, which is kept as a case of its own for each.

    Parameters
    ----------
    owner
        Whose it is: a name that nobody can guess.
    folder
        A private folder for everything that is written.
    queue
        Where work is done.
    settings
        How the server is set up.
    """

    def __init__(self, owner: str, folder: Path, queue: Queue, settings: Settings) -> None:
        super().__init__(CaseJobs(folder, queue), CaseLibrary(settings.kept, owner), settings)
        self.kept = KeptReleases(settings.kept, owner)
        self._rows_seen: tuple[str, Found] = ("", {})
        self.releases: dict[str, WrittenRelease] = {each.id: each for each in self.kept.releases()}

    # The case as a whole

    @property
    def info(self) -> CaseInfo | None:
        """What is said of the case where cases are listed."""
        return None if self._store is None else self._store.info

    @property
    def store(self) -> CaseStore:
        """The file of the case."""
        if self._store is None:
            raise ParameterError(_("No case is open."), _("Open a file first."))
        return self._store

    def branch(self, name: str) -> None:
        """Go on with a copy of the case, to try other roles or hierarchies; the case itself stays as it is."""
        self.jobs.cancel("publish")
        self._bring_along()
        copied = self.library.copy(self.store, fresh_id(), name)
        self.store.close()
        self._store, self.id = copied, copied.info.id

    def branches(self) -> list[BranchCandidate]:
        """Give the candidates of the other cases about the same file: those that are compared there, or chosen."""
        sha256 = self.look.get("sha256")
        return self.library.beside(self.info, sha256, self.decisions) if sha256 else []

    def trail(self) -> list[tuple[str, str]]:
        """Give what was decided, confirmed and written, and when; the last first."""
        return trail(self.history.versions, {} if self._store is None else self._store.releases())

    # What is found

    def preview(self, layout: m.Layout | None = None) -> Job:
        """Read the first rows as they are, or in another way before that is decided on."""
        opened = self.unread or self._need_file()
        more = {} if layout is None else {"layout": layout}
        self.jobs.cancel("preview")
        return self.jobs.start("preview", m.PreviewRequest(**(self._table(opened) | more)))

    def rows(self) -> Job:
        """Make some rows as the chosen candidate would release them, because someone asked to see them."""
        with self.lock:
            of = f"{self.id} {self.decisions.roles_digest}"

            def ended(rows: Found) -> None:
                self._rows_seen = of, rows

            request = RowsRequest(**self._reading(), candidate=self.asked_of(self.decisions.aim))
            return self._start("rows", request, about=self.rows_shown, ended=ended)

    def follow_rows(self) -> Job | None:
        """Give the rows of what is chosen now, made anew after another choice, if they were asked for in this case."""
        with self.lock:
            job = self.jobs.of("rows")
            if job is None or not job.about.startswith(f"{self.id} "):
                return None
            return job if job.about == self.rows_shown else self.rows()

    @property
    def rows_seen(self) -> Found | None:
        """The rows that were shown last in this case; before it is protected, they are the same for every choice."""
        of, rows = self._rows_seen
        return rows if of == f"{self.id} {self.decisions.roles_digest}" else None

    @property
    def rows_shown(self) -> str:
        """A name of what is chosen in this case: rows of people must never be shown in another one."""
        return f"{self.id} {self.decisions.choice}"

    def risk(self) -> Found:
        """Give what is known of the risk; what is not is found out."""
        with self.lock:
            digest = self._ready()
            if not self.findings.known("risk", digest).get("complete") and not self.jobs.busy("measure", digest):

                def take(found: Found) -> None:
                    self.findings.take("risk", digest, "", found)

                self._start("measure", m.RiskRequest(**self._with_roles()), about=digest, found=take, ended=take)
            return self.findings.known("risk", digest)

    @property
    def known_risk(self) -> Found:
        """What is known of the risk already; nothing is begun for it."""
        return self.findings.known("risk", self.decisions.roles_digest)

    def measure_unicity(self) -> None:
        """Find out whom a few known points single out, if rows belong to people, unless that is known."""
        digest = self._ready()
        if not self.decisions.of(Role.SUBJECT):
            raise ParameterError(_("No column tells people apart."), _("Give one that role first."))
        self._find_out("unicity", m.RolesRequest(**self._with_roles()), "unicity", digest)

    @property
    def known_unicity(self) -> Found:
        """What is known of whom known points single out; nothing is begun for it."""
        return self.findings.known("unicity", self.decisions.roles_digest)

    def find_reasons(self, *, values: bool, listed: bool) -> None:
        """List rows that are at risk, with the reasons of each; with cells of them, or a list of all, if asked for."""
        self._ready()
        opened, fewer = self._need_file(), threshold_of(self.decisions.asked.threshold).smallest
        file = f"{Path(opened.name).name.split('.')[0]}.at-risk.csv" if listed else ""
        request = ReasonsRequest(**self._with_roles(), fewer=fewer, values=values, list_file=file)
        self._start("reasons", request, about=self._at_risk, stays=True)

    @property
    def _at_risk(self) -> str:
        """A name of the rows at risk: of their roles, and of the risk that is acceptable."""
        return f"{self.decisions.roles_digest} {self.decisions.asked.threshold}"

    @property
    def reasons_job(self) -> Job | None:
        """The work that lists the rows that are at risk by what holds now."""
        return self.jobs.of("reasons", self._at_risk)

    @property
    def known_reasons(self) -> Found:
        """What is known of the rows at risk, which is kept nowhere; nothing is begun for it."""
        return self.jobs.result("reasons", self._at_risk)

    def records_at_risk(self) -> Path:
        """Give the list of all rows at risk, if it was asked for."""
        job, found = self.reasons_job, self.known_reasons
        if job is None or not found.get("list_file"):
            raise NotThereError("There is no list of rows at risk.", "Ask for it first.")
        place: Path = self.folder / job.id / found["list_file"]
        return place

    def candidates(self) -> dict[str, Found]:
        """Give the candidates near to what was chosen that are known by now; what is not known is found out."""
        with self.lock:
            self._ready()
            digest = self.decisions.digest
            self._search(digest)
            known = self.findings.candidates(digest)
            chosen = self.decisions.aim
            found = {aim.key: known[aim.key] for aim in chosen.nearby() if aim.key in known}
            gone = self.gone(chosen)
            return found if gone is None else {chosen.key: _lacking(chosen.key, *gone)} | found

    def candidate(self, key: str) -> Found | None:
        """Give a candidate if it is known, whatever is chosen now."""
        found = self.findings.known("candidate", self.decisions.digest, key) or None
        gone = self.gone(Aim.of(key)) if found is None else None
        return found if gone is None else _lacking(key, *gone)

    def _search(self, digest: str) -> None:
        """Make what is wanted and not known yet; what is shown goes first, whatever else is being made."""
        aim, pinned = self.decisions.aim, [Aim.of(key) for key in self._pinned]
        if self.gone(aim) is not None:
            return
        known = self.findings.candidates(digest)
        plan = search_plan(aim, pinned, known, large=self._need_file().is_large(self.settings.large))
        family, wanted = [digest, aim.family], [each.key for each in plan.now.exact]
        job = self.jobs.of("search")
        if job is not None and self.jobs.busy("search", job.about):
            its_family, asked = json.loads(job.about)
            if its_family == family and set(wanted) <= set(asked):
                return  # what was found meanwhile is no reason to begin anew with the rest
        if not (plan.now or plan.ahead):
            return

        def take(tried: Found) -> None:
            self.findings.take("candidate", digest, tried["candidate"]["key"], tried["candidate"])

        self._start(
            "search", *plan.parts(self._reading(), self.asked_of), about=json.dumps([family, wanted]), found=take
        )

    def build_hierarchy(self, column: str, *, how: str = "", content: bytes = b"") -> Job:
        """Build a hierarchy over the values of a column, or take one that was sent; what fails changes nothing."""
        with self.lock:
            request = self._hierarchy(column, **({"how": buildable(how)} if how else {"content": text_of(content)}))

            def ended(found: Found) -> None:
                if self.decisions.roles.get(column) == Role.QUASI:
                    self.decide_hierarchy(column, hierarchy_of(request.how, found))

            return self._start("tree", request, about=column, ended=ended)

    def preview_hierarchy(self, column: str, how: str) -> Job:
        """Build a hierarchy to look at, which is not decided on."""
        return self._start("tree-preview", self._hierarchy(column, how=buildable(how)), about=column)

    def _hierarchy(self, column: str, **given: Any) -> m.HierarchyRequest:
        table = self._table(self._need_file())
        self.decisions.with_hierarchy(column, None)  # refuses what is no quasi-identifier
        return m.HierarchyRequest(**table, column=column, **given)

    @property
    def written(self) -> WrittenRelease | None:
        """The newest release of just what is chosen now, if it was written."""
        same = (each for each in reversed(self.releases.values()) if each.summary.get("choice") == self.choice)
        return next(same, None)

    def publish(
        self, approval: Approval, *, ending: str, audience: str, cells: str | None = None, pdf: bool = False
    ) -> Job:
        """Write what was chosen: table, certificate, private record, report (also as PDF, if asked for) and recipe."""
        with self.lock:
            opened, decisions = self._need_file(), self.decisions
            self._ready()
            if audience not in ("internal", "external"):
                raise ParameterError("There is no such audience.", "Choose internal or external.")
            if pdf and not installed():
                raise ParameterError("A PDF needs WeasyPrint, which is not installed.", PDF_REMEDY)
            beside = decisions.names_beside
            files = release_names(opened.name, ending=written_form(ending).ending, pdf=pdf, beside=beside)
            files |= {f"hierarchy of {column}": name for column, name in decisions.hierarchy_files.items()}
            wanted = {
                "candidate": self.asked_of(decisions.aim),
                "files": files,
                "audience": audience,
                "cells": cells,
                "approval": approval,
                "identifiers": decisions.identifiers,
                "like": [name for name in decisions.earlier if name in self.files_there],
            }
            request = ReleaseRequest.model_validate({**self._reading(), **wanted, "sha256": self.look.get("sha256")})
            confirmed = {
                "label": decisions.aim.label, "source": opened.name, "approver": approval.approver,
                "confirmations": list(approval.confirmations), "audience": audience, "cells": cells,
                "version": self.version, "choice": self.choice,
            }  # fmt: skip

            def ended(found: Found) -> None:
                summary = found | confirmed | {"written": now()}
                if self._store is not None:
                    self._store.add_release(job.id, summary)
                self.releases[job.id] = WrittenRelease(job.id, self.folder / job.id, summary)

            return (job := self._start("publish", request, ended=ended, stays=True))

    def released(self, id: str) -> WrittenRelease:
        """Give a release that has been written."""
        if id not in self.releases:
            raise NotThereError("There is no such release.", "Write it first, or choose one of those on the page.")
        return self.releases[id]

    def lay_beside(self, id: str) -> None:
        """Decide that a release that was written lies beside the table with its papers, as an earlier one."""
        papers, held = self.released(id).papers, {each.name: each.sha256 for each in self.decisions.files}
        if any(each.name in held and of_file(each).sha256 != held[each.name] for each in papers):
            raise ParameterError(
                "Another file of the same name lies beside the table.",
                "Remove it first, or download this release and add its files under other names.",
            )
        self.take_files(papers, sent=False)

    def lies_beside(self, release: WrittenRelease) -> bool:
        """Tell whether new releases are laid beside one that was written: all its papers are there."""
        names = [each.name for each in release.papers]
        table = CaseFile(name=names[0], sha256=release.summary["sha256"])
        return table in self.decisions.files and set(names) <= set(self.files_there)

    def keep(self, id: str) -> None:
        """Let a release outlive the server."""
        self.releases[id] = self.kept.keep(self.released(id))

    def forget(self, id: str) -> None:
        """Remove a release."""
        release = self.released(id)
        self.kept.forget(release)
        shutil.rmtree(self.folder / release.id, ignore_errors=True)
        del self.releases[id]

    def end(self) -> None:
        """End all work, put the case away, and remove everything that is not to stay."""
        with self.lock:
            self.close_file()
            with suppress(OSError):
                shutil.rmtree(self.folder)


def _lacking(key: str, what: str, remedy: str) -> Found:
    """Say of a candidate that it cannot be tried, for a file that it is about is gone."""
    return m.ImpossibleCandidate(key=key, sampled=None, impossible=what, remedy=remedy).plain()
