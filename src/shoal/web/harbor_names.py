"""The eighteen kinds of identifiers of safe harbor, and what becomes of each, in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.languages import N_, _
from shoal.schema import Role

KINDS = {
    "name": N_("names"),
    "geography": N_("geography smaller than a state"),
    "date": N_("dates finer than a year, and ages over 89"),
    "phone": N_("phone numbers"),
    "fax": N_("fax numbers"),
    "email": N_("e-mail addresses"),
    "ssn": N_("social security numbers"),
    "record": N_("medical record numbers"),
    "plan": N_("health plan beneficiary numbers"),
    "account": N_("account numbers"),
    "licence": N_("certificate and licence numbers"),
    "vehicle": N_("vehicle identifiers, serial numbers and plates"),
    "device": N_("device identifiers and serial numbers"),
    "url": N_("web addresses"),
    "ip": N_("IP addresses"),
    "biometric": N_("biometric identifiers"),
    "photograph": N_("photographs and comparable images"),
    "other": N_("other unique numbers, characteristics and codes"),
}
_BY = {"name": N_("its name"), "value": N_("its values")}
_REMOVED = N_("removed")
_LEFT = {
    "zip": N_("cut to 3 digits; 000 where few people live"),
    "age": N_("one band for all ages over 89"),
    "date": N_("only its year"),
    "birth": N_("only its year; one band for those over 89"),
}


def rows(found: Mapping[str, Any], roles: Mapping[str, Role | None]) -> list[dict[str, Any]]:
    """Give the columns that were found, with what is said of each, its role, and how the page would group it."""
    return [_row(each, roles.get(each["column"])) for each in found["columns"]]


def _row(each: Mapping[str, Any], role: Role | None) -> dict[str, Any]:
    kind, by = KINDS[each["kind"]], _BY[each["by"]]
    numbers = each["how"].partition(" ")[2]  # such as ``birth 2026`` of ``safe-harbor birth 2026``
    left = _LEFT[numbers.split()[0]] if numbers else _REMOVED
    return {**each, "meaning": _(kind), "seen": _(by), "becomes": _(left), "role": role, "numbers": numbers}
