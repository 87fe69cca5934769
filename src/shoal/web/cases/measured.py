"""What is found out for a case: its risk, what each way to protect it gives, and how ways compare."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from shoal.errors import ParameterError
from shoal.languages import _
from shoal.schema import Role
from shoal.web.cases.aims import Aim
from shoal.web.cases.findings import Found
from shoal.web.cases.library import CaseLibrary
from shoal.web.cases.opening import OpenedCase
from shoal.web.cases.search_plan import search_plan
from shoal.web.measure_names import asked, offered
from shoal.web.settings import Settings
from shoal.web.tasks import messages as m
from shoal.web.tasks.case_jobs import CaseJobs
from shoal.web.tasks.job import Job, Part
from shoal.web.tasks.row_messages import RowsRequest
from shoal.web.tasks.score_messages import CandidateScore, ScoresRequest
from shoal.web.tasks.unicity_messages import UnicityRequest


class MeasuredCase(OpenedCase):
    """A case with what was found out for it: see `Case`.

    Parameters
    ----------
    jobs
        The work for it.
    library
        Where cases are kept.
    settings
        How the server is set up.
    folder
        A private folder for everything that is written.
    """

    def __init__(self, jobs: CaseJobs, library: CaseLibrary, settings: Settings, folder: Path) -> None:
        super().__init__(jobs, library, settings)
        self.folder = folder
        self._measures: dict[str, dict[str, None]] = {}  # that were asked for, by the decisions they are about
        self._rows_seen: tuple[str, Found] = ("", {})

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

            def ended(job: Job) -> None:
                if job.result is not None:
                    self._rows_seen = of, job.result.plain()

            request = RowsRequest(**self._reading(), candidate=self.decisions.aim.asked)
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
            if not self.findings.risk(digest).get("complete") and not self.jobs.busy("measure", digest):

                def take(part: m.RiskSummary) -> None:
                    self.findings.take("risk", digest, "", part.plain())

                def ended(job: Job) -> None:
                    if job.result is not None:
                        self.findings.take("risk", digest, "", job.result.plain())

                request = m.RiskRequest(**self._table(self._need_file()), roles=self.decisions.given_roles)
                self._start("measure", request, about=digest, found=take, ended=ended)
            return self.findings.risk(digest)

    @property
    def known_risk(self) -> Found:
        """What is known of the risk already; nothing is begun for it."""
        return self.findings.risk(self.decisions.roles_digest)

    def measure_unicity(self) -> None:
        """Find out whom a few known points single out, if rows belong to people, unless that is known."""
        with self.lock:
            digest = self._ready()
            if not self.decisions.of(Role.SUBJECT):
                raise ParameterError(_("No column tells people apart."), _("Give one that role first."))
            job = self.jobs.of("unicity")
            if self.known_unicity or (job is not None and job.about == digest and not job.over):
                return

            def ended(job: Job) -> None:
                if job.result is not None:
                    self.findings.take("unicity", digest, "", job.result.plain())

            request = UnicityRequest(**self._table(self._need_file()), roles=self.decisions.given_roles)
            self._start("unicity", request, about=digest, ended=ended)

    @property
    def known_unicity(self) -> Found:
        """What is known of whom known points single out; nothing is begun for it."""
        return self.findings.unicity(self.decisions.roles_digest)

    def candidates(self) -> dict[str, Found]:
        """Give the candidates near to what was chosen that are known by now; what is not known is found out."""
        with self.lock:
            self._ready()
            digest = self.decisions.digest
            self._search(digest)
            known = self.findings.candidates(digest)
            return {aim.key: known[aim.key] for aim in self.decisions.aim.nearby() if aim.key in known}

    def candidate(self, key: str) -> Found | None:
        """Give a candidate if it is known, whatever is chosen now."""
        return self.findings.candidate(self.decisions.digest, key)

    def _search(self, digest: str) -> None:
        """Make what is wanted and not known yet; what is shown goes first, whatever else is being made."""
        aim, pinned = self.decisions.aim, [Aim.of(key) for key in self.decisions.pinned]
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

        def take(part: m.TriedCandidate) -> None:
            self.findings.take("candidate", digest, part.candidate.key, part.candidate.plain())

        self._start("search", *plan.parts(self._reading()), about=json.dumps([family, wanted]), found=take)

    def spreads(self) -> dict[str, Found]:
        """Give how columns are spread before and after in the compared candidates; what is not known is found out."""
        with self.lock:
            self._ready()
            digest, pinned = self.decisions.digest, self.decisions.pinned
            known = {key: found for key in pinned if (found := self.findings.spread(digest, key)) is not None}
            missing = [Aim.of(key).asked for key in pinned if known.get(key, {"sampled": True})["sampled"]]
            about = " ".join((digest, *pinned))
            if missing and not self.jobs.busy("spread", about):

                def take(part: m.Distributions) -> None:
                    self.findings.take("spread", digest, part.key, part.plain())

                request = m.DistributionsRequest(**self._reading(), candidates=tuple(missing))
                self._start("spread", request, about=about, found=take)
            return known

    def measure_also(self, name: str) -> None:
        """Measure the compared candidates by another measure of the catalogue."""
        with self.lock:
            self._ready()
            if name not in offered():
                raise ParameterError("There is no such measure.", "Choose one of those on the page.")
            if not self.decisions.pinned:
                raise ParameterError("No candidate is compared.", "Add one to the comparison first.")
            self._measures.setdefault(self.decisions.digest, {})[name] = None
            self.scores()

    def scores(self) -> dict[tuple[str, str], CandidateScore]:
        """Give what was measured of candidates beyond what is always; what lacks of those compared is measured now."""
        with self.lock:
            self._ready()
            digest, pinned = self.decisions.digest, self.decisions.pinned
            known, names = self.findings.scores(digest), self.measured
            missing = [(name, key) for name in names for key in pinned if (name, key) not in known]
            about = " ".join((digest, *names, *pinned))
            if missing and not self.jobs.busy("scores", about):

                def take(part: CandidateScore) -> None:
                    self.findings.take("score", digest, f"{part.measure} {part.key}", part.plain())

                predicted = (*self.decisions.of(Role.SENSITIVE), *self.decisions.of(Role.QUASI))[0]
                candidates = tuple(Aim.of(key).asked for key in dict.fromkeys(key for _, key in missing))
                measures = tuple(asked(name, predicted) for name in dict.fromkeys(name for name, _ in missing))
                request = ScoresRequest(**self._reading(), candidates=candidates, measures=measures)
                self._start("scores", request, about=about, found=take)
            return {pair: found for pair, found in known.items() if pair[1] in pinned}

    @property
    def measured(self) -> list[str]:
        """The measures beyond what is always measured, in the order in which they were asked for."""
        digest = self.decisions.digest
        return list(
            dict.fromkeys([*(name for name, _ in self.findings.scores(digest)), *self._measures.get(digest, {})])
        )

    def _reading(self) -> Found:
        """Give what requests say of a table that is protected: its roles, and its hierarchies, those sent as files."""
        hierarchies = self.decisions.hierarchies
        places = {column: each.how for column, each in hierarchies.items()}
        for column, name in self.decisions.hierarchy_files.items():
            file = self.folder / "trees" / hierarchies[column].digest / name
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            file.write_text(hierarchies[column].csv(), encoding="utf-8")
            places[column] = str(file)
        return {**self._table(self._need_file()), "roles": self.decisions.given_roles, "hierarchies": places}

    def _start(
        self, task: str, *parts: m.TableRequest | Part, found: Any = None, ended: Any = None, **more: Any
    ) -> Job:
        opened = self._need_file()
        self.jobs.cancel(task)

        def take(part: m.Message) -> None:
            with self.lock:
                if self.file is opened and found is not None:
                    found(part)

        def finish(job: Job) -> None:
            with self.lock:
                if self.file is opened and ended is not None:
                    ended(job)

        return self.jobs.start(task, *parts, found=take, ended=finish, **more)
