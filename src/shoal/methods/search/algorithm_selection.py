"""How classes are best formed and mended: tried on a few of the records, and done with all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from shoal.arrays import Labels
from shoal.kernels.swapping import Trading
from shoal.methods.search.constraint_repair import Found, Ground, Way

SMALL = 1 << 12  # records among which all is tried with all
STRETCHES, LENGTH = (4, 8), 256  # on how many stretches ways and sizes are tried otherwise, and of how many records
SHARE = 16  # of the records, at most, unless they are few
HASTE = Trading(32, 1, 0.5)
CLOSE = 1.1  # times what classes cost that need keep no promise, up to which larger ones will not cost less
BELOW = 0.97  # times what they cost, below which mending will hardly bring them
LEAD = 0.93  # what classes cost in the end that trade first, as a share of what they cost where they are tried
DOUBT = 1.1  # times what is estimated of other ways, up to which strata are worth a try
RISK = 1.35  # times what is estimated, below what strata cost, from which on other ways are worth one
HEAVY = 3.0  # times what classes cost, from which on it is too much to mend them
POLISHED, NEAR = 8, 1.2  # how many of the best, among few records, and how near to the best
HOPELESS = 0.3  # the share of classes that fail beyond which it is better to look for another way first


# Forms classes of at least so many records, in haste or not; gives None if that cannot be done.
Start = Callable[[Ground, int, bool], tuple[Labels, int] | None]
# Forms classes of all records from a start, of a size; and mends them in a way.
Forming = Callable[[Start, int], tuple[Labels, int]]
Mending = Callable[[Start, int, Way], Found]


class Trial(NamedTuple):
    """A way to form and mend classes, what they cost before, and what came out where it was tried."""

    start: Start
    way: Way
    size: int
    before: float
    found: Found

    @property
    def estimate(self) -> float:
        """What is lost in the end: where records change places first, they will do so again with more success."""
        return self.found.cost * (LEAD if self.way == "trade" else 1.0)


@dataclass(frozen=True)
class Care:
    """How much is tried: sizes in steps of a part of them, how many in a row may be no better, and in which haste."""

    step: int
    patience: int
    haste: bool


MANY, FEW = Care(2, 2, haste=True), Care(4, 7, haste=False)


@dataclass(frozen=True, eq=False)
class Choice:
    """Ways to form classes: without regard to promises, with regard to some, and from strata.

    ``lead`` is what strata cost in the end, as a share of what they cost where they are tried among few records.
    ``strata_from`` is the least size at which strata keep what is promised.
    ``spared`` says that others form classes from strata of the whole table: what is mended at a high price is left.
    """

    bare: Start
    settled: Start | None
    strata: Start | None
    lead: float
    spared: bool
    strata_from: int

    def cheapest(self, ground: Ground, least: int, effort: Trading) -> Found:
        """Form and mend classes in several ways and sizes, and give those that cost least.

        Where hardly more is lost than without regard to promises, no other way is looked for.
        """
        form: Forming = cache(lambda start, size: start(ground, size, False))
        mend: Mending = cache(lambda start, size, way: ground.mended(*form(start, size), way, HASTE))
        first, way, done = self.settled or self.bare, ground.ways[0], []
        if ground.kept(*form(first, least)).mean() >= 1 - HOPELESS:
            done = [mend(first, least, way)]
            close = CLOSE if ground.rows > SMALL else 1.0
            if done[0].cost <= close * ground.cost(*form(self.bare, least)):
                return ground.polished(done[0], effort)
        if ground.rows > SMALL:
            done += self._among_many(ground, least, form, mend)
            return ground.polished(min(done, key=_cost), effort) if done else Found(*form(self.bare, least), np.inf)
        done += self._among_few(ground, least)
        done.sort(key=_cost)
        near = [one for one in done[:POLISHED] if one.cost <= NEAR * done[0].cost]
        return min((ground.polished(one, effort) for one in near), key=_cost)

    def _among_few(self, ground: Ground, least: int) -> Iterator[Found]:
        """Do all that is tried with all records."""
        for start, size in ((self.bare, least), (self.settled, least), (self.strata, max(least, self.strata_from))):
            if start is not None:
                yield from (trial.found for trial in _tried(ground, start, size, FEW))

    def _among_many(self, ground: Ground, least: int, form: Forming, mend: Mending) -> Iterator[Found]:
        """Try ways and sizes with some records, and do those that promise most with all."""
        few, limit, ahead = _looked_at(ground), np.inf, True
        plain = [trial for start in (self.bare, self.settled) if start for trial in _tried(few, start, least, MANY)]
        best = min(plain, key=lambda trial: trial.estimate)
        drawn = [] if self.strata is None else list(_tried(few, self.strata, max(least, self.strata_from), MANY))
        if drawn:
            other = min(drawn, key=lambda trial: trial.found.cost)
            if other.found.cost * self.lead < DOUBT * best.estimate:
                ahead = best.estimate < other.found.cost
                # The least size that strata need is done in any case, so that who asks for less has it, too.
                for size in dict.fromkeys((drawn[0].size, other.size)):
                    found = mend(other.start, size, "join")
                    limit = min(limit, found.cost)
                    yield found
        more = RISK * (best.estimate / best.before if best.before > 0 else 1.0)
        promising = ahead or more * ground.cost(*form(best.start, best.size)) < limit
        if promising and not (self.spared and more > HEAVY):
            yield mend(best.start, best.size, best.way)


def _cost(found: Found) -> float:
    return found.cost


def sizes_from(least: int, most: int, step: int) -> list[int]:
    """Give the sizes that are tried, from the least on: those of one list, so that who asks for less tries no less."""
    sizes, size = [], 2
    while size <= most:
        sizes.append(size)
        size += max(1, size // step)
    return [least, *(size for size in sizes if size > least)]


def _tried(ground: Ground, start: Start, least: int, care: Care) -> Iterator[Trial]:
    """Try one size after the other as long as that may get better."""
    best, idle = np.inf, 0
    for size in sizes_from(least, ground.rows // 2, care.step):
        formed = start(ground, size, care.haste)
        if formed is None:
            continue
        before = ground.cost(*formed)
        if BELOW * before >= best or idle == care.patience:
            return
        idle += 1
        for way in ground.ways:
            found = ground.mended(*formed, way, HASTE)
            yield Trial(start, way, size, before, found)
            if found.cost < best:
                best, idle = found.cost, 0


def _looked_at(ground: Ground) -> Ground:
    """Give a few stretches of the records, far from each other."""
    stretches = int(np.clip(ground.rows // (SHARE * LENGTH), *STRETCHES))
    begins = np.linspace(0, ground.rows - LENGTH, stretches).astype(np.int64)
    return ground.some((begins[:, None] + np.arange(LENGTH)).reshape(-1).astype(np.int32))
