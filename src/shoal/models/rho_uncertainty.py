"""ρ-uncertainty: no items that somebody knows of a person make a private one likely."""

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
class RhoUncertainty(PrivateItemsModel):
    """Of the people who have up to m known items, no more than a share rho has any private item beside them.

    What is known may be private items too, or nothing. It says nothing of how many people there are: ask for
    k^m-anonymity beside it.

    Parameters
    ----------
    rho
        The largest confidence with which a private item may be concluded, above 0 and below 1.
    m
        How many items somebody may know of a person, 0 or more.
    private
        The names of the private items, as they stand in the column of items.
    knowledge
        ``any`` item may be known, or only ``public`` ones.
    groups
        The published labels that stand for private items beside others. They are found when something is released, and
        need not be given.
    mixed
        Those of these labels that stand for public items too; they are found in the same way.

    References
    ----------
    J. Cao, P. Karras, C. Raïssi, K.-L. Tan: ρ-uncertainty: inference-proof transaction anonymization, PVLDB 3(1), 2010,
    doi:10.14778/1920841.1920971.
    """

    name: ClassVar[str] = "rho-uncertainty"
    rho: float
    m: int
    private: tuple[str, ...]
    knowledge: str = "any"
    groups: tuple[str, ...] | None = None
    mixed: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse what promises nothing."""
        settle(self)
        self._settle_labels()
        if isinstance(self.rho, bool) or not isinstance(self.rho, int | float) or not 0 < self.rho < 1:
            raise ParameterError(
                f"rho must be above 0 and below 1, not {shown(self.rho)}.", "Usual ones are 0.3 to 0.8."
            )
        if isinstance(self.m, bool) or not isinstance(self.m, int) or self.m < 0:
            raise ParameterError(f"m must be a whole number of at least 0, not {shown(self.m)}.", "Write m=2.")
        if self.knowledge not in ("any", "public"):
            raise ParameterError(f"'{shown(self.knowledge)}' items are not known.", "Write any or public.")

    @property
    def promised(self) -> float:
        """The largest confidence."""
        return float(self.rho)

    def found(self, traces: Traces, items: PublishedItems) -> Measured:
        """Find the confidence of every rule from up to m items to a private one."""
        hidden = ~items.known if self.knowledge == "public" else np.zeros_like(items.known)
        level, failing, cases = 0.0, 0, 0
        for people, having in supports(traces, items.private, range(self.m + 1), hidden, each=True):
            shares = having / people
            level = max(level, float(shares.max(initial=0.0)))
            failing += int((having > self.rho * people).sum())
            cases += people.size
        return Measured(level, failing, cases)

    def met(self, level: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell which confidences are low enough."""
        return level <= self.rho

    def worst(self, level: NDArray[np.float64]) -> float:
        """Give the highest confidence."""
        return float(level.max())

    def demand(self, rows: int, subjects: int | None) -> None:
        """Refuse nothing: few people can keep it too."""
        del rows, subjects

    def sentence(self, level: float, schema: Schema) -> str:
        """Say what somebody can conclude who knows up to m items."""
        what = "items" if self.knowledge == "any" else "public items"
        known = f"up to {self.m} {what} of a person"
        return f"From {known} nobody can conclude a private one with more than {level:.1%} confidence."

    def convention(self, schema: Schema) -> str:
        """Tell what is counted."""
        return f"people with up to {self.m} items and a private one beside them, as a share of those with the items"
