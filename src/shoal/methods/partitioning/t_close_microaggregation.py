"""t-closeness through microaggregation: what three methods share, which merge classes that are too far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Labels
from shoal.engines.values import Piece, Promise
from shoal.kernels.grouping import by_label
from shoal.kernels.microaggregation import Points, mdav
from shoal.methods import required_model
from shoal.methods.partitioning import Publisher, describe_publication
from shoal.methods.partitioning.hilbert_order import hilbert_keys
from shoal.methods.partitioning.merge_failing import promise_of
from shoal.methods.partitioning.metric_points import MetricSpace, in_line
from shoal.models import PrivacyModel
from shoal.models.k_anonymity import KAnonymity
from shoal.models.t_closeness import TCloseness, ordered_closeness
from shoal.table import Carry, Classes, Table

# Forms classes of the records of a piece, which are also given as points.
PieceClustering = Callable[[Piece, Points], tuple[Labels, int]]


@dataclass(frozen=True)
class Plan:
    """How classes are formed: what is done with a piece, what it needs to know of each record, and which go together.

    ``keys`` are asked for only where a table is taken in pieces; None leaves that to the curve.
    """

    form: PieceClustering
    carry: tuple[Carry, ...] = ()
    keys: Callable[[], list[Any]] | None = None


@dataclass(frozen=True)
class TCloseMicroaggregation(Publisher):
    """Form classes by microaggregation, and join those that miss t with the class whose mean is nearest.

    Classes of k are formed by MDAV, unless ``plan`` and ``done`` say otherwise. ``model`` is the t-closeness of an
    attribute that has an order, if it was asked for.
    """

    enforces: ClassVar[tuple[str, ...]] = ("k-anonymity", "t-closeness", "l-diversity", "alpha-k")

    def plan(self, table: Table, k: int, model: TCloseness | None) -> Plan:
        """Say how classes are formed."""

        def form(piece: Piece, points: Points) -> tuple[Labels, int]:
            rows = piece.rows.lo.shape[0]
            return mdav(points, k, np.arange(rows, dtype=np.int32), np.array([0, rows], np.int64))

        return Plan(form)

    def done(self, table: Table, k: int, model: TCloseness | None) -> str:
        """Say how classes were formed: the beginning of a sentence."""
        return f"Formed classes of {k} from {table.rows:,} records by microaggregation (MDAV)"

    def apply(self, table: Table, models: Sequence[PrivacyModel], seed: int) -> Table:
        """Form the classes, join those that miss t, then those that break another promise, and publish them."""
        least = required_model(models, KAnonymity, self.name)
        least.demand(table.rows, None)
        space, plan = MetricSpace.of(table), self.plan(table, least.k, ordered_closeness(table.schema, models))
        promises = [promise_of(model, table) for model in models if isinstance(model, TCloseness)]
        form = plan.form  # alone: what is asked for on the way to the keys stays here

        def kernel(piece: Piece) -> Labels:
            points = space.points(piece.rows)
            labels, groups = form(piece, points)
            for promise in promises:
                labels, groups = merge_with_nearest(piece, points, labels, groups, promise)
            return in_line(points, labels, groups)

        carry = dict.fromkeys([*plan.carry, *(item for promise in promises for item in promise.carry)])
        keys = plan.keys or (lambda: hilbert_keys(table, space.moments))
        labels, groups = table.map_blocks(keys, least.k, kernel, tuple(carry), ordered=False)
        return self.release_merged(table, labels, groups, models)

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say what is done."""
        k, model = required_model(models, KAnonymity, self.name).k, ordered_closeness(table.schema, models)
        merged = "joined classes that missed a promise with the nearest"
        return f"{self.done(table, k, model)}, {merged}, and {describe_publication(self.publish)}."


def merge_with_nearest(
    piece: Piece, points: Points, labels: Labels, groups: int, promise: Promise
) -> tuple[Labels, int]:
    """Join the class that is farthest from the table with the class whose mean is nearest, until all are within t.

    Where a piece is all of a table its records together have no distance from it; otherwise they may be left as one
    class that is merged with others.
    """
    order, starts = by_label(labels, groups)

    def levels(rows: Labels, starts: NDArray[np.int64]) -> NDArray[np.float64]:
        return promise.level(Classes(starts, {item: piece.columns[item][rows] for item in promise.carry}))

    level = levels(order, starts)
    members = np.split(order, starts[1:-1])
    centres = np.array([_centre(points, rows) for rows in members])
    into = np.arange(groups, dtype=np.int32)
    for _ in range(groups - 1):
        worst = int(level.argmax())
        if promise.met(level[[worst]])[0]:
            break
        gaps = _gaps(points, centres, centres[worst])
        gaps[worst] = np.inf
        nearest = int(gaps.argmin())
        members[nearest] = np.concatenate([members[nearest], members[worst]])
        level[nearest] = levels(members[nearest], np.array([0, members[nearest].size], np.int64))[0]
        centres[nearest] = _centre(points, members[nearest])
        centres[worst, :], level[worst], into[worst] = np.inf, -1.0, nearest
    while not np.array_equal(into, further := into[into]):
        into = further
    left, numbers = np.unique(into, return_inverse=True)
    return numbers.reshape(-1).astype(np.int32)[labels], left.size


def _centre(points: Points, rows: Labels) -> NDArray[np.float64]:
    """Give the mean of numbers, and the most frequent of categories, the lowest of several."""
    cells = points.cells[rows]
    middle: NDArray[np.float64] = cells.mean(axis=0)
    for j in range(points.numbers, cells.shape[1]):
        middle[j] = np.bincount(cells[:, j].astype(np.int64)).argmax()
    return middle


def _gaps(points: Points, centres: NDArray[np.float64], one: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the squared distances of middles from one of them; those at infinity are no more."""
    numbers = points.numbers
    gaps: NDArray[np.float64] = ((centres[:, :numbers] - one[:numbers]) ** 2).sum(axis=1)
    gaps += (centres[:, numbers:] != one[numbers:]) @ points.weights[numbers:]
    gaps[np.isinf(centres[:, 0])] = np.inf
    return gaps
