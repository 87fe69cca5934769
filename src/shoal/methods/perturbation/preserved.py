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


# What is kept of each column by itself. A step that keeps margins keeps all of it but how far ranks move.
_OF_EACH = ("margins", "means", "variances", "counts", "rank moves")


def kept_by_all(steps: Sequence[KeptStep]) -> tuple[Preserved, ...]:
    """Give what is exactly kept from the original to the release: what no other step spoils.

    A step spoils a statistic if it changes one of its columns and does not itself keep the same of all of those. What
    is kept of each column by itself stays for those of its columns that no step spoils.
    """
    found: list[Preserved] = []
    for number, step in enumerate(steps):
        others = [other for place, other in enumerate(steps) if place != number]
        for each in step.keeps:
            if each.exactly:
                found += _kept_beside(each, others)
    return tuple(dict.fromkeys(found))


def _kept_beside(kept: Preserved, others: Sequence[KeptStep]) -> list[Preserved]:
    """Give what is left of a statement when other steps are taken too; values move by as many ranks as in all."""
    alone = kept.statistic in _OF_EACH and not kept.complete
    parts = [(name,) for name in kept.columns] if alone else [kept.columns]
    by_moves: dict[int | None, tuple[str, ...]] = {}
    for columns in parts:
        part = replace(kept, columns=columns)
        if all(_spared(part, other) for other in others):
            moves = None if kept.within is None else kept.within + sum(_moves(part, other) for other in others)
            by_moves[moves] = by_moves.get(moves, ()) + columns
    return [replace(kept, columns=columns, within=moves) for moves, columns in by_moves.items()]


def _spared(kept: Preserved, step: KeptStep) -> bool:
    changed = set(kept.columns) & set(step.changed)
    same = [each for each in step.keeps if each.exactly and each.statistic == kept.statistic]
    if not changed or any(set(kept.columns) <= set(each.columns) for each in same):
        return True
    if kept.statistic not in _OF_EACH or kept.statistic == "rank moves" or kept.complete:
        return False
    return changed <= {
        name for each in step.keeps if each.exactly and each.statistic == "margins" for name in each.columns
    }


def _moves(kept: Preserved, step: KeptStep) -> int:
    """Give by how many ranks a step moves values of some columns, which is none if it does not change them."""
    alike = (each for each in step.keeps if each.exactly and each.statistic == kept.statistic)
    return next((each.within or 0 for each in alike if set(kept.columns) <= set(each.columns)), 0)


def kept_step(method: Any, table: Table, models: Sequence[PrivacyModel]) -> KeptStep:
    """Say what a method changes of a table, and what it keeps of that; most methods make no such statement."""
    if isinstance(method, Perturbing):
        return KeptStep(method.name, method.changed(table), method.preserves(table, models))
    changed = getattr(method, "changed", None)
    return KeptStep(method.name, table.schema.quasi if changed is None else changed(table), ())


def draws(methods: Sequence[Any]) -> bool:
    """Tell whether some of several methods draw numbers that nobody may know."""
    return not all(getattr(method, "repeatable", True) for method in methods)


def changes_values(methods: Sequence[Any]) -> bool:
    """Tell whether some of several methods draw other values than the true ones, and not only who belongs together."""
    return draws([method for method in methods if not getattr(method, "keeps_values", False)])
