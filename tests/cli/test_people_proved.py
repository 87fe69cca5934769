"""Promises about people: what the released file shows of them, and what takes the original and the private record."""

import json

import pytest

import shoal
from shoal.certification.certificate import digest
from shoal.certification.people_proof import PeopleProof
from shoal.errors import CertificateError
from shoal.models import KAnonymity

ROWS = [
    ("a", 30, "flu"), ("a", 31, "flu"), ("b", 32, "cold"), ("b", 33, "flu"), ("c", 34, "cold"), ("c", 30, "gout"),
    ("d", 31, "flu"), ("e", 50, "gout"), ("f", 51, "cold"), ("g", 52, "flu"), ("g", 53, "gout"), ("h", 54, "cold"),
]  # fmt: skip
TABLE = "who,age,ill\n" + "".join(f"{who},{age},{ill}\n" for who, age, ill in ROWS)
ASKED = ("anonymize", "t.csv", "--quasi", "age", "--sensitive", "ill", "--subject", "who", "--out", "out.csv")
PROMISED = (
    "--k",
    "3",
    "--l",
    "2",
    "--t",
    "0.5",
    "--model",
    "person-diversity l=2",
    "--model",
    "person-closeness t=0.9",
)
BESIDE = ("--private", "out.private.json", "--original", "t.csv")


@pytest.fixture
def released(desk):
    desk.put("t.csv", TABLE)
    desk.run(*ASKED, *PROMISED).fine()
    return desk


def checked(desk, *more):
    return desk.run("check", "out.csv", *more, "--json").json()


def test_the_file_alone_shows_records_and_values(released):
    found = checked(released)
    assert (
        len(
            [
                line
                for line in found["not_proved"]
                if line.endswith("(people are counted by a column that is not released)")
            ]
        )
        == 5
    )
    assert any(line.startswith("Each combination of quasi-identifiers occurs at least") for line in found["proved"])
    assert any(line.startswith("Every class holds at least 2") for line in found["proved"]), found["proved"]


def test_with_the_original_people_are_counted_too(released):
    found = checked(released, *BESIDE)
    assert not any("people are counted" in line for line in found["not_proved"])
    assert sum(line.endswith("People were counted in the original.") for line in found["proved"]) == 5


def test_a_pseudonym_lets_the_file_prove_it(desk):
    desk.put("t.csv", TABLE)
    desk.run("key", "new", "names.key").fine()
    desk.run(*ASKED, *PROMISED, "--identifier", "who=pseudonym:patient", "--pseudonym-key", "names.key").fine()
    found = checked(desk)
    assert not any("people are counted" in line for line in found["not_proved"])


def test_a_population_counts_its_people_beside_the_original(desk):
    desk.put("t.csv", TABLE)
    desk.put("everybody.csv", TABLE + "".join(f"x{age},{age},\n" for age in range(30, 55)))
    desk.run(*ASKED, "--model", "k-map k=5 population=everybody.csv").fine()
    some = ("--population", "everybody.csv")
    assert any("k-map (5) (people are counted" in line for line in checked(desk, *some)["not_proved"])
    found = checked(desk, *some, *BESIDE)
    assert not any("k-map" in line for line in found["not_proved"])
    assert any("people of the population. People were counted" in line for line in found["proved"])


@pytest.mark.parametrize(
    ("part", "lie", "unseen"),
    [
        ("sentence", "Each combination of quasi-identifiers fits at least 5,000 people of the population.", False),
        ("level", 5000.0, False), ("convention", "people", False), ("classes", 1, False),
        ("holds", False, True), ("failing_classes", 2, True),
    ],
)  # fmt: skip
def test_what_is_claimed_of_people_of_a_population_is_compared_before_it_is_said(desk, part, lie, unseen):
    desk.put("t.csv", TABLE)
    desk.put("everybody.csv", TABLE + "".join(f"x{age},{age},\n" for age in range(30, 55)))
    desk.run(*ASKED, "--model", "k-map k=5 population=everybody.csv").fine()
    certificate, private = (desk.folder / f"out.{kind}.json" for kind in ("certificate", "private"))
    content, record = (json.loads(path.read_text("utf-8")) for path in (certificate, private))
    assert content["verdicts"][0][part] != lie
    content["verdicts"][0][part] = lie
    del content["digest"]
    record["certificate"] = content["digest"] = digest(content)
    for path, paper in ((certificate, content), (private, record)):
        path.write_text(json.dumps(paper), "utf-8")
    desk.run("check", "out.csv", "--population", "everybody.csv", *BESIDE).refused(
        1, "does not say what the file shows"
    )
    if unseen:  # without the people, too
        desk.run("check", "out.csv").refused(1, "does not say what the file shows")


def test_records_that_are_enough_do_not_hide_that_people_are_not(released):
    """The first three people have seven of the records."""
    who = shoal.read(released.folder / "t.csv", quasi=["age"], sensitive=["ill"], subject="who")
    shown = shoal.anonymize(who, k=3, measures=[]).table
    lie = PeopleProof(released.paper(), [KAnonymity(6)] * 5, None)
    with pytest.raises(CertificateError, match="people are fewer than records"):
        lie.prove((who, shown), [], [])
