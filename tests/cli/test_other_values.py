"""Methods that change values on the command line: alone, after others in a recipe, and proved with the original."""

import json

import pytest

ROWS = [(20 + i % 50, 93700 + (i * 7) % 40, 1000 + (i * 137) % 997, 50 + (i * 31) % 89) for i in range(120)]
ROLES = ("--quasi", "age,zip", "--sensitive", "income,wealth")


@pytest.fixture(autouse=True)
def table(desk):
    desk.put("in.csv", "age,zip,income,wealth\n" + "".join(",".join(map(str, row)) + "\n" for row in ROWS))


def column(text, name):
    head, *rows = (line.split(",") for line in text.splitlines())
    return [row[head.index(name)] for row in rows]


def test_columns_can_be_named_and_the_rest_stays(desk):
    said = desk.run(
        "anonymize", "in.csv", "--out", "out.csv", *ROLES, "--method", "rank-swap", "--param", "columns=income,wealth",
        "--param", "percent=20", "--no-promise", "--row-order", "input", "--save-recipe", "again.toml", "--json",
    ).json()  # fmt: skip
    before, after = desk.read("in.csv"), desk.read("out.csv")
    for name in ("age", "zip"):
        assert column(after, name) == column(before, name)
    for name in ("income", "wealth"):
        assert column(after, name) != column(before, name)
        assert sorted(column(after, name)) == sorted(column(before, name))
    assert said["preserved"][0]["exactly"][1] == {
        "statistic": "rank moves",
        "columns": ["income", "wealth"],
        "within": 24,
    }
    for paper in ("out.certificate.json", "out.private.json", "again.toml"):
        assert "seed" not in desk.read(paper)
    desk.run("run", "again.toml", "--overwrite").fine()
    assert desk.read("out.csv") != after


def test_a_seed_for_tests_repeats_a_release(desk):
    def made(*seed):
        desk.run(
            "anonymize", "in.csv", "--out", "out.csv", *ROLES, "--method", "noise", "--no-promise", "--overwrite", *seed
        ).fine()
        assert "seed" not in desk.read("out.certificate.json")
        return desk.read("out.csv")

    assert made("--seed", "3") == made("--seed", "3") != made("--seed", "4")
    assert made() != made()


def test_steps_of_a_recipe_are_proved_together(desk):
    desk.put(
        "steps.toml",
        """
        method = [
          {name = "coarsen", resolution = {zip = 5}},
          {name = "rank-swap", columns = ["income"], percent = 10},
          {name = "noise", columns = ["wealth"], kind = "exact", alpha = 0.5},
        ]
        [table]
        file = "in.csv"
        quasi = ["age", "zip"]
        sensitive = ["income", "wealth"]
        [release]
        file = "out.csv"
        no_promise = true
        """,
    )
    told = desk.run("run", "steps.toml").fine().out
    assert "Kept exactly: margins of income; rank moves of at most 12 of income; means of wealth" in told
    proof = desk.run(
        "check", "out.csv", "--private", "out.private.json", "--original", "in.csv", "--no-promise", "--json"
    )
    assert sum(line.startswith("Kept as in the original") for line in proof.json()["proved"]) == 4
    paper = json.loads(desk.read("out.certificate.json"))
    assert [step["changes"] for step in paper["preserved"]] == [["zip"], ["income"], ["wealth"]]


def test_a_promise_that_changed_values_do_not_keep_is_refused(desk):
    desk.run("anonymize", "in.csv", "--out", "out.csv", *ROLES, "--method", "noise", "--k", "3").refused(
        1, "k-anonymity"
    )


@pytest.mark.parametrize(
    "wrong",
    [
        ("--method", "noise", "--param", "columns=nobody"),
        ("--method", "noise", "--param", "alpha=0"),
        ("--method", "rank-swap", "--param", "percent=0.5"),
        ("--method", "shuffle", "--param", "given=income", "--param", "columns=income"),
    ],
)
def test_what_cannot_be_done_is_refused(desk, wrong):
    code = 3 if "percent=0.5" in wrong else 2
    desk.run("anonymize", "in.csv", "--out", "out.csv", *ROLES, *wrong, "--no-promise").refused(code)
