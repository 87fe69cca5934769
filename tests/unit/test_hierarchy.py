"""Hierarchies: reading, building, validating, and publishing their nodes."""

import json

import numpy as np
import polars as pl
import pytest
from engines.tiny import Tiny
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.domains.hierarchy import Hierarchy
from shoal.domains.range_leaves import over_values
from shoal.errors import CertificateError, DataError, ParameterError

ROWS = [
    ("Berlin", "Germany", "Europe", "*"), ("Paris", "France", "Europe", "*"), ("Kyoto", "Japan", "Asia", "*"),
    ("Bonn", "Germany", "Europe", "*"), ("Lyon", "France", "Europe", "*"), ("Tokyo", "Japan", "Asia", "*"),
]  # fmt: skip
FILE = "\n".join(";".join(row) for row in ROWS)


@pytest.fixture
def tree():
    return Hierarchy.of(ROWS, "city")


def test_every_node_is_a_stretch_of_leaves(tree):
    assert tree.leaves == ("Berlin", "Bonn", "Paris", "Lyon", "Kyoto", "Tokyo")
    assert tree.spans["Europe"] == (0, 3)
    assert tree.spans["Japan"] == (4, 5)  # Asia has the same leaves: the lower node is published
    assert tree.spans["*"] == (0, 5)


@given(st.sets(st.integers(0, 5), min_size=1))
def test_the_cover_is_the_lowest_node_that_holds_all(leaves):
    tree = Hierarchy.of(ROWS, "city")
    low, high = tree.cover(np.array([min(leaves)], np.int32), np.array([max(leaves)], np.int32))
    holding = [span for span in tree.nodes if span[0] <= min(leaves) and span[1] >= max(leaves)]
    assert (low[0], high[0]) == min(holding, key=lambda span: span[1] - span[0])


def test_hierarchies_are_built_from_bands_prefixes_and_dates():
    bands = Hierarchy.build("bands 5,10", ["3", "12", "7"], "age")
    assert bands.levels == (
        ("3", "0-4", "0-9", "*"),
        ("7", "5-9", "0-9", "*"),
        ("12", "10-14", "10-19", "*"),
    )
    assert Hierarchy.build("prefix 3,1", ["93701", "93702", "93802"], "zip").spans["937**"] == (0, 1)
    days = Hierarchy.build("dates", ["2020-01-03", "2020-02-01", "2021-07-09"], "day")
    assert days.spans["2020 Q1"] == (0, 1)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "empty"),
        ([("a", "x", "*"), ("b", "*")], "2 levels on line 2 and 3 on line 1"),
        ([("a", "x", "*"), ("a", "y", "*")], "line 2 disagrees with line 1"),
        ([("a", "x", "p", "*"), ("b", "x", "q", "*")], "second parent"),
        ([("a", "p", "m"), ("b", "p", "m"), ("c", "x", "p"), ("d", "y", "p")], "same name"),
    ],
)
def test_what_is_no_tree_is_refused(rows, said):
    with pytest.raises(DataError, match=said):
        Hierarchy.of(rows, "city")


@pytest.mark.parametrize("text", ["bands", "bands 5,7", "bands x", "prefix 1,3", "stairs 3", "bands 0"])
def test_a_hierarchy_that_cannot_be_built_is_refused(text):
    with pytest.raises(ParameterError):
        Hierarchy.build(text, ["12", "34"], "age")


def test_nodes_are_published_read_back_and_proved(tmp_path):
    (tmp_path / "city.csv").write_text(FILE, encoding="utf-8")
    frame = pl.DataFrame({"city": [row[0] for row in ROWS], "age": [30, 40, 50, 31, 41, 51], "ill": list("abcdef")})
    frame.write_csv(tmp_path / "people.csv")
    given = {"city": str(tmp_path / "city.csv"), "age": "bands 10,100"}
    table = shoal.read(tmp_path / "people.csv", quasi=["city", "age"], sensitive=["ill"], hierarchies=given)
    release = shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)])
    release.write(tmp_path / "out.csv", row_order="input", overwrite=True)
    shown = pl.read_csv(tmp_path / "out.csv")
    tree = Hierarchy.of(ROWS, "city")
    for city, node in zip(frame["city"], shown["city"], strict=True):
        low, high = tree.spans[node]
        assert low <= tree.leaves.index(city) <= high
    shoal.verify(tmp_path / "out.csv", tmp_path / "out.certificate.json")
    trees, kinds = {"city": given["city"]}, {"age": "category"}
    again = shoal.read(tmp_path / "out.csv", quasi=["city", "age"], hierarchies=trees, kinds=kinds)
    assert again.to_polars(cells="text")["city"].to_list() == shown["city"].to_list()
    release.write(tmp_path / "out.parquet", overwrite=True)
    shoal.verify(tmp_path / "out.parquet", tmp_path / "out.certificate.json")
    assert str(tmp_path) not in (tmp_path / "out.certificate.json").read_text(encoding="utf-8")


def test_a_doubled_row_that_agrees_is_one_and_lines_are_those_of_the_file(tmp_path):
    """Files of other tools have rows twice, and blank lines."""
    path = tmp_path / "city.csv"
    path.write_text("Bonn;North;*\n\nCologne;North;*\nBonn;North;*\nRome;South;*\n", encoding="utf-8")
    assert Hierarchy.read(path, "city").leaves == ("Bonn", "Cologne", "Rome")
    path.write_text("Bonn;North;*\n\nCologne;North;*\nBonn;South;*\nRome;South;*\n", encoding="utf-8")
    with pytest.raises(DataError, match="line 4 disagrees with line 1") as error:
        Hierarchy.read(path, "city")
    assert "Bonn" not in str(error.value)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_measures_are_proved_with_the_original_although_a_release_only_names_nodes(tmp_path, ending):
    """The private record tells where nodes lie, so that everything that was measured can be measured again."""
    (tmp_path / "city.csv").write_text(FILE, encoding="utf-8")
    frame = pl.DataFrame({"city": [row[0] for row in ROWS], "age": [30, 40, 50, 31, 41, 51], "ill": list("abcdef")})
    frame.write_csv(tmp_path / "people.csv")
    given = {"city": str(tmp_path / "city.csv"), "age": "bands 10,100"}
    table = shoal.read(tmp_path / "people.csv", quasi=["city", "age"], sensitive=["ill"], hierarchies=given)
    measures = [
        shoal.measures.InformationLoss(),
        shoal.measures.Granularity(),
        shoal.measures.Uniqueness(matching="fit"),
    ]
    release = shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)], measures=measures)
    out = tmp_path / f"out.{ending}"
    release.write(out)
    (tmp_path / "city.csv").unlink()
    papers = {"private": tmp_path / "out.private.json", "original": tmp_path / "people.csv"}
    proof = shoal.verify(out, tmp_path / "out.certificate.json", **papers)
    assert proof.not_proved == ()
    assert [found.value for found in proof.scores] == [found.value for found in release.scores]
    record = json.loads((tmp_path / "out.private.json").read_text(encoding="utf-8"))
    record["input"]["hierarchies"]["city"][0] = 5
    (tmp_path / "out.private.json").write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(CertificateError, match="private record"):
        shoal.verify(out, tmp_path / "out.certificate.json", **papers)


def test_granularity_counts_the_leaves_of_a_hierarchy_whether_or_not_they_occur():
    tree = Hierarchy.of([(str(age), "0-4" if age < 5 else "5-9", "*") for age in range(10)], "age")
    frame = pl.DataFrame({"age": ["1", "2", "7", "8"]})
    table = shoal.read(frame, quasi=["age"], hierarchies={"age": tree})
    release = shoal.anonymize(
        table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)], measures=[shoal.measures.Granularity()]
    )
    assert release.to_polars()["age"].to_list() == ["0-4", "0-4", "5-9", "5-9"]
    assert release.scores[0].value == pytest.approx(4 / 9)


def test_a_value_that_the_hierarchy_does_not_cover_is_an_error_with_its_line(tmp_path):
    (tmp_path / "city.csv").write_text(FILE, encoding="utf-8")
    (tmp_path / "people.csv").write_text("city\nBerlin\nSpringfield\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"does not cover \(line 3\)") as error:
        shoal.read(tmp_path / "people.csv", quasi=["city"], hierarchies={"city": str(tmp_path / "city.csv")})
    assert "Springfield" not in str(error.value)
    with pytest.raises(DataError, match="cannot be read"):
        shoal.read(tmp_path / "people.csv", quasi=["city"], hierarchies={"city": str(tmp_path / "nowhere.csv")})


@pytest.mark.parametrize(("levels", "refused"), [(2, False), (4, True), (998, True)])
def test_levels_that_join_nothing_may_not_be_most_where_distances_count_levels(levels, refused):
    tree = Hierarchy.of([[leaf, *(f"{leaf}{i}" for i in range(levels)), "*"] for leaf in "ab"], "ill")
    assert tree.idle is refused
    frame = pl.DataFrame({"age": [1, 1, 2, 2], "ill": ["a", "b", "a", "b"]})
    table = shoal.read(frame, quasi=["age"], sensitive=["ill"], hierarchies={"ill": tree})
    if refused:
        with pytest.raises(ParameterError, match="join nothing"):
            shoal.models.check(table, [shoal.models.TCloseness(0.5, "ill", "hierarchical")])
    else:
        assert shoal.models.check(table, [shoal.models.TCloseness(0.5, "ill", "hierarchical")])[0].level == 0


def test_a_tree_takes_memory_for_its_leaves_and_levels_and_not_for_pairs_of_them():
    """All postcodes of a country are the most common hierarchy that there is."""
    codes = [f"{code:05}" for code in range(100_000)]
    rows = [(code, code[:3] + "**", code[:1] + "****", "*") for code in codes]
    tree = Hierarchy.of(rows, "zip")
    assert tree.leaves == tuple(codes)
    assert tree.spans["937**"] == (93700, 93799)
    assert sum(table.nbytes for table in tree.tables) < 32 * len(rows) * len(rows[0])
    people = shoal.read(
        pl.DataFrame({"zip": codes[::500], "age": [i % 7 for i in range(200)]}),
        quasi=["zip", "age"],
        hierarchies={"zip": tree},
    )
    assert shoal.anonymize(people, shoal.methods.Hilbert(), [shoal.models.KAnonymity(5)]).holds


def test_bands_over_decimals_say_that_they_are_decimals():
    """A column of whole numbers with gaps comes from pandas as 34.0."""
    with pytest.raises(
        ParameterError, match="'bands 5,20' does not suit the values of column 'age': bands are for whole numbers"
    ) as told:
        Hierarchy.build("bands 5,20", ["34.0", "35.0"], "age")
    assert "34, not 34.0" in told.value.remedy
    with pytest.raises(ParameterError, match="does not suit"):
        Hierarchy.build("bands 5,20", ["34", "v1.0"], "age")


@pytest.mark.parametrize(
    ("name", "inside", "outside"),
    [
        ("0-4", ["0", "4", "2.5"], ["-1", "4.1"]), ("[-5;-2]", ["-5", "-2"], ["-1"]), ("[0;4[", ["0", "3.9"], ["4"]),
        ("]0;4]", ["0.1", "4"], ["0"]), ("-10 to -6", ["-8"], ["-5"]), ("2.5 to under 5", ["2.5"], ["5"]),
        ("above 1 to under 2", ["1.5"], ["1", "2"]), ("90+", ["90", "1e3"], ["89"]), ("65 and over", ["65"], ["64"]),
        ("under 18", ["-3", "17"], ["18"]), ("up to 18", ["18"], ["19"]), (">=3", ["3"], ["2"]), (">3", ["4"], ["3"]),
        ("[2020-01-01;2020-03-31]", ["2020-02-29"], ["2020-04-01"]),
    ],
)  # fmt: skip
def test_values_lie_in_ranges(name, inside, outside):
    rows = [[name, "group", "*"]]
    assert over_values(rows, [*inside, *outside], "v") == [[value, *rows[0]] for value in inside]
    assert over_values(rows, outside, "v") is rows


def test_files_of_values_are_no_files_of_ranges():
    for values, rows in (
        (["0-4", "17"], [["0-4", "a"], ["5-9", "b"]]),  # a value of the column is named so
        (["17"], [["3", "a"], ["4", "b"]]),  # values alone
        (["3"], [["0-4", "a"], ["rest", "b"]]),
        (["3"], [["9-5", "a"], ["0-4", "b"]]),
        (["3"], []),
    ):
        assert over_values(rows, values, "v") is rows
    with pytest.raises(DataError, match="overlap"):
        over_values([["0-4", "a"], ["4-9", "b"]], ["3"], "v")


@pytest.mark.parametrize("engine", [None, Tiny()])
def test_trees_of_ranges_and_of_other_columns_on_engines(engine, tmp_path):
    (tmp_path / "age.csv").write_text("0-17;minor\n18-200;adult\n")
    people = pl.DataFrame(
        {"age": [3, 17, 18, 44, 90, 101, 5], "city": list("aabbccd"), "county": list("wwwwnnn"), "state": ["x"] * 7}
    )
    trees = {"age": str(tmp_path / "age.csv"), "city": "columns county,state"}
    table = shoal.read(people, quasi=["age", "city"], plain=["county"], hierarchies=trees, engine=engine)
    assert sorted(table.schema["city"].axis.tree.levels) == [
        ("a", "w", "x", "*"), ("b", "w", "x", "*"), ("c", "n", "x", "*"), ("d", "n", "x", "*"),
    ]  # fmt: skip
    assert table.schema["age"].axis.tree.levels[0] == ("3", "0-17", "minor", "*")
    assert table.origin.given["hierarchies"]["city"] == "columns county,state"
    release = shoal.anonymize(table, shoal.methods.FullDomain(levels=(3, 1)), k=2)
    assert set(release.to_polars()["city"]) == {"w", "n"}
