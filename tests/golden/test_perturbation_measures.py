"""Measures of changed values on the CASC "Census" data: three maskings without chance, and known numbers."""

import numpy as np
import pyarrow as pa
import pytest
from property.independent import columns_of

import shoal

MEASURES = {
    "il1s": shoal.measures.IL1s(),
    "wide": shoal.measures.IntervalDisclosure(),
    "narrow": shoal.measures.IntervalDisclosure(0.01),
    "ranks": shoal.measures.RankIntervalDisclosure(),
    "distance": shoal.measures.DistanceLinkage(),
    "eigen": shoal.measures.EigenvalueShift(),
    "correlations": shoal.measures.CorrelationShift(),
    "moves": shoal.measures.PermutationDistance(),
}
KNOWN = {
    "neighbours": {
        "il1s": 0.00416622, "wide": 0.910185, "narrow": 0.407407, "ranks": 1.0, "rank_cells": 1.0, "distance": 1.0,
        "eigen": 0.00137221, "correlations": 0.00150500, "largest_correlation": 0.00889958, "moves": 0.00092348,
        "farthest": 28,
    },
    "shift": {
        "il1s": 0.02828427, "wide": 1.0, "narrow": 0.0, "ranks": 0.229630, "rank_cells": 0.907123, "distance": 1.0,
        "eigen": 0.00237961, "correlations": 0.00142380, "largest_correlation": 0.00667948, "moves": 0.02029314,
        "farthest": 258,
    },
    "runs": {
        "il1s": 0.00555308, "wide": 0.864815, "narrow": 0.231481, "ranks": 0.963889, "rank_cells": 0.995798,
        "distance": 0.999074, "eigen": 0.00325268, "correlations": 0.00123007, "largest_correlation": 0.01396723,
        "moves": 0.00128799, "farthest": 4,
    },
}  # fmt: skip


def neighbours(values):
    """Exchange the lowest value of each column with the next, the third with the fourth, and so on."""
    found = values.copy()
    for j, order in enumerate(np.argsort(values, axis=0, kind="stable").T):
        first, second = order[0::2], order[1::2]
        found[first, j], found[second, j] = values[second, j], values[first, j]
    return found


def shifted(values):
    i, j = np.indices(values.shape)
    return values + 0.04 * values.std(axis=0, ddof=1) * (-1.0) ** (i + j)


def in_runs(values):
    """Put the mean of five values that follow each other in place of each; the last run takes the rest."""
    found = values.copy()
    for j, order in enumerate(np.argsort(values, axis=0, kind="stable").T):
        for run in np.split(order, np.arange(5, order.size - 5 + 1, 5)):
            found[run, j] = values[run, j].mean()
    return found


MASKINGS = {"neighbours": neighbours, "shift": shifted, "runs": in_runs}


@pytest.fixture(scope="module")
def census(public_file):
    path = public_file("census/census.csv")
    columns = columns_of(path)
    return path, list(columns), np.array([list(map(float, cells)) for cells in columns.values()]).T


@pytest.mark.parametrize("masking", KNOWN)
def test_measures_are_what_they_were_computed_to_be(census, masking):
    path, names, values = census
    changed = MASKINGS[masking](values)
    original = shoal.read(path, quasi=names)
    released = shoal.read(
        pa.table({name: changed[:, j] for j, name in enumerate(names)}),
        quasi=names, kinds=dict.fromkeys(names, "float"),
    )  # fmt: skip
    scores = shoal.score(original, released, measures=list(MEASURES.values()))
    found = dict(zip(MEASURES, (score.value for score in scores), strict=True))
    details = dict(zip(MEASURES, (score.detail for score in scores), strict=True))
    found["rank_cells"] = details["ranks"]["cells"]
    found["largest_correlation"] = details["correlations"]["largest"]
    found["farthest"] = details["moves"]["ranks"]
    # Shares are printed with six digits, all else with eight.
    assert found == pytest.approx(KNOWN[masking], abs=5.1e-7)
    for exact in ("il1s", "eigen", "correlations", "largest_correlation", "moves"):
        assert found[exact] == pytest.approx(KNOWN[masking][exact], abs=1e-7)
    if masking == "shift":
        assert found["il1s"] == pytest.approx(0.04 / 2**0.5, rel=1e-9)
    assert details["moves"]["largest"] == pytest.approx(found["farthest"] / 1079)
