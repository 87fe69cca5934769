"""What a user decides: roles, hierarchies, how a table is to be protected, and which candidates are compared."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from shoal.certification.papers import certificate_beside
from shoal.engines.sources import Source
from shoal.errors import ParameterError
from shoal.languages import _, ngettext
from shoal.pseudonyms.treatments import DROP, Treatment
from shoal.roles import DRAWN, role_of_identifier
from shoal.schema import SINGLE, Role
from shoal.web.cases.aims import GUARDS, IN_POPULATION, OF_PEOPLE, WITHOUT_TABLE, Aim
from shoal.web.cases.hierarchies import ColumnHierarchy, file_names
from shoal.web.cases.method_steps import OF_ITS_OWN, of_its_own
from shoal.web.cases.promise_terms import INSTEAD_OF_TABLE, USUAL_ERROR, terms
from shoal.web.errors import NotThereError
from shoal.web.tasks.case_file import CaseFile
from shoal.web.tasks.messages import Layout
from shoal.web.tasks.risk_messages import RiskAsked
from shoal.web.words import named

MOST_PINNED = 4
MOST_FILES = 20


def certificate_of(release: str) -> str:
    """Name the certificate of a release.

    >>> certificate_of("january.csv.gz")
    'january.certificate.json'
    """
    return certificate_beside(Source("file", Path(release))).name


def _name_of(*said: Any) -> str:
    """Give what was decided a short name, which says all of it."""
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Decisions:
    """Everything that was decided about one file. None is the role of a column that is not decided yet."""

    roles: Mapping[str, Role | None] = field(default_factory=dict)
    aim: Aim = field(default_factory=Aim)
    pinned: tuple[str, ...] = ()
    hierarchies: Mapping[str, ColumnHierarchy] = field(default_factory=dict)
    layout: Layout = field(default_factory=Layout)
    treatments: Mapping[str, str] = field(default_factory=dict)  # what becomes of identifiers that are not dropped
    asked: RiskAsked = field(default_factory=RiskAsked)
    files: tuple[CaseFile, ...] = ()  # that lie beside the table, beside that of its population
    rule: Mapping[str, Any] = field(default_factory=dict)  # promised by releases that keep it: that of safe harbor

    @property
    def undecided(self) -> tuple[str, ...]:
        """The columns without a role."""
        return tuple(name for name, role in self.roles.items() if role is None)

    def of(self, role: Role) -> tuple[str, ...]:
        """Give the columns that have a role."""
        return tuple(name for name, given in self.roles.items() if given == role)

    @property
    def problem(self) -> str:
        """Why nothing can be measured yet, or nothing."""
        if not self.roles:
            return _("No file is open yet.")
        if self.undecided:
            count = len(self.undecided)
            return ngettext("%(num)s column is undecided.", "%(num)s columns are undecided.", count)
        if not self.of(Role.QUASI):
            return _("No column is a quasi-identifier: something that others may know.")
        for role in SINGLE:
            if len(self.of(role)) > 1:
                columns, name = ", ".join(self.of(role)), named("roles", role.value)[0]
                return _("Only one column can have the role '%(role)s': %(columns)s.", role=name, columns=columns)
        return ""

    @property
    def given_roles(self) -> dict[str, Role]:
        """The roles of all columns that have one."""
        return {name: role for name, role in self.roles.items() if role is not None}

    @property
    def roles_digest(self) -> str:
        """A name of the roles and of how the file is read, for what was found with them."""
        said = self.layout.model_dump(mode="json", exclude_defaults=True)
        return _name_of(self.given_roles, said)

    @property
    def digest(self) -> str:
        """A name of the roles, hierarchies, population and other files, for what was found with them."""
        population = self.asked.population
        known: list[Any] = [] if population is None else [[population.sha256, self.called]]
        known += [[each.name, each.sha256] for each in self.files] + ([dict(self.rule)] if self.rule else [])
        return _name_of(self.roles_digest, self._hierarchy_digests, *known)

    @property
    def guards(self) -> list[str]:
        """The further promises that can be made: about secrets, about people with several rows, in a population."""

        def possible(name: str) -> bool:
            if of_its_own(self.aim.method) or name == OF_ITS_OWN:
                return of_its_own(self.aim.method) and name == OF_ITS_OWN
            if name in IN_POPULATION:
                known = name not in INSTEAD_OF_TABLE or bool(self.asked.sampling_fraction or self.asked.population_size)
                return self.asked.population is not None or (name in WITHOUT_TABLE and known)
            return bool(self.of(Role.SENSITIVE)) and (name not in OF_PEOPLE or bool(self.of(Role.SUBJECT)))

        return [name for name in GUARDS if (name == "none" and not of_its_own(self.aim.method)) or possible(name)]

    @property
    def other_files(self) -> tuple[CaseFile, ...]:
        """All files beside the table."""
        population = self.asked.population
        return self.files if population is None else (population, *self.files)

    @property
    def names_beside(self) -> tuple[str, ...]:
        """What the files beside the table are called, without that of its population."""
        return tuple(each.name for each in self.files)

    @property
    def earlier(self) -> tuple[str, ...]:
        """Those of the files that are releases: their certificates lie beside them."""
        names = self.names_beside
        return tuple(name for name in names if not name.endswith(".json") and certificate_of(name) in names)

    def with_files(self, given: Sequence[CaseFile]) -> Decisions:
        """Let files lie beside the table; of the same name there is one."""
        found = {each.name: each for each in (*self.files, *given)}
        if len(found) > MOST_FILES:
            raise ParameterError(f"At most {MOST_FILES} files lie beside a table.", "Take one away first.")
        return replace(self, files=tuple(found.values()))

    def without_file(self, name: str) -> Decisions:
        """Let a file lie there no more; what reads it is as usual then."""
        if name not in self.names_beside:
            raise NotThereError("There is no such file beside the table.", "Choose one of those on the page.")
        aim = Aim() if name in self.aim.files else self.aim
        pinned = tuple(key for key in self.pinned if name not in Aim.of(key).files)
        return replace(self, aim=aim, pinned=pinned, files=tuple(each for each in self.files if each.name != name))

    @property
    def called(self) -> dict[str, str]:
        """How quasi-identifiers are called in the table of the population, where they have another name."""
        given = self.asked.called.items() if self.asked.population else ()
        return {name: other for name, other in given if other != name and self.roles.get(name) == Role.QUASI}

    @property
    def asked_digest(self) -> str:
        """A name of the roles and of what is asked of the risk, for what was found with them."""
        said = self.asked.model_dump(mode="json") | {"called": self.called}
        trees = [self._hierarchy_digests] if self.asked.why and self.hierarchies else []
        return _name_of(self.roles_digest, said, *trees)

    @property
    def _hierarchy_digests(self) -> list[tuple[str, str]]:
        return sorted((column, each.digest) for column, each in self.hierarchies.items())

    @property
    def choice(self) -> str:
        """A name of all that makes the release: roles, hierarchies, names of people, and the way to protect."""
        named = f" {json.dumps(sorted(self.treatments.items()))}" if self.treatments else ""
        return f"{self.digest} {self.aim.key}{named}"

    @property
    def hierarchy_files(self) -> dict[str, str]:
        """The columns whose hierarchy is a file of its own, and what the file is called."""
        return file_names([column for column, each in self.hierarchies.items() if not each.how])

    def with_layout(self, layout: Layout, guessed: Mapping[str, Role | None]) -> Decisions:
        """Read the file in another way: columns of the same names keep their roles, and others are guessed."""
        roles = {name: self.roles.get(name, role) for name, role in guessed.items()}
        aim = self.aim if roles.get(self.aim.column) == Role.SENSITIVE or not self.aim.column else Aim()
        return replace(self, roles=roles, layout=layout, hierarchies={}, pinned=(), aim=aim, treatments={})

    def with_asked(self, asked: RiskAsked) -> Decisions:
        """Ask something else of the risk."""
        decided = replace(self, asked=asked)
        table, before = (each.population is not None for each in (asked, self.asked))
        estimated = "fraction" in self.aim.given_terms and (asked.sampling_fraction, asked.population_size) != (
            self.asked.sampling_fraction, self.asked.population_size
        )  # fmt: skip
        same = table == before and not estimated
        kept = self.aim.guard in decided.guards and (same or self.aim.guard not in IN_POPULATION)
        return decided if kept else replace(decided, aim=self.aim.without_guard)

    def with_treatment(self, column: str, written: str) -> Decisions:
        """Let a column that names people, or holds dates, become something else than nothing."""
        if column not in self.roles:
            raise ParameterError("There is no such column in the file.", "Reload the page and choose again.")
        treatment, role = Treatment.parse(written), self.roles[column]
        others = {name: each for name, each in self.treatments.items() if name != column}
        if treatment.kind == DROP:
            return replace(self, treatments=others)
        role_of_identifier(column, treatment, None if role == Role.IDENTIFIER else role)
        return replace(self, treatments=others | {column: str(treatment)})

    @property
    def identifiers(self) -> tuple[str, ...]:
        """The identifiers and what becomes of them, as recipes have it."""
        left = (name for name in self.of(Role.IDENTIFIER) if name not in self.treatments)
        return (*left, *(f"{name}={treatment}" for name, treatment in self.treatments.items()))

    def with_hierarchy(self, column: str, hierarchy: ColumnHierarchy | None) -> Decisions:
        """Give a quasi-identifier a hierarchy, or none."""
        if self.roles.get(column) != Role.QUASI:
            raise ParameterError("Only a quasi-identifier can have a hierarchy here.", "Choose another column.")
        others = {name: known for name, known in self.hierarchies.items() if name != column}
        return replace(self, hierarchies=others | ({column: hierarchy} if hierarchy else {}))

    def with_roles(self, changed: Mapping[str, Role | None]) -> Decisions:
        """Change the roles of some columns. A promise about a column that is no longer confidential goes."""
        for name in changed:
            if name not in self.roles:
                raise ParameterError("There is no such column in the file.", "Reload the page and choose again.")
        if set(DRAWN) & set(changed.values()):
            raise ParameterError("Only columns of a release have that role.", "Choose one of those on the page.")
        roles = {**self.roles, **changed}
        hierarchies = {name: each for name, each in self.hierarchies.items() if roles[name] == Role.QUASI}
        kept = {name: each for name, each in self.treatments.items() if roles[name] == self.roles[name]}
        decided = replace(self, roles=roles, hierarchies=hierarchies, pinned=(), treatments=kept)
        if self.aim.column and decided.roles.get(self.aim.column) != Role.SENSITIVE:
            decided = replace(decided, aim=self.aim.without_guard)
        return decided

    def with_aim(self, aim: Aim, people: int | None = None) -> Decisions:
        """Choose a way to protect the table, which is about so many people if that is known."""
        if aim.column and self.roles.get(aim.column) != Role.SENSITIVE:
            raise ParameterError("The promise is not about a confidential column.", "Choose a confidential column.")
        for name in aim.files:
            if name not in self.names_beside:
                raise ParameterError(f"There is no file '{name}' beside the table.", "Add it under Other files first.")
        if aim.guard not in IN_POPULATION or self.asked.population is not None:
            return replace(self, aim=aim)
        if aim.guard not in self.guards:
            raise ParameterError(
                "The promise is about a population, and there is no table of it.", "Give one on the screen of the risk."
            )
        if aim.guard not in INSTEAD_OF_TABLE:
            return replace(self, aim=aim)
        usual = {"alpha": USUAL_ERROR, "fraction": self._fraction(people)}
        return replace(self, aim=replace(aim, terms=terms(aim.guard, usual | aim.given_terms)))

    def _fraction(self, people: int | None) -> float | None:
        """Give the share of the population that is in the table, as far as that is known."""
        size = self.asked.population_size
        return self.asked.sampling_fraction or (people / size if people and size and people < size else None)

    def with_pin(self, key: str, *, pinned: bool) -> Decisions:
        """Put a candidate beside others, or take it away."""
        others = [each for each in self.pinned if each != key]
        return self.with_pins([*others, key] if pinned else others)

    def with_pins(self, keys: Sequence[str]) -> Decisions:
        """Put some candidates side by side."""
        chosen = tuple(dict.fromkeys(keys))
        if len(chosen) > MOST_PINNED:
            raise ParameterError(
                f"At most {MOST_PINNED} candidates are compared.", "Take one away before you add another."
            )
        return replace(self, pinned=chosen)
