"""Uniqueness: the share of records that stand alone (Eq. 1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from shoal.engines.values import Boxes
from shoal.errors import ParameterError
from shoal.measures import Direction, Score
from shoal.measures.statistics.size_measure import SizeMeasure, records_in
from shoal.parameters import settle
from shoal.schema import Schema

Matching = Literal["signature", "fit"]
# About a minute of one processor for each batch, where a table with a few million masked records takes seconds.
EFFORT = 8_000_000_000


@dataclass(frozen=True)
class Uniqueness(SizeMeasure):
    """The share of records whose combination of known attributes occurs once.

    With signature matching, as in the authors' program, records match when their published cells are equal. With fit
    matching, as in their text, a published cell stands for every value that it may be, and a record is unique if at
    least one combination of such values fits no other record: the worst case.

    Parameters
    ----------
    known
        The attributes that the attacker knows; all quasi-identifiers if left out.
    matching
        ``signature`` or ``fit``.
    effort
        How much work fit matching may be, in comparisons; about a minute if left out. What is undecided then counts
        as unique, and the lower bound says how little it might be. The same effort gives the same result everywhere.

    References
    ----------
    D. Sánchez, S. Martínez, J. Domingo-Ferrer, supplement of doi:10.1126/science.aad9295, Eq. 1.
    """

    name: ClassVar[str] = "uniqueness"
    direction: ClassVar[Direction] = "lower is safer"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    matching: Matching = "signature"
    effort: int | None = None

    def __post_init__(self) -> None:
        """Check what was asked for."""
        settle(self)
        if self.matching not in ("signature", "fit"):
            raise ParameterError("Records match by 'signature' or by 'fit'.", "Give matching one of the two.")
        if self.effort is not None and (not isinstance(self.effort, int) or self.effort < 0):
            raise ParameterError("An effort is a whole number, at least 0.", "Leave it out for the usual one.")

    def formula(self, sizes: Counter[int]) -> Score:
        """Divide the classes of one record by all records."""
        records, unique = records_in(sizes), sizes[1]
        detail = {"records": records, "unique": unique, "classes": sizes.total(), "smallest_class": min(sizes)}
        return Score.exact(self.name, unique / records, detail)

    @property
    def boxed(self) -> bool:
        """Whether cells are to fit and not to be equal."""
        return self.matching == "fit"

    def decide(self, boxes: Boxes, schema: Schema) -> tuple[int, int, int]:
        """Count records, those that have a point alone, and those that stay undecided."""
        from shoal.measures.reidentification.fit_matching import (  # only few who measure need it
            UNDECIDED,
            UNIQUE,
            fit_verdicts,
        )

        verdicts = fit_verdicts(boxes, schema, EFFORT if self.effort is None else self.effort)
        return int(boxes.counts.sum()), int((verdicts == UNIQUE).sum()), int((verdicts == UNDECIDED).sum())

    def decided(self, parts: Sequence[tuple[int, int, int]]) -> Score:
        """Add the counts up."""
        records, unique, undecided = (sum(part[i] for part in parts) for i in range(3))
        upper = (unique + undecided) / records
        detail = {"records": records, "unique": unique + undecided, "undecided": undecided, "matching": self.matching}
        return Score(self.name, upper, unique / records, upper, detail)
