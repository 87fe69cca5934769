"""What two releases leave to people who are in both, proved from the files alone, against every person by hand."""

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.certification.overlapping_classes import left_together
from shoal.secret_keys import SecretKey

ROLES = {"quasi": ["age", "zip", "job"], "sensitive": "ill"}


def people(seed, rows=60):
    draw = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": draw.integers(0, 30, rows), "zip": draw.integers(0, 20, rows),
            "job": draw.choice(list("abcd"), rows), "ill": draw.choice([f"v{i}" for i in range(6)], rows),
        }
    )  # fmt: skip


def meet(one, other):
    """Tell whether two cells may stand for the same value."""
    if "*" in (one, other):
        return True
    if one.lstrip("[").split(";")[0].rstrip("]").lstrip("-").isdigit():
        (a, b), (c, d) = (map(int, (each.strip("[]").split(";") * 2)[:2]) for each in (one, other))
        return a <= d and c <= b
    return bool(set(one.strip("{}").split(";")) & set(other.strip("{}").split(";")))


def by_hand(ours, theirs):
    """Go through all pairs of rows whose cells meet and that show the same value."""
    classes = [{row[:-1]: [] for row in rows} for rows in (ours, theirs)]
    for found, rows in zip(classes, (ours, theirs), strict=True):
        for row in rows:
            found[row[:-1]].append(row[-1])
    levels = []
    for cells, mine in classes[0].items():
        for others, old in classes[1].items():
            common = set(mine) & set(old)
            if common and all(map(meet, cells, others)):
                levels.append((len(common), sum(v in common for v in mine), sum(v in common for v in old)))
    return (*(min(each) for each in zip(*levels, strict=True)), len(levels))


@pytest.mark.parametrize("seed", range(12))
def test_the_levels_are_those_of_all_pairs_of_classes_and_nobody_has_less(seed):
    frame = people(seed)
    tables = [frame[:45], frame[15:]]
    method = ("hilbert", "mondrian", "suppress")[seed % 3]
    made = [shoal.anonymize(each, method, k=3, measures=[], **ROLES).table for each in tables]
    found = left_together(made[1], made[0], "ill")
    rows = [each.to_polars(cells="text").rows() for each in made]
    assert (found.values, found.rows, found.earlier_rows, found.pairs) == by_hand(rows[1], rows[0])
    for person in range(15, 45):  # each of whom is in a class of both
        first, second = rows[0][person], rows[1][person - 15]
        values = [
            {row[-1] for row in release if row[:-1] == own[:-1]}
            for release, own in zip(rows, (first, second), strict=True)
        ]
        assert len(values[0] & values[1]) >= found.values
        assert sum(row[:-1] == second[:-1] and row[-1] in values[0] for row in rows[1]) >= found.rows


@pytest.mark.parametrize("seed", range(8))
def test_other_columns_that_both_have_join_rows(seed):
    """Somebody has the same in all of them: a value that only rows of other combinations share is nobody's in both."""
    draw = np.random.default_rng(seed)
    frame = people(seed).with_columns(
        more=pl.Series(draw.choice(["x", "y", ""], 60).tolist()), year=pl.Series(draw.integers(1990, 1993, 60))
    )
    roles = {"quasi": ["age", "job"], "sensitive": ["ill", "more"], "plain": ["year"]}
    frames = frame[:45], frame[15:].with_columns(pl.col("year").cast(pl.Float64))  # read as another kind
    made = [shoal.anonymize(each, "mondrian", k=3, measures=[], **roles).table for each in frames]
    found = left_together(made[1], made[0], "ill", ["more", "year"])
    alone = left_together(made[1], made[0], "ill")
    groups = []
    for each in reversed(made):
        rows = each.to_polars(cells="text").select("age", "job", "ill", "more", pl.col("year").cast(pl.Float64)).rows()
        groups.append({row[:2]: [other[2:] for other in rows if other[:2] == row[:2]] for row in rows})
    levels = []
    for cells, mine in groups[0].items():
        for others, old in groups[1].items():
            common = set(mine) & set(old)
            if common and all(map(meet, cells, others)):
                values = {value for value, *_ in common}
                levels.append((len(values), sum(row in common for row in mine), sum(row in common for row in old)))
    assert (found.values, found.rows, found.earlier_rows) == tuple(min(each) for each in zip(*levels, strict=True))
    assert found.pairs == len(levels)
    assert found.values <= alone.values


def test_check_names_what_joins_rows(tmp_path):
    ills = [("flu", "x"), ("gout", "y"), ("cold", "z")], [("flu", "x"), ("gout", "z"), ("cold", "y")]
    for name, rows in zip("ab", ills, strict=True):
        frame = pl.DataFrame([(age, *row) for age, row in enumerate(rows)], schema=["age", "ill", "more"], orient="row")
        shoal.anonymize(frame, quasi="age", sensitive=["ill", "more"], k=3).write(tmp_path / f"{name}.csv")
        shoal.anonymize(frame, quasi="age", sensitive="more", k=3).write(tmp_path / f"{name}-more.csv")
    proved = str(shoal.verify(tmp_path / "b.csv", like=tmp_path / "a.csv").proved)
    assert (
        "at least one value of 'ill', and with one row here and 1 there that show one of these with the sam" in proved
    )
    frame = frame.drop("more")
    shoal.anonymize(frame, quasi="age", sensitive="ill", k=3).write(tmp_path / "ill.csv")
    proof = shoal.verify(tmp_path / "ill.csv", like=tmp_path / "a-more.csv")
    assert "no confidential column in common" in str(proof.not_proved)


def test_names_that_join_rows_leave_it_open(tmp_path):
    frame = people(4).with_row_index("id")
    key = SecretKey(b"shoal specification key 0001")
    for name, some in (("a", frame[:45]), ("b", frame[15:])):
        release = shoal.anonymize(
            some, quasi=["age", "zip", "job"], sensitive="ill", identifier={"id": "pseudonym:x"}, k=3, pseudonym_key=key
        )
        release.write(tmp_path / f"{name}.csv")
    proof = shoal.verify(tmp_path / "b.csv", like=tmp_path / "a.csv")
    assert "both have columns of other names" in str(proof.not_proved)
    assert "is left with" not in str(proof.proved)


def test_rows_without_a_value_show_none(tmp_path):
    frame = people(3).with_columns(ill=pl.when(pl.col("age") < 9).then(None).otherwise(pl.col("ill")))
    made = [shoal.anonymize(each, k=3, measures=[], **ROLES).table for each in (frame[:45], frame[15:])]
    found = left_together(made[1], made[0], "ill")
    rows = [[row for row in each.to_polars(cells="text").rows() if row[-1] is not None] for each in made]
    assert (found.values, found.rows, found.earlier_rows, found.pairs) == by_hand(rows[1], rows[0])


@pytest.mark.parametrize("trees", [False, True])
def test_check_says_it_of_a_release_that_follows_another(tmp_path, trees):
    frame = people(1, 200)
    more = {"hierarchies": {"zip": "intervals 5,10"}} if trees else {}
    first = shoal.anonymize(frame[:150], k=5, **ROLES, **more)
    first.write(tmp_path / "first.csv")
    again = shoal.anonymize(frame[50:], shoal.methods.SameClasses(tmp_path / "first.csv"), k=5, **ROLES, **more)
    assert again.holds
    again.write(tmp_path / "again.csv")
    assert "release that it follows" in str(shoal.verify(tmp_path / "again.csv").not_proved)
    proof = shoal.verify(tmp_path / "again.csv", like=tmp_path / "first.csv")
    assert "Its classes follow those of first.csv, as its certificate says." in proof.proved
    if trees:
        assert "show names of nodes" in str(proof.not_proved)
        return
    assert "with the same values is left with at least" in str(proof.proved)
    assert "whose values changed" in str(proof.not_proved)
    means = shoal.anonymize(frame[50:], shoal.methods.Hilbert(publish="mean"), k=5, **ROLES)
    means.write(tmp_path / "means.csv")
    assert "need not hold" in str(shoal.verify(tmp_path / "means.csv", like=tmp_path / "first.csv").not_proved)


def test_people_find_a_node_that_holds_them_in_the_classes_of_before(tmp_path):
    frame = people(2, 300).with_columns(pl.col("zip") * 3)
    more = {"hierarchies": {"zip": "intervals 6,30", "job": tmp_path / "job.csv"}}
    (tmp_path / "job.csv").write_text("a;x;*\nb;x;*\nc;y;*\nd;y;*\n")
    first = shoal.anonymize(frame[:200], k=4, **ROLES, **more)
    first.write(tmp_path / "first.csv")
    again = shoal.anonymize(frame[100:], shoal.methods.SameClasses(tmp_path / "first.csv"), k=4, **ROLES, **more)
    levels = {"a": {"a", "x"}, "b": {"b", "x"}, "c": {"c", "y"}, "d": {"d", "y"}}
    shown = again.table.to_polars(cells="text").rows()
    for (age, code, job, _), cells in zip(frame[100:].rows(), shown, strict=True):
        low, high = (cells[0].strip("[]").split(";") * 2)[:2]
        assert int(low) <= age <= int(high)
        assert cells[2] in levels[job] | {"*"}
        low, high = (cells[1].split("-") * 2)[:2] if cells[1] != "*" else (0, 99)
        assert int(low) <= code <= int(high)
    kept = {row[:3] for row in shown} & {row[:3] for row in first.table.to_polars(cells="text").rows()}
    assert kept  # others grew, or lost members
