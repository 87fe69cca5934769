"""Made-up discharges: the same on every machine, block by block, with cells that make sense."""

import hashlib

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.datasets.discharge_model import FAVOURED, LINES, LONGEST, fitted, model, slots, whole
from shoal.datasets.discharges import (
    BLOCK,
    BLOCKS,
    KNOWLEDGE,
    QUASI,
    SENSITIVE,
    SUBJECT,
    _Roll,
    blocks,
    describe,
    discharges,
    write,
)  # fmt: skip
from shoal.errors import DataError, ParameterError

INTEGERS = [*QUASI, "charge"]


def made(rows, seed=2009, **options):
    parts = list(blocks(rows, seed, **options))
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


@pytest.fixture(scope="module")
def table():
    return made(2 * BLOCK + 1000, subject=True)


def alone(rows):
    _, which, counts = np.unique(rows, axis=1, return_inverse=True, return_counts=True)
    return counts[which.reshape(-1)] == 1


def digest(columns):
    found = hashlib.sha256()
    for name, column in columns.items():
        found.update(name.encode())
        texts = column.dtype.kind == "U"
        found.update("\n".join(column).encode() if texts else column.astype("<i8").tobytes())
    return found.hexdigest()


def test_the_same_seed_gives_the_same_table_everywhere():
    assert digest(made(10_000, subject=True)) == "8daf315bd4795e5c7606f0b3c2dc12fc9aacdbe41d52aaacb9d0539b6cbc764b"


def test_other_seeds_give_other_tables():
    assert digest(made(100)) != digest(made(100, seed=2010))


def test_a_short_table_is_the_beginning_of_a_longer_one(table):
    short = made(BLOCK + 10, subject=True)
    assert all((short[name] == column[: BLOCK + 10]).all() for name, column in table.items())


def test_a_table_takes_every_line_of_the_roll_once():
    lines = _Roll(model(), 5, 0).lines(np.arange(BLOCKS * BLOCK))
    assert (np.bincount(lines) == 1).all()
    assert lines.size == LINES
    assert (_Roll(model(), 5, 1).lines(np.arange(100)) != lines[:100]).any()


def test_most_unique_records_have_a_companion_nearly_of_their_age():
    """The deal: people of one place, stay and quarter differ in age, within a band of five years."""
    cells = np.concatenate(
        [
            np.stack([part[name] for name in QUASI])[:, (part["oshpd_id"] == 10739) & (part["age_yrs"] // 40 == 1)]
            for part in blocks(LINES)
        ],
        axis=1,
    )
    unique = cells[:, alone(cells)]
    assert 0.85 < unique.shape[1] / cells.shape[1] < 1
    unique[QUASI.index("age_yrs")] //= 5
    assert alone(unique).mean() < 0.5


def test_columns_and_their_codes(table):
    assert tuple(table) == (SUBJECT, *QUASI, *SENSITIVE)
    assert all(table[name].dtype == np.int32 for name in (*INTEGERS, SUBJECT))
    limits = {
        "age_yrs": (0, 85), "sex": (1, 4), "ethncty": (1, 3), "race": (1, 6), "adm_qtr": (1, 4), "patcnty": (0, 58),
        "patzip": (10000, 99999), "charge": (0, 9_999_999),
    }  # fmt: skip
    for name, (low, high) in limits.items():
        assert table[name].min() >= low
        assert table[name].max() <= high
    assert table["los"].min() == 1
    assert set(np.unique(table["oshpd_id"] // 10000)) <= set(range(1, 59))
    homes = np.unique(np.stack([table["patzip"], table["patcnty"]]), axis=1)
    assert len(np.unique(homes[0])) == homes.shape[1]


def test_diagnoses_suit_age_and_sex(table):
    code, age, sex = table["diag_p"], table["age_yrs"], table["sex"]
    births = np.char.startswith(code, "V30")
    assert set(age[births]) == {0}
    assert births[age == 0].mean() > 0.6
    childbed = (code >= "630") & (code < "680")
    assert childbed[(sex == 2) & (age >= 20) & (age < 35)].mean() > 0.5
    assert set(sex[childbed]) == {2}
    assert age[childbed].min() >= 13
    assert age[childbed].max() < 45


def test_patients_who_return_are_the_same_persons(table):
    order = np.argsort(table[SUBJECT], kind="stable")
    patient = table[SUBJECT][order]
    again = np.flatnonzero(patient[1:] == patient[:-1])
    assert 0.05 < again.size / patient.size < 0.2
    for name in ("age_yrs", "sex", "ethncty", "race", "patzip", "patcnty"):
        column = table[name][order]
        assert (column[again + 1] == column[again]).all()
    hospital = table["oshpd_id"][order]
    assert 0.5 < (hospital[again + 1] == hospital[again]).mean() < 1


def test_table_has_roles_and_knowledge():
    small = discharges(500)
    assert small.schema.quasi == QUASI
    assert small.schema.sensitive == SENSITIVE
    assert {a.name: a.knowledge for a in small.schema.attributes if a.knowledge} == KNOWLEDGE
    assert small.schema.subject is None
    assert discharges(500, subject=True).schema.subject == SUBJECT


@pytest.mark.parametrize("name", ["d.csv", "d.parquet"])
def test_files_hold_the_table(tmp_path, name):
    path = tmp_path / name
    write(path, BLOCK + 10, 5, subject=True)
    wanted = made(BLOCK + 10, 5, subject=True)
    frame = pl.read_parquet(path) if name.endswith("parquet") else pl.read_csv(path, schema_overrides={"diag_p": str})
    assert frame.columns == list(wanted)
    assert all((frame[column].to_numpy() == cells).all() for column, cells in wanted.items())
    assert list(tmp_path.iterdir()) == [path]


def test_text_is_plain(tmp_path):
    write(tmp_path / "d.csv", 50)
    text = (tmp_path / "d.csv").read_bytes()
    assert text.startswith(b"oshpd_id,age_yrs,sex,ethncty,race,patzip,patcnty,los,adm_qtr,charge,diag_p\n")
    assert not set(b'"\r ') & set(text)
    assert shoal.read(tmp_path / "d.csv", quasi=QUASI, sensitive=SENSITIVE).rows == 50


def test_wrong_wishes_are_refused(tmp_path):
    with pytest.raises(ParameterError, match="at least one record"):
        write(tmp_path / "d.csv", 0)
    with pytest.raises(ParameterError, match="seed"):
        write(tmp_path / "d.csv", 10, -1)
    with pytest.raises(DataError, match="folder"):
        write(tmp_path, 10)
    assert not list(tmp_path.iterdir())


def test_description_of_a_table_is_that_of_its_columns():
    ours = describe(rows=20_000)
    theirs = describe(discharges(20_000))
    assert ours[: len(theirs)] == theirs
    assert ours[-1].what == "share of patients with several discharges"


def test_goals_for_a_full_table_are_not_those_of_a_shorter_one():
    of_length = [goal for goal in describe(rows=20_000) if goal.goal.endswith(" with 3,985,166 records")]
    assert [goal.what for goal in of_length if not goal.what.endswith("among races")] == [
        "unique by census, spatial, temporal features",
        "masked: race",
        "masked: mean over nine columns",
        "masked: still unique in the worst case",
    ]
    assert {goal.holds for goal in of_length} == {None}


def test_shares_are_rounded_by_the_largest_remainders():
    assert whole(np.array([[1, 1, 1], [5, 3, 0]]), 8).tolist() == [[3, 3, 2], [5, 3, 0]]
    assert slots([1, 3], 3).tolist() == [0, 0, 1, 1, 1, 1, 1, 1]


def test_fitting_gives_the_margins():
    rows, columns = np.array([[3.0, 7.0]]), np.array([[4.0, 6.0]])
    cells = fitted(np.array([[2.0, 1.0], [1.0, 1.0]]), rows, columns)
    assert cells.sum(axis=2) == pytest.approx(rows)
    assert cells.sum(axis=1) == pytest.approx(columns)
    assert cells[0, 0, 0] * cells[0, 1, 1] / cells[0, 0, 1] / cells[0, 1, 0] == pytest.approx(2)


def test_parameters_fit_together():
    tables = model()
    assert len(tables.hospitals) == 448
    assert tables.sizes.sum() == 1 << 20
    lines = np.bincount(tables.hospital, weights=np.diff(tables.first))
    assert lines.sum() == LINES == tables.stratum.size
    assert lines == pytest.approx(tables.sizes * LINES / (1 << 20), abs=10)
    assert tables.place.max() == len(tables.zips)  # stands for scattered ones
    assert tables.scattered.max() < len(tables.zips) - 2
    assert tables.neighbours.size == 4 * 448
    assert tables.long.max() * 3 // 512 + 2 < 1 << LONGEST
    assert tables.favoured[: 1 << LONGEST][[0, 1, 2, 5, 14, 24, 25]].tolist() == [1, 1, 2, 6, 14, 21, 28]
    assert len(FAVOURED) == 4
