"""The terms of a further promise: the parameters that its model has beside the level on the slider."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from shoal.catalogue import look_up
from shoal.errors import ParameterError
from shoal.models.outside_population import OutsidePopulation
from shoal.web.cases.method_steps import Parameter, canonical, parameters, plain

TERM = "term of "  # what fields of a form begin with, before the promise and its parameter
# What is said of a population of which there is no table, and what is usual for the chance of an error.
INSTEAD_OF_TABLE: dict[str, tuple[str, ...]] = {"k-map": ("alpha", "fraction", "truncated")}
USUAL_ERROR = 0.05
_LONGEST = 500  # characters that they may take
_CHOSEN_ELSEWHERE = {"column", *(each.name for each in fields(OutsidePopulation))}


def terms_of(guard: str, *, table: bool = True) -> list[Parameter]:
    """Give the parameters of a promise that can be chosen, with a table of the population or without one.

    >>> [each.name for each in terms_of("reidentification-risk")], terms_of("k-map")
    (['average', 'share'], [])
    >>> [each.name for each in terms_of("k-map", table=False)]
    ['alpha', 'fraction', 'truncated']
    """
    needed = {each.name for each in fields(look_up("models", guard)) if not _has_default(each)}
    left_out = needed | _CHOSEN_ELSEWHERE | set(INSTEAD_OF_TABLE.get(guard, ()) if table else ())
    return [each for each in parameters(guard, "models") if each.name not in left_out]


def terms(guard: str, given: Mapping[str, Any]) -> str:
    """Write the terms of a promise as JSON; what is as usual is left out, so that one choice has one name.

    >>> terms("delta-presence", {"least": 0.1}), terms("delta-presence", {"least": 0.0})
    ('{"least":0.1}', '')
    """
    if not given:
        return ""
    known = [each.name for each in terms_of(guard, table=False)] if guard != "none" else []
    for name in given:
        if name not in known:
            raise ParameterError(f"{guard} has no parameter '{name}' here.", f"It has: {', '.join(known) or 'none'}.")
    usual = {each.name: each.default for each in fields(look_up("models", guard))}
    own = {name: value for name, value in given.items() if value is not None and plain(value) != plain(usual[name])}
    text = canonical(own) if own else ""
    if len(text) > _LONGEST:
        raise ParameterError(f"The parameters of {guard} are too long for this page.", "Use the command line.")
    return text


def _has_default(each: Any) -> bool:
    return each.default is not MISSING or each.default_factory is not MISSING
