"""What analysts find in a release: worked by hand on tables whose answer is known, and told for every release."""

import numpy as np
import polars as pl
import pytest

import shoal
from shoal_paper.datasets.discharges import discharges
from shoal_paper.reproduction.beyond import utility
from shoal_paper.reproduction.beyond.analyses import Analyses
from shoal_paper.reproduction.case import Case
from shoal_paper.reproduction.records import Records

ROWS = 400
AGES = np.arange(ROWS) % 80
STAYS = np.arange(ROWS) // 80


def read(ages=AGES, stays=STAYS, pay=None):
    # Each year and each day make what is paid a tenth and a third more.
    told = np.exp(0.1 * AGES + 0.3 * STAYS) if pay is None else pay
    frame = pl.DataFrame({"age": ages, "stay": stays, "pay": told}, strict=False)
    return shoal.read(frame, quasi=["age", "stay"], sensitive=["pay"], masked=True)


def analysed(original, released=None):
    return Analyses("pay").score(original, original if released is None else released)


def test_what_is_a_line_is_explained_in_full_and_the_original_has_no_error():
    found = analysed(read())
    assert found.value == 0
    assert found.detail["r_squared"]["released"] == pytest.approx(1)
    assert found.detail["accuracy"]["released"] > 0.9
    assert (found.detail["records"], found.detail["left_out"]) == (ROWS, 0)


def test_a_release_that_tells_nothing_finds_that_nothing_matters():
    original = read()
    found = analysed(original, shoal.methods.Coarsen(1).apply(original, (), 0))
    assert found.value == pytest.approx(1)
    assert found.detail["r_squared"]["released"] == pytest.approx(0, abs=0.02)
    assert 0.4 < found.detail["accuracy"]["released"] < 0.6 < found.detail["accuracy"]["original"]


def test_where_nothing_is_told_the_more_frequent_answer_is_predicted():
    rare = np.where(AGES < 60, 5.0, 90.0)  # a quarter is above the median
    original = read(pay=rare)
    found = analysed(original, shoal.methods.Coarsen(1).apply(original, (), 0))
    assert found.detail["accuracy"]["released"] == pytest.approx(0.75, abs=0.06)
    assert found.detail["accuracy"]["original"] > 0.9


def test_an_attribute_that_is_lost_leaves_the_effect_of_the_other():
    original = read()
    found = analysed(original, shoal.methods.Coarsen({"stay": 1}).apply(original, (), 0))
    # Ages and stays are independent: age is left, and the error is the share that the stay had in both.
    age, stay = 0.1 * AGES.std(), 0.3 * STAYS.std()
    assert found.value == pytest.approx(stay / np.hypot(age, stay), abs=0.01)


def test_records_that_do_not_tell_the_number_are_left_out():
    pay = [None if i % 10 == 0 else 0.0 if i % 10 == 1 else float(np.exp(AGES[i] / 10)) for i in range(ROWS)]
    found = analysed(read(pay=pay))
    assert (found.detail["records"], found.detail["left_out"]) == (320, 80)
    assert found.detail["r_squared"]["original"] == pytest.approx(1)


@pytest.mark.parametrize("pay", [np.full(ROWS, 7.0), np.zeros(ROWS), np.where(np.arange(ROWS) < 60, 1.0 + AGES, 0.0)])
def test_where_nothing_can_be_learned_nothing_is_measured(pay):
    found = analysed(read(pay=pay))
    assert found.value == 0
    assert "nothing_to_measure" in found.detail


def test_an_ordered_category_is_explained_by_its_place():
    grades = np.array(["low", "middle", "high"])[np.minimum(AGES // 15, 2)]
    frame = pl.DataFrame({"age": AGES, "grade": grades})
    table = shoal.read(frame, quasi=["age"], sensitive=["grade"], orders={"grade": ("low", "middle", "high")})
    found = Analyses("grade").score(table, table)
    assert (found.value, found.detail["left_out"]) == (0, 0)
    assert found.detail["r_squared"]["original"] > 0.6
    # Most records have the highest grade, so that it is the median: nothing is above it, and reaching it is predicted.
    assert 0.9 < found.detail["accuracy"]["original"] < 1


def test_missing_cells_and_categories_are_learned_from_too():
    ages = [None if i % 7 == 0 else int(age) for i, age in enumerate(AGES)]
    original = read(ages=ages, stays=[f"ward {stay}" for stay in STAYS])
    found = analysed(original, shoal.methods.Hilbert().apply(original, (shoal.models.KAnonymity(5),), 0))
    assert 0 < found.value < 1
    assert 0 < found.detail["r_squared"]["released"] <= found.detail["r_squared"]["original"] + 0.05


@pytest.fixture(scope="module")
def rows():
    return utility.measure(Case(Records.of(discharges(2000))))


def test_every_release_is_analysed_between_the_original_and_nothing(rows):
    found = {(row["release"], row["measure"]): row["value"] for row in rows}
    releases = list(dict.fromkeys(row["release"] for row in rows))
    assert releases[0] == "original"
    assert releases[-1] == "nothing"
    assert {"S2", "S4", "hilbert", "hilbert with t", "1/8", "1/8 printed"} < set(releases)
    for what in ("information-loss", "effects", "query-error"):
        assert found["original", what] == 0 < found["hilbert", what] < found["nothing", what]
    assert found["nothing", "effects"] == pytest.approx(1)
    assert found["S2", "uniqueness"] == 0 < found["1/32", "uniqueness"]


def test_figures_and_section_tell_the_rows_and_nothing_else(rows):
    drawn = utility.figures(rows)
    assert list(drawn) == ["Fig. B3a", "Fig. B3b", "Fig. B3c"]
    told = " ".join(map(str, utility.section(rows, dict.fromkeys(drawn, "")).blocks))
    spoilt = [row | {"value": 0.125} if row["measure"] == "effects" else row for row in rows]
    other = " ".join(map(str, utility.section(spoilt, {}).blocks))
    assert "from 0.12 (S2) to 0.12 (S4)" in other
    assert "from 0.12 (S2) to 0.12 (S4)" not in told
    assert "Nobody stands alone in S2, hilbert, S4, hilbert with t. In the others" in told
    assert "that do not tell log charge, were left out" in told


def test_too_short_a_table_gives_no_rows():
    assert utility.measure(Case(Records.of(discharges(100)))) == []
    assert utility.figures([]) == {}
