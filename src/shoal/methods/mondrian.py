"""Mondrian: the table is cut in two at a median, and the parts again, while both have k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from shoal.arrays import Labels
from shoal.kernels.microaggregation import RELAXED, STRICT, Points, part_of, split_rows
from shoal.methods.partitioning import Partitioner, opening_clause, refuse_other
from shoal.methods.partitioning.metric_points import partitioned
from shoal.table import Table


@dataclass(frozen=True)
class Mondrian(Partitioner):
    """Multidimensional generalization: cut where the records lie farthest apart, as long as both parts have k.

    Attributes are tried from the one that varies most. Categories without an order are cut in the order in which they
    are numbered. A missing cell stands at the mean, and whether it is missing is an attribute of its own, so that
    records with and without are parted. Classes that break another promise, or with a ``subject`` column hold fewer
    than k people, are joined with neighbours.

    Parameters
    ----------
    publish
        What a class shows: ``range``, ``mean``, ``median`` or ``mode`` of its cells (see `Publisher`).
    mode
        ``strict`` cuts between different values, as near to the median as can be, so that equal ones stay together;
        ``relaxed`` cuts in the middle, also between equal values, so that classes have k to 2k - 1.
    split
        What tells how far records lie apart: ``variance`` after standardizing, or ``range``, as a share of the range
        of the attribute in the table.
    keep_exact
        Whether records that share all quasi-identifiers with at least k - 1 others are left as they are.

    References
    ----------
    K. LeFevre, D. J. DeWitt, R. Ramakrishnan: Mondrian multidimensional k-anonymity, ICDE 2006,
    doi:10.1109/ICDE.2006.101.
    """

    name: ClassVar[str] = "mondrian"
    mode: Literal["strict", "relaxed"] = "strict"
    split: Literal["variance", "range"] = "variance"
    keep_exact: bool = True

    def __post_init__(self) -> None:
        """Refuse other ways to cut."""
        super().__post_init__()
        refuse_other(self.mode, ("strict", "relaxed"), "The mode of mondrian is")
        refuse_other(self.split, ("variance", "range"), "mondrian splits by")

    def partition(self, table: Table, k: int, *, lined: bool) -> tuple[Any, int]:
        """Cut what need not be left as it is."""
        return partitioned(table, k, self._classes, keep_exact=self.keep_exact, lined=lined)

    def _classes(self, points: Points, k: int) -> tuple[Labels, int]:
        mode = STRICT if self.mode == "strict" else RELAXED
        order, starts = split_rows(points, k, mode=mode, by_range=self.split == "range")
        return part_of(order, starts), starts.size - 1

    def done(self, table: Table, k: int) -> str:
        """Say how classes were formed."""
        begun = opening_clause(keep_exact=self.keep_exact)
        how = f"by {self.split} as long as both parts had {k} (Mondrian, {self.mode})"
        return f"{begun} classes by cutting {table.rows:,} records in two {how}"
