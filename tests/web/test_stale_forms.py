"""Every form of every screen: sent by a stale tab, or without a version, it is refused and nothing is changed."""

import re

from web.conftest import people, serving
from web.forms import addresses, forms_of

from shoal.private.accounting import Budget
from shoal.private.ledger import Ledger
from shoal.web.cases.aims import Aim

SCREENS = (
    "data",
    "roles",
    "safe-harbor",
    "risk",
    "protect",
    "hierarchies",
    "levels",
    "compare",
    "release",
    "same",
    "cases",
    "questions",
    "nowhere",
)
OF_NO_CASE = {"/language"}  # it changes how pages are read, and nothing that they show
TRACES = b"person,town,day,note\n" + b"".join(b"p%d,t%d,%d,n\n" % (n % 9, n % 5, n % 7) for n in range(60))
IMPOSSIBLE = {"method": "hilbert", "k": 50_000}


def held(visitor):
    """Give all that a form could change: what is open, decided, tried, written, kept and being done."""
    state, case = visitor.state(), visitor.session.case
    return {
        **state,
        "jobs": {(each["id"], each["state"] == "cancelled") for each in state["jobs"]},
        "trail": case.trail(),
        "releases": visitor.get("/api/releases").json(),
        "cases": visitor.get("/api/cases").json(),
        "files": sorted(str(path) for path in case.folder.rglob("*.csv") if "trees" not in path.parts),
    }


class Walk:
    """All forms that were seen, each sent once by a stale tab and once by one that does not say what it shows."""

    def __init__(self, visitor):
        self.visitor, self.seen = visitor, set()

    def through(self, *places):
        for place in places or [f"/{name}" for name in SCREENS]:
            for form in forms_of(self.visitor.get(place).text):
                self.refused(form)

    def refused(self, form):
        self.seen.add(form.path)
        if form.path in OF_NO_CASE:
            return
        visitor = self.visitor
        shown = visitor.state()["version"]
        assert form.version == shown, form
        before = held(visitor)
        for stale in (f"{shown.rpartition('.')[0]}.0", "another-case.7", None):
            answer = form.sent(visitor.client, stale)
            assert answer.status_code == 409, (form, answer.text)
            assert "This changed in another tab; look again" in answer.text
        assert held(visitor) == before, form


def test_no_form_of_a_stale_tab_does_anything(tmp_path, holding):
    (tmp_path / "people.csv").write_bytes(people())
    ledger = Ledger.create(tmp_path / "people.ledger", tmp_path / "people.csv", Budget.of(rho=1))
    with serving(tmp_path, folders=(tmp_path,), ledger=ledger.path) as (visitor, _):
        walk = Walk(visitor)
        walk.through()  # nothing is open
        visitor.send(b"a;b\n1;2;3\n")
        visitor.client.put("/api/file?name=odd.csv&wait=30", content=b'a,b\n"1,2\n')
        walk.through("/data")
        visitor.client.put("/api/file?name=wide.csv&wait=30", content=wide())
        walk.through("/data", "/roles", "/cases")
        visitor.opened(TRACES, "traces.csv")
        visitor.client.put("/api/roles", json={"roles": {"person": "subject", "town": "quasi", "day": "quasi"}})
        walk.through("/risk")
        visitor.opened(people(80, seed=5), "earlier.csv")
        visitor.post("/cases/name", data={"name": "Earlier"})
        visitor.post("/data/close")
        walk.through("/data", "/cases")  # of which the file must be sent again
        visitor.client.post("/api/file/open?wait=30", json={"path": str(tmp_path / "people.csv")})
        visitor.post("/roles/accept")
        visitor.post("/protect/choose", data=IMPOSSIBLE)
        visitor.tried()
        walk.through("/protect")
        visitor.post("/protect/choose", data={"method": "hilbert", "k": 5})
        visitor.tried()
        visitor.post("/api/hierarchy/build?wait=30", json={"column": "age", "how": "bands 5,20"})
        visitor.client.put("/api/comparison?wait=30", json={"keys": [Aim().key, Aim(k=7).key]})
        visitor.tried()
        visitor.post("/api/safe-harbor?wait=30", json={})
        visitor.client.put("/api/population?name=all.csv&wait=30", content=people(200))
        visitor.client.put("/api/files?name=other.csv", content=people(10))
        walk.through("/files")
        visitor.client.put("/api/safe-harbor/roles")
        walk.through("/safe-harbor")
        visitor.post("/undo")
        job = visitor.post("/api/anonymize?wait=30", json={"k": 5}).json()
        visitor.post("/undo")
        visitor.post("/redo")
        walk.through(
            *(f"/{name}" for name in SCREENS), "/hierarchies?of=age&level=1", f"/protect?see={Aim(k=3).key}", "/attacks"
        )
        visitor.post(f"/api/releases/{job['id']}/keep")
        walk.through("/release")
        case = visitor.state()["case"]
        visitor.post("/data/close")
        walk.through("/cases")  # where it can be opened again
        visitor.client.post(f"/api/cases/{case}/open")
        holding |= {"search", "measure", "publish", "look", "spread", "rows"}
        visitor.client.put("/api/roles", json={"roles": {"shoe": "plain"}})
        visitor.post("/api/anonymize", json={"k": 4})
        visitor.client.post("/api/rows")
        walk.through("/risk", "/protect", "/compare", "/release")  # where work goes on
        for each in visitor.state()["jobs"]:
            visitor.client.delete(f"/api/jobs/{each['id']}")
        walk.through("/risk", "/protect", "/compare", "/release")  # where it was stopped
        patterns = {path: form for path, form in addresses("POST").items() if not path.startswith("/api/")}
        unseen = {path for path, form in patterns.items() if not any(form.match(each) for each in walk.seen)}
        assert not unseen
        assert not OF_NO_CASE - walk.seen


def wide():
    """Give a table with so many columns that all are given a role at once."""
    names = [f"c{number}" for number in range(20)]
    return "\n".join([",".join(names), *(",".join(str((n * m) % 7) for m in range(20)) for n in range(30))]).encode()


def test_a_stale_upload_neither_replaces_a_case_nor_ends_its_release(server, holding):
    visitor, _ = server
    visitor.opened()
    upload, *_dropped = (form for form in forms_of(visitor.get("/data").text) if form.path == "/data/upload")
    stale = upload.version
    visitor.post("/protect/choose", data={"method": "hilbert", "k": 7})
    holding.add("publish")
    job = visitor.post("/api/anonymize", json={"k": 7}).json()
    answer = upload.sent(visitor.client, stale)
    assert answer.status_code == 409
    assert re.search(r"hilbert, k = 5 → hilbert, k = 7", answer.text)
    assert visitor.state()["file"] == "people.csv"
    assert visitor.get(f"/api/jobs/{job['id']}").json()["state"] in ("waiting", "running")
    refused = visitor.client.put("/api/file?name=b.csv", content=people(), headers={"case-version": stale})
    assert refused.status_code == 409


def test_a_choice_of_language_changes_nothing_of_a_case(resident):
    before = resident.state()
    (form,) = (each for each in forms_of(resident.get("/data").text) if each.path in OF_NO_CASE)
    assert form.sent(resident.client, None, follow_redirects=False).status_code == 303
    assert resident.state() == before
