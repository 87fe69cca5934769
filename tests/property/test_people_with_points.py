"""(k, k^m)-anonymity: classes of people by their attributes, and k^m-anonymity of their points inside each."""

import itertools
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from engines.tiny import Tiny

import shoal
from shoal.errors import DataError, ParameterError, SchemaError
from shoal.linked.traces import traces_of
from shoal.methods.cover_cut import along, leaves_of
from shoal.methods.traces.cut_search import cheapest_cut
from shoal.models import KmAnonymity

ASKED = {"linked": True, "subject": "who", "quasi": ["age", "sex", "item"]}


def random_rows(seed, people=24):
    random = np.random.default_rng(seed)
    rows = []
    for u in range(people):
        age, sex = int(random.integers(20, 60)), "fm"[random.integers(0, 2)]
        items = [x for x in "abcde" if random.random() < 0.5]
        rows += [(f"u{u:02}", age, sex, x) for x in items or [None]]
    return pl.DataFrame(rows, schema=["who", "age", "sex", "item"], orient="row")


def least(rows, m):
    """Give the size of the smallest class, or how many in a class have its rarest combination."""
    classes = {}
    for who, age, sex, item in rows:
        classes.setdefault((age, sex), {}).setdefault(who, set()).update(() if item in (None, "") else (item,))
    found = [len(people) for people in classes.values()]
    for people in classes.values():
        for mine in people.values():
            for size in range(1, m + 1):
                found += [
                    sum(set(some) <= other for other in people.values())
                    for some in itertools.combinations(sorted(mine), size)
                ]
    return min(found)


@pytest.mark.parametrize("method", ["suppress-points", "cut-and-suppress"])
@pytest.mark.parametrize(("k", "m"), [(2, 1), (3, 2), (4, 3)])
@pytest.mark.parametrize("seed", range(3))
def test_a_release_keeps_both_promises(method, k, m, seed, tmp_path):
    frame = random_rows(seed)
    release = shoal.anonymize(frame, method, KmAnonymity(k, m, ("age", "sex")), **ASKED)
    assert release.holds
    rows = release.to_polars(cells="text").rows()
    assert release.to_polars(cells="text").columns == ["who", "age", "sex", "item"]
    assert release.verdicts[0].level == least(rows, m) >= k
    assert len({row[0] for row in rows}) == 24
    release.write(tmp_path / "out.csv")
    proof = shoal.verify(tmp_path / "out.csv", private=tmp_path / "out.private.json", original=frame)
    assert proof.holds
    assert [score.value for score in proof.scores] == [score.value for score in release.scores]


@pytest.mark.parametrize("engine", [None, Tiny()])
def test_the_model_is_measured_as_brute_force_does(engine):
    for seed in range(6):
        frame = random_rows(seed, people=12).with_columns(age=pl.col("age") // 20)
        table = shoal.read(frame, engine=engine, **ASKED)
        (verdict,) = shoal.models.check(table, [KmAnonymity(2, 2, ("age", "sex"))])
        assert verdict.level == least(frame.rows(), 2)


def test_attributes_belong_to_people_and_points_to_rows():
    frame = random_rows(1)
    with pytest.raises(SchemaError, match="no quasi-identifier"):
        shoal.anonymize(frame, models=[KmAnonymity(2, 2, ("height",))], **ASKED)
    with pytest.raises(SchemaError, match="All quasi-identifiers"):
        shoal.anonymize(frame, models=[KmAnonymity(2, 2, ("age", "sex", "item"))], **ASKED)
    with pytest.raises(DataError, match="several values"):
        shoal.anonymize(frame, models=[KmAnonymity(2, 2, ("age", "item"))], **ASKED)
    with pytest.raises(ParameterError, match="within classes"):
        shoal.anonymize(frame, "cover-cut", KmAnonymity(2, 2, ("age", "sex")), **ASKED)


def test_cuts_are_made_for_the_classes_in_which_points_are_counted(tmp_path):
    """Item by item enough people have everything; in a class each drink is one person's, and drinks are everybody's."""
    rows = [(4 * c + i, "fm"[c], drink) for c in range(2) for i, drink in enumerate("abcd")]
    rows += [(8 + 4 * c + i, "fm"[c], drink) for c in range(2) for i, drink in enumerate("abcd")]
    frame = pl.DataFrame(rows, schema=["who", "sex", "item"], orient="row")
    (tmp_path / "tree.csv").write_text("a,A\nb,A\nc,C\nd,C\n", encoding="utf-8")
    asked = {"linked": True, "subject": "who", "quasi": ["sex", "item"]}
    trees = {"item": str(tmp_path / "tree.csv")}
    one = shoal.anonymize(frame, "cut-and-suppress", KmAnonymity(4, 1, "sex"), hierarchies=trees, **asked)
    assert {*one.to_polars()["item"]} == {"A", "C"}
    assert one.scores["set-loss"].value == 0.5


@pytest.mark.parametrize("seed", range(6))
def test_a_cut_within_classes_keeps_the_promise_in_each(seed, tmp_path):
    (tmp_path / "tree.csv").write_text("a,A\nb,A\nc,C\nd,C\ne,E\n", encoding="utf-8")
    frame, trees = random_rows(seed), {"item": str(tmp_path / "tree.csv")}
    traces = traces_of(shoal.read(frame, linked=True, subject="who", quasi="item", hierarchies=trees))
    sexes = dict(zip(frame["who"], frame["sex"], strict=True))
    classes = np.array([sexes[who] == "m" for who in sorted(sexes)], np.int32)
    leaves = leaves_of(replace(traces, person_classes=classes))
    cut, _ = cheapest_cut(leaves, 3, 2)
    found = along(traces, leaves.tree, cut)
    named = found.points.texts()[0]
    published = [
        (str(number), 0, classes[number], named[label])
        for number in range(found.people)
        for label in found.labels[found.offsets[number] : found.offsets[number + 1]]
    ]
    assert least(published, 2) >= 3
    assert leaves.too_rare(np.arange(leaves.tree.number, dtype=np.int32), 3, 2).max(initial=0) < leaves.tree.number
