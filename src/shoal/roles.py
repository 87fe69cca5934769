"""Roles: what a column is to a release, and which columns have which role."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from shoal.errors import ParameterError, SchemaError
from shoal.pseudonyms.treatments import DROP, SHIFT, Treatment, treatments_of


class Role(StrEnum):
    """What a column is to the release.

    Attributes
    ----------
    IDENTIFIER
        Names a person: never released.
    QUASI
        May be known to an attacker: generalized.
    SENSITIVE
        Confidential: released as it is, protected by the models.
    PLAIN
        Neither: released as it is.
    SUBJECT
        The person a row belongs to: counted, never released.
    WEIGHT
        A survey weight: how many people of the population a record stands for. Released as it is.
    HOUSEHOLD
        The household a record belongs to: who finds one member finds all. Never released.
    STRATUM
        The stratum of the survey that a record was drawn in: released as it is.
    PSEUDONYM
        The person a row belongs to, under another name that is released: counted as a subject is.
    PERSON
        Of a linked release, the number of the person a row belongs to, drawn at random for it.
    """

    IDENTIFIER = "identifier"
    QUASI = "quasi"
    SENSITIVE = "sensitive"
    PLAIN = "plain"
    SUBJECT = "subject"
    WEIGHT = "weight"
    HOUSEHOLD = "household"
    STRATUM = "stratum"
    PSEUDONYM = "pseudonym"
    PERSON = "person"


# Columns of which the ends of cells are kept; and those that a release has.
SPANNED = (Role.PERSON, Role.QUASI)
RELEASED = (*SPANNED, Role.SENSITIVE, Role.PLAIN, Role.WEIGHT, Role.STRATUM, Role.PSEUDONYM)
# Only columns of a release have these: nobody gives them.
DRAWN = (Role.PSEUDONYM, Role.PERSON)
# Of these roles there is one column at most.
SINGLE = (Role.SUBJECT, Role.WEIGHT, Role.HOUSEHOLD, Role.STRATUM)


@dataclass(frozen=True)
class Roles:
    """Which columns have which role, as the user says it: by name, or by place (``last_sensitive``).

    Columns that are not named are left out of the release; ``plain`` keeps them. ``rest`` gives all columns that
    are not named one role. An identifier may be followed by what becomes of it: ``id=pseudonym:patient``.
    """

    quasi: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    plain: tuple[str, ...] = ()
    identifier: tuple[str, ...] = ()
    subject: str | None = None
    weight: str | None = None
    last_sensitive: bool = False
    rest: Role | None = None
    person: str | None = None
    household: str | None = None
    stratum: str | None = None

    @property
    def treatments(self) -> dict[str, Treatment]:
        """What becomes of each identifier."""
        return treatments_of(self.identifier)

    @property
    def passed_on(self) -> frozenset[str]:
        """The plain columns that are released as they are, so that no cell of theirs is looked at."""
        return frozenset(self.plain) - self.treatments.keys()

    def of_baskets(self) -> Roles:
        """Give the roles of the two columns that baskets have, under the names that were given or usual ones."""
        if len(self.quasi) > 1 or any((self.sensitive, self.plain, self.surveyed, self.last_sensitive)):
            raise ParameterError("A basket has items, and nothing else.", "Name one column for them: --quasi item.")
        return replace(self, subject=self.subject or "basket", quasi=self.quasi or ("item",))

    @property
    def surveyed(self) -> dict[Role, str]:
        """The columns that say how a survey was made, by their roles."""
        named = {Role.WEIGHT: self.weight, Role.HOUSEHOLD: self.household, Role.STRATUM: self.stratum}
        return {role: name for role, name in named.items() if name}

    def assign(self, header: Sequence[str]) -> dict[str, Role]:
        """Give the role of each column that is to be read, in the order of the header."""
        given = (
            self.quasi, self.sensitive, self.plain, self.identifier, self.subject, self.person, self.surveyed,
        )  # fmt: skip
        if self.last_sensitive:
            if any(given):
                raise ParameterError(
                    "Roles are given both by name and by place (last-sensitive).", "Give them in one of the two ways."
                )
            return dict.fromkeys(header[:-1], Role.QUASI) | {header[-1]: Role.SENSITIVE}
        named: dict[str, Role] = {}
        for role, names in (
            (Role.QUASI, self.quasi),
            (Role.SENSITIVE, self.sensitive),
            (Role.PLAIN, self.plain),
            (Role.SUBJECT, (self.subject,) if self.subject else ()),
            (Role.PERSON, (self.person,) if self.person else ()),
            *((role, (name,)) for role, name in self.surveyed.items()),
        ):
            for name in names:
                if name not in header:
                    raise SchemaError.missing_column(name, header)
                if named.get(name, role) != role:
                    raise ParameterError(f"Column '{name}' is given two roles.", "Name each column once.")
                named[name] = role
        for name, treatment in self.treatments.items():
            if name not in header:
                raise SchemaError.missing_column(name, header)
            named[name] = role_of_identifier(name, treatment, named.get(name))
        if self.rest is not None:
            named = dict.fromkeys(header, self.rest) | named
        return {name: named[name] for name in header if named.get(name, Role.IDENTIFIER) != Role.IDENTIFIER}


def role_of_identifier(name: str, treatment: Treatment, role: Role | None) -> Role:
    """Give the role of a column that names people: what is shifted may have another, and a subject another name."""
    if treatment.kind == DROP and role is None:
        return Role.IDENTIFIER
    if treatment.names and role in (None, Role.PLAIN, Role.SUBJECT):
        return Role.PSEUDONYM if role is Role.SUBJECT else Role.PLAIN
    if treatment.kind == SHIFT and role in (None, Role.PLAIN, Role.QUASI, Role.SENSITIVE):
        return role or Role.PLAIN
    raise ParameterError(
        f"Column '{name}' is given two roles.", f"As an identifier that becomes '{treatment}' it can be no {role}."
    )
