"""`shoal risk --threshold …`: what prosecutor, journalist and marketer find, and who is alone in the population."""

import pytest

ASKED = ("risk", "t.csv", "--quasi", "age,sex", "--json")
# Classes of 3, 2 and 1 records.
PEOPLE = "age,sex,stands for\n34,m,2\n34,m,1\n34,m,1\n51,f,4\n51,f,6\n60,f,2.5\n"


@pytest.fixture
def people(desk):
    desk.put("t.csv", PEOPLE)
    return lambda *more: desk.run(*ASKED, *more)


def test_with_a_threshold_alone_only_the_prosecutor_is_known(people):
    found = people("--threshold", "0.4").json()
    assert found["attackers"]["prosecutor"] == {"highest": 1.0, "at_risk": 0.5, "success": 0.5}
    assert found["attackers"]["journalist"] is None
    assert found["attackers"]["marketer"] is None
    assert "--population" in found["attackers"]["reason"]
    assert found["threshold"]["smallest_class"] == 3
    assert "population_uniqueness" not in found
    assert "suppressed" not in found["attackers"]


def test_a_fraction_says_what_each_record_stands_for(people):
    found = people("--sampling-fraction", "0.25", "--threshold", "0.1").json()
    assert found["attackers"]["journalist"] == {"highest": 0.25, "at_risk": 0.5, "success": 0.125}
    assert found["attackers"]["marketer"] == {"success": 0.125}
    assert people("--population-size", "24", "--threshold", "0.1").json()["attackers"] == found["attackers"]


def test_weights_say_it_of_each_record(people):
    found = people("--weight", "stands for", "--threshold", "0.2").json()["attackers"]
    assert found["journalist"]["highest"] == 1 / 2.5
    assert found["journalist"]["at_risk"] == 4 / 6
    marketer = (3 / 4 + 2 / 10 + 1 / 2.5) / 6
    assert found["marketer"]["success"] == pytest.approx(marketer)
    assert found["journalist"]["success"] == pytest.approx(max(3 / 16.5, marketer))


@pytest.mark.parametrize(
    ("name", "smallest"), [("public", 12), ("customary", 11), ("trusted", 5), ("inside", 4), ("0.09", 12), ("1", 1)]
)
def test_thresholds_have_names(people, name, smallest):
    assert people("--threshold", name).json()["threshold"]["smallest_class"] == smallest


def test_what_does_not_converge_is_said(people):
    found = people("--population-size", "1000").json()["population_uniqueness"]
    assert found["zayatz"] is not None
    assert {name for name in ("pitman", "zayatz", "snb") if found[name] is None} == set(found.get("reasons", ()))


def test_everybody_alone_tells_no_model_anything(desk):
    desk.put("t.csv", "age,sex\n1,m\n2,m\n3,f\n")
    found = desk.run(*ASKED, "--population-size", "1000").json()["population_uniqueness"]
    assert found["pitman"] is None
    assert found["snb"] is None
    assert "every record is alone" in found["reasons"]["pitman"]


def test_the_page_shows_attackers_and_estimates(desk):
    desk.put("t.csv", PEOPLE)
    said = desk.run("risk", "t.csv", "--quasi", "age,sex", "--population-size", "600", "--report", "r.html").fine().out
    assert "The marketer, who links all records to the population, is right for 0.50% of them." in said
    page = (desk.folder / "r.html").read_text(encoding="utf-8")
    assert "What three attackers find" in page
    assert "Alone in the population" in page


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--population-size", "5"), "smaller than the table"),
        (("--population-size", "0"), "at least 1"),
        (("--sampling-fraction", "1.5"), "at most 1"),
        (("--sampling-fraction", "0.5", "--population-size", "60"), "twice"),
        (("--threshold", "2"), "public (0.09)"),
        (("--threshold", "publik"), "Did you mean 'public'?"),
        (("--weight", "nothing"), "nothing"),
    ],
)
def test_what_makes_no_sense_is_refused(people, more, said):
    failed = people(*more)
    assert failed.code != 0
    assert said in failed.err


def test_weights_below_one_count_for_the_record_itself_and_missing_ones_are_refused(desk):
    desk.put("t.csv", "age,w\n1,0.5\n2,3\n")
    found = desk.run("risk", "t.csv", "--quasi", "age", "--weight", "w", "--json").json()
    assert found["attackers"]["journalist"]["highest"] == 1
    desk.put("u.csv", "age,w\n1,\n2,3\n")
    assert (
        "Records without a weight in column 'w': 1." in desk.run("risk", "u.csv", "--quasi", "age", "--weight", "w").err
    )
    desk.put("v.csv", "age,w\n1,many\n2,few\n")
    assert "does not hold numbers" in desk.run("risk", "v.csv", "--quasi", "age", "--weight", "w").err


# Whoever is in the table, and others; columns have other names, and another order.
POPULATION = "W;S;A\n1;m;34\n1;m;34\n1;m;34\n1;m;34\n1;f;51\n1;f;51\n1;f;60\n1;f;60\n1;f;60\n1;m;99\n"
NAMES = ("--population-columns", "age=A", "--population-columns", "sex=S")


def test_a_table_of_the_population_is_counted(people, desk):
    desk.put("pop.csv", POPULATION)
    found = people("--population", "pop.csv", *NAMES, "--threshold", "0.4").json()
    assert found["attackers"]["journalist"] == {
        "highest": 0.5,
        "at_risk": 2 / 6,
        "success": pytest.approx(2.083333 / 6),
    }
    assert found["attackers"]["marketer"]["success"] == pytest.approx((3 / 4 + 2 / 2 + 1 / 3) / 6)
    assert found["population_uniqueness"]["truth"] == 0.1
    assert found["population_uniqueness"]["nearest"] in ("pitman", "zayatz", "snb")
    assert found["threshold"]["population"] == "table"


def test_ranges_and_sets_of_a_table_are_filled_by_its_population(desk):
    desk.put("r.csv", "age,sex\n[30;59],*\n[30;59],*\n60,{f;m}\n*,*\n")
    desk.put("pop.csv", POPULATION)
    asked = ("--quasi", "age,sex", "--kind", "age=integer", "--masked", "--population", "pop.csv", *NAMES)
    said = desk.run("risk", "r.csv", *asked, "--json").json()
    marketer = (2 / 6 + 1 / 3 + 1 / 10) / 4
    assert said["attackers"]["marketer"]["success"] == pytest.approx(marketer)
    assert said["attackers"]["journalist"]["highest"] == pytest.approx(1 / 3)
    assert said["attackers"]["suppressed"] == 1


def test_a_population_that_lacks_somebody_is_refused(people, desk):
    desk.put("pop.csv", POPULATION.replace("1;f;51\n", "", 1))
    people("--population", "pop.csv", *NAMES).refused(3, "more records than its population has people: 1 of 3")
    assert people("--population", "pop.csv").code != 0
    assert people(*NAMES).code != 0
    assert people("--population", "pop.csv", "--population-columns", "height=A").code != 0
    assert people("--population", "nowhere.csv", *NAMES).code != 0


NINE = "sex,age,race,marital-status,education,native-country,workclass,occupation,salary-class"
KNOWN = {
    NINE: {
        "prosecutor": [1, 0.9870732515744116, 0.9022207490884985],
        "journalist": [1, 0.7832283725555187, 0.6461459125983028],
        "marketer": [0.6461459125983028],
    },
    "sex,age,race,marital-status": {
        "prosecutor": [1, 0.2777593636, 0.2217434538],
        "journalist": [1, 0.0596619158, 0.0557377370],
        "marketer": [0.0557377370],
    },
}


@pytest.mark.parametrize("columns", KNOWN, ids=["nine", "four"])
def test_every_tenth_record_of_adult_gives_the_known_answers(desk, public_file, columns):
    whole = public_file("adult/adult.csv")
    head, *rows = whole.read_text(encoding="utf-8").splitlines()
    desk.put("tenth.csv", "\n".join([head, *rows[::10]]) + "\n")
    asked = ("--quasi", columns, "--population", str(whole), "--threshold", "0.2", "--json")
    found = desk.run("risk", "tenth.csv", *asked).json()
    for name, numbers in KNOWN[columns].items():
        assert list(found["attackers"][name].values()) == pytest.approx(numbers, rel=1e-8), name
    if columns == NINE:
        alone = found["population_uniqueness"]
        assert alone["truth"] == pytest.approx(0.51428950, abs=1e-8)
        estimates = [alone[name] for name in ("pitman", "zayatz", "snb")]
        assert estimates == pytest.approx([0.55014042, 0.70819652, 0.66137223], abs=1e-8)
        assert alone["nearest"] == "pitman"


def test_codes_behind_asterisks_are_filled_from_the_population(desk):
    """016** is all codes of its length there that begin so, of which the table itself shows one."""
    desk.put("t.csv", "zip,ill\n016**,x\n01699,y\n93727,x\n")
    desk.put("people.csv", "zip\n01614\n01615\n01699\n016\n93727\n93728\n")
    asked = ("risk", "t.csv", "--quasi", "zip", "--masked", "--kind", "zip=category", "--population", "people.csv")
    found = desk.run(*asked, "--json").json()["attackers"]
    assert found["marketer"]["success"] == pytest.approx((1 / 3 + 1 + 1) / 3)
