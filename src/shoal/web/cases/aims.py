"""Ways to protect a table: a method, how large a class everybody is in, and a further promise."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from shoal.catalogue import build, entries
from shoal.errors import ParameterError, ShoalError
from shoal.models.across_rows import AcrossRows
from shoal.models.outside_population import OutsidePopulation
from shoal.web.cases.method_steps import FIRST as AHEAD
from shoal.web.cases.method_steps import (
    OF_ITS_OWN,
    MethodStep,
    canonical,
    name_of,
    of_its_own,
    offered,
    promises,
    repeats_itself,
    steps_of,
    written,
)
from shoal.web.cases.promise_terms import INSTEAD_OF_TABLE, USUAL_ERROR, terms
from shoal.web.tasks.messages import CandidateSpec

K_LEVELS = (2, 3, 4, 5, 7, 10, 15, 20, 30, 50)  # tried ahead; others are tried when someone asks for them
K_MOST = 100_000
K_USUAL = 5


@dataclass(frozen=True)
class Slider:
    """The levels of a promise: those tried ahead, which of them is usual, and between which others may be asked for."""

    levels: tuple[float, ...]
    usual: float
    low: float
    high: float
    whole: bool = False


_NO_SLIDER = Slider((0.0,), 0.0, 0.0, 0.0)
# By the parameter of the model: every model of the catalogue that has one is offered, if it is about one confidential
# column, or needs a table of the population.
_SLIDERS = {
    "t": Slider((0.05, 0.1, 0.15, 0.2, 0.3), 0.2, 0.001, 0.999),
    "l": Slider((2, 3, 4, 5), 2, 2, 1000, whole=True),
    "m": Slider((2, 3, 4, 5, 6, 8), 3, 2, 1000, whole=True),
    "alpha": Slider((0.5, 0.6, 0.7, 0.8, 0.9), 0.8, 0.001, 0.999),
    "k": Slider((2, 3, 5, 10, 20, 50), 5, 2, K_MOST, whole=True),
    "most": Slider((0.1, 0.2, 0.33, 0.5, 0.8), 0.5, 0.001, 1),
    "highest": Slider((0.05, 0.09, 0.2, 0.33, 0.5), 0.2, 0.001, 1),
}
_NEEDS = {"column", "population"}  # what a model says that it is about


def _letters() -> dict[str, str]:
    """Give the models of the catalogue that can be promised beside k-anonymity, and the parameter of each."""
    named = {name: [each.name for each in fields(kind)] for name, kind in entries("models").items()}
    own = {name: [each for each in given if each not in _OF_TABLE] for name, given in named.items()}
    return {
        name: own[name][0] for name, given in named.items() if _NEEDS.intersection(given) and own[name][0] in _SLIDERS
    }


_OF_TABLE = {each.name for each in fields(OutsidePopulation)}
GUARD_LETTERS = _letters()
IN_POPULATION = {name for name in GUARD_LETTERS if issubclass(entries("models")[name], OutsidePopulation)}
GUARDS = {"none": _NO_SLIDER, **{name: _SLIDERS[letter] for name, letter in GUARD_LETTERS.items()}}
OF_PEOPLE = {name for name in GUARD_LETTERS if issubclass(entries("models")[name], AcrossRows)}  # about all their rows
ALONE = IN_POPULATION | {OF_ITS_OWN}  # which may be all that is promised
METHODS = offered()


def _made_without_table(name: str) -> bool:
    """Tell whether a promise about a population can be made without a table of it."""
    instead = {key: USUAL_ERROR for key in INSTEAD_OF_TABLE.get(name, ()) if key != "truncated"}
    try:
        build("models", {"name": name, GUARD_LETTERS[name]: GUARDS[name].usual, **instead})
    except ShoalError:
        return False
    return True


WITHOUT_TABLE = {name for name in IN_POPULATION if _made_without_table(name)}


def place_of(levels: Sequence[float], value: float) -> int:
    """Give the place of the level that is nearest to a value, as a share of it.

    >>> place_of(K_LEVELS, 5), place_of(K_LEVELS, 6), place_of(K_LEVELS, 900)
    (3, 4, 9)
    """
    return min(range(len(levels)), key=lambda place: abs(levels[place] - value) / max(levels[place], value, 1e-9))


@dataclass(frozen=True)
class Aim:
    """One way to protect a table.

    Parameters
    ----------
    method
        How it is masked.
    k
        In how large a crowd everybody is to be; 0 if the method works towards no crowd, and nothing is promised, or if
        the further promise stands alone.
    guard, level, column
        Which other promise is made, at which level, about which confidential column if it is about one.
    settings
        The parameters of the method that are not as usual, as `MethodStep` writes them.
    first, then
        What is done to the table before the method works towards k, and to the masked table after it.
    terms
        The parameters of the further promise, beside its level, that are not as usual, as `terms` writes them.
    """

    method: str = METHODS[0]
    k: int = K_USUAL
    guard: str = "none"
    level: float = 0.0
    column: str = ""
    settings: str = ""
    first: MethodStep | None = None
    then: MethodStep | None = None
    terms: str = ""

    def __post_init__(self) -> None:
        """Refuse what is not offered."""
        if self.method not in METHODS:
            raise ParameterError(f"'{self.method}' is not offered here.", f"Choose one of: {', '.join(METHODS)}.")
        if not promises(self.method) and (self.k or self.guard != "none"):
            raise ParameterError(f"{self.method} works towards no promise.", "Take k = 0 and no further promise.")
        if of_its_own(self.method) != (self.guard == OF_ITS_OWN):
            what = f"{self.method if of_its_own(self.method) else 'Another method'} does not go with this promise."
            raise ParameterError(what, f"{OF_ITS_OWN} is about a confidential column, and has a method of its own.")
        if self.first is not None and (not promises(self.method) or promises(self.first.name)):
            raise ParameterError("A step before the method makes no sense here.", "Choose it as the method.")
        if promises(self.method) and not self.alone and not 2 <= self.k <= K_MOST:
            raise ParameterError(f"k = {self.k} makes no sense.", f"Choose a whole number from 2 to {K_MOST:,}.")
        if self.guard not in GUARDS:
            raise ParameterError("There is no such promise.", f"Choose one of: {', '.join(GUARDS)}.")
        terms(self.guard, self.given_terms)
        slider = GUARDS[self.guard]
        if not slider.low <= self.level <= slider.high or (slider.whole and self.level != int(self.level)):
            kind = "a whole number" if slider.whole else "a number"
            name = GUARD_LETTERS.get(self.guard, "The level")
            raise ParameterError(
                f"{name} = {self.level:g} makes no sense.", f"Choose {kind} from {slider.low:g} to {slider.high:g}."
            )
        if (self.guard == "none" or self.guard in IN_POPULATION) != (not self.column):
            raise ParameterError("The promise and its column do not fit.", "Name the confidential column it is about.")

    @property
    def without_guard(self) -> Aim:
        """The same without a further promise, by another method if it has one of its own."""
        k = self.k or (K_USUAL if self.alone else 0)
        own = self.guard == OF_ITS_OWN
        method, settings = (METHODS[0], "") if own else (self.method, self.settings)
        return replace(
            self, method=method, settings=settings, k=k, guard="none", level=0.0, column="", terms=""
        )  # fmt: skip

    @property
    def alone(self) -> bool:
        """Whether the further promise is all that is promised: one about a population needs no k of the table."""
        return self.guard in ALONE and not self.k

    @property
    def dial(self) -> tuple[str, float]:
        """The parameter that is moved first, and where it stands: k, or that of a promise that stands alone."""
        return (GUARD_LETTERS[self.guard], self.level) if self.alone else ("k" if self.k else "", self.k)

    @property
    def course(self) -> tuple[Any, ...]:
        """What aims have in common that differ in their dial alone: steps and promises."""
        return self.steps, bool(self.k), self._promise, self.column, 0.0 if self.alone else self.level

    @property
    def given_terms(self) -> dict[str, Any]:
        """The parameters of the further promise that are not as usual."""
        found: dict[str, Any] = json.loads(self.terms) if self.terms else {}
        return found

    @property
    def _promise(self) -> str:
        """The name of the further promise with its terms."""
        return canonical({"name": self.guard, **self.given_terms}) if self.terms else self.guard

    @property
    def own(self) -> MethodStep:
        """The method, with its parameters."""
        return MethodStep(self.method, self.settings)

    @property
    def steps(self) -> list[MethodStep]:
        """What is done to the table, one after the other."""
        return [each for each in (self.first, self.own, self.then) if each is not None]

    @property
    def files(self) -> list[str]:
        """The files beside the table that are read, by their names."""
        return [name for each in self.steps for name in each.files]

    @property
    def is_random(self) -> bool:
        """Whether values are drawn, so that no two releases are the same."""
        return not all(repeats_itself(each.name) for each in self.steps)

    @property
    def key(self) -> str:
        """The name of the candidate, which says all of it."""
        return "~".join((name_of(self.steps), str(self.k), self._promise, f"{self.level:g}", self.column))

    @classmethod
    def of(cls, key: str) -> Aim:
        """Give the aim of a name."""
        parts = key.split("~", 4)
        try:
            steps = steps_of(parts[0])
            place = next((place for place, each in enumerate(steps) if promises(each.name)), 0)
            if place > 1 or len(steps) > place + 2:
                raise ValueError(key)
            first, (own, *others) = next(iter(steps[:place]), None), steps[place:]
            then = next(iter(others), None)
            given = json.loads(parts[2]) if parts[2].startswith("{") else {"name": parts[2]}
            guard = str(given.pop("name"))
            said = terms(guard, given) if guard in GUARDS else ""
            return cls(own.name, int(parts[1]), guard, float(parts[3]), parts[4], own.given, first, then, said)
        except (IndexError, KeyError, ValueError):
            raise ParameterError("There is no such candidate.", "Choose one of those on the page.") from None

    @property
    def models(self) -> list[dict[str, Any]]:
        """What is promised, as values of the catalogue."""
        found: list[dict[str, Any]] = [{"name": "k-anonymity", "k": self.k}] if self.k else []
        if self.guard != "none":
            level = int(self.level) if GUARDS[self.guard].whole else self.level
            about = {"column": self.column} if self.column else {}
            found.append({"name": self.guard, GUARD_LETTERS[self.guard]: level, **about, **self.given_terms})
        return found

    @property
    def asked(self) -> CandidateSpec:
        """The aim as a task is asked for it."""
        return CandidateSpec(key=self.key, methods=tuple(each.plain for each in self.steps), models=tuple(self.models))

    @property
    def label(self) -> str:
        """The aim in a few words.

        >>> Aim("mondrian", 7, settings='{"mode":"relaxed"}', then=MethodStep("coarsen")).label
        'mondrian (mode = relaxed), k = 7 + coarsen'
        """
        return self.named(self.method)

    def named(self, title: str) -> str:
        """Say the aim in a few words, with a title of the method."""
        name = GUARD_LETTERS.get(self.guard)
        own = title + self.own.label.removeprefix(self.method)
        guard = f"{self.guard} " if self.guard in IN_POPULATION else ""  # whose parameter may be called k, too
        own += (f", k = {self.k}" if self.k else "") + (f", {guard}{name} = {self.level:g}" if name else "")
        own += "".join(f", {key} = {written(value)}" for key, value in self.given_terms.items())
        return " + ".join([*([self.first.label] if self.first else []), own, *([self.then.label] if self.then else [])])

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that are tried with this one."""
        return tuple(dict.fromkeys((*AHEAD, self.method)))

    def by(self, method: str) -> Aim:
        """Give the same by another method, all else of which is as usual."""
        if method == self.method:
            return self
        start = self.without_guard if self.guard == OF_ITS_OWN else self
        k = (start.k if start.alone else start.k or K_USUAL) if promises(method) else 0
        return replace(start, method=method, k=k, settings="", first=start.first if promises(method) else None)

    def nearby(self) -> list[Aim]:
        """Give all aims that are tried with this one, which differ in method, k and level, the nearest first."""
        sizes = sorted({*K_LEVELS, self.k or K_USUAL})
        levels = sorted({*GUARDS[self.guard].levels, self.level})
        all_of_them = [
            replace(way, k=k, level=level)
            for way in map(self.by, self.methods)
            for k in (sizes if way.k else (0,))
            for level in (levels if way.guard == self.guard else (way.level,))
        ]
        here = sizes.index(self.k or K_USUAL)

        def far(other: Aim) -> tuple[bool, int]:
            steps = abs(sizes.index(other.k) - here) if other.k else 0
            steps += abs(levels.index(other.level) - levels.index(self.level)) if other.guard == self.guard else 0
            return other.method != self.method, steps

        return sorted(all_of_them, key=far)

    @property
    def family(self) -> str:
        """What aims have in common that are tried together: the promise, and what is not on the sliders."""
        k = "" if self.k in K_LEVELS else str(self.k)
        level = "" if self.level in GUARDS[self.guard].levels else f"{self.level:g}"
        own = name_of(self.steps) if self.settings or self.first or self.then else ""
        return "~".join((self._promise, self.column, k, level, own))
