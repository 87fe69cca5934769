"""The verbs that every engine speaks. An engine holds data; what is done with them is written once, above it.

All verbs are mandatory. Methods speak of rows only through whole columns (`map_rows`, `combine`, `rank`, `runs`), of
groups only through labels (`regroup`) and whole classes (`classes`), and of sums only through `fold`: each of these
can be done part by part, so that an engine may spread a table over many files or machines. What is handed to a verb to
be done with rows or classes may run elsewhere: it holds nothing large, no table and no column, and gives the same
whenever it is run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal.engines.sources import Source
from shoal.engines.streams import as_given, at_hand
from shoal.errors import ParameterError
from shoal.kernels.spans import Members
from shoal.levels import Stretches
from shoal.progress.showing import by_itself
from shoal.schema import ReadOptions, Schema, options_from
from shoal.table import Carry, Classes, RowOrder, Table
from shoal.table import Written as Written

Positions = NDArray[np.int32]
# Positions on an axis, in ascending order, and how often each occurs.
Counts = tuple[Positions, NDArray[np.int64]]
# What is published for a group of rows: what holds all of its cells, or one value that stands for them.
Publication = Literal["range", "mean", "median", "mode"]
T = TypeVar("T")


@dataclass(frozen=True)
class Moments:
    """What is known of each quasi-identifier: cells with a value, mean, sample deviation, lowest and highest."""

    count: NDArray[np.int64]
    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]
    lowest: Positions
    highest: Positions


@dataclass(frozen=True)
class Layout:
    """How a table is written: its delimiter. The encoding is always UTF-8 and lines end with a line feed."""

    delimiter: str = ","


@dataclass(frozen=True)
class Stored:
    """What was put into a database, and what lets others see it."""

    written: Written
    commit: Callable[[], None]


@dataclass(frozen=True)
class Spans:
    """A stretch of rows as kernels see them: both ends of each quasi-identifier, and the numbers behind positions."""

    lo: Positions
    hi: Positions
    table: NDArray[np.float64]
    offsets: NDArray[np.int64]


@dataclass(frozen=True)
class Boxes:
    """Distinct boxes of exact values that records may stand for, one cell per column, and how often each occurs.

    Whatever the batch, ``lowest`` and ``highest`` are the limits of each column in the whole table (the first above
    the second if no cell has a value), and ``missing`` says whether any of its cells has none: they are what ``*``
    stands for.
    """

    names: tuple[str, ...]
    lo: Positions
    hi: Positions
    counts: NDArray[np.int64]
    lowest: Positions
    highest: Positions
    missing: NDArray[np.bool_]


@dataclass(frozen=True)
class Piece:
    """Some rows in a given order, with the positions of other columns."""

    rows: Spans
    columns: Mapping[Carry, Positions]


@dataclass(frozen=True)
class Promise:
    """What every class is to keep: the columns that the formula looks at, the level of classes, and which suffice."""

    carry: tuple[Carry, ...]
    level: Callable[[Classes], NDArray[np.float64]]
    met: Callable[[NDArray[np.float64]], NDArray[np.bool_]]
    higher_is_better: bool


class Engine(Protocol):
    """Where data are held and how they are reached."""

    @property
    def name(self) -> str:
        """The name by which certificates call the engine."""
        ...

    def read(self, source: Any, options: ReadOptions) -> Table:
        """Read a file, a folder, a table in a database, or a frame."""
        ...

    def digest(self, source: Source) -> Written:
        """Give the SHA-256 of what lies somewhere, as a certificate states it."""
        ...

    def store(self, data: Any, schema: Schema, target: Source) -> AbstractContextManager[Stored]:
        """Write the released columns to a table in a database; what is not committed in the block is undone."""
        ...

    def write(self, data: Any, schema: Schema, path: str, layout: Layout) -> Written:
        """Write the released columns under a new name, to a folder if it ends so; the caller moves it into place."""
        ...

    def text_digest(self, data: Any, schema: Schema, layout: Layout) -> Written:
        """Give the SHA-256 of the delimited text that `write` would give, without writing it."""
        ...

    def frame(self, data: Any, schema: Schema, kind: str, cells: str | None) -> Any:
        """Give the released columns as a frame of the user's kind."""
        ...

    def blank(self, data: Any, names: Sequence[str]) -> Any:
        """Leave the missing cells of some carried columns empty, whatever marks stood there."""
        ...

    def rows(self, data: Any) -> int:
        """Count the records."""
        ...

    def describe(self, data: Any, schema: Schema) -> Moments:
        """Give the moments and limits of the quasi-identifiers."""
        ...

    def counts(self, data: Any, schema: Schema, name: str) -> Counts:
        """Give the positions that occur in a column of exact cells, in ascending order, and how often each does."""
        ...

    def cells(
        self, data: Any, schema: Schema, names: Sequence[str], rows: NDArray[np.int64]
    ) -> tuple[Positions, Positions]:
        """Give both ends of the cells that some records, by their ascending numbers, have in some columns."""
        ...

    def classes(
        self, data: Any, schema: Schema, by: Any, carry: Sequence[Carry], work: Callable[[Classes], T]
    ) -> list[T]:
        """Give what work makes of batches of whole classes: by equal cells in some columns, or by labels.

        Batches by labels follow each other in the order of the labels, which count up from 0 without gaps.
        """
        ...

    def boxes(self, data: Any, schema: Schema, by: tuple[str, ...], work: Callable[[Boxes], T]) -> list[T]:
        """Give what work makes of batches of the distinct boxes over some columns.

        Boxes of different batches have no point in common, unless every box of the table occurs more than once.
        """
        ...

    def number(self, data: Any, schema: Schema, by: Sequence[Any]) -> Any:
        """Number the records by their cells: equal cells, equal number. Columns are named, or numbered already."""
        ...

    def map_rows(self, data: Any, schema: Schema, kernel: Callable[[Spans], Any]) -> Any:
        """Compute one number per row from its quasi-identifiers."""
        ...

    def combine(self, kernel: Callable[..., Any], *columns: Any) -> Any:
        """Compute one number per row from those that other columns have for it."""
        ...

    def rank(self, data: Any, schema: Schema, keys: Sequence[Any]) -> Any:
        """Give each row's place when sorted by keys, the first of which matters most; ties keep the row order.

        A key is the name of a column of exact cells, or what `map_rows` gave.
        """
        ...

    def runs(self, data: Any, schema: Schema, keys: Sequence[Any], size: int) -> tuple[Any, int]:
        """Sort the rows by keys, as `rank` does, and put every ``size`` that follow each other into one group.

        The last group takes what is left over. Gives the label of each row, and how many groups there are.
        """
        ...

    def cut(
        self, data: Any, schema: Schema, keys: Sequence[Any], least: int, kernel: Callable[[Piece], Positions],
        carry: Sequence[Carry] = (),
    ) -> tuple[Any, int]:  # fmt: skip
        """Sort the rows by keys and hand them to a kernel in pieces; gives a label per row, and their number.

        Where pieces end depends on the table alone, not on what holds it (see `shoal.engines.pieces`). A piece holds
        at least so many rows as asked for, if the table does, and rows with equal keys are in the same piece, unless
        they are more than a piece can hold. The kernel numbers the groups within a piece from 0.
        """
        ...

    def divide(
        self, data: Any, schema: Schema, keys: Callable[[], Sequence[Any]], least: int,
        kernel: Callable[[Piece], Positions], carry: Sequence[Carry] = (),
    ) -> tuple[Any, int]:  # fmt: skip
        """Hand the rows to a kernel in pieces, in the order of the table; gives a label per row, and their number.

        It is `cut` for kernels that would rather see the whole table: keys only say which rows go together where there
        are too many of them, and are asked for only then.
        """
        ...

    def mend(self, data: Any, schema: Schema, labels: Any, groups: int, promise: Promise) -> tuple[Any, int]:
        """Join each class that breaks a promise with the better of its neighbours until none does, or one is left.

        Gives the new labels, along the same order, and their number.
        """
        ...

    def regroup(
        self, data: Any, schema: Schema, labels: Any, groups: int, publish: Publication = "range",
        columns: Sequence[str] | None = None,
    ) -> tuple[Schema, Any]:  # fmt: skip
        """Publish the same cells for all rows of a group, in some columns or in all quasi-identifiers.

        ``range`` is the hull of the cells: a range, or a set of categories. ``mean`` and ``median`` are those of
        numbers and dates; categories with an order then have their lower median, and others their mode. ``mode`` is
        the most frequent cell, the lowest of several. Where missing cells mix with others it is always ``*``.
        """
        ...

    def recode(self, data: Any, schema: Schema, rules: Mapping[str, Stretches]) -> tuple[Schema, Any]:
        """Replace the exact values of columns by the parts of their axes that hold them."""
        ...

    def mask_alone(
        self, data: Any, schema: Schema, steps: Sequence[tuple[str, Stretches | None]], key: Sequence[str]
    ) -> tuple[Schema, Any, Mapping[str, Counts]]:
        """Bring one column after the other to a level in the records that no other equals in the key columns.

        None stands for the wildcard. Also gives, per column, the original positions of the cells that were changed
        and how often each occurs among them.
        """
        ...

    def fill(
        self,
        data: Any,
        schema: Schema,
        plan: Callable[[Sequence[NDArray[np.int64]]], Sequence[T]],
        kernel: Callable[[Spans, NDArray[np.bool_], T], Positions],
    ) -> tuple[Schema, Any]:
        """Replace the quasi-identifiers of whole rows by the exact positions that a kernel gives for them.

        The plan is told how many cells of each column are not exact in each piece of the table, and says what the
        kernel is to know for each piece; the kernel is also told which cells are not exact.
        """
        ...

    def arrange(self, data: Any, schema: Schema) -> tuple[Any, RowOrder]:
        """Bring the records into the released order (see `Table.arranged`), and tell which row each came from.

        Rows that are equal in all that is released keep the order of the table.
        """
        ...

    def rearrange(self, data: Any, schema: Schema, order: RowOrder) -> Any:
        """Bring records in the released order back to the order of the table that they came from."""
        ...

    def distances(self, original: Table, released: Table) -> NDArray[np.float64] | None:
        """Give how far records are from what is published for them (Eq. 4), summed; then for each attribute.

        An engine may have found it when it published the release; None if it has not.
        """
        ...

    def fold(
        self, original: Table, released: Table, kernel: Callable[[Spans, Spans, Members | None], NDArray[Any]]
    ) -> NDArray[Any]:
        """Sum a kernel over the rows of two tables that stand in the same order, on common axes.

        Sums of integers are exact, whatever their size: a kernel may give them as objects.
        """
        ...


def default_engine() -> Engine:
    """Give the engine that is used when none is named."""
    from shoal.engines.local import Local

    return Local()


# Engines that can be named, and where each is made: with sources, how to read them, a limit of memory and a target.
ENGINES = {"local": "shoal.engines.choosing:on_this_machine", "spark": "shoal.engines.spark:from_environment"}


def engine_for(
    sources: Sequence[Any],
    options: ReadOptions,
    *,
    engine: Engine | str | None = None,
    memory: str | int | None = None,
    target: Any = None,
) -> Engine:
    """Give the engine for some tables that are read in the same way: the one named, or one on this machine.

    Parameters
    ----------
    sources
        What will be read.
    options
        How.
    engine
        An engine, ``local`` or ``spark``; the one on this machine if left out.
    memory
        How much memory may be used on this machine, such as ``2GB``; a share of what is free if left out. Tables that
        would need more are kept on disk and worked on part by part.
    target
        Where a release will be written, if that is known: Parquet and databases need memory for that too.
    """
    if engine is not None and not isinstance(engine, str):
        return engine
    name = engine or "local"
    if name not in ENGINES:
        raise ParameterError(f"There is no engine '{name}'.", f"There are: {', '.join(ENGINES)}.")
    module, _, maker = ENGINES[name].partition(":")
    made: Engine = getattr(import_module(module), maker)(sources, options, memory, target)
    return made


def read(
    source: Any,
    *,
    engine: Engine | str | None = None,
    memory: str | int | None = None,
    target: Any = None,
    options: ReadOptions | None = None,
    **given: Any,
) -> Table:
    """Read a table from a file or a frame.

    Parameters
    ----------
    source
        The path of a delimited text file (``.gz`` and ``.zst`` are compressed) or of a Parquet file, a folder of
        Parquet files, a table in a database (``postgresql://…?table=t``, ``duckdb:///file.db?table=t``), ``-`` for
        stdin, or any object that speaks the Arrow stream protocol: pandas, Polars, PyArrow, DuckDB. It is not changed.
    engine
        Where the data are held: an engine, or the name of one; this machine if left out.
    memory
        How much memory may be used on this machine, such as ``2GB``; a share of what is free if left out. A file that
        would need more is kept on disk and worked on part by part.
    target
        Where a release will be written, if that is known: Parquet and databases need memory for that too.
    options
        How to read; or give its parts by name:
    **given
        ``quasi``, ``sensitive``, ``plain``, ``identifier`` (names), ``subject``, ``weight`` (a name),
        ``last_sensitive`` for the paper's format; ``kinds``, ``orders``, ``hierarchies``, ``knowledge`` (by column),
        ``delimiter``, ``encoding``, ``decimal``, ``thousands``, ``dates``, ``missing``, ``header``, ``masked``.
        A hierarchy is a CSV file (a line per value, from left to right), ``bands 5,20``, ``prefix 3,1`` or ``dates``.

    Returns
    -------
    Table
        The columns that were given a role. Others are left out.

    Examples
    --------
    >>> import polars as pl
    >>> people = read(pl.DataFrame({"age": [34, 35], "ill": ["yes", "no"]}), quasi=["age"], sensitive=["ill"])
    >>> people
    Table of 2 records: age (quasi, integer), ill (sensitive, category)
    """
    how = options or options_from(given)
    there = at_hand(source)
    name = Source.parse(source).name if isinstance(source, str | Path | Source) else "a frame"
    with by_itself(f"reading {name}"):
        held_by = engine_for([there], how, engine=engine, memory=memory, target=target)
        return as_given(held_by.read(there, how), there)
