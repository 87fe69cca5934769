"""MDAV: classes of k around the records that are farthest out, one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shoal.arrays import Labels
from shoal.errors import ParameterError
from shoal.kernels.grouping import by_label
from shoal.kernels.microaggregation import EITHER, Points, mdav, part_of, split_rows
from shoal.methods.partitioning import Partitioner, opening_clause
from shoal.methods.partitioning.metric_points import partitioned
from shoal.table import Table


@dataclass(frozen=True)
class MDAV(Partitioner):
    """Microaggregation with classes of k: maximum distance to average vector.

    While 3k records are left, the one farthest from their mean forms a class with the k - 1 nearest to it, and so does
    the one farthest from that record. Of 2k to 3k - 1 one class is formed around the record farthest from the mean,
    and what is left is the last class. Ties go to the record that comes first in the table.

    Attributes are standardized and weigh the same. Categories without an order are equal or different; the mean has
    the most frequent one. A missing cell differs from all values. Classes that break another promise, or with a
    ``subject`` column hold fewer than k people, are joined with neighbours.

    Up to 262,143 records, from which on a table is taken in pieces, the work grows faster than the table, nearly with
    its square where attributes are many and independent. ``block`` bounds it: for a few thousand records a block loses
    little.

    Parameters
    ----------
    publish
        What a class shows: ``range``, ``mean``, ``median`` or ``mode`` of its cells (see `Publisher`).
    block
        The most records among which classes are formed. Larger tables are first cut at medians, each time by the
        attribute that varies most, and equal values stay together where they can. None forms them among all.
    keep_exact
        Whether records that share all quasi-identifiers with at least k - 1 others are left as they are.

    References
    ----------
    J. Domingo-Ferrer, V. Torra: Ordinal, continuous and heterogeneous k-anonymity through microaggregation, Data
    Mining and Knowledge Discovery 11(2), 2005, doi:10.1007/s10618-005-0007-5. Blocks: A. Solanas, A. Martínez-Ballesté,
    J. Domingo-Ferrer, J. M. Mateo-Sanz: A 2^d-tree-based blocking method for microaggregating very large data sets,
    ARES 2006, doi:10.1109/ARES.2006.20.
    """

    name: ClassVar[str] = "mdav"
    block: int | None = None
    keep_exact: bool = False

    def __post_init__(self) -> None:
        """Refuse blocks in which no class has room."""
        super().__post_init__()
        if self.block is not None and (isinstance(self.block, bool) or not isinstance(self.block, int)):
            raise ParameterError(f"A block is a whole number of records, not {self.block}.", "Typical are 500 to 5000.")

    def partition(self, table: Table, k: int, *, lined: bool) -> tuple[Any, int]:
        """Form the classes, block by block."""
        if self.block is not None and self.block < 2 * k:
            raise ParameterError(
                f"A block of {self.block} has no room for two classes of {k}.", f"Use {2 * k} or more."
            )
        return partitioned(table, k, self._classes, keep_exact=self.keep_exact, lined=lined)

    def _classes(self, points: Points, k: int) -> tuple[Labels, int]:
        n = points.cells.shape[0]
        if self.block is None or n <= self.block:
            return mdav(points, k, np.arange(n, dtype=np.int32), np.array([0, n], np.int64))
        parts = split_rows(points, k, mode=EITHER, limit=self.block)
        return mdav(points, k, *by_label(part_of(*parts), parts[1].size - 1))

    def done(self, table: Table, k: int) -> str:
        """Say how classes were formed."""
        blocks = f" in blocks of at most {self.block:,} that are alike" if self.block else ""
        begun = opening_clause(keep_exact=self.keep_exact)
        return f"{begun} classes of {k} from {table.rows:,} records{blocks} by microaggregation (MDAV)"
