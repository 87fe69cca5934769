"""Classes of k records that are fewer than k people: worked by hand, and in the made-up discharges."""

from dataclasses import replace

import polars as pl
import pytest

import shoal
from shoal.methods.mask_uniques import MaskUniques
from shoal.schema import ReadOptions, Roles
from shoal_paper.datasets.discharges import discharges
from shoal_paper.reproduction.beyond import people
from shoal_paper.reproduction.case import Case
from shoal_paper.reproduction.records import Records
from shoal_paper.reproduction.setting import Setting

# Ada and bob have two records each that are alike; the others one each, far away.
WHO = ["ada", "ada", "bob", "bob", *(f"p{i}" for i in range(8))]
AGES = [1, 1, 30, 30, 60, 61, 62, 63, 64, 65, 66, 67]
MASKING = MaskUniques(order=("age -> bands 0,50",))


def case_of(who=WHO, ages=AGES):
    frame = pl.DataFrame({"who": who, "age": ages, "pay": [10 * i for i in range(len(who))]})
    options = ReadOptions(roles=Roles(quasi=("age",), sensitive=("pay",)), knowledge={"age": "census"}, masked=True)
    setting = Setting("visits", options, MASKING, "pay", "pay > 100")
    table = shoal.read(frame, quasi=["age"], sensitive=["pay"], masked=True, knowledge={"age": "census"})
    known = shoal.read(frame, quasi=["age"], sensitive=["pay"], subject="who", masked=True)
    return Case(Records.of(table, masking=MASKING), setting, lambda: known)


def by_place(rows):
    return {(row["family"], row["k"], row["counted"]): row for row in rows}


def test_two_records_of_one_patient_are_a_class_of_one_person():
    # Rows that stand alone are masked and regenerated, so the order of the others may change; ada and bob stay.
    found = by_place(people.measure(case_of()))
    for family in people.METHODS:
        pair = found[family, 2, "records"]
        assert (pair["classes_of_one"], pair["records_of_one"], pair["fewest_people"]) == (2, 4, 1)
        mended = found[family, 2, "people"]
        assert (mended["classes_of_one"], mended["classes_of_few"], mended["fewest_people"]) == (0, 0, 2)
        assert mended["information_loss"] > pair["information_loss"]
        assert (pair["people"], pair["records"]) == (10, 12)
    # Four records are two people's: fewer than three, but not one.
    three = found["Algorithm S2", 3, "records"]
    assert three["classes_of_few"] >= three["classes_of_one"]


def test_levels_beyond_the_number_of_people_are_left_out():
    found = people.measure(case_of(who=["ada"] * 6 + ["bob", "cy", "dee", *["eve"] * 3]))
    assert {row["k"] for row in found} == {2, 3, 5}


def test_nothing_is_counted_where_nobody_tells_people_apart():
    case = replace(case_of(), people=None)
    assert people.measure(case) == []
    assert people.figures([]) == {}


def test_a_record_of_nobody_is_refused():
    with pytest.raises(shoal.errors.DataError, match="whose it is"):
        people.measure(case_of(who=[*WHO[:-1], None]))


def test_records_that_came_masked_are_made_whole_as_the_study_does():
    full = case_of()
    masked = replace(full.records, truth=None)
    known = MASKING.apply(full.people(), (), 0)
    again = people.measure(replace(full, records=masked, people=lambda: known))
    assert again == people.measure(full)


@pytest.fixture(scope="module")
def rows():
    return people.measure(Case(Records.of(discharges(4000)), people=lambda: discharges(4000, subject=True)))


def test_patients_who_return_break_the_promise_of_records_and_keep_that_of_people(rows):
    assert sum(row["classes_of_few"] for row in rows if row["counted"] == "records") > 0
    assert all(row["fewest_people"] >= row["k"] for row in rows if row["counted"] == "people")


def test_figures_and_section_follow_the_rows(rows):
    drawn = people.figures(rows)
    assert list(drawn) == ["Fig. B2a", "Fig. B2b"]
    told = " ".join(people.section(rows, dict.fromkeys(drawn, "")).blocks)
    first = rows[0]
    assert f"{first['classes_of_one']:,} classes with {first['records_of_one']:,} records" in told
    assert "Then no classes have fewer than k people" in told
    dearer = [row | {"information_loss": 1.0 if row["counted"] == "records" else 1.25} for row in rows]
    assert "grows by 25.0% to 25.0% with Algorithm S2" in " ".join(people.section(dearer, {}).blocks)
    broken = [row | {"classes_of_few": 3} for row in rows]
    assert "Then no classes" not in " ".join(people.section(broken, {}).blocks)
