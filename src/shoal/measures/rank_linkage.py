"""Record linkage by ranks: whose ranks in the original are nearest to those in the release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats
from shoal.kernels.grouping import numbered
from shoal.kernels.linkage import LinkageCells, nearest_counts
from shoal.measures import Direction, Score, nothing_to_measure
from shoal.measures.distance_linkage import USUAL
from shoal.measures.reidentification.linkage_cells import attacked
from shoal.measures.statistics.paired_columns import PairedTables
from shoal.measures.statistics.sampling import check_sampling, sampled_rows, share_of
from shoal.parameters import settle
from shoal.table import Table


@dataclass(frozen=True)
class RankLinkage:
    """The share of released records that are linked to their own original by taking the one with the nearest ranks.

    In the permutation paradigm any masking is a permutation of values and a small residual, so an attacker who knows
    the original compares ranks. Each attribute with an order is ranked by itself in both tables, equal values with
    the mean of their ranks; the nearest record is that of least distance over attributes, and of t equally near ones
    each counts 1/t. A range is ranked by its middle; ``*`` fits everything, and a cell without a value one without.

    Parameters
    ----------
    known
        The attributes that are compared; all quasi-identifiers with an order if left out.
    most
        So many released records are linked at most, each to all originals, chosen by their number and the seed. If
        there are more, the bounds are the 95 % interval (Wilson's).
    seed
        The seed by which they are chosen.

    References
    ----------
    J. Domingo-Ferrer, K. Muralidhar: New directions in anonymization: permutation paradigm, verifiability by subjects
    and intruders, transparency to users, Information Sciences 337-338, 2016, doi:10.1016/j.ins.2015.12.014.
    """

    name: ClassVar[str] = "rank-linkage"
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
        """Rank every attribute, link each record, and count who is found."""
        tables = PairedTables.of(original, released, attacked(original.schema, self.known))
        rows = sampled_rows(original.rows, self.most, self.seed)
        columns = []
        for name in tables.ordered:
            column = tables.column(name)
            if column.varies:
                shown = mean_ranks(column.guess)[rows]
                wild = np.isinf(column.low[rows])
                ends = (np.where(wild, end, shown) for end in (-np.inf, np.inf))
                columns.append((mean_ranks(column.own), *ends))
        if not columns:
            return nothing_to_measure(self.name, "no attribute with an order varies")
        none = np.zeros(len(columns), np.int64)
        own, low, high = (np.stack(side, axis=1) for side in zip(*columns, strict=True))
        scale = np.full(len(columns), max(original.rows - 1, 1) ** -2.0)
        cells = LinkageCells(own, low, high, rows, len(columns), scale, np.empty(0, np.uint64), none, none)
        equals = nearest_counts(cells)
        parts = np.where(equals > 0, 1 / np.maximum(equals, 1), 0.0)
        detail = {"nearest": float(np.count_nonzero(equals == 1)) / rows.size, "records": int(rows.size)}
        return share_of(self.name, parts, original.rows, detail)


def mean_ranks(numbers: Floats) -> Floats:
    """Give the rank of each number from 0, equal ones the mean of theirs; what is no number has none."""
    known = ~np.isnan(numbers)
    found = np.full(numbers.size, np.nan)
    _, places = numbered(numbers[known])
    sizes = np.bincount(places)
    found[known] = (np.cumsum(sizes) - (sizes + 1) / 2)[places]
    return found
