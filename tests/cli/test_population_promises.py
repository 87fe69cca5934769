"""Promises about a population: released, named in the certificate, and proved by who has its table."""

import pytest

TABLE = "age,town\n34,A\n34,B\n35,A\n51,B\n52,C\n52,C\n"
POPULATION = "AGE,town,other\n" + "".join(
    f"{age},{town},1\n" for age in (34, 35, 36, 50, 51, 52) for town in "ABC" for _ in range(2)
)
MODEL = "k-map k=4 population=pop.csv called.age=AGE"
ASKED = ("anonymize", "t.csv", "--quasi", "age,town", "--method", "full-domain", "--model", MODEL, "--out", "out.csv")


@pytest.fixture
def released(desk):
    desk.put("t.csv", TABLE)
    desk.put("pop.csv", POPULATION)
    desk.run(*ASKED, "--save-recipe", "again.toml").fine()
    return desk


def test_the_certificate_names_the_population_and_its_digest(released):
    (claim,) = released.paper()["verdicts"]
    assert claim["model"]["population"] == "pop.csv"
    assert len(claim["model"]["sha256"]) == 64
    assert claim["level"] >= 4


def test_without_the_population_the_promise_is_not_proved(released):
    found = released.run("check", "out.csv", "--json").json()
    assert any(line.startswith("k-map (4) (needs the table") for line in found["not_proved"])
    assert not any("population" in line for line in found["proved"])


def test_with_the_population_it_is_proved(released):
    found = released.run("check", "out.csv", "--population", "pop.csv", "--json").json()
    assert any("people of the population" in line for line in found["proved"])
    assert not any("k-map" in line for line in found["not_proved"])


def test_another_population_proves_nothing(released):
    released.put("other.csv", POPULATION + "36,A,2\n")
    failed = released.run("check", "out.csv", "--population", "other.csv")
    assert failed.code != 0
    assert "SHA-256" in failed.err


def test_a_recipe_finds_the_population_beside_it(released):
    before = released.read("out.csv")
    released.run("run", "again.toml", "--overwrite").fine()
    assert released.read("out.csv") == before


def test_nodes_need_their_hierarchies(desk):
    desk.put("t.csv", TABLE)
    desk.put("pop.csv", POPULATION)
    desk.put("town.csv", "A,AB,*\nB,AB,*\nC,CD,*\nD,CD,*\n")
    level = ("--param", "levels=0,1", "--hierarchy", "town=town.csv")
    desk.run(*(each.replace("k=4", "k=2") for each in ASKED), *level).fine()
    lacking = desk.run("check", "out.csv", "--population", "pop.csv", "--json").json()["not_proved"]
    assert any("hierarchies of town" in line for line in lacking)
    for more in (("--hierarchy", "town=town.csv"), ("--private", "out.private.json")):
        found = desk.run("check", "out.csv", "--population", "pop.csv", *more, "--json").json()
        assert "Each combination of quasi-identifiers fits at least 2 people of the population." in found["proved"]


def test_a_population_beyond_the_hierarchy_that_was_built_says_nothing_against_a_release(desk):
    """The private record has the nodes of the table's own values: who has others needs a file with all of them."""
    desk.put("t.csv", TABLE)
    desk.put("pop.csv", POPULATION)
    built = ("--param", "levels=1,0", "--hierarchy", "age=bands 10")
    desk.run(*(each.replace("k=4", "k=2") for each in ASKED), *built).fine()
    private = ("--population", "pop.csv", "--private", "out.private.json")
    lacking = " ".join(desk.run("check", "out.csv", *private, "--json").json()["not_proved"])
    assert "k-map (2) (the population cannot be read beside it: Column 'AGE' has 2 values" in lacking
    desk.put("age.csv", "".join(f"{age},{age // 10}0-{age // 10}9,*\n" for age in (34, 35, 36, 50, 51, 52)))
    found = desk.run("check", "out.csv", *private, "--hierarchy", "age=age.csv", "--json").json()
    assert any("people of the population" in line for line in found["proved"])


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("k-map k=5", "nothing, or two things"),
        ("k-map k=5 alpha=0.05 fraction=0.1 population=pop.csv", "two things"),
        ("k-map k=1 population=pop.csv", "at least 2"),
        ("k-map k=5 alpha=2 fraction=0.1", "alpha"),
        ("k-map k=5 population=nowhere.csv", "nowhere.csv"),
        ("delta-presence most=0.5", "needs a table"),
        ("delta-presence most=0.2 least=0.5 population=pop.csv", "above the largest"),
        ("reidentification-risk highest=1", "No risk"),
        ("reidentification-risk highest=3", "above 0 and at most 1"),
        ("reidentification-risk highest=1 average=0.3 share=0.1", "as all may"),
    ],
)
def test_what_makes_no_sense_is_refused(desk, model, said):
    desk.put("t.csv", TABLE)
    desk.put("pop.csv", POPULATION)
    failed = desk.run(*ASKED[:6], "--model", model, "--out", "out.csv")
    assert failed.code != 0
    assert said in failed.err


def test_people_are_counted_where_something_says_who_they_are(desk):
    desk.put("t.csv", "who,age\na,34\na,35\nb,36\nc,51\n")
    rows = [(who, age) for who in "abcdef" for age in (34, 36)] + [("a", 35), ("c", 51), ("g", 52)]
    desk.put("pop.csv", "id,age\n" + "".join(f"{who},{age}\n" for who, age in rows))
    asked = ("anonymize", "t.csv", "--quasi", "age", "--subject", "who", "--out", "out.csv")
    model = ("--model", "k-map k=4 population=pop.csv called.who=id")
    desk.run(*asked, *model).fine()
    (claim,) = desk.paper()["verdicts"]
    assert "people are counted" in claim["convention"]
    attested = " ".join(desk.run("check", "out.csv", "--population", "pop.csv", "--json").json()["not_proved"])
    assert "people are counted by a column that is not released" in attested
    desk.run(
        *asked, *model, "--identifier", "who=pseudonym:patient", "--pseudonym-key", key(desk), "--overwrite"
    ).fine()
    found = desk.run("check", "out.csv", "--population", "pop.csv", "--json").json()
    assert any("people of the population" in line for line in found["proved"])
    unknown = desk.run(*asked, "--model", "k-map k=4 population=pop.csv", "--overwrite")
    assert unknown.code != 0
    assert "who" in unknown.err


def key(desk):
    desk.run("key", "new", "names.key").fine()
    return "names.key"
