"""Classes that were formed to be alike, brought to keep what is promised of confidential values at little cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Labels
from shoal.engines.values import Moments, Piece
from shoal.kernels.closeness import ordered_distance
from shoal.kernels.constraints import Promises
from shoal.kernels.grouping import by_label, gather_rows, starts_of
from shoal.kernels.lattice import settle
from shoal.kernels.partition import Costs, Prepared, dearest
from shoal.kernels.spans import hulls, loss
from shoal.kernels.swapping import Spread, Trading, trade
from shoal.methods.partitioning.hilbert_order import distances
from shoal.methods.partitioning.merge_failing import promise_of
from shoal.methods.search.greedy_merging import Asked, Land, joined_with_partners
from shoal.models import PrivacyModel
from shoal.models.k_anonymity import KAnonymity
from shoal.models.t_closeness import TCloseness, ordered_closeness
from shoal.schema import Schema
from shoal.table import Carry, Classes, Table

Way = Literal["trade", "join"]
TRADING = 128  # the most records of a class that trades: beyond, one record changes little


class Found(NamedTuple):
    """Classes, and what all records cost in them."""

    labels: Labels
    groups: int
    cost: float


@dataclass(frozen=True, eq=False)
class Terms:
    """What classes are to keep, and what they cost: small enough to be sent to where the records are."""

    schema: Schema
    moments: Moments
    costs: Costs
    asked: tuple[Asked, ...]
    close: TCloseness | None
    reference: Any
    ordered: int  # which of the promises it is that is about an order

    @classmethod
    def of(cls, table: Table, models: Sequence[PrivacyModel], moments: Moments, costs: Costs) -> Terms:
        """Take all models but a number of records, which every class has from the beginning and does not lose."""
        people = table.schema.subject is not None
        kept = [model for model in models if people or not isinstance(model, KAnonymity)]
        asked = tuple(Asked(promise_of(model, table), model.promised) for model in kept)
        close = None if people else ordered_closeness(table.schema, models)
        reference = None if close is None else close.reference(table)
        ordered = -1 if close is None else [model is close for model in kept].index(True)
        return cls(table.schema, moments, costs, asked, close, reference, ordered)

    @property
    def carry(self) -> tuple[Carry, ...]:
        """What must be known of records."""
        return tuple(dict.fromkeys(name for asked in self.asked for name in asked.promise.carry))


@dataclass(frozen=True, eq=False)
class Ground:
    """The records of a piece on which classes are mended."""

    terms: Terms
    piece: Piece
    land: Land
    spread: Spread | None

    @classmethod
    def of(cls, terms: Terms, piece: Piece) -> Ground:
        """Prepare a piece."""
        rows, costs, spread = piece.rows, distances(terms.schema, terms.moments), None
        ready = Prepared.of(rows.lo, rows.hi, rows.table, rows.offsets, costs)
        if terms.close is not None:
            bins = terms.close.bins(piece.columns, terms.schema, terms.reference)
            spread = Spread.of(bins, terms.reference[1], terms.close.t)
        return cls(terms, piece, Land(ready.lower, ready.upper, dearest(costs)), spread)

    def _quick(self, asked: Asked) -> tuple[Asked, Mapping[Carry, NDArray[np.int32]]]:
        """Give a promise, and what it looks at, in a form that takes less to measure, if there is one."""
        close, spread = self.terms.close, self.spread
        if close is None or spread is None or asked is not self.terms.asked[self.terms.ordered]:
            return asked, self.piece.columns
        counts = spread.counts
        promise = replace(
            asked.promise,
            carry=("bins",),
            level=lambda classes: ordered_distance(classes.columns["bins"], classes.starts, counts),
        )
        return replace(asked, promise=promise), {"bins": spread.bins}

    @property
    def rows(self) -> int:
        """How many records there are."""
        return int(self.piece.rows.lo.shape[0])

    def some(self, chosen: Labels) -> Ground:
        """Give some of the records."""
        lo = gather_rows(self.piece.rows.lo, chosen)
        hi = lo if self.piece.rows.hi is self.piece.rows.lo else gather_rows(self.piece.rows.hi, chosen)
        columns = {name: values[chosen] for name, values in self.piece.columns.items()}
        return Ground.of(self.terms, Piece(replace(self.piece.rows, lo=lo, hi=hi), columns))

    def kept(self, labels: Labels, groups: int) -> NDArray[np.bool_]:
        """Tell which classes keep all promises."""
        order, starts = by_label(labels, groups)
        good = np.ones(groups, bool)
        for asked in self.terms.asked:
            quick, columns = self._quick(asked)
            promise = quick.promise
            good &= promise.met(promise.level(Classes(starts, {name: columns[name][order] for name in promise.carry})))
        return good

    @property
    def ways(self) -> tuple[Way, ...]:
        """The ways in which classes may be mended here."""
        return ("join",) if self.spread is None else ("trade", "join")

    def mended(self, labels: Labels, groups: int, way: Way, effort: Trading) -> Found:
        """Bring classes to keep all promises, as far as the piece allows.

        To ``trade``, records change places first, and what still fails finds a partner, which suits large classes. To
        ``join`` is the other way round, which suits small ones: few changes of places would make good ones of them.
        """
        if way == "trade":
            labels = self._traded(labels, groups, effort)
        labels, groups = self._joined(labels, groups)
        if way == "join" and self.spread is not None:
            labels, groups = self._joined(self._traded(labels, groups, effort), groups)
        return Found(labels, groups, self.cost(labels, groups))

    def polished(self, found: Found, effort: Trading) -> Found:
        """Let records of classes that keep all promises change places."""
        if self.spread is None or effort.passes == 0:
            return found
        labels, groups = self._joined(self._traded(found.labels, found.groups, effort), found.groups)
        return min(found, Found(labels, groups, self.cost(labels, groups)), key=lambda one: one.cost)

    def _joined(self, labels: Labels, groups: int) -> tuple[Labels, int]:
        """Join classes until none breaks a promise, or one is left."""
        before = -1
        while before != groups:
            before = groups
            for asked in self.terms.asked:
                quick, columns = self._quick(asked)
                labels, groups = joined_with_partners(self.land, columns, labels, groups, quick)
            if len(self.terms.asked) == 1:
                break
        return labels, groups

    def _traded(self, labels: Labels, groups: int, effort: Trading) -> Labels:
        """Let records change places between classes that are not too large for that."""
        assert self.spread is not None
        order, starts = by_label(labels, groups)
        sizes = np.diff(starts)
        small = sizes <= TRADING
        seats = np.flatnonzero(np.repeat(small, sizes))
        members = np.ascontiguousarray(order[seats]), starts_of(sizes[small])
        order[seats] = trade(self.land.lower, self.land.full, members, self.spread, effort)
        found = np.empty_like(labels)
        found[order] = np.repeat(np.arange(groups, dtype=np.int32), sizes)
        return found

    def cost(self, labels: Labels, groups: int) -> float:
        """Give what all records cost: the loss of Eq. 3 where that is the aim, else what hilbert makes small."""
        rows, costs, known = self.piece.rows, self.terms.costs, self.terms.moments
        if costs.squared:
            members = by_label(labels, groups)
            low, high = hulls(rows.lo, rows.hi, members)
            limits = known.deviation, known.lowest, known.highest, rows.table, rows.offsets
            return float(loss(rows.lo, rows.hi, low, high, members, *limits)[0])
        ready = Prepared.of(rows.lo, rows.hi, rows.table, rows.offsets, costs)
        nothing = Promises(1, None, (), np.empty((labels.size, 0), np.int32))
        return settle(ready, labels, groups, nothing, 0)[1]


def least_size(models: Sequence[PrivacyModel], k: int) -> int:
    """Give the fewest records of a class that can keep all promises."""
    sizes = [k]
    for model in models:
        if hasattr(model, "l"):
            sizes.append(math.ceil(model.l - 1e-9))
        if hasattr(model, "alpha"):
            sizes.append(math.ceil(1 / model.alpha - 1e-9))
    return max(sizes)
