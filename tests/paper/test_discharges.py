"""Made-up discharges: the same on every machine, block by block, with cells that make sense."""

import hashlib

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import DataError, ParameterError
from shoal_paper.datasets.assumptions import Assumptions
from shoal_paper.datasets.discharge_model import HOSPITAL, NO_CHARGE, NOT_REPORTED, YEAR, fitted, model, resampled
from shoal_paper.datasets.discharges import (
    BLOCK,
    KNOWLEDGE,
    QUASI,
    ROWS,
    SENSITIVE,
    SUBJECT,
    _block,
    blocks,
    describe,
    discharges,
    write,
)  # fmt: skip

INTEGERS = [*QUASI, "charge"]
MISSING = -1


def made(rows, seed=2009, **options):
    parts = list(blocks(rows, seed, **options))
    return {name: np.ma.concatenate([part[name] for part in parts]).filled(MISSING) if name == "charge"
            else np.concatenate([part[name] for part in parts]) for name in parts[0]}  # fmt: skip


@pytest.fixture(scope="module")
def table():
    return made(4 * BLOCK + 1000, subject=True)


def chance_ratio(counts, expected):
    """Give chi-squared by its degrees of freedom, over the rows that are large enough: 1 if drawn by chance."""
    large = expected.min(axis=1) >= 5
    counts, expected = counts[large], expected[large]
    degrees = counts.shape[0] * (counts.shape[1] - 1)
    assert degrees > 200
    return ((counts - expected) ** 2 / expected).sum() / degrees


def digest(columns):
    found = hashlib.sha256()
    for name, column in columns.items():
        found.update(name.encode())
        texts = column.dtype.kind == "U"
        found.update("\n".join(column).encode() if texts else column.astype("<i8").tobytes())
    return found.hexdigest()


def test_the_same_seed_gives_the_same_table_everywhere():
    assert digest(made(10_000, subject=True)) == "d6f2a0a7213d71fa9dcd2188e7eecc486592bbbb2c8bd69b7ac1391c3ef78fc9"


def test_other_seeds_give_other_tables():
    assert digest(made(100)) != digest(made(100, seed=2010))


def test_a_short_table_is_the_beginning_of_a_longer_one(table):
    short = made(BLOCK + 10, subject=True)
    assert all((short[name] == column[: BLOCK + 10]).all() for name, column in table.items())


def test_blocks_can_be_made_in_any_order(table):
    for number in (3, 1):
        block = _block(model(), 2009, number)
        rows = slice(number * BLOCK, (number + 1) * BLOCK)
        assert all((block[name] == table[name][rows]).all() for name in (*QUASI, "diag_p", SUBJECT))


def test_ages_and_quarters_are_drawn_not_dealt(table):
    """Records that share a stratum in turn would be more even than chance makes them, and so more often unique."""
    tables, own = model(), table[SUBJECT] == np.arange(len(table[SUBJECT]))
    hospital = np.searchsorted(tables.hospitals, table["oshpd_id"])
    weights = np.bincount(tables.year[5 << YEAR : 6 << YEAR]) / (1 << YEAR)
    forties = own & (table["age_yrs"] // 10 == 4)
    counts = np.bincount(hospital[forties] * 10 + table["age_yrs"][forties] % 10, minlength=4480).reshape(-1, 10)
    assert chance_ratio(counts, counts.sum(axis=1, keepdims=True) * weights) == pytest.approx(1, abs=0.1)
    code = np.searchsorted(tables.codes, table["diag_p"])
    usual = own & (tables.season[code] == 3)
    counts = np.bincount(hospital[usual] * 4 + table["adm_qtr"][usual] - 1, minlength=4 * 448).reshape(-1, 4)
    shares = counts.sum(axis=0) / counts.sum()
    assert chance_ratio(counts, counts.sum(axis=1, keepdims=True) * shares) == pytest.approx(1, abs=0.12)


def test_every_length_of_stay_occurs(table):
    assert set(range(1, 61)) <= set(table["los"])
    days = np.bincount(table["los"], minlength=40)[10:40]
    assert (days[1:] < 1.2 * days[:-1]).all()  # a tail without bumps


def test_ages_have_no_steps_between_groups():
    tables = model()
    of_group = tables.sizes @ tables.by_age
    ages = np.concatenate(
        [
            share * np.bincount(tables.year[group << YEAR : (group + 1) << YEAR]) / (1 << YEAR)
            for group, share in enumerate(of_group)
        ]
    )
    assert ages.size == 86
    assert ages[0] > 10 * ages[1]
    assert ages[85] > 3 * ages[84]
    step = np.abs(np.diff(np.log(ages[1:85])))
    assert step.max() < 0.3
    assert step[np.arange(9, 80, 10) - 1].max() < 0.1
    assert (np.diff(ages[20:25]) > 0).all()  # no plateaus of five years


def test_quarters_have_a_season(table):
    airways = (table["diag_p"] >= "460") & (table["diag_p"] < "520")
    winter = [(table["adm_qtr"][who] == 1).mean() for who in (airways, ~airways)]
    assert winter[0] > winter[1] + 0.03


def test_patients_come_from_many_places_and_places_send_as_many_as_they_need(table):
    hospital = np.searchsorted(model().hospitals, table["oshpd_id"])
    zips, place = np.unique(table["patzip"], return_inverse=True)
    counts = np.bincount(hospital * zips.size + place, minlength=448 * zips.size).reshape(448, -1)
    pairs, rows = (counts * (counts - 1)).sum(axis=1), counts.sum(axis=1)
    effective = rows * (rows - 1) / np.maximum(pairs, 1)
    assert np.average(effective, weights=rows) > 12
    assert np.median(counts.max(axis=1) / np.maximum(rows, 1)) < 0.3
    sent = counts.sum(axis=0)[zips < 99_000]
    assert sent.max() / sent.sum() < 0.005  # the largest ZIP codes have three in a thousand of all people


def test_charges_are_missing_where_hospitals_do_not_report_them(table):
    price = model().price[np.searchsorted(model().hospitals, table["oshpd_id"])]
    assert ((table["charge"] == MISSING) == (price == NOT_REPORTED)).all()
    assert ((table["charge"] == 0) == (price == NO_CHARGE)).all()
    assert 0.05 < (table["charge"] == MISSING).mean() < 0.2
    assert discharges(2000).to_arrow().column("charge").null_count > 100


def test_columns_and_their_codes(table):
    assert tuple(table) == (SUBJECT, *QUASI, *SENSITIVE)
    assert all(table[name].dtype == np.int32 for name in (*INTEGERS, SUBJECT))
    limits = {
        "age_yrs": (0, 85), "sex": (1, 4), "ethncty": (1, 3), "race": (1, 6), "adm_qtr": (1, 4), "patcnty": (0, 58),
        "patzip": (10000, 99999), "charge": (MISSING, 9_999_999),
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
    births = np.char.startswith(code, "V3")
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
    assert all((frame[column].fill_null(MISSING).to_numpy() == cells).all() for column, cells in wanted.items()
               if column != "diag_p")  # fmt: skip
    assert (frame["diag_p"].to_numpy() == wanted["diag_p"]).all()
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
    assert [goal for goal in ours if goal.what != "share of patients with several discharges"] == theirs
    assert len(ours) == len(theirs) + 1


def test_goals_for_a_full_table_are_not_those_of_a_shorter_one():
    goals = describe(rows=20_000)
    of_length = [goal for goal in goals if goal.goal.endswith(" with 3,985,166 records")]
    assert {goal.what.split(":")[0] for goal in of_length} == {
        "SPD", "PD", "SPD in two intervals per attribute", "correlation between the correlations of PD and SPD",
    }  # fmt: skip
    assert {goal.holds for goal in of_length} == {None}
    assert {goal.kind for goal in goals} == {"by construction", "calibrated", "validation"}


@pytest.mark.parametrize("rows", [1, 2, 7])
def test_the_shortest_tables_can_be_described(rows):
    assert all(np.isfinite(goal.measured) for goal in describe(rows=rows))


def test_fitting_gives_the_margins():
    rows, columns = np.array([[3.0, 7.0]]), np.array([[4.0, 6.0]])
    cells = fitted(np.array([[2.0, 1.0], [1.0, 1.0]]), rows, columns)
    assert cells.sum(axis=2) == pytest.approx(rows)
    assert cells.sum(axis=1) == pytest.approx(columns)
    assert cells[0, 0, 0] * cells[0, 1, 1] / cells[0, 0, 1] / cells[0, 1, 0] == pytest.approx(2)


def test_a_bootstrap_draws_as_many_as_were_surveyed():
    shares = np.array([[1, 3, 0], [2, 2, 4]])
    assert resampled(shares, [100, 10], 0) is shares
    drawn = resampled(shares, [100, 10], 7)
    assert drawn.sum(axis=1).tolist() == [100, 10]
    assert drawn[0, 2] == 0
    assert drawn[0, 1] == pytest.approx(75, abs=15)
    assert (resampled(shares, [100, 10], 7) == drawn).all()


def test_other_assumptions_give_other_tables_with_the_same_hospitals():
    usual, other = (made(BLOCK, assumptions=assumed) for assumed in (Assumptions(), Assumptions.drawn(3)))
    assert (usual["oshpd_id"] == other["oshpd_id"]).mean() > 0.7  # but for those who return
    assert (usual["patzip"] != other["patzip"]).mean() > 0.3
    assert (usual["charge"] != other["charge"]).mean() > 0.5
    assert digest(made(1000, assumptions=Assumptions())) == digest(made(1000))


def test_parameters_fit_together():
    tables = model()
    assert ROWS == 3_985_166
    assert len(tables.hospitals) == 448
    assert tables.sizes.sum() == 1 << HOSPITAL == tables.hospital.size
    assert (np.bincount(tables.hospital) == tables.sizes).all()
    assert tables.home.near.max() < len(tables.zips) - 2
    assert tables.home.far.max() < len(tables.zips) - 2
    assert 0 < tables.home.scattered.min() < tables.home.scattered.max() < 1
    assert 0.11 < np.average(tables.home.scattered, weights=tables.sizes) < 0.2  # balancing adds to the assumed
    assert tables.neighbours.size == 4 * 448
    assert tables.stay.size == 6 << 16
