"""Every command: what it says to people, what it says to machines, and how it ends."""

import html
import json
import re

import pytest

from shoal import cli
from shoal.cli import application
from shoal.version import VERSION

COMMANDS = ("inspect", "anonymize", "risk", "compare", "attack", "check", "run", "list", "demo", "query")
RISK = {"records", "unique", "uniqueness", "classes", "smallest_class", "random_reidentification"}

# Four classes by age and sex: two records stand alone, four have a charge above 100000.
CHARGES = """\
age,sex,charge
30,m,50
30,m,150000
30,f,200000
41,f,120000
41,f,130000
52,m,10
"""


def part(report, *keys):
    return tuple(report[key] for key in keys)


def test_a_whole_session_as_a_user_runs_it(desk, people):
    desk.put("people.csv", people)
    roles = ("--quasi", "age,zip,sex", "--sensitive", "charge")
    steps = [
        ("inspect", "people.csv", "--json"),
        ("anonymize", "people.csv", "--out", "out.csv", *roles, "--k", 2, "--certificate", "c.json", "--json"),
        ("compare", "people.csv", "out.csv", "--quasi", "age,zip,sex", "--json"),
        ("check", "out.csv", "--certificate", "c.json", "--json"),
    ]
    for step in steps:
        done = desk.start(*step)
        assert done.returncode == 0, done.stderr
        assert done.stderr == b""
        assert isinstance(json.loads(done.stdout), dict)
        assert done.stdout.count(b"\n") == 1
    assert sorted(path.name for path in desk.folder.iterdir()) == [
        "c.json", "out.csv", "out.private.json", "people.csv",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        (1, ("anonymize", "people.csv", "--out", "o.csv", "--quasi", "age", "--k", "3", "--method", "coarsen")),
        (2, ("risk", "people.csv", "--quasi", "agee")),
        (3, ("risk", "nothing.csv", "--quasi", "age")),
    ],
)
def test_the_exit_code_of_the_process_tells_what_kind_of_failure_it_was(desk, people, code, arguments):
    desk.put("people.csv", people)
    done = desk.start(*arguments)
    assert done.returncode == code
    assert done.stdout == b""
    assert "✗" in done.stderr.decode()
    assert b"Traceback" not in done.stderr
    assert [path.name for path in desk.folder.iterdir()] == ["people.csv"]


def test_version(desk):
    assert desk.run("--version").fine().out == f"shoal {VERSION}\n"


def test_help_lists_every_command(desk):
    said = desk.run("--help").fine()
    assert said.err == ""
    for command in COMMANDS:
        assert f"  {command} " in said.out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_explains_each_option(desk, command):
    said = desk.run(command, "--help").fine()
    assert said.out.startswith("Usage: ")
    assert f" {command} [OPTIONS]" in said.out
    options = re.split(r"\n(?=  -)", said.out.partition("Options:\n")[2].rstrip())
    for option in options:
        name, _, explanation = option.strip().replace("\n", "  ").partition("  ")
        assert re.search(r"[A-Za-z]{3}", explanation.partition("[")[0]), f"{name} is not explained"


def test_every_command_is_loaded_by_its_name():
    application()
    written = [one.name for one in cli.options.app.registered_commands]
    groups = ["budget", "data", "hierarchy", "key"]  # with commands of their own; data is made anew
    assert sorted([*written, *groups]) == sorted(cli.COMMANDS)
    for name in cli.COMMANDS:
        alone = application(name)
        assert [one.name for one in (*alone.registered_commands, *alone.registered_groups)] == [name]


def test_nothing_asked_shows_the_help(desk):
    said = desk.run()
    assert said.code == 2
    assert "Commands:" in said.out + said.err


def test_an_unknown_command_is_wrong_use_with_a_suggestion(desk):
    said = desk.run("anonymise")
    assert said.code == 2
    assert "anonymize" in said.err


def test_an_unknown_option_is_wrong_use_with_a_suggestion(desk, people):
    desk.put("people.csv", people)
    said = desk.run("risk", "people.csv", "--quazi", "age")
    assert said.code == 2
    assert "--quasi" in said.err
    assert "Traceback" not in said.err


# inspect


def test_inspect_tells_columns_kinds_and_suggested_roles_with_reasons(desk, people):
    desk.put("people.csv", people)
    found = desk.run("inspect", "people.csv", "--json").json()
    assert found["file"] == "people.csv"
    assert found["records"] == 6
    columns = {column["name"]: column for column in found["columns"]}
    assert {name: (c["kind"], c["role"]) for name, c in columns.items()} == {
        "age": ("integer", "quasi"),
        "zip": ("integer", "quasi"),
        "sex": ("category", "quasi"),
        "charge": ("integer", "sensitive"),
    }
    assert columns["sex"]["distinct"] == 2
    for column in found["columns"]:
        assert column["why_role"]
        assert column["why_kind"]


def test_inspect_for_people_names_each_column_and_the_next_step(desk, people):
    desk.put("people.csv", people)
    said = desk.run("inspect", "people.csv").fine().out
    for word in ("people.csv", "6 records", "4 columns", "age", "zip", "sex", "charge"):
        assert word in said
    assert "shoal risk people.csv --quasi age,zip,sex" in said


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_inspect_shows_no_cell(desk, secret, form):
    rows = "".join(f"{secret}-{i},{71000 + i},{1900 + i}-01-01,{i}.5\n" for i in range(30))
    desk.put("t.csv", f"name,code,born,amount\n{rows}")
    said = desk.run("inspect", "t.csv", *form).fine()
    shown = said.out + said.err
    for cell in (secret, "7100", "1900-", "1910-", "0.5"):
        assert cell not in shown


def test_inspect_counts_missing_cells(desk):
    desk.put("t.csv", "age,note\n30,a\n,b\n31,\n32,\n")
    found = desk.run("inspect", "t.csv", "--json").json()
    assert [part(column, "name", "distinct", "missing") for column in found["columns"]] == [
        ("age", 3, 1),
        ("note", 2, 2),
    ]


def test_inspect_counts_missing_cells_of_a_released_file_too(desk):
    desk.put("t.csv", "age,note\n[30;31],a\n[30;31],b\n,\n,c\n")
    found = desk.run("inspect", "t.csv", "--json").json()
    assert [part(column, "name", "distinct", "missing") for column in found["columns"]] == [
        ("age", 1, 2),
        ("note", 3, 1),
    ]


# risk


def test_risk_gives_every_number_of_the_report(desk):
    desk.put("t.csv", CHARGES)
    found = desk.run("risk", "t.csv", "--quasi", "age,sex", "--json").json()
    assert set(found) >= RISK
    assert "attribute_disclosure" not in found
    assert "known" not in found
    assert part(found, "records", "unique", "classes", "smallest_class") == (6, 2, 4, 1)
    assert found["uniqueness"] == pytest.approx(2 / 6)
    assert found["random_reidentification"] == pytest.approx(4 / 6)


def test_risk_with_a_condition_gives_attribute_disclosure(desk):
    desk.put("t.csv", CHARGES)
    found = desk.run("risk", "t.csv", "--quasi", "age,sex", "--where", "charge > 100000", "--json").json()
    assert set(found) >= RISK | {"attribute_disclosure"}
    assert found["attribute_disclosure"] == pytest.approx(3 / 4)


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("charge > 100000 and sex = f", 1),
        ("charge >= 150000.5", 1),
        ("sex != f", 1),
        ("ill = yes", 2 / 3),
        ("ill = 'yes and no'", 0),
        ("since < 2010-06-01", 1 / 2),
    ],
)
def test_conditions_on_columns_of_each_kind(desk, where, expected):
    ill = ("yes", "yes and no", "no", "yes", "yes", "no")
    since = ("2010-01-01", "2011-01-01", "2012-01-01", "2013-01-01", "2014-01-01", "2010-05-31")
    head, *rows = CHARGES.splitlines()
    extended = [f"{row},{i},{s}" for row, i, s in zip(rows, ill, since, strict=True)]
    desk.put("t.csv", "\n".join([f"{head},ill,since", *extended]))
    found = desk.run("risk", "t.csv", "--quasi", "age,sex", "--where", where, "--json").json()
    assert found["attribute_disclosure"] == pytest.approx(expected)


def test_risk_by_what_an_attacker_knows_gives_the_same_numbers_for_each_set(desk):
    desk.put("t.csv", CHARGES)
    asked = ("--known", "age", "--known", "sex", "--known", "sex,age", "--where", "charge > 100000")
    found = desk.run("risk", "t.csv", "--quasi", "age,sex", *asked, "--json").json()
    by_age, by_sex, by_both = found["known"]
    for report in found["known"]:
        assert set(report) >= RISK | {"attribute_disclosure", "known"}
    assert [report["known"] for report in found["known"]] == [["age"], ["sex"], ["sex", "age"]]
    assert part(by_age, "records", "unique", "classes", "smallest_class") == (6, 1, 3, 1)
    assert part(by_sex, "records", "unique", "classes", "smallest_class") == (6, 0, 2, 3)
    assert by_age["attribute_disclosure"] == pytest.approx(2 / 4)
    assert by_sex["attribute_disclosure"] == pytest.approx(3 / 4)
    assert {key: by_both[key] for key in RISK} == {key: found[key] for key in RISK}


def test_risk_of_known_sets_alone_needs_no_quasi(desk):
    desk.put("t.csv", CHARGES)
    found = desk.run("risk", "t.csv", "--known", "sex", "--json").json()
    assert found["known"][0]["classes"] == 2


def test_risk_guesses_columns_and_says_so(desk):
    desk.put("t.csv", CHARGES)
    said = desk.run("risk", "t.csv").fine().out
    assert "guessed" in said
    assert "age, sex" in said


def test_risk_does_not_guess_a_role_for_a_column_that_was_given_one(desk):
    desk.put("t.csv", CHARGES)
    said = desk.run("risk", "t.csv", "--sensitive", "sex").fine().out
    assert "knows age could" in said


def test_risk_for_people_says_one_sentence_first(desk):
    desk.put("t.csv", CHARGES)
    said = desk.run("risk", "t.csv", "--quasi", "age,sex", "--known", "age", "--where", "charge > 100000").fine().out
    assert said.startswith("33.33% of 6 records stand alone.")
    assert "75.00%" in said
    assert "By what is known" in said


def test_risk_by_place_takes_all_but_the_last_column(desk):
    desk.put("t.csv", CHARGES)
    by_place = desk.run("risk", "t.csv", "--roles", "last-sensitive", "--where", "charge > 100000", "--json").json()
    by_name = desk.run("risk", "t.csv", "--quasi", "age,sex", "--where", "charge > 100000", "--json").json()
    assert by_place == by_name


# compare


def test_compare_sets_releases_beside_the_original(desk):
    desk.put("t.csv", CHARGES)
    for k in (2, 3):
        made = ("--quasi", "age,sex", "--sensitive", "charge", "--k", k)
        desk.run("anonymize", "t.csv", "--out", f"k{k}.csv", *made).fine()
    found = desk.run("compare", "t.csv", "k2.csv", "k3.csv", "--quasi", "age,sex", "--json").json()
    assert set(found) == {"original", "releases"}
    assert set(found["original"]) >= RISK
    assert found["original"]["unique"] == 2
    assert [release["path"] for release in found["releases"]] == ["k2.csv", "k3.csv"]
    for k, release in zip((2, 3), found["releases"], strict=True):
        assert set(release) >= RISK | {"information_loss"}
        assert release["unique"] == 0
        assert release["smallest_class"] >= k
        assert release["information_loss"] > 0


def test_compare_with_a_condition_gives_attribute_disclosure_of_all(desk):
    desk.put("t.csv", CHARGES)
    desk.run("anonymize", "t.csv", "--out", "o.csv", "--roles", "last-sensitive", "--k", 3).fine()
    asked = ("--quasi", "age,sex", "--where", "charge > 100000", "--json")
    found = desk.run("compare", "t.csv", "o.csv", *asked).json()
    assert found["original"]["attribute_disclosure"] == pytest.approx(3 / 4)
    assert "attribute_disclosure" in found["releases"][0]


def test_compare_of_a_table_with_itself_loses_nothing(desk):
    desk.put("t.csv", CHARGES)
    found = desk.run("compare", "t.csv", "t.csv", "--quasi", "age,sex", "--json").json()
    assert found["releases"][0]["information_loss"] == 0
    assert {key: found["releases"][0][key] for key in RISK} == {key: found["original"][key] for key in RISK}


def test_compare_measures_the_distance_to_the_farthest_end(desk):
    desk.put("a.csv", "age\n1\n3\n")
    desk.put("b.csv", "age\n[1;3]\n[1;3]\n")
    found = desk.run("compare", "a.csv", "b.csv", "--quasi", "age", "--json").json()
    assert found["releases"][0]["information_loss"] == pytest.approx(2**0.5)  # 2 years, in deviations of √2


def test_compare_for_people_shows_the_files_by_name(desk):
    desk.put("a.csv", "age\n1\n3\n")
    desk.put("b.csv", "age\n[1;3]\n[1;3]\n")
    said = desk.run("compare", "a.csv", "b.csv", "--quasi", "age").fine().out
    assert "original" in said
    assert "b.csv" in said
    assert "1.414214" in said


# anonymize


def test_anonymize_says_what_holds_what_it_costs_and_where_it_went(desk, people):
    made = desk.mask(people, "--quasi", "age,zip", "--sensitive", "charge")
    assert made.fine().left == ("out.certificate.json", "out.csv", "out.private.json")
    for word in ("at least 2 times", "uniqueness: 0", "information-loss", "Left out: sex", "out.csv"):
        assert word in made.out


def test_anonymize_for_machines_gives_verdicts_and_scores(desk, people):
    made = desk.mask(people, "--quasi", "age,zip,sex", "--sensitive", "charge", "--where", "charge > 250", "--json")
    found = made.json()
    assert found["out"] == "out.csv"
    assert found["certificate"] == "out.certificate.json"
    assert part(found["verdicts"][0], "holds", "level") == (True, 2.0)
    assert {score["measure"] for score in found["scores"]} == {
        "uniqueness", "random-reidentification", "class-sizes", "information-loss", "attribute-disclosure",
    }  # fmt: skip
    assert found["digest"] == json.loads(desk.read("out.certificate.json"))["digest"]


def test_anonymize_with_t_uses_strata_and_proves_t(desk, people):
    roles = ("--quasi", "age,zip,sex", "--sensitive", "charge")
    found = desk.mask(people, *roles, "--t", "0.4", "--json").json()
    k, t = found["verdicts"]
    assert k["holds"]
    assert t["holds"]
    assert t["level"] <= 0.4
    assert "Algorithm S4" in found["steps"][0]
    desk.check().fine()


def test_t_for_one_of_two_confidential_columns_by_the_convention_of_the_paper(desk):
    text = "age,a,b\n30,1,9\n31,2,8\n50,3,7\n51,4,6\n"
    asked = ("--quasi", "age", "--sensitive", "a,b", "--t", "0.5", "--t-column", "b", "--t-distance", "ordered-records")
    found = desk.mask(text, *asked, "--json").json()
    assert found["verdicts"][1]["model"]["column"] == "b"
    assert "Eq. 6" in found["verdicts"][1]["convention"]
    desk.check().fine()


def test_coarsen_without_a_level_promises_nothing_and_says_so(desk, people):
    desk.put("in.csv", people)
    asked = ("--quasi", "age,zip", "--sensitive", "charge", "--method", "coarsen", "--param", "resolution=2")
    found = desk.run("anonymize", "in.csv", "--out", "out.csv", *asked, "--no-promise", "--json").json()
    assert found["verdicts"] == []
    assert desk.read("out.csv").splitlines()[1] == "[33;35],[93701;93705],100"
    desk.check("--no-promise").fine()


def test_coarsen_column_by_column(desk, people):
    desk.put("in.csv", people)
    asked = ("--quasi", "age,sex", "--method", "coarsen", "--param", "resolution.age=2", "--param", "by=width")
    desk.run("anonymize", "in.csv", "--out", "out.csv", *asked, "--no-promise").fine()
    assert desk.read("out.csv").splitlines()[:3] == ["age,sex", "[33;48],f", "[33;48],m"]


def test_people_are_counted_when_a_column_tells_them_apart(desk):
    text = "pid,age,charge\nA,30,5\nA,31,6\nB,50,7\nC,51,8\n"
    found = desk.mask(text, "--quasi", "age", "--sensitive", "charge", "--subject", "pid", "--json").json()
    assert found["verdicts"][0]["convention"] == "distinct subjects per class"
    assert found["verdicts"][0]["level"] == 3
    assert desk.read("out.csv").splitlines()[0] == "age,charge"


def test_plain_columns_are_kept_and_others_left_out(desk, people):
    found = desk.mask(people, "--quasi", "age", "--plain", "charge,sex", "--json").json()
    assert found["left_out"] == ["zip"]
    assert desk.read("out.csv").splitlines()[:2] == ["age,sex,charge", "[33;34],m,100"]


def test_the_same_input_gives_the_same_bytes_again(desk, people):
    roles = ("--quasi", "age,zip,sex", "--sensitive", "charge")
    desk.mask(people, *roles).fine()
    first = desk.read("out.csv"), desk.paper()
    desk.mask(people, *roles).fine()
    assert (desk.read("out.csv"), desk.paper()) == first


def test_a_sensitive_column_that_is_named_twice_is_released_once(desk, people):
    desk.mask(people, "--quasi", "age", "--sensitive", "charge,charge").fine()
    assert desk.read("out.csv").splitlines()[0] == "age,charge"


# list and demo


@pytest.mark.parametrize(
    ("shelf", "names"),
    [
        ("methods", {"sorted-clusters", "coarsen", "stratified-clusters"}),
        ("models", {"k-anonymity", "t-closeness"}),
        (
            "measures",
            {"uniqueness", "random-reidentification", "attribute-disclosure", "class-sizes", "information-loss"},
        ),
        ("identifiers", {"drop", "pseudonym", "ff1", "shift"}),
    ],
)
def test_list_names_and_describes_what_there_is(desk, shelf, names):
    found = desk.run("list", shelf, "--json").json()
    assert list(found) == [shelf]
    assert {entry["name"] for entry in found[shelf]} >= names
    assert all(entry["description"] for entry in found[shelf])
    said = desk.run("list", shelf).fine().out
    for name in names:
        assert name in said


def test_list_of_something_else_is_wrong_use(desk):
    desk.run("list", "method").refused(2, "'method'", "methods")
    desk.run("list").refused(2, "what to list", "methods, models, measures")


def test_demo_shows_before_and_after(desk):
    said = desk.run("demo", "--folder", desk.folder).fine()
    assert "[" in said.out
    assert any(name.endswith(".certificate.json") for name in said.left)


# The export was sorted by age: the two men fitted each other, and what stands between them tells them apart.
SORTED = """\
age,sex
[1;6],m
[2;3],f
[2;3],f
[5;5],f
[5;5],f
[1;6],m
"""


def test_risk_measures_what_else_is_asked_for_of_a_file_of_any_tool(desk):
    desk.put("masked.csv", SORTED)
    asked = ("risk", "masked.csv", "--quasi", "age,sex", "--measure", "order-leak")
    (found,) = desk.run(*asked, "--json").json()["scores"]
    assert found["value"] == pytest.approx(1 / 3)
    assert part(found["detail"], "records", "leaking", "k") == (6, 2, 2)
    said = "Rows stand in the order of 'age': 2 of 6 records have fewer than 2 that fit."
    assert said in desk.run(*asked).fine().out
    desk.run(*asked, "--report", "page.html").fine()
    page = desk.read("page.html")
    assert said in html.unescape(page)
    assert "define-order-leak" in page


def test_risk_refuses_measures_that_compare_with_the_original(desk):
    desk.put("masked.csv", SORTED)
    asked = ("risk", "masked.csv", "--quasi", "age,sex", "--measure")
    desk.run(*asked, "granularity").refused(2, "granularity compares with the original", "shoal compare")
    desk.run(*asked, "order-leak k=1").refused(2, "at least 2")
    desk.run(*asked, "order-leek").refused(2, "Did you mean 'order-leak'")


def test_a_release_and_a_comparison_tell_what_the_order_of_rows_leaks(desk, people):
    desk.put("people.csv", people)
    roles = ("--quasi", "age,zip,sex")
    asked = ("anonymize", "people.csv", "--out", "out.csv", *roles, "--k", 2, "--measure", "order-leak")
    assert "\n  order-leak: " in desk.run(*asked, "--report", "page.html").fine().out
    assert "define-order-leak" in desk.read("page.html")
    assert "order-leak is " in desk.run("check", "out.csv", "--certificate", "out.certificate.json").fine().out
    compared = desk.run("compare", "people.csv", "out.csv", *roles, "--measure", "order-leak").fine().out
    assert "order-leak" in compared
