"""Values for masked cells that go with the rest of their records, each value as often as it is given.

Columns are completed one after the other, those with the fewest masked cells first. The cells of a column are sorted
by the range that they still show and by their context, a few other columns that say most about it. How often each
value should occur in each context is what complete records say, fitted to the given counts by iterative proportional
fitting (Deming and Stephan, 1940), and then rounded to whole numbers that keep both margins.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Floats, Integers, Positions
from shoal.engines.values import Spans
from shoal.kernels import MISSING, TOP
from shoal.kernels.grouping import numbered
from shoal.kernels.radix import order_by_integers

_BINS = 64  # of a context column
_CONTEXTS = 4096
_SAMPLE = 200_000  # complete records from which the context is chosen
_PRIOR = 4.0  # how many records the overall shares of values weigh in each context
_ROUNDS = 50


def impute_jointly(rows: Spans, exact: Positions, holes: NDArray[np.bool_], draw: np.random.Generator) -> Positions:
    """Assign the values in the masked cells of each column anew, in keeping with the other columns.

    Parameters
    ----------
    rows
        The masked records: what each cell still shows.
    exact
        A value for every cell; the masked cells of a column hold the values to assign.
    holes
        Which cells are masked.
    draw
        Where random numbers come from.
    """
    imputed = exact.copy()
    width = exact.shape[1]
    order = sorted(range(width), key=lambda j: int(holes[:, j].sum()))
    bins = {j: _binned(imputed[:, j]) for j in order if not holes[:, j].any()}
    for j in order[len(bins) :]:
        empty = np.flatnonzero(holes[:, j])
        known = np.flatnonzero(~holes[:, j] & (imputed[:, j] != MISSING))
        context = _context(bins, _binned(imputed[:, j])[0], known, draw)
        values, counts = np.unique(exact[empty, j], return_counts=True)
        expected = _expected_shares(context[known], imputed[known, j], values)
        imputed[empty, j] = _assign(
            rows.lo[empty, j], rows.hi[empty, j], context[empty], values, counts, expected, draw
        )
        bins[j] = _binned(imputed[:, j])
    return imputed


def _binned(column: Positions) -> tuple[Integers, int]:
    """Number the values of a column, neighbours together where there are many; also give how many numbers there are."""
    values, places = numbered(column)
    if values.size <= _BINS:
        return places, values.size
    counts = np.bincount(places)
    middle = (np.cumsum(counts) - counts / 2) / column.size
    return (middle * _BINS).astype(np.int64)[places], _BINS


def _context(
    bins: Mapping[int, tuple[Integers, int]], target: Integers, known: Integers, draw: np.random.Generator
) -> Integers:
    """Choose the columns that say most about a target, one after the other, and number their combinations."""
    few = known if known.size <= _SAMPLE else draw.choice(known, _SAMPLE, replace=False)
    context, size = np.zeros(target.size, np.int64), 1
    left = set(bins)
    best = 0.0
    while left and few.size:
        room = _CONTEXTS // size
        widths = {other: min(bins[other][1], room) for other in sorted(left)}
        trials = {
            other: _information(context[few] * width + _narrowed(bins[other], width)[few], target[few])
            for other, width in widths.items()
            if width > 1
        }
        chosen = max(trials, key=lambda other: trials[other], default=None)
        if chosen is None or trials[chosen] <= best * 1.02:
            break
        best = trials[chosen]
        finer = context * widths[chosen] + _narrowed(bins[chosen], widths[chosen])
        values, context = numbered(finer)
        size = values.size
        left.remove(chosen)
    return context


def _narrowed(bins: tuple[Integers, int], width: int) -> Integers:
    return bins[0] if bins[1] <= width else bins[0] * width // bins[1]


def _information(context: Integers, target: Integers) -> float:
    """Give what a context says about a column, in nats, less what it would seem to say by chance."""
    pairs = np.unique(context * (int(target.max()) + 1) + target, return_counts=True)[1]
    parts = np.unique(context, return_counts=True)[1]
    whole = np.unique(target, return_counts=True)[1]
    n = target.size

    def surprise(counts: Integers) -> float:
        return float(np.log(n) - (counts * np.log(counts)).sum() / n)

    chance = (pairs.size - parts.size - whole.size + 1) / (2 * n)
    # The last digits of a logarithm depend on the processor: columns that say equally much shall do so everywhere.
    return round(float(surprise(parts) + surprise(whole) - surprise(pairs) - chance), 9)


def _expected_shares(context: Integers, value: Positions, values: Positions) -> dict[int, Floats]:
    """Give the shares of values in each context of the complete records; values that do not occur are left out."""
    place = np.searchsorted(values, value)
    inside = place < values.size
    inside[inside] = values[place[inside]] == value[inside]
    context, place = context[inside], place[inside]
    overall = np.bincount(place, minlength=values.size) + 1.0
    overall = (overall / overall.sum()).astype(np.float64)
    order = np.argsort(context, kind="stable")
    found, starts = np.unique(context[order], return_index=True)
    expected: dict[int, Floats] = {-1: overall}
    ends = [*starts[1:].tolist(), place.size]
    for number, start, end in zip(found.tolist(), starts.tolist(), ends[: found.size], strict=True):
        mine = place[order[start:end]]
        counts = np.bincount(mine, minlength=values.size)
        expected[number] = ((counts + _PRIOR * overall) / (mine.size + _PRIOR)).astype(np.float64)
    return expected


def _assign(
    lo: Positions, hi: Positions, context: Integers, values: Positions, counts: Integers, expected: dict[int, Floats],
    draw: np.random.Generator,
) -> Positions:  # fmt: skip
    """Assign values to cells: within the ranges of cells as far as the counts allow, by context inside a range."""
    imputed = np.empty(lo.size, np.int32)
    left = counts.copy()
    # A wildcard is wider than any range, so that it chooses last.
    shown = hi != TOP
    low = np.where(shown, lo, min(int(values[0]), int(lo[shown].min(initial=values[0]))) - 1)
    high = np.where(shown, hi, max(int(values[-1]), int(hi[shown].max(initial=values[-1]))) + 1)
    lows, low_at = numbered(low)
    highs, high_at = numbered(high)
    spans, which = numbered(low_at * highs.size + high_at)
    low, high = lows[spans // highs.size], highs[spans % highs.size]
    # Cells stand in a random order inside their range and context, so that who gets which value is chance.
    mixed = draw.permutation(lo.size)
    _, sorted_by = numbered(which * (int(context.max()) + 1) + context)
    order = mixed[order_by_integers(sorted_by[mixed].astype(np.int32))]
    bounds = np.searchsorted(which[order], np.arange(spans.size + 1))
    unserved = []
    for s in np.argsort(high.astype(np.int64) - low, kind="stable"):  # narrow ranges choose first
        cells = order[bounds[s] : bounds[s + 1]]
        first, last = np.searchsorted(values, low[s]), np.searchsorted(values, high[s], side="right")
        offered = left[first:last]
        taken = min(cells.size, int(offered.sum()))
        share = draw.multivariate_hypergeometric(offered, taken, method="marginals") if taken else offered * 0
        left[first:last] -= share
        here = cells if taken == cells.size else np.sort(draw.permutation(cells.size)[:taken])
        served = cells if taken == cells.size else cells[here]
        if taken:
            imputed[served] = values[first:last][_by_context(context[served], share, expected, slice(first, last))]
        if taken < cells.size:
            unserved.append(np.setdiff1d(cells, served, assume_unique=True))
    if unserved:  # counts that do not fit the ranges: every value is still used as often as it is given
        imputed[np.concatenate(unserved)] = draw.permutation(np.repeat(values, left))
    return imputed


def _by_context(context: Integers, share: Integers, expected: dict[int, Floats], part: slice) -> Integers:
    """Give a place among the values to each cell; cells are sorted by context."""
    used = np.flatnonzero(share)
    numbers, sizes = np.unique(context, return_counts=True)
    target = np.stack([expected.get(number, expected[-1])[part][used] for number in numbers.tolist()])
    for _ in range(_ROUNDS):
        target *= (sizes / target.sum(axis=1))[:, None]
        target *= share[used] / target.sum(axis=0)
    left = share[used].copy()
    carry = np.zeros(used.size)
    imputed = []
    for row, size in zip(target, sizes.tolist(), strict=True):
        whole, carry = _rounded(row + carry, size, left)
        left -= whole
        imputed.append(np.repeat(used, whole))
    return np.concatenate(imputed)


def _rounded(expected: Floats, size: int, left: Integers) -> tuple[Integers, Floats]:
    """Round to whole numbers with a given sum, none above what is left; also give what each value is still owed."""
    whole = np.clip(np.floor(expected).astype(np.int64), 0, left)
    while (lacking := size - int(whole.sum())) != 0:
        owed = expected - whole
        if lacking > 0:
            open_to = np.flatnonzero(whole < left)
            chosen = open_to[np.argsort(-owed[open_to], kind="stable")[:lacking]]
            whole[chosen] += 1
        else:
            open_to = np.flatnonzero(whole > 0)
            chosen = open_to[np.argsort(owed[open_to], kind="stable")[:-lacking]]
            whole[chosen] -= 1
    return whole, expected - whole
