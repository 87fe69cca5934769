"""The figures of reports: class sizes, what an attacker may know, distributions, and associations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from shoal.charts import Figure, bars, drops, matrix, paired
from shoal.charts.palette import GroupLook
from shoal.measures import Score, score
from shoal.measures.uniqueness import Uniqueness
from shoal.report.bins import Distribution
from shoal.report.discretion import Discretion
from shoal.schema import Schema
from shoal.table import Table

BEFORE, AFTER = "original", "release"
_LOOKS = {BEFORE: GroupLook(5, 0), AFTER: GroupLook(0, 1)}  # the same in all figures: grey for what was there before
_SIZES = (1, 2, 3, 5, 10, 20, 50, 100, 1000)
_PANELS = 4  # a figure takes no more than half a page, so that pages are full
_SIDE_BY_SIDE = 5  # columns whose associations have room beside each other, before, after and how they changed
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
        palette=_LOOKS,
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
    """Give what an attacker may know, in words: every choice of groups of attributes, if there are such groups."""
    groups: dict[str, list[str]] = {}
    for name in schema.quasi:
        groups.setdefault(schema[name].knowledge or "other", []).append(name)
    if len(groups) < 2:
        return {}
    sizes = range(1, len(groups) + 1) if len(groups) <= 4 else (1, len(groups))
    return {
        " + ".join(chosen): tuple(name for name in schema.quasi if (schema[name].knowledge or "other") in chosen)
        for size in sizes
        for chosen in combinations(groups, size)
    }


def uniqueness_by_knowledge(tables: Mapping[str, Table], discretion: Discretion) -> Figure | None:
    """Draw how many records stand alone for attackers who know more or less."""
    schema = tables[BEFORE].schema
    sets = knowledge_sets(schema)
    if not sets:
        return _drivers(tables[BEFORE]) if 1 < len(schema.quasi) < _MOST_SETS else None
    rows = []
    for known, names in sets.items():
        row: dict[str, Any] = {"known": known}
        for which, table in tables.items():
            detail = score(table, measures=[Uniqueness(names)])[0].detail
            shared = Discretion("internal", 2) if which == AFTER else discretion  # recipients can count that themselves
            row[which] = shared.drawn(detail["unique"], detail["records"])
        rows.append(row)
    hidden = f" n/a: fewer than {discretion.threshold} records." if any(row[BEFORE] is None for row in rows) else ""
    look: dict[str, Any] = {
        "x_label": "what the attacker knows",
        "y_label": "share of records that stand alone",
        "title": "Records that stand alone: which groups of attributes the attacker knows",
        "description": f"A record stands alone if no other has the same values in what is known.{hidden}",
        "percent": True,
        "height": 180,
    }
    if AFTER in tables:
        return paired(rows, x="known", before=BEFORE, after=AFTER, names=(BEFORE, AFTER), **look)
    return bars(rows, x="known", y=BEFORE, **look)


def _drivers(table: Table) -> Figure:
    """Draw which attributes give records away: how many fewer stand alone if one of them is not known."""
    quasi = table.schema.quasi
    whole = score(table, measures=[Uniqueness()])[0].value
    rows = []
    for name in quasi:
        others = tuple(other for other in quasi if other != name)
        rows.append({"attribute": name, "share": float(score(table, measures=[Uniqueness(others)])[0].value)})
    return drops(
        rows,
        name="attribute",
        share="share",
        whole=float(whole),
        whole_label="all attributes known",
        x_label="share of records that stand alone",
        title="Which attributes give records away",
        description="Each bar ends where the share of records that stand alone would be if that one attribute were not "
        "known: the longer, the more the attribute gives away.",
    )


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
        changes_only=len(names) > _SIDE_BY_SIDE,
        title="Associations between quasi-identifiers",
        description="Pearson's correlation of numbers, Cramér's V of categories, the correlation ratio of a number and "
        "a category. A range counts with its middle; sets and hidden cells do not count, so that a column of sets "
        "is compared by the few records that still tell one value.",
    )
