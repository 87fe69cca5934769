"""Linked tables: which points people have, whatever holds the rows, and how many people have a combination of them."""

import itertools
import tracemalloc
from collections import Counter

import numpy as np
import polars as pl
import pytest
from engines.pools import Memory
from engines.tiny import Tiny

import shoal
from shoal.engines.local import Local
from shoal.engines.parts.engine import PartsEngine
from shoal.errors import DataError, ParameterError
from shoal.kernels.combinations import Holders
from shoal.linked.traces import people_of, points_of, traces_of

ENGINES = {"local": Local, "parts": lambda: PartsEngine(Memory(), 5), "disk": Tiny}


def random_rows(seed, rows=60):
    random = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "who": [f"u{number}" for number in random.integers(0, 12, rows)],
            "item": [None if i == 0 else "-bdface"[i] for i in random.integers(0, 7, rows)],
            "day": [None if i == 0 else i for i in random.integers(0, 4, rows).tolist()],
        }
    )


def sets_of(frame, *columns):
    """Give the points of each person as texts, as anybody would find them."""
    found = {who: set() for who in frame["who"].to_list()}
    for row in frame.iter_rows(named=True):
        point = tuple("" if row[column] is None else str(row[column]) for column in columns)
        found[row["who"]] |= {point} if any(point) else set()
    return [found[who] for who in sorted(found)]


def as_sets(traces):
    texts = list(zip(*traces.points.texts(), strict=True))
    return [{texts[i] for i in traces.labels[a:b]} for a, b in itertools.pairwise(traces.offsets.tolist())]


def holders(sets, vocabulary):
    offsets = np.append(0, np.cumsum([len(each) for each in sets])).astype(np.int64)
    return Holders(offsets, np.array([x for each in sets for x in sorted(each)], np.int32), vocabulary)


def random_sets(seed):
    random = np.random.default_rng(seed)
    vocabulary = int(random.integers(1, 8))
    sets = [
        set(random.choice(vocabulary, random.integers(0, vocabulary + 1), replace=False).tolist())
        for _ in range(random.integers(1, 12))
    ]
    return sets, vocabulary


def supports(sets, size):
    return Counter(some for each in sets for some in itertools.combinations(sorted(each), size))


@pytest.mark.parametrize("kind", ENGINES)
@pytest.mark.parametrize("columns", [("item",), ("item", "day")])
def test_traces_are_sets_of_points_on_every_engine(kind, columns):
    frame = random_rows(len(columns))
    table = shoal.read(frame, subject="who", quasi=columns, linked=True, engine=ENGINES[kind]())
    traces = traces_of(table)
    assert as_sets(traces) == sets_of(frame, *columns)
    assert traces.points.order().tolist() == list(range(traces.points.number))
    assert all((np.diff(traces.labels[a:b]) > 0).all() for a, b in itertools.pairwise(traces.offsets))


@pytest.mark.parametrize("kind", ENGINES)
def test_combinations_are_those_that_brute_force_finds_on_every_engine(kind):
    frame = random_rows(7)
    table = shoal.read(frame, subject="who", quasi=["item", "day"], linked=True, engine=ENGINES[kind]())
    parts = table.combinations(people_of(table), points_of(table), 4, lambda c: (c.size, sorted(c.people.tolist())))
    for size in range(1, 5):
        found = sorted(n for part in parts if part[0] == size for n in part[1])
        assert found == sorted(supports(sets_of(frame, "item", "day"), size).values())


@pytest.mark.parametrize("seed", range(40))
def test_counts_and_owners_of_rare_combinations_are_those_of_brute_force(seed):
    sets, vocabulary = random_sets(seed)
    held = holders(sets, vocabulary)
    for size in range(1, 6):
        counts = supports(sets, size)
        found = [
            (tuple(row), n)
            for rows, people in held.combinations(size)
            for row, n in zip(rows.tolist(), people.tolist(), strict=True)
        ]
        assert dict(found) == counts
        assert len(found) == len(counts)
        rare = [
            (who, tuple(row))
            for rows, persons in held.having(size, 3)
            for row, who in zip(rows.tolist(), persons.tolist(), strict=True)
        ]
        wanted = [(u, c) for u, mine in enumerate(sets) for c in itertools.combinations(sorted(mine), size)]
        assert sorted(rare) == sorted(each for each in wanted if counts[each[1]] < 3)
        assert held.effort(size) == counts.total()


@pytest.mark.parametrize("seed", range(20))
def test_other_labels_are_sorted_and_stand_once(seed):
    sets, vocabulary = random_sets(seed)
    other = np.random.default_rng(seed).integers(-1, 3, vocabulary).astype(np.int32)
    found = holders(sets, vocabulary).relabelled(other, 3)
    mapped = [sorted({int(other[x]) for x in each} - {-1}) for each in sets]
    assert [found.labels[a:b].tolist() for a, b in itertools.pairwise(found.offsets)] == mapped


@pytest.mark.parametrize("seed", range(20))
def test_of_rare_combinations_everyone_loses_first_what_most_of_them_have(seed):
    sets, vocabulary = random_sets(seed)
    held, counts = holders(sets, vocabulary), supports(sets, 2)
    ((rows, persons),) = list(held.having(2, 3)) or [(np.empty((0, 2), np.int32), np.empty(0, np.int32))]
    wanted = []
    for who, mine in enumerate(sets):
        left = [each for each in itertools.combinations(sorted(mine), 2) if counts[each] < 3]
        while left:
            times = Counter(x for each in left for x in each)
            worst = min(times, key=lambda x: (-times[x], x))
            wanted.append((who, worst))
            left = [each for each in left if worst not in each]
    found = list(zip(*(part.tolist() for part in held.to_remove(rows, persons)), strict=True))
    assert found == wanted
    kept = held.without(*(np.array([pair[i] for pair in wanted], np.int32) for i in (0, 1)))
    gone = [each - {x for who, x in wanted if who == u} for u, each in enumerate(sets)]
    assert [set(kept.labels[a:b].tolist()) for a, b in itertools.pairwise(kept.offsets)] == gone


def test_too_many_combinations_are_refused_before_they_are_counted():
    items = pl.DataFrame({"p": [1] * 400, "item": range(400)})
    table = shoal.read(items, subject="p", quasi="item", linked=True)
    with pytest.raises(ParameterError, match=r"[\d,]+ combinations of 5 points") as found:
        table.combinations(people_of(table), points_of(table), 5, lambda some: None)
    assert "smaller m" in found.value.remedy


def dense(people=50, items=200, each=150):
    random = np.random.default_rng(0)
    rows = [(u, f"i{x:03}") for u in range(people) for x in random.choice(items, each, replace=False).tolist()]
    return pl.DataFrame(rows, schema=["p", "item"], orient="row")


@pytest.mark.parametrize("method", ["suppress-points", "cover-cut"])
def test_methods_refuse_too_many_combinations_before_they_count_them(method, tmp_path, monkeypatch):
    (tmp_path / "tree.csv").write_text("".join(f"i{x:03},g{x // 100}\n" for x in range(200)), encoding="utf-8")
    asked = {"linked": True, "subject": "p", "quasi": "item", "hierarchies": {"item": str(tmp_path / "tree.csv")}}
    counted, whole = [], Holders.combinations
    monkeypatch.setattr(Holders, "combinations", lambda self, size, *rest, **more: (
        counted.append(self.effort(size)), whole(self, size, *rest, **more))[1])  # fmt: skip
    monkeypatch.setattr("shoal.engines.combining.MOST", 1_000_000)
    with pytest.raises(ParameterError, match=r"[\d,]+ combinations of 3 points") as found:
        shoal.anonymize(dense(), method, k=5, m=6, **asked)
    assert "smaller m" in found.value.remedy
    assert "coarser" in found.value.remedy
    assert max(counted, default=0) <= 1_000_000


def test_where_points_are_too_many_coarser_ones_are_tried(tmp_path, monkeypatch):
    (tmp_path / "tree.csv").write_text("".join(f"i{x:03},g{x // 50}\n" for x in range(200)), encoding="utf-8")
    asked = {"linked": True, "subject": "p", "quasi": "item", "hierarchies": {"item": str(tmp_path / "tree.csv")}}
    monkeypatch.setattr("shoal.engines.combining.MOST", 1_000_000)
    release = shoal.anonymize(dense(), "cut-and-suppress", k=5, m=4, **asked)
    assert "level 1" in release.steps[0]
    assert release.holds


def test_room_is_only_taken_for_what_is_found(monkeypatch):
    monkeypatch.setattr("shoal.kernels.combinations._AT_ONCE", 8)
    sets = [set(range(30)) for _ in range(3)] + [{0, 1}, {2, 3, 4}]
    held = holders(sets, 30)
    for fewer in (4, 2, 10):
        counts = {some: n for some, n in supports(sets, 3).items() if n < fewer}
        found = [
            (tuple(row), n)
            for rows, people in held.combinations(3, fewer)
            for row, n in zip(rows.tolist(), people.tolist(), strict=True)
        ]
        assert dict(found) == counts
        assert len(found) == len(counts)


def test_many_combinations_with_one_first_label_need_no_room_before_they_are_found():
    sets = [set(range(120)) for _ in range(5)]
    tracemalloc.start()
    rare = sum(len(rows) for rows, _ in holders(sets, 120).combinations(4, 5))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert rare == 0
    assert peak < 200e6


def test_rows_of_nobody_are_refused():
    table = shoal.read(pl.DataFrame({"p": ["a", None], "item": ["x", "y"]}), subject="p", quasi="item", linked=True)
    with pytest.raises(DataError, match="whose it is"):
        traces_of(table)


def test_linked_rows_need_a_column_that_says_whose_they_are():
    with pytest.raises(ParameterError, match="belong to one person"):
        shoal.read(pl.DataFrame({"item": ["x"]}), quasi="item", linked=True)


def test_a_basket_is_a_line(tmp_path):
    place = tmp_path / "baskets.txt"
    place.write_text('whole milk,beer\n\nbeer,"tea, green",beer\n', encoding="utf-8")
    table = shoal.read(place, baskets=True)
    assert (table.schema.subject, table.schema.quasi, table.rows) == ("basket", ("item",), 6)
    assert as_sets(traces_of(table)) == [{("beer",), ("whole milk",)}, set(), {("beer",), ("tea, green",)}]
    assert traces_of(table).empty == 1
    place.write_text("7 8 \n7\n8 9\n", encoding="utf-8")
    table = shoal.read(place, baskets=True, subject="visit", quasi="page", engine=Tiny())
    assert as_sets(traces_of(table)) == [{("7",), ("8",)}, {("7",)}, {("8",), ("9",)}]


@pytest.mark.parametrize(
    ("content", "said", "message"),
    [
        (b"\n\n", {}, "has no items"),
        (b'"a,b\nc\n', {}, "quotes"),
        (b"a\n", {"sensitive": "ill"}, "nothing else"),
        (b"a\n", {"quasi": ["a", "b"]}, "nothing else"),
        (b"\xff\n", {"encoding": "utf-8"}, "known encoding"),
    ],
)
def test_baskets_that_cannot_be_read_are_refused(tmp_path, content, said, message):
    (tmp_path / "baskets.txt").write_bytes(content)
    with pytest.raises((DataError, ParameterError), match=message):
        shoal.read(tmp_path / "baskets.txt", baskets=True, **said)


def test_a_group_that_is_named_like_one_of_its_leaves_gets_another_name(tmp_path):
    place = tmp_path / "items.csv"
    place.write_text("item,level2\nfrankfurter,sausage\nsausage,sausage\nbeer,drinks\n", encoding="utf-8")
    frame = pl.DataFrame({"p": [1, 2], "item": ["sausage", "beer"]})
    table = shoal.read(frame, subject="p", quasi="item", linked=True, hierarchies={"item": str(place)})
    tree = table.schema["item"].axis.tree
    assert tree.leaves == ("frankfurter", "sausage", "beer")
    assert tree.spans["sausage (group)"] == (0, 1)
    said = " ".join(table.origin.notes)
    assert "first line" in said
    assert "1 " not in said.replace("'item' a name", "")
    assert "stands for two nodes" in said
    assert "sausage" not in said


def test_items_that_the_hierarchy_lacks_are_counted(tmp_path):
    (tmp_path / "items.csv").write_text("a,x\nb,x\n", encoding="utf-8")
    asked = {"subject": "p", "quasi": "item", "linked": True, "hierarchies": {"item": str(tmp_path / "items.csv")}}
    for items, said in (
        (["a", "c", "d", "d"], "has 2 values that its"),
        (["a", "b", "d", "d"], "has a value that its"),
    ):
        with pytest.raises(DataError, match=said):
            shoal.read(pl.DataFrame({"p": [1, 2, 3, 4], "item": items}), **asked)
