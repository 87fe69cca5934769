"""Table, the only door to the data, and Classes, its records grouped by what is published of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal.conditions import Condition
from shoal.errors import ParameterError, SchemaError
from shoal.schema import Schema

if TYPE_CHECKING:
    from shoal.engines import Boxes, Counts, Engine, Moments

T = TypeVar("T")
Cells = Literal["struct", "text"]  # what a generalized cell becomes in a frame
# The number of the input row that each released row came from, in the released order, in stretches, whenever asked for.
RowOrder = Callable[[], Iterator[NDArray[np.int64]]]


@dataclass(frozen=True)
class Written:
    """What was written, or read: its SHA-256 and its length.

    The rows of a table in a database have no order of their own: ``sha256`` is then that of its sorted lines, and
    ``in_order`` that of the lines in the order in which they are kept.
    """

    sha256: str
    size: int
    in_order: str = ""


@dataclass(frozen=True)
class Origin:
    """Where a table came from: a name without its folder, its SHA-256, and the kind of object or file it was.

    ``place`` is the full path of a file, and ``beside`` are those of files that were read along with it, such as
    hierarchies. They are never written anywhere: they only keep a release from overwriting its own input. ``written``
    is what the engine's digest would have said of just the bytes or rows that were read, and ``content`` the same of
    the text in a file that may be compressed; frames have neither. ``people`` is how many different values and how many
    filled cells a column has that was left out, though it may tell people apart, if it was easy to count. ``labels`` is
    the index of a pandas frame, for its holder alone.
    """

    name: str
    sha256: str
    kind: str
    notes: tuple[str, ...] = ()
    given: Mapping[str, Any] = field(default_factory=dict)
    place: str | None = None
    beside: tuple[str, ...] = ()
    written: Written | None = None
    content: Written | None = None
    people: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    labels: Any = field(default=None, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        """Leave labels behind: what is pickled may be passed on, and they may be names."""
        return self.__dict__ | {"labels": None}


def printable(name: str) -> str:
    """Give a file name as text, whatever bytes it is made of."""
    return name.encode("utf-8", "replace").decode()


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


@dataclass(frozen=True, eq=False)
class Given:
    """A column that the engine gave before, to be carried: one number per record."""

    column: Any

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel with work as a name for the column, without what the engine holds of it."""
        return Given, (None,)


Carry = str | Ranked | Tally | Common | Given


@dataclass(frozen=True)
class Classes:
    """Some of a table's equivalence classes, whole: groups of records with the same published quasi-identifiers.

    ``columns`` holds what was asked to be carried: positions of other columns, class after class, so that class ``i``
    has the entries ``starts[i]:starts[i + 1]``; or, for a tally and what is common, one number per class. Records of a
    class stand in the order of the table. Classes by labels are in the order of the labels, and ``first`` is that of
    the first.
    """

    starts: NDArray[np.int64]
    columns: Mapping[Carry, NDArray[Any]]
    first: int = 0

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The number of records in each class."""
        return np.diff(self.starts)


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
        The original values of masked cells, per column: their positions and how often each was masked. Only a method
        that keeps count gives them, and they are written only when asked for.
    """

    schema: Schema
    data: Any
    engine: Engine
    origin: Origin
    masked: Mapping[str, Counts] = field(default_factory=dict, repr=False)

    @property
    def rows(self) -> int:
        """The number of records."""
        return self.engine.rows(self.data)

    def __repr__(self) -> str:
        """Show the shape, never a cell."""
        roles = ", ".join(f"{a.name} ({a.role}, {a.axis.kind})" for a in self.schema.attributes)
        return f"Table of {self.rows:,} records: {roles}"

    def classes(
        self, work: Callable[[Classes], T], by: Sequence[str] | None = None, carry: Sequence[Carry] = ()
    ) -> list[T]:
        """Give what work makes of the classes over some columns (all quasi-identifiers if none are named), in batches.

        Work is done where the data are, and gives something small.
        """
        return self.engine.classes(self.data, self.schema, self._named(by), tuple(carry), work)

    def boxes(self, work: Callable[[Boxes], T], by: Sequence[str] | None = None) -> list[T]:
        """Give what work makes of what records may stand for in some columns (or all quasi-identifiers), in batches."""
        return self.engine.boxes(self.data, self.schema, self._named(by), work)

    def _named(self, by: Sequence[str] | None) -> tuple[str, ...]:
        names = self.schema.quasi if by is None else tuple(by)
        if not names:
            raise SchemaError("No column is a quasi-identifier.", "Name at least one (quasi=[...], --quasi a,b).")
        for name in names:
            _ = self.schema[name]
        return names

    def groups(self, work: Callable[[Classes], T], labels: Any, carry: Sequence[Carry] = ()) -> list[T]:
        """Give what work makes of the classes that a method has in mind: the records of each label, in batches."""
        return self.engine.classes(self.data, self.schema, labels, tuple(carry), work)

    def counts(self, name: str) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Give the positions that occur in a column of exact cells, in ascending order, and how often each does."""
        _ = self.schema[name]
        return self.engine.counts(self.data, self.schema, name)

    def cells(self, names: Sequence[str], rows: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Give both ends of the cells that some records, by their ascending numbers, have in some columns."""
        return self.engine.cells(self.data, self.schema, tuple(names), rows)

    def moments(self) -> Moments:
        """Give count, mean, deviation and limits of each quasi-identifier."""
        if not self.schema.quasi:
            raise SchemaError("No column is a quasi-identifier.", "Name at least one (quasi=[...], --quasi a,b).")
        return self.engine.describe(self.data, self.schema)

    def blanked(self, names: Sequence[str]) -> Table:
        """Give the table with nothing in the missing cells of some carried columns, whatever marks stood there."""
        return replace(self, data=self.engine.blank(self.data, tuple(names)))

    def derive(self, changed: tuple[Schema, Any]) -> Table:
        """Give the table that an engine made of this one."""
        return replace(self, schema=changed[0], data=changed[1])

    def arranged(self) -> tuple[Table, RowOrder]:
        """Give the same records in the released order, and the number of the row that each came from.

        The released order depends on nothing but what is released. Rows are sorted by the quasi-identifiers, then by
        the other released columns, both in the order of the schema. A cell without a value comes first, then ``*``.
        Numbers, dates and ordered categories are sorted by their value, ranges of them by their lower and then their
        upper end; categories, sets, patterns, nodes of hierarchies and texts by what is written, byte by byte in
        UTF-8. Rows in which all this is equal are sorted by how the values of other columns are written, column by
        column, and then by values of a frame that are written alike. Rows that are still equal are the same row.
        """
        data, order = self.engine.arrange(self.data, self.schema)
        return replace(self, data=data), order

    def rearranged(self, order: RowOrder) -> Table:
        """Give a table that stands in the released order in the order of the input."""
        return replace(self, data=self.engine.rearrange(self.data, self.schema, order))

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
        return self.engine.frame(self.data, self.schema, kind, cells)
