"""Attackers counted person by person, and the model of Ewens by its own definition."""

import random
from collections import Counter

import numpy as np
import pytest

import shoal
from shoal.measures.reidentification.population_uniqueness import SampledClasses, pitman, pitman_parameters


def found_one_by_one(sample, population, threshold):
    """Count each record by itself, against each person of the population by itself."""
    own, theirs = ([sum(other == record for other in people) for record in sample] for people in (sample, population))
    n = len(sample)
    seen = [person for person in population if person in sample]

    def of(sizes):
        return max(1 / size for size in sizes), sum(1 / size > threshold for size in sizes) / n

    marketer = sum(1 / size for size in theirs) / n
    classes = len(set(sample))
    return {
        "prosecutor": (*of(own), classes / n),
        "journalist": (*of(theirs), max(classes / len(seen), marketer)),
        "marketer": (marketer,),
    }


@pytest.mark.parametrize("seed", range(20))
def test_attackers_are_those_counted_one_by_one(seed):
    draw = random.Random(seed)
    sample = [(draw.randint(1, 4), draw.choice("ab")) for _ in range(draw.randint(1, 25))]
    times, threshold = draw.randint(1, 5), draw.choice([0.05, 0.09, 0.2, 0.33, 0.5, 1.0])
    frame = {"x": [x for x, _ in sample], "y": [y for _, y in sample]}
    found = shoal.risk(
        shoal.read(_arrow(frame), quasi=["x", "y"]), threshold=threshold, sampling_fraction=1 / times
    )["attackers"]  # fmt: skip
    expected = found_one_by_one(sample, sample * times, threshold)
    for name, numbers in expected.items():
        assert list(found[name].values()) == pytest.approx(list(numbers)), name


def _arrow(columns):
    import pyarrow as pa

    return pa.table(columns)


@pytest.mark.parametrize("sizes", [[1, 3], [1, 1, 1, 5, 9], [1, 4, 4, 4, 4, 30], [1] * 50 + [3]])
def test_without_pairs_pitmans_model_is_that_of_ewens(sizes):
    sample = SampledClasses.of(np.array(sizes), 10_000)
    theta, alpha = pitman_parameters(sample)
    assert alpha == 0
    assert sum(theta / (theta + i) for i in range(sum(sizes))) == pytest.approx(len(sizes))
    assert pitman(sample) == pytest.approx(theta)


def test_nobody_alone_stays_nobody():
    sample = SampledClasses.counted(Counter({2: 3, 5: 1}), 1000)
    assert pitman(sample) == 0
