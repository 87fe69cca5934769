"""The best way to hide cells of a few records: over all divisions into classes of k or more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.arrays import Floats
from shoal.errors import GuaranteeError
from shoal.methods.hiding.crowd_search import Lots, Records

FEW = 11  # records: three to this power are the steps that it takes

_Price = tuple[float, float]  # what hidden cells cost, and of equals how much of it matters


def best_division(records: Records, k: int, costs: Floats, importance: Sequence[float]) -> Lots:
    """Divide a few records into classes so that the cells in which they differ cost least, and hide these.

    A class of 2k or more can be divided without hiding more. So sets of k to 2k - 1 records are priced, and the best
    division of every set of records is that of one with its first record, and of what is left.
    """
    units = np.repeat(np.arange(records.counts.size), records.counts)
    rows, strata = records.codes[units].tolist(), records.strata[units].tolist()
    whole = (1 << units.size) - 1
    prices, patterns = _priced(rows, strata, k, costs.tolist(), importance)
    best: dict[int, tuple[_Price, int]] = {0: ((0.0, 0.0), 0)}
    for some in range(1, whole + 1):
        first, found = some & -some, None
        part = some
        while part:
            rest = best.get(some ^ part)
            if part & first and rest is not None and part in prices:
                price = prices[part][0] + rest[0][0], prices[part][1] + rest[0][1]
                found = (price, part) if found is None or price < found[0] else found
            part = part - 1 & some
        if found is not None:
            best[some] = found
    if whole not in best:
        raise GuaranteeError(
            f"k = {k} cannot be reached by hiding cells: too few records belong together.",
            "Ask for a smaller k, or for fewer strata.",
        )
    masks, some = np.empty(units.size, np.int64), whole
    while some:
        part = best[some][1]
        masks[[i for i in range(units.size) if part >> i & 1]] = patterns[part]
        some ^= part
    return Lots(units, masks, np.ones(units.size, np.int64)).merged()


def _priced(
    rows: list[list[int]], strata: list[int], k: int, costs: list[float], importance: Sequence[float]
) -> tuple[dict[int, _Price], dict[int, int]]:
    """Price each set of k to 2k - 1 records of one stratum, and say in which columns they differ."""
    prices: dict[int, _Price] = {}
    patterns: dict[int, int] = {}
    for some in range(1, 1 << len(rows)):
        size = some.bit_count()
        if not k <= size < 2 * k:
            continue
        mine = [i for i in range(len(rows)) if some >> i & 1]
        if len({strata[i] for i in mine}) > 1:
            continue
        differing = [j for j in range(len(costs)) if len({rows[i][j] for i in mine}) > 1]
        prices[some] = size * sum(costs[j] for j in differing), -size * float(sum(importance[j] for j in differing))
        patterns[some] = sum(1 << j for j in differing)
    return prices, patterns
