"""The comparison of a case: candidates side by side, and what is found out about them only there."""

from __future__ import annotations

import json
from typing import Any

from shoal.errors import ParameterError
from shoal.schema import Role
from shoal.web.cases.aims import Aim
from shoal.web.cases.findings import Found
from shoal.web.cases.populated import PopulatedCase
from shoal.web.measure_names import asked, offered
from shoal.web.tasks.candidate_messages import AttackRequest, CandidateScore, DistributionsRequest, ScoresRequest
from shoal.web.tasks.job import Job
from shoal.web.tasks.level_messages import LevelsRequest


class ComparedCase(PopulatedCase):
    """A case whose candidates are compared."""

    def __init__(self, *where: Any) -> None:
        super().__init__(*where)
        self._measures: dict[str, dict[str, None]] = {}  # that were asked for, by the decisions they are about

    def spreads(self) -> dict[str, Found]:
        """Give how columns are spread before and after in the compared candidates; what is not known is found out."""
        with self.lock:
            self._ready()
            digest, pinned = self.decisions.digest, self._pinned
            known = {key: found for key in pinned if (found := self.findings.known("spread", digest, key))}
            missing = [self.asked_of(Aim.of(key)) for key in pinned if known.get(key, {"sampled": True})["sampled"]]
            about = " ".join((digest, *pinned))
            if missing and not self.jobs.busy("spread", about):

                def take(part: Found) -> None:
                    self.findings.take("spread", digest, part["key"], part)

                request = DistributionsRequest(**self._reading(), candidates=tuple(missing))
                self._start("spread", request, about=about, found=take)
            return known

    @property
    def _pinned(self) -> tuple[str, ...]:
        """The compared candidates of which more can be found out."""
        return tuple(key for key in self.decisions.pinned if self.gone(Aim.of(key)) is None)

    def explore_levels(self, limit: float) -> Job:
        """Look at every combination of levels, with what is promised now and a limit of what may be suppressed."""
        self._ready()
        request = LevelsRequest(**self._reading(), models=self.asked_of(self.decisions.aim).models, limit=limit)
        return self._start("levels", request, about=self.levels_about)

    @property
    def levels_about(self) -> str:
        """What the combinations of levels hang on: the decisions, and what is promised."""
        return f"{self.id} {self.decisions.digest} {json.dumps(self.decisions.aim.models)}"

    def measure_also(self, name: str) -> None:
        """Measure the compared candidates by another measure of the catalogue."""
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
            missing = [(name, key) for name in names for key in self._pinned if (name, key) not in known]
            about = " ".join((digest, *names, *pinned))
            if missing and not self.jobs.busy("scores", about):

                def take(part: Found) -> None:
                    self.findings.take("score", digest, f"{part['measure']} {part['key']}", part)

                predicted = (*self.decisions.of(Role.SENSITIVE), *self.decisions.of(Role.QUASI))[0]
                candidates = tuple(self.asked_of(Aim.of(key)) for key in dict.fromkeys(key for _, key in missing))
                measures = tuple(asked(name, predicted) for name in dict.fromkeys(name for name, _ in missing))
                request = ScoresRequest(**self._reading(), candidates=candidates, measures=measures)
                self._start("scores", request, about=about, found=take)
            return {pair: found for pair, found in known.items() if pair[1] in pinned}

    def attack(self) -> None:
        """Attack what is chosen, unless it is known how that ends."""
        self._ready()
        request = AttackRequest(**self._reading(), candidate=self.asked_of(self.decisions.aim))
        self._find_out("attack", request, "attack", self.decisions.digest, self.decisions.aim.key)

    @property
    def attacks_about(self) -> str:
        """What attacks hang on: the decisions, and what is chosen."""
        return f"{self.decisions.digest} {self.decisions.aim.key}"

    @property
    def known_attacks(self) -> Found:
        """How often attacks on what is chosen succeed, if that is known; nothing is begun for it."""
        return self.findings.known("attack", self.decisions.digest, self.decisions.aim.key)

    @property
    def measured(self) -> list[str]:
        """The measures beyond what is always measured, in the order in which they were asked for."""
        digest = self.decisions.digest
        return list(
            dict.fromkeys([*(name for name, _ in self.findings.scores(digest)), *self._measures.get(digest, {})])
        )
