"""What is only looked at: it may begin work that is shown, and changes nothing else, whatever is going on."""

from web.conftest import people, until
from web.forms import addresses

from shoal.web.cases.aims import Aim


def looked_at(visitor, release):
    """Give the addresses of all that can be looked at, with the names that this case has for things."""
    state = visitor.state()
    ids = {"release": release["id"], "releases": release["id"], "cases": state["case"], "jobs": state["jobs"][0]["id"]}
    found = []
    for path in addresses("GET"):
        kind = path.removeprefix("/api").split("/")[1]
        found.append(path.replace("{id}", ids.get(kind, "")).replace("{name}", release["files"]["table"]["name"]))
    assert not [path for path in found if "{" in path]
    return found


def decided(visitor):
    """Give all that was decided and written, and how each job for it does."""
    case, state = visitor.session.case, visitor.state()
    return {
        "state": {**state, "jobs": 0},
        "roles": visitor.get("/api/roles").json(),
        "history": list(case.history.versions),
        "trail": case.trail(),
        "releases": visitor.get("/api/releases").json(),
        "cases": visitor.get("/api/cases").json(),
    }


def test_what_is_only_looked_at_changes_nothing_and_ends_no_work(server, holding):
    visitor, _ = server
    visitor.opened(people(120))
    visitor.post("/api/hierarchy/build?wait=30", json={"column": "age", "how": "bands 5,20"})
    visitor.client.put("/api/comparison?wait=30", json={"keys": [Aim().key, Aim(k=7).key]})
    visitor.tried()
    visitor.post("/api/safe-harbor?wait=30", json={})
    visitor.post("/api/signing-key")
    visitor.post("/api/risk/certificate?wait=30", json={})
    visitor.post("/api/anonymize?wait=30", json={"k": 5})
    (release,) = visitor.get("/api/releases").json()
    holding |= {"publish", "rows", "tree", "unicity"}
    visitor.client.put("/api/roles", json={"roles": {"shoe": "plain"}})  # so that all is to be found out anew
    visitor.client.post("/api/reasons?wait=30", json={"listed": True})
    visitor.post("/api/anonymize", json={"k": 4})
    visitor.post("/api/rows")
    visitor.post("/api/hierarchy/build", json={"column": "sex", "how": "ordered 1"})
    asked = {each["task"]: each["id"] for each in visitor.state()["jobs"] if each["task"] in holding}
    assert set(asked) == {"publish", "rows", "tree"}
    places = looked_at(visitor, release)
    assert {"/release/chosen", "/compare", "/api/candidates", "/api/risk", "/api/comparison"} <= set(places)
    before = decided(visitor)
    for place in places * 2:
        query = {"column": "age", "of": "age", "version": visitor.state()["version"]}
        answer = visitor.get(place, params=query, follow_redirects=False)
        assert answer.status_code in (200, 204, 303), (place, answer.text)
    assert decided(visitor) == before
    going_on = {each["task"]: each["id"] for each in visitor.state()["jobs"] if each["state"] in ("waiting", "running")}
    assert asked.items() <= going_on.items()


def test_looking_again_does_not_begin_anew_what_is_being_found_out(server, holding):
    """Of two candidates that someone waits for, one is known by now: the work on the other one goes on."""
    visitor, _ = server
    visitor.opened(people(120))
    holding.add("search")
    visitor.client.put("/api/comparison", json={"keys": [Aim(k=7).key]})
    visitor.get("/protect")
    case = visitor.session.case
    job = case.jobs.of("search")
    known = {"key": Aim().key, "sampled": None, "impossible": "No.", "remedy": "None."}
    case.findings.take("candidate", case.decisions.digest, Aim().key, known)
    for place in ("/protect", "/compare", "/release", "/api/candidates"):
        assert visitor.get(place).status_code == 200
    assert case.jobs.of("search") is job
    until(lambda: job.state == "running")
