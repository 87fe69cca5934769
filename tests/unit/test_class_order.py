"""The order of classes and of the rows in them, against brute force."""

import numpy as np
import polars as pl
import pytest

import shoal

ROLES = {"quasi": ["a", "b"], "sensitive": ["ill"]}


def attacked(people, rows, **more):
    found = shoal.attack(people, rows, attacks="class-order", **ROLES, **more)
    assert not found["not_tried"]
    return {each.name: each for each in found.successes}


def ends(cell):
    low, high = (cell.strip("[]").split(";") * 2)[:2]
    return int(low), int(high)


def classes_of(n, size, seed):
    """Cut people who are sorted by a into classes, with ranges that are wider than they have to be, class by class."""
    draw = np.random.default_rng(seed)
    a, b = np.sort(draw.integers(0, 30, n)), draw.integers(0, 20, n)
    people = pl.DataFrame({"a": a, "b": b, "ill": draw.choice(list("xyz"), n)})
    rows = []
    for start in range(0, n, size):
        here = slice(start, start + size)
        one, other = ((int(col[here].min()), int(col[here].max())) for col in (a, b))
        one = (max(one[0] - int(draw.integers(0, 6)), 0), one[1] + int(draw.integers(0, 6)))
        rows += [(f"[{one[0]};{one[1]}]", f"[{other[0]};{other[1]}]")] * len(a[here])
    cells = dict(zip("ab", zip(*rows, strict=True), strict=True))
    return people, pl.DataFrame(cells | {"ill": people["ill"]}).with_columns(pl.col("a", "b").cast(str))


@pytest.mark.parametrize("seed", range(4))
def test_classes_bound_each_other_like_brute_force(seed):
    people, rows = classes_of(40, 5, seed)
    boxes = list(dict.fromkeys(rows.select("a", "b").iter_rows()))
    plain = [[ends(cell) for cell in box] for box in boxes]
    narrow = [
        ((max(each[0][0] for each in plain[: i + 1]), min(each[0][1] for each in plain[i:])), box[1])
        for i, box in enumerate(plain)
    ]
    rates = []
    for cells in (narrow, plain):
        hits = 0
        for (a, b, _), row in zip(people.iter_rows(), rows.select("a", "b").iter_rows(), strict=True):
            fit = [i for i, (one, two) in enumerate(cells) if one[0] <= a <= one[1] and two[0] <= b <= two[1]]
            hits += fit == [boxes.index(row)]
        rates.append(hits / 40)
    found = attacked(people, rows, same_order=True)["class order"]
    assert found.detail == {"classes": 8, "sorted": {"a": "ascending"}}
    assert (found.rate, found.control) == pytest.approx(tuple(rates))


def test_rows_that_kept_the_order_of_a_sorted_table_are_their_people(tmp_path):
    """Of classes whose cells are all alike, their order still says who is who."""
    draw = np.random.default_rng(1)
    people = pl.DataFrame({"a": np.arange(200), "b": draw.integers(0, 9, 200), "ill": draw.choice(list("vwxyz"), 200)})
    table = shoal.read(people, **ROLES)
    for order, rate in (("input", 1.0), ("released", None)):
        release = shoal.anonymize(table, k=8, row_order=order)
        release.write(tmp_path / f"{order}.csv")
        given = [shoal.attack(table, each, attacks="class-order") for each in (release, tmp_path / f"{order}.csv")]
        assert given[0]["attacks"] == given[1]["attacks"]
        found = next(each for each in given[0].successes if each.name == "rows in classes")
        assert found.rate == (rate or found.control)
        assert found.control < 0.5


def test_people_who_are_equal_share_their_rows():
    people = pl.DataFrame({"a": [1, 1, 2], "b": [0, 0, 0], "ill": ["y", "x", "z"]})
    rows = pl.DataFrame({"a": ["[1;2]"] * 3, "b": ["0"] * 3, "ill": ["y", "x", "z"]})
    found = attacked(people, rows, same_order=True)["rows in classes"]
    assert (found.rate, found.control) == pytest.approx(((1 / 2 + 1 / 2 + 1) / 3, 1 / 3))
    assert found.detail["sorted"] == "a, ascending"
    assert found.low < found.residual < found.high


def test_a_sample_of_people_finds_its_classes_by_sets_too():
    """Sets are numbered as they come, and a sample of people has fewer of them than all rows."""
    draw = np.random.default_rng(5)
    town = draw.choice(list("abcdefgh"), 600)
    sets = {each: f"{{{pair[0]};{pair[1]}}}" for pair in ("ab", "cd", "ef", "gh") for each in pair}
    people = pl.DataFrame({"a": draw.integers(0, 300, 600), "b": town, "ill": draw.choice(list("xyz"), 600)})
    rows = people.with_columns(
        a=pl.format("[{};{}]", pl.col("a") // 10 * 10, pl.col("a") // 10 * 10 + 9), b=pl.col("b").replace_strict(sets)
    )
    rows = rows.with_columns(b=pl.when(pl.int_range(600) == 0).then(pl.lit("{a;b;c;d;e;f;g;h}")).otherwise("b"))
    whole, some = (attacked(people, rows, same_order=True, most=most)["class order"] for most in (600, 150))
    assert whole.low == whole.high
    assert some.control == pytest.approx(whole.control, abs=0.15)
    assert whole.control > 0.8
