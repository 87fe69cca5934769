"""`shoal risk --json`: known answers to all their digits, of published examples and of public data."""

import math

import pytest

SEVEN = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")
FIVE = tuple(name for name in SEVEN if name not in ("electcon", "relat"))
EIGHT = "a,b,c,w\n2,3,1,18\n3,3,3,45.5\n2,3,1,39\n2,3,2,17\n3,3,1,92\n3,3,1,8\n1,4,1,123.5\n2,3,1,51\n"
EIGHT_WITH_HOLES = "a,b,c,w\n2,3,1,18\n3,3,3,45.5\n2,3,,39\n2,3,2,17\n3,3,1,92\n3,3,1,8\n1,4,,123.5\n,3,1,51\n"
TEN = "a,b,c,w\n" + "".join(
    f"{','.join(each)},100\n" for each in ("225", "314", "224", "325", "314", "124", "213", "313", "212", "222")
)
# Of a guide to disclosure control: sex, residence, education and work of ten people.
TEN_PEOPLE = """g,r,e,l
f,rural,half,yes
f,rural,half,yes
f,rural,little,out
m,rural,all,yes
f,rural,all,no
m,rural,all,yes
f,urban,primary,out
m,urban,more,no
f,urban,half,out
f,urban,half,out
"""


def asked(desk, table, quasi, *more):
    return desk.run("risk", str(table), "--quasi", ",".join(quasi), *more, "--json").json()


@pytest.mark.parametrize(
    ("rows", "risks"),
    [
        (EIGHT, [0.01355297, 0.08579129, 0.01355297, 0.17707583, 0.01877883, 0.01877883, 0.03931625, 0.01355297]),
        (
            EIGHT_WITH_HOLES,
            [
                0.013552968, 0.085791288, 0.010504889, 0.032466112, 0.009756889, 0.009756889, 0.039316254, 0.005962551,
            ],
        ),
    ],
    ids=["whole", "with holes"],
)  # fmt: skip
def test_eight_records_have_the_published_individual_risks(desk, rows, risks):
    found = asked(desk, desk.put("eight.csv", rows), "abc", "--weight", "w")["individual_risk"]
    assert found["expected"] == pytest.approx(sum(risks), abs=4e-8)
    assert found["highest"] == pytest.approx(max(risks), abs=5e-9)
    assert found["household_expected"] is None


@pytest.mark.parametrize(
    ("names", "expected", "household"), [(FIVE, 1.526397, 7.172458), (SEVEN, 10.775525, 51.799591)], ids=["5", "7"]
)
def test_households_of_the_census_are_at_the_known_risk(desk, public_file, names, expected, household):
    path = public_file("census/testdata.csv")
    found = asked(desk, path, names, "--weight", "sampling_weight", "--household", "ori_hid")["individual_risk"]
    assert (found["expected"], found["household_expected"]) == pytest.approx((expected, household), abs=5.1e-7)
    assert found["highest"] == pytest.approx(0.046517, abs=5e-7)


def test_ten_records_are_divided_by_their_sampling_fraction(desk):
    """Who forgets that finds five of them alone in the population: 0.552916 of nine cells."""
    insisted = 'log-linear-risk model="main effects"'
    found = asked(desk, desk.put("ten.csv", TEN), "abc", "--weight", "w", "--measure", insisted)
    for detail in (found["scores"][0]["detail"], found["log_linear_risk"]):
        assert detail["alone"] == 8
        assert detail["alone_in_population"] == pytest.approx(2.5e-9, rel=0.01)
    assert {each["model"] for each in found["log_linear_risk"]["models"]} == {"main effects", "two-way interactions"}


CENSUS = {
    FIVE: ((12, 19, 2), [0, 0, 7, 5, 0], 0.139111, None, [31.579, 78.947, 26.316, 100, 89.474]),
    SEVEN: (
        (157, 4890, 720), [1, 11, 94, 86, 35, 7, 1], 9.831093, 0.678143,
        [12.045, 33.865, 18.098, 53.415, 22.515, 92.597, 24.949],
    ),
}  # fmt: skip


@pytest.mark.parametrize("names", CENSUS, ids=["5", "7"])
def test_households_of_the_census_are_as_special_as_known(desk, public_file, names):
    totals, sizes, dis, largest, parts = CENSUS[names]
    found = asked(desk, public_file("census/testdata.csv"), names, "--suda")["suda"]
    assert (found["records"], found["total"], found["largest"]) == totals
    assert found["minimal_uniques"] == sizes
    assert found["dis_sum"] == pytest.approx(dis, abs=5e-7)
    assert largest is None or found["dis_largest"] == pytest.approx(largest, abs=5e-7)
    assert list(found["contributions"]) == list(names)
    assert list(found["contributions"].values()) == pytest.approx(parts, abs=5e-4)


def test_published_examples_are_as_special_as_they_say(desk):
    found = asked(desk, desk.put("three.csv", "a,b,c\n2,0,0\n1,3,6\n1,0,0\n"), "abc", "--suda")["suda"]
    assert (found["records"], found["total"], found["largest"], found["dis_sum"]) == (3, 8, 4, 3)  # nobody is in a pair
    assert found["contributions"] == {"a": 50, "b": 37.5, "c": 37.5}
    found = asked(desk, desk.put("ten.csv", TEN_PEOPLE), "grel", "--suda")["suda"]
    assert (found["records"], found["total"], found["largest"]) == (4, 6 + 12 + 6 + 10, 12)
    assert sum(found["contributions"].values()) > 100


def test_five_people_are_screened_as_published(desk):
    rows = "age,sex,state\n20,F,CA\n30,F,CA\n40,F,TX\n20,M,NY\n40,M,CA\n"
    found = asked(desk, desk.put("five.csv", rows), ("age", "sex", "state"), "--screen")["screening"]
    sets = {tuple(each["columns"]): (each["distinction"], each["separation"]) for each in found["sets"]}
    assert sets == {
        ("sex",): pytest.approx((0.4, 0.6)), ("state",): pytest.approx((0.6, 0.7)), ("age",): pytest.approx((0.6, 0.8)),
        ("sex", "state"): pytest.approx((0.8, 0.9)), ("age", "sex"): (1, 1), ("age", "state"): (1, 1),
    }  # fmt: skip


def test_adult_is_screened_as_known(desk, public_file):
    nine = [
        "sex",
        "age",
        "race",
        "marital-status",
        "education",
        "native-country",
        "workclass",
        "occupation",
        "salary-class",
    ]
    found = asked(desk, public_file("adult/adult.csv"), nine, "--screen")["screening"]
    whole = [found[name] for name in ("distinction", "separation", "uniqueness")]
    assert whole == pytest.approx([0.6465751608, 0.9999063224, 0.5142895033], abs=5e-11)
    sets = {tuple(each["columns"]): each for each in found["sets"]}
    for name, separation in (("age", 0.9781172561), ("occupation", 0.8946220036), ("education", 0.8074379804)):
        assert sets[name,]["separation"] == pytest.approx(separation, abs=5e-11)
    best = max((each for each in sets if len(each) == 3), key=lambda each: sets[each]["separation"])
    assert best == ("age", "education", "occupation")
    three = [sets[best][name] for name in ("distinction", "separation", "uniqueness")]
    assert three == pytest.approx([0.16723029, 0.9993357202, 0.06322525], abs=5e-9)


@pytest.mark.parametrize(
    ("fraction", "alpha", "known"),
    [
        (0.1, 0.05, {5: 3, 11: 4, 20: 6, 100: 16}),
        (0.1, 0.01, {5: 4, 11: 5, 20: 7, 100: 19}),
        (0.01, 0.05, {5: 2, 11: 3, 100: 4}),
    ],
)
def test_classes_of_an_estimated_k_map_have_the_known_sizes(desk, fraction, alpha, known):
    desk.put("t.csv", "a\n" + "".join(f"{i}\n" for i in range(60)))
    for k, least in known.items():
        model = f"k-map k={k} alpha={alpha} fraction={fraction}"
        asked = ("anonymize", "t.csv", "--quasi", "a", "--allow-identifier", "a", "--model", model, "--out", "o.csv")
        said = desk.run(*asked, "--overwrite", "--json").json()["verdicts"][0]
        assert said["level"] >= least
        assert f"truncated at zero, at least {least}" in said["convention"]
        assert f"estimated, alpha {alpha}" in said["convention"]


@pytest.mark.parametrize(
    ("rows", "prosecutor", "journalist", "special"),
    [
        ("1,2\n", (1, 1, 1), (1, 1, 1), (1, 2, 2, 1)),  # one record
        ("1,2\n1,2\n1,2\n", (1 / 3, 0, 1 / 3), (1 / 3, 0, 1 / 3), (0, 0, 0, 0)),  # all are equal
        ("1,2\n2,2\n3,3\n", (1, 1, 1), (1, 1, 1), (3, 4, 2, 3)),  # everybody is alone
        ("1,\n1,\n,2\n", (1, 1 / 3, 2 / 3), (1, 1 / 3, 2 / 3), (1, 2, 2, 1 / (1 + 198))),  # no value is a value
    ],
)
def test_tables_that_are_their_own_population(desk, rows, prosecutor, journalist, special):
    """A record in a class that meets the threshold exactly is not at risk."""
    path = desk.put("t.csv", f"a,b\n{rows}")
    found = asked(desk, path, "ab", "--population", "t.csv", "--threshold", "0.5", "--suda")
    assert tuple(found["attackers"]["prosecutor"].values()) == pytest.approx(prosecutor)
    assert tuple(found["attackers"]["journalist"].values()) == pytest.approx(journalist)
    assert found["population_uniqueness"]["truth"] == pytest.approx(found["uniqueness"])
    suda = found["suda"]
    assert (suda["records"], suda["total"], suda["largest"]) == special[:3]
    assert suda["dis_sum"] == pytest.approx(special[3])


def test_records_of_no_weight_stand_for_themselves_and_households_need_not_be_known(desk):
    path = desk.put("t.csv", "a,w,h\n1,0,x\n1,0,\n2,2.5,x\n3,0.5,\n")
    found = asked(desk, path, "a", "--weight", "w", "--household", "h", "--threshold", "0.4")
    risk = 0.4 / 0.6 * math.log(2.5)
    single = [0.5, 0.5, risk, 1]
    assert found["individual_risk"]["expected"] == pytest.approx(sum(single))
    together = 1 - (1 - 0.5) * (1 - risk)
    assert found["individual_risk"]["household_expected"] == pytest.approx(together + 0.5 + together + 1)
    assert found["attackers"]["journalist"]["highest"] == 1
    assert found["attackers"]["journalist"]["at_risk"] == 0.75  # one in 2.5 is not above 0.4
