"""Budgets on the command line: opened, asked, shown and proved again, and what is refused."""

import json

import pytest

pytest.importorskip("opendp")

TABLE = "id,age,sex,charge,day\n" + "".join(
    f"p{i % 9},{20 + i},{'fm'[i % 2]},{100 * i}.5,2024-01-{1 + i % 28:02d}\n" for i in range(40)
)
NEW = ("budget", "new", "in.csv", "--out", "b.ledger", "--subject", "id", "--rows-per-person", "5")
SAID = ("--categories", "sex=f,m", "--groups", "age=0,30,65", "--bounds", "charge=0..5000 step 0.5")
DECLARED = """\
epsilon = 1
delta = 1e-6
subject = "id"
rows-per-person = 5

[columns.sex]
categories = ["f", "m"]

[columns.age]
groups = [0, 30, 65]

[columns.charge]
bounds = "0..5000 step 0.5"
"""


@pytest.fixture
def budget(desk):
    desk.put("in.csv", TABLE)
    desk.run(*NEW, "--rho", "1", "--delta", "1e-6", "--price", "0.1", *SAID).fine()
    return desk


def ask(desk, question, *more):
    return desk.run("query", "b.ledger", question, "--json", *more)


@pytest.mark.parametrize(
    ("question", "keys"),
    [
        ("count", []),
        ("count where age >= 30 by sex", ["sex", "value"]),
        ("mean charge in 0..100000 step 1 by age", ["age", "value"]),
        ("sum charge", []),
        ("histogram age by sex", ["sex", "age", "value"]),
        ("count by sex, age", ["sex", "age", "value"]),
        ("median charge over 0..5000 step 1000", []),
        ("quantile 9/10 of age over 20, 40, 60 by sex", ["sex", "value"]),
        ("median day over 2024-01-10, 2024-01-20", []),
    ],
)
def test_questions_are_answered_as_json(budget, question, keys):
    said = ask(budget, question).json()
    assert {"answer", "scale", "interval", "spent", "left", "receipt"} <= said.keys()
    assert (list(said["answer"][0]) if keys else []) == keys
    assert said["spent"]["rho"] == "0.1"
    assert said["left"]["epsilon"] > 0
    assert said["certificate"]["kind"] == "stated"
    assert len(said["receipt"]["seal"]) == 64


def test_an_answer_is_shown_to_people(budget):
    shown = budget.run("query", "b.ledger", "count by sex", "--epsilon", "0.1", "--asker", "Ada").fine().out
    for part in (
        "sex",
        "other",
        "95 % interval",
        "Receipt: 1",
        "rho = 0.005",
        "at most 5 rows",
    ):
        assert part in shown
    shown = budget.run("budget", "show", "b.ledger").fine().out
    for part in ("rho = 0.995", "categories f, m", "0..5000 step 0.5", "'id'"):
        assert part in shown


def test_a_file_of_declarations_says_the_same(budget):
    budget.put("people.toml", DECLARED)
    budget.run("budget", "new", "in.csv", "--declare", "people.toml", "--out", "other.ledger").fine()
    one, other = (budget.run("budget", "show", name, "--json").json() for name in ("b.ledger", "other.ledger"))
    assert one["columns"] == other["columns"]
    assert (other["budget"]["epsilon"], other["budget"]["delta"], other["subject"]) == ("1", "0.000001", "id")
    budget.run(
        "budget", "new", "in.csv", "--declare", "people.toml", "--out", "third.ledger", "--rho", "2"
    ).fine()  # what is said on the command line counts
    assert budget.run("budget", "show", "third.ledger", "--json").json()["budget"]["rho"] == "2"


def test_check_proves_a_ledger_with_its_receipts(budget):
    answers = [ask(budget, "count").out, ask(budget, "sum charge").out]
    budget.put("answers.jsonl", "".join(answers))
    shown = budget.run("check", "b.ledger", "--receipts", "answers.jsonl").fine().out
    assert "receipts: 2" in shown
    assert "rests on the named software" in shown
    assert budget.run("budget", "check", "b.ledger", "--json").json()["kind"] == "stated"
    whole = budget.read("b.ledger").splitlines(keepends=True)
    budget.put("b.ledger", "".join(whole[:-2]))
    budget.run("check", "b.ledger").fine()
    budget.run("check", "b.ledger", "--receipts", "answers.jsonl").refused(1, "receipt")
    budget.put("b.ledger", "".join([whole[0], whole[1].replace("count", "cxunt"), *whole[2:]]))
    budget.run("check", "b.ledger").refused(1, "line 2")
    budget.run("query", "b.ledger", "count").refused(1, "line 2")
    budget.put("b.ledger", "".join(whole)[:-7])
    budget.run("budget", "show", "b.ledger").refused(1, "torn")
    budget.run("budget", "mend", "b.ledger").fine()


def test_what_cannot_be_asked_is_refused_and_costs_nothing(budget):
    budget.run("query", "b.ledger", "count by day").refused(2, "groups")
    budget.run("query", "b.ledger", "cuont").refused(2, "count")
    budget.run("query", "b.ledger", "count", "--rho", "1.01").refused(1, "budget")
    budget.run("query", "b.ledger", "count", "--rho", "nan").refused(2, "number")
    budget.run("query", "b.ledger", "count", "--rho", "1", "--epsilon", "1").refused(2, "either")
    budget.run("query", "none.ledger", "count").refused(2, "no ledger")
    budget.run("check", "b.ledger", "--certificate", "x.json").refused(2, "certificate")
    budget.run("check", "in.csv", "--receipts", "in.csv").refused(2, "ledger")
    budget.put("in.csv", TABLE + "p1,99,f,1.5,2024-01-01\n")
    budget.run("query", "b.ledger", "count").refused(1, "not the table")
    assert budget.run("budget", "show", "b.ledger", "--json").json()["spent"]["rho"] == "0"
    budget.run("budget", "continue", "b.ledger", "in.csv").fine()
    ask(budget, "count").json()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ((), ("epsilon",)),
        (("--epsilon", "1"), ("delta",)),
        (("--rho", "1", "--epsilon", "1"), ("either",)),
        (("--rho", "0"), ("above 0",)),
        (("--rho", "1", "--bounds", "age=9..1"), ("age",)),
        (("--rho", "1", "--bounds", "aeg=0..9"), ("age",)),
        (("--rho", "1", "--categories", "sex=f,f"), ("twice",)),
        (("--rho", "1", "--groups", "age=5,1"), ("age",)),
        (("--rho", "1", "--kind", "sex=ordered2"), ("kind",)),
        (("--rho", "1", "--categories", "sex=f", "--bounds", "sex=0..1"), ("sex",)),
        (("--rho", "1", "--declare", "none.toml"), ("none.toml",)),
    ],
)
def test_a_budget_that_makes_no_sense_is_not_opened(desk, more, words):
    desk.put("in.csv", TABLE)
    found = desk.run(*NEW, *more)
    assert found.code in (2, 3)
    found.refused(found.code, *words)


@pytest.mark.parametrize(
    "text",
    ["epsilno = 1", "[columns]\nage = 3", "[columns.age]\nbound = '0..1'", "rho = [", "[columns.age]\ngroups = 3"],
)
def test_a_file_of_declarations_that_makes_no_sense_is_refused(desk, text):
    desk.put("in.csv", TABLE)
    desk.put("odd.toml", text)
    desk.run(*NEW, "--declare", "odd.toml").refused(2)


def test_a_person_with_one_row_and_rows_without_a_person(desk):
    desk.put("in.csv", "age\n30\n40\n")
    desk.run("budget", "new", "in.csv", "--rho", "1e12", "--out", "b.ledger").fine()
    said = ask(desk, "mean age in 0..100", "--rho", "1e11").json()
    assert said["answer"] == 35
    assert json.dumps(said["notes"]).count("person of its own") == 1
    desk.run("budget", "new", "in.csv", "--rho", "1", "--rows-per-person", "3", "--out", "c.ledger").refused(
        2, "--subject"
    )


def test_without_opendp_it_says_what_to_install(desk, monkeypatch):
    import sys

    from shoal.private import mechanisms

    mechanisms._core.cache_clear()
    monkeypatch.setitem(sys.modules, "opendp", None)
    desk.put("in.csv", TABLE)
    desk.run(*NEW, "--rho", "1").refused(2, "OpenDP")
    monkeypatch.undo()
    mechanisms._core.cache_clear()


def test_the_workbench_opens_a_ledger_and_refuses_one_that_was_changed(budget, monkeypatch):
    pytest.importorskip("uvicorn")
    started = []
    monkeypatch.setattr("shoal.web.server.serve", lambda settings, **_: started.append(settings))
    budget.run("web", "b.ledger", "--no-browser").fine()
    assert started[0].ledger.name == "b.ledger"
    assert started[0].first is None
    budget.put("b.ledger", budget.read("b.ledger").replace("in.csv", "on.csv"))
    budget.run("web", "b.ledger", "--no-browser").refused(1, "line 1")
    assert len(started) == 1
