"""Local suppression: points are removed from the people whose combinations of them are rare."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.linked.traces import Traces
from shoal.methods.traces.linked_method import Account, LinkedMethod
from shoal.methods.traces.suppression import suppressed_traces
from shoal.models.km_anonymity import KmAnonymity


@dataclass(frozen=True)
class SuppressPoints(LinkedMethod):
    """Remove points from people, first those that are in most of a person's rare combinations. Needs no hierarchy.

    The points that stay are the original ones, so that counts of frequent combinations hardly change; rare points are
    gone altogether.

    References
    ----------
    R. Chen, B. C. M. Fung, N. Mohammed, B. C. Desai, K. Wang: Privacy-preserving trajectory data publishing by local
    suppression, Information Sciences 231, 2013, doi:10.1016/j.ins.2011.07.035.
    """

    name: ClassVar[str] = "suppress-points"

    def masked(self, traces: Traces, model: KmAnonymity) -> tuple[Traces, Account]:
        """Suppress points until every combination is had by enough people."""
        left, rounds = suppressed_traces(traces, model.k, model.m)
        gone = traces.labels.size - left.labels.size
        share = gone / max(traces.labels.size, 1)
        exact = f"Removed {gone:,} of {traces.labels.size:,} points ({share:.2%}) in {rounds} rounds."
        return left, Account(f"Removed points from people: {share:.3g} of all.", exact)
