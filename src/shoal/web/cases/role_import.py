"""Roles from elsewhere: those that a recipe or a certificate gives to columns of the same names."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shoal.errors import ParameterError
from shoal.pseudonyms.treatments import DROP
from shoal.schema import SINGLE, Role, Roles, options_from


@dataclass(frozen=True)
class ImportedRoles:
    """Roles that were found: those of columns of the open file, and which columns only one of the two has."""

    roles: Mapping[str, Role]
    not_in_file: tuple[str, ...]
    not_named: tuple[str, ...]
    treatments: Mapping[str, str] = field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """What was done, in words.

        >>> ImportedRoles({"age": Role.QUASI}, (), ("shoe",)).sentence
        '1 column has a role from it. 1 column of the file is not named in it and stays as it was.'
        """
        parts = [f"{_columns(len(self.roles))} {_has(len(self.roles))} a role from it."]
        if self.not_named:
            count = len(self.not_named)
            parts.append(
                f"{_columns(count)} of the file {'is' if count == 1 else 'are'} not named in it and "
                f"{'stays as it was' if count == 1 else 'stay as they were'}."
            )
        if self.not_in_file:
            parts.append(
                f"{_columns(len(self.not_in_file))} that it names {_has(len(self.not_in_file))} no such name here."
            )
        return " ".join(parts)


def _columns(count: int) -> str:
    return f"{count:,} column{'' if count == 1 else 's'}"


def _has(count: int) -> str:
    return "has" if count == 1 else "have"


def roles_in(content: bytes, header: Sequence[str]) -> ImportedRoles:
    """Read the roles that a recipe (TOML) or a certificate (JSON) gives to the columns of a file."""
    roles = options_from(_table(content)).roles
    named = _named(roles, header)
    found = {name: role for name, role in named.items() if name in header}
    if not found:
        raise ParameterError(
            "It gives no column of this file a role.", "Choose the recipe of a file with the same columns."
        )
    missing = tuple(name for name in named if name not in header)
    treated = {name: str(each) for name, each in roles.treatments.items() if name in header and each.kind != DROP}
    return ImportedRoles(found, missing, tuple(name for name in header if name not in found), treated)


def _table(content: bytes) -> dict[str, Any]:
    """Give what is said of the table."""
    try:
        text = content.decode("utf-8-sig")
        whole: Any = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except (ValueError, RecursionError):  # no text, no JSON, no TOML
        whole = None
    inner = whole.get("recipe", whole) if isinstance(whole, dict) else None
    table = inner.get("table") if isinstance(inner, dict) else None
    if not isinstance(table, dict):
        raise ParameterError(
            "This is neither a recipe nor a certificate.", "Choose a .recipe.toml or .certificate.json."
        )
    kept = ("quasi", "sensitive", "plain", "identifier", *SINGLE, "last_sensitive")
    given = {key: value for key, value in table.items() if key in kept}
    if not all(isinstance(value, bool) or _texts(value) for value in given.values()):
        raise ParameterError("The roles in it are not names of columns.", "Mend the recipe.")
    return given


def _texts(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(each, str) for each in value))


def _named(roles: Roles, header: Sequence[str]) -> dict[str, Role]:
    if roles.last_sensitive:
        return roles.assign(header)
    found = dict.fromkeys(roles.treatments, Role.IDENTIFIER)
    for role, names in ((Role.PLAIN, roles.plain), (Role.SENSITIVE, roles.sensitive), (Role.QUASI, roles.quasi)):
        found |= dict.fromkeys(names, role)
    found |= {roles.subject: Role.SUBJECT} if roles.subject else {}
    return found | {name: role for role, name in roles.surveyed.items()}
