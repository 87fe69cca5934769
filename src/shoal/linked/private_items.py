"""Private items among others: how many people have some items, and how many of these a private one beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Flags, Positions
from shoal.engines.combining import efforts, refuse_effort
from shoal.errors import ParameterError
from shoal.kernels.combinations import Holders
from shoal.linked.traces import Traces

Supports = tuple[NDArray[np.int64], NDArray[np.int64]]


def private_labels(traces: Traces, private: Sequence[str], model: str) -> Flags:
    """Tell which labels are private; what a release hides may be gone altogether."""
    names = (private,) if isinstance(private, str) else tuple(private)
    if not names or not all(isinstance(name, str) for name in names):
        raise ParameterError(f"{model} needs the names of private items.", "Write private = ['…'].")
    if len(traces.points.columns) != 1:
        raise ParameterError(f"{model} is about items, and points have several columns.", "Name one: --quasi item.")
    (texts,) = traces.points.texts()
    return np.isin(np.array(texts, dtype=object), np.array(names, dtype=object))


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
