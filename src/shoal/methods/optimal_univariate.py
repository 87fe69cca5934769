"""The optimal partition of one attribute; of several, each on its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Labels
from shoal.engines.values import Piece, Spans
from shoal.errors import ParameterError
from shoal.kernels import MISSING
from shoal.kernels.microaggregation import optimal_cut
from shoal.kernels.radix import order_by_lengths
from shoal.methods import required_model
from shoal.methods.partitioning import Publisher, describe_publication
from shoal.methods.partitioning.metric_points import numbers_behind
from shoal.models import PrivacyModel
from shoal.models.k_anonymity import KAnonymity
from shoal.table import Column, Table

_BELOW = 1e6  # standard deviations: more than any of 10^12 records is below the mean


@dataclass(frozen=True)
class OptimalUnivariate(Publisher):
    """Cut each attribute into classes of at least k values with the least squared error there can be.

    With one quasi-identifier this is optimal microaggregation, and other promises are kept by joining neighbours. With
    several each is treated on its own (individual ranking): little is lost, but a combination of values may still be
    unique. Nothing is enforced then, and only the check tells whether a promise holds.

    Ordered categories count by their rank. Categories without an order stay as they are if k records have them; rarer
    ones are put together until k have one of them. Missing cells are a class of their own, or join the lowest values
    if they are fewer than k. A table of 262,144 records and more is cut into pieces of about half as many first, over
    whose ends no class reaches: that is one class in thousands.

    Parameters
    ----------
    publish
        What a class shows: ``range``, ``mean``, ``median`` or ``mode`` of its cells (see `Publisher`).
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
        model = KAnonymity(self.k) if self.k is not None else required_model(models, KAnonymity, self.name)
        if model.k > table.rows:
            raise ParameterError(
                f"k = {model.k} cannot be reached: the table has only {table.rows} "
                f"record{'s' if table.rows != 1 else ''}.",
                "Choose a smaller k.",
            )
        return model.k

    def apply(self, table: Table, models: Sequence[PrivacyModel], seed: int) -> Table:
        """Treat one attribute after the other."""
        k, quasi = self._size(table, models), table.schema.quasi
        for name in quasi:
            labels, groups = _classes(table, name, k)
            if len(quasi) == 1:
                return self.release_merged(table, labels, groups, models)
            table = self.released(table, labels, groups, [name])
        return table

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say what is done, and what is not."""
        k = self._size(table, models)
        error, published = f"of at least {k} with the least squared error", describe_publication(self.publish)
        if len(table.schema.quasi) == 1:
            return f"Cut {table.rows:,} records into classes {error}, and {published}."
        return (
            f"Cut each quasi-identifier of {table.rows:,} records on its own into classes {error}, and {published}; "
            f"combinations of them are not protected by this."
        )


def _classes(table: Table, name: str, k: int) -> tuple[Column, int]:
    """Give the class of each record by one attribute, numbered in its order, and how many there are."""
    if table.schema[name].axis.nominal:
        return _of_categories(table, name, k)
    j, moments = table.schema.quasi.index(name), table.moments()
    mean, deviation = float(moments.mean[j]), float(moments.deviation[j]) or 1.0
    present = int(moments.count[j])
    own = table.rows - present >= k  # whether missing cells are a class of their own

    def standardized(rows: Spans) -> NDArray[np.float64]:
        middle = (numbers_behind(rows, rows.lo[:, j], j) + numbers_behind(rows, rows.hi[:, j], j)) / 2
        scaled: NDArray[np.float64] = (middle - mean) / deviation
        return scaled

    def kernel(piece: Piece) -> Labels:
        gone = piece.rows.lo[:, j] == MISSING
        return _cut(standardized(piece.rows), gone, k, own=own)

    def ascending(rows: Spans) -> NDArray[np.float64]:
        numbers, gone = standardized(rows), rows.lo[:, j] == MISSING
        # From a number below all others: keys are sorted by their bits, which is right for those that are not negative.
        return np.where(gone, np.inf if own else 0.0, np.maximum(numbers + _BELOW, 0.0))

    if present < k:
        return table.map_rows(lambda rows: np.zeros(rows.lo.shape[0], np.int32)), 1
    return table.map_blocks(lambda: [table.map_rows(ascending)], k, kernel, ordered=False)


def _cut(numbers: NDArray[np.float64], gone: NDArray[np.bool_], k: int, *, own: bool) -> Labels:
    """Label the cells of a piece; those too few for a class of their own are in the first."""
    labels = np.zeros(numbers.size, np.int32)
    there, groups = np.flatnonzero(~gone), 0
    if there.size >= k:
        ordered = there[order_by_lengths(numbers[there] - numbers[there].min())]
        labels[ordered], groups = optimal_cut(numbers[ordered], k)
    missing = numbers.size - there.size
    if own and missing >= k:
        labels[gone] = groups
    return labels


def _of_categories(table: Table, name: str, k: int) -> tuple[Column, int]:
    """Leave categories alone that k records have, and put rarer ones together, in the order of the axis."""
    j, axis = table.schema.quasi.index(name), table.schema[name].axis
    parts = table.boxes(lambda cells: (cells.lo[:, 0], cells.hi[:, 0], cells.counts), (name,))
    lo, hi, counts = (np.concatenate([part[i] for part in parts]) for i in range(3))
    low, high = axis.hull()  # as kernels see sets of categories
    inside = lo != MISSING
    lo[inside], hi[inside] = low[lo[inside]], high[hi[inside]]
    cells, places = np.unique(_packed(lo, hi), return_inverse=True)
    sizes = np.bincount(places.reshape(-1), weights=counts).astype(np.int64)
    labels, groups = _together(sizes, k)

    def of_rows(rows: Spans) -> Labels:
        found: Labels = labels[np.searchsorted(cells, _packed(rows.lo[:, j], rows.hi[:, j]))]
        return found

    return table.map_rows(of_rows), groups


def _packed(lo: NDArray[np.int32], hi: NDArray[np.int32]) -> NDArray[np.int64]:
    return lo.astype(np.int64) * 2**32 + hi


def _together(sizes: NDArray[np.int64], k: int) -> tuple[Labels, int]:
    """Label cells by how many records have each, the rare ones together, and tell how many labels there are."""
    labels = np.empty(sizes.size, np.int32)
    groups, filled, opened = 0, 0, -1
    for cell in np.argsort(sizes >= k, kind="stable").tolist():  # the rare ones first
        if opened < 0:
            opened, groups = groups, groups + 1
        labels[cell] = opened
        filled += int(sizes[cell])
        if filled >= k:
            opened, filled = -1, 0
    if opened > 0:  # the last ones are too few
        labels[labels == opened] = opened - 1
        groups -= 1
    return labels, groups
