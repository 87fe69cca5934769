"""The optimal partition of one attribute; of several, each on its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.engines import Spans
from shoal.errors import ParameterError
from shoal.kernels import MISSING
from shoal.kernels.microaggregation import optimal_cut
from shoal.methods import wanted
from shoal.methods.partitioner import Labels, Publisher, told
from shoal.methods.points import numbers_behind
from shoal.methods.repair import merged_until_met
from shoal.models import PrivacyModel
from shoal.models.k_anonymity import KAnonymity
from shoal.table import Table


@dataclass(frozen=True)
class OptimalUnivariate(Publisher):
    """Cut each attribute into classes of at least k values with the least squared error there can be.

    With one quasi-identifier this is optimal microaggregation, and other promises are kept by joining neighbours. With
    several each is treated on its own (individual ranking): little is lost, but a combination of values may still be
    unique. Nothing is enforced then, and only the check tells whether a promise holds.

    Ordered categories count by their rank. Categories without an order stay as they are if k records have them; rarer
    ones are put together until k have one of them. Missing cells are a class of their own, or join the lowest values
    if they are fewer than k.

    Parameters
    ----------
    publish
        What a class shows: ``range`` from its smallest to its largest value, or set of its categories; ``mean`` or
        ``median`` of its numbers and dates, with the median of ordered categories and the most frequent of others;
        or ``mode``, the most frequent value of each attribute.
    k
        The fewest records of a class; that of the promise of k-anonymity if left out.

    References
    ----------
    S. L. Hansen, S. Mukherjee: A polynomial algorithm for optimal univariate microaggregation, IEEE TKDE 15(4), 2003,
    doi:10.1109/TKDE.2003.1209020.
    """

    name: ClassVar[str] = "optimal-univariate"
    enforces: ClassVar[tuple[str, ...]] = ()
    k: int | None = None

    def __post_init__(self) -> None:
        """Refuse what is no k."""
        super().__post_init__()
        if self.k is not None:
            KAnonymity(self.k)

    def _size(self, table: Table, models: Sequence[PrivacyModel]) -> int:
        model = KAnonymity(self.k) if self.k is not None else wanted(models, KAnonymity, self.name)
        if model.k > table.rows:
            raise ParameterError(
                f"k = {model.k} cannot be reached: the table has only {table.rows} records.", "Choose a smaller k."
            )
        return model.k

    def apply(self, table: Table, models: Sequence[PrivacyModel], seed: int) -> Table:
        """Treat one attribute after the other."""
        k, quasi = self._size(table, models), table.schema.quasi
        for name in quasi:
            labels, groups = _classes(table, name, k)
            if len(quasi) == 1:
                labels, groups = merged_until_met(table, labels, groups, models)
            table = self.released(table, labels, groups, [name])
        return table

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say what is done, and what is not."""
        k = self._size(table, models)
        if len(table.schema.quasi) == 1:
            cut = f"Cut {table.rows:,} records into classes of at least {k} with the least squared error"
            return f"{cut}, and {told(self.publish)}."
        return (
            f"Cut each quasi-identifier of {table.rows:,} records on its own into classes of at least {k} with the "
            f"least squared error, and {told(self.publish)}; combinations of them are not protected by this."
        )


def _classes(table: Table, name: str, k: int) -> tuple[Labels, int]:
    """Give the class of each record by one attribute, numbered in its order, and how many there are."""
    if table.schema[name].axis.nominal:
        return _of_categories(table.engine.number(table.data, table.schema, [name]), k)
    j, moments = table.schema.quasi.index(name), table.moments()

    def standardized(rows: Spans) -> NDArray[np.float64]:
        middle = (numbers_behind(rows, rows.lo[:, j], j) + numbers_behind(rows, rows.hi[:, j], j)) / 2
        scaled: NDArray[np.float64] = (middle - moments.mean[j]) / (moments.deviation[j] or 1.0)
        return scaled

    def absent(rows: Spans) -> Any:
        return (rows.lo[:, j] == MISSING).astype(np.int32)

    gone = table.engine.map_rows(table.data, table.schema, absent)
    numbers = table.engine.map_rows(table.data, table.schema, standardized)
    missing = int(gone.sum())
    present = table.rows - missing
    if present < k:
        return np.zeros(table.rows, np.int32), 1
    lowest = numbers.min(where=gone == 0, initial=np.inf)
    place = table.engine.rank(table.data, table.schema, [gone, np.where(gone == 0, numbers - lowest, 0.0)])
    ascending = np.empty(table.rows)
    ascending[place] = numbers
    found, groups = optimal_cut(ascending[:present].copy(), k)
    own = missing >= k
    tail = np.full(missing, groups if own else 0, np.int32)
    return np.concatenate([found, tail])[place], groups + own


def _of_categories(codes: NDArray[np.int32], k: int) -> tuple[Labels, int]:
    """Leave categories alone that k records have, and put rarer ones together, in the order of their numbers."""
    counts = np.bincount(codes)
    label = np.empty(counts.size, np.int32)
    groups, filled, opened = 0, 0, -1
    for code in np.argsort(counts >= k, kind="stable").tolist():  # the rare ones first
        if opened < 0:
            opened, groups = groups, groups + 1
        label[code] = opened
        filled += int(counts[code])
        if filled >= k:
            opened, filled = -1, 0
    if opened > 0:  # the last ones are too few
        label[label == opened] = opened - 1
        groups -= 1
    return label[codes], groups
