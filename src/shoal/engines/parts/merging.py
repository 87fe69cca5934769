"""Merging of neighbouring classes of a table in parts: inside each part, and across its ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Levels
from shoal.engines.merging import merged, openings, strengths
from shoal.engines.parts.columns import LazyColumn, Materialized
from shoal.engines.parts.data import Arrays, PartsTable
from shoal.engines.parts.groups import Rank, extract_by_label
from shoal.engines.parts.pool import Handle, Part, Pool
from shoal.engines.parts.shuffle import restore_order, shuffle_by_range
from shoal.engines.values import Promise
from shoal.kernels.grouping import by_label
from shoal.schema import Schema
from shoal.table import Classes


@dataclass(frozen=True)
class _Ends:
    """What neighbours need to know of a part: the levels of its first and last two classes, and whether any fails."""

    classes: int
    first: Levels
    last: Levels
    failing: bool


@dataclass(frozen=True)
class _Around:
    """What a part needs of its neighbours: their strengths, and whether its first class joins the one before."""

    before: float = -np.inf
    after: float = -np.inf
    joins: bool = False


def until_met(
    pool: Pool, data: PartsTable, schema: Schema, labels: LazyColumn, groups: int, promise: Promise,
    rank: Rank,
) -> tuple[LazyColumn, int]:  # fmt: skip
    """Merge classes until all keep a promise or one is left; a part holds whole classes in the order of labels."""
    bounds = data.bounds
    extract, columns = extract_by_label(data, schema, labels, promise.carry, rank)

    def begin(number: int, part: Part) -> Arrays:
        label = part["key0"]
        mine = (label - label.min(initial=0 if label.size == 0 else label[0])).astype(np.int32)
        order, starts = by_label(mine, int(mine.max(initial=-1)) + 1)
        found = {name: part[name][order] for name in part if name.startswith("carry") or name == "row"}
        classes = _classes(found | {"size": np.diff(starts)}, promise)
        return found | {"size": np.diff(starts), "level": promise.level(classes) if starts.size > 1 else np.empty(0)}

    there = shuffle_by_range(pool, data, extract, *columns, whole=True)
    state = pool.map(begin, there, summarize=_ends_of(promise))
    if not any(end.failing for end in state.summaries):
        return labels, groups
    while True:
        ends: Sequence[_Ends] = state.summaries
        if sum(end.classes for end in ends) <= 1 or not any(end.failing for end in ends):
            break
        state = _round(pool, state, ends, promise)
    first = np.append(0, np.cumsum([end.classes for end in ends]))

    def send(number: int, part: Part) -> list[Arrays]:
        value = np.repeat(np.arange(part["size"].size, dtype=np.int32) + np.int32(first[number]), part["size"])
        return restore_order({"value": value}, part["row"], bounds)

    return Materialized(pool.shuffle(send, len(data.sizes), state)), int(first[-1])


def _classes(part: Part, promise: Promise) -> Classes:
    starts = np.append(0, np.cumsum(part["size"]))
    return Classes(starts, {item: part[f"carry{i}"] for i, item in enumerate(promise.carry)})


def _ends_of(promise: Promise) -> Callable[[int, Part], _Ends]:
    def ends(number: int, part: Part) -> _Ends:
        level = part["level"]
        return _Ends(level.size, level[:2], level[-2:], bool(level.size and not promise.met(level).all()))

    return ends


def _round(pool: Pool, state: Handle, ends: Sequence[_Ends], promise: Promise) -> Handle:
    """Merge every failing class with a neighbour once."""
    around = _neighbours(ends, promise)

    def opening(number: int, part: Part) -> NDArray[np.bool_]:
        here, level = around[number], part["level"]
        if level.size == 0:
            return np.empty(0, bool)
        opens, _ = openings(
            level, ~promise.met(level), here.before, here.after, higher_is_better=promise.higher_is_better
        )
        opens[0] = not here.joins
        return opens

    if not any(each.joins for each in around):
        return pool.map(
            lambda number, part: _joined(part, opening(number, part), promise), state, summarize=_ends_of(promise)
        )
    # Classes that join one of an earlier part move there: to where the nearest class before them begins.
    opens = pool.collect(lambda number, part: bool(opening(number, part).any()), state)
    target = list(range(state.parts))
    for number in range(1, state.parts):
        if around[number].joins or ends[number].classes == 0:
            target[number] = number - 1 if opens[number - 1] else target[number - 1]

    def move(number: int, part: Part) -> list[Arrays]:
        opened = opening(number, part)
        lead = int(opened.argmax()) if opened.any() else opened.size
        rows = int(part["size"][:lead].sum())
        every = dict(part) | {"opens": opened}
        own = {name: column[lead if name in ("size", "level", "opens") else rows :] for name, column in every.items()}
        moved = {name: column[: lead if name in ("size", "level", "opens") else rows] for name, column in every.items()}
        sent = [{name: column[:0] for name, column in every.items()} for _ in target]
        sent[number] = own
        if target[number] != number:
            sent[target[number]] = moved
        return sent

    moved = pool.shuffle(move, state.parts, state)
    return pool.map(
        lambda number, part: _joined({name: part[name] for name in part if name != "opens"}, part["opens"], promise),
        moved,
        summarize=_ends_of(promise),
    )


def _joined(part: Part, opens: NDArray[np.bool_], promise: Promise) -> Arrays:
    if opens.size == 0:
        return dict(part)
    classes, level = merged(_classes(part, promise), part["level"], opens, promise)
    return dict(part) | {"size": classes.sizes, "level": level}


def _neighbours(ends: Sequence[_Ends], promise: Promise) -> list[_Around]:
    """Give each part that has classes what it needs to know of the parts before and after it."""

    def strength(levels: Levels) -> Levels:
        return strengths(levels, higher_is_better=promise.higher_is_better)

    found = [_Around()] * len(ends)
    filled = [number for number, end in enumerate(ends) if end.classes]
    for at, number in enumerate(filled):
        before = strength(ends[filled[at - 1]].last)[-1] if at else -np.inf
        after = strength(ends[filled[at + 1]].first)[0] if at + 1 < len(filled) else -np.inf
        found[number] = _Around(float(before), float(after))
    for one, other in pairwise(filled):
        last, first = ends[one].last, ends[other].first
        beyond = strength(first)[1] if ends[other].classes > 1 else found[other].after
        back = not promise.met(first[:1])[0] and strength(last)[-1] >= beyond
        earlier = strength(last)[-2] if ends[one].classes > 1 else found[one].before
        ahead = not promise.met(last[-1:])[0] and not earlier >= strength(first)[0]
        if back or ahead:
            found[other] = replace(found[other], joins=True)
    return found
