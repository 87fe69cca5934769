"""What methods share that put records into classes: each says who belongs together, and the rest is done here."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, get_args

from shoal.arrays import Array
from shoal.engines.values import Moments, Publication, Spans
from shoal.errors import ParameterError
from shoal.kernels.spans import gaps
from shoal.methods import required_model
from shoal.methods.partitioning.merge_failing import merged_until_met, united
from shoal.models import PrivacyModel, check
from shoal.models.k_anonymity import KAnonymity
from shoal.models.outside_population import of_population, with_sizes
from shoal.parameters import settle
from shoal.table import Column, Table


def gaps_first(table: Table, moments: Moments, key: Callable[[Spans], Array]) -> list[Callable[[Spans], Array]]:
    """Say how the keys to sort by are found: which cells are missing, then a key of each record.

    Records with the same cells missing are kept together, so that few classes mix missing and present cells; where
    nothing is missing this changes nothing.
    """

    def pattern(rows: Spans) -> Array:
        return gaps(rows.lo, rows.hi)

    return [pattern, key] if (moments.count < table.rows).any() else [key]


@dataclass(frozen=True)
class Publisher:
    """A method that publishes the same cells for all records of a class.

    Parameters
    ----------
    publish
        What a class shows: ``range`` from its smallest to its largest value, or set of its categories; ``mean`` or
        ``median`` of its numbers and dates, with the median of ordered categories and the most frequent of others;
        or ``mode``, the most frequent value of each attribute.
    """

    name: ClassVar[str]
    publish: Publication = "range"

    def __post_init__(self) -> None:
        """Refuse what cannot be published."""
        settle(self)
        refuse_other(self.publish, get_args(Publication), f"{self.name} publishes")

    def released(self, table: Table, labels: Column, groups: int, columns: Sequence[str] | None = None) -> Table:
        """Publish classes, in some columns or in all quasi-identifiers."""
        return table.generalize(labels, groups, self.publish, columns)

    def release_merged(self, table: Table, labels: Column, groups: int, models: Sequence[PrivacyModel]) -> Table:
        """Join classes with their neighbours until all promises are kept, and publish them.

        Classes that show the same are one. That breaks no promise unless there is a subject column:
        people may be in several. What is not kept although no two classes are left to be joined, such as the least
        share of a population in a class, is refused with the release.
        """
        labels, groups = merged_until_met(table, labels, groups, models)
        shown, before = self.released(table, labels, groups), groups + 1
        while (
            table.schema.subject is not None
            and groups < before
            and not all(verdict.holds for verdict in check(shown, models))
        ):
            before = groups
            labels, groups = merged_until_met(table, *united(table, shown, labels), models)
            shown = self.released(table, labels, groups)
        return shown


@dataclass(frozen=True)
class Partitioner(Publisher, ABC):
    """Form classes of at least k, join those that break another promise, and publish the same cells for each.

    A method of this kind has a name, says in ``partition`` who belongs together and in ``done`` what it did.
    """

    enforces: ClassVar[tuple[str, ...]] = ("k-anonymity", "t-closeness", "l-diversity", "alpha-k")
    joins_classes: ClassVar[bool] = True

    @abstractmethod
    def partition(self, table: Table, k: int, *, lined: bool) -> tuple[Column, int]:
        """Give the class of each record and how many there are.

        ``lined`` asks that classes be numbered along an order in which neighbours are alike: some will be joined.
        """
        ...

    @abstractmethod
    def done(self, table: Table, k: int) -> str:
        """Say how classes were formed: the beginning of a sentence."""
        ...

    def apply(self, table: Table, models: Sequence[PrivacyModel], seed: int) -> Table:
        """Form the classes and publish them: where promises are about a population, classes of that."""
        if self._within(models):
            from shoal.methods.partitioning.population_classes import within_population

            return within_population(self, table, models)
        return self.formed(table, with_sizes(models))

    def _within(self, models: Sequence[PrivacyModel]) -> bool:
        """Tell whether classes of a population are formed: a value that stands for others shows no class of it."""
        return self.publish == "range" and bool(of_population(models))

    def formed(self, table: Table, models: Sequence[PrivacyModel]) -> Table:
        """Form the classes of a table and publish them."""
        model = required_model(models, KAnonymity, self.name)
        model.demand(table.rows, None)
        others = [promise for promise in models if promise is not model]
        merging = table.schema.subject is not None or bool(others)
        labels, groups = self.partition(table, model.k, lined=merging)
        if merging:
            return self.release_merged(table, labels, groups, [model, *others])
        return self.released(table, labels, groups)

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say what is done."""
        if self._within(models):
            return (
                f"Put the population into classes ({self.name}) of as many people as the promises about it ask for, "
                "showed each record as the class of somebody with its values, and joined classes that broke another "
                "promise."
            )
        done = self.done(table, required_model(with_sizes(models), KAnonymity, self.name).k)
        return f"{done}, and {describe_publication(self.publish)}."


def describe_publication(publish: Publication) -> str:
    """Say what is published for a class."""
    kinds = {
        "range": "replaced each quasi-identifier by its range within the class",
        "mean": "replaced each number by its mean within the class, each category by the most frequent one",
        "median": "replaced each number by its median within the class, each category by the most frequent one",
        "mode": "replaced each quasi-identifier by its most frequent value within the class",
    }
    return kinds[publish]


def opening_clause(*, keep_exact: bool) -> str:
    """Say how the sentence begins, whether or not records that need no class of others were left alone."""
    return "Left records alone that had their like already, formed" if keep_exact else "Formed"


def refuse_other(value: Any, known: Sequence[Any], what: str) -> None:
    """Refuse a value that is not one of those known."""
    if value not in known:
        raise ParameterError(f"{what} one of {', '.join(map(str, known))}, not '{value}'.", "Choose one of these.")
