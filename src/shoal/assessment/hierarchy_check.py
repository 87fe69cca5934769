"""A look at the file of a hierarchy: what levels it has, whether it is a tree, and which values of a table it lacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

from shoal.domains.hierarchy import Hierarchy
from shoal.domains.hierarchy_file import GROUP, HierarchyFile, apart
from shoal.domains.range_leaves import over_values
from shoal.errors import DataError
from shoal.findings import Findings, TextRows

_SHOWN = 5  # lines that are named


@dataclass(frozen=True)
class HierarchyProblem:
    """Something about a hierarchy that someone should know.

    Attributes
    ----------
    kind
        What it is: ``empty``, ``ragged``, ``contradiction``, ``not-nested``, ``ambiguous``, ``lacking``, or, of what
        does no harm, ``repeated``, ``named-alike``, ``idle`` and ``unused``.
    count
        How many there are of what is meant.
    lines
        Where some of them stand in the file.
    fatal
        Whether the hierarchy cannot be used.
    said
        All of this in a sentence, without any name of the hierarchy.
    """

    kind: str
    count: int
    lines: tuple[int, ...]
    fatal: bool
    said: str


class HierarchyCheck(Findings):
    """What was found of a hierarchy, by name, as ``--json`` gives it; ``levels`` tells how many nodes each has."""

    def caption(self) -> str:
        """Say whether it can be used."""
        verdict = "can be used" if self["usable"] else "cannot be used"
        values = "1 value" if self["leaves"] == 1 else f"{self['leaves']:,} values"
        return f"{self['file']} {verdict}: {values}, {len(self['levels'])} levels"

    def rows(self) -> TextRows:
        """Give how many nodes each level has."""
        yield ("level", "nodes")
        for number, nodes in enumerate(self["levels"]):
            yield (str(number), f"{nodes:,}")

    def remarks(self) -> Iterator[str]:
        """Say each problem."""
        for each in self["problems"]:
            yield f"{'✗' if each['fatal'] else '!'} {each['said']}"


def check_hierarchy(path: str | Path, column: str = "", values: Mapping[str, int] | None = None) -> HierarchyCheck:
    """Look at the file of a hierarchy; with the values of a column and how many rows have each, whether it has all."""
    name = Path(path).name
    file = HierarchyFile.read(path)
    problems = [*_of_shape(file)]
    levels: list[int] = []
    leaves = len({row[0] for row in file.rows if row})
    if not problems:
        problems += _of_names(file)
        levels = [len(set(level)) for level in zip(*apart(file.rows)[0], strict=True)]
    if not any(each.fatal for each in problems):
        try:
            rows = over_values(file.rows, values or (), column or name)
            lines = file.lines if rows is file.rows else None
            tree = Hierarchy.of(apart(rows)[0], column or name, lines)
        except DataError as error:  # whatever was not looked for above
            problems.append(HierarchyProblem("ambiguous", 1, (), True, error.what))
        else:
            levels = [len(set(level)) for level in zip(*tree.levels, strict=True)]
            problems += _of_use(tree, column, values)
    usable = not any(each.fatal for each in problems)
    return HierarchyCheck(
        file=name, usable=usable, leaves=leaves, levels=levels, heading=file.heading,
        problems=[asdict(each) | {"lines": list(each.lines)} for each in problems],
        **({} if values is None else {"column": column, "values": len(values), "lacking": _count(problems, "lacking")}),
    )  # fmt: skip


def _count(problems: Sequence[HierarchyProblem], kind: str) -> int:
    return sum(each.count for each in problems if each.kind == kind)


def _of_shape(file: HierarchyFile) -> Iterator[HierarchyProblem]:
    """Say what keeps rows from being levels at all."""
    if not file.rows:
        yield HierarchyProblem("empty", 0, (), True, "It is empty: give one line for each value.")
        return
    height = len(file.rows[0])
    lines = [line for row, line in zip(file.rows, file.lines, strict=True) if len(row) != height]
    if lines:
        yield _problem(
            "ragged", lines, f"has another number of levels than the first one, which has {height}",
            f"have another number of levels than the first one, which has {height}", fatal=True,
        )  # fmt: skip


def _of_names(file: HierarchyFile) -> Iterator[HierarchyProblem]:
    """Say what is wrong about values that stand there twice, groups named like values, and levels that do not nest."""
    first: dict[str, Sequence[str]] = {}
    again, against = list[int](), list[int]()
    for row, line in zip(file.rows, file.lines, strict=True):
        before = first.setdefault(row[0], row)
        if before is not row:
            (again if list(before) == list(row) else against).append(line)
    if again:
        yield _problem("repeated", again, "says again what an earlier one said", "say again what earlier ones said")
    if against:
        yield _problem(
            "contradiction", against, "says something else of a value than an earlier one",
            "say something else of a value than earlier ones", fatal=True,
        )  # fmt: skip
    rows, renamed = apart(file.rows)
    if renamed:
        what = "One group is" if renamed == 1 else f"{renamed:,} groups are"
        yield HierarchyProblem(
            "named-alike", renamed, (), False,
            f"{what} named like a value or group below but hold{'s' if renamed == 1 else ''} more: "
            f"the upper one is read as 'NAME{GROUP}'.",
        )  # fmt: skip
    for level in range(1, len(rows[0]) - 1):
        parents: dict[str, str] = {}
        strays: dict[str, int] = {}
        for row, line in zip(rows, file.lines, strict=True):
            if parents.setdefault(row[level], row[level + 1]) != row[level + 1]:
                strays.setdefault(row[level], line)
        if strays:
            what = "one group lies" if len(strays) == 1 else f"{len(strays):,} groups lie"
            yield HierarchyProblem(
                "not-nested", len(strays), tuple(sorted(strays.values())[:_SHOWN]), True,
                f"Level {level} does not lie within level {level + 1}: {what} in several ({_lines(strays.values())}).",
            )  # fmt: skip


def _of_use(tree: Hierarchy, column: str, values: Mapping[str, int] | None) -> Iterator[HierarchyProblem]:
    """Say which levels join nothing, and what does not fit to the values."""
    idle = sum(bool((upper == lower).all()) for lower, upper in pairwise(tree.branches))
    if idle:
        what = "One level joins" if idle == 1 else f"{idle} levels join"
        yield HierarchyProblem("idle", idle, (), False, f"{what} nothing that the level below does not.")
    if values is None:
        return
    lacking = [count for value, count in values.items() if value not in tree.spans]
    if lacking:
        what = "a value" if len(lacking) == 1 else f"{len(lacking):,} values"
        rows = "row" if sum(lacking) == 1 else "rows"
        yield HierarchyProblem(
            "lacking", len(lacking), (), True,
            f"It lacks {what} of column '{column}', in {sum(lacking):,} {rows}.",
        )  # fmt: skip
    unused = sum(leaf not in values for leaf in tree.leaves)
    if unused:
        what = "One value" if unused == 1 else f"{unused:,} values"
        yield HierarchyProblem("unused", unused, (), False, f"{what} of it never occur in column '{column}'.")


def _problem(kind: str, lines: Sequence[int], one: str, many: str, *, fatal: bool = False) -> HierarchyProblem:
    said = f"Line {lines[0]} {one}." if len(lines) == 1 else f"{len(lines):,} lines {many} ({_lines(lines)})."
    return HierarchyProblem(kind, len(lines), tuple(lines[:_SHOWN]), fatal, said)


def _lines(lines: Iterable[int]) -> str:
    shown = sorted(lines)
    more = ", …" if len(shown) > _SHOWN else ""
    return f"line {shown[0]}" if len(shown) == 1 else f"lines {', '.join(map(str, shown[:_SHOWN]))}{more}"
