"""A first look at a table: what its columns are, which roles they may have, and why."""

from __future__ import annotations

import re
from dataclasses import dataclass

from shoal.kernels import MISSING
from shoal.schema import Role
from shoal.table import Table

_NAMES = (
    (Role.IDENTIFIER, r"(^|_)(name|surname|first_?name|last_?name|ssn|passport|e?_?mail|phone|fax|address|street|iban|"
     r"account|licen[cs]e|mrn|nhs|url|ip)($|_)|_?(uu|gu)id$", "its name suggests that it names a person"),
    (Role.SUBJECT, r"(^|_)(patient|person|subject|member|customer|user|client)_?(id|no|nr|number|key)($|_)|^(pid|rln)$",
     "its name suggests that it tells people apart"),
    (Role.WEIGHT, r"(^|_)(weight|wgt|pweight|sampling_weight)($|_)", "its name suggests a survey weight"),
    (Role.SENSITIVE, r"charge|salary|income|wage|diag|disease|illness|drug|hiv|religio|politic|sexual|debt|price|cost|"
     r"amount|score|result|grade", "its name suggests something confidential"),
    (Role.QUASI, r"age|sex|gender|race|ethn|zip|post_?code|plz|county|city|town|region|state|country|nation|birth|dob|"
     r"date|marital|education|occupation|job|work|hospital|oshpd|admission|adm_|los|stay|quarter|month|year|language",
     "its name suggests something that others may know"),
)  # fmt: skip


@dataclass(frozen=True)
class ColumnReport:
    """What was found of a column. No cell is shown."""

    name: str
    kind: str
    why_kind: str
    distinct: int
    missing: int
    role: Role
    why_role: str


def inspect(table: Table) -> tuple[ColumnReport, ...]:
    """Look at every column of a table and suggest a role for it. A person must decide."""
    reports = []
    for attribute in table.schema.attributes:
        positions, counts = table.counts(attribute.name)
        missing = int(counts[0]) if positions[0] == MISSING else 0
        distinct = int(positions.size) - (1 if missing else 0)
        role, why = suggested_role(attribute.name, attribute.axis.kind, distinct, table.rows - missing)
        reports.append(
            ColumnReport(attribute.name, attribute.axis.kind, attribute.reason, distinct, missing, role, why)
        )
    return tuple(reports)


def suggested_role(name: str, kind: str, distinct: int, filled: int) -> tuple[Role, str]:
    """Suggest a role from the name of a column, and else from how many distinct values and filled cells it has."""
    plain = re.sub(r"[^a-z0-9]+", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())
    for role, pattern, why in _NAMES:
        if re.search(pattern, plain):
            return role, why
    if filled > 20 and distinct == filled and kind in ("category", "integer"):
        return Role.IDENTIFIER, "every record has a value of its own"
    if distinct <= 1:
        return Role.PLAIN, "it hardly varies"
    if kind == "float":
        return Role.SENSITIVE, "a measured number that others rarely know exactly; decide"
    return Role.QUASI, "it varies and might be known to others; decide"
