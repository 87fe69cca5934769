"""Search of the generalization lattice for classes, and what becomes of records that are in none."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from shoal.arrays import Labels
from shoal.engines.values import Spans
from shoal.kernels.constraints import Constraints
from shoal.kernels.grouping import gather_rows
from shoal.kernels.lattice import cheapest_nodes, classes_at_nodes, reassign
from shoal.kernels.partition import Costs, Effort, Prepared, partition
from shoal.methods.search.generalization_levels import levels_of

BEARABLE = (
    0.5  # the share of records that may break constraints where they grew; with more, the lattice is the better start
)


@dataclass(frozen=True)
class Search:
    """How far to look: how many nodes of the lattice, how often records are looked at, and rounds of reassignment."""

    nodes: int
    looks: int
    rounds: int

    @classmethod
    def of(cls, looks: int) -> Search:
        """Look at each record so often, on enough nodes to choose from."""
        looks = max(16, min(looks, 1 << 16))
        return cls(min(16 * looks, 1 << 17), looks, max(1, min(looks >> 7, 16)))


def search_levels(
    rows: Spans, costs: Costs, constraints: Constraints, effort: Effort, search: Search, size: int
) -> Labels:
    """Give the class of each row; rows that no class can take and keep all constraints are put somewhere.

    Classes grow to a size that may be larger than they must be.

    The lattice is searched where little is lost first. Where not every column has a hierarchy, classes are also grown
    as in tables without any, and the better of the two is taken; without any hierarchy, it is searched only where too
    many records break constraints in the classes that grew.
    """
    ready = Prepared.of(rows.lo, rows.hi, rows.table, rows.offsets, costs)
    found, least = np.full(rows.lo.shape[0], -1, np.int32), math.inf
    if costs.ranged.size or not all(costs.trees):
        everyone = np.arange(found.size, dtype=np.int32)
        labels = grow_classes(rows, costs, replace(constraints, k=size), effort, everyone)
        groups = int(labels.max()) + 1
        found, least = reassign(ready, labels, groups, constraints, search.rounds, BEARABLE)
    if any(costs.trees) or least == math.inf:
        labels, groups = _equal_at_nodes(rows, ready, constraints, effort, search)
        bearable = 1.0 if least == math.inf else BEARABLE
        other, cost = reassign(ready, labels, groups, constraints, search.rounds, bearable)
        found = other if cost <= least else found
    return np.zeros_like(found) if (found < 0).all() else found


def _equal_at_nodes(
    rows: Spans, ready: Prepared, constraints: Constraints, effort: Effort, search: Search
) -> tuple[Labels, int]:
    """Form classes at nodes of the lattice; without further constraints, what is in none grows into classes."""
    columns = levels_of(ready)
    nodes = cheapest_nodes(columns, search.nodes)
    labels, groups = classes_at_nodes(columns, nodes, constraints, search.looks * rows.lo.shape[0])
    rest = np.flatnonzero(labels < 0).astype(np.int32)
    if not constraints.confidential and rest.size >= constraints.k:
        labels[rest] = groups + grow_classes(rows, ready.costs, constraints, effort, rest)
        groups = int(labels.max()) + 1
    return labels, groups


def grow_classes(rows: Spans, costs: Costs, constraints: Constraints, effort: Effort, some: Labels) -> Labels:
    """Form classes of some rows as if their columns had no hierarchies."""
    taken, persons = some_of(rows, some), None if constraints.persons is None else constraints.persons[some]
    return partition(taken.lo, taken.hi, rows.table, rows.offsets, costs, persons, constraints.k, effort)


def some_of(rows: Spans, chosen: Labels) -> Spans:
    """Give some of the rows."""
    lo = gather_rows(rows.lo, chosen)
    return replace(rows, lo=lo, hi=lo if rows.hi is rows.lo else gather_rows(rows.hi, chosen))
