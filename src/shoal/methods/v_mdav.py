"""V-MDAV: classes of k to 2k - 1, which take in records that lie much nearer to them than to others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from shoal.arrays import Labels
from shoal.errors import ParameterError
from shoal.kernels.microaggregation import Points, v_mdav
from shoal.methods.partitioning import Partitioner, opening_clause
from shoal.methods.partitioning.metric_points import partitioned
from shoal.table import Table


@dataclass(frozen=True)
class VMDAV(Partitioner):
    """Microaggregation with classes of k to 2k - 1: variable-size maximum distance to average vector.

    The record farthest from the mean of all forms a class with the k - 1 nearest to it. The record that is nearest to
    a member then joins if its distance is less than gamma times that to its own nearest neighbour outside, and so on.
    Records that are left over, fewer than k, join the class of the nearest record. Ties go to the record that comes
    first in the table. Distances and missing cells are those of `MDAV`, and so is how other promises are kept.

    Parameters
    ----------
    publish
        What a class shows: ``range``, ``mean``, ``median`` or ``mode`` of its cells (see `Publisher`).
    gamma
        How readily classes grow: 0 never, 0.2 suits scattered records and 1.1 records in clusters.
    keep_exact
        Whether records that share all quasi-identifiers with at least k - 1 others are left as they are.

    References
    ----------
    A. Solanas, A. Martínez-Ballesté: V-MDAV: a multivariate microaggregation with variable group size, COMPSTAT 2006.
    J. Domingo-Ferrer, V. Torra, Data Mining and Knowledge Discovery 11(2), 2005, doi:10.1007/s10618-005-0007-5.
    """

    name: ClassVar[str] = "v-mdav"
    gamma: float = 0.2
    keep_exact: bool = False

    def __post_init__(self) -> None:
        """Refuse a gamma that is no factor."""
        super().__post_init__()
        number = isinstance(self.gamma, (int, float)) and not isinstance(self.gamma, bool)
        if not number or not 0 <= self.gamma < float("inf"):
            raise ParameterError(f"gamma must be a number of at least 0, not {self.gamma}.", "Try 0.2, or 1.1.")

    def partition(self, table: Table, k: int, *, lined: bool) -> tuple[Any, int]:
        """Form the classes."""
        return partitioned(table, k, self._classes, keep_exact=self.keep_exact, lined=lined)

    def _classes(self, points: Points, k: int) -> tuple[Labels, int]:
        return v_mdav(points, k, self.gamma)

    def done(self, table: Table, k: int) -> str:
        """Say how classes were formed."""
        begun = opening_clause(keep_exact=self.keep_exact)
        return f"{begun} classes of {k} to {2 * k - 1} from {table.rows:,} records by microaggregation (V-MDAV)"
