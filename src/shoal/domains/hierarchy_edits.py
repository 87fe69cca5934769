"""Changes of a hierarchy, each of which gives a new one: rename, move, split and merge groups, set their borders.

Levels are counted from the values, which are level 0. A change that would make the hierarchy no tree is refused by
`Hierarchy.of`, as that of any file would be; no change adds, drops or renames a value.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from shoal.domains.hierarchy import Hierarchy
from shoal.domains.hierarchy_builders import build_groups
from shoal.errors import ParameterError

Branch = Sequence[str]  # a value and the groups above it


def rename(tree: Hierarchy, level: int, group: str, name: str) -> Hierarchy:
    """Give a group another name."""
    _insist(tree, level, [group])
    _insist_on_name(tree, level, name)
    return _with_names(tree, level, lambda row: name if row[level] == group else row[level])


def merge(tree: Hierarchy, level: int, groups: Collection[str], name: str) -> Hierarchy:
    """Make one group of several that lie in the same larger group."""
    _insist(tree, level, groups)
    _insist_on_name(tree, level, name, besides=groups)
    if len(set(groups)) < 2:
        raise ParameterError("One group alone cannot be merged.", "Name at least two groups.")
    if len({row[level + 1] for row in tree.levels if row[level] in groups}) > 1:
        raise ParameterError("The groups lie in different larger groups.", "Move one of them first, or merge those.")
    return _with_names(tree, level, lambda row: name if row[level] in groups else row[level])


def split(tree: Hierarchy, level: int, group: str, inside: Collection[str], name: str) -> Hierarchy:
    """Take some of what is directly in a group out of it, into a new group beside it."""
    _insist(tree, level, [group])
    _insist_on_name(tree, level, name)
    there = {row[level - 1] for row in tree.levels if row[level] == group}
    if not inside or not there > set(inside):
        raise ParameterError(
            "A part of a group is some of what is in it, and not all.", "Name some of its values or groups."
        )
    chosen = set(inside)
    return _with_names(
        tree, level, lambda row: name if row[level] == group and row[level - 1] in chosen else row[level]
    )


def dissolve(tree: Hierarchy, level: int, group: str) -> Hierarchy:
    """Give a group up: everything that is directly in it becomes a group of its level, under its own name."""
    _insist(tree, level, [group])
    return _with_names(tree, level, lambda row: row[level - 1] if row[level] == group else row[level])


def move(tree: Hierarchy, level: int, nodes: Collection[str], group: str) -> Hierarchy:
    """Move values or groups of a level into another group of the level above, or into a new one beside theirs."""
    _insist(tree, level + 1, ())
    chosen = set(nodes)
    if not chosen or not chosen <= {row[level] for row in tree.levels}:
        raise ParameterError("A value or group to be moved is not in the hierarchy.", "Choose one that is.")
    target = next((row[level + 1 :] for row in tree.levels if row[level + 1] == group), None)
    if target is None:
        _insist_on_name(tree, level + 1, group)
        above = {tuple(row[level + 2 :]) for row in tree.levels if row[level] in chosen}
        if len(above) > 1:
            raise ParameterError("What is to be moved lies in different larger groups.", "Move it step by step.")
        target = (group, *above.pop())
    return Hierarchy.of(
        [(*row[: level + 1], *target) if row[level] in chosen else row for row in tree.levels], "edited"
    )


def with_borders(tree: Hierarchy, level: int, borders: str) -> Hierarchy:
    """Let the groups of a level be the numbers between given borders, as in ``18,30,65``.

    Levels below that do not lie within the new groups are refused, and those above are kept where they hold them.
    """
    _insist(tree, level, ())
    values, groups = build_groups(f"cuts {borders}", dict.fromkeys(tree.leaves, 1), "edited")
    names = dict(zip(values, (row[0] for row in groups), strict=True))
    return _with_names(tree, level, lambda row: names[row[0]])


def add_level(tree: Hierarchy, level: int) -> Hierarchy:
    """Add a level above another, which has the same groups until they are merged."""
    if not 0 <= level < len(tree.levels[0]) - 1:
        raise ParameterError(f"There is no level {level} to stand below another.", "Choose one below the root.")
    return Hierarchy.of([(*row[: level + 1], *row[level:]) for row in tree.levels], "edited")


def remove_level(tree: Hierarchy, level: int) -> Hierarchy:
    """Leave out a level: what is in its groups lies directly in those above."""
    _insist(tree, level, ())
    return Hierarchy.of([(*row[:level], *row[level + 1 :]) for row in tree.levels], "edited")


def _with_names(tree: Hierarchy, level: int, name: Callable[[Branch], str]) -> Hierarchy:
    return Hierarchy.of([(*row[:level], name(row), *row[level + 1 :]) for row in tree.levels], "edited")


def _insist(tree: Hierarchy, level: int, groups: Collection[str]) -> None:
    """Insist that a level has groups that can be changed, and these among them."""
    top = len(tree.levels[0]) - 1
    if not 1 <= level < top:
        raise ParameterError(
            f"Level {level} has no groups that could be changed.",
            f"Choose a level from 1 to {top - 1}, or add one." if top > 1 else "Add a level first.",
        )
    if set(groups) - {row[level] for row in tree.levels}:
        raise ParameterError(f"Level {level} has no group of this name.", "Choose one of its groups.")


def _insist_on_name(tree: Hierarchy, level: int, name: str, besides: Collection[str] = ()) -> None:
    """Insist on a name that no other group of the level has."""
    if not name.strip() or name != name.strip():
        raise ParameterError("A group has no name, or a space at an end of it.", "Give it a name.")
    if name not in besides and name in {row[level] for row in tree.levels}:
        raise ParameterError(f"Level {level} has a group of this name already.", "Choose another, or merge the two.")
