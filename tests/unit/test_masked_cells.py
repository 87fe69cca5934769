"""A masked cell and a value that ends in an asterisk are told apart by whoever knows the table, not by a guess."""

import polars as pl
import pytest
from engines.tiny import Tiny

import shoal
from shoal.domains.cell_parser import parse
from shoal.domains.texts import Reading
from shoal.engines.local import Local

STARS = {"stars": ["3*", "4*", "3*", "4*"], "n": [1, 2, 3, 4]}
SOURCES = ["csv", "parquet", "frame"]


def put(folder, how, columns=STARS):
    frame = pl.DataFrame(columns)
    if how == "csv":
        frame.write_csv(folder / "in.csv")
    elif how == "parquet":
        frame.write_parquet(folder / "in.parquet")
    return frame if how == "frame" else folder / f"in.{how}"


@pytest.mark.parametrize("engine", [Local, Tiny])
@pytest.mark.parametrize("how", SOURCES)
@pytest.mark.parametrize("role", ["quasi", "sensitive", "plain"])
def test_asterisks_of_which_nothing_was_said_are_refused(tmp_path, how, engine, role):
    """Ratings of three and four stars are neither tens nor lost without a word."""
    roles = {"quasi": ["n"]} | {role: ["n", "stars"] if role == "quasi" else ["stars"]}
    with pytest.raises(shoal.errors.DataError, match=r"'stars'.*\(4 of them\)") as refused:
        shoal.read(put(tmp_path, how), engine=engine(), **roles)
    assert "--masked" in refused.value.remedy
    assert "--no-masked" in refused.value.remedy


@pytest.mark.parametrize("engine", [Local, Tiny])
@pytest.mark.parametrize("how", SOURCES)
@pytest.mark.parametrize("quasi", ["stars", "n"])
def test_values_that_end_in_an_asterisk_are_released_as_such(tmp_path, how, engine, quasi):
    """Said to be values they are values everywhere, also for whoever proves the release."""
    other = {"stars": "n", "n": "stars"}[quasi]
    table = shoal.read(put(tmp_path, how), masked=False, quasi=quasi, sensitive=other, engine=engine())
    release = shoal.anonymize(
        table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2), shoal.models.LDiversity(2, other)]
    )
    release.write(tmp_path / "out.csv")
    shown = set(release.table.to_arrow(cells="text")["stars"].to_pylist())
    assert shown == ({"\\3*", "\\4*"} if quasi == "stars" else {"3*", "4*"})
    proof = shoal.verify(tmp_path / "out.csv", tmp_path / "out.certificate.json", engine=engine())
    assert any("asterisks" in remark for remark in proof.remarks)
    assert shoal.Recipe.from_toml(release.recipe.to_toml()).options.masked is False


@pytest.mark.parametrize("how", ["csv", "frame"])
def test_masked_cells_that_are_said_to_be_so_stand_for_what_they_hide(tmp_path, how):
    kinds = {"stars": "integer"}
    table = shoal.read(put(tmp_path, how), masked=True, kinds=kinds, quasi=["stars", "n"])
    assert set(table.to_arrow(cells="text")["stars"].to_pylist()) == {"[30;39]", "[40;49]"}


def test_names_of_a_declared_order_or_hierarchy_leave_no_doubt(tmp_path):
    assert parse(["a*", "b"], Reading(order=("a*", "b"), masked=None)).lo.tolist() == [0, 1]
    (tmp_path / "zip.csv").write_text("93701;937**;*\n93702;937**;*\n93801;938**;*\n", encoding="utf-8")
    reading = Reading(hierarchy=str(tmp_path / "zip.csv"), masked=None)
    assert parse(["93701", "937**", "*"], reading).lo.tolist()[:2] == [0, 0]
    with pytest.raises(shoal.errors.DataError, match="asterisk"):
        parse(["93701", "937**"], Reading(hierarchy="prefix 3,1", masked=None))


@pytest.mark.parametrize("cell", ["*", "**", "937**", "A*"])
def test_every_cell_that_may_hide_something_counts(cell):
    with pytest.raises(shoal.errors.DataError, match="asterisk"):
        parse([cell, "x"], Reading(masked=None))
    assert parse([cell, "x"], Reading(masked=False, kind="category")).axis.values.tolist() == sorted([cell, "x"])


def test_a_backslash_of_which_nothing_was_said_is_refused():
    """What a database writes for a missing value is not taken for the category N."""
    for reading in (Reading(masked=None), Reading(masked=None, kind="category")):
        with pytest.raises(shoal.errors.DataError, match="backslash"):
            parse(["\\N", "N", "Y"], reading)
    as_they_stand = parse(["\\N", "N", "Y"], Reading(masked=False))
    assert as_they_stand.axis.values.tolist() == ["N", "Y", "\\N"]
    assert [as_they_stand.axis.text(i) for i in range(3)] == ["N", "Y", "\\\\N"]
    assert parse(["\\N", "5"], Reading(masked=None, missing=frozenset({"", "\\N"}))).axis.kind == "integer"


def test_an_asterisk_that_stands_for_a_missing_value_leaves_no_doubt():
    assert parse(["*", "5"], Reading(masked=None, missing=frozenset({"", "*"}))).axis.kind == "integer"


def test_a_release_is_proved_whatever_was_said_of_its_original(tmp_path):
    """Asterisks that a method put there are not taken for those of the original."""
    table = shoal.read(pl.DataFrame({"age": [1, None], "s": ["x", "y"]}), quasi="age", sensitive="s")
    shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)]).write(tmp_path / "out.csv")
    assert "*" in (tmp_path / "out.csv").read_text(encoding="utf-8")
    shoal.verify(tmp_path / "out.csv", tmp_path / "out.certificate.json")
