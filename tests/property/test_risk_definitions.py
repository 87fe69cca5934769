"""The definitions of population risk, written down once more and counted record by record on small random tables.

Ties, missing cells, weights, thresholds that a class meets exactly, one record, and samples that are everybody come up.
"""

import itertools
import math
import random
from collections import Counter, defaultdict
from decimal import Decimal, getcontext
from fractions import Fraction

import pyarrow as pa
import pytest

import shoal
from shoal.models import KMap

THRESHOLDS = ("0.05", "0.09", "0.1", "0.2", "0.25", "0.33", "0.5", "1.0")


def drawn(seed):
    """Draw a population, a sample of it with weights and households, and a threshold."""
    draw = random.Random(seed)
    domains = [draw.randint(1, 5) for _ in range(draw.randint(1, 4))]
    absent = 0.1 if draw.random() < 0.4 else 0.0
    people = [
        (0,) * len(domains),  # no column is empty
        *(tuple(None if draw.random() < absent else draw.randrange(d) for d in domains) for _ in range(39)),
    ][: draw.randint(1, 40)]
    size = draw.choice([1, len(people), draw.randint(1, len(people))])
    sample = [people[0], *draw.sample(people[1:], size - 1)]
    weights = [draw.choice([0.0, 0.3, 1.0, 2.0, 3.5, 100.0, 1.25]) for _ in sample]
    households = [draw.randint(1, max(1, size // 2)) for _ in sample]
    return people, sample, weights, households, draw.choice(THRESHOLDS)


def columns(rows):
    return {f"c{j}": pa.array([row[j] for row in rows], pa.int64()) for j in range(len(rows[0]))}


def asked(seed):
    people, sample, weights, households, threshold = drawn(seed)
    table = pa.table({**columns(sample), "w": weights, "h": households})
    names = [f"c{j}" for j in range(len(people[0]))]
    found = shoal.risk(
        table, quasi=names, weight="w", household="h", population=pa.table(columns(people)),
        threshold=float(threshold), suda=True, screen=True,
    )  # fmt: skip
    return people, sample, weights, households, Fraction(threshold), names, found


@pytest.mark.parametrize("seed", range(20))
def test_three_attackers(seed):
    people, sample, _, _, threshold, _, found = asked(seed)
    own, everybody, n = Counter(sample), Counter(people), len(sample)

    def at_risk(crowd):
        return sum(size for cells, size in own.items() if Fraction(1, crowd[cells]) > threshold) / n

    marketer = sum(size / everybody[cells] for cells, size in own.items()) / n
    expected = {
        "prosecutor": {"highest": 1 / min(own.values()), "at_risk": at_risk(own), "success": len(own) / n},
        "journalist": {
            "highest": 1 / min(everybody[cells] for cells in own), "at_risk": at_risk(everybody),
            "success": max(len(own) / sum(everybody[cells] for cells in own), marketer),
        },
        "marketer": {"success": marketer},
    }  # fmt: skip
    for who, numbers in expected.items():
        assert found["attackers"][who] == pytest.approx(numbers, rel=1e-12)
    alone = sum(size == 1 for size in everybody.values())
    assert found["population_uniqueness"]["truth"] == pytest.approx(alone / len(people))


@pytest.mark.parametrize("seed", range(20))
def test_attackers_look_for_people_where_a_column_tells_them_apart(seed):
    people, sample, _, _, threshold, *_ = asked(seed)
    draw = random.Random(seed)
    who = [draw.randrange(max(1, len(sample) // 2)) for _ in sample]
    table = pa.table({**columns(sample), "who": who})
    names = [f"c{j}" for j in range(len(people[0]))]

    def attacked(**population):
        return shoal.risk(table, quasi=names, subject="who", threshold=float(threshold), **population)

    crowd = defaultdict(set)
    for cells, person in zip(sample, who, strict=True):
        crowd[cells].add(person)
    own, here = {cells: len(persons) for cells, persons in crowd.items()}, len(set(who))
    in_groups = sum(own.values())
    found = attacked(population_size=2 * here)
    assert found["of_one_person"] == sum(1 for cells in sample if own[cells] == 1)
    assert found["fewest_people"] == min(own.values())
    assert found["person_reidentification"] == pytest.approx(len(own) / in_groups, rel=1e-12)
    prosecutor, journalist = found["attackers"]["prosecutor"], found["attackers"]["journalist"]
    assert prosecutor["highest"] == pytest.approx(1 / min(own.values()), rel=1e-12)
    risky = sum(size for size in own.values() if Fraction(1, size) > threshold) / in_groups
    assert prosecutor["at_risk"] == pytest.approx(risky, rel=1e-12)
    assert prosecutor["success"] == found["person_reidentification"]
    assert journalist["highest"] == pytest.approx(1 / (2 * min(own.values())), rel=1e-12)
    assert found["population_uniqueness"] == shoal.risk(
        pa.table(columns([cells for cells, size in own.items() for _ in range(size)])), quasi=names,
        population_size=2 * in_groups,
    )["population_uniqueness"]  # fmt: skip

    everybody = pa.table({**columns([*sample, *people]), "who": [*who, *range(100, 100 + len(people))]})
    there = defaultdict(set)
    for cells, person in zip([*sample, *people], everybody["who"].to_pylist(), strict=True):
        there[cells].add(person)
    journalist = attacked(population=everybody)["attackers"]["journalist"]
    assert journalist["highest"] == pytest.approx(1 / min(len(there[cells]) for cells in own), rel=1e-12)
    mean = sum(size / len(there[cells]) for cells, size in own.items()) / in_groups
    assert journalist["success"] == pytest.approx(
        max(len(own) / sum(len(there[cells]) for cells in own), mean), rel=1e-12
    )
    found = attacked(population=everybody.drop_columns("who"))["attackers"]
    assert found["prosecutor"] == prosecutor
    nameless = found["journalist"]
    rows = Counter([*sample, *people])
    assert nameless["highest"] == pytest.approx(1 / min(rows[cells] for cells in own), rel=1e-12)


@pytest.mark.parametrize("records", [1, 7, 14, 17, 28])
def test_an_expected_number_of_people_that_meets_a_threshold_is_not_above_it(records):
    """7 / 0.28 is a little less than 25, which one in 25 is not."""
    table = pa.table({"a": [1] * records})
    for percent in range(1, 101):
        people = Fraction(records) / Fraction(percent, 100)
        for threshold in ("0.01", "0.02", "0.04", "0.05", "0.2", "0.25"):
            found = shoal.measures.AttackerRisk(attacker="journalist", threshold=threshold, fraction=percent / 100)
            score = found.formula(Counter({records: 1}))
            assert score.detail["at_risk"] == (1 / people > Fraction(threshold)), (percent, threshold)
    found = shoal.risk(table, quasi="a", population_size=25 * records, threshold=0.04)["attackers"]
    assert found["journalist"]["at_risk"] == (records == 0)


def chance_of_a_match(records, people):
    """Give the mean of one in F by its recursion, with so many digits that none are lost."""
    f, people = int(records), Decimal(people)
    if f >= people:
        return Decimal(1) / f
    p = f / people
    odds = p / (1 - p)
    found = odds * (1 / p).ln()
    for size in range(2, f + 1):
        found = odds * (Decimal(1) / (size - 1) - found)
    return found


@pytest.mark.parametrize("seed", range(20))
def test_individual_and_household_risk(seed):
    _, sample, weights, households, _, _, found = asked(seed)
    getcontext().prec = 120

    def alike(one, other):
        return all(a is None or b is None or a == b for a, b in zip(one, other, strict=True))

    risks, safe = [], defaultdict(lambda: Decimal(1))
    for one, household in zip(sample, households, strict=True):
        here = [weight for other, weight in zip(sample, weights, strict=True) if alike(one, other)]
        risks.append(chance_of_a_match(len(here), sum(map(Decimal, here))))
        safe[household] *= 1 - risks[-1]
    expected = {
        "expected": sum(risks), "highest": max(risks), "household_expected": sum(1 - safe[each] for each in households),
    }  # fmt: skip
    for name, number in expected.items():
        assert found["individual_risk"][name] == pytest.approx(float(number), rel=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_special_uniques_and_screening(seed):
    _, sample, _, _, _, names, found = asked(seed)
    every = [some for size in range(1, len(names) + 1) for some in itertools.combinations(range(len(names)), size)]
    counts = {some: Counter(tuple(row[j] for j in some) for row in sample) for some in every}
    scores, contributed, n = [], Counter(), len(sample)
    for row in sample:
        minimal = []
        for some in every:
            if counts[some][tuple(row[j] for j in some)] == 1 and not any(set(m) <= set(some) for m in minimal):
                minimal.append(some)
        worth = {some: math.prod(len(names) - s for s in range(len(some), len(names))) for some in minimal}
        scores.append(sum(worth.values()))
        for some, weight in worth.items():
            contributed.update({names[j]: weight for j in some})
    special, total = [score for score in scores if score], sum(scores)
    sizes = Counter(sample).values()
    alone, pairs = sum(size == 1 for size in sizes), sum(size for size in sizes if size == 2)
    power = 1 + (8 - len(names)) / 20
    matched = 1.0 if not pairs else alone * 0.01 / (alone * 0.01 + pairs * 0.99)
    spread = sum(score**-power for score in special)
    dis = sum(1 / (1 + (alone / matched - alone) / (score**power * spread)) for score in special)
    suda = found["suda"]
    assert (suda["records"], suda["total"], suda["largest"]) == (len(special), total, max(scores))
    assert suda["dis_sum"] == pytest.approx(dis, rel=1e-9)
    assert suda["contributions"] == pytest.approx(
        {name: 100 * contributed[name] / total if total else 0.0 for name in names}
    )
    for one in found["screening"]["sets"]:
        here = counts[tuple(names.index(name) for name in one["columns"])].values()
        assert one["distinction"] == pytest.approx(len(here) / n)
        assert one["uniqueness"] == pytest.approx(sum(size == 1 for size in here) / n)
        if n > 1:
            assert one["separation"] == pytest.approx(1 - sum(size * (size - 1) for size in here) / (n * (n - 1)))


@pytest.mark.parametrize("truncated", [True, False])
def test_estimated_sizes_by_adding_up_chances(truncated):
    for k, fraction, alpha in itertools.product((2, 7, 40, 300), (0.02, 0.3, 0.9), (0.3, 0.05, 0.001)):
        mean, chances = fraction * k, []
        for size in range(k + 1):
            chances.append(math.exp(size * math.log(mean) - mean - math.lgamma(size + 1)))
        if truncated:
            chances = [0.0, *(chance / -math.expm1(-mean) for chance in chances[1:])]
        least = next((c for c in range(k + 1) if math.fsum(chances[: c + 1]) >= 1 - alpha), k)
        assert KMap(k, alpha=alpha, fraction=fraction, truncated=truncated).least == min(k, least + 1)


def test_estimated_sizes_of_large_crowds_are_still_below_them():
    """The chance of none at all is too small for a float there."""
    assert 1000 < KMap(10_000, alpha=0.05, fraction=0.1).least < 1100
