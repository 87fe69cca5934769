"""Distributions before and after masking, in bins and categories that point to no single person.

Values that few records have get no place of their own. Bins are laid over the range that most records lie in, and the
first and last also hold what lies beyond, so that no end of a bin tells the lowest or highest value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from shoal.arrays import Floats
from shoal.charts.figure import FigureRow
from shoal.charts.numerals import Format, round_steps
from shoal.report.calendar_bins import calendar_bins
from shoal.report.columns import ColumnCells
from shoal.report.discretion import Discretion

OTHER = "other values"
_FEW = 12  # values that are drawn one by one
_BINS = 16
_LARGEST = 1e15  # beyond it, numbers are no longer whole
_BEYOND = 0.005  # share of records that may lie beyond the bins on either side


@dataclass(frozen=True)
class Distribution:
    """The shares of records before and after, by bins of equal width (``low``, ``high``) or by ``label``."""

    name: str
    rows: Sequence[FigureRow] = field(default_factory=list)

    @property
    def stepped(self) -> bool:
        """Whether the rows are bins of equal width."""
        return bool(self.rows) and "low" in self.rows[0]

    @property
    def moved(self) -> float:
        """The share of records that would have to move to another bin to undo the change: the total variation."""
        return sum(abs(float(row["before"]) - float(row["after"])) for row in self.rows) / 2


def distribution(name: str, before: ColumnCells, after: ColumnCells, discretion: Discretion) -> Distribution:
    """Compare the values of a column before and after; without rows if too few records show one."""
    if before.informative < discretion.threshold or not after.informative:
        return Distribution(name)
    axis = before.axis
    if axis.nominal:
        was, now = before.by_category(), after.by_category()
        named = sorted(was, key=lambda text: (-was[text], text))
        return Distribution(name, _categories(was, now, named, discretion, axis_order=False))
    limits = before.limits(), after.limits()
    lowest, highest = min(limits[0][0], limits[1][0]), max(limits[0][1], limits[1][1])
    few = axis.kind == "ordered" or (axis.kind == "integer" and axis.values is None and highest - lowest < _FEW)
    if few:
        texts = [axis.text(position) for position in range(lowest, highest + 1)]
        was, now = (
            dict(zip(texts, cells.by_position(lowest, highest).tolist(), strict=True)) for cells in (before, after)
        )
        return Distribution(name, _categories(was, now, texts, discretion, axis_order=True))
    return Distribution(name, _numbers(before, after, discretion))


def _categories(
    was: Mapping[str, float],
    now: Mapping[str, float],
    names: Sequence[str],
    discretion: Discretion,
    *,
    axis_order: bool,
) -> list[FigureRow]:
    """Give one row per category that enough records have; all others share a row that enough records have, too."""
    ranked = sorted(names, key=lambda name: -was[name])  # stable: ties keep their order
    kept = [name for name in ranked if was[name] >= discretion.threshold - 1e-9][:_FEW]
    left = sum(was.values()) - sum(was[name] for name in kept)
    while kept and discretion.hides(round(left, 6)):
        left += was[kept.pop()]
    shown = [name for name in names if name in kept] if axis_order else kept
    total, after = sum(was.values()), sum(now.values())
    if not after:  # nothing that is shown tells of a category
        return []
    rows: list[FigureRow] = [
        {"label": name, "before": was[name] / total, "after": now.get(name, 0.0) / after, "count": was[name]}
        for name in shown
    ]
    rest = after - sum(now.get(name, 0.0) for name in shown)
    if left > 1e-9 or rest > 1e-9 * after:
        rows.append({"label": OTHER, "before": left / total, "after": max(0.0, rest / after), "count": left})
    return rows


def _numbers(before: ColumnCells, after: ColumnCells, discretion: Discretion) -> list[FigureRow]:
    low, _, counts = before.ends()
    least = max(discretion.threshold, _BEYOND * before.informative)
    first, last = _inner(low, counts, least), -_inner(-low, counts, least)
    if max(abs(first), abs(last)) > 1e200:
        return []
    whole = before.axis.kind == "integer"
    names: list[str] | None
    for most in (_BINS, 12, 10, 8, 6, 5, 4, 3, 2):
        if before.axis.kind in ("date", "datetime"):
            ahead = 0 if before.axis.zone is None else before.axis.zone.ahead  # days as the clocks had them
            edges, names = calendar_bins(first + ahead, last + ahead, most, before.axis.kind)
            edges = edges - ahead
        else:
            edges, names = _edges(first, last, most, whole), None
        was, now = before.within(edges), after.within(edges)
        if not any(discretion.hides(round(count, 6)) for count in was):
            break
    else:
        edges, names, was, now = _merged(edges, was, now, discretion, names)
    shares = list(zip(was / was.sum(), now / now.sum(), was, strict=True))
    if names is not None or len(set(np.round(np.diff(edges) / (edges[1] - edges[0]), 6))) > 1:
        texts = names or [f"{Format()(a)} to {Format()(b)}" for a, b in pairwise(edges.tolist())]
        return [
            {"label": text, "before": a, "after": b, "count": n} for text, (a, b, n) in zip(texts, shares, strict=True)
        ]
    return [
        {"low": _plain(start), "high": _plain(end), "before": a, "after": b, "count": n}
        for (start, end), (a, b, n) in zip(pairwise(edges.tolist()), shares, strict=True)
    ]


def _plain(number: float) -> float:
    return int(number) if number == int(number) else number


def _inner(values: Floats, counts: Floats, least: float) -> float:
    """Give the lowest value that at least so many records reach from below."""
    order = np.argsort(values, kind="stable")
    reached = np.searchsorted(np.cumsum(counts[order]), least - 1e-9)
    return float(values[order][min(int(reached), values.size - 1)])


def _edges(first: float, last: float, most: int, whole: bool) -> Floats:
    edges = round_steps(min(first, last), max(first, last), most, whole=whole and abs(last) < _LARGEST)
    if edges[-1] <= last:  # bins hold their lower end only
        edges.append(edges[-1] + edges[1] - edges[0])
    return np.array(edges)


def _merged(
    edges: Floats, was: Floats, now: Floats, discretion: Discretion, names: Sequence[str] | None
) -> tuple[Floats, list[str] | None, Floats, Floats]:
    """Join bins with the next one until none is to be hidden."""
    starts, count = [0], 0.0
    for place in range(len(was)):
        count += was[place]
        if not discretion.hides(round(count, 6)) and place + 1 < len(was):
            starts.append(place + 1)
            count = 0.0
    if len(starts) > 1 and discretion.hides(round(float(was[starts[-1] :].sum()), 6)):
        starts.pop()
    ends = [*starts[1:], len(was)]
    labels = None
    if names is not None:
        labels = [
            names[a] if b == a + 1 else f"{names[a]} to {names[b - 1]}" for a, b in zip(starts, ends, strict=True)
        ]
    kept = np.append(edges[starts], edges[-1])
    return kept, labels, np.add.reduceat(was, starts), np.add.reduceat(now, starts)
