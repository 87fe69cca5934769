"""Which candidates are made next: first what is on the screen, exactly, and then what may be asked for after it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.web.cases.aims import Aim
from shoal.web.tasks.job import Part
from shoal.web.tasks.lanes import AHEAD, SHOWN
from shoal.web.tasks.messages import CandidateSpec, CandidatesRequest

_SLICE = 5.0  # seconds of work ahead after which others have their turn


@dataclass(frozen=True)
class Wanted:
    """Candidates to be made: estimates from a sample, and exact ones from all rows."""

    estimates: tuple[Aim, ...] = ()
    exact: tuple[Aim, ...] = ()

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.estimates or self.exact)

    def specs(self, asked_of: Callable[[Aim], CandidateSpec]) -> dict[str, tuple[CandidateSpec, ...]]:
        """Give them as a task is asked for them."""
        named = {"estimates": self.estimates, "exact": self.exact}
        return {name: tuple(map(asked_of, aims)) for name, aims in named.items()}


@dataclass(frozen=True)
class SearchPlan:
    """What someone waits for, and what is made ahead."""

    now: Wanted
    ahead: Wanted

    def parts(self, reading: Mapping[str, Any], asked_of: Callable[[Aim], CandidateSpec]) -> list[Part]:
        """Give it as parts of a job, for a table that is read in a way, and aims that are asked for in a way."""
        return [
            Part(CandidatesRequest(**{**reading, **wanted.specs(asked_of)}, seconds=seconds), lane)
            for wanted, lane, seconds in ((self.now, SHOWN, None), (self.ahead, AHEAD, _SLICE))
            if wanted
        ]


def is_headline(found: Mapping[str, Any]) -> bool:
    """Tell whether a candidate came with a case that was passed on: what becomes of its cells is not known then.

    >>> is_headline({"kept": 0.9}), is_headline({"kept": 0.9, "cells": {}}), is_headline({"impossible": "No."})
    (True, False, False)
    """
    return "kept" in found and "cells" not in found


def search_plan(aim: Aim, pinned: Sequence[Aim], known: Mapping[str, Mapping[str, Any]], *, large: bool) -> SearchPlan:
    """Plan what is made next.

    What is chosen and what is compared becomes exact and whole. Of a large file the others are estimated from a sample,
    and then made exactly if they are of the method that is chosen.
    """
    shown = list(dict.fromkeys((aim, *pinned)))
    others = [each for each in _order(aim) if each not in shown]

    def rough(each: Aim) -> bool:
        found = known.get(each.key)
        return found is None or bool(found.get("sampled")) or is_headline(found)

    def unknown(some: Sequence[Aim]) -> tuple[Aim, ...]:
        return tuple(each for each in some if each.key not in known)

    now = tuple(each for each in shown if rough(each))
    if not large:
        return SearchPlan(Wanted((), now), Wanted((), unknown(others)))
    later = tuple(each for each in others if rough(each) and each.method == aim.method)
    return SearchPlan(Wanted(unknown(shown), now), Wanted(unknown(others), later))


def _order(aim: Aim) -> list[Aim]:
    """Give what is near to a choice: the same by each other method, then the nearest first."""
    same = map(aim.by, aim.methods)
    return list(dict.fromkeys((*same, *aim.nearby())))
