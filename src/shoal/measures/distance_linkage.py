"""Distance-based record linkage: whose original record is the nearest to what is released of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.kernels.linkage import nearest_counts
from shoal.measures import Direction, Score, nothing_to_measure
from shoal.measures.reidentification.linkage_cells import linkage_cells
from shoal.measures.statistics.sampling import check_sampling, sampled_rows, share_of
from shoal.parameters import settle
from shoal.table import Table

USUAL = 100_000


@dataclass(frozen=True)
class DistanceLinkage:
    """The share of released records that are linked to their own original by taking the nearest one (DBRL).

    Someone who has the original takes for each released record the nearest of all; of several that are equally near,
    one at random, so of t of them each counts 1/t. Numbers are in standard deviations of the original; a range is away
    by how far its nearer end is, and by nothing from what lies inside; another category counts 1, also for a set that
    does not hold it. ``*`` fits everything. A cell without a value fits one without, and counts 1 beside any other. The
    result is exact. The detail gives how many records are ``nearest`` and no other as near, as a share.

    Parameters
    ----------
    known
        The attributes that are compared; all quasi-identifiers if left out.
    most
        So many released records are linked at most, each to all originals, chosen by their number and the seed. If
        there are more, the bounds are the 95 % interval (Wilson's).
    seed
        The seed by which they are chosen.

    References
    ----------
    J. Domingo-Ferrer, V. Torra: Disclosure risk assessment in statistical microdata protection via advanced record
    linkage, Statistics and Computing 13, 2003, doi:10.1023/A:1025666923033. D. Pagliuca, G. Seri: Some results of
    individual ranking method on the system of enterprise accounts annual survey, Esprit SDC Project, 1999.
    """

    name: ClassVar[str] = "distance-linkage"
    direction: ClassVar[Direction] = "lower is safer"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    known: tuple[str, ...] | None = None
    most: int = USUAL
    seed: int = 0

    def __post_init__(self) -> None:
        """Check what was asked for."""
        settle(self)
        check_sampling(self.most, self.seed)

    def score(self, original: Table, released: Table) -> Score:
        """Link each record, and count who is found."""
        rows = sampled_rows(original.rows, self.most, self.seed)
        cells, names = linkage_cells(original, released, self.known, rows)
        if not names:
            return nothing_to_measure(self.name, "no attribute varies")
        equals = nearest_counts(cells)
        parts = np.where(equals > 0, 1 / np.maximum(equals, 1), 0.0)
        detail = {"nearest": float(np.count_nonzero(equals == 1)) / rows.size, "records": int(rows.size)}
        return share_of(self.name, parts, original.rows, detail)
