"""Promises about a population, against every node of a lattice and every person of the population, one by one."""

import itertools
import math
import random
from collections import Counter

import pyarrow as pa
import pytest
from engines.tiny import Tiny

import shoal
from shoal.errors import GuaranteeError
from shoal.methods import FullDomain
from shoal.models import DeltaPresence, KAnonymity, KMap, LDiversity, ReidentificationRisk, TCloseness

NAMES = ("x", "y", "z")


def drawn(seed, folder):
    """Draw people of a population with a tree over each attribute, and a table of some of them."""
    draw = random.Random(seed)
    trees, files = [], {}
    for name in NAMES:
        values = [f"{name}{i}" for i in range(draw.randint(2, 6))]
        rows = [[value, f"{name}{i // 2}*", "*"] for i, value in enumerate(values)]
        trees.append({row[0]: row for row in rows})
        files[name] = str(folder / f"{name}.csv")
        (folder / f"{name}.csv").write_text("".join(f"{';'.join(row)}\n" for row in rows), encoding="utf-8")
    population = [tuple(draw.choice(list(tree)) for tree in trees) for _ in range(draw.randint(20, 60))]
    sample = draw.sample(population, draw.randint(5, 20))
    tables = [
        shoal.read(pa.table(dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True))), quasi=NAMES,
                   hierarchies=files)
        for rows in (sample, population)
    ]  # fmt: skip
    return draw, trees, population, sample, tables


def classes_at(levels, trees, rows):
    """Give what each row shows at a node, and how often each is shown."""
    return Counter(
        tuple(tree[value][level] for tree, value, level in zip(trees, row, levels, strict=True)) for row in rows
    )


def least_height(trees, sample, population, broken, limit):
    """Look for the least sum of levels of a node with few enough records in classes that break a promise."""
    best = math.inf
    for levels in itertools.product(range(3), repeat=len(trees)):
        own, theirs = classes_at(levels, trees, sample), classes_at(levels, trees, population)
        if broken(own, theirs) <= limit * len(sample) + 1e-9:
            best = min(best, sum(levels))
    return best


def least_found(table, model, limit):
    try:
        release = shoal.anonymize(table, FullDomain(limit=limit, utility="height", aggregate="sum"), model, measures=[])
    except GuaranteeError:
        return math.inf
    assert release.holds, release.verdicts
    assert release.table.recoding["proven"]
    return release.table.recoding["loss"]


@pytest.mark.parametrize("seed", range(12))
def test_k_map_finds_the_lowest_levels(seed, tmp_path):
    draw, trees, population, sample, (table, everybody) = drawn(seed, tmp_path)
    k, limit = draw.randint(2, 9), draw.choice([0, 0.3])
    best = least_height(
        trees, sample, population,
        lambda own, theirs: sum(size for cells, size in own.items() if theirs[cells] < k), limit,
    )  # fmt: skip
    assert least_found(table, KMap(k, population=everybody), limit) == best


@pytest.mark.parametrize("seed", range(12))
def test_delta_presence_finds_the_lowest_levels(seed, tmp_path):
    draw, trees, population, sample, (table, everybody) = drawn(seed, tmp_path)
    most, least = draw.choice([0.4, 0.6, 0.9]), draw.choice([0.0, 0.05, 0.2])
    best = least_height(
        trees, sample, population,
        lambda own, theirs: sum(not least <= own[cells] / size <= most for cells, size in theirs.items()
                                if own[cells] or least), 0,
    )  # fmt: skip
    assert least_found(table, DeltaPresence(most, least, population=everybody), 0) == best


@pytest.mark.parametrize("seed", range(16))
def test_risks_find_the_lowest_levels(seed, tmp_path):
    draw, trees, population, sample, (table, everybody) = drawn(seed, tmp_path)
    highest, average, share = draw.choice([1, 0.2, 0.5]), draw.choice([None, 0.1, 0.3]), draw.choice([0, 0.2])
    if highest == 1:
        average, share = average or 0.2, 0
    outside = draw.random() < 0.5

    def broken(own, theirs):
        crowd = theirs if outside else own
        mean = sum(size / crowd[cells] for cells, size in own.items()) / len(sample)
        above = sum(size for cells, size in own.items() if 1 / crowd[cells] > highest)
        return int(mean > (average or 1) + 1e-9 or above > share * len(sample) + 1e-9)

    model = ReidentificationRisk(highest, average, share, population=everybody if outside else None)
    best = least_height(trees, sample, population, broken, 0)
    try:
        assert least_found(table, model, 0) == best
    except shoal.errors.ParameterError:
        assert best == math.inf


@pytest.mark.parametrize("seed", range(4))
def test_what_is_suppressed_keeps_a_risk_too(seed, tmp_path):
    _, _, _, _, (table, everybody) = drawn(seed, tmp_path)
    for model in (ReidentificationRisk(0.4, 0.3, 0.2), ReidentificationRisk(0.2, 0.15, population=everybody)):
        release = shoal.anonymize(table, FullDomain(limit=0.5), model, measures=[])
        assert release.holds
        cells = list(zip(*(release.to_arrow(cells="text")[name].to_pylist() for name in NAMES), strict=True))
        sizes = Counter(cells)
        if model.population is None:
            chances = sorted((1 / sizes[each] for each in cells), reverse=True)
            assert sum(chances) / len(chances) <= 0.3 + 1e-12
            assert chances[math.floor(0.2 * len(chances))] <= 0.4


@pytest.mark.parametrize("method", ["mondrian", "hilbert", "full-domain"])
@pytest.mark.parametrize("engine", [None, Tiny()], ids=["local", "disk"])
def test_methods_keep_k_map_on_every_engine(method, engine, tmp_path):
    draw = random.Random(3)
    population = [(draw.randint(1, 9), draw.choice("abcd")) for _ in range(90)]
    tables = [
        shoal.read(pa.table({"x": [x for x, _ in rows], "y": [y for _, y in rows]}), quasi=["x", "y"], engine=engine)
        for rows in (population[:30], population)
    ]
    model = KMap(6, population=tables[1])
    release = shoal.anonymize(tables[0], method, [KAnonymity(2), model], measures=[])
    assert release.holds
    cells = list(zip(*(release.to_arrow(cells="text")[name].to_pylist() for name in "xy"), strict=True))
    fitting = {cell: sum(fits(x, cell[0]) and fits(y, cell[1]) for x, y in population) for cell in set(cells)}
    assert release.verdicts[1].level == min(fitting.values()) >= 6


def fits(value, cell):
    if cell == "*":
        return True
    if cell[0] == "{":
        return value in cell
    low, _, high = cell.strip("[]").partition(";")
    return type(value)(low) <= value <= type(value)(high or low)


@pytest.mark.parametrize(
    ("alpha", "fraction", "truncated", "known"),
    [
        (0.05, 0.1, True, {5: 3, 11: 4, 20: 6, 100: 16}),
        (0.05, 0.1, False, {5: 3, 11: 4, 20: 6, 100: 16}),
        (0.05, 0.01, True, {5: 2, 11: 3, 100: 4}),
        (0.01, 0.1, True, {5: 4, 11: 5, 20: 7, 100: 19}),
    ],
)
def test_estimated_k_map_has_the_known_sizes(alpha, fraction, truncated, known):
    found = {k: KMap(k, alpha=alpha, fraction=fraction, truncated=truncated).least for k in known}
    assert found == known


def test_estimates_are_kept_by_all_methods():
    draw = random.Random(5)
    table = shoal.read(pa.table({"x": [draw.randint(1, 40) for _ in range(200)]}), quasi=["x"])
    for method in ("full-domain", "mondrian", "hilbert"):
        release = shoal.anonymize(table, method, [KAnonymity(2), KMap(20, alpha=0.05, fraction=0.1)], measures=[])
        assert release.verdicts[1].holds
        assert release.verdicts[1].level >= 6
        assert "estimated, alpha 0.05" in release.verdicts[1].convention


@pytest.mark.parametrize("method", ["hilbert", "mondrian", "layers", "full-domain"])
@pytest.mark.parametrize(
    "model", [KMap(20, alpha=0.05, fraction=0.1), ReidentificationRisk(0.2), ReidentificationRisk(1, 0.15)]
)
def test_promises_of_sizes_need_no_k_beside_them(method, model):
    draw = random.Random(5)
    table = shoal.read(pa.table({"x": [draw.randint(1, 40) for _ in range(200)]}), quasi=["x"])
    release = shoal.anonymize(table, method, model, measures=[])
    assert release.holds
    assert min(Counter(release.to_arrow(cells="text")["x"].to_pylist()).values()) >= min(model.least_class, 4)


@pytest.mark.parametrize("seed", range(16))
def test_several_promises_beside_those_of_secrets_find_the_lowest_levels(seed, tmp_path):
    """All nodes of the lattice, with every promise counted on every class of each."""
    draw, trees, population, sample, (_, everybody) = drawn(seed, tmp_path)
    secrets = [draw.choice("uvw") for _ in sample]
    columns = dict(zip(NAMES, map(list, zip(*sample, strict=True)), strict=True))
    files = {name: str(tmp_path / f"{name}.csv") for name in NAMES}
    table = shoal.read(pa.table({**columns, "s": secrets}), quasi=NAMES, sensitive=["s"], hierarchies=files)
    k, most, highest = draw.choice([2, 3, 5]), draw.choice([0.6, 0.9, 1.0]), draw.choice([0.5, 0.34])
    average, t, whole = draw.choice([0.3, 0.5]), draw.choice([0.3, 0.5, 0.7]), Counter(secrets)
    models = [
        KMap(k, population=everybody), DeltaPresence(most, population=everybody), LDiversity(2, column="s"),
        ReidentificationRisk(highest, average, population=everybody), TCloseness(t, column="s"),
    ]  # fmt: skip
    models = draw.sample(models, draw.randint(2, 5))
    names = {model.name for model in models}

    def apart(found):
        size = sum(found.values())
        return sum(abs(found[each] / size - number / len(sample)) for each, number in whole.items()) / 2

    best = math.inf
    for levels in itertools.product(range(3), repeat=len(trees)):
        own, theirs = classes_at(levels, trees, sample), classes_at(levels, trees, population)
        held = {cells: Counter() for cells in own}
        for row, secret in zip(sample, secrets, strict=True):
            held[next(iter(classes_at(levels, trees, [row])))][secret] += 1
        mean = sum(size / theirs[cells] for cells, size in own.items()) / len(sample)
        kept = {
            "k-map": all(theirs[cells] >= k for cells in own),
            "delta-presence": all(size <= most * theirs[cells] + 1e-12 for cells, size in own.items()),
            "reidentification-risk": all(1 / theirs[cells] <= highest for cells in own) and mean <= average + 1e-12,
            "l-diversity": all(len(found) >= 2 for found in held.values()),
            "t-closeness": all(apart(found) <= t + 1e-12 for found in held.values()),
        }
        if all(kept[name] for name in names):
            best = min(best, sum(levels))
    assert least_found(table, models, 0) == best
