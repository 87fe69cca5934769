"""What a method says that it keeps of a table: exactly, which the original proves, or in expectation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Protocol, runtime_checkable

from shoal.models import PrivacyModel
from shoal.table import Table

# What can be kept. Means and covariances are those of the records that lack no value in the columns named with them.
Statistic = Literal[
    "margins", "means", "covariances", "variances", "correlations", "rank correlations", "rank moves", "counts",
    "joint counts", "counts per area", "other records",
]  # fmt: skip


@dataclass(frozen=True)
class Preserved:
    """Something that a method keeps of some columns.

    Parameters
    ----------
    statistic
        What is kept.
    columns
        Of which columns.
    exactly
        Whether it is kept in every release, as the original shows; or in expectation, over all that might be drawn.
    within
        A number that belongs to it: by how many ranks a value moves at most.
    complete
        Whether it is that of records that lack no value in these columns, where some do.
    """

    statistic: Statistic
    columns: tuple[str, ...]
    exactly: bool
    within: int | None = None
    complete: bool = False

    def sentence(self) -> str:
        """Say in words what is kept."""
        said = self.statistic if self.within is None else f"{self.statistic} of at most {self.within:,}"
        which = f"of {', '.join(self.columns)}" + (" in the records that lack none of these" if self.complete else "")
        return f"{said} {which}"

    def content(self) -> dict[str, Any]:
        """Give it as plain values, as it stands in a certificate."""
        given = {key: value for key, value in asdict(self).items() if value is not None and value is not False}
        return given | {"columns": list(self.columns), "exactly": self.exactly}

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Preserved:
        """Read plain values."""
        return cls(**(dict(content) | {"columns": tuple(content["columns"])}))


@runtime_checkable
class Perturbing(Protocol):
    """A method that changes values at random: which ones is not to be known, so nobody writes its seed down."""

    name: str
    repeatable: bool

    def changed(self, table: Table) -> tuple[str, ...]:
        """Name the columns whose values it changes."""
        ...

    def preserves(self, table: Table, models: Sequence[PrivacyModel]) -> tuple[Preserved, ...]:
        """Say what is kept of the table that it is about to mask."""
        ...


@dataclass(frozen=True)
class KeptStep:
    """What a step of masking changes, and what it keeps of that; None of ``keeps`` where it makes no such statement."""

    method: str
    changed: tuple[str, ...]
    keeps: tuple[Preserved, ...]

    def content(self) -> dict[str, Any]:
        """Give it as plain values."""
        exactly, drawn = ([each.content() for each in self.keeps if each.exactly is way] for way in (True, False))
        for each in (*exactly, *drawn):
            del each["exactly"]
        named = {"method": self.method, "changes": list(self.changed)}
        return named | {"exactly": exactly, "in_expectation": drawn}

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> KeptStep:
        """Read plain values."""
        keeps = [
            Preserved.of({**each, "exactly": way})
            for key, way in (("exactly", True), ("in_expectation", False))
            for each in content[key]
        ]
        return cls(content["method"], tuple(content["changes"]), tuple(keeps))


# What a column that nobody changes keeps, and with what it goes together.
_OF_EACH = ("margins", "means", "variances", "counts")


def kept_by_all(steps: Sequence[KeptStep]) -> tuple[Preserved, ...]:
    """Give what is exactly kept from the original to the release: what no other step spoils.

    A step spoils a statistic if it changes one of its columns and does not itself keep the same of all of those.
    """
    found = []
    for number, step in enumerate(steps):
        for each in step.keeps:
            others = [other for place, other in enumerate(steps) if place != number]
            if each.exactly and all(_spared(each, other) for other in others):
                moves = [each.within, *(_moves(each, other) for other in others)]
                found.append(each if each.within is None else replace(each, within=sum(m or 0 for m in moves)))
    return tuple(dict.fromkeys(found))


def _spared(kept: Preserved, step: KeptStep) -> bool:
    if not set(kept.columns) & set(step.changed):
        return True
    return any(
        other.exactly and other.statistic == kept.statistic and set(kept.columns) <= set(other.columns)
        for other in step.keeps
    ) or (kept.statistic in _OF_EACH and _margins(kept.columns, step))


def _margins(columns: Sequence[str], step: KeptStep) -> bool:
    """Tell whether a step keeps all that each of some columns holds."""
    held = {name for each in step.keeps if each.exactly and each.statistic == "margins" for name in each.columns}
    return set(columns) & set(step.changed) <= held


def _moves(kept: Preserved, step: KeptStep) -> int | None:
    found = [each.within for each in step.keeps if each.statistic == kept.statistic and each.columns == kept.columns]
    return found[0] if found else None


def kept_step(method: Any, table: Table, models: Sequence[PrivacyModel]) -> KeptStep:
    """Say what a method changes of a table, and what it keeps of that; most methods make no such statement."""
    if isinstance(method, Perturbing):
        return KeptStep(method.name, method.changed(table), method.preserves(table, models))
    changed = getattr(method, "changed", None)
    return KeptStep(method.name, table.schema.quasi if changed is None else changed(table), ())


def draws(methods: Sequence[Any]) -> bool:
    """Tell whether some of several methods draw numbers that nobody may know."""
    return not all(getattr(method, "repeatable", True) for method in methods)
