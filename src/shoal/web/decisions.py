"""What a user decides: roles, how a table is to be protected, and which candidates are compared; and how to undo it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from shoal.errors import ParameterError
from shoal.schema import Role
from shoal.web.trees import Tree, file_names

K_LEVELS = (2, 3, 4, 5, 7, 10, 15, 20, 30, 50)  # tried ahead; others are tried when someone asks for them
K_MOST = 100_000
GUARD_LEVELS: Mapping[str, tuple[float, ...]] = {
    "none": (0.0,),
    "t-closeness": (0.05, 0.1, 0.15, 0.2, 0.3),
    "l-diversity": (2, 3, 4, 5),
}
GUARD_RANGES = {"none": (0.0, 0.0), "t-closeness": (0.001, 0.999), "l-diversity": (2.0, 1000.0)}
USUAL_LEVELS = {"none": 0.0, "t-closeness": 0.2, "l-diversity": 2.0}
METHODS = ("hilbert", "mondrian", "sorted-clusters")
MOST_PINNED = 4
_LEVEL_NAMES = {"t-closeness": "t", "l-diversity": "l"}


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
        if self.method not in METHODS:
            raise ParameterError(f"'{self.method}' is not offered here.", f"Choose one of: {', '.join(METHODS)}.")
        if not 2 <= self.k <= K_MOST:
            raise ParameterError(f"k = {self.k} makes no sense.", f"Choose a whole number from 2 to {K_MOST:,}.")
        if self.guard not in GUARD_LEVELS:
            raise ParameterError("There is no such promise.", f"Choose one of: {', '.join(GUARD_LEVELS)}.")
        low, high = GUARD_RANGES[self.guard]
        if not low <= self.level <= high or (self.guard == "l-diversity" and self.level != int(self.level)):
            kind = "a whole number" if self.guard == "l-diversity" else "a number"
            name = _LEVEL_NAMES.get(self.guard, "The level")
            raise ParameterError(f"{name} = {self.level:g} makes no sense.", f"Choose {kind} from {low:g} to {high:g}.")
        if (self.guard == "none") != (not self.column):
            raise ParameterError("The promise and its column do not fit.", "Name the confidential column it is about.")

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
        if self.guard == "t-closeness":
            found.append({"name": self.guard, "t": self.level, "column": self.column})
        elif self.guard == "l-diversity":
            found.append({"name": self.guard, "l": int(self.level), "column": self.column})
        return found

    @property
    def asked(self) -> dict[str, Any]:
        """The aim as a task is asked for it."""
        return {"key": self.key, "method": {"name": self.method}, "models": self.models}

    @property
    def label(self) -> str:
        """The aim in a few words."""
        name = _LEVEL_NAMES.get(self.guard)
        return f"{self.method}, k = {self.k}" + (f", {name} = {self.level:g}" if name else "")

    def nearby(self) -> list[Aim]:
        """Give all aims that are tried with this one, which differ in method, k and level, the nearest first."""
        crowds = sorted({*K_LEVELS, self.k})
        levels = sorted({*GUARD_LEVELS[self.guard], self.level})
        all_of_them = [
            replace(self, method=method, k=k, level=level) for method in METHODS for k in crowds for level in levels
        ]

        def far(other: Aim) -> tuple[bool, int]:
            steps = abs(crowds.index(other.k) - crowds.index(self.k))
            return other.method != self.method, steps + abs(levels.index(other.level) - levels.index(self.level))

        return sorted(all_of_them, key=far)

    @property
    def family(self) -> str:
        """What aims have in common that are tried together: the promise, and what is not on the sliders."""
        k = "" if self.k in K_LEVELS else str(self.k)
        level = "" if self.level in GUARD_LEVELS[self.guard] else f"{self.level:g}"
        return "~".join((self.guard, self.column, k, level))


@dataclass(frozen=True)
class Decisions:
    """Everything that was decided about one file. None is the role of a column that is not decided yet."""

    roles: Mapping[str, Role | None] = field(default_factory=dict)
    aim: Aim = field(default_factory=Aim)
    pinned: tuple[str, ...] = ()
    trees: Mapping[str, Tree] = field(default_factory=dict)

    @property
    def undecided(self) -> tuple[str, ...]:
        """The columns without a role."""
        return tuple(name for name, role in self.roles.items() if role is None)

    def of(self, role: Role) -> tuple[str, ...]:
        """Give the columns that have a role."""
        return tuple(name for name, given in self.roles.items() if given == role)

    @property
    def problem(self) -> str:
        """Why nothing can be measured yet, or nothing."""
        if not self.roles:
            return "No file is open yet."
        if self.undecided:
            count = len(self.undecided)
            return f"{count} column{'s are' if count > 1 else ' is'} undecided."
        if not self.of(Role.QUASI):
            return "No column is a quasi-identifier: something that others may know."
        for role in (Role.SUBJECT, Role.WEIGHT):
            if len(self.of(role)) > 1:
                return f"More than one column has the role '{role.value}'."
        return ""

    @property
    def plain_roles(self) -> dict[str, str]:
        """The roles of all columns that have one, as plain values."""
        return {name: role.value for name, role in self.roles.items() if role is not None}

    @property
    def roles_digest(self) -> str:
        """A name of the roles, for what was found with them."""
        return hashlib.sha256(json.dumps(self.plain_roles, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def digest(self) -> str:
        """A name of the roles and trees, for what was found with them."""
        trees = sorted((column, tree.digest) for column, tree in self.trees.items())
        return hashlib.sha256(json.dumps([self.roles_digest, trees]).encode()).hexdigest()[:16]

    @property
    def tree_files(self) -> dict[str, str]:
        """The columns whose tree is a file of its own, and what the file is called."""
        return file_names([column for column, tree in self.trees.items() if not tree.how])

    def with_tree(self, column: str, tree: Tree | None) -> Decisions:
        """Give a quasi-identifier a hierarchy, or none."""
        if self.roles.get(column) != Role.QUASI:
            raise ParameterError("Only a quasi-identifier can have a hierarchy here.", "Choose another column.")
        trees = {name: known for name, known in self.trees.items() if name != column}
        return replace(self, trees=trees | ({column: tree} if tree else {}))

    def with_roles(self, changed: Mapping[str, Role | None]) -> Decisions:
        """Change the roles of some columns. A promise about a column that is no longer confidential goes."""
        for name in changed:
            if name not in self.roles:
                raise ParameterError("There is no such column in the file.", "Reload the page and choose again.")
        roles = {**self.roles, **changed}
        trees = {name: tree for name, tree in self.trees.items() if roles[name] == Role.QUASI}
        decided = replace(self, roles=roles, trees=trees, pinned=())
        if self.aim.column and decided.roles.get(self.aim.column) != Role.SENSITIVE:
            decided = replace(decided, aim=replace(self.aim, guard="none", level=0.0, column=""))
        return decided

    def with_aim(self, aim: Aim) -> Decisions:
        """Choose a way to protect the table."""
        if aim.column and self.roles.get(aim.column) != Role.SENSITIVE:
            raise ParameterError("The promise is not about a confidential column.", "Choose a confidential column.")
        return replace(self, aim=aim)

    def with_pin(self, key: str, *, pinned: bool) -> Decisions:
        """Put a candidate beside others, or take it away."""
        others = [each for each in self.pinned if each != key]
        return self.with_pins([*others, key] if pinned else others)

    def with_pins(self, keys: Sequence[str]) -> Decisions:
        """Put some candidates side by side."""
        chosen = tuple(dict.fromkeys(keys))
        if len(chosen) > MOST_PINNED:
            raise ParameterError(
                f"At most {MOST_PINNED} candidates are compared.", "Take one away before you add another."
            )
        return replace(self, pinned=chosen)


class History:
    """Decisions one after the other, with a way back and forth."""

    def __init__(self, first: Decisions) -> None:
        self._past: list[tuple[str, Decisions]] = [("", first)]
        self._future: list[tuple[str, Decisions]] = []

    @property
    def now(self) -> Decisions:
        """What holds now."""
        return self._past[-1][1]

    @property
    def undoes(self) -> str:
        """What would be undone, in words; nothing if there is nothing."""
        return self._past[-1][0]

    @property
    def redoes(self) -> str:
        """What would be done again, in words; nothing if there is nothing."""
        return self._future[-1][0] if self._future else ""

    def decide(self, what: str, decisions: Decisions) -> None:
        """Take a step. One that follows another of the same kind takes its place, as when a slider is moved."""
        if decisions == self.now:
            return
        if self._past[-1][0] == what and not self._future and what.startswith("choice"):
            self._past.pop()
        self._past.append((what, decisions))
        self._future.clear()

    def undo(self) -> None:
        """Go a step back."""
        if self.undoes:
            self._future.append(self._past.pop())

    def redo(self) -> None:
        """Go a step forth again."""
        if self._future:
            self._past.append(self._future.pop())
