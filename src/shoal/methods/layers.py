"""Local recoding by layers: the records that one combination of levels serves, then those that the next one does."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np

from shoal.arrays import Flags
from shoal.errors import GuaranteeError, ParameterError
from shoal.kernels.roll_up import Tuples
from shoal.methods.full_domain import PROVABLE
from shoal.methods.lattice.aggregates import AGGREGATES, Aggregation, shares_of
from shoal.methods.lattice.column_losses import Factors, ShareLoss
from shoal.methods.lattice.lattice import Lattice
from shoal.methods.lattice.level_cells import Layered, Shown
from shoal.methods.lattice.nodes import Node, Nodes, classes_of_finest
from shoal.methods.lattice.optimum import proven_optimum
from shoal.models import PrivacyModel
from shoal.models.monotone import monotone
from shoal.models.outside_population import of_population, with_sizes
from shoal.parameters import settle
from shoal.progress import stage
from shoal.table import Carry, Table


@dataclass(frozen=True)
class Layers:
    """Release as many records as one combination of levels serves, then go on with the others, until none is left.

    Each layer takes, of all combinations of levels, the one that loses least among its own records and still serves a
    given share of the table, and releases the classes that keep the promises; what is left goes to the next. So every
    value of a layer is on one level. Classes of different layers that look alike are one class, which is larger.
    Records that no layer can serve are suppressed, together with as many others as it takes to hide them.

    Parameters
    ----------
    least_share
        The smallest share of all records that a layer serves, above 0 and at most 1.
    aggregate
        How the losses of columns become one, as for `FullDomain`.
    weights
        How much the loss of a column counts; those not named count 1.
    min_level
        The lowest level of columns.
    max_level
        The highest level of columns. Records that need a higher one are suppressed.

    References
    ----------
    F. Prasser, R. Bild, J. Eicher, H. Spengler, F. Kohlmayer, K. A. Kuhn: Lightning: utility-driven anonymization of
    high-dimensional data, Transactions on Data Privacy 9(2), 2016; J. Xu, W. Wang, J. Pei, X. Wang, B. Shi, A. W.-C.
    Fu: Utility-based anonymization using local recoding, KDD 2006, doi:10.1145/1150402.1150504.
    """

    name: ClassVar[str] = "layers"
    enforces: ClassVar[tuple[str, ...]] = ("k-anonymity", "t-closeness", "l-diversity", "alpha-k")
    joins_classes: ClassVar[bool] = False  # levels are those of single values
    least_share: float = 0.01
    aggregate: str = "geometric"
    weights: Mapping[str, float] = field(default_factory=dict)
    min_level: Mapping[str, int] = field(default_factory=dict)
    max_level: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what is no share, and aggregates that do not exist."""
        settle(self)
        share = self.least_share
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share <= 1:
            raise ParameterError("'least_share' must be above 0 and at most 1.", "A usual one is 0.01.")
        if self.aggregate not in AGGREGATES:
            raise ParameterError(f"There is no aggregate '{self.aggregate}'.", f"There are: {', '.join(AGGREGATES)}.")
        for word in ("weights", "min_level", "max_level"):
            if not isinstance(getattr(self, word), Mapping):
                raise ParameterError(f"'{word}' is given by column.", f"Write --param {word}.COLUMN=1, or a mapping.")

    def apply(self, table: Table, models: Sequence[PrivacyModel], seed: int) -> Table:
        """Form the layers, and show each record at its own; where promises are about a population, of that."""
        if of_population(models):
            from shoal.methods.partitioning.population_classes import within_population

            return within_population(self, table, models)
        return self.formed(table, with_sizes(models))

    def formed(self, table: Table, models: Sequence[PrivacyModel]) -> Table:
        """Form the layers of a table."""
        done = self.layered(table, models)
        return replace(table.rewrite(Layered(tuple(layer.shown for layer in done.layers))), recoding=done.account)

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say what is done."""
        if of_population(models):
            return (
                "Put the population into layers, each on one level of every hierarchy, with classes of as many people "
                "as the promises about it ask for, and showed each record as the class of somebody with its values."
            )
        done = self.layered(table, with_sizes(models))
        return (
            f"Replaced each quasi-identifier by its ancestor on one level per layer, in {len(done.layers):,} layers of "
            f"at least {self.least_share:g} of the records, as far as there were so many, and suppressed "
            f"{done.outliers:,} of {done.rows:,} records."
        )

    def layered(self, table: Table, models: Sequence[PrivacyModel]) -> Formed:
        """Form the layers, or give those that were formed of the same table before."""
        known = _KNOWN.get(table)
        if known is not None and known[:2] == (self, tuple(models)):
            return known[2]
        for model in models:
            if monotone(model, table.schema) == "never":
                raise ParameterError(
                    f"{model.name} may be broken where classes of different layers look alike.",
                    "Choose another method for it, such as full-domain.",
                )
        found = self._formed(table, models)
        _KNOWN[table] = self, tuple(models), found
        return found

    def _formed(self, table: Table, models: Sequence[PrivacyModel]) -> Formed:
        carry: list[Carry] = [item for model in models for item in model.carries(table.schema)]
        references = [model.reference(table) for model in models]
        whole = rest = Lattice.of(table, carry, self.min_level, self.max_level)
        if whole.nodes > PROVABLE:
            raise ParameterError(
                f"{whole.nodes:,} combinations of levels are too many for layers.",
                "Bound the levels of columns (min_level, max_level), or choose full-domain.",
            )
        aggregation = Aggregation(self.aggregate, shares_of(self.weights, table.schema.quasi))
        need, evaluated = self.least_share * whole.rows, 0
        layers: list[Layer] = []
        while rest.rows:
            stage(f"forming layer {len(layers) + 1}")
            nodes = Nodes(rest, models, table.schema, references)
            most = math.floor(rest.rows - min(rest.rows, need) + 1e-9)
            found = proven_optimum(nodes, _Unsuppressed(rest, aggregation, Factors(0.5)), most, mend=False)
            evaluated += nodes.evaluated
            if found is None:
                break
            layers.append(Layer.of(found.node, ~found.node.suppressed, aggregation))
            rest = left(found.node)
        return self._closed(layers, rest, whole, models, table, references, evaluated)

    def _closed(
        self, layers: list[Layer], rest: Lattice, whole: Lattice, models: Sequence[PrivacyModel], table: Table,
        references: Sequence[Any], evaluated: int,
    ) -> Formed:  # fmt: skip
        """Suppress what no layer serves, with further classes of the last layers until it keeps the promises."""
        while rest.rows:
            nodes = Nodes(rest, models, table.schema, references)
            if nodes.keeps(top := nodes.at(rest.high), np.ones(top.classes.size, np.bool_)):
                break
            if not layers:
                raise GuaranteeError(
                    f"Not even all {whole.rows:,} records together keep all promises.", "Ask for less."
                )
            last = layers.pop()
            at = last.cheapest()
            kept = last.kept.copy()
            kept[at] = False
            rest = _joined(rest, _members(last.node, at))
            if kept.any():
                layers.append(Layer.of(last.node, kept, last.aggregation))
        return Formed(tuple(layers), rest.rows, whole.rows, evaluated, whole.nodes)


class _Unsuppressed(ShareLoss):
    """The loss of the records that are left, as if none of them were suppressed."""

    def more(self, column: int, level: int, outliers: int) -> float:
        """Give nothing: those who are not served now are served later."""
        return 0.0

    def lost(self, column: int, node: Node) -> float:
        """Give what a column loses at a node."""
        return self.free(column, node.levels[column])


@dataclass(frozen=True, eq=False)
class Layer:
    """The records that one combination of levels serves: the classes of a node that are released, and how they show."""

    node: Node
    kept: Flags
    aggregation: Aggregation
    shown: Shown

    @classmethod
    def of(cls, node: Node, kept: Flags, aggregation: Aggregation) -> Layer:
        """Take some classes of a node."""
        return cls(node, kept, aggregation, Shown.at(node.lattice, node.levels, node.classes.keys[kept]))

    @property
    def records(self) -> int:
        """How many records it serves."""
        return int(self.node.classes.counts[self.kept].sum())

    def cheapest(self) -> int:
        """Give the class that is lost least: the coarsest and smallest."""
        columns = self.node.lattice.columns
        shares = sum((1.0 - self.node.leaves(j) / column.domain for j, column in enumerate(columns)), start=np.zeros(1))
        cost = np.where(self.kept, shares * self.node.classes.counts, np.inf)
        return int(np.lexsort([*self.node.classes.keys.T[::-1], self.node.classes.counts, cost])[0])

    def lost(self) -> float:
        """Give the mean share of leaves of its cells, beyond that of a single one, added up over records."""
        counts, total = self.node.classes.counts, 0.0
        for j, column in enumerate(self.node.lattice.columns):
            if column.domain > 1:
                shares = (self.node.leaves(j) - 1) / (column.domain - 1)
                total += float((shares * counts)[self.kept].sum())
        return total / len(self.node.lattice.columns)


@dataclass(frozen=True, eq=False)
class Formed:
    """All layers, how many records are suppressed, and how many nodes were looked at."""

    layers: tuple[Layer, ...]
    outliers: int
    rows: int
    evaluated: int
    nodes: int

    @property
    def account(self) -> dict[str, Any]:
        """What was formed, as plain values; the loss is the mean share of the leaves that a cell stands for."""
        layers = [
            {
                "levels": {c.name: x for c, x in zip(each.node.lattice.columns, each.node.levels, strict=True)},
                "records": each.records,
                "classes": int(each.kept.sum()),
            }
            for each in self.layers
        ]
        return {
            "layers": layers,
            "loss": (sum(each.lost() for each in self.layers) + self.outliers) / self.rows,
            "outliers": self.outliers,
            "classes": sum(int(each.kept.sum()) for each in self.layers),
            "evaluated": self.evaluated,
            "nodes": self.nodes,
        }


def left(node: Node) -> Lattice:
    """Give the lattice of the records that a node does not serve."""
    gone = node.suppressed[classes_of_finest(node)]
    finest = node.lattice.finest
    return _counted(node.lattice, Tuples(np.ascontiguousarray(finest.keys[gone]), finest.counts[gone]))


def _members(node: Node, at: int) -> Tuples:
    """Give the finest tuples of one class of a node."""
    here = classes_of_finest(node) == at
    return Tuples(np.ascontiguousarray(node.lattice.finest.keys[here]), node.lattice.finest.counts[here])


def _joined(lattice: Lattice, more: Tuples) -> Lattice:
    keys = np.concatenate([lattice.finest.keys, more.keys])
    return _counted(lattice, Tuples(keys, np.concatenate([lattice.finest.counts, more.counts])).in_order())


def _counted(lattice: Lattice, finest: Tuples) -> Lattice:
    """Count the values of some of the records; the columns stay what they are."""
    columns = []
    for j, (column, low) in enumerate(zip(lattice.columns, lattice.low, strict=True)):
        codes = lattice.fields.unpacked(finest.keys, j)
        here = np.bincount(codes, weights=finest.counts, minlength=column.leaves[low].size).astype(np.int64)
        counts = []
        for level in range(column.height + 1):
            sums = np.zeros(column.leaves[level].size, np.int64)
            if level >= low:
                np.add.at(sums, column.step(low, level), here)
            counts.append(sums)
        columns.append(replace(column, counts=tuple(counts)))
    return replace(lattice, columns=tuple(columns), finest=finest, rows=int(finest.counts.sum()))


_Known = tuple["Layers", tuple[PrivacyModel, ...], Formed]
# The layers that were formed last of a table: a method explains what it does, and then does it.
_KNOWN: WeakKeyDictionary[Table, _Known] = WeakKeyDictionary()
