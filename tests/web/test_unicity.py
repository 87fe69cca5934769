"""People with many rows on the screen of the risk: measured when asked for, and said as it was counted."""

import re

import pytest
from web.conftest import serving
from web.visible_text import sentences

GERMAN = {"accept-language": "de"}
# Who knows one thing that was bought finds a quarter of these people on average; with both it is half of them.
BASKETS = b"p,item\n1,milk\n1,beer\n2,milk\n2,wine\n3,tea\n3,beer\n4,milk\n4,beer\n"
ROLES = {"p": "subject", "item": "quasi"}


@pytest.fixture
def buyer(visitor):
    return baskets_of(visitor)


def baskets_of(visitor, content=BASKETS, roles=ROLES):
    visitor.client.put("/api/file?name=baskets.csv&wait=30", content=content)
    visitor.client.put("/api/roles", json={"roles": roles})
    visitor.get("/api/risk?wait=30")
    return visitor


def section(visitor, headers=None):
    found = re.search(
        r'<section class="card" id="unicity".*?</section>', visitor.get("/risk", headers=headers).text, re.S
    )
    return found and found[0]


def jobs(visitor):
    return [job["task"] for job in visitor.state()["jobs"]]


def test_known_points_find_as_many_people_as_by_hand(buyer):
    found = buyer.post("/api/unicity?wait=30").json()
    assert found["job"]["state"] == "done", found
    assert [row["share"] for row in found["unicity"]] == [0.25, 0.5, None, None]
    assert [row["people"] for row in found["unicity"]] == [4, 4, 0, 0]
    assert all(row["exact"] and row["interval"] is None for row in found["unicity"])
    assert (found["subject"], found["people"], found["points"], found["distinct"], found["longest"]) == (
        "p",
        4,
        8,
        4,
        2,
    )
    assert buyer.get("/api/unicity").json()["unicity"] == found["unicity"]


def test_rows_are_not_taken_for_people_where_people_have_several(buyer):
    text = buyer.get("/risk").text
    assert "25% of rows stand alone" in text
    assert "so it is for 2 of 8 rows. A person has several" in text
    assert "of people stand alone" not in text.partition('id="unicity"')[0]
    german = buyer.get("/risk", headers=GERMAN).text
    assert "der Zeilen stehen allein" in german


def test_the_screen_measures_when_asked_and_shows_what_was_found(buyer):
    before = section(buyer)
    assert "Measure" in before
    assert f'name="version" value="{buyer.state()["version"]}"' in before
    assert buyer.get("/api/unicity").json() == {}
    assert "unicity" not in jobs(buyer)  # looking begins nothing
    answer = buyer.post("/risk/unicity", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/risk#unicity")
    buyer.get("/api/unicity?wait=30")
    text = section(buyer)
    assert "knows 2 points of a person finds exactly that person: on average for 50% of those with so many." in text
    assert 'class="shoal-chart' in text
    assert "Measure" not in text
    cells = re.findall(r'<tr><th scope="row">(\d)</th><td[^>]*>(.*?)</td><td[^>]*>(.*?)</td><td[^>]*>(.*?)</td>', text)
    assert cells == [("1", "4", "25%", "exact"), ("2", "4", "50%", "exact"), ("3", "0", "–", "–"), ("4", "0", "–", "–")]


def test_what_is_sampled_is_marked_with_its_interval(buyer, monkeypatch):
    monkeypatch.setattr("shoal.measures.reidentification.known_points.EFFORT", 0)
    found = buyer.post("/api/unicity?wait=30").json()
    low, high = found["unicity"][1]["interval"]
    assert 0 <= low < 0.5 < high <= 1
    text = section(buyer)
    assert "≈ 50% (" in text
    assert "one set of points was drawn for each of some people" in text


def test_a_stale_tab_measures_nothing(buyer):
    stale = buyer.state()["version"]
    buyer.client.put("/api/roles", json={"roles": {"p": "plain"}})
    buyer.client.put("/api/roles", json={"roles": {"p": "subject"}})
    assert buyer.post("/risk/unicity", data={"version": stale}).status_code == 409
    assert buyer.post("/risk/unicity", data={"version": ""}).status_code == 409
    assert buyer.client.post("/api/unicity", headers={"case-version": stale}).status_code == 409
    assert "unicity" not in jobs(buyer)


def test_other_roles_ask_anew_and_the_same_again_do_not(buyer):
    buyer.post("/api/unicity?wait=30")
    buyer.post("/api/unicity?wait=30")
    first = [job["id"] for job in buyer.state()["jobs"] if job["task"] == "unicity"]
    buyer.client.put("/api/roles", json={"roles": {"p": "quasi", "item": "subject"}})
    assert buyer.get("/api/unicity").json() == {}
    found = buyer.post("/api/unicity?wait=30").json()
    assert found["subject"] == "item"
    assert [row["share"] for row in found["unicity"][:2]] == [0, pytest.approx(2 / 3)]  # of milk and of beer
    buyer.post("/undo")
    assert buyer.get("/api/unicity").json()["subject"] == "p"
    assert first == [first[0]] != [job["id"] for job in buyer.state()["jobs"] if job["task"] == "unicity"]


def test_where_nothing_tells_people_apart_nothing_is_offered(visitor):
    baskets_of(visitor, roles={"p": "plain", "item": "quasi"})
    assert section(visitor) is None
    refused = visitor.post("/api/unicity")
    assert refused.status_code == 422
    assert refused.json()["error"] == "No column tells people apart."


def test_rows_of_nobody_are_an_error_that_says_what_to_do(visitor):
    baskets_of(visitor, BASKETS + b",tea\n")
    job = visitor.post("/api/unicity?wait=30").json()["job"]
    assert job["state"] == "failed"
    assert "does not say for every row whose it is" in section(visitor)
    assert "Measure" in section(visitor)


def test_the_section_speaks_german_before_and_after(buyer):
    for _ in range(2):
        english, german = (
            sentences(section(buyer, headers=headers), {"p", "item"}) for headers in ({"accept-language": "en"}, GERMAN)
        )
        assert german
        assert not english & german
        buyer.post("/api/unicity?wait=30")


def test_what_was_found_is_kept_with_the_case(tmp_path):
    (tmp_path / "baskets.csv").write_bytes(BASKETS)
    with serving(tmp_path, folders=(tmp_path,)) as (visitor, _):
        visitor.client.post("/api/file/open?wait=30", json={"path": str(tmp_path / "baskets.csv")})
        visitor.client.put("/api/roles", json={"roles": ROLES})
        found = visitor.post("/api/unicity?wait=30").json()["unicity"]
        case = visitor.state()["case"]
        visitor.post("/data/close")
        assert visitor.get("/api/unicity").json() == {}
        visitor.client.post(f"/api/cases/{case}/open")
        assert visitor.get("/api/unicity").json()["unicity"] == found
