"""The population that the table of a case comes from, and what is asked of the risk in it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from shoal.assessment.risk_questions import RiskQuestions
from shoal.errors import ParameterError
from shoal.languages import N_
from shoal.measures.reidentification.thresholds import threshold_of
from shoal.web.cases.aims import IN_POPULATION, Aim
from shoal.web.cases.decided import OF_CANDIDATES
from shoal.web.cases.filed import FiledCase
from shoal.web.cases.findings import Found
from shoal.web.tasks.job import Job
from shoal.web.tasks.messages import CandidateSpec, TableRequest
from shoal.web.tasks.risk_messages import PopulationFile, RiskAsked, SectionsRequest

POPULATION_GONE = "The table of the population is not there any more.", "Send it once more, or go on without it."
FILE_GONE = "A file that this reads is not there any more.", "Send it once more, or choose another way."


class PopulatedCase(FiledCase):
    """A case whose table comes from a population, of which something may be known."""

    def take_population(self, path: Path, *, sent: bool) -> Job:
        """Look at a table of the population and keep it in mind; what cannot be read changes nothing."""
        with self.lock:
            opened = self._need_file()
            self.jobs.cancel("population")

            def ended(job: Job) -> None:
                with self.lock:
                    if job.result is not None and self.file is opened:
                        found = PopulationFile.model_validate(job.result.plain())
                        if sent:
                            self._put_away(path, found)
                        self._decide_population(found if sent else found.model_copy(update={"path": str(path)}))
                    if sent:
                        shutil.rmtree(path.parent, ignore_errors=True)

            return self.jobs.start("population", TableRequest(file=path, name=path.name), ended=ended)

    def forget_population(self) -> None:
        """Decide that no table of the population is used."""
        self._need_file()
        self._decide_population(None)

    def _decide_population(self, found: PopulationFile | None) -> None:
        known: dict[str, Any] = {"population": found, "called": {}, "population_size": None, "sampling_fraction": None}
        asked = self.decisions.asked.model_copy(update=known)
        self.history.decide(N_("population"), self.decisions.with_asked(asked))
        self.jobs.cancel("sections", *OF_CANDIDATES)

    def ask_risk(self, changed: dict[str, Any]) -> None:
        """Ask something of the risk, and find it out, unless it is known."""
        self._ready()
        asked = RiskAsked.model_validate(self.decisions.asked.model_dump() | changed)
        _refuse(asked)
        self.history.decide(N_("questions of the risk"), self.decisions.with_asked(asked))
        self._find_out("sections", self._sections_request(), "sections", self.decisions.asked_digest)

    def _sections_request(self) -> SectionsRequest:
        asked = self.decisions.asked.model_copy(update={"called": self.decisions.called})
        reading = self._reading() | {"population": self.population_file(insist=True)}
        if not asked.why:  # of all that is asked, only reasons look at what hierarchies say is coarser
            reading["hierarchies"] = {}
        return SectionsRequest(**reading, asked=asked)

    @property
    def known_sections(self) -> Found:
        """What is known of what was asked; nothing is begun for it."""
        return self.findings.known("sections", self.decisions.asked_digest)

    def _reading(self) -> Found:
        """Give what requests say of a table that is protected, and where that of its population lies."""
        return {**super()._reading(), "population": self.population_file()}

    def population_file(self, *, insist: bool = False) -> Path | None:
        """Give where the table of the population lies that was decided on; if it is gone, nothing, or a refusal."""
        given = self.decisions.asked.population
        place = None if given is None else self.place_of(given)
        if insist and given is not None and place is None:
            raise ParameterError(*POPULATION_GONE)
        return place

    def gone(self, aim: Aim) -> tuple[str, str] | None:
        """Say what is not there any more that a way to protect is about, and what to do; nothing if all is there."""
        in_table = aim.guard in IN_POPULATION and self.decisions.asked.population is not None
        if in_table and self.population_file() is None:
            return POPULATION_GONE
        return FILE_GONE if set(aim.files) - set(self.files_there) else None

    def asked_of(self, aim: Aim) -> CandidateSpec:
        """Give a way to protect as a task is asked for it: with the files that it is about."""
        if set(aim.files) - set(places := self.files_there):
            raise ParameterError(*FILE_GONE)
        read = {name: places[name] for name in aim.files}
        spec = aim.asked.model_copy(update={"files": read, "rule": self.decisions.rule or None})
        given = self.decisions.asked.population
        if aim.guard not in IN_POPULATION or given is None:
            return spec
        place = {"population": str(self.population_file(insist=True)), "sha256": given.sha256}
        about = place | {"called": self.decisions.called}
        models = tuple(each | about if each["name"] == aim.guard else each for each in spec.models)
        return spec.model_copy(update={"models": models})


def _refuse(asked: RiskAsked) -> None:
    """Refuse what makes no sense, as `shoal.risk` does."""
    given = asked.questions() | {"threshold": threshold_of(asked.threshold)}
    RiskQuestions(**given, population=None if asked.population is None else asked.population.name)
