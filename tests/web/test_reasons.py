"""Why rows stand alone, on the screen of the risk: found when asked for, shown to the holder, and kept nowhere."""

import re
import stat

import shoal
from shoal.assessment.records_at_risk import write_records

GERMAN = {"accept-language": "de"}
PEOPLE = b"town,age\nAyr,771\nAyr,772\nBo,771\nBo,771\n"
ROLES = {"town": "quasi", "age": "quasi"}


def opened(visitor, content=PEOPLE):
    visitor.client.put("/api/file?name=people.csv&wait=30", content=content)
    visitor.client.put("/api/roles", json={"roles": ROLES})
    visitor.get("/api/risk?wait=30")
    return visitor


def section(visitor, headers=None):
    text = visitor.get("/risk", headers=headers).text
    return re.search(r'<section class="card" id="reasons".*?</section>', text, re.S)[0]


def alone(visitor):
    """Ask for the reasons of those who stand alone."""
    return visitor.client.put("/api/risk/questions?wait=30", json={"threshold": 0.5, "why": True}).json()


def test_reasons_are_found_when_asked_for_and_shown_without_a_cell(visitor):
    holder = opened(visitor)
    assert "Find the reasons" in section(holder)
    assert "Gründe suchen" in section(holder, GERMAN)
    assert holder.get("/api/reasons").json() == {}
    holder.client.put("/api/risk/questions?wait=30", json={"threshold": "0.5", "suda": True})
    answer = holder.post("/risk/reasons", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/risk#reasons")
    found = holder.get("/api/risk/sections?wait=30").json()
    assert (found["asked"]["why"], found["asked"]["suda"], found["risk"]["why"]["records"]) == (True, True, 2)
    assert "Find the reasons" not in section(holder)
    assert "2 of 4 records are at risk: they stand alone." in section(holder)
    assert "Coarsening &#39;age&#39; helps most" in section(holder)
    assert "Rows at risk" not in section(holder)
    holder.post("/risk/reasons")
    found = holder.get("/api/reasons?wait=30").json()
    assert (found["rows"], found["at_risk"], found["fewer"]) == (4, 2, 2)
    assert found["listed"] == [
        {"number": 2, "group": 1, "sets": [["age"]], "helps": ["age"], "values": []},
        {"number": 1, "group": 1, "sets": [["town", "age"]], "helps": ["town", "age"], "values": []},
    ]
    text = section(holder)
    assert "Rows at risk" in text
    assert not re.search(r"Ayr|77\d", text.replace(holder.session.case.id, ""))
    assert "stehen allein" in section(holder, GERMAN)


def test_nobody_alone_has_no_reasons(visitor):
    holder = opened(visitor, b"town,age\nAyr,1\nAyr,1\n")
    assert alone(holder)["risk"]["why"]["records"] == 0
    assert "No record is at risk" in section(holder)
    assert "Show the rows at risk" not in section(holder)
    assert holder.post("/api/reasons?wait=30").json()["at_risk"] == 0


def test_an_offered_risk_is_that_of_those_who_stand_alone(visitor):
    holder = opened(visitor)
    assert '<option value="0.5">50%: only who stands alone is at risk' in holder.get("/risk").text
    holder.post("/risk/questions", data={"threshold": "0.5", "why": "1"})
    text = holder.get("/risk").text
    assert '<option value="0.5" selected>' in text
    assert re.search(r'name="own_threshold"[^>]*value=""', text)


def test_rows_of_another_risk_are_not_shown(visitor):
    holder = opened(visitor)
    alone(holder)
    assert holder.post("/api/reasons?wait=30").json()["at_risk"] == 2
    holder.client.put("/api/risk/questions?wait=30", json={"threshold": 0.34})
    assert "listed" not in holder.get("/api/reasons").json()
    assert holder.post("/api/reasons?wait=30").json()["at_risk"] == 4


def test_other_roles_have_other_reasons_and_a_stale_page_is_refused(visitor):
    holder = opened(visitor)
    alone(holder)
    holder.post("/api/reasons?wait=30")
    stale = holder.state()["version"]
    holder.client.put("/api/roles", json={"roles": {"town": "plain", "age": "quasi"}})
    assert holder.get("/api/reasons").json() == {}
    assert holder.post("/risk/reasons", data={"version": stale}).status_code == 409


def test_values_and_the_whole_list_are_given_to_who_asks_for_them(visitor, tmp_path):
    holder = opened(visitor)
    assert holder.get("/api/reasons.csv").status_code == 404
    alone(holder)
    holder.post("/risk/reasons")
    holder.get("/api/reasons?wait=30")
    assert "Show what the columns say of them" in section(holder)
    assert "Download the list" not in section(holder)
    assert holder.get("/api/reasons.csv").status_code == 404
    holder.client.put("/api/risk/questions?wait=30", json={"threshold": 0.34})
    holder.post("/risk/reasons", data={"values": "true", "listed": "true"})
    found = holder.get("/api/reasons?wait=30").json()
    assert (found["fewer"], found["at_risk"], found["names"]) == (3, 4, ["town", "age"])
    assert found["listed"][0]["values"] == ["Ayr", "771"]
    text = section(holder)
    assert "4 of 4 records are at risk: they are in groups of fewer than 3." in text
    assert ">771<" in text
    assert "weniger als 3" in section(holder, GERMAN)
    (tmp_path / "people.csv").write_bytes(PEOPLE)
    risk = shoal.risk(tmp_path / "people.csv", quasi=["town", "age"], why=True, threshold=0.34)
    write_records(risk.reasons, tmp_path / "own.csv")
    assert holder.get("/api/reasons.csv").content == (tmp_path / "own.csv").read_bytes()
    (place,) = holder.session.case.folder.rglob("people.at-risk.csv")
    assert stat.S_IMODE(place.stat().st_mode) == 0o600


def test_the_list_is_kept_with_no_case(visitor):
    holder = opened(visitor)
    holder.client.post("/api/reasons?wait=30", json={"values": True})
    assert not [kind for kind, *_ in holder.session.case.store.findings() if kind == "reasons"]
    case = holder.state()["case"]
    assert "Ayr" not in holder.get(f"/api/cases/{case}.json").text
