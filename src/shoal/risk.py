"""The risk of a table in the words of the command line: one small report per set of known attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shoal.measures import Measure, Score, score
from shoal.measures.attribute_disclosure import AttributeDisclosure
from shoal.measures.erring_attacker import ErringAttacker
from shoal.measures.random_reidentification import RandomReidentification
from shoal.measures.uniqueness import Matching, Uniqueness
from shoal.table import Table


def risk(
    table: Table,
    known: Sequence[str] | None = None,
    where: str | None = None,
    matching: Matching | None = None,
    errors: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """Measure how many records stand alone, and what else an attacker who knows some attributes would learn.

    Records match by ``signature`` or by ``fit`` (see `Uniqueness`). If neither is named, the signature counts, and
    what fit matching finds is told beside it. ``errors`` says how likely the attacker is wrong about some attributes:
    under the same name stands what he then claims, of each of them alone and of all at once (see `ErringAttacker`).

    >>> import polars as pl
    >>> from shoal import read
    >>> ages = pl.DataFrame({"age": ["34", "34", "51", "[50;59]"]})
    >>> found = risk(read(ages, quasi=["age"], kinds={"age": "integer"}))
    >>> found["unique"], found["classes"], found["fit_unique"]
    (2, 3, 1)
    >>> stays = read(pl.DataFrame({"age": [34, 34, 51], "days": [2, 3, 2]}), quasi=["age", "days"])
    >>> [(found["columns"], found["right"]) for found in risk(stays, errors={"days": 0.5})["errors"]]
    [({'days': 0.5}, 0.5)]
    """
    names = None if known is None else tuple(known)
    erring = list(_errors(table, errors, known)) if errors else []  # first: what was asked may make no sense
    measures: list[Measure] = [Uniqueness(names), RandomReidentification(names)]
    if where:
        measures.append(AttributeDisclosure(where, names))
    if matching != "signature":
        measures.append(Uniqueness(names, "fit"))
    scores = score(table, measures)
    report: dict[str, Any] = {} if known is None else {"known": list(known)}
    report |= {"uniqueness": scores[0].value, **scores[0].detail}
    if matching != "signature":
        report |= _fit(scores[-1], "" if matching == "fit" else "fit_")
    report["random_reidentification"] = scores[1].value
    if where:
        report["attribute_disclosure"] = scores[2].value
        report["where"] = where
    if erring:
        report["errors"] = erring
    return report


def _errors(table: Table, errors: Mapping[str, float], known: Sequence[str] | None) -> Iterator[dict[str, Any]]:
    """Tell what an attacker claims who errs in each attribute alone, and in all of them at once."""
    each = [{name: rate} for name, rate in errors.items()]
    attacker = ErringAttacker(table, known)
    for some in (*each, *([errors] if len(each) > 1 else [])):
        found = attacker.matches(some)
        yield {
            "columns": dict(found.errors), "claimed": found.claimed, "right": found.right, "wrong": found.wrong,
            "right_of_claimed": found.right_of_claimed, "standard_error": found.standard_error,
        }  # fmt: skip


def _fit(found: Score, prefix: str) -> dict[str, Any]:
    """Tell what fit matching found, and its bounds if it is not exact."""
    told: dict[str, Any] = {f"{prefix}uniqueness": found.value, f"{prefix}unique": found.detail["unique"]}
    if found.detail["undecided"]:
        told |= {f"{prefix}uniqueness_lower": found.lower, f"{prefix}uniqueness_upper": found.upper}
    return told if prefix else told | {"matching": "fit"}
