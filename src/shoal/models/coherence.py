"""(h, k, p)-coherence: who knows up to p public items finds enough people, and seldom learns a private one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError
from shoal.linked.private_items import PublishedItems, supports
from shoal.linked.traces import Traces
from shoal.models.linked_model import Measured
from shoal.models.private_items_model import PrivateItemsModel
from shoal.parameters import settle, shown
from shoal.schema import Schema


@dataclass(frozen=True)
class Coherence(PrivateItemsModel):
    """Every combination of up to p public items is had by k people, of whom no more than a share h has a private item.

    Items are public or private, and those are private that are named. Who knows up to p public items of a person finds
    at least k people who have them, and each private item in no more than the share h of these.

    Parameters
    ----------
    k
        How many people have each combination at least, 2 or more.
    p
        How many public items somebody may know of a person, 1 or more.
    h
        The largest share of the people with a combination who may have the same private item, between 0 and 1.
    private
        The names of the private items, as they stand in the column of items.
    groups
        The published labels that stand for private items beside others. They are found when something is released, and
        need not be given.
    mixed
        Those of these labels that stand for public items too; they are found in the same way.

    References
    ----------
    Y. Xu, K. Wang, A. W.-C. Fu, P. S. Yu: Anonymizing transaction databases for publication, KDD 2008,
    doi:10.1145/1401890.1401982.
    """

    name: ClassVar[str] = "coherence"
    k: int
    p: int
    h: float
    private: tuple[str, ...]
    groups: tuple[str, ...] | None = None
    mixed: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse what promises nothing."""
        settle(self)
        self._settle_labels()
        for letter, least in (("k", 2), ("p", 1)):
            value = getattr(self, letter)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise ParameterError(
                    f"{letter} must be a whole number of at least {least}, not {shown(value)}.", "Write k=5, p=2."
                )
        if isinstance(self.h, bool) or not isinstance(self.h, int | float) or not 0 <= self.h < 1:
            raise ParameterError(
                f"h must be at least 0 and below 1, not {shown(self.h)}.", "Usual ones are 0.4 to 0.8."
            )

    @property
    def promised(self) -> float:
        """The largest share of people who may have the same private item."""
        return float(self.h)

    def found(self, traces: Traces, items: PublishedItems) -> Measured:
        """Count who has each combination of public items, and how many of these have each private item.

        The level is the largest share of a private item. A combination that too few people have is counted as failing,
        and its share as 1: these people can be found.
        """
        level, failing, cases = 0.0, 0, 0
        for people, worst in supports(traces, items.private, range(1, self.p + 1), ~items.known):
            few = people < self.k
            shares = np.where(few, 1.0, worst / people)
            level = max(level, float(shares.max()))
            failing += int((few | (worst > self.h * people)).sum())
            cases += people.size
        return Measured(level, failing, cases)

    def met(self, level: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell which shares are small enough."""
        return level <= self.h

    def worst(self, level: NDArray[np.float64]) -> float:
        """Give the largest share."""
        return float(level.max())

    def demand(self, rows: int, subjects: int | None) -> None:
        """Refuse a k that is larger than the number of people."""
        if subjects is not None and self.k > subjects:
            raise ParameterError(f"k = {self.k} cannot be reached: there are only {subjects:,} people.", "Lower it.")

    def sentence(self, level: float, schema: Schema) -> str:
        """Say what somebody learns who knows up to p public items."""
        if level >= 1:
            return f"An attacker who knows up to {self.p} public items of a person may find who it is."
        return (
            f"An attacker who knows up to {self.p} public items of a person finds at least {self.k:,} people, and each "
            f"private item in at most {level:.1%} of them."
        )

    def convention(self, schema: Schema) -> str:
        """Tell what is counted."""
        return f"people per combination of up to {self.p} public items, and the share of them who have a private item"
