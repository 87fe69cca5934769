"""Itemset retention: whether what people most often have together is still what they most often have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.errors import ParameterError
from shoal.linked.losses import retention
from shoal.linked.traces import Traces
from shoal.measures import Score, nothing_to_measure
from shoal.measures.traces.linked_measure import LinkedMeasure
from shoal.parameters import settle, shown


@dataclass(frozen=True)
class ItemsetRetention(LinkedMeasure):
    """The share of the most frequent combinations of one point or two that are no longer so in the release (tKd).

    Its detail also has ``pair_error``, the mean relative error of how many people have the pairs among them, between 0
    and 2. Only points that are published as they are count as retained.

    Parameters
    ----------
    top
        How many of the most frequent combinations are compared, at least 1.

    References
    ----------
    M. Terrovitis, J. Liagouris, N. Mamoulis, S. Skiadopoulos: Privacy preservation by disassociation, PVLDB 5(10),
    2012, doi:10.14778/2336664.2336668.
    """

    name: ClassVar[str] = "itemset-retention"
    top: int = 300

    def __post_init__(self) -> None:
        """Refuse what is no number of combinations."""
        settle(self)
        if isinstance(self.top, bool) or not isinstance(self.top, int) or self.top < 1:
            raise ParameterError(f"top must be a whole number of at least 1, not {shown(self.top)}.", "Usual is 300.")

    def compared(self, original: Traces, released: Traces) -> Score:
        """Find the most frequent combinations of both."""
        found = retention(original, released, self.top)
        detail = {"itemsets": found.itemsets, "pairs": found.pairs, "pair_error": found.error}
        if not found.itemsets:
            return nothing_to_measure(self.name, "nobody has a point", detail)
        return Score.exact(self.name, found.gone, detail)
