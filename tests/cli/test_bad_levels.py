"""Levels, methods and conditions that make no sense: each is refused with what is wrong and what to do."""

import pytest
from cli.conftest import ROLES, TABLE


@pytest.mark.parametrize("k", ["1", "0", "-5"])
def test_a_k_below_2_hides_nobody(desk, k):
    desk.mask(TABLE, *ROLES, k=k).refused(2, "at least 2")


@pytest.mark.parametrize("k", ["2.5", "two", "nan", ""])
def test_a_k_that_is_no_whole_number_is_wrong_use(desk, k):
    made = desk.mask(TABLE, *ROLES, k=k)
    assert (made.code, made.out, made.left) == (2, "", ())
    assert "--k" in made.err
    assert "Traceback" not in made.err


def test_a_k_above_the_number_of_records_cannot_be_reached(desk):
    desk.mask(TABLE, *ROLES, k=5).refused(2, "k = 5", "only 4 records")


def test_a_k_above_the_number_of_people_cannot_be_reached(desk):
    text = "pid,age,c\nA,30,1\nA,31,2\nA,50,3\nB,51,4\n"
    desk.mask(text, "--quasi", "age", "--subject", "pid", k=3).refused(2, "k = 3", "2 different subjects")


@pytest.mark.parametrize("t", ["0", "-0.1", "1.0001", "nan", "inf", "-inf", "1e999"])
def test_a_t_that_is_no_distance_is_refused(desk, t):
    desk.mask(TABLE, *ROLES, "--t", t).refused(2, "above 0 and at most 1")


def test_a_level_must_be_chosen(desk):
    desk.put("in.csv", TABLE)
    desk.run("anonymize", "in.csv", "--out", "out.csv", *ROLES).refused(2, "--k")


@pytest.mark.parametrize(
    ("roles", "asked", "said"),
    [
        (("--quasi", "age,zip"), (), "--sensitive"),
        (("--quasi", "age", "--sensitive", "zip,note"), (), "--t-column"),
        (("--quasi", "age,zip", "--sensitive", "note"), ("--t-column", "age"), "'age'"),
        (("--quasi", "age,zip", "--sensitive", "note"), ("--t-distance", "ordered"), "'ordered'"),
        (("--quasi", "age,zip", "--sensitive", "note"), ("--t-distance", "ordered-distinct"), "'note'"),
    ],
)
def test_t_needs_one_confidential_column_and_a_distance_that_fits(desk, roles, asked, said):
    desk.mask(TABLE, *roles, "--t", "0.3", *asked).refused(2, said)


def test_a_target_that_is_not_met_ends_with_1_and_writes_nothing(desk):
    made = desk.mask(TABLE, *ROLES, "--method", "coarsen", "--param", "resolution=4")
    made.refused(1, "k-anonymity does not hold in 4 of 4 classes", "nothing was released")


def test_a_target_that_is_not_met_leaves_an_earlier_release_alone(desk):
    desk.mask(TABLE, *ROLES).fine()
    desk.mask(TABLE, *ROLES, "--method", "coarsen", "--json").refused(1, "k-anonymity")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--method", "sorted-cluster"), ("'sorted-cluster'", "Did you mean 'sorted-clusters'?")),
        (("--method", "coarsen", "--param", "resolutoin=4"), ("'resolutoin'", "Did you mean 'resolution'?")),
        (("--method", "sorted-clusters", "--param", "resolution=4"), ("'resolution'",)),
        (("--method", "sorted-clusters", "--param", "name=coarsen"), ("'name'",)),
        (("--method", "coarsen", "--param", "resolution"), ("'resolution'",)),
        (("--method", "coarsen", "--param", "resolution=many"), ("whole number",)),
        (("--method", "coarsen", "--param", "resolution=0"), ("at least 1",)),
        (("--method", "coarsen", "--param", "resolution=NaN"), ("whole number",)),
        (("--method", "coarsen", "--param", "resolution.agee=4"), ("'agee'", "Did you mean 'age'?")),
        (("--method", "coarsen", "--param", "resolution=4", "--param", "resolution.age=4"), ("resolution",)),
        (("--method", "coarsen", "--param", "by=eye"), ("'eye'",)),
    ],
)
def test_an_unknown_method_or_parameter_is_refused(desk, asked, said):
    desk.mask(TABLE, *ROLES, *asked).refused(2, *said)


def test_a_parameter_without_a_value_is_explained_as_a_parameter(desk):
    made = desk.mask(TABLE, *ROLES, "--method", "coarsen", "--param", "resolution")
    made.refused(2)
    assert "COLUMN" not in made.err
    assert "age=integer" not in made.err


@pytest.mark.parametrize("command", ["anonymize", "risk", "compare"])
@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("charge", "'charge' is not a condition"),
        ("> 5", "not a condition"),
        ("zip >", "not a condition"),
        ("zip ~ 5", "not a condition"),
        ("zip > 5 and", "5 and"),
        ("zipp > 5", "Did you mean 'zip'?"),
        ("zip > many", "'zip'"),
        ("note > x", "'note'"),
    ],
)
def test_a_condition_that_makes_no_sense_is_refused(desk, command, where, said):
    desk.put("in.csv", TABLE)
    rest = {
        "anonymize": ("--out", "out.csv", "--k", "2", "--sensitive", "zip,note"),
        "risk": ("--sensitive", "zip,note"),
        "compare": ("in.csv", "--sensitive", "zip,note"),
    }[command]
    desk.run(command, "in.csv", *rest, "--quasi", "age", "--where", where).refused(2, said)


def test_a_condition_on_a_generalized_column_is_refused(desk):
    desk.mask(TABLE, *ROLES, "--where", "age > 40").refused(2, "'age'", "generalized")
