"""t-closeness first: every class takes the nearest record from each stratum of the confidential attribute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Labels
from shoal.engines.values import Piece
from shoal.kernels.close_clusters import t_closeness_first
from shoal.kernels.microaggregation import Points
from shoal.kernels.radix import order_by_integers
from shoal.methods.partitioning.hilbert_order import standardized_costs
from shoal.methods.partitioning.t_close_microaggregation import Plan, TCloseMicroaggregation
from shoal.methods.search.stratified_classes import blocks_of_strata
from shoal.models.t_closeness import TCloseness, cluster_size
from shoal.table import Ranked, Table


@dataclass(frozen=True)
class TClosenessFirst(TCloseMicroaggregation):
    """t-closeness first: classes take the nearest record from each stratum of the confidential attribute.

    Records are sorted by the confidential attribute and cut into as many strata as t asks for (Eq. 8). Around the
    records that MDAV would choose, each class takes the nearest record of each stratum. Left-over records lie amid the
    strata, and classes take one more while there are any. Where no record is left over and no confidential values are
    equal, every class is then within t (Eq. 6); all are measured nevertheless, and those that miss it join the class
    whose mean is nearest. Without t-closeness of an attribute that has an order, classes of k are formed by MDAV.

    Parameters
    ----------
    publish
        What a class shows: ``mean``, as published, ``median``, ``range`` or ``mode`` of its cells (see `Publisher`).

    References
    ----------
    J. Soria-Comas, J. Domingo-Ferrer, D. Sánchez, S. Martínez: t-Closeness through microaggregation: strict privacy
    with enhanced utility preservation, IEEE TKDE 27(11), 2015, doi:10.1109/TKDE.2015.2435777, Algorithm 3.
    """

    name: ClassVar[str] = "t-closeness-first"

    def plan(self, table: Table, k: int, model: TCloseness | None) -> Plan:
        """Form classes with a record from each stratum."""
        if model is None:
            return super().plan(table, k, model)
        size = _size(table, k, model)
        column = model.confidential(table.schema)
        rank = Ranked(column)

        def form(piece: Piece, points: Points) -> tuple[Labels, int]:
            order = order_by_integers(piece.columns[rank])
            sizes = strata_sizes(order.size, _fitting(order.size, size))
            labels = np.empty_like(order)
            labels[order] = t_closeness_first(points.taken(order), sizes, int(sizes.min()))
            return labels, int(sizes.min())

        # Pieces have as many records of each stratum, so that strata of a piece are those of the table.
        costs = standardized_costs(table.schema, table.moments())
        return Plan(form, (rank,), blocks_of_strata(table, column, size, 1, costs))

    def done(self, table: Table, k: int, model: TCloseness | None) -> str:
        """Say how classes were formed."""
        if model is None:
            return super().done(table, k, model)
        return (
            f"Cut {table.rows:,} records into {_size(table, k, model)} strata of the confidential attribute and formed "
            f"classes of the nearest record from each by microaggregation"
        )


def _size(table: Table, k: int, model: TCloseness) -> int:
    """Give the number of strata: what k and t ask for, and more if that leaves fewer records over."""
    return _fitting(table.rows, cluster_size(table.rows, k, model.t))


def _fitting(rows: int, size: int) -> int:
    size = min(size, rows)
    return size + rows % size // (rows // size)


def strata_sizes(rows: int, strata: int) -> NDArray[np.int64]:
    """Give the size of each stratum; left-over records go to the one in the middle, or to the two."""
    sizes = np.full(strata, rows // strata, np.int64)
    over = rows - int(sizes.sum())
    sizes[strata // 2] += over - over // 2
    sizes[(strata - 1) // 2] += over // 2
    return sizes
