"""What engines and those who speak to them hand to each other: rows, boxes, pieces and moments as plain arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from shoal.arrays import Flags, Floats, Integers, Offsets, Positions
from shoal.domains.codebook import Codebook
from shoal.table import Carry, Classes, Written

# What is published for a group of rows: what holds all of its cells, or one value that stands for them.
Publication = Literal["range", "mean", "median", "mode"]


@dataclass(frozen=True)
class Moments:
    """What is known of each quasi-identifier: cells with a value, mean, sample deviation, lowest and highest."""

    count: Integers
    mean: Floats
    deviation: Floats
    lowest: Positions
    highest: Positions


@dataclass(frozen=True)
class Layout:
    """How a table is written.

    Attributes
    ----------
    delimiter
        Of text, what separates its cells. The encoding is always UTF-8 and lines end with a line feed.
    codebook
        What is said of its columns, which files of statistical programs hold too.
    cells
        What a range is: ``text``, or what suits the form of the file.
    bounds
        The columns that are shown by both ends of their ranges.
    """

    delimiter: str = ","
    codebook: Codebook | None = None
    cells: str | None = None
    bounds: tuple[str, ...] = ()


@dataclass(frozen=True)
class Output:
    """What was written, and what lets others see it if it was put into a database."""

    written: Written
    commit: Callable[[], None] = lambda: None


@dataclass(frozen=True)
class Spans:
    """A stretch of rows as kernels see them: both ends of each quasi-identifier, and the numbers behind positions."""

    lo: Positions
    hi: Positions
    table: Floats
    offsets: Offsets


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
    counts: Integers
    lowest: Positions
    highest: Positions
    missing: Flags


@dataclass(frozen=True)
class Combinations:
    """Some combinations of a size: the labels of each, in ascending order, and how many people have it."""

    size: int
    labels: Positions
    people: Positions


@dataclass(frozen=True)
class Piece:
    """Some rows in a given order, with the positions of other columns."""

    rows: Spans
    columns: Mapping[Carry, Positions]


@dataclass(frozen=True)
class Promise:
    """What every class is to keep: the columns that the formula looks at, the level of classes, and which suffice."""

    carry: tuple[Carry, ...]
    level: Callable[[Classes], Floats]
    met: Callable[[Floats], Flags]
    higher_is_better: bool
