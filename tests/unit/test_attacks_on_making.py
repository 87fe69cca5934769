"""Attacks on how a release was made, against brute force on small tables: ends, homogeneity, rows of people, order."""

from collections import Counter
from functools import partial

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.attacks.stretches import stretches
from shoal.errors import ParameterError


def rates(original, released, name, **more):
    found = shoal.attack(original, released, attacks=name, **more)
    assert not found["not_tried"], found["not_tried"]
    return [(each["rate"], each["control"]) for each in found["attacks"]]


def made(generator, n):
    frame = pl.DataFrame(
        {"a": generator.integers(0, 12, n), "b": generator.integers(0, 12, n), "ill": generator.integers(0, 3, n)}
    )
    return frame.with_columns(pl.col("ill").cast(str))


def ends(cell):
    low, high = (cell.strip("[]").split(";") * 2)[:2]
    return int(low), int(high)


def fits(cell, value):
    low, high = ends(cell)
    return low <= value <= high


def test_ends_of_ranges_like_brute_force():
    generator = np.random.default_rng(4)
    for method in ("hilbert", "mondrian", "sorted-clusters"):
        people, others = made(generator, 40), made(generator, 25)
        table = shoal.read(people, quasi=["a", "b"], sensitive=["ill"])
        release = shoal.anonymize(table, method, k=3)
        boxes = set(release.to_polars(cells="text").select("a", "b").iter_rows())
        best = (-1, 0)
        for j in (0, 1):
            ranges = [box for box in boxes if ends(box[j])[0] < ends(box[j])[1]]

            def alone(frame, box, j=j):
                inside = [row for row in frame.iter_rows() if fits(box[0], row[0]) and fits(box[1], row[1])]
                return sum(row[j] == ends(box[j])[0] for row in inside) == 1

            found = tuple(sum(alone(frame, box) for box in ranges) / len(ranges) for frame in (people, others))
            best = max(best, found, key=lambda each: each[0])
        assert rates(table, release, "range-ends", holdout=others) == [pytest.approx(best)]


def test_homogeneity_and_background_like_brute_force():
    generator = np.random.default_rng(8)
    for _ in range(4):
        people = made(generator, 30)
        table = shoal.read(people, quasi=["a", "b"], sensitive=["ill"])
        release = shoal.anonymize(table, k=2)
        rows = list(release.to_polars(cells="text").iter_rows())
        left = [len({s for x, y, s in rows if fits(x, a) and fits(y, b)}) for a, b, _ in people.iter_rows()]
        expected = [pytest.approx((sum(n <= most for n in left) / 30, None)) for most in (1, 2)]
        found = rates(table, release, "shared-secrets")
        assert [each[0] for each in found] == [each.expected[0] for each in expected]


def test_all_rows_of_a_person_like_brute_force():
    generator = np.random.default_rng(6)
    for _ in range(4):
        people = made(generator, 60).with_columns(pl.Series("who", generator.integers(0, 20, 60)).cast(str))
        table = shoal.read(people, quasi=["a", "b"], sensitive=["ill"], subject="who")
        release = shoal.anonymize(table, k=2)
        rows = list(release.to_polars(cells="text").iter_rows())
        several = [who for who, count in Counter(people["who"]).items() if count > 1]
        together = once = 0
        for who in several:
            mine = [row[:3] for row in people.iter_rows() if row[3] == who]
            sets = [{s for x, y, s in rows if fits(x, a) and fits(y, b)} for a, b, _ in mine]
            common = set.intersection(*sets)
            together += len(common) == 1 and common <= {row[2] for row in mine}
            once += any(found == {row[2]} for found, row in zip(sets, mine, strict=True))
        expected = (together / len(several), once / len(several))
        assert rates(table, release, "several-rows") == [pytest.approx(expected)]


def test_few_entries_at_a_time_give_the_same_as_all_at_once(monkeypatch):
    """Lists of who fits whom may be long: they are held in stretches."""
    people = made(np.random.default_rng(2), 80).with_columns(pl.Series("who", [str(i // 3) for i in range(80)]))
    table = shoal.read(people, quasi=["a", "b"], sensitive=["ill"], subject="who")
    release = shoal.anonymize(table, k=4)
    tried = ["inference", "shared-secrets", "several-rows", "intersection"]
    asked = {
        "attacks": tried,
        "beside": shoal.anonymize(table, "mondrian", k=3),
        "holdout": made(np.random.default_rng(3), 40),
    }
    whole = shoal.attack(table, release, **asked)["attacks"]
    for name in ("inference", "fitting_secrets", "several_rows"):
        monkeypatch.setattr(f"shoal.attacks.{name}.stretches", partial(stretches, most=5))
    assert shoal.attack(table, release, **asked)["attacks"] == whole


def test_rows_in_the_order_of_a_sorted_input_bound_each_other(tmp_path):
    frame = pl.DataFrame({"a": range(300), "b": [i * 77 % 300 for i in range(300)], "ill": ["x"] * 300})
    table = shoal.read(frame, quasi=["a", "b"], sensitive=["ill"])
    for order, leaks in (("released", False), ("input", True)):
        release = shoal.anonymize(table, k=4, row_order=order)
        release.write(tmp_path / f"{order}.csv")
        for given in (release, tmp_path / f"{order}.csv"):
            ((rate, control),) = rates(table, given, "row-order")
            assert (rate > 0.5) == leaks
            assert control == 0


def test_what_is_lacking_is_said():
    frame = pl.DataFrame({"q": [1, 1, 2, 2], "ill": list("abab"), "who": list("wxyz")})
    table = shoal.read(frame, quasi=["q"], sensitive=["ill"], subject="who")
    lacking = shoal.attack(table, shoal.anonymize(table, k=2), attacks=["several-rows", "range-ends"])["not_tried"]
    assert [each["why"] for each in lacking] == ["nobody has several rows", "no cell of the release is a range"]
    with pytest.raises(ParameterError):
        shoal.attacks.SharedSecrets(ruled_out=0)


def test_downcoding_like_brute_force(tmp_path):
    """Nodes of a tree of eight leaves: in how many of their children is one person of the class alone?"""
    (tmp_path / "t.csv").write_text("".join(f"{i};{'abcd'[i // 2]};{'xy'[i // 4]};*\n" for i in range(8)))
    parts = {"*": ["x", "y"], "x": ["a", "b"], "y": ["c", "d"]} | {
        "abcd"[i]: [str(2 * i), str(2 * i + 1)] for i in range(4)
    }
    leaves = {str(i): {str(i), "abcd"[i // 2], "xy"[i // 4], "*"} for i in range(8)}
    generator = np.random.default_rng(3)
    for k in (2, 5):
        frame = pl.DataFrame(
            {"a": generator.integers(0, 8, 30), "b": generator.integers(0, 8, 30), "ill": ["x"] * 30}
        ).with_columns(pl.col("a", "b").cast(str))
        trees = {name: str(tmp_path / "t.csv") for name in ("a", "b")}
        table = shoal.read(frame, quasi=["a", "b"], sensitive=["ill"], hierarchies=trees)
        release = shoal.anonymize(table, k=k)
        boxes = set(release.to_polars(cells="text").select("a", "b").iter_rows())
        best = 0.0
        for j in (0, 1):
            asked = [(box, child) for box in boxes for child in parts.get(box[j], ())]
            hits = 0
            for box, child in asked:
                here = tuple(child if i == j else cell for i, cell in enumerate(box))
                hits += sum(here[0] in leaves[a] and here[1] in leaves[b] for a, b, _ in frame.iter_rows()) == 1
            best = max(best, hits / len(asked)) if asked else best
        assert [each[0] for each in rates(table, release, "downcoding")] == [pytest.approx(best)]
