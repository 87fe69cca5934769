"""Probabilistic record linkage: who is found by the columns in which records agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.errors import ParameterError
from shoal.kernels.agreement import MOST_COLUMNS, Agreement
from shoal.measures import Direction, Score, nothing_to_measure
from shoal.measures.reidentification.linkage_cells import linkage_cells
from shoal.measures.statistics.fellegi_sunter import fitted
from shoal.measures.statistics.sampling import check_sampling, sampled_rows, share_of
from shoal.parameters import settle
from shoal.table import Table

USUAL = 5_000
_SLACK = 1 + 1e-12  # a difference at the border is inside, whatever its rounding


@dataclass(frozen=True)
class ProbabilisticLinkage:
    """The share of released records that are linked to their own original by the columns in which the two agree (PRL).

    Someone who has the original compares each released record with each original, and notes in which columns they
    agree. How much agreement in a column says is found from these notes alone, without knowing a single pair of one
    person: chances of agreement for pairs of one person (m) and of two (u), and the share of the former (p), by
    expectation and maximization. Each released record is linked to the original of highest total weight; of t with the
    same weight each counts 1/t. Numbers agree if the original is within ``tolerance`` standard deviations of what is
    shown, or in its range; categories if the cell holds them. The detail gives m, u, p and the weights, and says
    whether the fit ``converged``.

    Parameters
    ----------
    known
        The attributes that are compared, at most 20; all quasi-identifiers if left out.
    tolerance
        By how many standard deviations numbers that agree may differ, at least 0.
    most
        So many released records are compared at most, each with all originals, chosen by their number and the seed. If
        there are more, the bounds are the 95 % interval (Wilson's).
    seed
        The seed by which they are chosen.

    References
    ----------
    I. P. Fellegi, A. B. Sunter: A theory for record linkage, Journal of the American Statistical Association 64, 1969,
    doi:10.1080/01621459.1969.10501049. M. A. Jaro: Advances in record-linkage methodology, JASA 84, 1989,
    doi:10.1080/01621459.1989.10478785, for the fit.
    """

    name: ClassVar[str] = "probabilistic-linkage"
    direction: ClassVar[Direction] = "lower is safer"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    known: tuple[str, ...] | None = None
    tolerance: float = 0.1
    most: int = USUAL
    seed: int = 0

    def __post_init__(self) -> None:
        """Check what was asked for."""
        settle(self)
        check_sampling(self.most, self.seed)
        if not isinstance(self.tolerance, int | float) or not 0 <= self.tolerance < float("inf"):
            raise ParameterError("A tolerance is in standard deviations, at least 0.", "Usual is 0.1.")

    def score(self, original: Table, released: Table) -> Score:
        """Fit the weights, link each record, and count who is found."""
        rows = sampled_rows(original.rows, self.most, self.seed)
        cells, names = linkage_cells(original, released, self.known, rows)
        if not names:
            return nothing_to_measure(self.name, "no attribute varies")
        if len(names) > MOST_COLUMNS:
            raise ParameterError(
                f"{self.name} compares at most {MOST_COLUMNS} columns, and {len(names)} vary.",
                "Name those that someone knows: known=['age', 'zip'].",
            )
        tolerance = self.tolerance * _SLACK * cells.weights**-0.5  # numbers weigh by their deviation
        agreement = Agreement(cells, tolerance)
        counts = agreement.counts()
        patterns = np.flatnonzero(counts)
        model = fitted(patterns, counts[patterns].astype(np.float64), len(names), 1 / original.rows)
        best = agreement.best(model.scores())
        agree, disagree = model.weights
        detail = {
            "nearest": float(np.count_nonzero(best == 1)) / rows.size,
            "records": int(rows.size),
            "m": dict(zip(names, model.same.tolist(), strict=True)),
            "u": dict(zip(names, model.different.tolist(), strict=True)),
            "p": model.share,
            "agreement": dict(zip(names, agree.tolist(), strict=True)),
            "disagreement": dict(zip(names, disagree.tolist(), strict=True)),
            "converged": model.steps is not None,
        }
        return share_of(self.name, np.where(best > 0, 1 / np.maximum(best, 1), 0.0), original.rows, detail)
