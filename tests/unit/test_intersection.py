"""Several releases side by side: by hand, against brute force, and on Adult."""

import numpy as np
import polars as pl
import pytest
from public_files import find

import shoal
from shoal.attacks.side_by_side import PossibleSecrets, Together


def test_by_hand():
    """Who is 3 has flu or a cold in one release, and flu or gout in the other."""
    people = pl.DataFrame({"q": [1, 2, 3, 4, 5, 6], "ill": ["hay", "cold", "flu", "gout", "flu", "pox"]})
    first = pl.DataFrame({"q": ["[1;3]"] * 3 + ["[4;6]"] * 3, "ill": people["ill"]})
    second = pl.DataFrame({"q": ["[1;2]"] * 2 + ["[3;4]"] * 2 + ["[5;6]"] * 2, "ill": people["ill"]})
    table = shoal.read(people, quasi=["q"], sensitive=["ill"])
    found = shoal.attack(table, first, beside=second, attacks="intersection")["attacks"]
    pinned, guess, alone = ({"rate": each["rate"], "control": each["control"]} for each in found)
    # 3 is pinned. Of 4 gout or flu is left, which is twice as frequent for no reason that has to do with 4.
    assert pinned == {"rate": pytest.approx(1 / 6), "control": 0}
    assert guess == {
        "rate": pytest.approx((1 / 2 + 1 / 2 + 1 + 2 / 3 + 1 / 3 + 2 / 3) / 6),
        "control": pytest.approx(1 / 2),
    }
    assert alone == {"rate": pytest.approx(1 / 6), "control": 0}
    assert found[0]["detail"]["candidates"] == pytest.approx(11 / 6)


def fits(cell, value):
    low, high = (cell.strip("[]").split(";") * 2)[:2]
    return int(low) <= value <= int(high)


def test_like_brute_force():
    generator = np.random.default_rng(11)
    for _ in range(6):
        n = int(generator.integers(8, 40))
        people = pl.DataFrame(
            {"a": generator.integers(0, 9, n), "b": generator.integers(0, 9, n), "ill": generator.integers(0, 4, n)}
        ).with_columns(pl.col("ill").cast(str))
        table = shoal.read(people, quasi=["a", "b"], sensitive=["ill"])
        releases = [
            shoal.anonymize(table, method, k=k)
            for method, k in (("hilbert", 2), ("mondrian", 3), ("sorted-clusters", 2))
        ]
        texts = [release.to_polars(cells="text") for release in releases]
        pinned = guessed = alone = 0.0
        usual = {value: count / n for value, count in texts[0]["ill"].value_counts().iter_rows()}
        for a, b, ill in people.iter_rows():
            lists = [[s for x, y, s in text.iter_rows() if fits(x, a) and fits(y, b)] for text in texts]
            weights = {
                value: np.prod([each.count(value) / len(each) for each in lists]) / usual[value] ** (len(lists) - 1)
                for value in set.intersection(*map(set, lists))
            }
            guessed += weights[ill] / sum(weights.values())
            pinned += len(weights) == 1
            alone += sum(min(each.count(value) for each in lists) for value in weights) == 1
        found = shoal.attack(table, releases[0], beside=releases[1:], attacks="intersection")["attacks"]
        assert [each["rate"] for each in found] == pytest.approx([pinned / n, guessed / n, alone / n])


def test_the_same_release_twice_tells_nothing_more():
    people = pl.DataFrame({"q": list(range(40)), "ill": [f"v{i % 7}" for i in range(40)]})
    table = shoal.read(people, quasi=["q"], sensitive=["ill"])
    release = shoal.anonymize(table, k=4)
    found = shoal.attack(table, release, beside=[release], attacks="intersection")["attacks"]
    assert [found[0][part] for part in ("rate", "control", "residual")] == [0, 0, 0]
    assert found[2]["rate"] == found[2]["control"] == 0


def test_what_is_lacking_is_said():
    people = pl.DataFrame({"q": [1, 2, 3, 4], "ill": list("abab")})
    table = shoal.read(people, quasi=["q"], sensitive=["ill"])
    release = shoal.anonymize(table, k=2)
    (lacking,) = shoal.attack(table, release, attacks="intersection")["not_tried"]
    assert lacking == {"name": "intersection", "why": "there is no other release of the same people (--with)"}
    sets = pl.DataFrame({"q": ["[1;2]", "[3;4]"], "ill": ["{a;b}", "a"]})
    (lacking,) = shoal.attack(table, release, beside=sets, attacks="intersection")["not_tried"]
    assert "ranges or sets" in lacking["why"]


def test_two_releases_of_adult_by_the_classes_that_people_are_in(tmp_path):
    """Records 0-19,999 and from 10,000 on: what is left of the 10,000 people in both, whose classes are known."""
    frame = pl.read_csv(find("adult/adult_int.csv", tmp_path), separator=";")
    quasi = [name for name in frame.columns if name != "occupation"]
    kinds = dict.fromkeys(quasi, "integer")
    groups, ill = [], frame["occupation"].to_numpy()
    for part in (slice(0, 20_000), slice(10_000, None)):
        table = shoal.read(frame[part], quasi=quasi, sensitive=["occupation"], kinds=kinds)
        groups.append(np.asarray(shoal.methods.SortedClusters().partition(table, 5, lined=False)[0], np.int64))
    both = groups[0][10_000:], groups[1][:10_000]
    _, which, counts = np.unique(np.stack(both, axis=1), axis=0, return_inverse=True, return_counts=True)
    members = counts[which.reshape(-1)]
    assert (members == 1).mean() == pytest.approx(0.5043, abs=1e-4)
    assert members.mean() == pytest.approx(1.949, abs=5e-4)
    width = int(ill.max()) + 1
    shown = []
    for classes, own, part in zip(groups, both, (ill[:20_000], ill[10_000:]), strict=True):
        values = {}
        for room, value in zip(classes.tolist(), part.tolist(), strict=True):
            values.setdefault(room, []).append(value)
        pairs = [(i, value) for i, room in enumerate(own.tolist()) for value in values[room]]
        shown.append(PossibleSecrets.of(10_000, width, *map(np.array, zip(*pairs, strict=True))))
    together = Together.of(shown, np.bincount(ill, minlength=width) / ill.size)
    assert (shown[0].left == 1).mean() == pytest.approx(0.0023, abs=5e-5)
    assert (together.posterior.left == 1).mean() == pytest.approx(0.1675, abs=5e-5)
