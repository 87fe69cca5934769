"""Promises about a population on the screen of the protection: by the catalogue, and the release is the command's."""

import html

import pytest
from web.conftest import people
from web.test_sections import POPULATION, TABLE, command  # noqa: F401 - a fixture

from shoal.web.cases.aims import IN_POPULATION, Aim
from shoal.web.cases.decisions import Decisions

ROLES = {"patient_name": "identifier", "age": "quasi", "sex": "quasi", "zip": "quasi", "shoe": "plain"}


@pytest.fixture
def holder(visitor):
    visitor.client.put("/api/file?name=people.csv&wait=30", content=TABLE)
    visitor.client.put("/api/roles", json={"roles": ROLES | {"diagnosis": "plain"}})
    return visitor


def populated(holder, content=POPULATION):
    holder.client.put("/api/population?name=all.csv&wait=30", content=content)
    return holder


def test_models_that_need_a_population_are_offered_once_there_is_one(holder):
    assert {"k-map", "delta-presence", "reidentification-risk"} == IN_POPULATION
    assert "k-map" not in holder.get("/protect").text
    refused = holder.client.put("/api/aim", json={"guard": "k-map", "level": 10})
    assert refused.status_code == 422
    assert "k-map" in populated(holder).get("/protect").text
    holder.post("/protect/choose", data={"method": "hilbert", "k": 2, "guard": "k-map", "level": 10})
    assert holder.session.case.decisions.aim == Aim(k=2, guard="k-map", level=5)  # as usual, for it was chosen just now
    page = holder.get("/protect").text
    assert "at least so many people of the population are like everybody: k =" in page
    assert 'name="column"' not in page
    holder.client.delete("/api/population")
    assert holder.session.case.decisions.aim == Aim(k=2)


def written_as_by_the_command(holder, run, tmp_path, asked, model):
    """Write what is asked for, and the same by the command; give what was proved of it, and the page with the code."""
    found = holder.client.put("/api/aim?wait=30", json=asked).json()
    assert found["candidate"]["levels"], found
    job = holder.post("/api/anonymize?wait=30", json=asked).json()
    assert job["state"] == "done", job
    (release,) = [each for each in holder.get("/api/releases").json() if each["id"] == job["id"]]
    assert release["not_proved"] == []

    def file(kind):
        return holder.get(f"/api/releases/{job['id']}/{release['files'][kind]['name']}").content

    k = ("--k", str(asked["k"])) if asked["k"] else ()
    run(
        "anonymize", "people.csv", "--out", "people_release.csv", "--quasi", "age,sex,zip", "--plain", "shoe,diagnosis",
        *k, "--model", model, "--save-recipe", "people_release.recipe.toml", "--json",
    )  # fmt: skip
    assert file("table") == (tmp_path / "people_release.csv").read_bytes()
    page, own = (text.decode() for text in (file("recipe"), (tmp_path / "people_release.recipe.toml").read_bytes()))
    assert (
        page.partition("[[models]]")[2].partition("[[measures]]")[0]
        == own.partition("[[models]]")[2].partition("[[measures]]")[0]
    )
    for kind in ("table", "certificate"):
        (tmp_path / f"page-{release['files'][kind]['name']}").write_bytes(file(kind))
    proved = run(
        "check", "page-people_release.csv", "--certificate", "page-people_release.certificate.json",
        *(("--population", "all.csv") if "population=" in model else ()), "--json",
    )  # fmt: skip
    assert proved["verified"] is True
    assert not any(asked["guard"] in each for each in proved["not_proved"])
    same = html.unescape(holder.get("/same").text)
    assert "shoal.models." in same
    assert f"--model '{model}'" in same
    assert ("--k" in same) == ("k=2,\n" in same) == bool(k)
    assert "no-promise" not in same
    return proved["proved"]


@pytest.mark.parametrize("k", [2, 0])
@pytest.mark.parametrize(
    ("guard", "letter", "level", "terms"),
    [
        ("k-map", "k", 20, {}),
        ("delta-presence", "most", 0.5, {"least": 0.02}),
        ("reidentification-risk", "highest", 0.05, {"average": 0.04, "share": 0.01}),
    ],
)
def test_its_release_is_that_of_the_command_byte_for_byte(holder, command, tmp_path, k, guard, letter, level, terms):  # noqa: F811
    said = [f"{name}={value}" for name, value in terms.items()]
    model = " ".join((f"{guard} {letter}={level} population=all.csv", *said))
    asked = {"k": k, "guard": guard, "level": level, "terms": terms}
    proved = written_as_by_the_command(populated(holder), command, tmp_path, asked, model)
    assert any("population" in each for each in proved)


@pytest.mark.parametrize("k", [2, 0])
def test_a_risk_of_those_in_the_table_needs_no_population(holder, command, tmp_path, k):  # noqa: F811
    asked = {"k": k, "guard": "reidentification-risk", "level": 0.25, "terms": {"average": 0.2}}
    model = "reidentification-risk highest=0.25 average=0.2"
    proved = written_as_by_the_command(holder, command, tmp_path, asked, model)
    assert any("anybody who knows that a person is in it" in each for each in proved)
    assert holder.client.put("/api/aim", json=asked | {"guard": "delta-presence", "terms": {}}).status_code == 422


def test_a_promise_about_a_population_stands_alone_on_the_page(holder):
    populated(holder)
    form = {"method": "hilbert", "guard": "k-map", "alone": "true"}
    holder.post("/protect/choose", data=form)
    case = holder.session.case
    assert case.decisions.aim == Aim(k=0, guard="k-map", level=5)
    found = holder.get("/api/candidates?wait=30").json()["candidates"]
    aims = [Aim.of(key) for key in found]
    assert {aim.k for aim in aims} == {0}
    assert {aim.level for aim in aims} == {2, 3, 5, 10, 20, 50}
    assert found[Aim(k=0, guard="k-map", level=5).key]["kept"] > found[Aim(k=0, guard="k-map", level=50).key]["kept"]
    page = holder.get("/protect").text
    assert 'name="k"' not in page
    assert 'name="alone" value="true" checked' in page
    assert "No k is promised of the table" in page
    for title in ("Risk and detail of every candidate", "What it costs to change k"):
        assert title in page
    holder.post("/protect/choose", data=form | {"level": 20})
    assert case.decisions.aim.level == 20
    german = holder.get("/protect", headers={"accept-language": "de"}).text
    assert "Nur das versprechen, ohne k" in german
    holder.post("/compare/pin", data={"key": case.decisions.aim.key, "pinned": "true"})
    assert "k-map k = 20" in holder.get("/compare").text
    assert "fits at least 20 people of the population" in holder.get("/release").text
    holder.post("/protect/choose", data=form | {"alone": "", "level": 20})
    assert case.decisions.aim == Aim(k=5, guard="k-map", level=20)
    holder.post("/api/undo")
    assert case.decisions.aim.alone
    holder.client.delete("/api/population")
    assert case.decisions.aim == Aim()


def test_only_what_says_whom_it_hides_stands_without_k(holder):
    assert holder.client.put("/api/aim", json={"k": 0}).status_code == 422
    holder.client.put("/api/roles", json={"roles": {"diagnosis": "sensitive"}})
    asked = {"k": 0, "guard": "l-diversity", "level": 2, "column": "diagnosis"}
    assert holder.client.put("/api/aim", json=asked).status_code == 422
    asked = {"method": "merge-clusters", "k": 0, "guard": "reidentification-risk", "level": 0.2}
    found = holder.client.put("/api/aim?wait=30", json=asked).json()
    assert "needs k-anonymity" in found["candidate"]["impossible"]


def test_a_population_of_other_people_is_refused_in_words(holder):
    populated(holder, people(60, seed=9))
    found = holder.client.put("/api/aim?wait=30", json={"k": 2, "guard": "k-map", "level": 10}).json()
    assert "more records than its population has people" in found["candidate"]["impossible"]


def test_other_populations_have_other_findings(holder):
    first = Decisions({"age": "quasi"})
    case = populated(holder).session.case
    digest = case.decisions.digest
    populated(holder, people(500))
    assert case.decisions.digest != digest
    assert first.digest == Decisions({"age": "quasi"}).digest


def test_every_combination_of_levels_is_looked_at_for_a_population(holder):
    populated(holder)
    holder.post("/api/hierarchy/build?wait=30", json={"column": "age", "how": "bands 5,20"})
    holder.client.put("/api/aim?wait=30", json={"k": 2, "guard": "k-map", "level": 5})
    found = holder.post("/api/levels?wait=30", json={"limit": 0.1}).json()
    assert found["job"]["state"] == "done", found["job"]["error"]
    assert found["nodes"] > 1


def test_a_table_of_the_population_that_is_gone_is_said_on_the_usual_screen(holder):
    populated(holder)
    holder.client.put("/api/aim?wait=30", json={"k": 2, "guard": "k-map", "level": 5})
    (place,) = holder.session.case.folder.rglob("all.csv")
    place.unlink()
    page = holder.get("/protect")
    assert page.status_code == 200
    assert "The table of the population is not there any more." in page.text
    assert "Before and after" in page.text  # what was found before
    holder.post("/protect/choose", data={"method": "hilbert", "k": 3, "guard": "k-map", "level": 5})
    page = holder.get("/protect").text
    assert "The table of the population is not there any more." in page
    assert 'href="/risk#who"' in page
    assert holder.get("/compare").status_code == 200
    holder.post("/protect/choose", data={"method": "hilbert", "k": 3, "guard": "none"})
    assert "not there any more" not in holder.get("/protect").text


def test_every_parameter_of_a_promise_is_a_field(holder):
    populated(holder)
    holder.client.put("/api/aim?wait=30", json={"k": 2, "guard": "reidentification-risk", "level": 0.2})
    page = holder.get("/protect").text
    names = ["term of reidentification-risk.average", "term of reidentification-risk.share"]
    assert all(f'name="{name}"' in page for name in names)
    assert "alpha" not in page
    form = {"method": "hilbert", "k": 2, "guard": "reidentification-risk", "level": 0.2}
    holder.post("/protect/choose", data=form | dict(zip(names, ("0.04", ""), strict=True)))
    aim = holder.session.case.decisions.aim
    assert aim.given_terms == {"average": 0.04}
    assert Aim.of(aim.key) == aim
    assert "average = 0.04" in aim.label
    holder.post("/protect/choose", data=form | {"guard": "delta-presence", names[0]: "0.04"})
    assert holder.session.case.decisions.aim.terms == ""
    for wrong in ({"most": 0.5}, {"population": "/etc/passwd"}, {"called": {"age": "x"}}, {"column": "sex"}):
        asked = {"k": 2, "guard": "delta-presence", "level": 0.5, "terms": wrong}
        assert holder.client.put("/api/aim", json=asked).status_code == 422
    asked = {"k": 2, "guard": "delta-presence", "level": 0.5, "terms": {"least": 0.9}}
    found = holder.client.put("/api/aim?wait=30", json=asked).json()
    assert "smallest share is above" in found["candidate"]["impossible"]


def test_a_crowd_in_the_population_is_estimated_from_the_share_in_the_table(holder, command, tmp_path):  # noqa: F811
    holder.client.put("/api/risk/questions", json={"sampling_fraction": 0.15})
    assert holder.session.case.decisions.guards == ["none", "k-map", "reidentification-risk"]
    asked = {"k": 2, "guard": "k-map", "level": 11}
    found = holder.client.put("/api/aim?wait=30", json=asked).json()
    aim = holder.session.case.decisions.aim
    assert found["key"] == aim.key
    assert aim.given_terms == {"alpha": 0.05, "fraction": 0.15}
    assert "as is estimated" in " ".join(found["candidate"]["sentences"])
    assert 'name="term of k-map.alpha"' in holder.get("/protect").text
    job = holder.post("/api/anonymize?wait=30", json=asked | {"terms": aim.given_terms}).json()
    assert job["state"] == "done", job
    (release,) = [each for each in holder.get("/api/releases").json() if each["id"] == job["id"]]
    command(
        "anonymize", "people.csv", "--out", "own.csv", "--quasi", "age,sex,zip", "--plain", "shoe,diagnosis",
        "--k", "2", "--model", "k-map k=11 alpha=0.05 fraction=0.15", "--json",
    )  # fmt: skip
    made = holder.get(f"/api/releases/{job['id']}/{release['files']['table']['name']}").content
    assert made == (tmp_path / "own.csv").read_bytes()
    assert "k-map k=11 alpha=0.05 fraction=0.15" in holder.get("/same").text
    populated(holder)
    assert holder.session.case.decisions.aim == Aim(k=2)


def test_the_share_in_the_table_follows_from_the_size_of_the_population(holder, command, tmp_path):  # noqa: F811
    assert "k-map" not in holder.session.case.decisions.guards
    holder.client.put("/api/risk/questions", json={"population_size": 400})
    holder.client.put("/api/aim", json={"k": 0, "guard": "k-map", "level": 11})
    terms = holder.session.case.decisions.aim.given_terms
    assert terms == {"alpha": 0.05, "fraction": 0.15}
    asked = {"k": 0, "guard": "k-map", "level": 11, "terms": terms}
    written_as_by_the_command(holder, command, tmp_path, asked, "k-map k=11 alpha=0.05 fraction=0.15")
    holder.client.put("/api/risk/questions", json={"population_size": 600})
    assert holder.session.case.decisions.aim == Aim()


def test_other_promises_have_their_parameters_too(visitor):
    visitor.opened(people(150))
    asked = {"k": 2, "guard": "l-diversity", "level": 2, "column": "diagnosis", "terms": {"kind": "entropy"}}
    found = visitor.client.put("/api/aim?wait=30", json=asked).json()
    assert found["candidate"]["levels"], found
    assert "as uncertain as 2 values" in " ".join(found["candidate"]["sentences"])
    same = visitor.get("/same").text
    assert "l-diversity l=2 column=diagnosis kind=entropy" in same
    assert "LDiversity(l=2, column=&#39;diagnosis&#39;, kind=&#39;entropy&#39;)" in same
