"""Repair of classes that break constraints on confidential values, at little cost: swaps and merges."""

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
from shoal.kernels.constraints import Constraints
from shoal.kernels.grouping import by_label, starts_of
from shoal.kernels.lattice import reassign
from shoal.kernels.partition import Costs, Prepared, dearest
from shoal.kernels.spans import hulls, loss
from shoal.kernels.swapping import Spread, SwapEffort, swap_records
from shoal.methods.partitioning.hilbert_order import standardized_costs
from shoal.methods.partitioning.merge_failing import promise_of
from shoal.methods.search.greedy_merging import Coordinates, Requirement, merge_greedily
from shoal.methods.search.level_search import some_of
from shoal.models import PrivacyModel
from shoal.models.alpha_k import AlphaK
from shoal.models.k_anonymity import KAnonymity
from shoal.models.k_map import KMap
from shoal.models.t_closeness import TCloseness, ordered_closeness
from shoal.schema import Schema
from shoal.table import Carry, Classes, Table

Strategy = Literal["swap", "merge"]
SWAPPING = 128  # the most records of a class that swaps: beyond, one record changes little


class Solution(NamedTuple):
    """Classes, and what all records cost in them."""

    labels: Labels
    groups: int
    cost: float


@dataclass(frozen=True, eq=False)
class Requirements:
    """What classes are to keep, and what they cost: small enough to be sent to where the records are."""

    schema: Schema
    moments: Moments
    costs: Costs
    required: tuple[Requirement, ...]
    close: TCloseness | None
    reference: Any
    ordered: int  # which of the promises it is that is about an order

    @classmethod
    def of(cls, table: Table, models: Sequence[PrivacyModel], moments: Moments, costs: Costs) -> Requirements:
        """Take all models but a number of records, which every class has from the beginning and does not lose."""
        people = table.schema.subject is not None
        kept = [model for model in models if people or not isinstance(model, KAnonymity)]
        required = tuple(Requirement(promise_of(model, table), model.promised) for model in kept)
        close = None if people else ordered_closeness(table.schema, models)
        reference = None if close is None else close.reference(table)
        ordered = -1 if close is None else [model is close for model in kept].index(True)
        return cls(table.schema, moments, costs, required, close, reference, ordered)

    @property
    def carry(self) -> tuple[Carry, ...]:
        """What must be known of records."""
        return tuple(dict.fromkeys(name for required in self.required for name in required.promise.carry))


@dataclass(frozen=True, eq=False)
class RepairProblem:
    """The records of a piece on which classes are repaired."""

    requirements: Requirements
    piece: Piece
    coordinates: Coordinates
    spread: Spread | None

    @classmethod
    def of(cls, requirements: Requirements, piece: Piece) -> RepairProblem:
        """Prepare a piece."""
        rows, costs, spread = piece.rows, standardized_costs(requirements.schema, requirements.moments), None
        ready = Prepared.of(rows.lo, rows.hi, rows.table, rows.offsets, costs)
        if requirements.close is not None:
            bins = requirements.close.bins(piece.columns, requirements.schema, requirements.reference)
            spread = Spread.of(bins, requirements.reference[1], requirements.close.t)
        return cls(requirements, piece, Coordinates(ready.lower, ready.upper, dearest(costs)), spread)

    def _quick(self, required: Requirement) -> tuple[Requirement, Mapping[Carry, NDArray[np.int32]]]:
        """Give a promise, and what it looks at, in a form that takes less to measure, if there is one."""
        close, spread = self.requirements.close, self.spread
        if close is None or spread is None or required is not self.requirements.required[self.requirements.ordered]:
            return required, self.piece.columns
        counts = spread.counts
        promise = replace(
            required.promise,
            carry=("bins",),
            level=lambda classes: ordered_distance(classes.columns["bins"], classes.starts, counts),
        )
        return replace(required, promise=promise), {"bins": spread.bins}

    @property
    def rows(self) -> int:
        """How many records there are."""
        return int(self.piece.rows.lo.shape[0])

    def some(self, chosen: Labels) -> RepairProblem:
        """Give some of the records."""
        columns = {name: values[chosen] for name, values in self.piece.columns.items()}
        return RepairProblem.of(self.requirements, Piece(some_of(self.piece.rows, chosen), columns))

    def kept(self, labels: Labels, groups: int) -> NDArray[np.bool_]:
        """Tell which classes keep all promises."""
        order, starts = by_label(labels, groups)
        good = np.ones(groups, bool)
        for required in self.requirements.required:
            quick, columns = self._quick(required)
            promise = quick.promise
            good &= promise.met(promise.level(Classes(starts, {name: columns[name][order] for name in promise.carry})))
        return good

    @property
    def strategies(self) -> tuple[Strategy, ...]:
        """The ways in which classes may be repaired here."""
        return ("merge",) if self.spread is None else ("swap", "merge")

    def repaired(self, labels: Labels, groups: int, strategy: Strategy, effort: SwapEffort) -> Solution:
        """Bring classes to keep all promises, as far as the piece allows.

        To ``swap``, records change places first, and what still fails is merged, which suits large classes. To
        ``merge`` is the other way round, which suits small ones: few swaps would make good ones of them.
        """
        if strategy == "swap":
            labels = self._swapped(labels, groups, effort)
        labels, groups = self._merged(labels, groups)
        if strategy == "merge" and self.spread is not None:
            labels, groups = self._merged(self._swapped(labels, groups, effort), groups)
        return Solution(labels, groups, self.cost(labels, groups))

    def polished(self, found: Solution, effort: SwapEffort) -> Solution:
        """Let records of classes that keep all promises change places."""
        if self.spread is None or effort.passes == 0:
            return found
        labels, groups = self._merged(self._swapped(found.labels, found.groups, effort), found.groups)
        return min(found, Solution(labels, groups, self.cost(labels, groups)), key=lambda one: one.cost)

    def _merged(self, labels: Labels, groups: int) -> tuple[Labels, int]:
        """Merge classes until none breaks a promise, or one is left."""
        before = -1
        while before != groups:
            before = groups
            for required in self.requirements.required:
                quick, columns = self._quick(required)
                labels, groups = merge_greedily(self.coordinates, columns, labels, groups, quick)
            if len(self.requirements.required) == 1:
                break
        return labels, groups

    def _swapped(self, labels: Labels, groups: int, effort: SwapEffort) -> Labels:
        """Let records change places between classes that are not too large for that."""
        assert self.spread is not None
        order, starts = by_label(labels, groups)
        sizes = np.diff(starts)
        small = sizes <= SWAPPING
        inside = np.flatnonzero(np.repeat(small, sizes))
        members = np.ascontiguousarray(order[inside]), starts_of(sizes[small])
        order[inside] = swap_records(self.coordinates.lower, self.coordinates.full, members, self.spread, effort)
        found = np.empty_like(labels)
        found[order] = np.repeat(np.arange(groups, dtype=np.int32), sizes)
        return found

    def cost(self, labels: Labels, groups: int) -> float:
        """Give what all records cost: the loss of Eq. 3 where that is the aim, else what hilbert makes small."""
        rows, costs, known = self.piece.rows, self.requirements.costs, self.requirements.moments
        if costs.squared:
            members = by_label(labels, groups)
            low, high = hulls(rows.lo, rows.hi, members)
            limits = known.deviation, known.lowest, known.highest, rows.table, rows.offsets
            return float(loss(rows.lo, rows.hi, low, high, members, *limits)[0])
        ready = Prepared.of(rows.lo, rows.hi, rows.table, rows.offsets, costs)
        nothing = Constraints(1, None, (), np.empty((labels.size, 0), np.int32))
        return reassign(ready, labels, groups, nothing, 0)[1]


def least_size(models: Sequence[PrivacyModel], k: int) -> int:
    """Give the fewest records of a class that can keep all promises."""
    sizes = [k]
    for model in models:
        if hasattr(model, "l"):
            sizes.append(math.ceil(model.l - 1e-9))
        if isinstance(model, AlphaK):
            sizes.append(math.ceil(1 / model.alpha - 1e-9))
        if isinstance(model, KMap):
            sizes.append(1 if model.outside else model.least)
    return max(sizes)
