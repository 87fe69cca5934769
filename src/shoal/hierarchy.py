"""Hierarchies: trees of categories, from the values themselves up to one root, and where each node lies.

Leaves are numbered in the order of the tree, so that every node is a stretch of them. What covers some leaves is then
found from the lowest and the highest of them, and a published node is a span like any other.
"""

from __future__ import annotations

import csv
import datetime
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.errors import DataError, ParameterError

ROOT = "*"


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A tree over values.

    Attributes
    ----------
    levels
        For each leaf, in the order of the tree, its own text and those of the nodes above it, up to the root.
    """

    levels: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, rows: Sequence[Sequence[str]], column: str, lines: Sequence[int] | None = None) -> Hierarchy:
        """Make a hierarchy from one row per leaf, levels from left to right, or say why it is no tree.

        A row may be there twice. ``lines`` tells on which line of a file each row stands.
        """
        if not rows:
            raise DataError(f"The hierarchy of '{column}' is empty.", "Give one row for each value.")
        lines = lines or range(1, len(rows) + 1)
        height = len(rows[0])
        for line, row in zip(lines, rows, strict=True):
            if len(row) != height:
                raise DataError(
                    f"The hierarchy of '{column}' has {len(row)} levels on line {line} and {height} "
                    f"on line {lines[0]}.",
                    "Give every value the same number of levels.",
                )
        rows, lines = _once(rows, lines, column)
        if len({row[-1] for row in rows}) > 1:
            rows = [(*row, ROOT) for row in rows]
        _refuse_two_parents(rows, lines, column)
        # Nodes stand where they first appear, so that the file's own order is kept as far as the tree allows.
        seen: list[dict[str, int]] = [{} for _ in rows[0]]
        for row in rows:
            for level, text in enumerate(row):
                seen[level].setdefault(text, len(seen[level]))
        ordered = sorted(rows, key=lambda row: [seen[level][row[level]] for level in range(len(row) - 1, -1, -1)])
        found = cls(tuple(tuple(row) for row in ordered))
        _ = found.spans  # a label that stands for two different sets of values is found here
        return found

    @classmethod
    def read(cls, path: str | Path, column: str) -> Hierarchy:
        """Read a CSV file without a header: one row per value, levels from left to right."""
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except OSError as error:
            raise DataError(f"The hierarchy '{path}' cannot be read: {error.strerror}.", "Check its name.") from None
        except UnicodeDecodeError:
            raise DataError(f"The hierarchy '{path}' is not UTF-8 text.", "Save it as UTF-8.") from None
        filled = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        delimiter = max(";,\t|", key=filled[0][1].count) if filled else ";"
        cells = csv.reader((line for _, line in filled), delimiter=delimiter)
        return cls.of([[cell.strip() for cell in row] for row in cells], column, [number for number, _ in filled])

    @classmethod
    def build(cls, text: str, values: Iterable[str], column: str) -> Hierarchy:
        """Build a hierarchy over values: ``bands 5,10,20`` (widths), ``prefix 4,3,1`` or ``dates``.

        >>> Hierarchy.build("bands 5,20", ["3", "4", "17", "21"], "age").levels[0]
        ('3', '0-4', '0-19', '*')
        """
        word, _, rest = text.strip().partition(" ")
        maker = BUILDERS.get(word)
        if maker is None:
            raise ParameterError(
                f"'{text}' is no way to build a hierarchy.",
                "Give a CSV file, or write: bands 5,10,20; prefix 4,3,1; dates.",
            )
        try:
            steps = [int(part) for part in rest.split(",")] if rest.strip() else []
            rows = [[value, *maker(value, steps), ROOT] for value in sorted(values, key=_natural)]
        except ValueError:
            raise ParameterError(
                f"'{text}' does not suit the values of column '{column}'.", "Choose another."
            ) from None
        return cls.of(rows, column)

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """The values, in the order of the tree."""
        return tuple(row[0] for row in self.levels)

    @cached_property
    def nodes(self) -> Mapping[tuple[int, int], str]:
        """The text of each stretch of leaves that is a node: the lowest one, where several cover the same leaves."""
        found: dict[tuple[int, int], str] = {}
        for level in range(len(self.levels[0])):
            start = 0
            for leaf in range(1, len(self.levels) + 1):
                if leaf == len(self.levels) or self.levels[leaf][level] != self.levels[start][level]:
                    found.setdefault((start, leaf - 1), self.levels[start][level])
                    start = leaf
        return found

    @cached_property
    def spans(self) -> Mapping[str, tuple[int, int]]:
        """The stretch of leaves of each node."""
        found: dict[str, tuple[int, int]] = {}
        for span, text in self.nodes.items():
            if text in found:
                raise DataError(
                    "Two nodes of a hierarchy have the same name but not the same values.", "Give each its own name."
                )
            found[text] = span
        return found

    @cached_property
    def tables(self) -> tuple[Positions, Positions, NDArray[np.float64]]:
        """Give the ends of each node, the lowest node above any two, and the share of the leaves that each adds."""
        spans = list(self.nodes)
        ends = np.array(spans, np.int32)
        above, leaves = self.above, len(self.levels)
        cover = np.full((len(spans), len(spans)), -1, np.int32)
        for level in range(above.shape[0]):
            there = above[level, ends[:, 0]]
            holds = ends[there, 1] >= ends[:, 1]  # whether the node at this level is above the node itself
            shared = (there[:, None] == there[None, :]) & holds[:, None] & holds[None, :] & (cover < 0)
            cover[shared] = np.broadcast_to(there[:, None], cover.shape)[shared]
        return ends, cover, (ends[:, 1] - ends[:, 0]) / max(leaves - 1, 1)

    @cached_property
    def above(self) -> Positions:
        """Give the number of the node over each leaf at each level, among all nodes."""
        number = {span: i for i, span in enumerate(self.nodes)}
        leaves = len(self.levels)
        found = np.zeros((len(self.levels[0]), leaves), np.int32)
        for level in range(len(self.levels[0])):
            start = 0
            for leaf in range(1, leaves + 1):
                if leaf == leaves or self.levels[leaf][level] != self.levels[start][level]:
                    found[level, start:leaf] = number[start, leaf - 1]
                    start = leaf
        return found

    @cached_property
    def branches(self) -> Positions:
        """The node over each leaf at each level below the root, numbered level by level: a line per level."""
        height = max(len(self.levels[0]) - 1, 1)
        found = np.zeros((height, len(self.levels)), np.int32)
        for level in range(height):
            names = [row[level] for row in self.levels]
            found[level, 1:] = np.cumsum([a != b for a, b in pairwise(names)])
        return found

    @cached_property
    def idle(self) -> bool:
        """Whether most levels, and more than two, join nothing: distances count levels, and all would be tiny."""
        joining = sum(bool((upper != lower).any()) for lower, upper in pairwise(self.branches))
        return len(self.branches) - 1 - joining > max(2, joining)

    def cover(self, low: Positions, high: Positions) -> tuple[Positions, Positions]:
        """Give for each stretch of leaves the ends of the lowest node that covers it."""
        ends = np.array(list(self.nodes), np.int32)
        found = np.full(low.shape, self.above[-1, 0], np.int32)
        for level in self.above[::-1]:
            found = np.where(level[low] == level[high], level[low], found)
        return np.ascontiguousarray(ends[found, 0]), np.ascontiguousarray(ends[found, 1])


def _once(
    rows: Sequence[Sequence[str]], lines: Sequence[int], column: str
) -> tuple[list[Sequence[str]], Sequence[int]]:
    """Give each value's row once: files of other tools have some twice. Two that disagree cannot both hold."""
    first: dict[str, int] = {}
    for i, row in enumerate(rows):
        before = first.setdefault(row[0], i)
        if tuple(rows[before]) != tuple(row):
            raise DataError(
                f"The hierarchy of '{column}' says two things of one value: line {lines[i]} disagrees with line "
                f"{lines[before]}.",
                "Remove one of them.",
            )
    return [rows[i] for i in first.values()], [lines[i] for i in first.values()]


def _refuse_two_parents(rows: Sequence[Sequence[str]], lines: Sequence[int], column: str) -> None:
    for level in range(len(rows[0]) - 1):
        parents: dict[str, tuple[str, int]] = {}
        for line, row in zip(lines, rows, strict=True):
            parent, before = parents.setdefault(row[level], (row[level + 1], line))
            if parent != row[level + 1]:
                raise DataError(
                    f"The hierarchy of '{column}' is no tree: line {line} gives a node a second parent, "
                    f"after line {before}.",
                    "Give each node one parent.",
                )


def _natural(value: str) -> tuple[int, float, str]:
    try:
        return 0, float(value), value
    except ValueError:
        return 1, 0.0, value


def _bands(value: str, widths: Sequence[int]) -> list[str]:
    number = int(value)
    if not widths or any(b % a for a, b in pairwise(widths)) or min(widths) < 1:
        raise ValueError
    lows = [number // width * width for width in widths]
    return [f"{low}-{low + width - 1}" for low, width in zip(lows, widths, strict=True)]


def _prefixes(value: str, kept: Sequence[int]) -> list[str]:
    if not kept or list(kept) != sorted(kept, reverse=True) or min(kept) < 1:
        raise ValueError
    return [value[:length] + "*" * (len(value) - length) for length in kept]


def _dates(value: str, steps: Sequence[int]) -> list[str]:
    day = datetime.date.fromisoformat(value[:10])
    return [f"{day:%Y-%m}", f"{day.year} Q{(day.month + 2) // 3}", f"{day.year}"]


BUILDERS: Mapping[str, Callable[[str, Sequence[int]], list[str]]] = {
    "bands": _bands,
    "prefix": _prefixes,
    "dates": _dates,
}
