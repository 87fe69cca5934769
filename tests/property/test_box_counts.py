"""Points in boxes, counted by dividing both, against each point and each box by itself."""

import numpy as np
import pytest

from shoal.populations import box_counts
from shoal.populations.box_counts import PlacedBoxes, count_inside


@pytest.mark.parametrize("pairs", [0, 20, 10**6])
@pytest.mark.parametrize("seed", range(8))
def test_counts_are_those_of_every_point_and_box(seed, pairs, monkeypatch):
    monkeypatch.setattr(box_counts, "_PAIRS", pairs)
    draw = np.random.default_rng(seed)
    m, values = int(draw.integers(1, 5)), int(draw.integers(1, 9))
    points = draw.integers(0, values, (int(draw.integers(1, 80)), m)).astype(np.int32)
    weights = draw.integers(1, 5, points.shape[0])
    number = int(draw.integers(1, 40))
    ends = np.sort(draw.integers(-1, values + 1, (2, number, m)), axis=0).astype(np.int32)
    low, high = ends
    cells, held = np.zeros((number, m), np.int32), {}
    if m > 1:  # the last column holds sets of places
        sets = draw.random((6, values)) < 0.5
        cells[:, -1] = draw.integers(0, 6, number)
        held[m - 1] = sets
        some = sets.any(axis=1)
        low[:, -1] = np.where(some, sets.argmax(axis=1), values)[cells[:, -1]]
        high[:, -1] = np.where(some, values - 1 - sets[:, ::-1].argmax(axis=1), -1)[cells[:, -1]]
    says = draw.random(number) < 0.7
    fits = np.array(
        [
            [
                all(
                    held[j][cells[box, j], point[j]] if j in held else low[box, j] <= point[j] <= high[box, j]
                    for j in range(m)
                )
                for point in points
            ]
            for box in range(number)
        ]
    )
    inside, strange = count_inside(points, weights, PlacedBoxes(low, high, cells, held), says)
    strangers = int(weights[strange].sum())
    assert inside.tolist() == (fits @ weights).tolist()
    assert strangers == int(weights[~fits[says].any(axis=0)].sum())
