"""Safe harbor for a case: which of its columns are identifiers by that rule, and the roles that follow."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from shoal.errors import ParameterError
from shoal.languages import N_
from shoal.schema import Role
from shoal.web.cases.compared import ComparedCase
from shoal.web.cases.decided import OF_CANDIDATES
from shoal.web.cases.findings import Found
from shoal.web.tasks.harbor_messages import HarborRequest
from shoal.web.tasks.job import Job


class ShelteredCase(ComparedCase):
    """A case in whose file the eighteen kinds of identifiers are looked for."""

    def find_harbor(self, **asked: Any) -> Job:
        """Look for the eighteen kinds of identifiers, as `HarborRequest` asks for them; roles are not needed."""
        request = HarborRequest(**self._table(self._need_file()), **asked)
        return self._start("harbor", request, about=self.harbor_about)

    @property
    def harbor_about(self) -> str:
        """What safe harbor hangs on: the case, and how its file is read."""
        return f"{self.id} {self.decisions.layout.model_dump_json()}"

    @property
    def known_harbor(self) -> Found:
        """What safe harbor found, if it was asked for; nothing is begun for it."""
        return self.jobs.result("harbor", self.harbor_about)

    def decide_harbor(self) -> None:
        """Make what must go a direct identifier, and what stays in part a quasi-identifier; others stay as they are.

        Releases that keep the rule promise it from now on.
        """
        found = self.known_harbor
        if not found:
            raise ParameterError("Nothing was looked for yet.", "Look for identifiers first.")
        roles = {each["column"]: Role.QUASI if each["how"] else Role.IDENTIFIER for each in found["columns"]}
        self.decide_roles(roles, found["rule"])

    def promise_no_rule(self) -> None:
        """Decide that the rule is promised no more, also in releases that keep it."""
        self._need_file()
        self.history.decide(N_("safe harbor"), replace(self.decisions, rule={}))
        self.jobs.cancel(*OF_CANDIDATES)
