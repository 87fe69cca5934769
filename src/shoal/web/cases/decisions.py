"""What a user decides: roles, hierarchies, how a table is to be protected, and which candidates are compared."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from shoal.errors import ParameterError
from shoal.languages import _, ngettext
from shoal.pseudonyms.treatments import DROP, Treatment
from shoal.roles import role_of_identifier
from shoal.schema import SINGLE, Role
from shoal.web.cases.aims import Aim
from shoal.web.cases.hierarchies import ColumnHierarchy, file_names
from shoal.web.tasks.messages import Layout

MOST_PINNED = 4


@dataclass(frozen=True)
class Decisions:
    """Everything that was decided about one file. None is the role of a column that is not decided yet."""

    roles: Mapping[str, Role | None] = field(default_factory=dict)
    aim: Aim = field(default_factory=Aim)
    pinned: tuple[str, ...] = ()
    hierarchies: Mapping[str, ColumnHierarchy] = field(default_factory=dict)
    layout: Layout = field(default_factory=Layout)
    treatments: Mapping[str, str] = field(default_factory=dict)  # what becomes of identifiers that are not dropped

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
                return _("More than one column has the role '%(role)s'.", role=role.value)
        return ""

    @property
    def given_roles(self) -> dict[str, Role]:
        """The roles of all columns that have one."""
        return {name: role for name, role in self.roles.items() if role is not None}

    @property
    def roles_digest(self) -> str:
        """A name of the roles and of how the file is read, for what was found with them."""
        said = self.layout.model_dump(mode="json", exclude_defaults=True)
        return hashlib.sha256(json.dumps([self.given_roles, said], sort_keys=True).encode()).hexdigest()[:16]

    @property
    def digest(self) -> str:
        """A name of the roles and hierarchies, for what was found with them."""
        hierarchies = sorted((column, each.digest) for column, each in self.hierarchies.items())
        return hashlib.sha256(json.dumps([self.roles_digest, hierarchies]).encode()).hexdigest()[:16]

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
        roles = {**self.roles, **changed}
        hierarchies = {name: each for name, each in self.hierarchies.items() if roles[name] == Role.QUASI}
        kept = {name: each for name, each in self.treatments.items() if roles[name] == self.roles[name]}
        decided = replace(self, roles=roles, hierarchies=hierarchies, pinned=(), treatments=kept)
        if self.aim.column and decided.roles.get(self.aim.column) != Role.SENSITIVE:
            decided = replace(decided, aim=replace(self.aim, guard="none", level=0.0, column=""))
        return decided

    def with_aim(self, aim: Aim) -> Decisions:
        """Choose a way to protect the table."""
        if aim.column and self.roles.get(aim.column) != Role.SENSITIVE:
            raise ParameterError("The promise is not about a confidential column.", "Choose a confidential column.")
        return replace(self, aim=aim)

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
