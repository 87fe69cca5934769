"""Private releases as whole commands: what is shown, what is written, and what is refused."""

import json
import random

import pytest

pytest.importorskip("opendp")

TREE = ("--quasi", "age,sex", "--method", "private-tree", "--param", "domains.age=0..99 step 3",
        "--param", "domains.sex=f,m", "--param", "rho=0.5")  # fmt: skip
AVERAGES = ("--quasi", "age", "--method", "private-averages", "--param", "domains.age=0..99", "--param", "k=50",
            "--param", "epsilon=0.5")  # fmt: skip


@pytest.fixture
def table(desk):
    draw = random.Random(4)
    lines = [f"{draw.randrange(100)},{draw.choice('fm')},{number}\n" for number in range(613)]
    desk.put("in.csv", "age,sex,id\n" + "".join(lines))
    return desk


def test_a_tree_is_written_with_its_claim_and_checked_in_words(table):
    said = table.run("anonymize", "in.csv", *TREE, "--out", "out.csv").fine()
    assert "≈ stated: Zero-concentrated differential privacy with ρ = 0.5" in said.out
    checked = table.check().fine().out
    for words in ("worked out anew", "No file can show this", "taken on trust in shoal and in opendp 0.16"):
        assert words in checked
    found = table.check("--json").json()
    assert found["verified"] is True
    assert found["promised"] == ["zero-concentrated-differential-privacy"]
    assert len(found["stated"]) == 2


def test_averages_of_one_column_say_epsilon_and_both_sensitivities(table):
    table.run("anonymize", "in.csv", *AVERAGES, "--out", "out.csv").fine()
    stated = table.paper()["stated"]
    assert stated["loss"] == {"epsilon": "0.5"}
    assert (stated["records"], stated["classes"], stated["class_size"]) == (613, 12, 50)
    assert stated["columns"]["age"]["sums"] == {"l1": 99, "l2_squared": 9801, "scale": 198.0}
    assert stated["columns"]["age"]["averages"]["l1"] == 99 / 50
    assert "613" not in json.dumps(table.paper()["input"])


def test_a_recipe_does_it_again_with_other_noise(table):
    table.run("anonymize", "in.csv", *TREE, "--out", "out.csv", "--save-recipe", "r.toml").fine()
    assert "seed" not in table.read("r.toml")
    before = table.read("out.csv")
    table.run("run", "r.toml", "--overwrite").fine()
    assert table.read("out.csv") != before
    table.check().fine()


def test_a_report_for_others_tells_nothing_of_the_original(table):
    for audience in ("internal", "external"):
        table.run(
            "anonymize",
            "in.csv",
            *TREE,
            "--out",
            "out.csv",
            "--report",
            "report.html",
            "--audience",
            audience,
            "--overwrite",
        ).fine()
        page = table.read("report.html")
        assert "It is a promise about how the numbers came to be" in page
        assert "cannot be seen in any file" in page
        assert ("marginal-distance, column by column" in page) == (audience == "internal")
    assert "is known to its holder only" in page


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--seed", "3"), "has no seed"),
        (("--row-order", "input"), "no row for each row"),
        (("--sensitive", "id"), "would be released as it is"),
        (("--measure", "information-loss"), "row by row"),
        (("--param", "domains.age=0..99 step 7"), "more than once"),
        (("--param", "epsilon=1"), "no parameter 'epsilon'"),
    ],
)
def test_what_is_not_private_is_refused_and_nothing_is_written(table, more, words):
    table.run("anonymize", "in.csv", *TREE, *more, "--out", "out.csv").refused(2, words)


def test_several_columns_by_individual_ranking_are_refused(table):
    table.run(
        "anonymize", "in.csv", "--quasi", "age,id", *AVERAGES[2:], "--param", "domains.id=0..700",
        "--param", "ranking=individual", "--out", "out.csv",
    ).refused(2, "which classes of one column share records")  # fmt: skip


def test_a_claim_that_was_taken_out_promises_nothing(table):
    from shoal.certification.signatures import digest

    table.run("anonymize", "in.csv", *TREE, "--out", "out.csv").fine()
    paper = dict(table.paper())
    del paper["stated"]
    paper["digest"] = digest(paper)
    table.put("out.certificate.json", json.dumps(paper))
    assert "promises nothing" in table.check().out


def test_rows_of_a_private_release_are_never_paired_with_those_of_the_original(table):
    """Averages have as many rows as the original, which says nothing of which is whose."""
    table.run("anonymize", "in.csv", *AVERAGES, "--out", "out.csv").fine()
    assert "rows" not in json.loads(table.read("out.private.json"))
    table.run("compare", "in.csv", "out.csv", "--quasi", "age").refused(
        2, "No row of 'out.csv' is a row of the original"
    )
    table.check("--private", "out.private.json", "--original", "in.csv").fine()


def test_kinds_that_were_found_in_the_data_are_in_no_report_for_others(desk):
    rows = [f"{number}.5\n" if number == 7 else f"{number}\n" for number in range(60)]
    desk.put("in.csv", "n\n" + "".join(rows))
    for audience, kind in (("internal", "float"), ("external", "integer")):
        desk.run(
            "anonymize", "in.csv", "--quasi", "n", "--method", "private-averages", "--param", "domains.n=0..60",
            "--param", "k=20", "--param", "rho=1", "--out", "out.csv", "--report", "r.html", "--audience", audience,
            "--overwrite",
        ).fine()  # fmt: skip
        assert f"n = &#34;{kind}&#34;" in desk.read("r.html")
