"""Classes along the Hilbert curve: neighbours in all quasi-identifiers, not in one distance only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, get_args

import numpy as np

from shoal.arrays import Labels
from shoal.domains.axis import Axis
from shoal.engines.distances import distances_between
from shoal.engines.range_splits import piece_count
from shoal.engines.values import Moments, Piece, Spans
from shoal.errors import ParameterError
from shoal.kernels.constraints import Constraints
from shoal.kernels.grouping import by_label, count_distinct, label_rows
from shoal.kernels.partition import Costs, Effort, TreeCosts, number_by_first
from shoal.kernels.swapping import SwapEffort
from shoal.methods import required_model
from shoal.methods.partitioning import Partitioner, refuse_other
from shoal.methods.partitioning.hilbert_order import (
    hilbert_key_functions,
    hilbert_keys,
    inverse,
    limits,
    standardized_costs,
)
from shoal.methods.partitioning.metric_points import MetricSpace
from shoal.methods.search.algorithm_selection import HASTE, Choice
from shoal.methods.search.baselines import FEW, baseline_partitions
from shoal.methods.search.constraint_repair import RepairProblem, Requirements, least_size
from shoal.methods.search.level_search import Search, grow_classes, search_levels, some_of
from shoal.methods.search.model_constraints import ModelConstraints
from shoal.methods.search.stratified_classes import classes_from_strata, match_classes, strata_needed
from shoal.methods.search.univariate_ranges import best_cut, can_be_cut
from shoal.methods.stratified_clusters import class_size
from shoal.models import PrivacyModel, check
from shoal.models.across_rows import AcrossRows
from shoal.models.k_anonymity import KAnonymity
from shoal.models.people import subject_of
from shoal.models.t_closeness import ordered_closeness
from shoal.schema import Schema
from shoal.table import Column, Ranked, Table

Objective = Literal["loss", "certainty"]

# Each step takes up to five times as long as the one before.
EFFORTS = (Effort(64), Effort(256), Effort(512, 2, 1), Effort(2048, 4, 3), Effort(4096, 8, 8), Effort(8192, 8, 8))
SEARCHES = (
    Search(1 << 8, 16, 1), Search(1 << 10, 64, 1), Search(1 << 12, 256, 2), Search(1 << 14, 1024, 4),
    Search(1 << 15, 2048, 8), Search(1 << 16, 4096, 16),
)  # fmt: skip
# With hierarchies, and k alone: how many records are looked at by quality, added up over the nodes of the lattice.
LOOKS = (None, 1 << 30, 1 << 32, 1 << 34)
# With t-closeness: each step takes two to four times as long as the one before.
SWAPS = (SwapEffort(32, 1, 0.5), SwapEffort(32, 2, 0.5), SwapEffort(64, 4, 0.2), SwapEffort(128, 8, 0.05))
POLISH = tuple(replace(effort, passes=max(1, effort.passes - 1), turn=1) for effort in SWAPS)
SMALL = (1 << 18, 1 << 16)  # records; below each a step more costs little
HASTY = 2  # the most effort where ways are only tried
STRATA = (0.8, 0.8, 0.65, 0.6)  # what they cost in the end, as a share of what they cost among a few records in haste
FAILING = 0.02  # the share of classes that may break a promise before it is repaired for the whole table
CLASSES = 16  # that a block has room for, however large k is


@dataclass(frozen=True)
class Hilbert(Partitioner):
    """k-anonymity with far less loss than Algorithm S2: classes of records that are alike in every attribute.

    Records are sorted along a Hilbert curve through the standardized quasi-identifiers and taken in blocks. In each
    block classes are formed in two ways, and the cheaper is kept: by cutting the order at the best places into classes
    of k to 2k-1, and by growing boxes, one around the record that is farthest from the class before, by the record
    that makes it dearest by least, until it has k. Records with the same cells missing are kept together. With a
    ``subject`` column, classes grow by different people.

    With hierarchies, the generalization lattice is searched: at each node, the cheapest first, records that it makes
    equal become a class if they are enough. Then each record is reassigned to the cheapest class that covers it, and
    classes are given up that are not worth their price. l-diversity, (α, k)-anonymity and t-closeness of categories are
    constraints while classes are formed: of a class that breaks one, the records that stand in the way go on to the
    next level, and those that fit nowhere gather others. What still breaks a promise is merged with its neighbours
    along the curve.

    Where more is promised than k, classes are formed in several ways and sizes, from k on, and those are kept that lose
    least. Classes that miss a promise are merged greedily with those that help them most for what it costs. With
    t-closeness of an attribute that has an order, records are swapped between neighbouring classes, before or after,
    where that loses less and both come within t or stay there; and another way to form classes is to take as many
    records from each stratum of it, as in Algorithm S4, but matched in all quasi-identifiers. In large tables ways and
    sizes are tried on a sample. A single attribute with exact cells is partitioned optimally; and of up to 1,024
    records classes are also formed as `MDAV`, `VMDAV` and `Mondrian` would.

    Parameters
    ----------
    publish
        What a class shows: ``range``, ``mean``, ``median`` or ``mode`` of its cells (see `Publisher`).
    keep_exact
        Whether records that share all quasi-identifiers with k-1 others are released as they are. They are touched
        only if all other records are too few for a class, if they break another promise, or where less is lost in all
        if they join others: of a single attribute, and among up to 1,024 records.
    objective
        What is to be small: ``loss``, the information loss of Eq. 3, or ``certainty``, the normalized certainty
        penalty that `granularity` measures. With hierarchies it is the latter in any case.
    quality
        How hard to look, from 0 (fastest) to 3: larger blocks, and from 2 on classes are divided anew with their
        neighbours where that helps. Small tables are given one or two steps more, which costs them little.

    References
    ----------
    G. Ghinita, P. Karras, P. Kalnis, N. Mamoulis: Fast data anonymization with low information loss, VLDB 2007.
    J. Skilling: Programming the Hilbert curve, AIP Conference Proceedings 707, 2004, doi:10.1063/1.1751381.
    J. Domingo-Ferrer, J. M. Mateo-Sanz: Practical data-oriented microaggregation for statistical disclosure control,
    IEEE TKDE 14(1), 2002, doi:10.1109/69.979982.
    F. Prasser, R. Bild, J. Eicher, H. Spengler, F. Kohlmayer, K. A. Kuhn: Lightning: Utility-driven anonymization of
    high-dimensional data, Transactions on Data Privacy 9(2), 2016.
    """

    name: ClassVar[str] = "hilbert"
    keep_exact: bool = True
    objective: Objective = "loss"
    quality: int = 1

    def __post_init__(self) -> None:
        """Refuse what is not offered."""
        super().__post_init__()
        refuse_other(self.objective, get_args(Objective), "hilbert makes small")
        if not isinstance(self.keep_exact, bool):
            raise ParameterError("keep_exact is yes or no.", "Give true or false.")
        if isinstance(self.quality, bool) or self.quality not in range(len(EFFORTS) - len(SMALL)):
            raise ParameterError("The quality is a whole number from 0 to 3.", "Choose 1 if in doubt.")

    def formed(self, table: Table, models: Sequence[PrivacyModel]) -> Table:
        """Form the classes and publish them; where more is promised than k, in several ways, and the cheapest."""
        k = required_model(models, KAnonymity, self.name)
        k.demand(table.rows, None)
        if table.schema.subject is None and len(models) == 1:
            return self.released(table, *self._formed(table, k.k))
        models = [k, *(model for model in models if model is not k)]
        of_classes = [model for model in models if not isinstance(model, AcrossRows)]
        *others, last = self._ways(table, k.k, of_classes)
        usable = [way for way in others if self._nearly_kept(table, way, of_classes)]
        found = [self.release_merged(table, *way, models) for way in (*usable, last)]
        return found[0] if len(found) == 1 else min(found, key=lambda one: float(distances_between(table, one)[0]))

    def _nearly_kept(self, table: Table, way: tuple[Column, int], models: Sequence[PrivacyModel]) -> bool:
        """Tell whether few classes break a promise: to join many takes long, and loses more than another way does."""
        return all(one.failing <= FAILING * one.classes for one in check(self.released(table, *way), models))

    def partition(self, table: Table, k: int, *, lined: bool) -> tuple[Column, int]:
        """Form classes along the curve; their numbers follow it in any case."""
        return self._formed(table, k)

    def _ways(self, table: Table, k: int, models: Sequence[PrivacyModel]) -> Iterator[tuple[Column, int]]:
        """Form classes that keep what is promised as far as they can: among neighbours along the curve, or by strata.

        Where a table is one piece strata are tried among neighbours too. Otherwise the pieces of the one are not those
        of the other, and with a subject column strata do not count people.
        """
        moments, close = table.moments(), ordered_closeness(table.schema, models)
        effort = min(self.quality + (table.rows < SMALL[1]), len(SWAPS) - 1)
        yield self._repaired_in_pieces(table, k, models, moments, effort)
        if close is None or (table.schema.subject is None and piece_count(table.rows, k) == 1):
            return
        size = class_size(table.rows, models)
        if strata_needed(close.t, size) > 1:
            costs = standardized_costs(table.schema, moments)
            yield match_classes(table, close, size, hilbert_key_functions(table, moments, costs), costs, SWAPS[effort])

    def _repaired_in_pieces(
        self, table: Table, k: int, models: Sequence[PrivacyModel], moments: Moments, effort: int
    ) -> tuple[Column, int]:
        """Form classes of several sizes along the curve, repair them in several ways, and keep the cheapest."""
        costs, counted = costs_of(table.schema, moments, self.objective), ModelConstraints.of(table, models)
        requirements = Requirements.of(table, models, moments, costs)
        subject, rows, level = table.schema.subject, table.rows, self._level(table.rows)
        close, strata_from, least = requirements.close, class_size(table.rows, models), least_size(models, k)
        polish = POLISH[effort] if rows < SMALL[0] or self.quality > 1 else replace(POLISH[effort], passes=0)
        strata_follow = close is not None and strata_needed(close.t, strata_from) > 1
        rank = None if close is None else Ranked(close.confidential(table.schema))

        def formed(problem: RepairProblem, size: int, constraints: Constraints, *, haste: bool) -> tuple[Labels, int]:
            how = min(level, HASTY) if haste else level
            labels = _classes(problem.piece, costs, constraints, how, size, problem if self.keep_exact else None)
            return labels, number_by_first(labels, labels.size + 1)

        def unconstrained(problem: RepairProblem, size: int, haste: bool) -> tuple[Labels, int]:
            return formed(problem, size, ModelConstraints().within(problem.piece, size, subject), haste=haste)

        def constrained(problem: RepairProblem, size: int, haste: bool) -> tuple[Labels, int]:
            return formed(problem, size, counted.within(problem.piece, size, subject), haste=haste)

        def by_strata(problem: RepairProblem, size: int, haste: bool) -> tuple[Labels, int] | None:
            if close is None or rank is None:
                return None
            swaps = HASTE if haste else SWAPS[effort]
            return classes_from_strata(problem, close.t, size, problem.piece.columns[rank], swaps)

        def kernel(piece: Piece) -> Labels:
            problem = RepairProblem.of(requirements, piece)
            whole = close is not None and problem.rows == rows
            first, drawn = constrained if counted.constraints else None, by_strata if whole else None
            later = strata_follow and not whole
            choice = Choice(unconstrained, first, drawn, STRATA[effort], strata_follow=later, strata_from=strata_from)
            labels = choice.cheapest(problem, least, polish).labels
            number_by_first(labels, labels.size + 1)
            return labels

        carried = (*subject_of(table.schema), *counted.columns, *requirements.carry, *([] if rank is None else [rank]))
        keys = tuple(dict.fromkeys(carried))
        return table.map_blocks(lambda: hilbert_keys(table, moments, costs), k, kernel, keys, ordered=True)

    def _level(self, rows: int) -> int:
        return self.quality + sum(rows < limit for limit in SMALL)

    def _formed(self, table: Table, k: int) -> tuple[Column, int]:
        """Form classes of k."""
        moments = table.moments()
        costs = costs_of(table.schema, moments, self.objective)
        level, subject = self._level(table.rows), table.schema.subject

        looks = LOOKS[self.quality]
        search = None if looks is None else Search.of(looks // max(table.rows, 1))

        # Among few records others may do better by chance; the aim must be theirs too, and there is no subject column.
        few = table.rows <= FEW and costs.squared and subject is None
        space = MetricSpace.of(table) if few else None
        requirements = Requirements.of(table, [], moments, costs) if few else None

        def kernel(piece: Piece) -> Labels:
            counted = ModelConstraints().within(piece, k, subject)
            labels = _classes(piece, costs, counted, level, k, self.keep_exact, search)
            if space is None or requirements is None or can_be_cut(piece.rows, k):
                return labels
            problem = RepairProblem.of(requirements, piece)
            own = labels, int(labels.max()) + 1
            labels, _ = min((own, *baseline_partitions(space, piece.rows, k)), key=lambda way: problem.cost(*way))
            number_by_first(labels, labels.size + 1)
            return labels

        return table.map_blocks(
            lambda: hilbert_keys(table, moments, costs), k, kernel, subject_of(table.schema), ordered=True
        )

    def done(self, table: Table, k: int) -> str:
        """Say how classes were formed."""
        trees = any(table.schema[name].axis.tree for name in table.schema.quasi)
        aim = "information loss" if self.objective == "loss" and not trees else "certainty penalty"
        how = " from person_classes that levels of hierarchies made, or" if trees else ""
        kept = ", left records alone that had their like already" if self.keep_exact else ""
        return (
            f"Sorted {table.rows:,} records along a Hilbert curve{kept}, formed classes of at least {k}{how} with "
            f"little {aim} among neighbours"
        )


def costs_of(schema: Schema, moments: Moments, objective: Objective) -> Costs:
    """Say what cells cost: lengths in standard deviations for the loss of Eq. 3, in widths of the domain otherwise."""
    axes = [schema[name].axis for name in schema.quasi]
    if objective == "loss" and not any(axis.tree for axis in axes):
        return standardized_costs(schema, moments)
    lowest, highest = limits(schema, moments)
    named = np.array([j for j, axis in enumerate(axes) if axis.nominal or axis.tree], np.int64)
    sizes = np.array([len(axes[j].values) for j in named], np.int64)
    trees = tuple(_tree(axes[j]) for j in named)
    return Costs(inverse(highest - lowest), lowest, highest, named, sizes, squared=False, trees=trees)


def _tree(axis: Axis) -> TreeCosts | None:
    return None if axis.tree is None else TreeCosts(*axis.tree.tables).with_gaps()


def _classes(
    piece: Piece, costs: Costs, constraints: Constraints, level: int, size: int,
    keep_exact: RepairProblem | bool | None, search: Search | None = None,
) -> Labels:  # fmt: skip
    """Label the rows of a piece: first those that are alike already, then all others.

    Where more is promised than k, rows that are alike are merged like any other, unless they keep what is promised.
    """
    rows, k = piece.rows, constraints.k
    n = rows.lo.shape[0]
    effort = replace(EFFORTS[level], block=max(EFFORTS[level].block, CLASSES * size))
    usual = SEARCHES[level] if constraints.confidential or any(costs.trees) else None
    search = usual if usual is None or search is None else search
    if costs.squared and constraints.persons is None and not constraints.confidential and can_be_cut(rows, size):
        return best_cut(rows, size)
    labels, kept = np.full(n, -1, np.int32), 0
    if keep_exact and not constraints.confidential:
        labels, kept = _alike(rows, constraints.persons, k, None if keep_exact is True else keep_exact)
    rest = np.flatnonzero(labels < 0).astype(np.int32)
    if 0 < rest.size < size:
        labels, rest = _filled_up(labels, rest, kept, size)
    if rest.size:
        if search is None:
            found = grow_classes(rows, costs, replace(constraints, k=min(size, rest.size)), effort, rest)
        else:
            found = search_levels(some_of(rows, rest), costs, constraints.taken(rest), effort, search, size)
        labels[rest] = found + np.int32(kept)
    number_by_first(labels, n + 1)
    return labels


def _alike(rows: Spans, persons: Labels | None, k: int, problem: RepairProblem | None) -> tuple[Labels, int]:
    """Label the rows that share all their cells with k-1 others, and -1 the rest; also gives the number of labels."""
    labels, groups = label_rows(rows.lo, rows.hi, np.arange(rows.lo.shape[1]))
    sizes = np.bincount(labels, minlength=groups)
    if persons is not None:
        order, starts = by_label(labels, groups)
        codes, places = np.unique(persons[order], return_inverse=True)
        sizes = count_distinct(places.reshape(-1).astype(np.int32), starts, codes.size)
    enough = sizes >= k
    if problem is not None:
        enough &= problem.kept(labels, groups)
    numbers = np.where(enough, np.cumsum(enough) - 1, -1).astype(np.int32)
    return numbers[labels], int(enough.sum())


def _filled_up(labels: Labels, rest: Labels, groups: int, k: int) -> tuple[Labels, Labels]:
    """Take rows for a last class from the largest of the others: as many as it can spare, or all of them."""
    if groups == 0:
        return labels, rest
    largest = int(np.bincount(labels[labels >= 0], minlength=groups).argmax())
    there = np.flatnonzero(labels == largest)
    missing = k - rest.size
    taken = there[:missing] if there.size - missing >= k else there
    return labels, np.sort(np.concatenate([rest, taken])).astype(np.int32)
