"""Algorithm selection: ways to form and repair classes are tried on some records, and the best is used on all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from shoal.arrays import Labels
from shoal.kernels.swapping import SwapEffort
from shoal.methods.search.constraint_repair import RepairProblem, Solution, Strategy

SMALL = 1 << 12  # records among which all is tried with all
WINDOWS, LENGTH = (4, 8), 256  # on how many windows ways and sizes are tried otherwise, and of how many records
SHARE = 16  # of the records, at most, unless they are few
HASTE = SwapEffort(32, 1, 0.5)
CLOSE = 1.1  # times what classes cost that need keep no promise, up to which larger ones will not cost less
BELOW = 0.97  # times what they cost, below which a repair will hardly bring them
LEAD = 0.93  # what classes cost in the end that swap first, as a share of what they cost where they are tried
DOUBT = 1.1  # times what is estimated of other ways, up to which strata are worth a try
RISK = 1.35  # times what is estimated, below what strata cost, from which on other ways are worth one
HEAVY = 3.0  # times what classes cost, from which on it is too much to repair them
POLISHED, NEAR = 8, 1.2  # how many of the best, among few records, and how near to the best
HOPELESS = 0.3  # the share of classes that fail beyond which it is better to look for another way first


# Forms classes of at least so many records, in haste or not; gives None if that cannot be done.
Start = Callable[[RepairProblem, int, bool], tuple[Labels, int] | None]
# Forms classes of all records from a start, of a size; and repairs them by a strategy.
ClassFormer = Callable[[Start, int], tuple[Labels, int]]
ClassRepairer = Callable[[Start, int, Strategy], Solution]


class Trial(NamedTuple):
    """How classes are formed and repaired, what they cost before, and what came out where it was tried."""

    start: Start
    strategy: Strategy
    size: int
    before: float
    found: Solution

    @property
    def estimate(self) -> float:
        """What is lost in the end: where records change places first, they will do so again with more success."""
        return self.found.cost * (LEAD if self.strategy == "swap" else 1.0)


@dataclass(frozen=True)
class TrialEffort:
    """How much is tried: sizes in steps of a part of them, how many in a row may be no better, and in which haste."""

    step: int
    patience: int
    haste: bool


MANY, FEW = TrialEffort(2, 2, haste=True), TrialEffort(4, 7, haste=False)


@dataclass(frozen=True, eq=False)
class Choice:
    """Ways to form classes: without regard to promises, with regard to some, and from strata.

    ``lead`` is what strata cost in the end, as a share of what they cost where they are tried among few records.
    ``strata_from`` is the least size at which strata keep what is promised.
    ``strata_follow`` says that strata of the whole table are tried later: costly repairs are left to that.
    """

    unconstrained: Start
    constrained: Start | None
    strata: Start | None
    lead: float
    strata_follow: bool
    strata_from: int

    def cheapest(self, problem: RepairProblem, least: int, effort: SwapEffort) -> Solution:
        """Form and repair classes in several ways and sizes, and give those that cost least.

        Where hardly more is lost than without regard to promises, nothing else is tried.
        """
        form: ClassFormer = cache(lambda start, size: start(problem, size, False))
        repair: ClassRepairer = cache(lambda start, size, how: problem.repaired(*form(start, size), how, HASTE))
        first, strategy, done = self.constrained or self.unconstrained, problem.strategies[0], []
        if problem.kept(*form(first, least)).mean() >= 1 - HOPELESS:
            done = [repair(first, least, strategy)]
            close = CLOSE if problem.rows > SMALL else 1.0
            if done[0].cost <= close * problem.cost(*form(self.unconstrained, least)):
                return problem.polished(done[0], effort)
        if problem.rows > SMALL:
            done += self._among_many(problem, least, form, repair)
            best = min(done, key=_cost, default=None)
            return problem.polished(best, effort) if best else Solution(*form(self.unconstrained, least), np.inf)
        done += self._among_few(problem, least)
        done.sort(key=_cost)
        near = [one for one in done[:POLISHED] if one.cost <= NEAR * done[0].cost]
        return min((problem.polished(one, effort) for one in near), key=_cost)

    def _among_few(self, problem: RepairProblem, least: int) -> Iterator[Solution]:
        """Do all that is tried with all records."""
        for trial in (*self._plain(problem, least, FEW), *self._stratified(problem, least, FEW)):
            yield trial.found

    def _plain(self, problem: RepairProblem, least: int, effort: TrialEffort) -> Iterator[Trial]:
        """Try classes of neighbours."""
        for start in filter(None, (self.unconstrained, self.constrained)):
            yield from _tried(problem, start, least, effort)

    def _stratified(self, problem: RepairProblem, least: int, effort: TrialEffort) -> list[Trial]:
        """Try classes from strata."""
        return [] if self.strata is None else list(_tried(problem, self.strata, max(least, self.strata_from), effort))

    def _among_many(
        self, problem: RepairProblem, least: int, form: ClassFormer, repair: ClassRepairer
    ) -> Iterator[Solution]:
        """Try ways and sizes with some records, and do those that promise most with all."""
        few, limit, ahead = _looked_at(problem), np.inf, True
        best = min(self._plain(few, least, MANY), key=lambda trial: trial.estimate)
        drawn = self._stratified(few, least, MANY)
        if drawn:
            other = min(drawn, key=lambda trial: trial.found.cost)
            if other.found.cost * self.lead < DOUBT * best.estimate:
                ahead = best.estimate < other.found.cost
                # The least size that strata need is done in any case, so that who asks for less has it, too.
                for size in dict.fromkeys((drawn[0].size, other.size)):
                    found = repair(other.start, size, "merge")
                    limit = min(limit, found.cost)
                    yield found
        more = RISK * (best.estimate / best.before if best.before > 0 else 1.0)
        promising = ahead or more * problem.cost(*form(best.start, best.size)) < limit
        if promising and not (self.strata_follow and more > HEAVY):
            yield repair(best.start, best.size, best.strategy)


def _cost(found: Solution) -> float:
    return found.cost


def sizes_from(least: int, most: int, step: int) -> list[int]:
    """Give the sizes that are tried, from the least on: those of one list, so that who asks for less tries no less."""
    sizes, size = [], 2
    while size <= most:
        sizes.append(size)
        size += max(1, size // step)
    return [least, *(size for size in sizes if size > least)]


def _tried(problem: RepairProblem, start: Start, least: int, trial: TrialEffort) -> Iterator[Trial]:
    """Try one size after the other as long as that may get better."""
    best, idle = np.inf, 0
    for size in sizes_from(least, problem.rows // 2, trial.step):
        formed = start(problem, size, trial.haste)
        if formed is None:
            continue
        before = problem.cost(*formed)
        if BELOW * before >= best or idle == trial.patience:
            return
        idle += 1
        for strategy in problem.strategies:
            found = problem.repaired(*formed, strategy, HASTE)
            yield Trial(start, strategy, size, before, found)
            if found.cost < best:
                best, idle = found.cost, 0


def _looked_at(problem: RepairProblem) -> RepairProblem:
    """Give a few windows of the records, far from each other."""
    windows = int(np.clip(problem.rows // (SHARE * LENGTH), *WINDOWS))
    begins = np.linspace(0, problem.rows - LENGTH, windows).astype(np.int64)
    return problem.some((begins[:, None] + np.arange(LENGTH)).reshape(-1).astype(np.int32))
