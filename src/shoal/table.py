"""Table, the only door to the data, and Classes, its records grouped by what is published of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from shoal.arrays import Array, Counts, Flags, Integers, Offsets, Positions
from shoal.conditions import Condition
from shoal.domains.levels import Recoding, Stretches
from shoal.errors import ParameterError, SchemaError
from shoal.origins import Origin as Origin  # noqa: PLC0414 - named from here by all who speak of tables
from shoal.origins import Written as Written  # noqa: PLC0414 - named from here by all who speak of tables
from shoal.origins import printable as printable  # noqa: PLC0414 - named from here by all who speak of tables
from shoal.schema import Schema

if TYPE_CHECKING:
    from shoal.domains.axis import Axis
    from shoal.engines.protocol import (
        AnyEngine,
        CellKernel,
        Data,
        Engine,
        GroupKernel,
        PairKernel,
        PieceKernel,
        RowKernel,
    )
    from shoal.engines.sources import Source
    from shoal.engines.values import Boxes, Combinations, Layout, Moments, Output, Promise, Publication, Spans

T = TypeVar("T")
Cells = Literal["struct", "text"]  # what a generalized cell becomes in a frame
# The number of the input row that each released row came from, in the released order, in stretches, whenever asked for.
RowOrder = Callable[[], Iterator[Integers]]


@dataclass(frozen=True)
class Ranked:
    """A column to be carried as the place of each record when all are sorted by it; ties keep their order."""

    column: str


@dataclass(frozen=True)
class Tally:
    """How many records of each class satisfy a condition."""

    condition: Condition


@dataclass(frozen=True)
class Common:
    """The value that all records of each class have in a column; missing where they have none in common."""

    column: str


class Column:
    """One number, or a row of so many, for each record of a table, held by its engine and looked at by nobody else.

    It may be an array, or lie in parts, or be found when it is needed: all that can be done with it is to hand it to a
    verb of the table, such as `Table.combine`, which computes numbers from it.
    """


@dataclass(frozen=True, eq=False)
class Given:
    """A column that a table gave before, to be carried."""

    column: Column | None

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel with work as a name for the column, without what the engine holds of it."""
        return Given, (None,)


Carry = str | Ranked | Tally | Common | Given


@dataclass(frozen=True)
class Classes:
    """Some of a table's equivalence classes, whole: groups of records with the same published quasi-identifiers.

    ``columns`` holds what was asked to be carried: positions of other columns, class after class, so that class ``i``
    has the entries ``starts[i]:starts[i + 1]``, in the order of the table; or, for a tally and what is common, one
    number per class. Classes by labels are in their order, and ``first`` is that of the first.
    """

    starts: Offsets
    columns: Mapping[Carry, Array]
    first: int = 0

    @cached_property
    def sizes(self) -> Integers:
        """The number of records in each class."""
        return np.diff(self.starts)

    @cached_property
    def counts_of_sizes(self) -> Counter[int]:
        """How many classes there are of each size."""
        if self.sizes.max(initial=0) > self.sizes.size:  # few classes, of which some are very large
            return Counter(self.sizes.tolist())
        counts = np.bincount(self.sizes)
        sizes = np.flatnonzero(counts)
        return Counter(dict(zip(sizes.tolist(), counts[sizes].tolist(), strict=True)))


def insist_on_table(given: Any) -> None:
    """Refuse what is no table that was read."""
    if not isinstance(given, Table):
        raise ParameterError(
            f"A table is wanted, not a {type(given).__name__}.",
            "Read it: shoal.read(…, quasi=[…]). Of a release, give release.table.",
        )


@dataclass(frozen=True, eq=False)
class Table:
    """A table of cells on axes. It is made by `read`, and never changed.

    Attributes
    ----------
    schema
        What its columns are.
    data
        Its data, in the engine's own form.
    engine
        The engine that holds them.
    origin
        Where it came from.
    masked
        The positions of masked values, per column, and how often each was masked; written only when asked for.
    remarks
        What methods say of what they did, with a sentence under ``said``: to everyone, and to the holder alone.
    recoding
        What a method that searches levels found, as plain values: which levels, what they lose and what is proven.
    hidden
        How many cells `Suppress` hid in each column, and in how many records.
    """

    schema: Schema
    data: Data
    engine: AnyEngine
    origin: Origin
    masked: Mapping[str, Counts] = field(default_factory=dict, repr=False)
    remarks: tuple[tuple[Mapping[str, Any], Mapping[str, Any]], ...] = field(default=(), repr=False)
    recoding: Mapping[str, Any] = field(default_factory=dict, repr=False)
    hidden: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def _engine(self) -> Engine[Any, Column]:  # of whatever data: they are its own
        return self.engine

    @property
    def rows(self) -> int:
        """The number of records."""
        return self.data.rows

    def __repr__(self) -> str:
        """Show the shape, never a cell."""
        roles = ", ".join(f"{a.name} ({a.role}, {a.axis.kind})" for a in self.schema.attributes)
        return f"Table of {self.rows:,} records: {roles}"

    def classes(
        self, work: Callable[[Classes], T], by: Sequence[str] | None = None, carry: Sequence[Carry] = ()
    ) -> list[T]:
        """Give what work makes of the classes over some columns (or all quasi-identifiers), in batches."""
        return self._engine.classes(self.data, self.schema, self._named(by), tuple(carry), work)

    def boxes(self, work: Callable[[Boxes], T], by: Sequence[str] | None = None) -> list[T]:
        """Give what work makes of what records may stand for in some columns (or all quasi-identifiers), in batches."""
        return self._engine.boxes(self.data, self.schema, self._named(by), work)

    def _named(self, by: Sequence[str] | None) -> tuple[str, ...]:
        names = self.schema.quasi if by is None else tuple(by)
        if not names:
            raise SchemaError("No column is a quasi-identifier.", "Name at least one (quasi=[...], --quasi a,b).")
        for name in names:
            _ = self.schema[name]
        return names

    def groups(self, work: Callable[[Classes], T], labels: Column, carry: Sequence[Carry] = ()) -> list[T]:
        """Give what work makes of the classes that a method has in mind: the records of each label, in batches.

        Batches follow each other in the order of the labels, which count up from 0 without gaps.
        """
        return self._engine.classes(self.data, self.schema, labels, tuple(carry), work)

    def combinations(self, people: Column, labels: Column, m: int, work: Callable[[Combinations], T]) -> list[T]:
        """Give what work makes of the combinations of up to m labels that people have, in batches of whole ones.

        A person has a label if any record of the person has it; one below zero is none. Too many are refused first.
        """
        return self._engine.combinations(people, labels, m, work)

    def counts(self, name: str) -> Counts:
        """Give the positions that occur in a column of exact cells, in ascending order, and how often each does."""
        _ = self.schema[name]
        return self._engine.counts(self.data, self.schema, name)

    def cells(self, names: Sequence[str], rows: Integers) -> tuple[Positions, Positions]:
        """Give both ends of the cells that some records, by their ascending numbers, have in some columns."""
        return self._engine.cells(self.data, self.schema, tuple(names), rows)

    def moments(self) -> Moments:
        """Give count, mean, deviation and limits of each quasi-identifier."""
        self._named(None)
        return self._engine.describe(self.data, self.schema)

    def number(self, by: Sequence[str | Column]) -> Column:
        """Number the records: those that are equal in all of some columns have the same number."""
        return self._engine.number(self.data, self.schema, self._keys(by))

    def map_rows(self, kernel: RowKernel) -> Column:
        """Compute one number per record from its quasi-identifiers."""
        return self._engine.map_rows(self.data, self.schema, kernel)

    def combine(self, kernel: Callable[..., Array], *columns: Column) -> Column:
        """Compute a new column row by row from other columns."""
        return self._engine.combine(kernel, *columns)

    def column(self, name: str) -> Column:
        """Give the cells of a column, whatever its role, one whole number each (see `shoal.engines.packed_cells`)."""
        return self._engine.column(self.data, self.schema, self.schema[name].name)

    def collect(self, kernel: Callable[..., T], *columns: Column) -> list[T]:
        """Give what a kernel finds in each stretch of records of some columns, in their order: something small.

        How many stretches there are depends on the engine, so what is made of all must not: sums are exact.
        """
        return self._engine.collect(kernel, *columns)

    def rank(self, keys: Sequence[str | Column], every: int = 1) -> Column:
        """Give each record's place when sorted by keys, the first of which matters most; ties keep their order.

        A key is a column that a verb gave, or the name of one of exact cells. ``every`` so many records share a place.
        """
        if every < 1:
            raise ParameterError("A class has at least one record.", "Let every=1, or more, share a place.")
        return self._engine.rank(self.data, self.schema, self._keys(keys), every)

    def _keys(self, keys: Sequence[str | Column]) -> Sequence[str | Column]:
        for name in (key for key in keys if isinstance(key, str)):
            _ = self.schema[name]
        return keys

    def map_blocks(
        self, keys: Callable[[], Sequence[str | Column]], least: int, kernel: PieceKernel, carry: Sequence[Carry] = (),
        *, ordered: bool,
    ) -> tuple[Column, int]:  # fmt: skip
        """Hand the records to a kernel in pieces of records with neighbouring keys, which puts them into groups.

        Gives a label per record, and their number. Within a piece records stand in the order of their keys if that is
        asked for, and else in that of the table: keys are then asked for only where there is more than one piece.
        Where pieces end depends on the table alone (see `shoal.engines.range_splits`). A piece holds at least so many
        records as asked for, if the table does, and all with equal keys, unless one cannot hold them.
        """
        return self._engine.map_blocks(self.data, self.schema, keys, least, kernel, tuple(carry), ordered=ordered)

    def merge_until(self, labels: Column, groups: int, promise: Promise) -> tuple[Column, int]:
        """Join classes that break a promise with the better of their neighbours; gives new labels, and their number."""
        return self._engine.merge_until(self.data, self.schema, labels, groups, promise)

    def generalize(
        self, labels: Column, groups: int, publish: Publication = "range", columns: Sequence[str] | None = None
    ) -> Table:
        """Publish the same cells for all records of a label, in some columns or in all quasi-identifiers.

        ``range`` is the hull of the cells: a range, or a set of categories. ``mean`` and ``median`` are those of
        numbers and dates; categories with an order then have their lower median, and others their mode. ``mode`` is
        the most frequent cell, the lowest of several. Where missing cells mix with others it is always ``*``.
        """
        return self._derived(self._engine.generalize(self.data, self.schema, labels, groups, publish, columns))

    def recode(self, rules: Mapping[str, Recoding]) -> Table:
        """Replace the exact values of columns by the parts of their axes that hold them, or widen their ranges."""
        return self._derived(self._engine.recode(self.data, self.schema, rules))

    def put(self, columns: Mapping[str, tuple[Axis, Column]]) -> Table:
        """Give columns other cells, one whole number each as `column` gives them, on axes that have them.

        A column that is released as it is keeps its texts where its axis and its cells are those that it had.
        """
        for name in columns:
            _ = self.schema[name]
        return self._derived(self._engine.put(self.data, self.schema, columns))

    def map_groups(self, labels: Column, kernel: GroupKernel, columns: Sequence[Column], width: int) -> Column:
        """Give each record the row of so many numbers that a kernel finds for it among the records of its label.

        The kernel is given the label and the columns of its records, in their order, and gives a row for each.
        """
        return self._engine.map_groups(self.data, labels, kernel, columns, width)

    def rewrite(self, kernel: CellKernel) -> Table:
        """Replace quasi-identifiers by cells that a kernel gives on the same axes, equal ones for equal records."""
        return replace(self, data=self._engine.rewrite(self.data, self.schema, kernel))

    def mask_unique(self, steps: Sequence[tuple[str, Stretches | None]], key: Sequence[str]) -> Table:
        """Bring columns to a level, or ``*``, in the records that no other equals in the key; ``masked`` counts it."""
        schema, data, masked = self._engine.mask_unique(self.data, self.schema, steps, key)
        return replace(self, schema=schema, data=data, masked=masked)

    def hide(self, names: Sequence[str], which: Column) -> Table:
        """Put ``*`` into cells of some columns, where the bits of each record say so: the lowest is about the first."""
        return replace(self, data=self._engine.hide(self.data, self.schema, self._named(names), which))

    def fill(
        self, plan: Callable[[Sequence[Integers]], Sequence[T]], kernel: Callable[[Spans, Flags, T], Positions]
    ) -> Table:
        """Replace the quasi-identifiers of whole records by the exact positions that a kernel gives for them.

        The plan is given how many cells of each column are not exact in each piece of the table, and returns what the
        kernel needs for each piece; the kernel also receives which cells are not exact.
        """
        return replace(self, data=self._engine.fill(self.data, self.schema, plan, kernel))

    def fold(self, released: Table, kernel: PairKernel) -> Array:
        """Sum a kernel over the records of this table and of its release, in the same order and on common axes.

        Sums of integers are exact, whatever their size: a kernel may give them as objects.
        """
        return self._engine.fold(self.data, self.schema, (released.data, released.schema), kernel)

    def blanked(self, names: Sequence[str]) -> Table:
        """Give the table with nothing in the missing cells of some carried columns, whatever marks stood there."""
        return replace(self, data=self.data.blanked(tuple(names)))

    def with_remark(self, public: Mapping[str, Any], private: Mapping[str, Any] | None = None) -> Table:
        """Give the table with what a method says of it, to everyone and to the holder of the original."""
        return replace(self, remarks=(*self.remarks, (public, public if private is None else private)))

    def _derived(self, changed: tuple[Schema, Data]) -> Table:
        return replace(self, schema=changed[0], data=changed[1])

    def in_released_order(self) -> tuple[Table, RowOrder]:
        """Give the same records in the released order, and the number of the row that each came from.

        That depends on nothing but what is released. Rows are sorted by quasi-identifiers, then by the other released
        columns. A cell without a value comes first, then ``*``. Numbers, dates and ordered categories are sorted by
        value, ranges of them by their lower and then their upper end; all else by what is written, in UTF-8.
        """
        data, order = self._engine.arrange(self.data, self.schema)
        return replace(self, data=data), order

    def rearranged(self, order: RowOrder) -> Table:
        """Give a table that stands in the released order in the order of the input."""
        return replace(self, data=self._engine.rearrange(self.data, self.schema, order))

    def to_arrow(self, *, cells: Cells | None = None) -> Any:
        """Give the released columns as an Arrow table.

        ``cells`` says what a generalized cell becomes: ``struct`` (its two ends) or ``text`` (as in a file). Left
        out, it is text for pandas, which has no structs, and struct elsewhere.
        """
        return self._frame("arrow", cells)

    def to_pandas(self, *, cells: Cells | None = None) -> Any:
        """Give the released columns as a pandas frame with an index of its own."""
        return self._frame("pandas", cells)

    def to_polars(self, *, cells: Cells | None = None) -> Any:
        """Give the released columns as a Polars frame."""
        return self._frame("polars", cells)

    def to_duckdb(self, *, cells: Cells | None = None) -> Any:
        """Give the released columns as a relation of DuckDB."""
        return self._frame("duckdb", cells)

    def to_spark(self, *, cells: Cells | None = None) -> Any:
        """Give the released columns as a frame of Spark, if its engine holds the table."""
        return self._frame("spark", cells)

    def to_native(self, *, cells: Cells | None = None) -> Any:
        """Give the released columns as a frame of the kind that was read; of a file, as an Arrow table."""
        given = self.origin.kind
        return self._frame(given if given in ("pandas", "polars", "duckdb", "spark") else "arrow", cells)

    def _frame(self, kind: str, cells: Cells | None) -> Any:
        return self._engine.frame(self.data, self.schema, kind, cells)

    def write(self, target: Source, layout: Layout) -> AbstractContextManager[Output]:
        """Write the released columns to a file or a folder, which the caller moves into place, or to a database.

        A table in a database is seen when it is committed; what is not committed in the block is undone.
        """
        return self._engine.write(self.data, self.schema, target, layout)

    def text_digest(self, layout: Layout) -> Written:
        """Give the SHA-256 of the delimited text that `write` would give."""
        return self._engine.text_digest(self.data, self.schema, layout)
