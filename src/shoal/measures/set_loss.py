"""Set-loss: how coarse the points of people have become, where a suppressed one counts as lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.linked.losses import set_loss
from shoal.linked.traces import Traces
from shoal.measures import Score, nothing_to_measure
from shoal.measures.traces.linked_measure import LinkedMeasure


@dataclass(frozen=True)
class SetLoss(LinkedMeasure):
    """The mean cost of the original points of people: 0 for one that is published as it is, 1 for one that is gone.

    A point that is published as a node of a hierarchy costs the share of the leaves that the node covers; as a range of
    numbers or dates, its share of the range of the original. Points of several columns cost the mean of these.

    References
    ----------
    M. Terrovitis, N. Mamoulis, P. Kalnis: Privacy-preserving anonymization of set-valued data, PVLDB 1(1), 2008,
    doi:10.14778/1453856.1453874.
    """

    name: ClassVar[str] = "set-loss"

    def compared(self, original: Traces, released: Traces) -> Score:
        """Add up what each point of each person costs."""
        points = int(original.labels.size)
        loss, gone = set_loss(original, released)
        detail = {"points": points, "suppressed": gone, "labels": released.points.number}
        detail["emptied"] = int(((original.holders.lengths > 0) & (released.holders.lengths == 0)).sum())
        if not points:
            return nothing_to_measure(self.name, "nobody has a point", detail)
        return Score.exact(self.name, loss, detail)
