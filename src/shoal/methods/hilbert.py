"""Classes along the Hilbert curve: neighbours in all quasi-identifiers, not in one distance only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, get_args

import numpy as np

from shoal.arrays import Labels
from shoal.domains.axis import Axis
from shoal.engines.distances import distances_between
from shoal.engines.pieces import pieces_of
from shoal.engines.values import Moments, Piece, Spans
from shoal.errors import ParameterError
from shoal.kernels.grouping import by_label, count_distinct, gather_rows, label_rows
from shoal.kernels.partition import Costs, Effort, Tree, number_by_first
from shoal.kernels.promises import Promises
from shoal.kernels.trading import Trading
from shoal.methods import wanted
from shoal.methods.along_curve import curve_through, distances, inverse, limits, ways_along
from shoal.methods.gathering import Search, gathered, grown
from shoal.methods.mending import Ground, Terms, least_size
from shoal.methods.one_attribute import best_cut, can_be_cut
from shoal.methods.partitioner import Partitioner, refuse_other
from shoal.methods.points import Space
from shoal.methods.promises import Sought
from shoal.methods.rivals import FEW, formed_by_others
from shoal.methods.strata import matched, strata_needed, taken_by_strata
from shoal.methods.stratified_clusters import class_size
from shoal.methods.trials import HASTE, Choice
from shoal.models import PrivacyModel, check
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
# With t-closeness: each step takes two to four times as long as the one before.
TRADES = (Trading(32, 1, 0.5), Trading(32, 2, 0.5), Trading(64, 4, 0.2), Trading(128, 8, 0.05))
POLISH = tuple(replace(trading, passes=max(1, trading.passes - 1), turn=1) for trading in TRADES)
SMALL = (1 << 18, 1 << 16)  # records; below each a step more costs little
HASTY = 2  # the most effort where ways are only tried
STRATA = (0.8, 0.8, 0.65, 0.6)  # what they cost in the end, as a share of what they cost among a few records in haste
STRAY = 0.02  # the share of classes that may break a promise before it is mended for the whole table
CLASSES = 16  # that a block has room for, however large k is


@dataclass(frozen=True)
class Hilbert(Partitioner):
    """k-anonymity with far less loss than Algorithm S2: classes of records that are alike in every attribute.

    Records are sorted along a Hilbert curve through the standardized quasi-identifiers and taken in blocks. In each
    block classes are formed in two ways, and the cheaper is kept: by cutting the order at the best places into classes
    of k to 2k-1, and by growing boxes, one around the record that is farthest from the class before, by the record
    that makes it dearest by least, until it has k. Records with the same cells missing are kept together. With a
    ``subject`` column, classes grow by different people.

    With hierarchies, crowds are used that are there already: for each combination of levels, the cheapest first, the
    records that it makes equal become a class if they are enough. Then each record goes to the cheapest class that
    covers it, and classes are given up that are not worth their price. l-diversity, (α, k)-anonymity and t-closeness
    of categories are kept while classes are formed: of a crowd that breaks one, the records that stand in the way go
    on to the next level, and those that fit nowhere gather others. What still breaks a promise is joined with its
    neighbours along the curve.

    Where more is promised than k, classes are formed in several ways and sizes, from k on, and those are kept that lose
    least. Classes that miss a promise are joined with those that help them most for what it costs. With t-closeness of
    an attribute that has an order, records change places between neighbouring classes, before or after, where that
    loses less and both come within t or stay there; and another way to form classes is to take as many records from
    each stratum of it, as in Algorithm S4, but matched in all quasi-identifiers. In large tables ways and sizes are
    tried on some of the records. A single attribute with exact cells is cut at the best places that there are; and of
    up to 1,024 records classes are also formed as `MDAV`, `VMDAV` and `Mondrian` would.

    Parameters
    ----------
    publish
        What a class shows: ``range`` from its smallest to its largest value, or set of its categories; ``mean`` or
        ``median`` of its numbers and dates, with the median of ordered categories and the most frequent of others;
        or ``mode``, the most frequent value of each attribute.
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

    def apply(self, table: Table, models: Sequence[PrivacyModel], seed: int) -> Table:
        """Form the classes and publish them; where more is promised than k, in several ways, and the cheapest."""
        k = wanted(models, KAnonymity, self.name)
        k.demand(table.rows, None)
        if table.schema.subject is None and len(models) == 1:
            return self.released(table, *self._formed(table, k.k))
        models = [k, *(model for model in models if model is not k)]
        *others, last = self._ways(table, k.k, models)
        usable = [way for way in others if self._nearly_kept(table, way, models)]
        found = [self.mended(table, *way, models) for way in (*usable, last)]
        return found[0] if len(found) == 1 else min(found, key=lambda one: float(distances_between(table, one)[0]))

    def _nearly_kept(self, table: Table, way: tuple[Column, int], models: Sequence[PrivacyModel]) -> bool:
        """Tell whether few classes break a promise: to join many takes long, and loses more than another way does."""
        return all(one.failing <= STRAY * one.classes for one in check(self.released(table, *way), models))

    def partition(self, table: Table, k: int, *, lined: bool) -> tuple[Column, int]:
        """Form classes along the curve; their numbers follow it in any case."""
        return self._formed(table, k)

    def _ways(self, table: Table, k: int, models: Sequence[PrivacyModel]) -> Iterator[tuple[Column, int]]:
        """Form classes that keep what is promised as far as they can: among neighbours along the curve, or by strata.

        Where a table is one piece strata are tried among neighbours too. Otherwise the pieces of the one are not those
        of the other, and where people are told apart strata do not count them.
        """
        moments, close = table.moments(), ordered_closeness(table.schema, models)
        effort = min(self.quality + (table.rows < SMALL[1]), len(TRADES) - 1)
        yield self._mended_in_pieces(table, k, models, moments, effort)
        if close is None or (table.schema.subject is None and pieces_of(table.rows, k) == 1):
            return
        size = class_size(table.rows, models)
        if strata_needed(close.t, size) > 1:
            costs = distances(table.schema, moments)
            yield matched(table, close, size, ways_along(table, moments, costs), costs, TRADES[effort])

    def _mended_in_pieces(
        self, table: Table, k: int, models: Sequence[PrivacyModel], moments: Moments, effort: int
    ) -> tuple[Column, int]:
        """Form classes of several sizes along the curve, mend them in several ways, and keep the cheapest."""
        costs, sought = costs_of(table.schema, moments, self.objective), Sought.of(table, models)
        terms = Terms.of(table, models, moments, costs)
        subject, rows, level = table.schema.subject, table.rows, self._level(table.rows)
        close, strata_from, least = terms.close, class_size(table.rows, models), least_size(models, k)
        polish = POLISH[effort] if rows < SMALL[0] or self.quality > 1 else replace(POLISH[effort], passes=0)
        strata_follow = close is not None and strata_needed(close.t, strata_from) > 1
        rank = None if close is None else Ranked(close.confidential(table.schema))

        def formed(ground: Ground, size: int, promises: Promises, *, haste: bool) -> tuple[Labels, int]:
            how = min(level, HASTY) if haste else level
            labels = _classes(ground.piece, costs, promises, how, size, ground if self.keep_exact else None)
            return labels, number_by_first(labels, labels.size + 1)

        def bare(ground: Ground, size: int, haste: bool) -> tuple[Labels, int]:
            return formed(ground, size, Sought().within(ground.piece, size, subject), haste=haste)

        def settled(ground: Ground, size: int, haste: bool) -> tuple[Labels, int]:
            return formed(ground, size, sought.within(ground.piece, size, subject), haste=haste)

        def by_strata(ground: Ground, size: int, haste: bool) -> tuple[Labels, int] | None:
            if close is None or rank is None:
                return None
            return taken_by_strata(
                ground, close.t, size, ground.piece.columns[rank], HASTE if haste else TRADES[effort]
            )

        def kernel(piece: Piece) -> Labels:
            ground = Ground.of(terms, piece)
            whole = close is not None and ground.rows == rows
            first, drawn = settled if sought.promises else None, by_strata if whole else None
            spared = strata_follow and not whole
            choice = Choice(bare, first, drawn, STRATA[effort], spared=spared, strata_from=strata_from)
            labels = choice.cheapest(ground, least, polish).labels
            number_by_first(labels, labels.size + 1)
            return labels

        carried = dict.fromkeys([
            *([] if subject is None else [subject]), *sought.columns, *terms.carry, *([] if rank is None else [rank])
        ])  # fmt: skip
        return table.map_blocks(lambda: curve_through(table, moments, costs), k, kernel, tuple(carried), ordered=True)

    def _level(self, rows: int) -> int:
        return self.quality + sum(rows < limit for limit in SMALL)

    def _formed(self, table: Table, k: int) -> tuple[Column, int]:
        """Form classes of k."""
        moments = table.moments()
        costs = costs_of(table.schema, moments, self.objective)
        level, subject = self._level(table.rows), table.schema.subject

        # Among few records others may do better by chance; the aim must be theirs too, and people are not told apart.
        few = table.rows <= FEW and costs.squared and subject is None
        space, terms = (Space.of(table), Terms.of(table, [], moments, costs)) if few else (None, None)

        def kernel(piece: Piece) -> Labels:
            labels = _classes(piece, costs, Sought().within(piece, k, subject), level, k, self.keep_exact)
            if space is None or terms is None or can_be_cut(piece.rows, k):
                return labels
            ground = Ground.of(terms, piece)
            own = labels, int(labels.max()) + 1
            labels, _ = min((own, *formed_by_others(space, piece.rows, k)), key=lambda way: ground.cost(*way))
            number_by_first(labels, labels.size + 1)
            return labels

        return table.map_blocks(
            lambda: curve_through(table, moments, costs), k, kernel, subject_of(table.schema), ordered=True
        )

    def done(self, table: Table, k: int) -> str:
        """Say how classes were formed."""
        trees = any(table.schema[name].axis.tree for name in table.schema.quasi)
        aim = "information loss" if self.objective == "loss" and not trees else "certainty penalty"
        how = " from crowds that levels of hierarchies made, or" if trees else ""
        kept = ", left records alone that had their like already" if self.keep_exact else ""
        return (
            f"Sorted {table.rows:,} records along a Hilbert curve{kept}, formed classes of at least {k}{how} with "
            f"little {aim} among neighbours"
        )


def costs_of(schema: Schema, moments: Moments, objective: Objective) -> Costs:
    """Say what cells cost: lengths in standard deviations for the loss of Eq. 3, in widths of the domain otherwise."""
    axes = [schema[name].axis for name in schema.quasi]
    if objective == "loss" and not any(axis.tree for axis in axes):
        return distances(schema, moments)
    lowest, highest = limits(schema, moments)
    named = np.array([j for j, axis in enumerate(axes) if axis.nominal or axis.tree], np.int64)
    sizes = np.array([len(axes[j].values) for j in named], np.int64)
    trees = tuple(_tree(axes[j]) for j in named)
    return Costs(inverse(highest - lowest), lowest, highest, named, sizes, squared=False, trees=trees)


def _tree(axis: Axis) -> Tree | None:
    return None if axis.tree is None else Tree(*axis.tree.tables).with_gaps()


def _classes(
    piece: Piece, costs: Costs, promises: Promises, level: int, size: int, keep_exact: Ground | bool | None
) -> Labels:
    """Label the rows of a piece: first those that are alike already, then all others.

    Where more is promised than k, rows that are alike are a crowd like any other, unless they keep what is promised.
    """
    rows, k = piece.rows, promises.k
    n = rows.lo.shape[0]
    effort = replace(EFFORTS[level], block=max(EFFORTS[level].block, CLASSES * size))
    search = SEARCHES[level] if promises.promises or any(costs.trees) else None
    if costs.squared and promises.persons is None and not promises.promises and can_be_cut(rows, size):
        return best_cut(rows, size)
    labels, kept = np.full(n, -1, np.int32), 0
    if keep_exact and not promises.promises:
        labels, kept = _alike(rows, promises.persons, k, keep_exact if isinstance(keep_exact, Ground) else None)
    rest = np.flatnonzero(labels < 0).astype(np.int32)
    if 0 < rest.size < size:
        labels, rest = _with_company(labels, rest, kept, size)
    if rest.size:
        found = np.empty(0, np.int32)
        if search is None:
            found = grown(rows, costs, replace(promises, k=min(size, rest.size)), effort, rest)
        else:
            lo = gather_rows(rows.lo, rest)
            some = replace(rows, lo=lo, hi=lo if rows.hi is rows.lo else gather_rows(rows.hi, rest))
            found = gathered(some, costs, promises.taken(rest), effort, search, size)
        labels[rest] = found + np.int32(kept)
    number_by_first(labels, n + 1)
    return labels


def _alike(rows: Spans, persons: Labels | None, k: int, ground: Ground | None) -> tuple[Labels, int]:
    """Label the rows that share all their cells with k-1 others, and -1 the rest; also gives the number of labels."""
    labels, groups = label_rows(rows.lo, rows.hi, np.arange(rows.lo.shape[1]))
    sizes = np.bincount(labels, minlength=groups)
    if persons is not None:
        order, starts = by_label(labels, groups)
        codes, seats = np.unique(persons[order], return_inverse=True)
        sizes = count_distinct(seats.reshape(-1).astype(np.int32), starts, codes.size)
    enough = sizes >= k
    if ground is not None:
        enough &= ground.kept(labels, groups)
    numbers = np.where(enough, np.cumsum(enough) - 1, -1).astype(np.int32)
    return numbers[labels], int(enough.sum())


def _with_company(labels: Labels, rest: Labels, groups: int, k: int) -> tuple[Labels, Labels]:
    """Take rows for a last class from the largest of the others: as many as it can spare, or all of them."""
    if groups == 0:
        return labels, rest
    largest = int(np.bincount(labels[labels >= 0], minlength=groups).argmax())
    there = np.flatnonzero(labels == largest)
    missing = k - rest.size
    taken = there[:missing] if there.size - missing >= k else there
    return labels, np.sort(np.concatenate([rest, taken])).astype(np.int32)
