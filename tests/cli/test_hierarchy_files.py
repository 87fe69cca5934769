"""Files of hierarchies from the command line: built over a column, from other columns, and looked at."""

import pytest

TABLE = "age,city,county,note\n3,Oslo,Oslo,SECRET-123\n17,Bergen,West,x\n41,Voss,West,y\n,Voss,,z\n3,Oslo,Oslo,x\n"


@pytest.fixture
def towns(desk):
    desk.put("t.csv", TABLE)
    return desk


def test_a_hierarchy_is_built_and_used(towns):
    done = towns.run("hierarchy", "build", "t.csv", "--column", "age", "intervals 5,10,20", "--out", "age.csv").fine()
    assert done.left == ("age.csv",)
    assert towns.read("age.csv") == "3;0-4;0-9;0-19;*\n17;15-19;10-19;0-19;*\n41;40-44;40-49;40-59;*\n"
    assert "3 values of 'age', 5 levels (3 → 3 → 3 → 2 → 1)" in done.out
    used = towns.run(
        "anonymize", "t.csv", "--out", "o.csv", "--quasi", "age", "--hierarchy", "age=age.csv", "--k", 2, "--json"
    )
    assert used.code == 0
    built = towns.run(
        "anonymize", "t.csv", "--out", "p.csv", "--quasi", "age", "--hierarchy", "age=intervals 5,10,20", "--k", 2
    )
    assert built.code == 0
    assert towns.read("o.csv") == towns.read("p.csv")


def test_groups_come_from_other_columns(towns):
    command = ("hierarchy", "build", "t.csv", "--column", "city", "columns county", "--out", "city.csv")
    assert towns.run(*command, "--json").json() == {
        "file": "t.csv", "column": "city", "how": "columns county", "out": "city.csv", "leaves": 3,
        "levels": [3, 2, 1], "note": "",
    }  # fmt: skip
    assert sorted(towns.read("city.csv").splitlines()) == ["Bergen;West;*", "Oslo;Oslo;*", "Voss;West;*"]
    towns.run(*command).refused(2, "city.csv")
    assert towns.run(*command, "--overwrite").fine().left == ()


def test_a_county_that_is_named_like_one_of_its_cities_gets_another_name(desk):
    desk.put("t.csv", "city,county\nOslo,Oslo\nAsker,Oslo\nVoss,West\n")
    done = desk.run("hierarchy", "build", "t.csv", "--column", "city", "columns county", "--out", "c.csv", "--json")
    assert "NAME (group)" in done.json()["note"]
    assert sorted(desk.read("c.csv").splitlines()) == ["Asker;Oslo (group);*", "Oslo;Oslo (group);*", "Voss;West;*"]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--column", "age", "stairs 3"), 2, ("no way to build",)),
        (("--column", "age", "other.csv"), 2, ("no way to build",)),
        (("--column", "note", "bands 5"), 2, ("not all of them are numbers",)),
        (("--column", "ages", "bands 5"), 2, ("Did you mean 'age'",)),
        (("--column", "city", "columns"), 2, ("columns county,state",)),
        (("--column", "city", "columns city"), 2, ("each named once",)),
        (("--column", "city", "columns note"), 3, ("2 values of 'city' go with several of 'note'",)),
        (("--column", "county", "columns age"), 3, ("A value of 'county' goes with several of 'age'",)),
        (("--column", "note", "columns county"), 3, ("of 'note' go",)),
    ],
)
def test_what_cannot_be_built_leaves_nothing_behind(towns, arguments, code, words):
    towns.run("hierarchy", "build", "t.csv", *arguments, "--out", "o.csv").refused(code, *words)


def test_the_table_is_not_overwritten_by_its_hierarchy(towns):
    towns.run("hierarchy", "build", "t.csv", "--column", "age", "bands 5", "--out", "t.csv", "--overwrite").refused(
        2, "overwrite the input"
    )


def test_a_hierarchy_that_has_all_values_is_fine(desk):
    desk.put("t.csv", "city\nOslo\nVoss\n")
    desk.put("c.csv", "city;county\nOslo;Oslo\nVoss;West\nVoss;West\nBergen;West\n".replace("city;county\n", ""))
    found = desk.run("hierarchy", "check", "c.csv", "--data", "t.csv", "--column", "city", "--json").json()
    assert (found["usable"], found["leaves"], found["levels"], found["lacking"]) == (True, 3, [3, 2, 1], 0)
    assert [(each["kind"], each["count"], each["lines"]) for each in found["problems"]] == [
        ("repeated", 1, [3]), ("unused", 1, []),
    ]  # fmt: skip
    said = desk.run("hierarchy", "check", "c.csv").fine().out
    assert "can be used: 3 values, 3 levels" in said


@pytest.mark.parametrize(
    ("tree", "kind", "count", "lines"),
    [
        ("", "empty", 0, []),
        ("Oslo;Oslo;*\nVoss;*\nBergen;*\n", "ragged", 2, [2, 3]),
        ("Oslo;East;*\nVoss;West;*\nOslo;West;*\n", "contradiction", 1, [3]),
        ("Oslo;East;N;*\nVoss;East;S;*\nBergen;West;S;*\n", "not-nested", 1, [2]),
        ("Oslo;East;*\nBergen;West;*\n", "lacking", 1, []),
    ],
)
def test_what_cannot_be_used_is_said_with_its_count_and_without_any_name(towns, tree, kind, count, lines):
    towns.put("c.csv", tree)
    done = towns.run("hierarchy", "check", "c.csv", "--data", "t.csv", "--column", "city", "--json")
    assert done.code == 1
    assert f'"kind": "{kind}", "count": {count}, "lines": {lines}, "fatal": true' in done.out
    shown = towns.run("hierarchy", "check", "c.csv", "--data", "t.csv", "--column", "city")
    assert shown.code == 1
    assert "cannot be used" in shown.out
    for name in ("Oslo", "Voss", "Bergen", "East", "West"):
        assert name not in done.out + shown.out


def test_a_group_that_is_named_like_a_value_is_told(desk):
    desk.put("c.csv", "Oslo;Oslo;*\nAsker;Oslo;*\nVoss;West;*\n")
    found = desk.run("hierarchy", "check", "c.csv", "--json").json()
    assert [(each["kind"], each["count"], each["fatal"]) for each in found["problems"]] == [("named-alike", 1, False)]


def test_what_cannot_be_looked_at_is_refused(towns):
    towns.run("hierarchy", "check", "none.csv").refused(3, "cannot be read")
    towns.run("hierarchy", "check", "t.csv", "--data", "t.csv").refused(2, "--column")
    towns.put("open.csv", 'Oslo;East;*\n"Voss;West;*\nBergen;West;*\n')
    towns.run("hierarchy", "check", "open.csv").refused(3, "quotation mark")


RANGES = '"[0;17]";minor;*\n"[18;64]";adult;*\n65+;old;*\n'


def test_a_file_of_ranges_holds_the_values_that_lie_in_them(towns):
    towns.put("ranges.csv", RANGES)
    common = ("--quasi", "age", "--no-promise", "--method", "first-level", "--allow-identifier", "age")
    towns.run("anonymize", "t.csv", "--out", "o.csv", "--hierarchy", "age=ranges.csv", *common).fine()
    towns.put("values.csv", "3;minor;*\n17;minor;*\n41;adult;*\n")
    found = towns.run("hierarchy", "check", "ranges.csv", "--data", "t.csv", "--column", "age", "--json").json()
    assert (found["usable"], found["lacking"], found["levels"]) == (True, 0, [3, 2, 2, 1])
    towns.put("gap.csv", "0-16;minor;*\n18-64;adult;*\n")
    done = towns.run("anonymize", "t.csv", "--out", "p.csv", "--hierarchy", "age=gap.csv", *common)
    assert "has a value that its hierarchy does not cover" in done.err
    assert towns.run("hierarchy", "check", "gap.csv", "--data", "t.csv", "--column", "age").code == 1
    towns.put("both.csv", "0-17;minor;*\n17-64;adult;*\n")
    done = towns.run("anonymize", "t.csv", "--out", "p.csv", "--hierarchy", "age=both.csv", *common)
    assert "overlap" in done.err


def test_groups_from_other_columns_in_a_recipe(towns):
    towns.put("t.csv", TABLE + "7,Voss,West,y\n8,Bergen,West,y\n9,Oslo,Oslo,x\n")
    ask = ("--quasi", "city", "--plain", "age", "--hierarchy", "city=columns county", "--method", "full-domain")
    towns.run("anonymize", "t.csv", "--out", "o.csv", *ask, "--k", 3, "--save-recipe", "r.toml").fine()
    assert {line.split(",")[1] for line in towns.read("o.csv").splitlines()[1:]} == {"Oslo", "West"}
    assert 'hierarchies = {city = "columns county"}' in towns.read("r.toml")
    first = towns.read("o.csv")
    towns.run("run", "r.toml", "--overwrite").fine()
    assert towns.read("o.csv") == first
    towns.run(
        "check", "o.csv", "--certificate", "o.certificate.json", "--private", "o.private.json", "--original", "t.csv"
    ).fine()
    for wrong, words in (("columns", "each named once"), ("columns note", "with several of 'note'")):
        done = towns.run("anonymize", "t.csv", "--out", "p.csv", *ask[:4], "--hierarchy", f"city={wrong}", "--k", 2)
        assert done.code
        assert words in done.err
