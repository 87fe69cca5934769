"""Hierarchies that are built over values: worked by hand, the same on every engine, and refused with a reason."""

import csv

import polars as pl
import pytest
from engines.tiny import Tiny
from public_files import find

import shoal
from shoal.assessment.hierarchy_building import build_over, values_of
from shoal.domains.hierarchy import Hierarchy
from shoal.domains.hierarchy_file import csv_of
from shoal.domains.icd_chapters import ICD9
from shoal.engines.disk.pool import DiskPool
from shoal.errors import ParameterError
from shoal.schema import ReadOptions

BY_HAND = {
    "intervals 5,10": (["3", "7", "12"], [("3", "0-4", "0-9"), ("7", "5-9", "0-9"), ("12", "10-14", "10-19")]),
    "intervals 5,10 top 40 bottom 12": (
        ["12", "13", "29", "39", "40"],
        [
            ("12", "up to 12", "up to 12"), ("13", "13-14", "13-19"), ("29", "25-29", "20-29"),
            ("39", "35-39", "30-39"), ("40", "40+", "40+"),
        ],
    ),
    "intervals 7 from 1 top 10": (["3", "9", "10"], [("3", "1-7"), ("9", "8-9"), ("10", "10+")]),
    "intervals 2 bottom 1": (
        ["1", "1.5", "3"], [("1", "up to 1"), ("1.5", "above 1 to under 2"), ("3", "2 to under 4")],
    ),
    "intervals 5 from 3": (["3", "7", "8"], [("3", "3-7"), ("7", "3-7"), ("8", "8-12")]),
    "intervals 2.5,5": (
        ["0.5", "3.75"], [("0.5", "0 to under 2.5", "0 to under 5"), ("3.75", "2.5 to under 5", "0 to under 5")],
    ),
    "intervals 5": (["-3", "-6"], [("-6", "-10 to -6"), ("-3", "-5 to -1")]),
    "cuts 18,30,65 / 18,65": (
        ["3", "18", "40", "70"],
        [
            ("3", "under 18", "under 18"), ("18", "18-29", "18-64"), ("40", "30-64", "18-64"),
            ("70", "65 and over", "65 and over"),
        ],
    ),
    "top 90": (["89", "90", "97"], [("89", "89"), ("90", "90+"), ("97", "90+")]),
    "bottom 18": (["3", "18", "19"], [("3", "up to 18"), ("18", "up to 18"), ("19", "19")]),
    "top 90 bottom 18": (["3", "40", "97"], [("3", "up to 18"), ("40", "40"), ("97", "90+")]),
    "bottom 18 top 90": (["3", "40", "97"], [("3", "up to 18"), ("40", "40"), ("97", "90+")]),
    "suffix 2,1": (["123", "523"], [("123", "*23", "**3"), ("523", "*23", "**3")]),
    "dates day,month,decade": (["2021-07-09"], [("2021-07-09", "2021-07-09", "2021-07", "2020s")]),
    "dates week": (["2021-01-03", "2021-01-04"], [("2021-01-03", "2020-W53"), ("2021-01-04", "2021-W01")]),
    "ordered 2,4": (
        list("abcde"),
        [
            ("a", "a … b", "a … d"), ("b", "a … b", "a … d"), ("c", "c … d", "a … d"), ("d", "c … d", "a … d"),
            ("e", "e", "e"),
        ],
    ),
    "groups north=Oslo,Bergen; south=Rome": (
        ["Oslo", "Rome", "Bari"],
        [("Oslo", "north"), ("Rome", "south"), ("Bari", "other")],
    ),
    "icd9": (
        ["250", "25001", "038.9", "E812.0", "V27"],
        [
            ("250", "250.-", "240-279 Endocrine, nutritional, metabolic, immunity"),
            ("25001", "250.-", "240-279 Endocrine, nutritional, metabolic, immunity"),
            ("038.9", "038.-", "001-139 Infectious and parasitic diseases"),
            ("E812.0", "E812.-", "E000-E999 External causes"),
            ("V27", "V27.-", "V01-V91 Health status and contact with health services"),
        ],
    ),
    "icd10 chapter": (
        ["D48.9", "D50", "c4a0", "O9A.1", "T88"],
        [
            ("D48.9", "C00-D49 Neoplasms"), ("D50", "D50-D89 Blood, blood-forming organs, immune mechanism"),
            ("c4a0", "C00-D49 Neoplasms"), ("O9A.1", "O00-O9A Pregnancy, childbirth, puerperium"),
            ("T88", "S00-T98 Injury, poisoning, consequences of external causes"),
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", BY_HAND)
def test_each_way_comes_out_as_by_hand(text):
    values, rows = BY_HAND[text]
    found = Hierarchy.build(text, values, "age").levels
    assert sorted(row[: len(rows[0])] for row in found) == sorted(rows)


def test_each_code_of_a_published_list_lies_in_one_chapter_that_it_names_too(tmp_path):
    listed = find("codes/icd9cm_hierarchy.csv", tmp_path)
    with listed.open(encoding="utf-8") as file:
        said = {row["code"]: row for row in csv.DictReader(file)}
    found = {row[0]: row for row in Hierarchy.build("icd9", said, "code").levels}
    assert all(found[code][1] == f"{row['three_digit']}.-" for code, row in said.items())
    assert len({(found[code][2], row["chapter"]) for code, row in said.items()}) == len(ICD9.chapters) == 19


def test_by_how_many_people_have_a_value():
    counts = {"a": 5, "b": 1, "c": 1, "d": 30}
    assert dict(row[:2] for row in Hierarchy.build("frequent 2", counts, "job").levels) == {
        "a": "a", "b": "other", "c": "other", "d": "d",
    }  # fmt: skip
    found = {row[0]: row[1:3] for row in Hierarchy.build("frequent 2,10", counts, "job").levels}
    assert found["a"] == ("a", "other (under 10)")
    assert found["b"] == found["c"] == ("other", "other (under 10)")
    assert found["d"] == ("d", "d")
    ages = {"1": 10, "2": 10, "3": 10, "4": 10, "50": 40}
    found = {row[0]: row[1:3] for row in Hierarchy.build("quantiles 4,2", ages, "age").levels}
    assert found == {"1": ("1-2", "1-4"), "2": ("1-2", "1-4"), "3": ("3-4", "1-4"), "4": ("3-4", "1-4"),
                     "50": ("50", "50")}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    {
        "bands 2,7,30": "each width must be a multiple of the one before: 7 is no multiple of 2",
        "intervals 2.5,6": "6 is no multiple of 2.5",
        "intervals 0": "above 0",
        "intervals 5 top 9 bottom 9": "not below the top",
        "intervals 5 top 9 top 10": "one thing twice",
        "cuts 18,65 / 18,30": "each border of a level must be one of the level before: 30 is not",
        "cuts 65,18": "borders must rise",
        "quantiles 8,3": "3 does not divide 8",
        "top 5 bottom 90": "the bottom is not below the top",
        "prefix 1,3": "3 is not fewer than 1",
        "dates week,month": "weeks do not lie within months",
        "dates year,month": "periods must become longer",
        "dates fortnight": "'fortnight' is no period",
        "dates": "not all of them are dates",
        "ordered 2,3": "3 is no multiple of 2",
        "groups north": "a group has no name, or no values",
        "groups a=x; b=x": "a value is in 'a' and in 'b'",
        "frequent 9,9": "must be above the one before",
        "bands abc": "widths are whole numbers",
        "cuts a": "a number is expected",
        "icd9": "2 of them are no codes of this revision",
        "icd10 block": "its levels are category and chapter",
        "stairs 3": "no way to build a hierarchy",
    }.items(),
)
def test_what_cannot_be_built_is_refused_with_the_reason(text, said):
    with pytest.raises(ParameterError, match=said):
        Hierarchy.build(text, ["12", "34"], "age")


def test_texts_are_no_numbers_and_are_not_shown():
    for text in ("bands 5", "intervals 5", "cuts 5", "quantiles 2", "top 5"):
        with pytest.raises(ParameterError, match="not all of them are numbers") as error:
            Hierarchy.build(text, ["12", "secret"], "age")
        assert "secret" not in str(error.value)


@pytest.mark.parametrize("how", ["frequent 30", "quantiles 4,2", "cuts 10,20,30 / 20", "top 30 bottom 3"])
def test_each_engine_builds_the_same_and_recipes_keep_it(tmp_path, how):
    ages = [i * i % 41 for i in range(400)]
    path = tmp_path / "t.csv"
    pl.DataFrame({"age": ages, "sex": [i % 2 for i in range(400)]}).write_csv(path)
    found = []
    for number, engine in enumerate((None, Tiny(DiskPool(tmp_path)))):
        release = shoal.anonymize(path, k=5, quasi=["age", "sex"], hierarchies={"age": how}, engine=engine)
        release.write(tmp_path / f"{number}.csv", recipe=tmp_path / f"{number}.toml")
        shoal.verify(tmp_path / f"{number}.csv", original=path, private=tmp_path / f"{number}.private.json")
        found.append((tmp_path / f"{number}.csv").read_bytes())
    assert found[0] == found[1]
    assert how in (tmp_path / "0.toml").read_text()
    compared = shoal.compare(path, tmp_path / "0.csv", quasi=["age", "sex"], hierarchies={"age": how})
    assert compared["releases"][0]["smallest_class"] >= 5


def test_each_engine_finds_the_same_groups_in_other_columns(tmp_path):
    rows = [(f"c{i % 50}", f"g{i % 10}" if i % 3 else None, f"s{i % 5}") for i in range(600)]
    path = tmp_path / "t.csv"
    pl.DataFrame(rows, schema=["city", "county", "state"], orient="row").write_csv(path)
    wanted = {(f"c{i}", f"g{i % 10}", f"s{i % 5}", "*") for i in range(50)}
    for engine in (None, Tiny(DiskPool(tmp_path))):
        tree = build_over(path, "city", "columns county,state", ReadOptions(), engine=engine)
        assert set(tree.levels) == wanted
        assert values_of(path, "city", ReadOptions(), engine=engine) == dict.fromkeys((row[0] for row in wanted), 12)


def test_a_file_as_arx_writes_it_is_written_again_to_the_byte(tmp_path):
    given = '"Care; home";Care;"Health, social";*\nNurse;Care;"Health, social";*\nClerk;"Office ""A""";Office;*\n'
    path = tmp_path / "job.csv"
    path.write_bytes(given.encode())
    tree = Hierarchy.read(path, "job")
    assert tree.levels[0] == ("Care; home", "Care", "Health, social", "*")
    assert csv_of(tree.levels, "job") == given
    path.write_bytes(b"Clerk;Office;*\r\nNurse;Health, social;*\r\n")  # only what holds a semicolon must be quoted
    assert Hierarchy.read(path, "job").levels == (("Clerk", "Office", "*"), ("Nurse", "Health, social", "*"))
