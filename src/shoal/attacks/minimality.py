"""Minimality: what a method tells of secrets by which classes it formed, to somebody who knows how it works."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import ClassVar

import numpy as np

from shoal.arrays import Integers, Positions
from shoal.attacks import Success
from shoal.attacks.residual import Rate
from shoal.attacks.scene import Scene
from shoal.attacks.words import share
from shoal.errors import ParameterError, ShoalError
from shoal.kernels.grouping import by_label, label_rows
from shoal.methods.perturbation.preserved import draws
from shoal.parameters import settle
from shoal.table import Table

_MOST_RECORDS = 2_000
_ALL = 20_000  # worlds up to which all are looked at, if so many are asked for


@dataclass(frozen=True)
class Minimality:
    """Who knows everybody's quasi-identifiers, and how the release was made, asks which tables give just this release.

    Within each class its secrets may belong to its people in any way. Of these worlds the attacker keeps those in which
    the method, run again, forms the same classes, and believes of a person what most of them say. *Guess* is how likely
    a secret drawn from these worlds is right, *certain* the share of people of whom all of them say the right thing;
    the control is the same of all worlds: what the class shows. Small tables only, because the method is run once for
    each world; if there are more than ``worlds``, so many are drawn by the seed.

    Parameters
    ----------
    worlds
        How many worlds are looked at, at most.

    References
    ----------
    R. C.-W. Wong, A. W.-C. Fu, K. Wang, J. Pei: Minimality attack in privacy preserving data publishing, VLDB 2007. G.
    Cormode, N. Li, T. Li, D. Srivastava: Minimizing minimality and maximizing utility, PVLDB 3(1), 2010,
    doi:10.14778/1920841.1920972.
    """

    name: ClassVar[str] = "minimality"
    worlds: int = 200

    def __post_init__(self) -> None:
        """Check what was asked for."""
        settle(self)
        if isinstance(self.worlds, bool) or not isinstance(self.worlds, int) or not 1 <= self.worlds <= _ALL:
            raise ParameterError(f"There is at least one world, and at most {_ALL:,}.", "Usual are 200.")

    def lacks(self, scene: Scene) -> str | None:
        """Say what would have to be known."""
        if scene.secret is None:
            return "there is no secret to be learned (--secret)"
        if scene.recipe is None:
            return "how the release was made is known only of one that 'anonymize' gave (in Python)"
        if draws(scene.recipe.methods) or scene.released.rows != scene.original.rows:
            return "the method changes values at random, so no world gives the same release for certain"
        if scene.original.rows > _MOST_RECORDS:
            return f"the method would have to be run on more than {_MOST_RECORDS:,} records again and again"
        if len(scene.original.collect(len, scene.original.column(scene.secret))) > 1:
            return "the original lies in parts"
        return None

    def successes(self, scene: Scene) -> tuple[Success, ...]:
        """Run the method on other worlds, and keep those that give the same release."""
        assert scene.secret is not None
        own = scene.original.collect(np.asarray, scene.original.column(scene.secret))[0]
        labels, values = _classes(scene), np.unique(own, return_inverse=True)[1].reshape(-1).astype(np.int64)
        shape = int(labels.max()) + 1, int(values.max()) + 1
        held = np.zeros(shape)
        np.add.at(held, (labels, values), 1)
        shown = (held / held.sum(axis=1, keepdims=True))[labels]
        counts, tried, kept = np.zeros((values.size, shape[1])), 0, 0
        every = np.arange(values.size)
        for world in self._worlds(labels, values, scene.seed):
            tried += 1
            if _same(scene, own[world]):
                kept += 1
                counts[every, values[world]] += 1
        believed = counts / kept if kept else shown
        guess, plain = (each[every, values] for each in (believed, shown))
        detail = {"worlds": tried, "possible": kept, "people": int(values.size)}
        left = f"{kept:,} of {tried:,} worlds give this release"
        sampled = kept if tried < _number(labels, values) else None
        found = []
        drawn = "a guess of {} from these is right for {} of people, and from what classes show for {}."
        sure = "{} is then certain for {} of people, and by what classes show for {}."
        for way, what, high, low in (("guess", drawn, guess, plain), ("certain", sure, guess >= 1, plain >= 1)):
            rate, control = (float(np.mean(each)) for each in (high, low))
            sentence = f"{left}: {what.format(scene.secret, share(rate), share(control))}"
            found.append(Success.of(f"minimality {way}", Rate(rate, sampled or None), Rate(control), sentence, detail))
        return tuple(found)

    def _worlds(self, labels: Integers, values: Integers, seed: int) -> Iterator[Integers]:
        """Give whose secret each person has in each world: all worlds, or so many that are drawn."""
        order, starts = by_label(labels.astype(np.int32), int(labels.max()) + 1)
        rooms = [order[a:b].astype(np.int64) for a, b in pairwise(starts.tolist())]
        if _number(labels, values) <= self.worlds:
            yield from _every(rooms, values, np.arange(values.size))
            return
        generator = np.random.default_rng(seed)
        for _ in range(self.worlds):
            world = np.arange(values.size)
            for room in rooms:
                world[room] = generator.permutation(room)
            yield world


def _every(rooms: list[Integers], values: Integers, world: Integers) -> Iterator[Integers]:
    """Give all worlds that differ in some secret."""
    if not rooms:
        yield world
        return
    for dealt in _dealings(rooms[0], values):
        here = world.copy()
        here[rooms[0]] = dealt
        yield from _every(rooms[1:], values, here)


def _dealings(room: Integers, values: Integers) -> Iterator[list[int]]:
    """Give all ways to deal the secrets of a class to its people, by who had them."""
    holders: dict[int, list[int]] = {}
    for person in room.tolist():
        holders.setdefault(int(values[person]), []).append(person)
    dealt: list[int] = []

    def rest() -> Iterator[list[int]]:
        if len(dealt) == room.size:
            yield list(dealt)
        for people in holders.values():
            if people:
                dealt.append(people.pop())
                yield from rest()
                people.append(dealt.pop())

    yield from rest()


def _number(labels: Integers, values: Integers) -> int:
    """Count the worlds."""
    pairs, counts = np.unique(np.stack([labels, values]), axis=1, return_counts=True)
    whole = math.prod(math.factorial(int(size)) for size in np.bincount(labels) if size)
    return whole // math.prod(math.factorial(int(count)) for count in counts) if pairs.size else 1


def _cells(table: Table) -> tuple[Positions, Positions]:
    return table.cells(table.schema.quasi, np.arange(table.rows))


def _classes(scene: Scene) -> Integers:
    """Number the people by what is published of them."""
    lo, hi = (np.ascontiguousarray(ends) for ends in _cells(scene.released))
    return label_rows(lo, hi, np.arange(lo.shape[1]))[0].astype(np.int64)


def _given(secrets: Integers, before: Integers) -> Integers:
    return secrets


def _same(scene: Scene, secrets: Integers) -> bool:
    """Tell whether the method forms the same classes if people had these secrets."""
    assert scene.secret is not None
    assert scene.recipe is not None
    table = scene.original
    column = table.combine(partial(_given, secrets), table.column(scene.secret))
    table = table.put({scene.secret: (table.schema[scene.secret].axis, column)})
    try:
        for method in scene.recipe.methods:
            table = method.apply(table, scene.recipe.models, scene.recipe.seed or 0)
    except ShoalError:  # there, a promise could not have been kept
        return False
    return _texts(table) == _texts(scene.released)


def _texts(table: Table) -> list[list[str]]:
    """Give what is published of everybody."""
    lo, hi = _cells(table)
    axes = [table.schema[name].axis for name in table.schema.quasi]
    return [axis.render_all(lo[:, j], hi[:, j]) for j, axis in enumerate(axes)]
