"""Why rows stand alone, on the screen of the risk: found when asked for, shown to the holder, and kept nowhere."""

import re

GERMAN = {"accept-language": "de"}
PEOPLE = b"town,age\nAyr,771\nAyr,772\nBo,771\nBo,771\n"
ROLES = {"town": "quasi", "age": "quasi"}


def opened(visitor, content=PEOPLE):
    visitor.client.put("/api/file?name=people.csv&wait=30", content=content)
    visitor.client.put("/api/roles", json={"roles": ROLES})
    visitor.get("/api/risk?wait=30")
    return visitor


def section(visitor, headers=None):
    return re.search(
        r'<section class="card" id="reasons".*?</section>', visitor.get("/risk", headers=headers).text, re.S
    )[0]


def test_reasons_are_found_when_asked_for_and_shown_without_a_cell(visitor):
    holder = opened(visitor)
    assert "Find the reasons" in section(holder)
    assert holder.get("/api/reasons").json() == {}
    answer = holder.post("/risk/reasons", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/risk#reasons")
    found = holder.get("/api/reasons?wait=30").json()
    assert (found["rows"], found["at_risk"], found["size"]) == (4, 2, 2)
    assert found["listed"] == [
        {"number": 2, "group": 1, "sets": [["age"]], "helps": ["age"]},
        {"number": 1, "group": 1, "sets": [["town", "age"]], "helps": ["town", "age"]},
    ]
    text = section(holder)
    assert "2 of 4 rows stand alone. Making age coarser helps most: without it 2 of them would not." in text
    assert not re.search(r"Ayr|77\d", text)
    assert "Zeilen stehen allein" in section(holder, GERMAN)


def test_nobody_alone_has_no_reasons(visitor):
    holder = opened(visitor, b"town,age\nAyr,1\nAyr,1\n")
    assert holder.post("/api/reasons?wait=30").json()["at_risk"] == 0
    assert "No row stands alone." in section(holder)


def test_other_roles_have_other_reasons_and_a_stale_page_is_refused(visitor):
    holder = opened(visitor)
    holder.post("/api/reasons?wait=30")
    stale = holder.state()["version"]
    holder.client.put("/api/roles", json={"roles": {"town": "plain", "age": "quasi"}})
    assert holder.get("/api/reasons").json() == {}
    assert holder.post("/risk/reasons", data={"version": stale}).status_code == 409


def test_the_list_is_kept_with_no_case(visitor):
    from shoal.web.cases.findings import Findings

    kept = []
    findings = Findings(lambda *given: kept.append(given))
    findings.take("reasons", "d", "", {"listed": [1]})
    findings.take("unicity", "d", "", {"unicity": []})
    assert [each[0] for each in kept] == ["unicity"]
    assert findings.reasons("d") == {"listed": [1]}
    assert Findings.restored([("reasons", "d", "", {})]).reasons("d") == {}
