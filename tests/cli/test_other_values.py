"""Methods that change values on the command line: alone, after others in a recipe, and proved with the original."""

import json

import pytest

from shoal.certification.signatures import digest

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


def test_a_share_without_end_is_refused(desk):
    asked = ("--quasi", "age,zip", "--no-promise", "--method", "noise", "--param", "alpha=1e400")
    desk.run("anonymize", "in.csv", "--out", "out.csv", *asked).refused(2, "alpha")


def test_a_parameter_of_a_column_with_a_sign_of_equality_is_quoted(desk):
    desk.put("odd.csv", "a=b,n\n" + "".join(f"{i % 9},{i % 4}\n" for i in range(90)))
    desk.run(
        "anonymize", "odd.csv", "--out", "out.csv", "--quasi", "a=b,n", "--no-promise",
        "--method", "code-extremes", "--param", 'top."a=b"=5',
    ).fine()  # fmt: skip
    assert set(column(desk.read("out.csv"), "a=b")) == {*"01234", "[5;8]"}


def swapped(desk):
    """Make a release by a method that remarks something."""
    desk.put("homes.csv", "home,region,age\n" + "".join(f"h{i // 2},{'NS'[i // 2 % 2]},{i % 37}\n" for i in range(80)))
    desk.run(
        "anonymize", "homes.csv", "--out", "out.csv", "--quasi", "region,age", "--subject", "home", "--no-promise",
        "--method", "record-swap", "--param", "geography=region",
    ).fine()  # fmt: skip


FORGED = {
    "no word of what is kept": (lambda paper: paper.pop("preserved"), True),
    "something that nothing keeps": (
        lambda paper: paper["preserved"][0]["exactly"].append({"statistic": "all secrets", "columns": ["age"]}),
        True,
    ),
    "another says it": (lambda paper: paper["remarks"][0].update(method="noise"), True),
    "another remark": (lambda paper: paper["remarks"][0].update(said="It is differentially private."), False),
    "another number": (lambda paper: paper["remarks"][0].update(without_donor=[-1]), False),
    "no remark": (lambda paper: paper.pop("remarks"), False),
}


@pytest.mark.parametrize("case", FORGED)
def test_what_a_certificate_says_beside_its_promises_is_checked(desk, case):
    swapped(desk)
    paper = json.loads(desk.read("out.certificate.json"))
    record = json.loads(desk.read("out.private.json"))
    both = ("--private", "out.private.json", "--original", "homes.csv", "--no-promise")
    desk.run("check", "out.csv", *both).fine()
    forge, seen_alone = FORGED[case]
    forge(paper)
    paper["digest"] = digest(paper)
    desk.put("out.certificate.json", json.dumps(paper))
    desk.put("out.private.json", json.dumps(record | {"certificate": paper["digest"]}))
    alone = desk.run("check", "out.csv", "--no-promise")
    assert (alone.code != 0) == seen_alone
    assert "does not say" in desk.run("check", "out.csv", *both).err or case == "something that nothing keeps"
    assert desk.run("check", "out.csv", *both).code == 1


def test_a_column_with_other_values_is_not_said_to_be_released_as_it_is(desk):
    asked = (*ROLES, "--method", "noise", "--param", "columns=income", "--no-promise")
    desk.run("anonymize", "in.csv", "--out", "out.csv", *asked).fine()
    said = desk.run("check", "out.csv", "--no-promise").out
    assert "released as they are: wealth\n" in said
    assert "With other values than the true ones, as the certificate says: income\n" in said
    assert "Protected" not in said
    assert "Quasi-identifiers, not protected: age, zip\n" in said
