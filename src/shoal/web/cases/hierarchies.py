"""Hierarchies as someone decides on them, with the people under each group, and how small groups are merged."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, pairwise
from typing import Any, Literal

from shoal.domains import hierarchy_edits
from shoal.domains.hierarchy import Hierarchy
from shoal.domains.hierarchy_builders import WAYS, builds
from shoal.domains.hierarchy_file import GROUP
from shoal.errors import DataError, ParameterError
from shoal.web.file_access import safe_name

MergeInto = Literal["neighbour", "parent"]
Edit = Literal["move", "split", "merge", "rename", "dissolve", "borders", "add", "remove"]
ValuePath = tuple[str, ...]
IN_A_GROUP = 40  # groups or values of one group that are drawn
_DRAWN = 3000  # of all of them
_NAMES = 3  # that are given of a group that several have become
_BAND = re.compile(r"(-?\d+)-(-?\d+)")


@dataclass(frozen=True)
class HierarchyNode:
    """A group of values: its name, how many people and values it has, and the groups or values in it."""

    name: str
    people: int
    values: int
    inside: tuple[HierarchyNode, ...] = ()


@dataclass(frozen=True)
class GroupOfLevel:
    """A group of a level: its name, the one above it, and how many people it has."""

    name: str
    above: str
    people: int


@dataclass(frozen=True)
class ColumnHierarchy:
    """A hierarchy of one column.

    Parameters
    ----------
    how
        How it is built from the values, such as ``bands 5,20``; nothing if it is a file of its own.
    rows
        For each value, in the order of the tree, its own text and the groups above it, up to the root.
    counts
        How many people have each value.
    texts
        The labels that values are read as without the tree, if it is one of codes.
    """

    how: str
    rows: tuple[ValuePath, ...]
    counts: tuple[int, ...]
    texts: tuple[str, ...] = ()

    @cached_property
    def digest(self) -> str:
        """A name of the tree, for what was found with it."""
        return hashlib.sha256(json.dumps([self.how, [] if self.how else self.rows]).encode()).hexdigest()[:16]

    @property
    def people(self) -> int:
        """How many people have a value."""
        return sum(self.counts)

    @property
    def label(self) -> str:
        """The tree in a few words."""
        if not self.rows:  # it came from elsewhere, without the values
            return self.how
        groups = len({row[1] for row in self.rows}) if len(self.rows[0]) > 2 else 0
        made = self.how or "a tree of its own"
        return f"{made}: {len(self.rows):,} values, {groups:,} groups, {len(self.rows[0])} levels"

    def csv(self) -> str:
        """Give the tree as a file: a line for each value, levels from left to right."""
        out = io.StringIO()
        csv.writer(out, delimiter=";", lineterminator="\n").writerows(self.editable.rows)
        return out.getvalue()

    @cached_property
    def root(self) -> HierarchyNode:
        """The tree from its root; a group that only has the values of the one below it stands there once."""
        return _node(list(zip(self.rows, self.counts, strict=True)), len(self.rows[0]) - 1)

    @cached_property
    def depth_drawn(self) -> int:
        """How many levels below the root are drawn: as many as a page can show, or one."""
        depth, level, drawn = 0, self.root.inside[:IN_A_GROUP], 1
        while level and (depth == 0 or drawn + len(level) <= _DRAWN):
            depth, drawn = depth + 1, drawn + len(level)
            level = tuple(each for node in level for each in node.inside[:IN_A_GROUP])
        return depth

    @property
    def top(self) -> int:
        """The level of the root; values are level 0."""
        return len(self.rows[0]) - 1

    def some(self, number: int) -> list[tuple[ValuePath, int]]:
        """Give some values with the groups above them and their people, from all over the tree."""
        both = list(zip(self.rows, self.counts, strict=True))
        return both[:: max(1, len(both) // number)][:number]

    def groups(self, level: int) -> list[GroupOfLevel]:
        """Give what there is on a level, in the order of the tree: its name, the group above it, and its people."""
        people = _people([list(row) for row in self.rows], self.counts, level)
        above = {row[level]: row[min(level + 1, self.top)] for row in self.rows}
        return [GroupOfLevel(name, above[name], people[name]) for name in above]

    @property
    def editable(self) -> ColumnHierarchy:
        """The same tree as one that can be changed: over values as they are read without it.

        A tree by labels is one of codes, which are read for its sake alone.
        """
        if not self.texts:
            return self
        both = zip(self.texts, self.rows, strict=True)
        rows = tuple((text, *map(self._beside_texts, row[1:])) for text, row in both)
        return replace(self, how="", rows=rows, texts=())

    def _beside_texts(self, group: str) -> str:
        """Give a group another name than its values: it may soon hold more than the one that is called so."""
        return f"{group}{GROUP}" if group in self.texts else group

    def edited(self, action: Edit, level: int, groups: Sequence[str], name: str) -> ColumnHierarchy:
        """Change groups of a level; the library looks at the tree as at any other."""
        if self.texts:
            values = dict(zip((row[0] for row in self.rows), self.texts, strict=True))
            called = [self._beside_texts(each) if level else values.get(each, each) for each in groups]
            return self.editable.edited(action, level, called, self._beside_texts(name) if action == "move" else name)
        tree = Hierarchy(self.rows)
        one = groups[0] if len(groups) == 1 else ""
        if action in ("rename", "dissolve") and not one:
            raise ParameterError("One group is renamed or given up at a time.", "Tick one group.")
        changed = {
            "move": lambda: hierarchy_edits.move(tree, level, groups, name),
            "split": lambda: hierarchy_edits.split(tree, level + 1, self._above(level, groups), groups, name),
            "merge": lambda: hierarchy_edits.merge(tree, level, groups, name),
            "rename": lambda: hierarchy_edits.rename(tree, level, one, name),
            "dissolve": lambda: hierarchy_edits.dissolve(tree, level, one),
            "borders": lambda: hierarchy_edits.with_borders(tree, level, name),
            "add": lambda: hierarchy_edits.add_level(tree, level),
            "remove": lambda: hierarchy_edits.remove_level(tree, level),
        }[action]()
        return self._with_rows(changed.levels)

    def _with_rows(self, rows: tuple[ValuePath, ...]) -> ColumnHierarchy:
        """Give a tree of its own over the same values, each with its people."""
        people = dict(zip((row[0] for row in self.rows), self.counts, strict=True))
        return replace(self, how="", rows=rows, counts=tuple(people[row[0]] for row in rows))

    def _above(self, level: int, groups: Sequence[str]) -> str:
        """Give the one group in which all of these lie."""
        above = {each.above for each in self.groups(min(level, self.top)) if each.name in groups}
        if len(above) != 1:
            raise ParameterError("Only one group is split at a time.", "Tick some of what lies in the same group.")
        return above.pop()

    def merged(self, least: int, into: MergeInto) -> ColumnHierarchy:
        """Merge groups of fewer people than wanted with the one beside them, or give up the split that made them.

        Values themselves stay as they are: they are what the file holds.
        """
        if self.texts:
            return self.editable.merged(least, into)
        if not self.rows:
            raise ParameterError("The values of this hierarchy are not known here.", "Build it again.")
        if least < 2:
            raise ParameterError("Groups of one person are the smallest there are.", "Choose at least 2 people.")
        rows = [list(row) for row in self.rows]
        merge = _into_parents if into == "parent" else _into_neighbours
        for level in range(len(rows[0]) - 2, 0, -1):  # from above, so that what is above stays as it is
            merge(rows, self.counts, level, least)
        # The library looks at the tree as at any other that someone sends.
        checked = Hierarchy.of([tuple(row) for row in rows], "merged").levels
        if checked == self.rows:
            raise ParameterError(f"No group has fewer than {least:,} people.", "There is nothing to merge.")
        return self._with_rows(checked)


def hierarchy_of(how: str, found: dict[str, Any]) -> ColumnHierarchy:
    """Give the tree that a task has found."""
    rows = tuple(tuple(row) for row in found["rows"])
    return ColumnHierarchy(how, rows, tuple(found["counts"]), tuple(found["texts"]))


def buildable(how: str) -> str:
    """Refuse what is no way to build a tree: above all, the name of a file."""
    if not builds(how):
        raise ParameterError("This is no way to build a hierarchy.", f"Write: {WAYS}.")
    return " ".join(how.split())


def text_of(content: bytes) -> str:
    """Give a hierarchy that was sent as text."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError("The hierarchy is not UTF-8 text.", "Save it as UTF-8.") from None


def file_names(columns: Sequence[str]) -> dict[str, str]:
    """Name the file of each column's tree.

    >>> file_names(["age", "a/b"])
    {'age': 'age.hierarchy.csv', 'a/b': 'b.hierarchy.csv'}
    """
    found: dict[str, str] = {}
    for number, column in enumerate(columns, 1):
        name = safe_name(f"{column}.hierarchy.csv")
        found[column] = f"{number}_{name}" if name in found.values() or name.startswith(".") else name
    return found


def _node(rows: list[tuple[ValuePath, int]], level: int) -> HierarchyNode:
    name, people = rows[0][0][level], sum(count for _, count in rows)
    if level == 0:
        return HierarchyNode(name, people, 1)
    parts = [list(part) for _, part in groupby(rows, key=lambda row: row[0][level - 1])]
    if len(parts) == 1:
        return _node(rows, level - 1)
    return HierarchyNode(name, people, len(rows), tuple(_node(part, level - 1) for part in parts))


def _parts(rows: list[list[str]], level: int) -> list[list[list[str]]]:
    """Give the rows of each group of a level."""
    return [list(part) for _, part in groupby(rows, key=lambda row: row[level])]


def _into_parents(rows: list[list[str]], counts: Sequence[int], level: int, least: int) -> None:
    """Split no group into parts of which one is too small."""
    people = _people(rows, counts, level)
    for parent in _parts(rows, level + 1):
        if min(people[row[level]] for row in parent) < least:
            for row in parent:
                row[level] = row[level + 1]


def _into_neighbours(rows: list[list[str]], counts: Sequence[int], level: int, least: int) -> None:
    """Join each group that is too small with the next one under the same parent, or the last with the one before."""
    people = _people(rows, counts, level)
    for parent in _parts(rows, level + 1):
        joined: list[list[list[str]]] = [[]]
        size = 0
        for part in _parts(parent, level):
            joined[-1] += part
            size += people[part[0][level]]
            if size >= least:
                joined.append([])
                size = 0
        rest = joined.pop()
        if not joined:  # all of them together are too small, or just enough: what is above them
            joined.append([])
        joined[-1] += rest
        for part in joined:
            whole = len(part) == len(parent)
            name = part[0][level + 1] if whole else _joined_name(list(dict.fromkeys(row[level] for row in part)))
            for row in part:
                row[level] = name


def _people(rows: list[list[str]], counts: Sequence[int], level: int) -> Counter[str]:
    found: Counter[str] = Counter()
    for row, count in zip(rows, counts, strict=True):
        found[row[level]] += count
    return found


def _joined_name(names: Sequence[str]) -> str:
    """Name what several groups have become.

    >>> _joined_name(["20-24", "25-29"]), _joined_name(["north", "east"]), _joined_name(list("abcdefgh"))
    ('20-29', 'north + east', 'a … h')
    """
    bands = [_BAND.fullmatch(name) for name in names]
    ends = [(int(band[1]), int(band[2])) for band in bands if band is not None]
    if len(ends) == len(names) and all(b[0] > a[1] for a, b in pairwise(ends)):
        return f"{ends[0][0]}-{ends[-1][1]}"
    return " + ".join(names) if len(names) <= _NAMES else f"{names[0]} … {names[-1]}"
