"""Commands that hide cells: what they say, what they write, what they refuse, and what check finds in a forged file."""

import json

import pytest

from shoal.certification.signatures import digest

CROWDS = {"city,f,flu": 4, "city,m,cold": 1, "village,m,flu": 3, "hut,f,cold": 1, "city,f,cold": 3}
ROWS = "home,sex,ill\n" + "".join(f"{line}\n" * many for line, many in CROWDS.items())
ASKED = ["--quasi", "home,sex", "--method", "suppress", "--out", "out.csv"]


@pytest.fixture
def people(desk):
    desk.put("in.csv", ROWS)
    return desk


def test_what_was_hidden_is_counted(people):
    said = people.run("anonymize", "in.csv", *ASKED, "--k", "2", "--json").json()
    rows = [line.split(",") for line in people.read("out.csv").splitlines()[1:]]
    assert said["suppressed"] == {name: sum(row[j] == "*" for row in rows) for j, name in enumerate(("home", "sex"))}
    assert said["records_touched"] == sum("*" in row for row in rows) > 0
    assert said["verdicts"][0]["model"] == {"name": "k-anonymity", "k": 2, "missing": "own"}
    assert min(rows.count(row) for row in rows) >= 2
    people.check("--private", "out.private.json", "--original", "in.csv").fine()
    other = people.run("anonymize", "in.csv", *ASKED[:2], "--k", "2", "--out", "other.csv", "--json").json()
    assert "suppressed" not in other


def test_how_a_hidden_cell_counts_stands_in_the_certificate_and_is_proved_from_the_file(people):
    ask = ["--k", "2", "--param", "missing=either", "--save-recipe", "r.toml", "--json"]
    said = people.run("anonymize", "in.csv", *ASKED, *ask).json()
    paper = json.loads(people.read("out.certificate.json"))
    assert paper["verdicts"][0]["model"] == {"name": "k-anonymity", "k": 2, "missing": "either"}
    assert paper["recipe"]["method"][0]["missing"] == "either"
    assert "(either)" in paper["steps"][0]
    (known,) = [score for score in said["scores"] if score["measure"] == "known-matches"]
    assert known["detail"]["fewer"] == 2
    found = people.check().fine()
    assert "k-anonymity (2, either)" in found.out
    people.run("run", "r.toml", "--overwrite").fine()
    people.check("--private", "out.private.json", "--original", "in.csv").fine()


def test_either_does_not_pass_for_own(people):
    people.run("anonymize", "in.csv", *ASKED, "--k", "2", "--param", "missing=either").fine()
    place = people.folder / "out.certificate.json"
    paper = json.loads(place.read_text(encoding="utf-8"))
    own = {"name": "k-anonymity", "k": 2}
    paper["recipe"]["model"], paper["verdicts"][0]["model"] = [own], own
    paper["verdicts"][0] |= {"sentence": "Each combination of quasi-identifiers occurs at least 2 times."}
    paper["digest"] = digest(paper)
    place.write_text(json.dumps(paper), encoding="utf-8")
    done = people.check()
    assert done.code != 0
    assert "k-anonymity" in done.err


def test_recipes_generalize_first_and_hide_then_and_ask_of_combinations(people):
    people.put(
        "r.toml",
        """
        [table]
        file = "in.csv"
        quasi = ["home", "sex"]
        sensitive = ["ill"]

        [[method]]
        name = "hide-rare"
        least = 2

        [[method]]
        name = "suppress"
        cost = {sex = 2}

        [[model]]
        name = "k-anonymity"
        k = 2

        [[model]]
        name = "k-anonymity"
        k = 4
        size = 1

        [release]
        file = "out.csv"
        """,
    )
    people.run("run", "r.toml").fine()
    said = people.check().fine().out
    assert "k-anonymity (2), k-anonymity (4, of each column)" in said
    assert "hut" not in people.read("out.csv")


REFUSED = {
    "no k": ([], "--k"),
    "a way": (["--k", "2", "--param", "missing=all"], "own, known, either"),
    "a column": (["--k", "2", "--param", "cost.age=2"], "no column 'age'"),
    "a k": (["--k", "40"], "cannot be reached"),
    "people": (["--k", "2", "--param", "missing=either", "--subject", "ill"], "not people"),
    "strata": (["--k", "2", "--param", "strata=home"], "belong together"),
}


@pytest.mark.parametrize(("options", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_is_refused_and_nothing_is_written(people, options, message):
    done = people.run("anonymize", "in.csv", *ASKED, *options)
    assert done.code != 0
    assert done.left == ()
    assert message in " ".join(done.err.split())
