"""The secrets of classes, and the ways in which they can belong to the people of these."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np

from shoal.arrays import Flags, Floats, Integers
from shoal.kernels.grouping import by_label


@dataclass(frozen=True, eq=False)
class ClassesOfSecrets:
    """People by class, with their secrets.

    Attributes
    ----------
    labels, values
        The class of each person, and the number of the person's secret.
    order, starts
        The people class after class, and where each class begins among these.
    """

    labels: Integers
    values: Integers
    order: Integers
    starts: Integers

    @classmethod
    def of(cls, labels: Integers, values: Integers) -> Self:
        """Put the people of each class together."""
        order, starts = by_label(labels.astype(np.int32), int(labels.max()) + 1)
        return cls(labels, values, order.astype(np.int64), starts.astype(np.int64))

    @property
    def number(self) -> int:
        """How many classes there are."""
        return self.starts.size - 1

    @property
    def rooms(self) -> list[Integers]:
        """The people of each class."""
        return [self.order[a:b] for a, b in pairwise(self.starts.tolist())]

    @property
    def shown(self) -> Floats:
        """How likely each person's secret is by what the class shows."""
        width = int(self.values.max()) + 1
        _, which, counts = np.unique(self.labels * width + self.values, return_inverse=True, return_counts=True)
        found: Floats = counts[which.reshape(-1)] / np.bincount(self.labels)[self.labels]
        return found

    def assigned_anew(self, chosen: Flags, generator: np.random.Generator) -> Integers:
        """Give whose secret each person has if those of some classes are assigned to their people by chance."""
        shuffled = np.lexsort((generator.random(self.order.size), self.labels[self.order]))
        world = np.empty(self.order.size, np.int64)
        world[self.order] = self.order[shuffled]
        return np.where(chosen[self.labels], world, np.arange(world.size))


def every_world(classes: ClassesOfSecrets) -> Iterator[Integers]:
    """Give whose secret each person has in each of all worlds that differ in some secret."""
    return _every(classes.rooms, classes.values, np.arange(classes.values.size))


def number_of_worlds(classes: ClassesOfSecrets) -> float:
    """Count these worlds; infinity where there are too many for a number."""
    width = int(classes.values.max()) + 1
    sizes, alike = (np.bincount(each) for each in (classes.labels, classes.labels * width + classes.values))
    ways = [sum(math.lgamma(n + 1) for n in counts.tolist()) for counts in (sizes, alike)]
    return round(math.exp(ways[0] - ways[1])) if ways[0] - ways[1] < 20 else math.inf


def _every(rooms: list[Integers], values: Integers, world: Integers) -> Iterator[Integers]:
    """Give all worlds that differ in some secret."""
    if not rooms:
        yield world
        return
    for assigned in _assignments(rooms[0], values):
        here = world.copy()
        here[rooms[0]] = assigned
        yield from _every(rooms[1:], values, here)


def _assignments(room: Integers, values: Integers) -> Iterator[list[int]]:
    """Give all ways to assign the secrets of a class to its people, by who had them."""
    holders: dict[int, list[int]] = {}
    for person in room.tolist():
        holders.setdefault(int(values[person]), []).append(person)
    assigned: list[int] = []

    def rest() -> Iterator[list[int]]:
        if len(assigned) == room.size:
            yield list(assigned)
        for people in holders.values():
            if people:
                assigned.append(people.pop())
                yield from rest()
                people.append(assigned.pop())

    yield from rest()
