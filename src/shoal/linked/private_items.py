"""Private items among others: how many people have some items, and how many of these a private one beside them.

A published label stands for one item or for several. It can be known of a person if any of these is public, and says
something private if any of them is private; a label of both kinds is both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Flags, Integers, Positions
from shoal.engines.combining import efforts, refuse_effort
from shoal.errors import ParameterError, suggest
from shoal.kernels import MISSING
from shoal.kernels.combinations import Holders
from shoal.linked.traces import TracePoints, Traces

STAR_TEXT = "*"
_WHOLE = re.compile(r"-?[1-9]\d{0,9}|0")
Supports = tuple[NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True)
class PublishedItems:
    """Which labels say something private of who has them, and which can be known.

    Attributes
    ----------
    private
        Labels that stand for a private item.
    known
        Labels that stand for a public item. A label may be both.
    """

    private: Flags
    known: Flags


def published_items(
    points: TracePoints, names: Sequence[str], groups: Sequence[str] = (), mixed: Sequence[str] = ()
) -> PublishedItems:
    """Tell what labels stand for, by the hierarchy or the order of their column and by what is said of them.

    A release that was read again has no hierarchy. So it is said which of its labels, beside the names of private
    items, stand for some of these (``groups``), and which of these stand for public items too (``mixed``).
    """
    found, texts = covering(points, places_of(points, names)), _texts(points)
    private = found.private | np.isin(texts, np.array([*names, *groups], dtype=object))
    return PublishedItems(private, ~private | (found.private & found.known) | np.isin(texts, np.array(mixed, object)))


def covering(points: TracePoints, private: Integers) -> PublishedItems:
    """Tell which labels cover private places of their axis, and which cover others; ``*`` is both."""
    (axis,), star = points.axes, _texts(points) == STAR_TEXT
    lo, hi = (ends[:, 0].astype(np.int64) for ends in (points.lo, points.hi))
    if axis.nominal:
        inside = [axis.members(place) if place != MISSING else () for place in lo.tolist()]
        items = np.array([len(members) for members in inside], np.int64)
        covered = np.array([np.isin(members, private).sum() for members in inside], np.int64)
    else:
        items, covered = hi - lo + 1, np.searchsorted(private, hi, side="right") - np.searchsorted(private, lo)
    return PublishedItems(star | (covered > 0), star | (covered < items))


def places_of(points: TracePoints, names: Sequence[str]) -> Integers:
    """Give the places of items on their axis, by name: also of all that lie below a node of a hierarchy."""
    places, plain = _places(points), points.axes[0].kind == "integer" and points.axes[0].values is None
    found = [place for name in names for place in places.get(name, ())]
    found += [int(name) for name in names if plain and name not in places and _WHOLE.fullmatch(name)]
    return np.unique(np.array(found, np.int64))


def refuse_unknown(points: TracePoints, names: Sequence[str], model: str) -> None:
    """Refuse private items that neither the original nor its hierarchy has: nothing would be promised of them."""
    known = _places(points)
    unknown = [name for name in names if name not in known]
    if unknown:
        near = suggest(unknown[0], known)
        raise ParameterError(
            f"{len(unknown):,} of {len(names):,} private items of {model} are neither in the original nor in a "
            f"hierarchy: {', '.join(map(repr, unknown[:3]))}{' and others' if len(unknown) > 3 else ''}.",
            f"Did you mean '{near}'?" if near else "Write them as they stand in the column of items.",
        )


def _texts(points: TracePoints) -> NDArray[np.object_]:
    (texts,) = points.texts()
    return np.array(texts, dtype=object)


def _places(points: TracePoints) -> Mapping[str, Sequence[int]]:
    """Give the places of values and nodes by name; where numbers are not listed, of those that occur."""
    (axis,) = points.axes
    if axis.tree is not None:
        return {name: range(first, last + 1) for name, (first, last) in axis.tree.spans.items()}
    if axis.values is None:
        return {axis.text(place): (place,) for place in points.lo[points.lo == points.hi].tolist()}
    texts = {axis.text(place): (place,) for place in range(len(axis.values))}
    return {str(axis.value(place)): (place,) for place in range(len(axis.values))} | texts


def supports(
    traces: Traces, private: Flags, sizes: Iterable[int], hidden: Flags, *, each: bool = False
) -> Iterator[Supports]:
    """Give how many people have each combination without hidden items, and how many of them a private one beside it.

    That is the one that most of them have; or each that somebody has.
    """
    for size in sizes:
        if size == 0:
            people = np.full(int(private.sum()), traces.people, np.int64)
            yield people, traces.holders.people_of[private].astype(np.int64)
            continue
        if size > traces.holders.longest:
            return
        yield from _of_size(traces, private, size, hidden, each=each)


def _of_size(traces: Traces, private: Flags, size: int, hidden: Flags, *, each: bool) -> Iterator[Supports]:
    known = traces.holders.relabelled(_only(~hidden), hidden.size)
    refuse_effort([efforts(traces.holders, size + 1)])
    rows, people = _all(known, size)
    if not people.size:
        return
    whose, having = _beside(traces.holders, rows, np.flatnonzero(private))
    if each:
        yield people[whose], having
        return
    worst = np.zeros(people.size, np.int64)
    np.maximum.at(worst, whose, having)
    yield people, worst


def _only(kept: Flags) -> Positions:
    return np.where(kept, np.arange(kept.size), -1).astype(np.int32)


def _all(holders: Holders, size: int) -> tuple[Positions, NDArray[np.int64]]:
    """Give all combinations of a size, sorted, and how many people have each."""
    found = list(holders.combinations(size))
    rows = np.concatenate([np.empty((0, size), np.int32), *(part[0] for part in found)])
    people = np.concatenate([np.empty(0, np.int32), *(part[1] for part in found)]).astype(np.int64)
    order = np.lexsort(rows.T[::-1])
    return rows[order], people[order]


def _beside(
    holders: Holders, rows: Positions, private: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give for each private item that people have beside a combination its place, and how many have both."""
    size, keys = rows.shape[1], _Keys(rows, holders.vocabulary)
    whose, having = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for larger, people in holders.combinations(size + 1):
        for j in range(size + 1):
            some = np.isin(larger[:, j], private)
            place = keys.find(np.delete(larger[some], j, axis=1))
            whose.append(place[place >= 0])
            having.append(people[some][place >= 0].astype(np.int64))
    return np.concatenate(whose), np.concatenate(having)


class _Keys:
    """Sorted rows of labels, in which others are looked up."""

    def __init__(self, rows: Positions, vocabulary: int) -> None:
        self._vocabulary = vocabulary
        self._rows = self._numbers(rows)

    def _numbers(self, rows: Positions) -> NDArray[np.int64]:
        if float(self._vocabulary) ** rows.shape[1] >= 2**62:
            raise ParameterError("There are too many combinations to be told apart.", "Ask for a smaller m or p.")
        numbers = np.zeros(rows.shape[0], np.int64)
        for j in range(rows.shape[1]):
            numbers = numbers * self._vocabulary + rows[:, j]
        return numbers

    def find(self, rows: Positions) -> NDArray[np.int64]:
        """Give the place of each row, or -1."""
        wanted = self._numbers(rows)
        place = np.searchsorted(self._rows, wanted)
        return np.where(np.append(self._rows, -1)[place] == wanted, place, -1)
