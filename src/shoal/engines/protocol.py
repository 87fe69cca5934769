"""The verbs that every engine speaks. An engine holds data; what is done with them is written once, above it.

All verbs are mandatory. Methods speak of rows only through whole columns (`map_rows`, `combine`, `rank`), of groups
only through labels (`generalize`) and whole classes (`classes`), and of sums only through `fold`: each of these can be
done part by part, so that an engine may spread a table over many files or machines. What is handed to a verb to be
done with rows or classes may run elsewhere: it holds nothing large, no table and no column, and gives the same
whenever it is run.

An engine has data and columns of its own kind, ``D`` and ``C``, which nobody else looks into. `shoal.table.Table` has
every verb that is about a table, and says what it means; engines are spoken to through it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, Self, TypeVar

from shoal.arrays import Array, Counts, Flags, Floats, Integers, Labels, Positions
from shoal.domains.axis import Axis
from shoal.domains.levels import Recoding, Stretches
from shoal.engines.sources import Source
from shoal.engines.values import Boxes, Combinations, Layout, Moments, Output, Piece, Promise, Publication, Spans
from shoal.kernels.spans import Members
from shoal.schema import ReadOptions, Schema
from shoal.table import Carry, Classes, RowOrder, Table, Written

# What is computed for each row, what becomes of its cells, what is computed for each row and what became of it (group
# after group, if that is known), and what puts the rows of a piece into groups.
RowKernel = Callable[[Spans], Array]
CellKernel = Callable[[Spans], tuple[Positions, Positions]]
PairKernel = Callable[[Spans, Spans, Members | None], Array]
PieceKernel = Callable[[Piece], Labels]
# What finds a row of numbers for each record of a group, from the number of the group and its records' columns.
GroupKernel = Callable[[int, Sequence[Array]], Floats]


class Data(Protocol):
    """A table as an engine holds it."""

    @property
    def rows(self) -> int:
        """The number of records."""
        ...

    def blanked(self, names: Sequence[str]) -> Self:
        """Give the same records with nothing in the missing cells of some carried columns, whatever stood there."""
        ...

    def distances_from(self, original: Self) -> Floats | None:
        """Give how far records are from what is published for them (Eq. 4), summed; then for each attribute.

        It may have been found when just this release was made of the original; None if it was not.
        """
        ...


T = TypeVar("T")
D = TypeVar("D", bound=Data)
D_contra = TypeVar("D_contra", bound=Data, contravariant=True)
C = TypeVar("C")


class Storage(Protocol[D_contra]):
    """How tables come in and go out."""

    @property
    def name(self) -> str:
        """The name by which certificates call the engine."""
        ...

    def read(self, source: object, options: ReadOptions) -> Table:
        """Read a file, a folder, a table in a database, or a frame."""
        ...

    def digest(self, source: Source) -> Written:
        """Give the SHA-256 of what lies somewhere, as a certificate states it."""
        ...

    def write(self, data: D_contra, schema: Schema, target: Source, layout: Layout) -> AbstractContextManager[Output]:
        """Write the released columns to a file, a folder or a table in a database."""
        ...

    def text_digest(self, data: D_contra, schema: Schema, layout: Layout) -> Written:
        """Give the SHA-256 of the delimited text that `write` would give, without writing it."""
        ...

    # Any: a frame of whichever library the user has.
    def frame(self, data: D_contra, schema: Schema, kind: str, cells: str | None) -> Any:
        """Give the released columns as a frame of the user's kind."""
        ...


class Rows(Protocol[D, C]):
    """What is found out of records, and computed for each: in columns, beside the table."""

    def describe(self, data: D, schema: Schema) -> Moments:
        """Give the moments and limits of the quasi-identifiers."""
        ...

    def counts(self, data: D, schema: Schema, name: str) -> Counts:
        """Give the positions that occur in a column of exact cells, in ascending order, and how often each does."""
        ...

    def cells(self, data: D, schema: Schema, names: Sequence[str], rows: Integers) -> tuple[Positions, Positions]:
        """Give both ends of the cells that some records, by their ascending numbers, have in some columns."""
        ...

    def number(self, data: D, schema: Schema, by: Sequence[str | C]) -> C:
        """Number the records: those that are equal in all of some columns have the same number."""
        ...

    def map_rows(self, data: D, schema: Schema, kernel: RowKernel) -> C:
        """Compute one number per record from its quasi-identifiers."""
        ...

    def combine(self, kernel: Callable[..., Array], *columns: C) -> C:
        """Compute a new column row by row from other columns."""
        ...

    def column(self, data: D, schema: Schema, name: str) -> C:
        """Give the cells of a column, one whole number each (see `shoal.engines.packed_cells`)."""
        ...

    def collect(self, kernel: Callable[..., T], *columns: C) -> list[T]:
        """Give what a kernel finds in each stretch of records of some columns, in their order."""
        ...

    def rank(self, data: D, schema: Schema, keys: Sequence[str | C], every: int = 1) -> C:
        """Give each record's place when sorted by keys; every so many that follow each other share one."""
        ...

    def arrange(self, data: D, schema: Schema) -> tuple[D, RowOrder]:
        """Bring the records into the released order (see `Table.in_released_order`), and tell which row each came from.

        Rows that are equal in all that is released keep the order of the table.
        """
        ...

    def rearrange(self, data: D, schema: Schema, order: RowOrder) -> D:
        """Bring records in the released order back to the order of the table that they came from."""
        ...

    def fold(self, data: D, schema: Schema, released: tuple[D, Schema], kernel: PairKernel) -> Array:
        """Sum a kernel over the records of a table and of its release, in the same order and on common axes."""
        ...


class Groups(Protocol[D, C]):
    """How records are put into groups, looked at in groups, and published."""

    def classes(
        self, data: D, schema: Schema, by: tuple[str, ...] | C, carry: Sequence[Carry], work: Callable[[Classes], T]
    ) -> list[T]:
        """Give what work makes of batches of whole classes: by equal cells in some columns, or by labels."""
        ...

    def boxes(self, data: D, schema: Schema, by: tuple[str, ...], work: Callable[[Boxes], T]) -> list[T]:
        """Give what work makes of batches of the distinct boxes over some columns.

        Boxes of different batches have no point in common, unless every box of the table occurs more than once.
        """
        ...

    def combinations(self, people: C, labels: C, m: int, work: Callable[[Combinations], T]) -> list[T]:
        """Give what work makes of the combinations of up to m labels that people have, in batches of whole ones."""
        ...

    def map_blocks(
        self,
        data: D,
        schema: Schema,
        keys: Callable[[], Sequence[str | C]],
        least: int,
        kernel: PieceKernel,
        carry: Sequence[Carry],
        *,
        ordered: bool,
    ) -> tuple[C, int]:
        """Hand the records to a kernel in pieces, which puts them into groups; gives labels, and their number."""
        ...

    def merge_until(self, data: D, schema: Schema, labels: C, groups: int, promise: Promise) -> tuple[C, int]:
        """Join each class that breaks a promise with the better of its neighbours until none does, or one is left."""
        ...

    def generalize(
        self, data: D, schema: Schema, labels: C, groups: int, publish: Publication, columns: Sequence[str] | None
    ) -> tuple[Schema, D]:
        """Publish the same cells for all records of a label, in some columns or in all quasi-identifiers."""
        ...

    def recode(self, data: D, schema: Schema, rules: Mapping[str, Recoding]) -> tuple[Schema, D]:
        """Replace the exact values of columns by the parts of their axes that hold them."""
        ...

    def put(self, data: D, schema: Schema, columns: Mapping[str, tuple[Axis, C]]) -> tuple[Schema, D]:
        """Give columns other cells, one whole number each, on axes that have them."""
        ...

    def map_groups(
        self, data: D, labels: C, kernel: GroupKernel, columns: Sequence[C], width: int
    ) -> C:  # fmt: skip
        """Give each record the row of so many numbers that a kernel finds for it among the records of its label."""
        ...

    def rewrite(self, data: D, schema: Schema, kernel: CellKernel) -> D:
        """Replace quasi-identifiers by cells that a kernel gives on the same axes, equal ones for equal records."""
        ...

    def mask_unique(
        self, data: D, schema: Schema, steps: Sequence[tuple[str, Stretches | None]], key: Sequence[str]
    ) -> tuple[Schema, D, Mapping[str, Counts]]:
        """Bring one column after the other to a level in the records that no other equals in the key columns.

        Also gives, per column, the original positions of the cells that were changed and how often each occurs.
        """
        ...

    def hide(self, data: D, schema: Schema, names: Sequence[str], which: C) -> D:
        """Put ``*`` into the cells of some columns, in the records whose number has the bit of the column."""
        ...

    def fill(
        self,
        data: D,
        schema: Schema,
        plan: Callable[[Sequence[Integers]], Sequence[T]],
        kernel: Callable[[Spans, Flags, T], Positions],
    ) -> D:
        """Replace the quasi-identifiers of whole records by the exact positions that a kernel gives for them."""
        ...


class Engine(Storage[D], Rows[D, C], Groups[D, C], Protocol[D, C]):
    """Where data are held and how they are reached."""


# Any, twice: an engine of whatever kind. Its data and columns go from verb to verb, and only it looks into them.
AnyEngine = Engine[Any, Any]
