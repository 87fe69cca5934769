"""Promises about a population count people, however many records they have: brute force over small random tables."""

import itertools
import math
import random
from collections import defaultdict

import pyarrow as pa
import pytest
from engines.tiny import Tiny
from released_cells import TREE, holds, shown

import shoal
from shoal.errors import DataError, GuaranteeError, SchemaError
from shoal.methods import FullDomain
from shoal.models import DeltaPresence, KAnonymity, KMap, ReidentificationRisk, check

NAMES = ("x", "y", "z")


def drawn(seed):
    """Draw people with one to three rows each, and the rows of some of them."""
    draw = random.Random(seed)
    everybody = [
        (f"p{person}", draw.randint(0, 5), draw.choice("pqr"), draw.choice("abcd"))
        for person in range(draw.randint(15, 30)) for _ in range(draw.choice([1, 1, 2, 3]))
    ]  # fmt: skip
    some = {f"p{person}" for person in draw.sample(range(15), 8)}
    rows = [row for row in everybody if row[0] in some]
    return everybody, draw.sample(rows, max(4, len(rows) - 2))


def read(rows, folder, *, engine=None, who="who"):
    columns = dict(zip((who, *NAMES), map(list, zip(*rows, strict=True)), strict=True))
    trees = {
        "z": TREE,
        "y": {each: (each, "*") for each in "pqr"},
        "x": {i: (f"{i}", f"{i // 2}+", "*") for i in range(6)},
    }
    for name, tree in trees.items():
        (folder / f"{name}.csv").write_text("".join(f"{';'.join(row)}\n" for row in tree.values()), encoding="utf-8")
    files = {name: str(folder / f"{name}.csv") for name in trees}
    return shoal.read(
        pa.table({**columns, "x": list(map(str, columns["x"]))}), quasi=NAMES, subject=who, hierarchies=files,
        engine=engine,
    )  # fmt: skip


def people_who_fit(cells, rows):
    return len({who for who, *row in rows if all(map(fits, cells, row))})


def fits(cell, value):
    return holds(cell, value) or (isinstance(value, int) and cell in (str(value), f"{value // 2}+"))


def levels_of(table, everybody, some):
    """Give for each class of a release the people of the table in it, and those of the population who fit it."""
    own = defaultdict(set)
    for cells, (who, *_) in zip(shown(table, NAMES), some, strict=True):
        own[cells].add(who)
    return {cells: (len(people), people_who_fit(cells, everybody)) for cells, people in own.items()}


@pytest.mark.parametrize("method", ["full-domain", "hilbert", "mondrian", "layers"])
@pytest.mark.parametrize("seed", range(5))
def test_people_are_counted_by_methods_and_by_the_check(method, seed, tmp_path):
    everybody, some = drawn(seed)
    table, population = read(some, tmp_path), read(everybody, tmp_path)
    k = random.Random(seed).randint(2, 5)
    release = shoal.anonymize(table, method, KMap(k, population=population), measures=[])
    found = levels_of(release.table, everybody, some)
    assert release.holds
    assert release.verdicts[0].level == min(people for _, people in found.values()) >= k
    shares, risks = check(
        release.table,
        [DeltaPresence(1.0, population=population), ReidentificationRisk(1.0, 1.0, population=population)],
    )
    assert shares.level == pytest.approx(max(own / people for own, people in found.values()))
    mean = math.fsum(own / people for own, people in found.values()) / sum(own for own, _ in found.values())
    assert risks.level == pytest.approx(mean)
    assert "people are counted" in shares.convention
    (alone,) = check(release.table, ReidentificationRisk(1.0, 1.0))
    assert alone.level == pytest.approx(len(found) / sum(own for own, _ in found.values()))


@pytest.mark.parametrize("model", ["k-map", "presence", "journalist", "prosecutor"])
@pytest.mark.parametrize("seed", range(5))
def test_full_domain_finds_the_lowest_levels_of_all(model, seed, tmp_path):
    everybody, some = drawn(seed)
    table, population = read(some, tmp_path), read(everybody, tmp_path)
    draw = random.Random(seed)
    k, most, highest, average = draw.randint(2, 6), draw.choice([0.5, 0.8]), draw.choice([0.5, 0.34]), 0.3
    promised = {
        "k-map": KMap(k, population=population), "presence": DeltaPresence(most, population=population),
        "journalist": ReidentificationRisk(highest, average, population=population),
        "prosecutor": ReidentificationRisk(highest, average),
    }[model]  # fmt: skip

    def kept(found):
        mean = {
            "journalist": sum(own / people for own, people in found) / sum(own for own, _ in found),
            "prosecutor": len(found) / sum(own for own, _ in found),
        }
        if model == "k-map":
            return all(people >= k for _, people in found)
        if model == "presence":
            return all(own <= most * people + 1e-12 for own, people in found)
        crowds = [people if model == "journalist" else own for own, people in found]
        return all(1 / crowd <= highest for crowd in crowds) and mean[model] <= average + 1e-12

    best = math.inf
    for x, y, z in itertools.product(range(3), range(2), range(3)):
        own, theirs = defaultdict(set), defaultdict(set)
        for rows, into in ((some, own), (everybody, theirs)):
            for who, a, b, c in rows:
                into[(str(a), f"{a // 2}+", "*")[x], (b, "*")[y], TREE[c][z]].add(who)
        if kept([(len(own[cells]), len(theirs[cells])) for cells in own]):
            best = min(best, x + y + z)
    try:
        method = FullDomain(limit=0, utility="height", aggregate="sum")
        assert shoal.anonymize(table, method, promised, measures=[]).table.recoding["loss"] == best
    except GuaranteeError:
        assert best == math.inf


def test_engines_count_the_same_people(tmp_path):
    everybody, some = drawn(2)
    found = []
    for engine in (None, Tiny()):
        table, population = read(some, tmp_path, engine=engine), read(everybody, tmp_path, engine=engine)
        release = shoal.anonymize(table, "hilbert", [KAnonymity(2), KMap(4, population=population)], measures=[])
        found.append((shown(release.table, NAMES), [each.level for each in release.verdicts]))
    assert found[0] == found[1]


def test_a_population_that_tells_nobody_apart_is_refused(tmp_path):
    everybody, some = drawn(0)
    nobody = shoal.read(pa.table({"x": ["1"], "y": ["p"], "z": ["a"]}), quasi=NAMES)
    with pytest.raises(SchemaError, match="does not say whose each record is"):
        shoal.anonymize(read(some, tmp_path), "full-domain", KMap(2, population=nobody), measures=[])
    called = KMap(2, population=read(everybody, tmp_path, who="id"), called={"who": "id"})
    assert shoal.anonymize(read(some, tmp_path), "full-domain", called, measures=[]).holds


@pytest.mark.parametrize("method", ["hilbert", "full-domain"])
def test_records_of_nobody_in_a_population_are_refused(method, tmp_path):
    everybody, some = drawn(0)
    unnamed = [(None, *row) if at % 3 == 0 else (who, *row) for at, (who, *row) in enumerate(everybody)]
    promised = KMap(2, population=read(unnamed, tmp_path))
    with pytest.raises(DataError, match="does not say for every record whose it is"):
        shoal.anonymize(read(some, tmp_path), method, promised, measures=[])
    with pytest.raises(DataError, match="does not say for every record whose it is"):
        check(read(some, tmp_path), promised)


def test_a_share_that_joining_classes_does_not_mend_ends_the_search(tmp_path):
    """Both classes have enough of those with their very values; the one of all fits six people, and two are in it."""
    some = {"x": ["a", "b", "b", "b", "b"], "ill": ["t", "t", "s", "s", "s"], "who": ["p0", "p3", "p0", "p3", "p3"]}
    everybody = {"x": [*some["x"], "a", "a", "b", "a"], "who": [*some["who"], "e0", "e1", "e2", "e3"]}
    roles = {"quasi": "x", "subject": "who", "kinds": {"x": "category"}}
    promised = DeltaPresence(most=0.9, least=0.4, population=shoal.read(pa.table(everybody), **roles))
    release = shoal.anonymize(pa.table(some), "k-anonymity-first", promised, k=2, sensitive="ill", **roles)
    assert not release.holds
    with pytest.raises(GuaranteeError, match="delta-presence does not hold"):
        release.write(tmp_path / "released.csv")
