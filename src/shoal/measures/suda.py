"""SUDA: who is special, because few attributes are enough to stand alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar

import numpy as np

from shoal.arrays import Floats, Integers
from shoal.errors import ParameterError
from shoal.measures import Direction, Score, nothing_to_measure
from shoal.measures.reidentification.linkage_cells import attacked
from shoal.measures.reidentification.minimal_uniques import MinimalUniques
from shoal.parameters import settle
from shoal.table import Table


@dataclass(frozen=True)
class Suda:
    """The mean chance of a record to be found rightly, by how special it is among those that stand alone (DIS-SUDA).

    A minimal sample unique of a record is a set of attributes in which it stands alone, and in no part of which it
    does. Each counts the more the smaller it is: of A attributes and sets of up to M, one of s attributes counts the
    product of A − i for i from s to M − 1. Their sum is the record's score. DIS turns it into the chance that a match
    with the record is right, given the fraction of the population that is in the sample. The detail has how many
    ``records`` have a score, the ``total`` and the ``largest`` of all scores, the sum and the largest of DIS, how many
    minimal uniques have which size, and what each attribute contributes: the share of the total that comes from sets
    with it, in percent, so that they sum to more than 100. A missing cell is a value of its own.

    Parameters
    ----------
    known
        The attributes that are looked at; all quasi-identifiers if left out.
    size
        The largest sets; all if left out, or as large as can be looked at in some minutes, which is said.
    fraction
        The fraction of the population that is in the sample, above 0 and at most 1.

    References
    ----------
    A. M. Manning, D. J. Haglin, J. A. Keane: A recursive search algorithm for statistical disclosure assessment, Data
    Mining and Knowledge Discovery 16, 2008, doi:10.1007/s10618-007-0078-6. M. J. Elliot: DIS: a new approach to the
    measurement of statistical disclosure risk, Risk Management 2(4), 2000, doi:10.1057/palgrave.rm.8240067.
    """

    name: ClassVar[str] = "suda"
    direction: ClassVar[Direction] = "lower is safer"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    known: tuple[str, ...] | None = None
    size: int | None = None
    fraction: float = 0.01

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        settle(self)
        if self.size is not None and (not isinstance(self.size, int) or isinstance(self.size, bool) or self.size < 1):
            raise ParameterError("Sets have at least one attribute.", "Give a size of at least 1, or leave it out.")
        if isinstance(self.fraction, bool) or not isinstance(self.fraction, int | float) or not 0 < self.fraction <= 1:
            raise ParameterError("A sampling fraction is above 0 and at most 1.", "One record in a hundred is 0.01.")

    def look(self, released: Table) -> Score:
        """Score all records that stand alone."""
        found = MinimalUniques.of(released, attacked(released.schema, self.known), self.size)
        records = int(found.records.counts.sum())
        if not records:
            return nothing_to_measure(self.name, "there are no records")
        columns, every = len(found.names), found.sizes - 1
        weights = [prod(columns - i for i in range(size, found.size)) for size in range(1, found.size + 1)]
        scores = np.bincount(found.owners, np.array(weights, np.float64)[every], found.records.counts.size)

        def weighed(which: Integers) -> tuple[int, list[int]]:
            of_size = np.bincount(which, minlength=found.size).tolist()
            return sum(weight * count for weight, count in zip(weights, of_size, strict=True)), of_size

        total, of_size = weighed(every)
        parts = {name: weighed(every[found.holds(j)])[0] for j, name in enumerate(found.names)}
        values, of_score = np.unique(scores[scores > 0].astype(np.float64), return_counts=True)
        dis = disclosure_scores(values, of_score, found.records.counts, columns, float(self.fraction))
        dis_sum = float(dis @ of_score)
        detail = {
            "records": int(of_score.sum()),
            "total": total,
            "largest": int(values.max(initial=0)),
            "dis_sum": dis_sum,
            "dis_largest": float(dis.max(initial=0)),
            "contributions": {name: 100 * part / total if total else 0.0 for name, part in parts.items()},
            "minimal_uniques": of_size,
            "size": found.size,
            "attributes": columns,
            "fraction": float(self.fraction),
        }
        return Score.exact(self.name, dis_sum / records, detail)

    @staticmethod
    def sentence(detail: Mapping[str, Any]) -> str:
        """Say how many are special, and by which attribute above all."""
        if not detail["records"]:
            return f"Nobody stands alone by {_up_to(detail)}."
        name, part = max(detail["contributions"].items(), key=lambda each: each[1])
        stand = "record stands" if detail["records"] == 1 else "records stand"
        return (
            f"{detail['records']:,} {stand} alone by {_up_to(detail)}; '{name}' has a part in {part:.1f} % of what "
            "makes them special (SUDA)."
        )


def _up_to(detail: Mapping[str, Any]) -> str:
    size, columns = detail["size"], detail["attributes"]
    return "some attributes" if size == columns else f"at most {size} of the {columns} attributes"


def disclosure_scores(values: Floats, of_score: Integers, counts: Integers, columns: int, fraction: float) -> Floats:
    """Give the chance that a match with a record is right (DIS-SUDA), for each score.

    Parameters
    ----------
    values, of_score
        The different scores above 0, and how many records have each.
    counts
        How many records there are of each distinct one.
    columns
        How many attributes were looked at.
    fraction
        The fraction of the population that is in the sample.
    """
    if not values.size:
        return np.empty(0)
    alone, paired = int((counts == 1).sum()), 2 * int((counts == 2).sum())
    right = alone * fraction / (alone * fraction + paired * (1 - fraction))
    # Scores are factorials: divided by the largest, their powers stay within what numbers can be.
    powers = (values / values.max()) ** (1 + (8 - columns) / 20)
    found: Floats = 1 / (1 + (alone / right - alone) / (powers * (of_score @ (1 / powers))))
    return found
