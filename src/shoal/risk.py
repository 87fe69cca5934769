"""The risk of a table in the words of the command line: one small report per set of known attributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shoal.measures import Measure, score
from shoal.measures.attribute_disclosure import AttributeDisclosure
from shoal.measures.random_reidentification import RandomReidentification
from shoal.measures.uniqueness import Uniqueness
from shoal.table import Table


def risk(table: Table, known: Sequence[str] | None = None, where: str | None = None) -> dict[str, Any]:
    """Measure how many records stand alone, and what else an attacker who knows some attributes would learn.

    >>> import polars as pl
    >>> from shoal import read
    >>> found = risk(read(pl.DataFrame({"age": [34, 34, 51]}), quasi=["age"]))
    >>> found["unique"], found["classes"]
    (1, 2)
    """
    names = None if known is None else tuple(known)
    measures: list[Measure] = [Uniqueness(names), RandomReidentification(names)]
    if where:
        measures.append(AttributeDisclosure(where, names))
    scores = score(table, measures)
    report: dict[str, Any] = {} if known is None else {"known": list(known)}
    report |= {"uniqueness": scores[0].value, **scores[0].detail}
    report["random_reidentification"] = scores[1].value
    if where:
        report["attribute_disclosure"] = scores[2].value
        report["where"] = where
    return report
