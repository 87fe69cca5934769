"""Classes from crowds that are there already, and what becomes of records that are in none."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from shoal.arrays import Labels
from shoal.engines.values import Spans
from shoal.kernels.constraints import Promises
from shoal.kernels.grouping import gather_rows
from shoal.kernels.lattice import cheapest_steps, crowds, settle
from shoal.kernels.partition import Costs, Effort, Prepared, partition
from shoal.methods.search.generalization_levels import ladders_of

BEARABLE = 0.5  # the share of records that may break promises where they grew; with more, crowds are the better start


@dataclass(frozen=True)
class Search:
    """How far to look: how many combinations of levels, how often records are looked at, and rounds of settling."""

    steps: int
    looks: int
    rounds: int


def gathered(rows: Spans, costs: Costs, promises: Promises, effort: Effort, search: Search, size: int) -> Labels:
    """Give the class of each row; rows that no class can take and keep all promises are put somewhere.

    Classes grow to a size that may be larger than they must be.

    Crowds are looked for where little is lost first. Where not every column has a hierarchy, classes are also grown
    as in tables without any, and the better of the two is taken; without any hierarchy, crowds are looked for only
    where too many records break promises in the classes that grew.
    """
    ready = Prepared.of(rows.lo, rows.hi, rows.table, rows.offsets, costs)
    found, least = np.full(rows.lo.shape[0], -1, np.int32), math.inf
    if costs.ranged.size or not all(costs.trees):
        everyone = np.arange(found.size, dtype=np.int32)
        labels = grown(rows, costs, replace(promises, k=size), effort, everyone)
        groups = int(labels.max()) + 1
        found, least = settle(ready, labels, groups, promises, search.rounds, BEARABLE)
    if any(costs.trees) or least == math.inf:
        labels, groups = _crowds(rows, ready, promises, effort, search)
        bearable = 1.0 if least == math.inf else BEARABLE
        other, cost = settle(ready, labels, groups, promises, search.rounds, bearable)
        found = other if cost <= least else found
    return np.zeros_like(found) if (found < 0).all() else found


def _crowds(rows: Spans, ready: Prepared, promises: Promises, effort: Effort, search: Search) -> tuple[Labels, int]:
    """Look for crowds; without further promises, what is in none grows into classes."""
    ladders = ladders_of(ready)
    steps = cheapest_steps(ladders, search.steps)
    labels, groups = crowds(ladders, steps, promises, search.looks * rows.lo.shape[0])
    rest = np.flatnonzero(labels < 0).astype(np.int32)
    if not promises.promises and rest.size >= promises.k:
        labels[rest] = groups + grown(rows, ready.costs, promises, effort, rest)
        groups = int(labels.max()) + 1
    return labels, groups


def grown(rows: Spans, costs: Costs, promises: Promises, effort: Effort, some: Labels) -> Labels:
    """Form classes of some rows as where nothing is above their values."""
    lo = gather_rows(rows.lo, some)
    hi = lo if rows.hi is rows.lo else gather_rows(rows.hi, some)
    persons = None if promises.persons is None else promises.persons[some]
    return partition(lo, hi, rows.table, rows.offsets, costs, persons, promises.k, effort)
