"""Combinations of labels that people have, of a table in parts: by person, then by the first label."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np

from shoal.arrays import Bits, Flags, Integers
from shoal.engines.combining import efforts, holders_of, refuse_effort, worked
from shoal.engines.parts.columns import LazyColumn
from shoal.engines.parts.data import Arrays, value_of
from shoal.engines.parts.pool import Part, Pool
from shoal.engines.parts.shuffle import shuffle_by_hash
from shoal.engines.values import Combinations
from shoal.kernels.combinations import Holders

T = TypeVar("T")


def map_combinations(
    pool: Pool, people: LazyColumn, labels: LazyColumn, m: int, work: Callable[[Combinations], T]
) -> list[T]:
    """Bring the labels of each person together, then what begins with the same label, and count there."""
    handles = people.materialize(), labels.materialize()
    parts = handles[0].parts

    def by_person(number: int, person: Part, label: Part) -> tuple[Bits, Arrays]:
        columns = {"person": value_of(person).astype(np.int32), "label": value_of(label).astype(np.int32)}
        return columns["person"].astype(np.uint64), columns

    def effort(number: int, part: Part) -> list[int]:
        return efforts(_holders(part)[0], m)

    there = shuffle_by_hash(pool, by_person, parts, *handles, summarize=effort)
    longest = refuse_effort(there.summaries)

    def by_first(number: int, part: Part) -> Iterator[Arrays]:
        holders, names = _holders(part)
        whose = np.repeat(names, holders.lengths)
        for target in range(parts):
            mine = holders.labels % parts == target
            first = np.full(holders.people, holders.labels.size, np.int64)
            np.minimum.at(first, holders.persons[mine], np.flatnonzero(mine))
            sent = np.arange(holders.labels.size) >= first[holders.persons]
            yield {"person": whose[sent], "label": holders.labels[sent]}

    def counted(number: int, part: Part) -> list[T]:
        holders, _ = _holders(part)
        only: Flags = np.arange(holders.vocabulary) % parts == number
        return worked(holders, min(m, longest), work, only)

    return [found for some in pool.shuffle(by_first, parts, there, summarize=counted).summaries for found in some]


def _holders(part: Part) -> tuple[Holders, Integers]:
    """Give who has which labels among the people of a part, and the names of these."""
    names, people = np.unique(part["person"], return_inverse=True)
    return holders_of(people.reshape(-1), part["label"]), names
