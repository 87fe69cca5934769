"""Matching by fit: boxes of exact values that cells may stand for, and which boxes have a point alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.domains.axis import Axis
from shoal.engines.values import Boxes
from shoal.kernels import MISSING, TOP
from shoal.kernels.box_cover import COVERED, UNDECIDED, UNIQUE, CellRuns, code_cells, decide
from shoal.schema import Schema

_LAST = chr(0x10FFFF)


def fit_verdicts(boxes: Boxes, schema: Schema, effort: int) -> NDArray[np.uint8]:
    """Say of each box whether it is ``UNIQUE``, ``COVERED``, or ``UNDECIDED`` when the effort is spent.

    A box is unique if it occurs once and one of its points lies in no other box: who knows that point knows whose
    record it is.
    """
    alone = boxes.counts == 1
    axes = [schema[name].axis for name in boxes.names]
    exact = boxes.lo is boxes.hi or (boxes.lo == boxes.hi).all()
    if not alone.any() or (exact and not any(axis.groups for axis in axes)):
        return np.where(alone, UNIQUE, COVERED).astype(np.uint8)
    codes, ends = code_cells(boxes.lo, boxes.hi)
    limits = zip(boxes.lowest.tolist(), boxes.highest.tolist(), boxes.missing.tolist(), strict=True)
    columns = [
        (_sets if axis.nominal else _stretches)(axis, low, high, *limit)
        for axis, (low, high), limit in zip(axes, ends, limits, strict=True)
    ]
    return decide(codes, columns, boxes.counts, effort)


def _stretches(axis: Axis, low: Positions, high: Positions, lowest: int, highest: int, missing: bool) -> CellRuns:
    """Cut an ordered axis wherever a cell begins or ends: what lies between two cuts behaves alike and counts once.

    If there are missing cells, they are the value 0, which only they and ``*`` have.
    """
    if axis.values is not None:
        lowest, highest = 0, len(axis.values) - 1
    if lowest > highest:  # nobody has a value, but ``*`` stands for one
        lowest = highest = 0
    inside = low != MISSING
    ends = high.astype(np.int64) + 1
    cuts = np.unique(np.concatenate([low[inside], ends[inside], [lowest, highest + 1]]))
    first, size = int(missing), int(missing) + cuts.size - 1
    begin, end = np.zeros(low.size, np.int32), np.zeros(low.size, np.int32)
    begin[inside] = first + np.searchsorted(cuts, low[inside])
    end[inside] = first + np.searchsorted(cuts, ends[inside]) - 1
    end[high == TOP] = size - 1
    return CellRuns(np.arange(low.size + 1, dtype=np.int64), begin, end, size)


def _sets(axis: Axis, low: Positions, high: Positions, lowest: int, highest: int, missing: bool) -> CellRuns:
    """Give the categories of each cell of a nominal axis as runs; those that no cell but ``*`` has count once.

    A wildcard such as 937** also stands for codes that nobody listed. Those that the same wildcards cover behave
    alike: there is one such value for each wildcard of the axis, and every wider wildcard has it too.
    """
    assert axis.values is not None
    values = len(axis.values)
    patterns = [i for i, group in enumerate(axis.groups) if group.pattern is not None]
    unlisted = {str(axis.groups[i].pattern): values + k for k, i in enumerate(patterns)}
    wider: dict[str, list[int]] = {text: [] for text in unlisted}
    for text, value in unlisted.items():
        for kept in range(1, len(text.rstrip("*")) + 1):
            wide = text[:kept] + "*" * (len(text) - kept)
            if wide in wider:
                wider[wide].append(value)
    inside = np.flatnonzero(low != MISSING)
    single = inside[low[inside] < values]
    owners, members = [single], [low[single].astype(np.int64)]
    for cell in inside[low[inside] >= values].tolist():
        group = axis.groups[int(low[cell]) - values]
        listed = [*group.members, *wider.get(group.pattern or "", ())]
        owners.append(np.full(len(listed), cell))
        members.append(np.array(listed, np.int64))
    # Codes that begin alike stand side by side, so that most wildcards are one run.
    total = values + len(patterns)
    places_in_order = np.arange(total)
    if unlisted:
        texts = [*map(str, axis.values), *(text.rstrip("*") + _LAST for text in unlisted)]
        places_in_order[sorted(range(total), key=texts.__getitem__)] = np.arange(total)
    owner = np.concatenate(owners)
    used, places = np.unique(places_in_order[np.concatenate(members)], return_inverse=True)
    first = int(missing)
    size = max(first + used.size + int(used.size < total), first + 1)
    whole, nothing = np.flatnonzero(high == TOP), np.flatnonzero(high == MISSING)
    order = np.lexsort((places, owner))
    owner, place = owner[order], places[order] + first
    begins = np.append(True, (owner[1:] != owner[:-1]) | (place[1:] != place[:-1] + 1))[: owner.size]
    ends = np.append(begins[1:], True)[: owner.size]
    owner = np.concatenate([owner[begins], whole, nothing])
    begin = np.concatenate([place[begins], np.zeros(whole.size + nothing.size, np.int64)])
    end = np.concatenate([place[ends], np.full(whole.size, size - 1), np.zeros(nothing.size, np.int64)])
    order = np.lexsort((begin, owner))
    starts = np.searchsorted(owner[order], np.arange(low.size + 1)).astype(np.int64)
    return CellRuns(starts, begin[order].astype(np.int32), end[order].astype(np.int32), size)


__all__ = ["COVERED", "UNDECIDED", "UNIQUE", "fit_verdicts"]
