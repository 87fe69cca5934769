"""Gaussian copula: the values of each column stay exactly what they are, and go together as their ranks do.

S. E. Fienberg, R. J. Steele: Disclosure limitation using perturbation and related methods for categorical data, Journal
of Official Statistics 14(4), 1998; for ranks K. Muralidhar, R. Sarathy: Data shuffling, Management Science 52(5), 2006,
doi:10.1287/mnsc.1050.0503, of which this is the case in which every column is confidential.
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Floats

_LEAST = 1e-9  # an eigenvalue of a correlation matrix that may be chance


def redrawn(values: Floats, drawn: Floats) -> Floats:
    """Give each column its values in another order: that of normal numbers that are correlated as the ranks are.

    Parameters
    ----------
    values
        The records; NaN, which is no value, counts as the lowest.
    drawn
        As many independent normal numbers.
    """
    order = np.argsort(np.where(np.isnan(values), -np.inf, values), axis=0, kind="stable")
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, np.arange(values.shape[0], dtype=np.float64)[:, None], axis=0)
    places = np.argsort(np.argsort(drawn @ root(correlations(ranks)).T, axis=0, kind="stable"), axis=0)
    return np.take_along_axis(np.take_along_axis(values, order, axis=0), places, axis=0)


def correlations(ranks: Floats) -> Floats:
    """Give the correlations of normal numbers whose ranks are correlated as these are."""
    if ranks.shape[0] < 2:
        return np.eye(ranks.shape[1])
    found: Floats = 2 * np.sin(np.pi / 6 * np.atleast_2d(np.corrcoef(ranks, rowvar=False)))
    return found


def root(matrix: Floats) -> Floats:
    """Give a root of the nearest correlation matrix that has one."""
    values, vectors = np.linalg.eigh(matrix)
    found = vectors * np.sqrt(np.maximum(values, _LEAST))
    nearest: Floats = found / np.sqrt((found * found).sum(axis=1))[:, None]
    return nearest
