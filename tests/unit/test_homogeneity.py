"""Whose confidential value everybody in the class has: by hand, on every engine, as people where they are known."""

from collections import defaultdict

import hypothesis.strategies as st
import polars as pl
import pytest
from engines.tiny import Tiny
from hypothesis import given, settings

import shoal
from shoal.engines.disk.pool import DiskPool
from shoal.measures import Homogeneity

ROWS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 3), st.sampled_from(["a", "b", None]), st.integers(0, 1)),
    min_size=1, max_size=40,
)  # fmt: skip
SHAPE = {"who": pl.Int64, "age": pl.Int64, "ill": pl.String, "tone": pl.Int64}


def by_hand(rows, place, *, people):
    """Count who is in a class of which all records have one value in a column."""
    classes = defaultdict(list)
    for row in rows:
        classes[row[1]].append(row)
    inside = [
        row
        for mine in classes.values()
        if len({row[place] for row in mine}) == 1 and mine[0][place] is not None
        for row in mine
    ]
    return len({row[0] for row in inside}) / len({row[0] for row in rows}) if people else len(inside) / len(rows)


@settings(max_examples=60, deadline=None)
@given(rows=ROWS, people=st.booleans())
def test_the_share_is_that_counted_by_hand(tmp_path_factory, rows, people):
    frame = pl.DataFrame(rows, schema=SHAPE, orient="row")
    subject = {"subject": "who"} if people else {}
    for engine in (None, Tiny(DiskPool(tmp_path_factory.mktemp("parts")))):
        table = shoal.read(frame, quasi="age", sensitive=["ill", "tone"], engine=engine, **subject)
        (found,) = shoal.score(table, measures="homogeneity")
        shares = {name: by_hand(rows, place, people=people) for name, place in (("ill", 2), ("tone", 3))}
        assert {name: mine["share"] for name, mine in found.detail["per_column"].items()} == pytest.approx(shares)
        assert found.value == max(shares.values())
        assert shares[found.detail["column"]] == found.value


def test_the_worst_column_is_named():
    frame = pl.DataFrame({"age": [1, 1, 2, 2], "a": [1, 2, 3, 4], "b": [1, 1, 3, 4]})
    (found,) = shoal.score(shoal.read(frame, quasi="age", sensitive=["a", "b"]), measures="homogeneity")
    said = "50.0% of people share their 'b' with everybody in their group. Of 2 confidential columns this is the worst."
    assert Homogeneity.sentence(found.detail) == said
    one = Homogeneity(columns=("a",))
    assert shoal.score(shoal.read(frame, quasi="age", sensitive=["a", "b"]), measures=one)[0].value == 0
    with pytest.raises(shoal.errors.SchemaError, match="'age'"):
        shoal.score(shoal.read(frame, quasi="age", sensitive=["a", "b"]), measures=Homogeneity(columns=("age",)))


def test_without_a_confidential_column_there_is_nothing_to_measure():
    (found,) = shoal.score(shoal.read(pl.DataFrame({"age": [1, 2]}), quasi="age"), measures="homogeneity")
    assert (found.value, found.detail["nothing_to_measure"]) == (0.0, "no column is confidential")
    assert "homogeneity" not in shoal.risk(pl.DataFrame({"age": [1, 2]}), quasi="age")


def test_of_adult_most_people_share_their_salary_class(public_file):
    path = public_file("adult/adult.csv")
    quasi = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
    table = shoal.read(path, quasi=quasi, sensitive="salary-class")
    assert shoal.risk(table)["homogeneity"] == 23430 / 30162
    release = shoal.anonymize(table, k=11)
    assert release.homogeneity.value == pytest.approx(0.3455, abs=0.01)
    assert "34.6% of people share their 'salary-class' with everybody in their group." in repr(release)


def test_a_certificate_proves_it_unless_people_are_counted(tmp_path):
    frame = pl.DataFrame({"who": [1, 1, 2, 3, 4, 4], "age": [1, 1, 1, 2, 2, 2], "ill": ["?", "b", "b", "?", "c", "c"]})
    given = {"quasi": "age", "sensitive": "ill", "missing": ["?"], "no_promise": True, "measures": "homogeneity"}
    (path := tmp_path / "t.csv").write_text(frame.write_csv())
    shoal.anonymize(path, [], **given).write(tmp_path / "a.csv")
    assert any("homogeneity is 0" in line for line in shoal.verify(tmp_path / "a.csv").proved)
    shoal.anonymize(path, [], subject="who", **given).write(tmp_path / "b.csv")
    assert any(line.startswith("homogeneity (people") for line in shoal.verify(tmp_path / "b.csv").not_proved)
