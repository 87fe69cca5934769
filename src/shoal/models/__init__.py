"""Privacy models: what a release promises. Each has one formula, used to search and to certify alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.catalogue import picked
from shoal.lazy import attach
from shoal.models.linked_model import LinkedModel
from shoal.progress import stage
from shoal.schema import Schema
from shoal.table import Carry, Classes, Table, insist_on_table

if TYPE_CHECKING:  # The one list of what there is, in the order in which it is shown. An entry is named as its file is.
    # isort: off
    from shoal.models.k_anonymity import KAnonymity as KAnonymity
    from shoal.models.t_closeness import TCloseness as TCloseness
    from shoal.models.l_diversity import LDiversity as LDiversity
    from shoal.models.alpha_k import AlphaK as AlphaK
    from shoal.models.k_map import KMap as KMap
    from shoal.models.delta_presence import DeltaPresence as DeltaPresence
    from shoal.models.reidentification_risk import ReidentificationRisk as ReidentificationRisk
    from shoal.models.safe_harbor import SafeHarbor as SafeHarbor
    from shoal.models.person_diversity import PersonDiversity as PersonDiversity
    from shoal.models.person_closeness import PersonCloseness as PersonCloseness
    from shoal.models.m_invariance import MInvariance as MInvariance
    from shoal.models.rounded_ends import RoundedEnds as RoundedEnds
    from shoal.models.km_anonymity import KmAnonymity as KmAnonymity
    from shoal.models.coherence import Coherence as Coherence
    from shoal.models.rho_uncertainty import RhoUncertainty as RhoUncertainty
    from shoal.models.t_closeness import closeness_bound as closeness_bound
    from shoal.models.t_closeness import cluster_size as cluster_size
    from shoal.models.t_closeness import smallest_cluster as smallest_cluster
    # isort: on
else:
    __getattr__, __dir__ = attach(__name__, __file__)


class PrivacyModel(Protocol):
    """A promise about every equivalence class of a table."""

    name: ClassVar[str]

    @property
    def promised(self) -> float:
        """The level that every class is to reach, or not to exceed."""
        ...

    def carries(self, schema: Schema) -> tuple[Carry, ...]:
        """Name the columns that the formula looks at inside a class."""
        ...

    def reference(self, table: Table) -> Any:
        """Give what the formula needs to know of the whole table."""
        ...

    def level(self, classes: Classes, schema: Schema, reference: Any) -> NDArray[np.float64]:
        """Give the level that each class reaches."""
        ...

    def met(self, level: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell which levels keep the promise."""
        ...

    def worst(self, level: NDArray[np.float64]) -> float:
        """Give the level that holds for all classes."""
        ...

    def demand(self, rows: int, subjects: int | None) -> None:
        """Raise when no table of this size can keep the promise."""
        ...

    def nearest(self, level: float) -> str:
        """Say what could be asked for when all records together reach only this level."""
        ...

    def sentence(self, level: float, schema: Schema) -> str:
        """Say in words what a level means."""
        ...

    def convention(self, schema: Schema) -> str:
        """Name the convention by which the level is measured."""
        ...


@dataclass(frozen=True)
class Verdict:
    """What was found of one model on one table, from the table alone.

    Attributes
    ----------
    model
        The model with the level that was asked for.
    holds
        Whether every class keeps the promise.
    level
        The level that holds for all classes: the smallest crowd, the largest distance.
    failing, classes
        How many classes break the promise, and how many there are.
    sentence
        The level in words.
    convention
        How the level is measured.
    """

    model: PrivacyModel
    holds: bool
    level: float
    failing: int
    classes: int
    sentence: str
    convention: str


def check(table: Table, models: PrivacyModel | Sequence[PrivacyModel]) -> tuple[Verdict, ...]:
    """Measure models on a table. Nothing is known here of the method that made it.

    Parameters
    ----------
    table
        The table, masked or not.
    models
        What is to be checked.

    Examples
    --------
    >>> import polars as pl
    >>> import shoal
    >>> table = shoal.read(pl.DataFrame({"age": [34, 34, 51]}), quasi=["age"])
    >>> shoal.models.check(table, [shoal.models.KAnonymity(2)])[0].sentence
    'Some combination of quasi-identifiers occurs only once.'
    """
    insist_on_table(table)
    models = picked("models", models)
    by_class = [model for model in models if not _of_whole(model)]
    found = iter(_by_class(table, by_class) if by_class else ())
    return tuple(_whole(table, model) if _of_whole(model) else next(found) for model in models)


def _of_whole(model: Any) -> bool:
    """Tell whether classes do not say what a model asks: linked ones, and some that say so.

    Others have a formula of classes to work towards, which is enough, and measure the whole release exactly.
    """
    if isinstance(model, LinkedModel) or not getattr(model, "by_class", True):
        return True
    return bool(getattr(model, "measured_whole", False))


def _whole(table: Table, model: Any) -> Verdict:
    """Measure a model that looks at the whole table."""
    stage(f"checking {model.name}")
    found = model.measured(table)
    sentence, convention = model.sentence(found.level, table.schema), model.convention(table.schema)
    return Verdict(model, found.failing == 0, found.level, found.failing, found.cases, sentence, convention)


def _by_class(table: Table, models: Sequence[PrivacyModel]) -> tuple[Verdict, ...]:
    """Measure models of equivalence classes, all in one pass."""
    carry = tuple(dict.fromkeys(item for model in models for item in model.carries(table.schema)))
    references = [model.reference(table) for model in models]
    schema = table.schema

    def levels(classes: Classes) -> list[tuple[float, int, int]]:
        reached = [m.level(classes, schema, reference) for m, reference in zip(models, references, strict=True)]
        pairs = zip(models, reached, strict=True)
        return [(model.worst(level), int((~model.met(level)).sum()), level.size) for model, level in pairs]

    found = zip(*table.classes(levels, carry=carry), strict=True)
    verdicts = []
    for model, parts in zip(models, found, strict=True):
        level = model.worst(np.array([part[0] for part in parts]))
        failing = sum(part[1] for part in parts)
        number = sum(part[2] for part in parts)
        sentence, convention = model.sentence(level, table.schema), model.convention(table.schema)
        verdicts.append(Verdict(model, failing == 0, level, failing, number, sentence, convention))
    return tuple(verdicts)
