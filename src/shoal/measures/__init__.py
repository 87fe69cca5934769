"""Measures of what risk is left and what information was lost. Each says its direction and its range.

Every score is a finite number, and so are all numbers in its detail; None stands there for what does not exist. An
attribute that a measure cannot compare (it has no value, or does not vary where that is divided by) does not count.
If none is left, nothing can have been lost: the score is 0, and its detail says under ``nothing_to_measure`` why.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, SupportsIndex, overload, runtime_checkable

from shoal.catalogue import picked
from shoal.engines.values import Boxes
from shoal.errors import ParameterError, suggest
from shoal.lazy import attach
from shoal.progress import stage
from shoal.schema import Schema
from shoal.table import Carry, Classes, Table, insist_on_table

if TYPE_CHECKING:  # The one list of what there is, in the order in which it is shown. An entry is named as its file is.
    # isort: off
    from shoal.measures.uniqueness import Uniqueness as Uniqueness
    from shoal.measures.random_reidentification import RandomReidentification as RandomReidentification
    from shoal.measures.attacker_risk import AttackerRisk as AttackerRisk
    from shoal.measures.population_uniqueness import PopulationUniqueness as PopulationUniqueness
    from shoal.measures.attribute_disclosure import AttributeDisclosure as AttributeDisclosure
    from shoal.measures.homogeneity import Homogeneity as Homogeneity
    from shoal.measures.order_leak import OrderLeak as OrderLeak
    from shoal.measures.unicity import Unicity as Unicity
    from shoal.measures.exact_copies import ExactCopies as ExactCopies
    from shoal.measures.closest_record import ClosestRecord as ClosestRecord
    from shoal.measures.column_screening import ColumnScreening as ColumnScreening
    from shoal.measures.suda import Suda as Suda
    from shoal.measures.individual_risk import IndividualRisk as IndividualRisk
    from shoal.measures.log_linear_risk import LogLinearRisk as LogLinearRisk
    from shoal.measures.interval_disclosure import IntervalDisclosure as IntervalDisclosure
    from shoal.measures.rank_interval_disclosure import RankIntervalDisclosure as RankIntervalDisclosure
    from shoal.measures.distance_linkage import DistanceLinkage as DistanceLinkage
    from shoal.measures.rank_linkage import RankLinkage as RankLinkage
    from shoal.measures.assignment_linkage import AssignmentLinkage as AssignmentLinkage
    from shoal.measures.probabilistic_linkage import ProbabilisticLinkage as ProbabilisticLinkage
    from shoal.measures.robust_distance_risk import RobustDistanceRisk as RobustDistanceRisk
    from shoal.measures.rare_combinations import RareCombinations as RareCombinations
    from shoal.measures.known_matches import KnownMatches as KnownMatches
    from shoal.measures.class_sizes import ClassSizes as ClassSizes
    from shoal.measures.information_loss import InformationLoss as InformationLoss
    from shoal.measures.granularity import Granularity as Granularity
    from shoal.measures.correlation_shift import CorrelationShift as CorrelationShift
    from shoal.measures.moment_shift import MomentShift as MomentShift
    from shoal.measures.estimate_shift import EstimateShift as EstimateShift
    from shoal.measures.eigenvalue_shift import EigenvalueShift as EigenvalueShift
    from shoal.measures.mahalanobis import Mahalanobis as Mahalanobis
    from shoal.measures.permutation_distance import PermutationDistance as PermutationDistance
    from shoal.measures.sse import SumOfSquares as SumOfSquares
    from shoal.measures.il1s import IL1s as IL1s
    from shoal.measures.discernibility import Discernibility as Discernibility
    from shoal.measures.average_class_size import AverageClassSize as AverageClassSize
    from shoal.measures.kolmogorov_smirnov import KolmogorovSmirnov as KolmogorovSmirnov
    from shoal.measures.total_variation import TotalVariation as TotalVariation
    from shoal.measures.marginal_distance import MarginalDistance as MarginalDistance
    from shoal.measures.query_error import QueryError as QueryError
    from shoal.measures.pmse import Propensity as Propensity
    from shoal.measures.accuracy_loss import AccuracyLoss as AccuracyLoss
    from shoal.measures.set_loss import SetLoss as SetLoss
    from shoal.measures.itemset_retention import ItemsetRetention as ItemsetRetention
    # isort: on
else:
    __getattr__, __dir__ = attach(__name__, __file__)

STANDARD = (
    "uniqueness",
    "random-reidentification",
    "class-sizes",
    "information-loss",
)  # measured unless others are named
Direction = Literal["lower is safer", "lower is more useful", "describes"]


@dataclass(frozen=True)
class Score:
    """A measured number with its bounds, and what it is made of.

    Attributes
    ----------
    measure
        The name of the measure.
    value
        What was measured.
    lower, upper
        Its bounds, if it is an estimate; the value itself if it is exact.
    detail
        The counts behind it.
    """

    measure: str
    value: float
    lower: float
    upper: float
    detail: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def exact(cls, measure: str, value: float, detail: Mapping[str, Any]) -> Score:
        """Make a score that is known exactly."""
        return cls(measure, value, value, value, detail)


class Scores(tuple[Score, ...]):
    """Scores in the order in which they were asked for, each also by the name of its measure."""

    __slots__ = ()

    @overload
    def __getitem__(self, which: SupportsIndex | str) -> Score: ...
    @overload
    def __getitem__(self, which: slice) -> tuple[Score, ...]: ...
    def __getitem__(self, which: SupportsIndex | slice | str) -> Score | tuple[Score, ...]:
        """Give the score of a measure, by its name or its place."""
        if not isinstance(which, str):
            return super().__getitem__(which)
        found = [score for score in self if score.measure == which]
        if len(found) == 1:
            return found[0]
        names = dict.fromkeys(score.measure for score in self)
        near = suggest(which, names)
        raise ParameterError(
            f"'{which}' was measured {len(found)} times." if found else f"'{which}' was not measured.",
            "Take each by its place: scores[0]."
            if found
            else f"{f'Did you mean {near!r}? ' if near else ''}There are: {', '.join(names) or 'none'}.",
        )

    def __contains__(self, which: object) -> bool:
        """Tell whether there is a score, or one of a measure of this name."""
        return any(which in (score.measure, score) for score in self)


def nothing_to_measure(measure: str, why: str, detail: Mapping[str, Any] | None = None) -> Score:
    """Make the score of a measure that finds nothing it could compare."""
    return Score.exact(measure, 0.0, {**(detail or {}), "nothing_to_measure": why})


def mean_over_attributes(
    measure: str, per_attribute: Mapping[str, float], lacking: str, detail: Mapping[str, Any] | None = None
) -> Score:
    """Make the score of a measure that is the mean over attributes; ``lacking`` says why there may be none."""
    detail = {"per_attribute": dict(per_attribute), **(detail or {})}
    if not per_attribute:
        return nothing_to_measure(measure, lacking, detail)
    return Score.exact(measure, sum(per_attribute.values()) / len(per_attribute), detail)


class Measure(Protocol):
    """What every measure says of itself."""

    name: ClassVar[str]
    direction: ClassVar[Direction]
    range: ClassVar[tuple[float, float]]


@runtime_checkable
class ClassMeasure(Measure, Protocol):
    """A measure of the released table alone, added up over its classes.

    ``known`` names the attributes that the attacker knows; None means all quasi-identifiers.
    """

    known: tuple[str, ...] | None

    def carries(self, schema: Schema) -> tuple[Carry, ...]:
        """Name the columns that are looked at inside a class."""
        ...

    def part(self, classes: Classes, schema: Schema) -> Any:
        """Measure some of the classes."""
        ...

    def finish(self, parts: Sequence[Any]) -> Score:
        """Put the parts together."""
        ...


@runtime_checkable
class BoxMeasure(Measure, Protocol):
    """A measure of the released table alone that asks which values its cells may stand for.

    Classes do not tell: a range may hold the value of another record. A measure that can also do with classes says by
    ``boxed`` which way it goes. Who holds the original knows more values that a cell may be than the released file
    names, and each may be one that fits nobody else: from the file alone the same measure is at most as large.
    """

    known: tuple[str, ...] | None

    @property
    def boxed(self) -> bool:
        """Whether boxes are wanted, and not classes."""
        ...

    def decide(self, boxes: Boxes, schema: Schema) -> Any:
        """Measure some of the boxes."""
        ...

    def decided(self, parts: Sequence[Any]) -> Score:
        """Put the parts together."""
        ...


@runtime_checkable
class PairMeasure(Measure, Protocol):
    """A measure that compares the released table with the original."""

    def score(self, original: Table, released: Table) -> Score:
        """Compare the two tables."""
        ...


@runtime_checkable
class TableMeasure(Measure, Protocol):
    """A measure of the released table alone that looks at its rows in their order."""

    def look(self, released: Table) -> Score:
        """Measure the table."""
        ...


@runtime_checkable
class Demanding(Measure, Protocol):
    """A measure that needs more than the core: a library that is not always there, or a certain column.

    What outside libraries compute differs between their versions, so certificates do not prove it again.
    """

    def demand(self, schema: Schema) -> None:
        """Refuse what cannot be measured, before any work is done."""
        ...


def compares_rows(measure: Measure) -> bool:
    """Tell whether a measure compares two tables row by row: those that compare distributions say so."""
    return isinstance(measure, PairMeasure) and not getattr(measure, "by_distribution", False)


@runtime_checkable
class Bounded(Measure, Protocol):
    """A measure whose work grows so fast with the number of records that it is for small tables only."""

    def admit(self, rows: int) -> None:
        """Refuse a table of too many records, before any work is done."""
        ...


def insist_on_measurable(measures: Sequence[Measure], table: Table) -> None:
    """Refuse before any work is done what cannot be measured of a table, or of a release of it."""
    for measure in measures:
        if isinstance(measure, Demanding):
            measure.demand(table.schema)
        if isinstance(measure, Bounded):
            measure.admit(table.rows)


def asks_for_nodes(measure: Measure, trees: Collection[str]) -> bool:
    """Tell whether a measure asks what nodes cover, in columns with hierarchies: a released file only names them."""
    if not (isinstance(measure, BoxMeasure) and measure.boxed):
        return False
    return any(measure.known is None or name in measure.known for name in trees)


def score(
    original: Table | None,
    released: Table | None = None,
    *,
    measures: Measure | str | Sequence[Measure | str] | None = None,
) -> Scores:
    """Measure a release beside its original, or one table by itself.

    Parameters
    ----------
    original
        The table before masking; or the only one there is.
    released
        The table after masking. If it is left out, only one table is measured, and measures that compare two are left
        out.
    measures
        What to measure; if left out, uniqueness, random reidentification, class sizes and information loss.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> table = shoal.read(pl.DataFrame({"age": [34, 35, 61, 62]}), quasi="age")
    >>> shoal.score(table)["uniqueness"].value
    1.0
    >>> shoal.score(table, shoal.anonymize(table, k=2).table)["uniqueness"].value
    0.0
    """
    released, original = (original, None) if released is None else (released, original)
    for each in (released,) if original is None else (original, released):
        insist_on_table(each)
    assert released is not None
    return _scores(released, picked("measures", STANDARD if measures is None else measures), original)


def _scores(released: Table, measures: Sequence[Measure], original: Table | None) -> Scores:
    """Measure a table, forming the classes of each set of known attributes once."""
    by_known: dict[tuple[str, ...] | None, list[ClassMeasure]] = {}
    scores: dict[int, Score] = {}
    for measure in measures:
        if hasattr(measure, "compared"):
            raise ParameterError(
                f"{measure.name} compares people, and rows do not tell who is who.",
                "It is measured when a linked table is released, and by shoal check --private --original.",
            )
        boxed = isinstance(measure, BoxMeasure) and measure.boxed
        if boxed or isinstance(measure, TableMeasure):
            stage(f"measuring {measure.name}")
        if isinstance(measure, BoxMeasure) and measure.boxed:
            scores[id(measure)] = measure.decided(released.boxes(_decision(measure, released.schema), measure.known))
        elif isinstance(measure, TableMeasure):
            scores[id(measure)] = measure.look(released)
        elif isinstance(measure, ClassMeasure):
            by_known.setdefault(measure.known, []).append(measure)
    for known, mine in by_known.items():
        stage(f"measuring {', '.join(dict.fromkeys(measure.name for measure in mine))}")
        carry = tuple(dict.fromkeys(item for measure in mine for item in measure.carries(released.schema)))
        parts = zip(*released.classes(_parts(mine, released.schema), known, carry), strict=True)
        for measure, found in zip(mine, parts, strict=True):
            scores[id(measure)] = measure.finish(found)
    for measure in measures:
        if isinstance(measure, PairMeasure) and original is not None:
            stage(f"measuring {measure.name}")
            scores[id(measure)] = measure.score(original, released)
    return Scores(scores[id(measure)] for measure in measures if id(measure) in scores)


def _decision(measure: BoxMeasure, schema: Schema) -> Callable[[Boxes], Any]:
    return lambda boxes: measure.decide(boxes, schema)


def _parts(measures: Sequence[ClassMeasure], schema: Schema) -> Callable[[Classes], list[Any]]:
    return lambda classes: [measure.part(classes, schema) for measure in measures]
