"""Algorithm S2: sort by distance from zero, cut into clusters of k, publish ranges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shoal.arrays import Array
from shoal.engines.values import Moments, Spans
from shoal.kernels.spans import lengths
from shoal.methods.partitioning import Partitioner, gaps_first
from shoal.table import Column, Table


def sort_keys(table: Table, moments: Moments) -> list[Column]:
    """Give the keys by which the paper sorts: the distance of each record from the all-zero record (Eq. 2)."""
    deviation = moments.deviation

    def distance(rows: Spans) -> Array:
        return lengths(rows.lo, rows.hi, deviation, rows.table, rows.offsets)

    return [table.map_rows(way) for way in gaps_first(table, moments, distance)]


@dataclass(frozen=True)
class SortedClusters(Partitioner):
    """Generalization-based k-anonymity as published: Algorithm S2.

    Records are sorted by their standardized distance from the all-zero record, ties in the order of the table, and
    cut into clusters of k; the last has k to 2k-1. Each quasi-identifier becomes the range from its smallest to its
    largest value in the cluster, or the set of its categories. Clusters that break another promise, or with a
    ``subject`` column hold fewer than k people, are joined with their neighbours.

    Parameters
    ----------
    publish
        What a cluster shows: ``range``, as published, ``mean``, ``median`` or ``mode`` of its cells (see `Publisher`).

    References
    ----------
    D. Sánchez, S. Martínez, J. Domingo-Ferrer: Comment on "Unique in the shopping mall", Science 351(6279):1274,
    2016, doi:10.1126/science.aad9295, supplement, Algorithm S2.
    """

    name: ClassVar[str] = "sorted-clusters"

    def partition(self, table: Table, k: int, *, lined: bool) -> tuple[Column, int]:
        """Group neighbours in the sorted table."""
        return table.rank(sort_keys(table, table.moments()), every=k), max(table.rows // k, 1)

    def done(self, table: Table, k: int) -> str:
        """Say how clusters were formed."""
        return (
            f"Sorted {table.rows:,} records by their standardized distance from the all-zero record, cut them into "
            f"clusters of {k} (Algorithm S2)"
        )
