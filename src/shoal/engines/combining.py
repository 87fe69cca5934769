"""Combinations of labels that people have: what the engines share of counting them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from shoal.arrays import Array, Flags
from shoal.engines.values import Combinations
from shoal.errors import ParameterError
from shoal.kernels.combinations import Holders
from shoal.kernels.grouping import by_label

T = TypeVar("T")
MOST = 2_000_000_000  # combinations that are counted, each as often as it is had


class EffortError(ParameterError):
    """There are more combinations to count than is sensible."""


def holders_of(people: Array, labels: Array, vocabulary: int | None = None) -> Holders:
    """Give who has which labels, each once; the records of a label below zero say nothing of their people."""
    persons = int(people.max(initial=-1)) + 1
    vocabulary = int(labels.max(initial=-1)) + 1 if vocabulary is None else vocabulary
    said = np.flatnonzero(labels >= 0)
    labels, people = labels[said].astype(np.int32), people[said].astype(np.int32)
    order = by_label(labels, vocabulary)[0]
    labels, people = labels[order], people[order]
    order, starts = by_label(people, persons)
    labels, people = labels[order], people[order]
    new = np.append(True, (labels[1:] != labels[:-1]) | (people[1:] != people[:-1]))[: labels.size]
    offsets = np.append(0, np.cumsum(new))[starts].astype(np.int64)
    return Holders(offsets, labels[new], vocabulary)


def efforts(holders: Holders, m: int) -> list[int]:
    """Count the combinations of one label, of two, and so on, each as often as it is had."""
    return [holders.effort(size) for size in range(1, min(m, holders.longest) + 1)]


def refuse_effort(found: Sequence[Sequence[int]]) -> int:
    """Refuse to count more combinations than is sensible; give the size of the largest that anyone has."""
    longest = max(map(len, found), default=0)
    totals = [sum(part[i] for part in found if i < len(part)) for i in range(longest)]
    most = max(totals, default=0)
    if most > MOST:
        raise EffortError(
            f"There are {most:,} combinations of {totals.index(most) + 1} points to count, and {MOST:,} is the most.",
            "Ask for a smaller m, or for coarser points.",
        )
    return longest


def worked(holders: Holders, m: int, work: Callable[[Combinations], T], only: Flags | None = None) -> list[T]:
    """Give what work makes of the combinations of up to m labels, all or those whose first label is among some."""
    return [
        work(Combinations(size, rows, people))
        for size in range(1, m + 1)
        for rows, people in holders.combinations(size, only=only)
        if people.size
    ]
