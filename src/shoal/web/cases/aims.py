"""Ways to protect a table: a method, how large a class everybody is in, and a further promise about a secret."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from shoal.catalogue import entries
from shoal.errors import ParameterError
from shoal.web.tasks.messages import CandidateSpec

K_LEVELS = (2, 3, 4, 5, 7, 10, 15, 20, 30, 50)  # tried ahead; others are tried when someone asks for them
K_MOST = 100_000
AHEAD = ("hilbert", "mondrian", "sorted-clusters")  # fast ones, tried ahead; others are tried once they are chosen


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


def _methods() -> tuple[str, ...]:
    """Give the methods of the catalogue that work towards k-anonymity, the fast ones first."""
    found = [name for name, kind in entries("methods").items() if "k-anonymity" in kind.enforces]
    return (*AHEAD, *(name for name in found if name not in AHEAD))


_NODE = re.compile(r"[\w-]+|full-domain:\d{1,3}(,\d{1,3}){0,299}")
GUARD_LETTERS = _letters()
GUARDS = {"none": _NO_SLIDER, **{name: _SLIDERS[letter] for name, letter in GUARD_LETTERS.items()}}
METHODS = _methods()


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
        How it is masked; full-domain may name the node that was picked: ``full-domain:0,3,1``.
    k
        In how large a crowd everybody is to be.
    guard, level, column
        Which other promise is made, at which level, about which confidential column.
    """

    method: str = METHODS[0]
    k: int = 5
    guard: str = "none"
    level: float = 0.0
    column: str = ""

    def __post_init__(self) -> None:
        """Refuse what is not offered."""
        if self.plain_method not in METHODS or not _NODE.fullmatch(self.method):
            raise ParameterError(f"'{self.method}' is not offered here.", f"Choose one of: {', '.join(METHODS)}.")
        if not 2 <= self.k <= K_MOST:
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
    def plain_method(self) -> str:
        """The name of the method: full-domain may be followed by the levels of a node, as in full-domain:0,3,1."""
        return self.method.partition(":")[0]

    @property
    def levels(self) -> list[int]:
        """The levels that were picked of the lattice; none if a method finds its own."""
        return [int(level) for level in self.method.partition(":")[2].split(",") if level]

    @property
    def asked_method(self) -> dict[str, Any]:
        """The method as a value of the catalogue."""
        return {"name": self.plain_method} | ({"levels": self.levels} if self.levels else {})

    @property
    def key(self) -> str:
        """The name of the candidate, which says all of it."""
        return "~".join((self.method, str(self.k), self.guard, f"{self.level:g}", self.column))

    @classmethod
    def of(cls, key: str) -> Aim:
        """Give the aim of a name."""
        parts = key.split("~", 4)
        try:
            return cls(parts[0], int(parts[1]), parts[2], float(parts[3]), parts[4])
        except (IndexError, ValueError):
            raise ParameterError("There is no such candidate.", "Choose one of those on the page.") from None

    @property
    def models(self) -> list[dict[str, Any]]:
        """What is promised, as values of the catalogue."""
        found: list[dict[str, Any]] = [{"name": "k-anonymity", "k": self.k}]
        if self.guard != "none":
            level = int(self.level) if GUARDS[self.guard].whole else self.level
            found.append({"name": self.guard, GUARD_LETTERS[self.guard]: level, "column": self.column})
        return found

    @property
    def asked(self) -> CandidateSpec:
        """The aim as a task is asked for it."""
        return CandidateSpec(key=self.key, method=self.asked_method, models=tuple(self.models))

    @property
    def label(self) -> str:
        """The aim in a few words."""
        name = GUARD_LETTERS.get(self.guard)
        return f"{self.method}, k = {self.k}" + (f", {name} = {self.level:g}" if name else "")

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that are tried with this one."""
        return tuple(dict.fromkeys((*AHEAD, self.method)))

    def nearby(self) -> list[Aim]:
        """Give all aims that are tried with this one, which differ in method, k and level, the nearest first."""
        sizes = sorted({*K_LEVELS, self.k})
        levels = sorted({*GUARDS[self.guard].levels, self.level})
        all_of_them = [
            replace(self, method=method, k=k, level=level) for method in self.methods for k in sizes for level in levels
        ]

        def far(other: Aim) -> tuple[bool, int]:
            steps = abs(sizes.index(other.k) - sizes.index(self.k))
            return other.method != self.method, steps + abs(levels.index(other.level) - levels.index(self.level))

        return sorted(all_of_them, key=far)

    @property
    def family(self) -> str:
        """What aims have in common that are tried together: the promise, and what is not on the sliders."""
        k = "" if self.k in K_LEVELS else str(self.k)
        level = "" if self.level in GUARDS[self.guard].levels else f"{self.level:g}"
        return "~".join((self.guard, self.column, k, level))
