"""Recoding and suppression together: coarser points for everybody first, then points removed from some people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.arrays import Positions
from shoal.domains.resolution import Resolution, refuse_unless_nested
from shoal.engines.combining import EffortError
from shoal.errors import GuaranteeError, InternalError, ParameterError
from shoal.linked.losses import costs_of, retention, set_loss
from shoal.linked.resolutions import seen_at
from shoal.linked.traces import Traces
from shoal.methods.cover_cut import along, leaves_of
from shoal.methods.traces.cut_search import LeafHolders, cheapest_cut
from shoal.methods.traces.linked_method import Account, LinkedMethod
from shoal.methods.traces.suppression import LossBound, TooDearError, suppressed_traces
from shoal.models.km_anonymity import KmAnonymity
from shoal.parameters import settle
from shoal.progress import stage
from shoal.schema import names_given

_TOP = 300
_SLIGHTLY = 1e-9  # so that no rounding gives up what is as good
LOSSES = ("set-loss", "itemset-retention", "pair-error")


@dataclass(frozen=True)
class CutAndSuppress(LinkedMethod):
    """Recode points for a weaker promise, then suppress what is left to do; of all weaker promises keep the best.

    The recodings that are tried are none, the levels of the hierarchy, and the cuts of `CoverCut` for k' up to k and m'
    up to m; within classes of people by their attributes, if combinations are counted there. Each is followed by
    `SuppressPoints`, which keeps the promise that was asked for. Losses disagree: recoding saves points, suppression
    the counts of those that stay. So it is said which loss is to be least.

    Parameters
    ----------
    minimise
        Which loss is to be least: ``set-loss``, ``itemset-retention`` (the share of frequent combinations that are
        lost) or ``pair-error`` (the error of the supports of frequent pairs).
    levels
        How coarsely points of several columns are seen, from fine to coarse: ``["day=7", "day=28", "day=*"]``. Each is
        tried; levels of a column must nest.

    References
    ----------
    M. Terrovitis, N. Mamoulis, P. Kalnis: Local and global recoding methods for anonymizing set-valued data, The VLDB
    Journal 20(1), 2011, doi:10.1007/s00778-010-0192-8; J. Cao, P. Karras, C. Raïssi, K.-L. Tan: ρ-uncertainty:
    inference-proof transaction anonymization, PVLDB 3(1), 2010, doi:10.14778/1920841.1920971.
    """

    name: ClassVar[str] = "cut-and-suppress"
    minimise: str = "set-loss"
    levels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a loss that does not exist, and levels that do not nest."""
        settle(self)
        object.__setattr__(self, "levels", names_given("levels", self.levels))
        refuse_unless_nested(Resolution.of(level) for level in self.levels)
        if self.minimise not in LOSSES:
            raise ParameterError(f"'{self.minimise}' is no loss.", f"There are: {', '.join(LOSSES)}.")

    def masked(self, traces: Traces, model: KmAnonymity) -> tuple[Traces, Account]:
        """Try every recoding, and keep the release that loses least."""
        best: tuple[float, Traces, Account] | None = None
        refused: EffortError | None = None
        for recoding, what in _recodings(traces, model, self.levels):
            stage(f"suppressing points after {what}")
            try:
                bound = None if best is None else self._bound(traces, recoding, best[0])
                found, _ = suppressed_traces(recoding, model.k, model.m, bound)
            except EffortError as error:  # there may be less to count of coarser points
                refused = error
                continue
            except TooDearError:
                continue
            loss = self._loss(traces, found)
            if best is None or loss <= best[0]:  # of equals the finest, which comes last
                gone = recoding.labels.size - found.labels.size
                share = gone / max(recoding.labels.size, 1)
                begun, ended = f"Recoded points with {what}", f": {self.minimise} is {loss:.3g}."
                removed = f"{gone:,} of {recoding.labels.size:,} ({share:.2%})"
                exact = f"{begun} to {recoding.points.number:,} labels, and removed {removed}{ended}"
                best = loss, found, Account(f"{begun}, and removed {share:.3g} of them{ended}", exact)
        if best is None:  # without any recoding there is suppression alone
            raise refused or InternalError("Nothing was tried.", "Report this.")
        return best[1], best[2]

    def _bound(self, traces: Traces, recoding: Traces, best: float) -> LossBound | None:
        """Tell what may be suppressed of a recoding until it loses more than the best, if the loss tells that."""
        if self.minimise != "set-loss":
            return None
        lost = set_loss(traces, recoding)[0]
        if lost > best + _SLIGHTLY:
            raise TooDearError
        # Who loses a label loses one point at least, of which the recoding left something.
        prices = np.maximum(1 - costs_of(recoding.points, traces.points), 0)
        return LossBound(prices, (best - lost + _SLIGHTLY) * traces.labels.size)

    def _loss(self, original: Traces, released: Traces) -> float:
        if self.minimise == "set-loss":
            return set_loss(original, released)[0]
        found = retention(original, released, _TOP)
        return found.gone if self.minimise == "itemset-retention" else found.error


def _recodings(traces: Traces, model: KmAnonymity, levels: Sequence[str]) -> Iterator[tuple[Traces, str]]:
    """Give points recoded along a hierarchy, if there is one, for weaker promises, at each level, and as they are.

    The coarsest come first: they need least suppression, and tell soon what finer ones may lose.
    """
    if len(traces.points.columns) == 1 and traces.points.axes[0].tree is not None:
        leaves = leaves_of(traces)
        seen = {leaves.tree.cut(np.zeros(leaves.tree.number, np.bool_)).tobytes()}
        for cut, what in _cuts(leaves, traces.points.axes[0].tree.above, model):
            if cut.tobytes() not in seen:
                seen.add(cut.tobytes())
                yield along(traces, leaves.tree, cut), what
    for level in reversed(levels):
        yield seen_at(traces, Resolution.of(level)), f"the level {level}"
    yield traces, "no change"


def _cuts(leaves: LeafHolders, above: Positions, model: KmAnonymity) -> Iterator[tuple[Positions, str]]:
    """Give the levels of a hierarchy below its root, and the cuts that keep weaker promises, coarse ones first."""
    for level in range(len(above) - 2, 0, -1):
        raised = np.zeros(leaves.tree.number, np.bool_)
        for node in np.unique(above[level]).tolist():
            raised[leaves.tree.inner_below(node)] = True
        yield leaves.tree.cut(raised), f"level {level} of the hierarchy"
    for m in range(min(model.m, leaves.holders.longest), 0, -1):
        for k in reversed(weaker(model.k)):
            try:
                yield cheapest_cut(leaves, k, m)[0], f"a cut for k = {k}, m = {m}"
            except (EffortError, GuaranteeError):  # too many combinations, or too few people with any point
                continue


def weaker(k: int) -> list[int]:
    """Give the levels up to k for which cuts are tried: all small ones, fewer of the larger.

    >>> weaker(10)
    [2, 3, 5, 8, 10]
    """
    found, following = [2], 3
    while following < k:
        found, following = [*found, following], found[-1] + following
    return sorted({*(each for each in found if each <= k), k})
