"""Granularity: how coarse published cells are, as shares of their domains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.domains.axis import Axis
from shoal.kernels import MISSING, TOP
from shoal.measures import Direction, Score
from shoal.measures.statistics.cell_masses import CellMasses, MassedCells
from shoal.measures.statistics.weighable import Weighable
from shoal.table import Table


@dataclass(frozen=True)
class Granularity(Weighable):
    """The mean width of published cells: 0 for exact values, 1 for the whole domain.

    Also known as the normalized certainty penalty. A range counts with its length, divided by that of the attribute's
    range in the original table; a set of categories with the number of its members less one, divided by the number of
    all categories less one; a node of a hierarchy likewise with its leaves, whether or not they occur, divided by all
    leaves of the hierarchy; a wildcard counts 1. A cell that never had a value is exact. The detail gives the mean of
    each attribute and the ``utility``, 1 less the value.

    Parameters
    ----------
    weighted
        Whether records count as much as their survey weights say, instead of one each.

    References
    ----------
    J. Xu, W. Wang, J. Pei, X. Wang, B. Shi, A. W.-C. Fu: Utility-based anonymization using local recoding, KDD 2006,
    doi:10.1145/1150402.1150504. F. Prasser et al.: ARX, the quality model "granularity".
    """

    name: ClassVar[str] = "granularity"
    direction: ClassVar[Direction] = "lower is more useful"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    by_distribution: ClassVar[bool] = True

    def score(self, original: Table, released: Table) -> Score:
        """Average the widths of all cells, attribute by attribute."""
        means: dict[str, float] = {}
        masses = CellMasses.of(released, self.weights_in(released))
        for name, domain in domains(original).items():
            total = sum(masses.over((name,), _widths_of(released.schema[name].axis, domain)))
            means[name] = total / masses.total
        value = float(np.mean(list(means.values())))
        return Score.exact(self.name, value, {"utility": 1 - value, "per_attribute": means})


def _widths_of(axis: Axis, domain: float) -> Callable[[MassedCells], float]:
    return lambda cells: float(cells.masses @ widths(cells.lo[:, 0], cells.hi[:, 0], axis, domain))


def domains(original: Table) -> dict[str, float]:
    """Give how wide the domain of each quasi-identifier is."""
    known = original.moments()
    found: dict[str, float] = {}
    for j, name in enumerate(original.schema.quasi):
        axis = original.schema[name].axis
        if axis.nominal or axis.tree is not None:
            found[name] = float(len(axis.values) - 1) if axis.values is not None else 0.0
        else:
            ends = _numbers(axis, np.array([known.lowest[j], known.highest[j]])) if known.count[j] else np.zeros(2)
            found[name] = float(ends[1] - ends[0])
    return found


def widths(lo: Positions, hi: Positions, axis: Axis, domain: float) -> NDArray[np.float64]:
    """Give the share of the domain that each cell of a column covers."""
    wild = (lo == MISSING) & (hi == TOP)
    present = lo != MISSING
    shares = wild.astype(np.float64)
    if domain > 0 and axis.nominal:
        used, place = np.unique(lo[present], return_inverse=True)
        shares[present] = (np.array([len(axis.members(position)) - 1 for position in used.tolist()]) / domain)[place]
    elif domain > 0:
        shares[present] = (_numbers(axis, hi[present]) - _numbers(axis, lo[present])) / domain
    clipped: NDArray[np.float64] = np.clip(shares, 0.0, 1.0)
    return clipped


def _numbers(axis: Axis, positions: Positions) -> NDArray[np.float64]:
    numbers = axis.coordinates()
    found: NDArray[np.float64] = positions.astype(np.float64) if numbers is None else numbers[positions]
    return found
