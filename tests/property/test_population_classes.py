"""Methods that form classes keep promises about a population by classes of it: brute force over small random tables."""

import math
import random
from collections import Counter

import pyarrow as pa
import pytest
from engines.tiny import Tiny
from released_cells import TREE, holds, shown

import shoal
from shoal.models import DeltaPresence, KAnonymity, KMap, LDiversity, ReidentificationRisk, check

METHODS = ("hilbert", "mondrian", "mdav", "v-mdav", "sorted-clusters", "layers")
NAMES = ("x", "y", "z")


def drawn(seed, share=0.4):
    """Draw a population of numbers, categories and nodes of a tree, some cells missing, and a part of it."""
    draw = random.Random(seed)
    people = [
        (draw.choice([None, *range(8)]) if draw.random() < 0.2 else draw.randint(0, 7), draw.choice("pqr"),
         draw.choice("abcd"), draw.choice("uvw"))
        for _ in range(draw.randint(24, 60))
    ]  # fmt: skip
    return people, draw.sample(people, max(6, int(share * len(people))))


def read(rows, folder, *, tree=True, engine=None, secret=False):
    columns = dict(zip((*NAMES, "s"), map(list, zip(*rows, strict=True)), strict=True))
    if not secret:
        del columns["s"]
    (folder / "z.csv").write_text("".join(f"{';'.join(row)}\n" for row in TREE.values()), encoding="utf-8")
    return shoal.read(
        pa.table(columns), quasi=NAMES, hierarchies={"z": str(folder / "z.csv")} if tree else {}, engine=engine,
        sensitive=["s"] if secret else [],
    )  # fmt: skip


def fitting(cells, people):
    return sum(all(holds(cell, value) for cell, value in zip(cells, row, strict=False)) for row in people)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(6))
def test_a_class_fits_k_people_and_holds_its_records(method, seed, tmp_path):
    people, some = drawn(seed)
    k = random.Random(seed).randint(2, 7)
    table, everybody = read(some, tmp_path), read(people, tmp_path)
    release = shoal.anonymize(table, method, KMap(k, population=everybody), measures=[])
    assert release.holds
    cells = shown(release.table, NAMES)
    assert all(holds(cell, value) for row, true in zip(cells, some, strict=True)
               for cell, value in zip(row, true, strict=False))  # fmt: skip
    assert min(fitting(row, people) for row in set(cells)) == release.verdicts[0].level >= k


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(3))
def test_where_the_population_is_the_table_k_map_is_k_anonymity(method, seed, tmp_path):
    people, _ = drawn(seed)
    table = read(people, tmp_path)
    release = shoal.anonymize(table, method, KMap(4, population=table), measures=[])
    assert check(release.table, KAnonymity(4))[0].holds


@pytest.mark.parametrize("method", ["hilbert", "mondrian"])
@pytest.mark.parametrize("seed", range(6))
def test_shares_and_risks_are_kept_beside_promises_about_the_table(method, seed, tmp_path):
    people, some = drawn(seed)
    table, everybody = read(some, tmp_path, secret=True), read(people, tmp_path)
    draw = random.Random(seed)
    most, highest, average = draw.choice([0.5, 0.7]), draw.choice([0.5, 0.25]), draw.choice([0.2, 0.3])
    about = [
        DeltaPresence(most, population=everybody),
        ReidentificationRisk(highest, average, population=everybody),
        KMap(3, population=everybody),
    ]
    release = shoal.anonymize(table, method, [*about, LDiversity(2, column="s")], measures=[])
    assert release.holds, release.verdicts
    cells = shown(release.table, NAMES)
    sizes, fit = Counter(cells), {row: fitting(row, people) for row in set(cells)}
    assert all(sizes[row] <= most * fit[row] + 1e-9 for row in fit)
    assert max(1 / fit[row] for row in fit) <= highest
    assert math.fsum(1 / fit[row] for row in cells) / len(cells) <= average + 1e-9
    for row in fit:
        assert len({one[3] for one, cell in zip(some, cells, strict=True) if cell == row}) >= 2


@pytest.mark.parametrize("seed", range(4))
def test_k_anonymity_beside_k_map_is_kept_and_costs_no_more_than_a_larger_k(seed, tmp_path):
    people, some = drawn(seed)
    table, everybody = read(some, tmp_path, tree=False), read(people, tmp_path, tree=False)
    both = shoal.anonymize(table, "hilbert", [KAnonymity(2), KMap(5, population=everybody)], measures=["il1s"])
    larger = shoal.anonymize(table, "hilbert", [KAnonymity(5)], measures=["il1s"])
    assert both.holds
    assert min(Counter(shown(both.table, NAMES)).values()) >= 2
    assert both.scores["il1s"].value <= larger.scores["il1s"].value + 1e-9


@pytest.mark.parametrize("method", ["hilbert", "mondrian", "layers"])
def test_classes_of_a_population_are_the_same_on_every_engine(method, tmp_path):
    people, some = drawn(11)
    found = []
    for engine in (None, Tiny()):
        table, everybody = (read(rows, tmp_path, engine=engine) for rows in (some, people))
        found.append(shown(shoal.anonymize(table, method, KMap(4, population=everybody), measures=[]).table, NAMES))
    assert found[0] == found[1]


def test_a_larger_population_costs_less():
    draw = random.Random(7)
    people = [(draw.randint(1, 60), draw.choice("abcdef")) for _ in range(3000)]
    table, *populations = (
        shoal.read(pa.table({"x": [x for x, _ in rows], "y": [y for _, y in rows]}), quasi=["x", "y"])
        for rows in (people[:300], people[:300], people[:900], people)
    )
    losses = [
        shoal.anonymize(table, "hilbert", KMap(6, population=each), measures=["granularity"])
        .scores["granularity"]
        .value
        for each in populations
    ]
    assert losses == sorted(losses, reverse=True)
    assert losses[2] < 0.5 * losses[0]


def test_a_population_that_does_not_hold_the_table_is_refused(tmp_path):
    people, some = drawn(1)
    everybody = read([row for row in people if row[:3] != some[0][:3]], tmp_path)
    with pytest.raises(shoal.errors.DataError, match="more records than its population has people"):
        shoal.anonymize(read(some, tmp_path), "hilbert", KMap(3, population=everybody), measures=[])


def named(letters):
    return shoal.read(pa.table({"y": list(letters)}), quasi=["y"], kinds={"y": "category"}, masked=True)


@pytest.mark.parametrize("method", ["hilbert", "mondrian", "mdav", "sorted-clusters"])
@pytest.mark.parametrize("k", [2, 4, 6, 12])
def test_a_release_of_nothing_but_categories_and_sets_of_them_is_filled(method, k):
    """A set has one place on its axis, as a category has: it is no single value for that."""
    people = "aaabbbbbccdd"
    release = shoal.anonymize(named(people[1:9]), method, KMap(k, population=named(people)), measures=[])
    cells = {cell for (cell,) in shown(release.table, ["y"])}
    assert release.holds
    assert release.verdicts[0].level == min(sum(holds(cell, each) for each in people) for cell in cells)


def test_sets_are_no_values_of_a_population():
    letters = ["a", "b", "{a;b}", "c"]
    with pytest.raises(shoal.errors.ParameterError, match="ranges or sets in the place of values"):
        check(named(["{b;c}", "{b;c}"]), KMap(2, population=named(letters)))
    for method in ("hilbert", "full-domain"):
        with pytest.raises(shoal.errors.ParameterError, match=r"ranges or sets|several values"):
            shoal.anonymize(named("ab"), method, KMap(2, population=named(letters)), measures=[])
    with pytest.raises(shoal.errors.ParameterError, match="ranges or sets already"):
        shoal.anonymize(named(letters), "hilbert", KMap(2, population=named("abcab")), measures=[])


@pytest.mark.parametrize("seed", range(4))
def test_layers_keep_promises_about_the_table_beside_those_about_its_population(seed, tmp_path):
    """They cannot join the classes of the population, of which only levels are known: they form larger ones."""
    people, some = drawn(seed)
    table, everybody = (
        shoal.read(
            pa.table({"x": [row[0] or 0 for row in rows], "y": [row[1] for row in rows]}),
            quasi=["x", "y"], hierarchies={"x": "intervals 2,4"},
        )
        for rows in (some, people)
    )  # fmt: skip
    models = [KMap(4, population=everybody), KAnonymity(2)]
    for promised in (models, [models[0], ReidentificationRisk(0.5)]):
        release = shoal.anonymize(table, "layers", promised, measures=[])
        assert release.holds
        assert min(Counter(shown(release.table, ["x", "y"])).values()) >= 2
