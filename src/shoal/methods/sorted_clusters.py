"""Algorithm S2: sort by distance from zero, cut into clusters of k, publish ranges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shoal.engines import Moments, Spans
from shoal.kernels.spans import gaps, lengths
from shoal.methods import wanted
from shoal.methods.repair import merged_until_met
from shoal.models import PrivacyModel
from shoal.models.k_anonymity import KAnonymity
from shoal.table import Table


def sort_keys(table: Table, moments: Moments) -> list[Any]:
    """Give the keys by which the paper sorts: the distance of each record from the all-zero record (Eq. 2).

    Records with the same cells missing are kept together, so that few classes mix missing and present cells; where
    nothing is missing this changes nothing.
    """

    def distance(rows: Spans) -> Any:
        return lengths(rows.lo, rows.hi, moments.deviation, rows.table, rows.offsets)

    def pattern(rows: Spans) -> Any:
        return gaps(rows.lo, rows.hi)

    keys = [table.engine.map_rows(table.data, table.schema, distance)]
    if (moments.count < table.rows).any():
        keys.insert(0, table.engine.map_rows(table.data, table.schema, pattern))
    return keys


@dataclass(frozen=True)
class SortedClusters:
    """Generalization-based k-anonymity as published: Algorithm S2.

    Records are sorted by their standardized distance from the all-zero record, ties in the order of the table, and
    cut into clusters of k; the last has k to 2k-1. Each quasi-identifier becomes the range from its smallest to its
    largest value in the cluster, or the set of its categories. Clusters that break another promise, or with a
    ``subject`` column hold fewer than k people, are joined with their neighbours.

    References
    ----------
    D. Sánchez, S. Martínez, J. Domingo-Ferrer: Comment on "Unique in the shopping mall", Science 351(6279):1274,
    2016, doi:10.1126/science.aad9295, supplement, Algorithm S2.
    """

    name: ClassVar[str] = "sorted-clusters"
    enforces: ClassVar[tuple[str, ...]] = ("k-anonymity", "t-closeness", "l-diversity", "alpha-k")

    def apply(self, table: Table, models: Sequence[PrivacyModel], seed: int) -> Table:
        """Group neighbours in the sorted table."""
        model = wanted(models, KAnonymity, self.name)
        model.demand(table.rows, None)
        rank = table.engine.rank(table.data, table.schema, sort_keys(table, table.moments()))
        groups = table.rows // model.k
        labels = np.minimum(rank // np.int32(model.k), np.int32(groups - 1))
        others = [promise for promise in models if promise is not model]
        if table.schema.subject is not None or others:
            labels, groups = merged_until_met(table, labels, groups, [model, *others])
        return table.derive(table.engine.regroup(table.data, table.schema, labels, groups))

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say what is done."""
        k = wanted(models, KAnonymity, self.name).k
        return (
            f"Sorted {table.rows:,} records by their standardized distance from the all-zero record, cut them into "
            f"clusters of {k}, and replaced each quasi-identifier by its range within the cluster (Algorithm S2)."
        )
