"""Hierarchies: trees of categories, from the values themselves up to one root, and where each node lies.

Leaves are numbered in the order of the tree, so that every node is a stretch of them. What covers some leaves is then
found from the lowest and the highest of them, and a published node is a span like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.domains.hierarchy_builders import build_groups
from shoal.domains.hierarchy_file import GROUP, HierarchyFile, apart
from shoal.domains.range_leaves import over_values
from shoal.errors import DataError
from shoal.kernels import MISSING, TOP

ROOT = "*"


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A tree over values.

    Attributes
    ----------
    levels
        For each leaf, in the order of the tree, its own text and those of the nodes above it, up to the root.
    note
        What is to be said about how it was read.
    """

    levels: tuple[tuple[str, ...], ...]
    note: str = ""

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
        # Nodes are numbered as they first appear, so that the file's own order is kept as far as the tree allows.
        names, codes = (list(each) for each in zip(*map(_numbered, zip(*rows, strict=True)), strict=True))
        first = _first_of_each(codes[0])
        _refuse_disagreement(codes, first, lines, column)
        codes = [code[first] for code in codes]
        if len(names[-1]) > 1:
            names, codes = [*names, (ROOT,)], [*codes, np.zeros(first.size, np.int32)]
        _refuse_two_parents(codes, [lines[i] for i in first.tolist()], column)
        order = np.lexsort(codes)
        texts = ([name[i] for i in code[order].tolist()] for name, code in zip(names, codes, strict=True))
        found = cls(tuple(zip(*texts, strict=True)))
        _ = found.spans  # a label that stands for two different sets of values is found here
        return found

    @classmethod
    def read(cls, path: str | Path, column: str, values: Iterable[str] = ()) -> Hierarchy:
        """Read a CSV file: one row per value, levels from left to right. A line that names the levels is left out.

        Where all rows begin with ranges (``0-4``, ``[0;4]``, ``90+``), the values of the column are put into them.
        """
        found = HierarchyFile.read(path)
        rows, notes = over_values(found.rows, values, column), []
        lines = found.lines if rows is found.rows else None
        if found.heading:
            notes.append(f"the first line of the hierarchy of '{column}' names its levels")
        rows, again = apart(rows)
        if again:
            names = "a name of its hierarchy stands" if again == 1 else f"{again} names of its hierarchy stand"
            notes.append(f"in '{column}' {names} for two nodes: the upper one is now called 'NAME{GROUP}'")
        return replace(cls.of(rows, column, lines), note="; ".join(notes))

    @classmethod
    def build(cls, text: str, values: Iterable[str] | Mapping[str, int], column: str) -> Hierarchy:
        """Build a hierarchy over values, in a way that has a name, such as ``bands 5,10,20`` or ``prefix 4,3,1``.

        How often each value occurs may be given as well: some ways go by that.

        >>> Hierarchy.build("bands 5,20", ["3", "4", "17", "21"], "age").levels[0]
        ('3', '0-4', '0-19', '*')
        >>> Hierarchy.build("cuts 18,65", ["3", "18", "70"], "age").levels
        (('3', 'under 18', '*'), ('18', '18-64', '*'), ('70', '65 and over', '*'))
        """
        counts = values if isinstance(values, Mapping) else dict.fromkeys(values, 1)
        ordered, groups = build_groups(text, counts, column)
        return cls.of([[value, *above, ROOT] for value, above in zip(ordered, groups, strict=True)], column)

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """The values, in the order of the tree."""
        return tuple(row[0] for row in self.levels)

    @cached_property
    def nodes(self) -> Mapping[tuple[int, int], str]:
        """The text of each stretch of leaves that is a node: the lowest one, where several cover the same leaves."""
        ends, _, texts = self._nodes
        return dict(zip(zip(*ends.T.tolist(), strict=True), texts, strict=True))

    @cached_property
    def spans(self) -> Mapping[str, tuple[int, int]]:
        """The stretch of leaves of each node."""
        found = dict(zip(self.nodes.values(), self.nodes, strict=True))
        if len(found) < len(self.nodes):
            raise DataError(
                "Two nodes of a hierarchy have the same name but not the same values.", "Give each its own name."
            )
        return found

    @cached_property
    def labels(self) -> Mapping[str, tuple[int, int]]:
        """The stretch of leaves of each name on any level: of levels that join nothing too, whose nodes have others."""
        found: dict[str, tuple[int, int]] = {}
        for level in zip(*self.levels, strict=True):
            for place, name in enumerate(level):
                found[name] = found.get(name, (place, place))[0], place
        return found | dict(self.spans)

    @cached_property
    def tables(self) -> tuple[Positions, Positions, NDArray[np.float64]]:
        """Give the ends of each node, the node above it, and the share of the leaves that it adds.

        A node has a lesser number than the one above it; the root, which has the greatest, has none but itself.
        """
        ends, above, _ = self._nodes
        parents = np.arange(len(ends), dtype=np.int32)
        for lower, upper in pairwise(above):
            parents[lower[lower != upper]] = upper[lower != upper]
        return ends, parents, (ends[:, 1] - ends[:, 0]) / max(len(self.levels) - 1, 1)

    @property
    def above(self) -> Positions:
        """Give the number of the node over each leaf at each level, among all nodes."""
        return self._nodes[1]

    @cached_property
    def _nodes(self) -> tuple[Positions, Positions, Sequence[str]]:
        """Number the nodes level by level: the ends of each, those over each leaf at each level, and their texts."""
        leaves = np.arange(len(self.levels), dtype=np.int32)
        ends, above, texts = np.column_stack([leaves, leaves]), [leaves], list(self.leaves)
        for level, runs in enumerate(self._runs[1:], 1):
            first = np.flatnonzero(np.diff(runs, prepend=-1)).astype(np.int32)
            last = np.append(first[1:], np.int32(leaves.size)) - np.int32(1)
            below = above[-1][first]
            fresh = ends[below, 1] < last  # what holds no more leaves than a node below is that node
            number = np.where(fresh, len(ends) - 1 + np.cumsum(fresh), below).astype(np.int32)
            ends = np.concatenate([ends, np.column_stack([first[fresh], last[fresh]])])
            texts += [self.levels[leaf][level] for leaf in first[fresh].tolist()]
            above.append(number[runs])
        return ends, np.stack(above), texts

    @cached_property
    def _runs(self) -> Positions:
        """Number the nodes of each level from 0, without those of others: a line per level."""
        found = np.zeros((len(self.levels[0]), len(self.levels)), np.int32)
        for level, line in enumerate(found):
            names = np.array([row[level] for row in self.levels], dtype=object)
            np.cumsum(names[1:] != names[:-1], out=line[1:])
        return found

    @property
    def branches(self) -> Positions:
        """The node over each leaf at each level below the root, numbered level by level: a line per level."""
        return self._runs[: max(len(self.levels[0]) - 1, 1)]

    @cached_property
    def idle(self) -> bool:
        """Whether most levels, and more than two, join nothing: distances count levels, and all would be tiny."""
        joining = sum(bool((upper != lower).any()) for lower, upper in pairwise(self.branches))
        return len(self.branches) - 1 - joining > max(2, joining)

    def cover(self, low: Positions, high: Positions) -> tuple[Positions, Positions]:
        """Give for each stretch of leaves the ends of the lowest node that covers it."""
        ends, above, _ = self._nodes
        found = np.full(low.shape, above[-1, 0], np.int32)
        for level in above[::-1]:
            found = np.where(level[low] == level[high], level[low], found)
        return np.ascontiguousarray(ends[found, 0]), np.ascontiguousarray(ends[found, 1])

    def shown(self, low: Positions, high: Positions) -> tuple[Positions, Positions]:
        """Give for each stretch of leaves the cell that a release shows: the node, or ``*`` if its root is no more."""
        low, high = self.cover(low, high)
        nothing = (low == 0) & (high == len(self.levels) - 1) & (self.nodes[0, len(self.levels) - 1] == ROOT)
        return np.where(nothing, MISSING, low).astype(np.int32), np.where(nothing, TOP, high).astype(np.int32)


def _numbered(texts: Sequence[str]) -> tuple[tuple[str, ...], Positions]:
    """Give the distinct texts in the order in which they first appear, and the number of each text among them."""
    seen: dict[str, int] = {}
    codes = np.fromiter((seen.setdefault(text, len(seen)) for text in texts), np.int32, len(texts))
    return tuple(seen), codes


def _first_of_each(codes: Positions) -> NDArray[np.int64]:
    """Give where each code stands for the first time."""
    return np.unique(codes, return_index=True)[1]


def _refuse_disagreement(
    codes: Sequence[Positions], first: NDArray[np.int64], lines: Sequence[int], column: str
) -> None:
    """Let a value have its row twice, as in files of other tools; two that disagree cannot both hold."""
    before = first[codes[0]]
    wrong = np.flatnonzero(np.any([code != code[before] for code in codes], axis=0))
    if wrong.size:
        raise DataError(
            f"The hierarchy of '{column}' says two things of one value: line {lines[wrong[0]]} disagrees with line "
            f"{lines[before[wrong[0]]]}.",
            "Remove one of them.",
        )


def _refuse_two_parents(codes: Sequence[Positions], lines: Sequence[int], column: str) -> None:
    for lower, upper in pairwise(codes):
        before = _first_of_each(lower)[lower]
        wrong = np.flatnonzero(upper != upper[before])
        if wrong.size:
            raise DataError(
                f"The hierarchy of '{column}' is no tree: line {lines[wrong[0]]} gives a node a second parent, "
                f"after line {lines[before[wrong[0]]]}.",
                "Give each node one parent.",
            )
