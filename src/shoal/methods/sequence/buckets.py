"""Who goes into a class with whom, so that everybody's class shows the same confidential values as the one before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from shoal.arrays import Integers

WITHHELD = -1
Signature = tuple[int, ...]  # the values that the class of a person shows, in ascending order


@dataclass(eq=False)
class Buckets:
    """Records by the signature that their class is to have, and within it by their value.

    Parameters
    ----------
    secret
        The value of each record, or -1 where it has none.
    before
        The number of each record's signature in an earlier release, or -1 if it was in none.
    signatures
        The signatures that there were.
    random
        What draws whom is withheld, where there are too many of a value.
    """

    secret: Integers
    before: Integers
    signatures: Sequence[Signature]
    random: np.random.Generator
    filled: dict[Signature, list[Integers]] = field(default_factory=dict)

    def fill(self, m: int) -> None:
        """Put records into buckets: those who were there before first, then the others."""
        known = np.flatnonzero(self.secret >= 0)
        fresh = self.before[known] < 0
        new = {value: self._drawn(rows) for value, rows in _by(self.secret, known[fresh]).items()}
        staying = _by(self.before, known[~fresh])
        for number in sorted(staying, key=lambda each: (-staying[each].size, self.signatures[each])):
            self._balanced(self.signatures[number], staying[number], new)
        self._begun(new, m)

    def _balanced(self, signature: Signature, rows: Integers, new: dict[int, Integers]) -> None:
        """Make as many classes as there are records of the most frequent value; fewer where nobody new has the others.

        A record whose value is none of its signature any more is withheld: its class would show that it changed.
        """
        old = [self._drawn(rows[self.secret[rows] == value]) for value in signature]
        spare = [new.get(value, rows[:0]).size for value in signature]
        classes = min(
            max(part.size for part in old), *(part.size + more for part, more in zip(old, spare, strict=True))
        )
        chosen = []
        for value, part in zip(signature, old, strict=True):
            lacking = max(classes - part.size, 0)
            others = new.get(value, rows[:0])
            chosen.append(np.concatenate([part[:classes], others[:lacking]]))
            if lacking:
                new[value] = others[lacking:]
        self._add(signature, chosen)

    def _begun(self, new: Mapping[int, Integers], m: int) -> None:
        """Give people who were in no release signatures of m values: of those that most of them have.

        What remains can always be given signatures too, but for fewer than m records, as long as no value has more
        than one in m; more of a value are withheld.
        """
        left = {value: rows for value, rows in new.items() if rows.size}
        while len(left) >= m:
            values = sorted(left, key=lambda value: (-left[value].size, value))
            sizes = [left[value].size for value in values]
            most, total = sum(sizes[1:]) // (m - 1), sum(sizes)
            if sizes[0] > most:
                left[values[0]] = left[values[0]][:most]
                continue
            following = sizes[m] if len(sizes) > m else 0
            classes = max(1, min(sizes[m - 1], total // m - following))
            signature = tuple(sorted(values[:m]))
            self._add(signature, [left[value][:classes] for value in signature])
            for value in signature:
                left[value] = left[value][classes:]
            left = {value: rows for value, rows in left.items() if rows.size}

    def _add(self, signature: Signature, parts: Sequence[Integers]) -> None:
        if parts[0].size:
            known = self.filled.get(signature, [part[:0] for part in parts])
            self.filled[signature] = [np.concatenate(pair) for pair in zip(known, parts, strict=True)]

    def _drawn(self, rows: Integers) -> Integers:
        drawn: Integers = self.random.permutation(rows)
        return drawn

    def classes(self, place: Integers) -> tuple[Integers, int]:
        """Divide each bucket into classes with one record of each value, near each other along an order.

        A record is drawn, and takes the nearest that is left of each other value, so that the classes of a bucket
        follow no order that would tell who has which. Gives the class of each record and how many classes there are.
        """
        labels = np.full(self.secret.size, WITHHELD, np.int64)
        number = 0
        for signature in sorted(self.filled):
            parts = [rows[np.argsort(place[rows], kind="stable")] for rows in self.filled[signature]]
            free_of = [_Free(place[rows]) for rows in parts]
            first = self.random.integers(len(parts), size=parts[0].size).tolist()
            drawn = [self._drawn(np.arange(parts[0].size)).tolist() for _ in parts]
            for chosen in first:
                while not free_of[chosen].free(drawn[chosen][-1]):
                    drawn[chosen].pop()
                start = drawn[chosen].pop()
                at = int(place[parts[chosen][start]])
                for value, (rows, free) in enumerate(zip(parts, free_of, strict=True)):
                    spot = start if value == chosen else free.nearest(at)
                    free.take(spot)
                    labels[rows[spot]] = number
                number += 1
        return labels, number


def _by(numbers: Integers, rows: Integers) -> dict[int, Integers]:
    """Give the rows with each number."""
    order = rows[np.argsort(numbers[rows], kind="stable")]
    values, starts = np.unique(numbers[order], return_index=True)
    return dict(zip(values.tolist(), np.split(order, starts[1:]), strict=bool(rows.size)))


class _Free:
    """Places in ascending order, some of which are taken; the nearest that is free is found by paths that shrink."""

    def __init__(self, along: Integers) -> None:
        self._along = along
        size = along.size
        self._right, self._left = list(range(size + 1)), list(range(size + 1))  # from 1 on; 0 and size are none

    def free(self, place: int) -> bool:
        return self._right[place] == place

    def take(self, place: int) -> None:
        self._right[place], self._left[place + 1] = place + 1, place

    def nearest(self, at: int) -> int:
        start = int(np.searchsorted(self._along, at))
        above = _end(self._right, start)
        below = _end(self._left, start) - 1
        if above == self._along.size:
            return below
        if below < 0 or self._along[above] - at <= at - self._along[below]:
            return above
        return below


def _end(paths: list[int], start: int) -> int:
    end = start
    while paths[end] != end:
        end = paths[end]
    while paths[start] != end:
        paths[start], start = end, paths[start]
    return end
