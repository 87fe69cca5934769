"""Measures that synthetic data are shown beside: worked by hand, by brute force, and the known answer on Adult."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from public_files import find

import shoal
from shoal.errors import ParameterError, SchemaError
from shoal.kernels.nearest_rows import NOMINAL, NUMBER, ORDERED, RowCells, RowTree
from shoal.measures import ClosestRecord, ExactCopies, MarginalDistance

# The node of the release: levels of the columns but occupation.
LEVELS = {
    "sex": 0, "age": 3, "race": 0, "marital-status": 0, "education": 2, "native-country": 1, "workclass": 1,
    "salary-class": 0,
}  # fmt: skip


def score(original, released, measure):
    (found,) = shoal.score(original, released, measures=[measure])
    return found


def read(frame, **given):
    return shoal.read(frame, **({"quasi": frame.columns} | given))


@pytest.mark.large
def test_a_full_domain_release_of_adult_remembers_as_much_as_is_known(tmp_path):
    """Each row is near 349 kinds of people: 0.50547037 of them nearer to the 24,130 than to the 6,032 held out."""
    whole = pl.read_csv(find("adult/adult.csv", tmp_path), separator=";", infer_schema=False).select(*LEVELS)
    held = pl.arange(whole.height, eager=True) % 5 == 4
    whole.filter(held).write_csv(tmp_path / "held-out.csv")
    kept = nodes = whole.filter(~held)
    for name, level in LEVELS.items():
        lines = find(f"adult/adult_hierarchy_{name}.csv", tmp_path).read_text(encoding="utf-8").splitlines()
        node = {row[0]: row[level] for row in (line.split(";") for line in lines)}
        sets = {n: sorted(v for v in whole[name].unique() if node[v] == n) for n in set(node.values())}
        cells = {
            n: members[0] if len(members) == 1 else f"{{{';'.join(members)}}}" for n, members in sets.items() if members
        }
        nodes = nodes.with_columns(pl.col(name).replace_strict(node).replace_strict(cells))
    alone = nodes.select(pl.len().over(*LEVELS)).to_series() < 5
    assert alone.sum() == 1304
    shown = nodes.with_columns(pl.when(alone).then(pl.lit("*")).otherwise(name).alias(name) for name in LEVELS)
    kinds = dict.fromkeys(LEVELS, "category")
    original, released = read(kept, kinds=kinds), read(shown, kinds=kinds, masked=True)
    measure = ClosestRecord(str(tmp_path / "held-out.csv"), equal=False, most=30_000)
    found = score(original, released, measure)
    assert found.value == pytest.approx(0.5054703688354745, abs=1e-12)
    assert found.detail | {"rows": 24130, "records": 24130, "held_out": 6032} == found.detail


ENDS = st.sampled_from([0.0, 1.0, 2.0, 3.5])


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(1, 9))
def test_the_nearest_records_are_those_of_brute_force(seed, rows, records):
    draw = np.random.default_rng(seed)
    kinds, scale = np.array([NUMBER, ORDERED, NOMINAL]), np.array([0.25, 1.0, 1.0])
    sets = draw.integers(0, 2, (2, 3)).astype(np.uint8)
    lo = draw.integers(0, 3, (rows, 3)).astype(float)
    hi = lo + draw.integers(0, 2, (rows, 3)) * [1, 1, 0]
    chosen = draw.random(rows) < 0.4
    lo[chosen, 2], hi[chosen, 2] = -1, draw.integers(0, 2, chosen.sum())
    for there in (lo, hi):
        there[draw.random((rows, 3)) < 0.1] = np.nan
    hi[np.isnan(lo)] = lo[np.isnan(hi)] = np.nan
    star = draw.random((rows, 3)) < 0.15
    lo[star], hi[star] = -np.inf, np.inf
    people = draw.integers(0, 3, (records, 3)).astype(float)
    people[draw.random((records, 3)) < 0.2] = np.nan
    known = RowTree(RowCells(people, people, np.zeros((0, 1), np.uint8)), kinds, scale)
    least, second = known.distances(RowCells(lo, hi, sets))
    for i in range(rows):
        apart = sorted(
            sum(gap(kinds[j], lo[i, j], hi[i, j], people[r, j], scale[j], sets) for j in range(3))
            for r in range(records)
        )
        assert (least[i], second[i]) == (*apart, np.inf)[:2]


def gap(kind, lo, hi, value, scale, sets):
    if lo == -np.inf:
        return 0
    if math.isnan(lo) or math.isnan(value):
        return int(math.isnan(lo) != math.isnan(value))
    if kind == NOMINAL:
        return int(value != lo) if lo >= 0 else 1 - int(sets[int(hi), int(value)])
    if lo <= value <= hi:
        return 0
    return 1 if kind == ORDERED else min(1, (lo - value if value < lo else value - hi) * scale)


def test_rows_nearer_to_the_original_than_to_those_held_out_are_counted(tmp_path):
    original = pl.DataFrame({"age": [20, 40, 60], "kind": ["a", "b", "c"]})
    pl.DataFrame({"age": [21, 60], "kind": ["a", "c"]}).write_csv(tmp_path / "others.csv")
    released = pl.DataFrame({"age": ["20", "[30;40]", "60"], "kind": ["a", "{b;c}", "c"]})
    measure = ClosestRecord(str(tmp_path / "others.csv"), equal=False)
    found = score(read(original), read(released, kinds={"age": "integer", "kind": "category"}), measure)
    assert found.value == pytest.approx((1 + 1 + 0.5) / 3)
    assert found.detail["nearest"] == 0
    assert score(read(original), read(original), ClosestRecord()).detail["nothing_to_measure"]
    with pytest.raises(SchemaError, match="weight"):
        score(read(original), read(original), ClosestRecord(str(tmp_path / "others.csv"), columns=("weight",)))


def test_a_certificate_makes_nobody_read_a_file_and_names_no_folder(tmp_path):
    frame = pl.DataFrame({"age": [20, 20, 60, 60], "kind": ["a", "a", "c", "c"]})
    frame.write_csv(tmp_path / "others.csv")
    release = shoal.anonymize(
        frame, [], k=2, quasi=frame.columns, measures=[ClosestRecord(str(tmp_path / "others.csv")), "uniqueness"]
    )
    release.write(tmp_path / "out.csv")
    assert str(tmp_path) not in (tmp_path / "out.certificate.json").read_text(encoding="utf-8")
    proof = shoal.verify(tmp_path / "out.csv", private=tmp_path / "out.private.json", original=frame)
    assert "closest-record (it depends on a file that is not released)" in proof.not_proved
    with pytest.raises(ParameterError):
        release.write(tmp_path / "others.csv", overwrite=True)


def test_pairs_of_values_are_compared_cell_by_cell():
    before = pl.DataFrame({"a": ["x", "x", "y", "y"], "b": ["p", "q", "p", "q"], "n": [1, 2, 3, 4]})
    after = pl.DataFrame({"a": ["x", "x", "y", "y"], "b": ["p", "p", "q", "q"], "n": [1, 2, 3, 4]})
    found = score(read(before), read(after), MarginalDistance(columns=("a", "b")))
    assert found.value == 0.5
    assert found.detail["worst_of"] == "a ~ b"
    assert score(read(before), read(after), MarginalDistance(columns=("a", "n"))).value == 0
    assert score(read(before), read(after), MarginalDistance()).value == pytest.approx((0.5 + 0 + 0.5) / 3)


def test_a_set_a_range_and_a_wildcard_count_for_all_that_they_may_stand_for():
    before = pl.DataFrame({"a": ["x", "y"] * 2, "n": [1, 2, 3, 4]})
    after = pl.DataFrame({"a": ["{x;y}", "{x;y}", "*", "*"], "n": ["[1;2]", "[1;2]", "3", "4"]})
    found = score(read(before), read(after, kinds={"a": "category", "n": "integer"}, masked=True), MarginalDistance())
    # Four pairs were one in four each; now these and four others are one in eight each.
    assert found.value == pytest.approx(0.5)
    assert score(read(before), read(before), MarginalDistance()).value == 0


def test_numbers_with_many_values_are_put_into_full_bins():
    before = pl.DataFrame({"n": list(range(1000)), "a": ["x"] * 1000})
    after = before.with_columns(pl.col("n") + 25)
    assert score(read(before), read(after), MarginalDistance(cells=20)).value == pytest.approx(0.025, abs=0.002)
    assert score(read(before), read(after), MarginalDistance(cells=1000)).value == pytest.approx(0.025, abs=0.002)
    with pytest.raises(ParameterError, match="Between 2 and 2000"):
        MarginalDistance(cells=1)


def test_copies_are_rows_that_equal_a_record_in_every_column():
    before = pl.DataFrame({"a": ["x", "x", "y", None], "n": [1.5, 1.5, 2.0, 2.0]})
    after = pl.DataFrame({"a": ["x", "y", None, "x"], "n": ["1.50", "2", "2", "[1;2]"]})
    found = score(read(before), read(after, kinds={"n": "float", "a": "category"}), ExactCopies())
    assert found.value == 0.75
    assert found.detail == {"copies": 3, "of_unique_records": 2, "unique_records_copied": 2, "records": 4}
    assert score(read(before), read(before), ExactCopies(("n",))).detail["of_unique_records"] == 0


def test_pairs_are_those_of_all_released_columns_and_rare_categories_count_as_one():
    frame = pl.DataFrame({"q": [1, 2] * 50, "job": [f"j{i}" for i in range(100)], "pay": [i * 0.5 for i in range(100)]})
    roles = {"quasi": ["q"], "sensitive": ["job", "pay"]}
    before, after = (shoal.read(each, **roles) for each in (frame, frame.with_columns(pl.col("pay").reverse())))
    found = score(before, after, MarginalDistance(cells=100))
    assert found.detail["per_attribute"] == {"q": 0, "job": 0, "pay": 0}
    assert found.detail["per_pair"] == {"q ~ job": 0, "q ~ pay": 1, "job ~ pay": 1}
    assert score(before, after, MarginalDistance(cells=2)).detail["per_pair"]["q ~ job"] == 0
    few = shoal.read(frame.with_columns(pl.lit("j0").alias("job")), **roles)
    # Two cells: the one category that comes first among equals, and all others.
    assert score(before, few, MarginalDistance(cells=2)).detail["per_attribute"]["job"] == pytest.approx(0.99)
    with pytest.raises(SchemaError, match="wage"):
        score(before, after, MarginalDistance(columns=("wage",)))
