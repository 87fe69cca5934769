"""The risk of a table in the words of the command line: one small report per set of known attributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shoal.measures import Measure, Score, score
from shoal.measures.attribute_disclosure import AttributeDisclosure
from shoal.measures.random_reidentification import RandomReidentification
from shoal.measures.uniqueness import Matching, Uniqueness
from shoal.table import Table


def risk(
    table: Table, known: Sequence[str] | None = None, where: str | None = None, matching: Matching | None = None
) -> dict[str, Any]:
    """Measure how many records stand alone, and what else an attacker who knows some attributes would learn.

    Records match by ``signature`` or by ``fit`` (see `Uniqueness`). If neither is named, the signature counts, and
    what fit matching finds is told beside it.

    >>> import polars as pl
    >>> import shoal
    >>> ages = pl.DataFrame({"age": ["34", "34", "51", "[50;59]"]})
    >>> found = risk(shoal.read(ages, quasi=["age"], kinds={"age": "integer"}))
    >>> found["unique"], found["classes"], found["fit_unique"]
    (2, 3, 1)
    """
    names = None if known is None else tuple(known)
    measures: list[Measure] = [Uniqueness(names), RandomReidentification(names)]
    if where:
        measures.append(AttributeDisclosure(where, names))
    if matching != "signature":
        measures.append(Uniqueness(names, "fit"))
    scores = score(table, measures=measures)
    report: dict[str, Any] = {} if known is None else {"known": list(known)}
    report |= {"uniqueness": scores[0].value, **scores[0].detail}
    if matching != "signature":
        report |= _fit(scores[-1], "" if matching == "fit" else "fit_")
    report["random_reidentification"] = scores[1].value
    if where:
        report["attribute_disclosure"] = scores[2].value
        report["where"] = where
    return report


def _fit(found: Score, prefix: str) -> dict[str, Any]:
    """Tell what fit matching found, and its bounds if it is not exact."""
    told: dict[str, Any] = {f"{prefix}uniqueness": found.value, f"{prefix}unique": found.detail["unique"]}
    if found.detail["undecided"]:
        told |= {f"{prefix}uniqueness_lower": found.lower, f"{prefix}uniqueness_upper": found.upper}
    return told if prefix else told | {"matching": "fit"}
