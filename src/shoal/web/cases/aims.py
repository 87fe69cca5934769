"""Ways to protect a table: a method, how large a class everybody is in, and a further promise about a secret."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from shoal.catalogue import entries
from shoal.errors import ParameterError
from shoal.models.across_rows import AcrossRows
from shoal.web.cases.method_steps import FIRST as AHEAD
from shoal.web.cases.method_steps import MethodStep, name_of, offered, promises_k, repeats_itself, steps_of
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
# By the parameter of the model: every model of the catalogue about one confidential column that has one is offered.
_SLIDERS = {
    "t": Slider((0.05, 0.1, 0.15, 0.2, 0.3), 0.2, 0.001, 0.999),
    "l": Slider((2, 3, 4, 5), 2, 2, 1000, whole=True),
    "alpha": Slider((0.5, 0.6, 0.7, 0.8, 0.9), 0.8, 0.001, 0.999),
}


def _letters() -> dict[str, str]:
    """Give the models of the catalogue that promise something about one confidential column, and their parameters."""
    named = {name: [each.name for each in fields(kind)] for name, kind in entries("models").items()}
    return {name: given[0] for name, given in named.items() if "column" in given and given[0] in _SLIDERS}


GUARD_LETTERS = _letters()
GUARDS = {"none": _NO_SLIDER, **{name: _SLIDERS[letter] for name, letter in GUARD_LETTERS.items()}}
OF_PEOPLE = {name for name in GUARD_LETTERS if issubclass(entries("models")[name], AcrossRows)}  # about all their rows
METHODS = offered()


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
        In how large a crowd everybody is to be; 0 if the method works towards no crowd, and nothing is promised.
    guard, level, column
        Which other promise is made, at which level, about which confidential column.
    settings
        The parameters of the method that are not as usual, as `MethodStep` writes them.
    first, then
        What is done to the table before the method works towards k, and to the masked table after it.
    """

    method: str = METHODS[0]
    k: int = K_USUAL
    guard: str = "none"
    level: float = 0.0
    column: str = ""
    settings: str = ""
    first: MethodStep | None = None
    then: MethodStep | None = None

    def __post_init__(self) -> None:
        """Refuse what is not offered."""
        if self.method not in METHODS:
            raise ParameterError(f"'{self.method}' is not offered here.", f"Choose one of: {', '.join(METHODS)}.")
        if not promises_k(self.method) and (self.k or self.guard != "none"):
            raise ParameterError(f"{self.method} works towards no promise.", "Take k = 0 and no further promise.")
        if self.first is not None and (not promises_k(self.method) or promises_k(self.first.name)):
            raise ParameterError("A step before the method makes no sense here.", "Choose it as the method.")
        if promises_k(self.method) and not 2 <= self.k <= K_MOST:
            raise ParameterError(f"k = {self.k} makes no sense.", f"Choose a whole number from 2 to {K_MOST:,}.")
        if self.guard not in GUARDS:
            raise ParameterError("There is no such promise.", f"Choose one of: {', '.join(GUARDS)}.")
        slider = GUARDS[self.guard]
        if not slider.low <= self.level <= slider.high or (slider.whole and self.level != int(self.level)):
            kind = "a whole number" if slider.whole else "a number"
            name = GUARD_LETTERS.get(self.guard, "The level")
            raise ParameterError(
                f"{name} = {self.level:g} makes no sense.", f"Choose {kind} from {slider.low:g} to {slider.high:g}."
            )
        if (self.guard == "none") != (not self.column):
            raise ParameterError("The promise and its column do not fit.", "Name the confidential column it is about.")

    @property
    def own(self) -> MethodStep:
        """The method, with its parameters."""
        return MethodStep(self.method, self.settings)

    @property
    def steps(self) -> list[MethodStep]:
        """What is done to the table, one after the other."""
        return [each for each in (self.first, self.own, self.then) if each is not None]

    @property
    def is_random(self) -> bool:
        """Whether values are drawn, so that no two releases are the same."""
        return not all(repeats_itself(each.name) for each in self.steps)

    @property
    def key(self) -> str:
        """The name of the candidate, which says all of it."""
        return "~".join((name_of(self.steps), str(self.k), self.guard, f"{self.level:g}", self.column))

    @classmethod
    def of(cls, key: str) -> Aim:
        """Give the aim of a name."""
        parts = key.split("~", 4)
        try:
            steps = steps_of(parts[0])
            place = next((place for place, each in enumerate(steps) if promises_k(each.name)), 0)
            if place > 1 or len(steps) > place + 2:
                raise ValueError(key)
            first, (own, *others) = next(iter(steps[:place]), None), steps[place:]
            then = next(iter(others), None)
            return cls(own.name, int(parts[1]), parts[2], float(parts[3]), parts[4], own.given, first, then)
        except (IndexError, ValueError):
            raise ParameterError("There is no such candidate.", "Choose one of those on the page.") from None

    @property
    def models(self) -> list[dict[str, Any]]:
        """What is promised, as values of the catalogue."""
        found: list[dict[str, Any]] = [{"name": "k-anonymity", "k": self.k}] if self.k else []
        if self.guard != "none":
            level = int(self.level) if GUARDS[self.guard].whole else self.level
            found.append({"name": self.guard, GUARD_LETTERS[self.guard]: level, "column": self.column})
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
        own += (f", k = {self.k}" if self.k else "") + (f", {name} = {self.level:g}" if name else "")
        return " + ".join([*([self.first.label] if self.first else []), own, *([self.then.label] if self.then else [])])

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that are tried with this one."""
        return tuple(dict.fromkeys((*AHEAD, self.method)))

    def by(self, method: str) -> Aim:
        """Give the same by another method, all else of which is as usual."""
        if method == self.method:
            return self
        k = (self.k or K_USUAL) if promises_k(method) else 0
        return replace(self, method=method, k=k, settings="", first=self.first if k else None)

    def nearby(self) -> list[Aim]:
        """Give all aims that are tried with this one, which differ in method, k and level, the nearest first."""
        sizes = sorted({*K_LEVELS, self.k or K_USUAL})
        levels = sorted({*GUARDS[self.guard].levels, self.level})
        all_of_them = [
            replace(way, k=k, level=level)
            for way in map(self.by, self.methods)
            for k in (sizes if way.k else (0,))
            for level in levels
        ]
        here = sizes.index(self.k or K_USUAL)

        def far(other: Aim) -> tuple[bool, int]:
            steps = abs(sizes.index(other.k) - here) if other.k else 0
            return other.method != self.method, steps + abs(levels.index(other.level) - levels.index(self.level))

        return sorted(all_of_them, key=far)

    @property
    def family(self) -> str:
        """What aims have in common that are tried together: the promise, and what is not on the sliders."""
        k = "" if self.k in K_LEVELS else str(self.k)
        level = "" if self.level in GUARDS[self.guard].levels else f"{self.level:g}"
        own = name_of(self.steps) if self.settings or self.first or self.then else ""
        return "~".join((self.guard, self.column, k, level, own))
