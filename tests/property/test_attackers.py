"""Attackers counted person by person, and the model of Ewens by its own definition."""

import random
from collections import Counter

import numpy as np
import pytest
from engines.tiny import Tiny

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


@pytest.mark.parametrize("seed", range(10))
def test_a_table_of_the_population_is_counted_person_by_person(seed):
    draw = random.Random(seed)
    population = [(draw.randint(1, 5), draw.choice("abc"), draw.choice([0.5, 1.25])) for _ in range(40)]
    sample = draw.sample(population, draw.randint(1, 15))
    threshold = draw.choice([0.05, 0.2, 0.33, 0.5])
    tables = [
        shoal.read(_arrow(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))), quasi=list(names))
        for names, rows in (("xyz", sample), ("abc", population))
    ]
    found = shoal.risk(
        tables[0], threshold=threshold, population=tables[1], population_columns={"x": "a", "y": "b", "z": "c"}
    )  # fmt: skip
    for name, numbers in found_one_by_one(sample, population, threshold).items():
        assert list(found["attackers"][name].values()) == pytest.approx(list(numbers)), name
    alone = sum(population.count(person) == 1 for person in population)
    assert found["population_uniqueness"]["truth"] == alone / 40


@pytest.mark.parametrize("seed", range(6))
def test_a_release_is_filled_by_everybody_who_fits_its_cells(seed):
    draw = random.Random(seed)
    population = [(draw.randint(1, 9), draw.choice("abcd")) for _ in range(60)]
    sample = population[:20]
    tables = [
        shoal.read(_arrow({"x": [x for x, _ in rows], "y": [y for _, y in rows]}), quasi=["x", "y"])
        for rows in (sample, population)
    ]
    release = shoal.anonymize(tables[0], "mondrian", k=3)
    found = shoal.risk(release, population=tables[1])["attackers"]
    cells = list(zip(*(release.to_arrow(cells="text")[name].to_pylist() for name in "xy"), strict=True))
    fitting = [sum(fits(x, cell) and y in other for x, y in population) for cell, other in cells]
    assert found["journalist"]["highest"] == 1 / min(fitting)
    assert found["marketer"]["success"] == pytest.approx(sum(1 / people for people in fitting) / 20)


def fits(number, cell):
    low, _, high = cell.strip("[]").partition(";")
    return int(low) <= number <= int(high or low)


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


@pytest.mark.parametrize("released", [False, True])
def test_attackers_are_the_same_wherever_tables_are_held(released):
    draw = random.Random(7)
    population = [(draw.randint(1, 9), draw.choice("abcd"), draw.choice([1.5, 2.25])) for _ in range(80)]

    def found(engine):
        tables = [
            shoal.read(
                _arrow({"x": [x for x, _, _ in rows], "y": [y for _, y, _ in rows], "w": [w for _, _, w in rows]}),
                quasi=["x", "y"], weight="w", engine=engine,
            )
            for rows in (population[:30], population)
        ]  # fmt: skip
        table = shoal.anonymize(tables[0], "mondrian", k=3).table if released else tables[0]
        asked = ({"population": tables[1]}, {"population_size": 300}, {})
        return [
            {key: each[key] for key in ("attackers", "population_uniqueness")}
            for each in (shoal.risk(table, threshold=0.2, **more) for more in asked)
        ]

    assert found(Tiny()) == found(None)
