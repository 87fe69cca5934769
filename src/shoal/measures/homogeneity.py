"""Homogeneity: how many people have a confidential value that everybody in their class has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shoal.arrays import Flags, Positions
from shoal.errors import SchemaError
from shoal.kernels import MISSING
from shoal.kernels.grouping import distinct
from shoal.measures import Direction, Score, nothing_to_measure
from shoal.models.people import subject_of
from shoal.schema import Schema
from shoal.table import Carry, Classes, Common

# Classes, records, the different people by their numbers if they have any, and records of somebody without one.
_Inside = tuple[int, int, Positions | None, int]


@dataclass(frozen=True)
class Homogeneity:
    """The share of people in classes whose members all share one value of a confidential column.

    An attacker who finds the class of a person then knows that value, however large the class is. Of several
    confidential columns the score is that of the worst, and ``per_column`` tells of each. With a subject column people
    are counted, each once, and else records. A class with a missing value has none in common.

    Parameters
    ----------
    known
        The attributes that the attacker knows; all quasi-identifiers if left out.
    columns
        The confidential columns; all of them if left out.

    References
    ----------
    A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam: l-Diversity: Privacy beyond k-anonymity, ACM TKDD
    1(1), 2007, doi:10.1145/1217299.1217302, who call it the homogeneity attack.
    """

    name: ClassVar[str] = "homogeneity"
    direction: ClassVar[Direction] = "lower is safer"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    known: tuple[str, ...] | None = None
    columns: tuple[str, ...] | None = None

    def about(self, schema: Schema) -> tuple[str, ...]:
        """Name the confidential columns that are looked at."""
        if self.columns is None:
            return schema.sensitive
        for name in self.columns:
            if name not in schema.sensitive:
                raise SchemaError.missing_column(name, schema.sensitive)
        return self.columns

    def carries(self, schema: Schema) -> tuple[Carry, ...]:
        """Look at what the records of a class have in common, and whose they are."""
        common = tuple(Common(name) for name in self.about(schema))
        return (*common, *subject_of(schema)) if common else ()

    def part(self, classes: Classes, schema: Schema) -> dict[str | None, _Inside]:
        """Count what is in the classes that have one value of a column, by its name, and what is in all."""
        found: dict[str | None, _Inside] = {None: _inside(classes, schema, None)}
        for name in self.about(schema):
            found[name] = _inside(classes, schema, classes.columns[Common(name)] != MISSING)
        return found

    def finish(self, parts: Sequence[dict[str | None, _Inside]]) -> Score:
        """Divide the people in such classes by all people, for each column."""
        counts = {name: _together([part[name] for part in parts]) for name in parts[0]}
        whole = counts.pop(None)
        if not counts:
            return nothing_to_measure(self.name, "no column is confidential", whole)
        shares = {name: {"share": found["people"] / max(whole["people"], 1), **found} for name, found in counts.items()}
        worst = max(shares, key=lambda name: shares[name]["share"])  # the first of several
        return Score.exact(self.name, shares[worst]["share"], {"column": worst, **whole, "per_column": shares})

    @staticmethod
    def sentence(detail: Mapping[str, Any]) -> str:
        """Say of how many people it is, and of which column.

        >>> Homogeneity.sentence({"column": "ill", "per_column": {"ill": {"share": 0.4902}}})
        "49.0% of people share their 'ill' with everybody in their group."
        """
        if "column" not in detail:
            return "No column is confidential."
        worst, several = detail["per_column"][detail["column"]], len(detail["per_column"])
        if not worst["share"]:
            return "In no group do all people share a confidential value."
        more = f" Of {several} confidential columns this is the worst." if several > 1 else ""
        share = in_percent(worst["share"])
        return f"{share} of people share their '{detail['column']}' with everybody in their group.{more}"


def in_percent(share: float) -> str:
    """Write a share of people so that few never look like nobody, nor many like all.

    >>> [in_percent(share) for share in (0, 0.00001, 0.34619, 0.99999, 1)]
    ['0%', 'under 0.1%', '34.6%', 'over 99.9%', '100%']
    """
    if share in (0, 1):
        return f"{share:.0%}"
    if share < 0.001:
        return "under 0.1%"
    return "over 99.9%" if share > 0.999 else f"{share:.1%}"


def _inside(classes: Classes, schema: Schema, which: Flags | None) -> _Inside:
    """Count what is in some classes, or in all."""
    number, records = (
        (classes.sizes.size, classes.sizes.sum()) if which is None else (which.sum(), classes.sizes @ which)
    )
    if schema.subject is None or schema.subject not in classes.columns:
        return int(number), int(records), None, int(records)
    persons = classes.columns[schema.subject]
    if which is not None:
        persons = persons[np.repeat(which, classes.sizes)]
    named = persons != MISSING
    return int(number), int(records), distinct(persons[named]), int(persons.size - named.sum())


def _together(parts: Sequence[_Inside]) -> dict[str, int]:
    """Add up what is in batches of classes; a person who is in several counts once."""
    classes, records = sum(part[0] for part in parts), sum(part[1] for part in parts)
    named = [part[2] for part in parts if part[2] is not None]
    people = int(distinct(np.concatenate(named)).size) if named else 0
    return {"people": people + sum(part[3] for part in parts), "records": records, "classes": classes}
