"""The figures of reports: class sizes, what an attacker may know, distributions, and associations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from shoal.charts import Figure, bars, matrix, paired
from shoal.measures import Score, score
from shoal.measures.uniqueness import Uniqueness
from shoal.report.bins import Distribution
from shoal.report.discretion import Discretion
from shoal.schema import Schema
from shoal.table import Table

BEFORE, AFTER = "original", "release"
_SIZES = (1, 2, 3, 5, 10, 20, 50, 100, 1000)
_PANELS = 6  # a figure must fit on a page
_MOST_SETS = 16


@dataclass(frozen=True)
class Side:
    """One of the tables that a figure compares: what it is called, its class sizes, and whether it is to be hidden."""

    name: str
    sizes: Mapping[int, int]
    original: bool

    @property
    def records(self) -> int:
        """The number of records."""
        return sum(size * classes for size, classes in self.sizes.items())


def class_sizes(sides: Sequence[Side], k: int | None, discretion: Discretion) -> Figure:
    """Draw the share of records by the size of the group that they are in, with k marked."""
    starts = _starts(sides, k, discretion)
    names = [_size_name(a, b) for a, b in pairwise([*starts, 0])]
    if discretion.external and len(starts) > 1:
        names[0] = f"under {starts[1]:,}"
    rows = []
    for side in sides:
        counts = _within(side, starts)
        rows += [
            {"size": name, "table": side.name, "share": float(count / side.records)}
            for name, count in zip(names, counts, strict=True)
        ]
    mark = (names[starts.index(k)], f"k = {k:,}") if k in starts else None
    below = "" if mark is None else " What stands left of the dashed line is in groups that are too small."
    return bars(
        rows,
        x="size",
        y="share",
        group="table" if len(sides) > 1 else None,
        percent=True,
        mark=mark,
        x_label="records in the same group",
        y_label="share of records",
        title="Records by the size of their group",
        description="A group is all records that show the same in every quasi-identifier. A record in a group of "
        f"one stands alone.{below}",
        height=200,
    )


def _starts(sides: Sequence[Side], k: int | None, discretion: Discretion) -> list[int]:
    """Choose the smallest size of each bar: k begins one, and outside no group below the threshold is shown."""
    largest = max(max(side.sizes) for side in sides)
    least = discretion.threshold if discretion.external else 1
    chosen = {1, *(size for size in (*_SIZES, *([k] if k else [])) if least <= size <= largest)}
    if discretion.external:
        chosen |= {least} if least <= largest else set()
    starts = sorted(chosen)
    for side in sides:
        while side.original and len(starts) > 1:
            hidden = [discretion.hides(count) for count in _within(side, starts)]
            if not any(hidden):
                break
            starts.pop(hidden.index(True) or 1)
    return starts


def _within(side: Side, starts: Sequence[int]) -> list[int]:
    sizes = np.array(list(side.sizes), np.int64)
    places = np.searchsorted(starts, sizes, side="right") - 1
    records = sizes * np.array(list(side.sizes.values()), np.int64)
    counts: list[int] = np.bincount(places, weights=records, minlength=len(starts)).astype(np.int64).tolist()
    return counts


def _size_name(start: int, end: int) -> str:
    if not end:
        return f"{start:,} or more"
    return f"{start:,}" if end == start + 1 else f"{start:,}–{end - 1:,}"


def knowledge_sets(schema: Schema) -> dict[str, tuple[str, ...]]:
    """Give what an attacker may know, in words: groups of attributes if there are any, else all attributes but one."""
    quasi = schema.quasi
    groups: dict[str, list[str]] = {}
    for name in quasi:
        groups.setdefault(schema[name].knowledge or "other", []).append(name)
    found: dict[str, tuple[str, ...]] = {}
    if len(groups) > 1:
        sizes = range(1, len(groups) + 1) if len(groups) <= 4 else (1, len(groups))
        for chosen in (c for size in sizes for c in combinations(groups, size)):
            found[" + ".join(chosen)] = tuple(name for name in quasi if (schema[name].knowledge or "other") in chosen)
        return found
    found["all of them"] = quasi
    if 1 < len(quasi) < _MOST_SETS:
        found |= {f"all but {name}": tuple(other for other in quasi if other != name) for name in quasi}
    return found


def uniqueness_by_knowledge(tables: Mapping[str, Table], discretion: Discretion) -> Figure | None:
    """Draw how many records stand alone for attackers who know more or less."""
    schema = tables[BEFORE].schema
    sets = knowledge_sets(schema)
    if len(sets) < 2:
        return None
    rows = []
    for known, names in sets.items():
        row: dict[str, Any] = {"known": known}
        for which, table in tables.items():
            detail = score(table, measures=[Uniqueness(names)])[0].detail
            shared = Discretion("internal", 2) if which == AFTER else discretion  # recipients can count that themselves
            row[which] = shared.drawn(detail["unique"], detail["records"])
        rows.append(row)
    hidden = f" n/a: fewer than {discretion.threshold} records." if any(row[BEFORE] is None for row in rows) else ""
    by_group = any(attribute.knowledge for attribute in schema.attributes)
    what = "which groups of attributes the attacker knows" if by_group else "what if one attribute were not known"
    look: dict[str, Any] = {
        "x_label": "what the attacker knows",
        "y_label": "share of records that stand alone",
        "title": f"Records that stand alone: {what}",
        "description": _explanation(by_group) + hidden,
        "percent": True,
        "height": 180,
    }
    if AFTER in tables:
        return paired(rows, x="known", before=BEFORE, after=AFTER, names=(BEFORE, AFTER), **look)
    return bars(rows, x="known", y=BEFORE, **look)


def _explanation(by_group: bool) -> str:
    if by_group:
        return "A record stands alone if no other has the same values in what is known."
    return "An attribute without which far fewer records stand alone is one that drives the risk."


def distributions(found: Sequence[Distribution]) -> Iterator[Figure]:
    """Draw the values of columns before and after, first those in bins of equal width, then those by name."""
    for stepped in (True, False):
        chosen = [each for each in found if each.rows and each.stepped is stepped]
        for start in range(0, len(chosen), _PANELS):
            part = chosen[start : start + _PANELS]
            rows = [{"column": each.name, **row} for each in part for row in each.rows]
            names = ", ".join(each.name for each in part)
            beyond = " The first and the last bin also hold what lies beyond them." if stepped else ""
            yield paired(
                rows,
                x="low" if stepped else "label",
                x_end="high" if stepped else None,
                before="before",
                after="after",
                facet="column",
                names=(BEFORE, AFTER),
                title=f"Before and after: {names}",
                description="Shares of the records whose cell tells something. A range or a set counts evenly in all "
                f"that it covers.{beyond}",
                x_label="" if stepped else "value",
                height=130,
            )


def associations(found: Score, names: Sequence[str]) -> Figure:
    """Draw the associations between columns before and after, and what has changed."""
    rows: list[dict[str, Any]] = []
    for a, b in combinations(names, 2):
        pair = f"{a} ~ {b}"
        rows.append({"a": a, "b": b, "before": found.detail["before"][pair], "after": found.detail["after"][pair]})
    return matrix(
        rows,
        x="a",
        y="b",
        before="before",
        after="after",
        title="Associations between quasi-identifiers",
        description="Pearson's correlation of numbers, Cramér's V of categories, the correlation ratio of a number and "
        "a category. A range counts with its middle; sets and hidden cells do not count, so that a column of sets "
        "is compared by the few records that still tell one value.",
    )
