"""Options that are given several times: they add up, or they are refused; none is dropped without a word."""

import pytest

from shoal.catalogue import describe
from shoal.cli import COMMANDS, application
from shoal.cli.once import OnceCommand
from shoal.cli.parsing import asked_models

TABLE = "age,sex,zip,c,d\n30,m,1,1,?\n30,m,2,2,1\n31,f,1,3,NA\n31,f,2,4,2\n"


@pytest.fixture
def table(desk):
    return desk.put("t.csv", TABLE)


def test_columns_named_one_by_one_are_all_taken(desk, table):
    """Someone who writes --quasi twice must not get the risk of the second column alone."""
    whole = desk.run("risk", "t.csv", "--quasi", "age,zip", "--sensitive", "c,d", "--missing", "?,NA", "--json").json()
    apart = desk.run(
        "risk", "t.csv", "--quasi", "age", "--quasi", "zip", "--sensitive", "c", "--sensitive", "d", "--missing", "?",
        "--missing", "NA", "--json",
    ).json()  # fmt: skip
    assert apart == whole
    assert whole["unique"] == 4


def test_every_role_may_be_given_in_parts(desk, table):
    desk.run(
        "anonymize", "t.csv", "--out", "o.csv", "--overwrite",
        "--quasi", "age", "--quasi", "sex", "--plain", "zip", "--plain", "c",
        "--k", 2,
    ).fine()  # fmt: skip
    assert desk.read("o.csv").splitlines()[0] == "age,sex,zip,c"


@pytest.mark.parametrize(
    "twice",
    [
        ("--k", "2", "--k", "3"),
        ("--method", "mdav", "--method", "hilbert"),
        ("--out", "p.csv"),
        ("-o", "p.csv"),
        ("--seed", "1", "--seed", "2"),
        ("--kind", "age=integer", "--kind", "age=category"),
        ("--json", "--json"),
    ],
)
def test_what_has_one_value_is_refused_when_it_is_given_again(desk, table, twice):
    done = desk.run("anonymize", "t.csv", "--out", "o.csv", "--overwrite", "--quasi", "age", *twice)
    done.refused(2, "more than once")


def test_no_command_takes_the_last_of_two_values():
    """Every command looks, also those inside groups and those still to come: it is done in one place."""
    given = application()
    inner = [group.typer_instance for group in given.registered_groups]
    commands = [command for each in (given, *inner) for command in each.registered_commands]
    assert len(commands) > len(COMMANDS)
    assert all(command.cls is OnceCommand for command in commands)


def test_two_levels_protect_two_columns(desk, table):
    """The second --t must not replace the first: its column would go out without the promise that was asked for."""
    told = desk.run(
        "anonymize", "t.csv", "--out", "o.csv", "--overwrite",
        "--quasi", "age", "--sensitive", "zip,c", "--k", 2, "--t", 0.9,
        "--t-column", "zip", "--t", 1, "--t-column", "c", "--alpha", 0.5, "--alpha-column", "c", "--json",
    ).json()  # fmt: skip
    models = [verdict["model"] for verdict in told["verdicts"]]
    assert [(m["name"], m.get("column"), m.get("t")) for m in models] == [
        ("k-anonymity", None, None), ("t-closeness", "zip", 0.9), ("t-closeness", "c", 1.0), ("alpha-k", "c", None),
    ]  # fmt: skip


def test_levels_of_diversity_go_with_their_columns_and_kinds():
    found = asked_models(None, (), (), (), [2.0, 1.5], ["a", "b"], ["distinct", "entropy"])
    assert [describe(model) | {"c": None} for model in found] == [
        {"name": "l-diversity", "l": 2, "column": "a", "kind": "distinct", "c": None},
        {"name": "l-diversity", "l": 1.5, "column": "b", "kind": "entropy", "c": None},
    ]


@pytest.mark.parametrize(
    "levels",
    [
        ("--t", "0.1", "--t", "0.3", "--t-column", "c"),
        ("--t", "0.1", "--t", "0.3"),
        ("--t-column", "c"),
        ("--l", "2", "--l-column", "c", "--l-column", "d"),
        ("--t", "0.1", "--t-column", "c", "--t", "0.3", "--t-column", "d", "--t-distance", "variation"),
        ("--l-kind", "entropy"),
    ],
)
def test_levels_and_columns_that_do_not_match_are_refused(desk, table, levels):
    done = desk.run(
        "anonymize", "t.csv", "--out", "o.csv", "--overwrite", "--quasi", "age", "--sensitive", "c,d", "--k", 2, *levels
    )
    done.refused(2, levels[0], "Give each its own")


def test_names_with_signs_that_options_use_can_be_given(desk):
    desk.put("t.csv", 'x=y,"a, b",z\n1,1,1\n1,1,2\n2,2,3\n2,2,4\n')
    done = desk.run(
        "anonymize", "t.csv", "--out", "o.csv", "--overwrite",
        "--quasi", 'x=y,"a, b"', "--kind", "x=y=category", "--order",
        '"a, b"=1,2', "--k", 2, "--json",
    )  # fmt: skip
    done.json()
    assert desk.paper("o.certificate.json")["recipe"]["table"]["kinds"] == {"x=y": "category", "a, b": "ordered"}


def test_weights_and_identifiers_have_a_role_on_the_command_line(desk, table):
    desk.run(
        "anonymize", "t.csv", "--out", "o.csv", "--overwrite",
        "--quasi", "age", "--weight", "c", "--identifier", "zip", "--k", 2,
    ).fine()  # fmt: skip
    assert desk.read("o.csv").splitlines()[0] == "age,c"
    assert desk.paper("o.certificate.json")["recipe"]["table"]["weight"] == "c"
    desk.run(
        "anonymize", "t.csv", "--out", "o.csv", "--overwrite", "--quasi", "age", "--identifier", "zp", "--k", 2
    ).refused(2, "zp")
