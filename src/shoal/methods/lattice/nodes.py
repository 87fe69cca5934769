"""Nodes of a lattice: the classes of each, made of those of a finer one, and which of them break a promise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from shoal.arrays import Bits, Flags, Floats, Integers, Positions
from shoal.kernels.grouping import by_label, starts_of
from shoal.kernels.roll_up import Outliers, Tuples, Workspace, count_outliers
from shoal.methods.lattice.lattice import Lattice, LevelVector
from shoal.models import PrivacyModel
from shoal.models.k_anonymity import KAnonymity
from shoal.models.monotone import monotone
from shoal.models.outside_population import OutsidePopulation
from shoal.models.people import people_in
from shoal.schema import Schema
from shoal.table import Classes

_ROOM = 4_000_000  # keys that are kept of nodes that were looked at


@dataclass(frozen=True, eq=False)
class Node:
    """What a node of the lattice comes to.

    Attributes
    ----------
    levels
        Its levels.
    lattice
        The lattice that it is in.
    classes
        Its classes, and how many records each has.
    broken
        Which of them break a promise; None if that is known by their size alone.
    k
        The size below which a class breaks a promise.
    found
        What they come to.
    sure
        How many records are in classes that break a promise which merging cannot break.
    items
        Where models look inside classes: what is carried, and the class of each of its entries.
    """

    levels: LevelVector
    lattice: Lattice = field(repr=False)
    classes: Tuples = field(repr=False)
    broken: Flags | None = field(repr=False)
    k: int
    found: Outliers = field(repr=False)
    sure: int
    items: tuple[Tuples, Positions] | None = field(repr=False, default=None)

    @property
    def outliers(self) -> int:
        """How many records are in classes that break a promise."""
        return self.found.records

    @property
    def suppressed(self) -> Flags:
        """Which classes are suppressed."""
        few: Flags = self.classes.counts < self.k
        return few if self.broken is None else few | self.broken

    def leaves(self, column: int) -> Integers:
        """Give the leaves below what each class shows in a column."""
        codes = self.lattice.fields.unpacked(self.classes.keys, column)
        return self.lattice.columns[column].leaves[self.levels[column]][codes]


class RolledUp:
    """The classes of nodes of a lattice, each made of those of the coarsest one that is known and finer."""

    def __init__(self, lattice: Lattice) -> None:
        self.lattice = lattice
        self.space = Workspace(max(lattice.finest.size, 1), lattice.finest.keys.shape[1])
        self._levels = np.array([lattice.low], np.int64)
        self._known: list[Tuples] = [lattice.finest]
        self._sizes = np.array([lattice.finest.size], np.int64)
        self._room = max(_ROOM, 8 * lattice.finest.size)

    def prepared(self, levels: LevelVector) -> None:
        """Keep a node in mind from which others are to be made."""
        if not (self._levels == np.array(levels, np.int64)).all(axis=1).any():
            self.at(levels, keep=True)

    def forget(self, number: int) -> None:
        """Forget the nodes that were kept last, but for so many."""
        self._known, self._levels, self._sizes = self._known[:number], self._levels[:number], self._sizes[:number]

    @property
    def kept(self) -> int:
        """How many nodes are in mind."""
        return len(self._known)

    def at(self, levels: LevelVector, *, keep: bool = False) -> Tuples:
        """Give the classes of a node."""
        wanted = np.array(levels, np.int64)
        finer = np.flatnonzero((self._levels <= wanted).all(axis=1))
        at = int(finer[np.argmin(self._sizes[finer])])
        source = self._known[at]
        changed = np.flatnonzero(self._levels[at] != wanted).tolist()
        if not changed:
            return source
        columns = self.lattice.columns
        steps = [columns[j].step(int(self._levels[at, j]), levels[j]) for j in changed]
        found, _ = self.space.roll_up(source, self.lattice.fields, changed, steps)
        if keep or (2 * found.size < source.size and int(self._sizes.sum()) + found.size < self._room):
            self._known.append(found)
            self._levels = np.concatenate([self._levels, wanted[None]])
            self._sizes = np.append(self._sizes, found.size)
        return found


@dataclass(frozen=True, eq=False)
class WholePromise:
    """A model that looks at all classes of a node at once, and what counts the people who fit them, if it asks that."""

    model: OutsidePopulation
    population: CountsPeople | None
    always: bool

    def failing(self, levels: LevelVector, classes: Tuples, sizes: Integers) -> Flags:
        """Tell which classes, of so many people each, are to be suppressed."""
        if self.population is None:
            return self.model.breaking(sizes, sizes, 0)
        strangers = self.population.records - int(self.population.records_at(levels, classes).sum())
        return self.model.breaking(sizes, self.population.at(levels, classes), strangers)

    def keeps(self, levels: LevelVector, classes: Tuples, sizes: Integers, suppressed: Flags, hidden: int) -> bool:
        """Tell whether the promise is kept once some classes are suppressed, and are one class that fits everybody.

        Parameters
        ----------
        levels, classes
            A node.
        sizes
            How many people each class has.
        suppressed
            Which are suppressed.
        hidden
            How many people these have together.
        """
        people, everybody, strangers, left = sizes, hidden, 0, ~suppressed
        if self.population is not None:
            people, everybody = self.population.at(levels, classes), self.population.people
            known = self.population.records_at(levels, classes)[left]
            strangers = self.population.records - int(known.sum()) if known.size else 0
        sizes = np.append(sizes[left], [hidden] if hidden else []).astype(np.int64)
        people = np.append(people[left], [everybody] if hidden else []).astype(np.int64)
        return not self.model.breaking(sizes, people, strangers).any()


class CountsPeople(Protocol):
    """What counts the people of a population at the nodes of a lattice: all of them, and those who fit each class.

    A person may have several records.
    """

    people: int
    records: int

    def at(self, levels: LevelVector, classes: Tuples) -> Integers:
        """Give how many people fit each class at a node."""
        ...

    def records_at(self, levels: LevelVector, classes: Tuples) -> Integers:
        """Give how many of their records do."""
        ...


class Nodes:
    """Evaluates nodes of a lattice, each from the coarsest one that is known and finer; counts how many were asked for.

    Parameters
    ----------
    lattice
        The lattice.
    models
        What every class is to keep.
    schema
        What the columns of the table are.
    references
        What each model knows of the whole table.
    whole
        Those of the models that look at all classes at once, with what counts people of a population beside them.
    """

    def __init__(
        self,
        lattice: Lattice,
        models: Sequence[PrivacyModel],
        schema: Schema,
        references: Sequence[Any],
        whole: Sequence[WholePromise] = (),
    ) -> None:
        self.lattice, self.schema, self.whole = lattice, schema, tuple(whole)
        pairs = [each for each in zip(models, references, strict=True) if not isinstance(each[0], OutsidePopulation)]
        counted = [m for m, _ in pairs if isinstance(m, KAnonymity) and schema.subject is None]
        self.k = max((model.k for model in counted), default=1)
        self.others = [(m, r, monotone(m, schema) == "always") for m, r in pairs if m not in counted]
        kinds = {monotone(model, schema) for model in models}
        self.monotone = "never" if "never" in kinds else "without suppression" if len(kinds - {"always"}) else "always"
        self.evaluated = 0
        self.rolled = RolledUp(lattice)

    def at(self, levels: LevelVector) -> Node:
        """Evaluate a node."""
        self.evaluated += 1
        return self._node(levels, self.rolled.at(levels))

    def prepared(self, levels: LevelVector) -> None:
        """Keep a node in mind from which others are to be made; it is not evaluated."""
        self.rolled.prepared(levels)

    def forget(self, number: int) -> None:
        """Forget the nodes that were kept last, but for so many."""
        self.rolled.forget(number)

    @property
    def kept(self) -> int:
        """How many nodes are in mind."""
        return self.rolled.kept

    def _node(self, levels: LevelVector, items: Tuples) -> Node:
        sizes = [column.leaves[level].size for column, level in zip(self.lattice.columns, levels, strict=True)]
        if not (self.others or self.whole or self.lattice.carried):
            found = count_outliers(items, self.lattice.fields, sizes, self.k)
            return Node(levels, self.lattice, items, None, self.k, found, found.records)
        classes, labels = items, np.arange(items.size, dtype=np.int32)
        if self.lattice.carried:
            last = len(sizes)  # the field of what is carried
            carried = next(iter(self.lattice.carried.values())).size
            classes, of_items = self.rolled.space.roll_up(
                items, self.lattice.fields, [last], [np.zeros(carried, np.int32)], label=True
            )
            assert of_items is not None
            labels = of_items
        broken, surely = self._breaking(items, labels, classes.size)
        sizes_of = self._people(items, labels, classes) if self.whole else classes.counts
        for each in self.whole:
            failing = each.failing(levels, classes, sizes_of)
            broken |= failing
            if each.always:
                surely |= failing
        found = count_outliers(classes, self.lattice.fields, sizes, self.k, broken)
        sure = int(classes.counts[surely | (classes.counts < self.k)].sum())
        return Node(levels, self.lattice, classes, broken, self.k, found, sure, (items, labels))

    def _breaking(self, items: Tuples, labels: Positions, number: int) -> tuple[Flags, Flags]:
        """Tell which classes break a promise, and which of them one that merging cannot break."""
        broken, surely = np.zeros(number, np.bool_), np.zeros(number, np.bool_)
        if not self.others:
            return broken, surely
        classes = self._opened(items, labels, number)
        for model, reference, always in self.others:
            failing = ~model.met(model.level(classes, self.schema, reference))
            broken |= failing
            if always:
                surely |= failing
        return broken, surely

    def _opened(self, items: Tuples, labels: Positions, number: int) -> Classes:
        """Give classes as models look at them: record by record."""
        order = by_label(labels, number)[0]
        counts = items.counts[order]
        sizes = np.zeros(number, np.int64)
        np.add.at(sizes, labels, items.counts)
        if not self.lattice.carried:
            return Classes(starts_of(sizes), {})
        codes = np.repeat(self.lattice.fields.unpacked(items.keys, len(self.lattice.columns))[order], counts)
        columns = {item: np.ascontiguousarray(held[codes]) for item, held in self.lattice.carried.items()}
        return Classes(starts_of(sizes), columns)

    def _people(self, items: Tuples, labels: Positions, classes: Tuples) -> Integers:
        """Give how many people each class has: where nobody tells them apart, as many as records."""
        if self.schema.subject is None:
            return classes.counts
        return people_in(self._opened(items, labels, classes.size), self.schema)

    def _keeps_whole(self, node: Node, suppressed: Flags) -> bool:
        """Tell whether promises about all classes are kept if some are one class, which shows nothing."""
        sizes, hidden = node.classes.counts, int(node.classes.counts[suppressed].sum())
        if self.whole and self.schema.subject is not None:
            assert node.items is not None
            items, labels = node.items
            sizes, some = self._people(items, labels, node.classes), suppressed[labels]
            here = Tuples(np.ascontiguousarray(items.keys[some]), items.counts[some])
            hidden = (
                int(people_in(self._opened(here, np.zeros(here.size, np.int32), 1), self.schema)[0]) if hidden else 0
            )
        return all(each.keeps(node.levels, node.classes, sizes, suppressed, hidden) for each in self.whole)

    def keeps(self, node: Node, suppressed: Flags) -> bool:
        """Tell whether some classes of a node, which are suppressed, keep all promises as the one class they become."""
        if int(node.classes.counts[suppressed].sum()) < self.k:
            return False
        if not self._keeps_whole(node, suppressed):
            return False
        if node.items is None:
            return True
        items, labels = node.items
        some = suppressed[labels]
        here = Tuples(np.ascontiguousarray(items.keys[some]), items.counts[some])
        broken, _ = self._breaking(here, np.zeros(here.size, np.int32), 1)
        return not broken[0]

    def keeps_suppressed(self, node: Node) -> bool:
        """Tell whether what a node suppresses, if anything, keeps all promises as the class that it becomes."""
        return not node.outliers or self.keeps(node, node.suppressed)

    def repaired(self, node: Node, weights: Floats) -> Node | None:
        """Suppress further classes, the cheapest first, until those that are suppressed keep the promises together.

        The cheapest class is that whose suppression hides least: the share of the leaves that its cells tell apart,
        by the weights of columns, times its records. None if even all of them together break a promise.
        """
        if self.keeps_suppressed(node):
            return node
        suppressed = node.suppressed
        shares = sum(
            weight * (1.0 - node.leaves(j) / column.domain)
            for j, (weight, column) in enumerate(zip(weights.tolist(), node.lattice.columns, strict=True))
        )
        others = np.flatnonzero(~suppressed)
        cost = (shares * node.classes.counts)[others]
        keys: list[Bits | Integers | Floats] = list(node.classes.keys[others].T[::-1])
        for at in others[np.lexsort([*keys, node.classes.counts[others], cost])].tolist():
            suppressed = suppressed.copy()
            suppressed[at] = True
            if self.keeps(node, suppressed):
                sizes = [
                    column.leaves[level].size for column, level in zip(node.lattice.columns, node.levels, strict=True)
                ]
                found = count_outliers(node.classes, node.lattice.fields, sizes, self.k, suppressed)
                return replace(node, broken=suppressed, found=found)
        return None


def classes_of_finest(node: Node) -> Positions:
    """Give the class of each of the finest tuples at a node."""
    lattice = node.lattice
    columns = list(range(len(lattice.columns)))
    moves = zip(lattice.columns, lattice.low, node.levels, strict=True)
    steps = [column.step(low, level) for column, low, level in moves]
    if lattice.carried:
        columns.append(len(columns))
        steps.append(np.zeros(next(iter(lattice.carried.values())).size, np.int32))
    space = Workspace(max(lattice.finest.size, 1), lattice.finest.keys.shape[1])
    found, labels = space.roll_up(lattice.finest, lattice.fields, columns, steps, label=True)
    assert labels is not None
    order, back = np.lexsort(node.classes.keys.T[::-1]), np.lexsort(found.keys.T[::-1])
    place = np.empty(order.size, np.int32)
    place[back] = order  # both have the same keys
    return place[labels]
