"""Record swapping on tables: households move whole, areas keep their counts, and papers say who was left out."""

import json

import polars as pl
import pytest
from public_files import find

import shoal
from shoal.errors import DataError, ParameterError
from shoal.methods import RecordSwap


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    path = find("census/testdata.csv", tmp_path_factory.mktemp("data"))
    return pl.read_csv(path).select("urbrur", "roof", "relat", "sex", "age", "walls", "ori_hid")


def swapped(people, seed=4, **given):
    table = shoal.read(people, quasi=["urbrur", "roof", "relat", "sex"], sensitive="age", plain=["walls", "ori_hid"])
    first = people.group_by("ori_hid", maintain_order=True).first()
    homes = people.select("ori_hid").join(first.select("ori_hid", "urbrur", "roof", "walls"), on="ori_hid", how="left")
    assert homes.height == people.height  # a household lives in one place
    method = RecordSwap(("urbrur", "roof"), "ori_hid", ("sex", "age"), **given)
    return shoal.anonymize(table, method, no_promise=True, seed=seed, measures=[])


def settled(people):
    """Give people whose households live in one place each."""
    home = people.group_by("ori_hid").agg(pl.col("urbrur", "roof", "walls").first())
    return people.drop("urbrur", "roof", "walls").join(home, on="ori_hid", maintain_order="left")


def test_households_move_whole_and_in_pairs(people, tmp_path):
    people = settled(people)
    made = swapped(people, similar=("sex",), carried=("walls",), k=2, share=0.1)
    after = made.to_polars(row_order="input")
    assert after.drop("urbrur", "roof", "walls").equals(people.select(after.drop("urbrur", "roof", "walls").columns))
    places = ["urbrur", "roof", "walls"]
    assert after.group_by("ori_hid").agg(pl.col(*places).n_unique()).select(places).max().row(0) == (1, 1, 1)
    for level in (["urbrur"], ["urbrur", "roof"], places):  # what moves together stays together
        assert counted(after, [*level, "sex"]) == counted(people, [*level, "sex"])
    assert sizes(after) == sizes(people)
    moved = (after["roof"] != people["roof"]) | (after["urbrur"] != people["urbrur"])
    ((public, private),) = made.table.remarks
    assert people.filter(moved)["ori_hid"].n_unique() == private["swapped"] > 100
    made.write(tmp_path / "out.csv")
    papers = [
        json.loads((tmp_path / f"out.{name}.json").read_text(encoding="utf-8")) for name in ("certificate", "private")
    ]
    (told,), (kept,) = (paper["remarks"] for paper in papers)
    assert told == public
    assert told["without_donor"] == [len(level["without_donor"]) for level in kept["levels"]]
    assert "levels" not in told
    assert not {"swapped", "households"} & told.keys()
    listed = people["ori_hid"].to_list()
    for level in kept["levels"]:
        assert len({listed[row] for row in level["without_donor"]}) == len(level["without_donor"])


def counted(frame, names):
    return {row[:-1]: row[-1] for row in frame.group_by(names).len().rows()}


def sizes(frame):
    homes = frame.group_by("ori_hid").agg(pl.col("urbrur", "roof").first(), pl.len().alias("people"))
    return counted(homes, ["urbrur", "roof", "people"])


def test_nobody_moves_without_risk_or_share(people):
    people = settled(people)
    made = swapped(people, k=1, share=0)
    assert made.to_polars(row_order="input").equals(people.select(made.to_polars().columns))
    ((_, private),) = made.table.remarks
    assert private["swapped"] == 0
    assert [level["at_risk"] for level in private["levels"]] == [0, 0]


def test_each_record_is_a_household_unless_a_column_says_more():
    frame = pl.DataFrame({"area": list("aabbb"), "kind": list("xyxyz")})
    table = shoal.read(frame, quasi=["area", "kind"])
    made = shoal.anonymize(table, RecordSwap(("area",), k=2), no_promise=True, seed=1, measures=[])
    after = made.to_polars(row_order="input")
    assert sorted(after["area"]) == sorted(frame["area"])
    assert (after["area"] != frame["area"]).sum() == 4  # all are at risk, and two of each area find each other
    ((public, _),) = made.table.remarks
    assert public["without_donor"] == [1]
    assert public["said"] == "Households at high risk that found nobody to change places with: 1 by area."


def test_the_column_that_tells_people_apart_is_the_household_of_their_rows():
    frame = pl.DataFrame({"who": [1, 1, 2, 2, 3], "area": list("aabbb"), "kind": list("vwxyz")})
    table = shoal.read(frame, quasi=["area", "kind"], subject="who")
    made = shoal.anonymize(table, RecordSwap(("area",)), no_promise=True, seed=1, measures=[])
    assert made.to_polars(row_order="input")["area"].to_list() == list("bbaab")


def test_what_cannot_be_meant_is_refused():
    frame = pl.DataFrame({"home": [1, 1, None], "area": list("aba"), "kind": list("xyz")})
    table = shoal.read(frame, quasi=["area", "kind"], plain="home", kinds={"home": "integer"})

    def refused(error, match, *given, **named):
        with pytest.raises(error, match=match):
            shoal.anonymize(table, RecordSwap(*given, **named), no_promise=True)

    refused(ParameterError, "where people live")
    refused(ParameterError, "it cannot be one of risk", ("area",), risk=("area",))
    refused(ParameterError, "named twice", ("area",), carried=("area",))
    refused(ParameterError, "No column says who stands out", ("area", "kind"))
    refused(DataError, "1 records have no household", ("area",), "home")
    whole = shoal.read(frame.drop_nulls(), quasi=["area", "kind"], plain="home")
    with pytest.raises(DataError, match="In 1 households not all people have the same 'area'"):
        shoal.anonymize(whole, RecordSwap(("area",), "home"), no_promise=True)
    for given in ({"k": 0}, {"share": 5}, {"similar": ("",)}):
        with pytest.raises(ParameterError):
            RecordSwap(("area",), **given)
