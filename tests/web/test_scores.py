"""Measures of the catalogue that candidates on the comparison are measured by when someone asks."""

import html
import math
import re

import pytest
from shelves import unlinked
from web.conftest import people, serving

from shoal.web import measure_names
from shoal.web.cases.aims import Aim
from shoal.web.words import names

FIRST, SECOND = Aim(k=5), Aim("mondrian", 10)


@pytest.fixture
def comparing(visitor):
    visitor.opened(people(150))
    visitor.client.put("/api/comparison?wait=30", json={"keys": [FIRST.key]})
    return visitor


def measured(visitor, name):
    answer = visitor.client.post("/api/comparison/measures?wait=30", json={"measure": name}).json()
    assert answer["job"]["state"] == "done"
    return {each["key"]: each for each in answer["scores"] if each["measure"] == name}


def test_every_measure_of_the_catalogue_that_needs_no_condition_is_offered_by_its_name(comparing):
    needing_files = {"closest-record"}  # which the page does not read
    assert set(measure_names.offered()) == set(unlinked("measures")) - {"attribute-disclosure"} - needing_files
    assert set(names("measures")) == set(measure_names.offered())
    text = comparing.get("/compare").text
    for name in measure_names.offered():
        assert f'<option value="{name}">' in text


@pytest.mark.parametrize("name", list(measure_names.offered()))
def test_every_measure_gives_a_number_or_says_why_not(comparing, name):
    (found,) = measured(comparing, name).values()
    assert (found["value"] is not None and math.isfinite(found["value"])) is not bool(found["problem"])
    assert bool(found["problem"]) is (name == "unicity")  # nobody has several rows
    text = comparing.get("/compare").text
    assert measure_names.title(name) in text
    assert measure_names.offered()[name].direction in text
    assert f'<option value="{name}">' not in text


def test_what_was_asked_for_is_counted_for_all_that_are_compared_and_stays_with_the_case(tmp_path):
    (tmp_path / "people.csv").write_bytes(people(150))
    with serving(tmp_path, folders=(tmp_path,)) as (visitor, _):
        visitor.client.post("/api/file/open?wait=30", json={"path": str(tmp_path / "people.csv")})
        visitor.post("/roles/accept")
        visitor.client.put("/api/comparison?wait=30", json={"keys": [FIRST.key]})
        assert set(measured(visitor, "discernibility")) == {FIRST.key}
        visitor.client.put("/api/comparison?wait=30", json={"keys": [FIRST.key, SECOND.key]})
        found = measured(visitor, "discernibility")
        tried = visitor.tried()
        for key in (FIRST.key, SECOND.key):
            assert found[key]["value"] == sum(groups * size**2 for size, groups in tried[key]["sizes"])
        visitor.post("/compare/measure", data={"measure": "average-class-size"})
        case = visitor.state()["case"]
        visitor.get("/api/comparison?wait=30")
        assert measured(visitor, "average-class-size")[SECOND.key]["value"] == 150 / tried[SECOND.key]["groups"]
        visitor.post("/data/close")
        visitor.client.post(f"/api/cases/{case}/open")
        before = {job["task"] for job in visitor.state()["jobs"]}
        row = re.search(r"Discernibility.*?</tr>", visitor.get("/compare").text, re.DOTALL)[0]
        assert re.findall(r'<td class="number">([\d,.]+)</td>', row) == [
            f"{found[key]['value']:,.0f}" for key in (FIRST.key, SECOND.key)
        ]
        assert "scores" not in before | {job["task"] for job in visitor.state()["jobs"]}


def test_only_what_is_compared_is_measured_by_what_is_offered(visitor):
    visitor.opened(people(60))
    wrong = visitor.client.post("/api/comparison/measures", json={"measure": "uniqueness"})
    assert (wrong.status_code, "No candidate is compared" in wrong.text) == (422, True)
    visitor.client.put("/api/comparison", json={"keys": [FIRST.key]})
    wrong = visitor.client.post("/api/comparison/measures", json={"measure": "magic"})
    assert (wrong.status_code, "no such measure" in wrong.text) == (422, True)


def test_why_a_measure_gives_nothing_is_read_in_german(visitor):
    first, *others = (line.rpartition(",")[0] for line in people(60).decode().splitlines())
    secrets = ["flu", *[""] * 59]  # of which nothing can be learned
    visitor.opened("\n".join([f"{first},diagnosis", *map("{},{}".format, others, secrets)]).encode())
    visitor.client.put("/api/roles", json={"roles": {"diagnosis": "sensitive"}})
    visitor.client.put("/api/comparison?wait=30", json={"keys": [FIRST.key]})
    for name in ("accuracy-loss", "unicity"):
        visitor.client.post("/api/comparison/measures?wait=30", json={"measure": name})
    german = html.unescape(visitor.get("/compare", headers={"accept-language": "de"}).text)
    assert "Zu wenige Datensätze haben einen Wert von „diagnosis“" in german
    assert "Wählen Sie ein anderes Ziel." in german
    assert "nichts sagt, welche Zeilen zu einer Person gehören" in german
