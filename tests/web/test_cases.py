"""Cases: kept as someone decides, closed, opened again, copied, passed on and deleted, and what goes with them."""

import json
import os
import re
import sqlite3
from contextlib import closing

import pytest
from web.conftest import people, serving, until

from shoal.errors import ParameterError
from shoal.report.discretion import percent
from shoal.schema import Role
from shoal.web.cases.aims import METHODS, Aim
from shoal.web.cases.decisions import Decisions
from shoal.web.cases.hierarchies import ColumnHierarchy
from shoal.web.cases.history import History
from shoal.web.cases.store import _OPEN, CaseStore

SECRET = people().replace(b"P7,", b"Zacharias Zwiebelfisch,")


TOO_MANY = {"method": "hilbert", "k": 50_000}
IMPOSSIBLE = Aim("hilbert", 50_000)


def case_files(tmp_path):
    return sorted((tmp_path / "kept" / "cases").rglob("*.case"))


def again(enter, visitor):
    """Enter with the cookies of an earlier day."""
    someone = enter()
    someone.client.cookies.update(dict(visitor.client.cookies))
    return someone


def send_again(visitor, case, content=None):
    return visitor.client.put("/api/cases/file", params={"of": case, "name": "x.csv"}, content=content or people())


def test_a_case_outlives_the_server_with_all_that_was_decided_and_found(tmp_path):
    (tmp_path / "people.csv").write_bytes(people())
    with serving(tmp_path, folders=(tmp_path,)) as (visitor, _):
        visitor.client.post("/api/file/open?wait=30", json={"path": str(tmp_path / "people.csv")})
        visitor.post("/roles/accept")
        visitor.client.put("/api/roles", json={"roles": {"shoe": "plain"}})
        visitor.post("/api/hierarchy/build?wait=30", json={"column": "age", "how": "bands 5,20"})
        visitor.tried(method="mondrian", k=7)
        before, risk = visitor.state(), visitor.get("/api/risk?wait=30").json()
    with serving(tmp_path, folders=(tmp_path,)) as (_, enter):
        someone = again(enter, visitor)
        (found,) = someone.get("/api/cases").json()
        assert (found["id"], found["needs_file"], found["is_open"]) == (before["case"], False, False)
        opened = someone.client.post(f"/api/cases/{found['id']}/open").json()
        assert {**opened, "jobs": 0} == {**before, "jobs": 0}
        assert someone.get("/api/hierarchies").json()["age"].startswith("bands 5,20")
        assert someone.get("/api/risk").json() == {**risk, "job": None} or "job" not in someone.get("/api/risk").json()
        assert [job["task"] for job in someone.state()["jobs"]] == []  # nothing is found out anew
        assert someone.post("/undo").status_code == 200
        assert someone.state()["aim"]["key"] == Aim().key


def test_an_original_that_was_sent_is_removed_and_must_be_sent_again(server, tmp_path):
    visitor, _ = server
    visitor.opened()
    case = visitor.state()["case"]
    visitor.post("/data/close")
    assert not [path for path in visitor.session.case.folder.rglob("*") if path.suffix == ".csv"]
    refused = visitor.client.post(f"/api/cases/{case}/open")
    assert (refused.status_code, "Send it once more" in refused.json()["remedy"]) == (422, True)
    other = send_again(visitor, case, people(seed=77))
    assert (other.status_code, "fingerprint" in other.json()["error"]) == (422, True)
    assert visitor.state()["file"] is None
    assert not [path for path in visitor.session.case.folder.rglob("*") if path.suffix == ".csv"]
    assert send_again(visitor, case).json()["case"] == case
    assert visitor.state()["undecided"] == []


def test_an_original_is_kept_with_its_case_if_someone_asks_for_it(tmp_path):
    with serving(tmp_path) as (visitor, _):
        visitor.opened()
        case = visitor.state()["case"]
        visitor.post("/data/close", data={"keep": "true"})
    (original,) = (tmp_path / "kept").rglob("people.csv")
    assert original.read_bytes() == people()
    assert original.parent.stat().st_mode & 0o077 == 0
    with serving(tmp_path) as (_, enter):
        someone = again(enter, visitor)
        assert someone.client.post(f"/api/cases/{case}/open").status_code == 200
        assert someone.get("/api/risk?wait=30").json()["records"] == 60
        someone.client.delete(f"/api/cases/{case}")
        assert someone.get("/api/cases").json() == []
    assert not list((tmp_path / "kept").rglob("people.csv"))


@pytest.fixture
def nothing_is_private():
    """Let whatever is made be open to everybody, unless it is made otherwise."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("nothing_is_private")
def test_a_case_is_private_and_holds_no_cell(tmp_path):
    with serving(tmp_path) as (visitor, _):
        visitor.opened(SECRET)
        visitor.get("/api/risk?wait=20")
        visitor.tried()
        visitor.post("/api/anonymize?wait=30", json={"k": 3})
        exported = visitor.get(f"/api/cases/{visitor.state()['case']}.json").text
    (path,) = case_files(tmp_path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert not any(folder.stat().st_mode & 0o077 for folder in (path.parent, path.parents[1], tmp_path / "kept"))
    for content in (path.read_bytes(), exported.encode()):
        assert b"Zwiebelfisch" not in content
        assert b"stroke" not in content


def test_a_case_in_which_nobody_decided_anything_is_not_kept(tmp_path):
    with serving(tmp_path) as (visitor, _):
        visitor.client.put("/api/file", params={"name": "p.csv", "wait": 20}, content=people())
        assert len(visitor.get("/api/cases").json()) == 1
        visitor.post("/data/close")
        assert visitor.get("/api/cases").json() == []
    assert case_files(tmp_path) == []


def test_cases_of_others_are_not_there(server):
    first, enter = server
    first.opened()
    case, second = first.state()["case"], enter()
    assert second.get("/api/cases").json() == []
    for answer in (second.client.post(f"/api/cases/{case}/open"), second.get(f"/api/cases/{case}.json")):
        assert answer.status_code == 404
    second.client.delete(f"/api/cases/{case}")
    assert first.get("/api/cases").json()[0]["id"] == case


def test_who_has_the_token_of_a_server_of_their_own_finds_their_cases_in_any_browser(tmp_path):
    with serving(tmp_path, token="t" * 32) as (visitor, enter):
        visitor.get(f"/data?token={'t' * 32}")
        visitor.opened()
        second = enter()
        second.get(f"/data?token={'t' * 32}")
        assert [each["id"] for each in second.get("/api/cases").json()] == []  # it is open in the other one
        assert "1 more case cannot be listed: it is open in another browser" in second.get("/cases").text
        assert "cannot be listed" not in visitor.get("/cases").text
        case = visitor.state()["case"]
        refused = second.client.post(f"/api/cases/{case}/open")
        assert (refused.status_code, "open elsewhere" in refused.json()["error"]) == (422, True)
        visitor.post("/data/close")
        assert [each["id"] for each in second.get("/api/cases").json()] == [case]


def test_nobody_waits_for_a_case_that_is_open(tmp_path, monkeypatch):
    """Who lists or compares cases looks at those that can be looked at now, and never at the one that is open here."""
    connect, patience = sqlite3.connect, []
    monkeypatch.setattr(
        "shoal.web.cases.store.sqlite3.connect",
        lambda *given, **more: patience.append(more.get("timeout", 5.0)) or connect(*given, **more),
    )
    with serving(tmp_path, token="t" * 32) as (visitor, enter):
        visitors = [visitor, enter()]
        for each in visitors:
            each.get(f"/data?token={'t' * 32}")
            each.opened().post("/compare/pin", data={"key": Aim().key, "pinned": "true"})
        patience.clear()
        for elsewhere in (False, True):
            if elsewhere:  # as if another process had the other's case open
                _OPEN.clear()
            for screen in ("/cases", "/compare", "/api/comparison", "/api/cases"):
                assert visitors[0].get(screen).status_code == 200
            assert bool(patience) is elsewhere  # what is open in this process is not even tried
        assert patience.count(0.0) == len(patience)  # nothing was waited for


def test_a_copy_is_another_case_about_the_same_file_and_both_are_compared(visitor):
    visitor.opened(people(120))
    visitor.tried(method="hilbert", k=5)
    visitor.post("/compare/pin", data={"key": Aim(k=5).key, "pinned": "true"})
    first = visitor.state()
    stale = first["version"]
    visitor.post("/cases/copy", data={"name": "with bands"})
    assert visitor.state()["case"] != first["case"]
    assert visitor.client.put("/api/aim", json={"k": 3}, headers={"case-version": stale}).status_code == 409
    visitor.post("/api/hierarchy/build?wait=30", json={"column": "age", "how": "bands 5,20"})
    visitor.tried()
    (branch,) = visitor.get("/api/comparison").json()["branches"]
    assert (branch["case"], branch["key"]) == ("people.csv", Aim(k=5).key)
    assert (
        branch["candidate"]["kept"] != visitor.get("/api/candidates?wait=30").json()["candidates"][Aim(k=5).key]["kept"]
    )
    assert re.search(r"people\.csv: [^<]*hilbert[^<]*k = 5", visitor.get("/compare").text)
    names = {each["name"]: each for each in visitor.get("/api/cases").json()}
    assert names["with bands"]["copy_of"] == first["case"]
    assert not names["people.csv"]["needs_file"]  # the same file is open
    assert visitor.client.post(f"/api/cases/{first['case']}/open").status_code == 200
    assert visitor.get("/api/hierarchies").json() == {}
    assert visitor.get("/api/risk?wait=30").json()["records"] == 120


def test_a_case_of_a_method_that_is_no_longer_there_is_left_out_where_others_are_compared(visitor, monkeypatch):
    visitor.opened(people(140, seed=9))
    visitor.tried(method="mdav", k=5)
    first = visitor.state()["case"]
    visitor.post("/cases/copy", data={"name": "another"})
    visitor.tried(method="hilbert", k=5)
    assert len(visitor.get("/api/comparison").json()["branches"]) == 1
    others = tuple(name for name in METHODS if name != "mdav")
    monkeypatch.setattr("shoal.web.cases.aims.METHODS", others)
    assert visitor.get("/api/comparison").json()["branches"] == []
    assert visitor.get("/compare").status_code == 200
    refused = visitor.client.post(f"/api/cases/{first}/open")
    assert (refused.status_code, "'mdav' is not offered" in refused.json()["error"]) == (422, True)
    assert visitor.state()["file"] == "people.csv"  # what is open stays so


def test_cases_about_one_file_are_compared_also_where_nothing_is_pinned(visitor):
    visitor.opened(people(130, seed=8))
    visitor.tried(method="hilbert", k=5)
    for _ in range(2):
        visitor.post("/cases/copy", data={"name": "people.csv"})
    visitor.post("/roles", data={"role of shoe": "plain"})
    visitor.client.put("/api/reading?wait=30", json={"kinds": {"zip": "category"}})
    visitor.post("/api/hierarchy/build?wait=30", json={"column": "age", "how": "bands 5,20"})
    here = visitor.tried()[Aim(k=5).key]
    text = visitor.get("/compare").text
    assert "Nothing to compare yet" in text
    rows = re.findall(r'<tr><th scope="row".*?</tr>', text.partition('<table class="variants">')[2], re.DOTALL)
    names, differ, numbers = zip(*(re.fullmatch(r"(.*?)</th><td>(.*?)</td>(.*)", row, re.DOTALL).groups()
                                   for row in rows), strict=True)  # fmt: skip
    assert [re.sub("<[^>]+>", "", name).partition(":")[0] for name in names] == [
        "This case", "people.csv", "people.csv (2)",
    ]  # fmt: skip
    assert percent(max(here["secrets"].values())) in numbers[0]
    for what in differ[1:]:
        assert "Role of shoe: Not identifying → Quasi-identifier" in what
        assert "Hierarchy of age" in what
        assert "Kind of zip: categories or codes → as found" in what
        assert "How the file is read" not in what
    assert numbers[1].count('class="number"') == 4


def test_a_case_is_renamed_exported_and_imported(tmp_path):
    with serving(tmp_path) as (visitor, enter):
        visitor.opened(people(120))
        visitor.post("/api/hierarchy/build?wait=30", json={"column": "age", "how": "bands 5,20"})
        sizes = "".join(f"{size};{'small' if size < 41 else 'large'};*\n" for size in range(36, 46)).encode()
        visitor.client.put("/api/hierarchy?column=shoe&wait=30", content=sizes)
        visitor.client.put("/api/comparison", json={"keys": [Aim(k=4).key, Aim("mondrian", 4).key]})
        visitor.tried(method="hilbert", k=4)
        until(lambda: IMPOSSIBLE.key in visitor.tried(**TOO_MANY) and visitor.post("/undo"))
        tried = visitor.tried()
        visitor.post("/api/anonymize?wait=30", json={"k": 4, "approver": "Ada", "confirmations": ["I looked."]})
        visitor.post("/cases/name", data={"name": "Spring/../report"})
        state = visitor.state()
        answer = visitor.get(f"/cases/{state['case']}/export")
        assert "report.case.json" in answer.headers["content-disposition"]
        table = visitor.get("/api/releases").json()[0]
        written = visitor.get(f"/api/releases/{table['id']}/{table['files']['table']['name']}").content
        other = enter()
        assert other.post("/cases/import", files={"file": ("x.case.json", answer.content)}).status_code == 200
        (case,) = other.get("/api/cases").json()
        assert (case["name"], case["needs_file"]) == ("Spring/../report", True)
        assert send_again(other, case["id"], people(120)).status_code == 200
        known = other.session.case.findings.candidates(other.session.case.decisions.digest)
        assert set(known) >= {*tried, IMPOSSIBLE.key}
        for key, found in known.items():
            if "kept" in found:
                assert {"secrets", "kept", "guess", "levels"} < set(found) < set(tried[key])
                assert found.items() <= tried[key].items()
            else:
                assert set(found) == {"key", "sampled", "impossible", "remedy"}
        for path in ("/release", "/protect", "/compare", "/cases"):
            assert other.get(path).status_code == 200
        for key in (Aim(k=4).key, Aim("mondrian", 4).key):  # what is on the screen is made whole again
            assert until(lambda key=key: other.tried()[key].get("cells")) == tried[key]["cells"]
        assert other.state()["aim"] == state["aim"]
        assert "Approved by Ada. Confirmed: I looked." in other.get("/cases").text
        other.post("/api/anonymize?wait=30", json={"k": 4})
        (table,) = other.get("/api/releases").json()
        assert other.get(f"/api/releases/{table['id']}/{table['files']['table']['name']}").content == written


def changed_inside(text):
    content = json.loads(text)
    content["case"]["info"]["name"] = "another"
    return json.dumps(content)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: "", "damaged"),
        (lambda text: text[:-20], "damaged"),
        (lambda text: text.replace('"shoal-case": 1', '"shoal-case": 2'), "newer version"),
        (lambda text: text.replace('"shoal-case": 1', '"shoal-case": "x"'), "damaged"),
        (changed_inside, "damaged"),
        (lambda text: "[" * 100_000, "damaged"),
    ],
)
def test_a_damaged_or_newer_file_is_no_case(visitor, change, said):
    visitor.opened()
    text = visitor.get(f"/api/cases/{visitor.state()['case']}.json").text
    answer = visitor.client.put("/api/cases/import", content=change(text).encode())
    assert answer.status_code == 422
    assert said in answer.json()["error"]
    assert len(visitor.get("/api/cases").json()) == 1


def test_a_damaged_or_newer_database_is_refused_and_the_others_are_listed(tmp_path):
    with serving(tmp_path) as (visitor, _):
        cases = []
        for seed in (1, 2, 3):
            visitor.opened(people(seed=seed), f"{seed}.csv")
            cases.append(visitor.state()["case"])
        visitor.post("/data/close")
        broken, newer, _sound = (next(p for p in case_files(tmp_path) if p.stem == case) for case in cases)
        broken.write_bytes(b"no database" * 100)
        with sqlite3.connect(newer) as database:
            database.execute("PRAGMA user_version = 9")
        assert [each["id"] for each in visitor.get("/api/cases").json()] == cases[2:]
        assert "damaged" in visitor.client.post(f"/api/cases/{cases[0]}/open").json()["error"]
        assert "newer version" in visitor.client.post(f"/api/cases/{cases[1]}/open").json()["error"]


def test_a_case_of_another_version_is_not_listed_and_changes_nothing(tmp_path):
    with serving(tmp_path) as (visitor, _):
        visitor.opened().opened(people(30), "other.csv")
        visitor.post("/roles/accept")
        (first,) = (path for path in case_files(tmp_path) if path.stem != visitor.state()["case"])
        with closing(sqlite3.connect(first)) as database, database:
            database.execute("UPDATE info SET content = '{\"columns\": 3}' WHERE name = 'profile'")
        assert [each["file"] for each in visitor.get("/api/cases").json()] == ["other.csv"]
        assert visitor.get("/cases").status_code == 200
        before = visitor.state()
        answer = visitor.client.post(f"/api/cases/{first.stem}/open")
        assert answer.status_code == 422
        assert "another version" in answer.json()["error"]
        assert visitor.state() == before


def test_what_was_decided_is_there_after_the_server_was_killed(tmp_path):
    """The bytes that lie there while the case is open are all that a crash leaves."""
    with serving(tmp_path) as (visitor, _):
        visitor.opened()
        visitor.post("/protect/choose", data={"method": "hilbert", "k": 9})
        (path,) = case_files(tmp_path)
        crashed = tmp_path / "crashed"
        crashed.mkdir()
        for part in path.parent.glob(f"{path.name}*"):
            (crashed / part.name).write_bytes(part.read_bytes())
    store = CaseStore.open(crashed / path.name)
    assert store.versions()[-1].decisions.aim == Aim(k=9)
    store.close()
    assert [each.name for each in crashed.iterdir()] == [path.name]


def test_deleting_asks_first_and_leaves_nothing(server, tmp_path):
    visitor, _ = server
    visitor.opened()
    text = visitor.get("/cases").text
    assert re.search(r"<details[^>]*>\s*<summary>Delete…", text)
    visitor.post(f"/cases/{visitor.state()['case']}/delete")
    assert visitor.state()["file"] is None
    assert "There is none yet" in visitor.get("/cases").text


def test_removing_a_release_asks_first(visitor):
    visitor.opened()
    visitor.post("/api/anonymize?wait=30", json={"k": 5})
    assert re.search(r"<details[^>]*><summary>Remove…</summary><form[^>]*forget", visitor.get("/release").text)


def test_where_nothing_can_be_kept_one_can_still_work(tmp_path):
    (tmp_path / "kept").write_text("in the way")
    with serving(tmp_path) as (visitor, _):
        visitor.opened()
        assert visitor.get("/api/risk?wait=30").json()["records"] == 60
        assert "cannot be kept on this computer" in visitor.get("/cases").text


def test_a_history_comes_back_as_it_was():
    kept = {}

    def keep(version, instead_of):
        kept.pop(instead_of, None)
        kept[version.number] = version

    history = History(Decisions({"age": Role.QUASI}), keep)
    for k in (3, 4, 7):
        history.decide("choice of protection", history.now.with_aim(Aim(k=k)))
    history.decide("roles", history.now.with_roles({"age": Role.PLAIN}))
    history.undo()
    history.undo()
    history.redo()
    history.decide("choice of protection", history.now.with_aim(Aim(k=9)))
    history.decide("choice of protection", history.now.with_aim(Aim(k=10)))
    again = History.restored([kept[number] for number in sorted(kept)], keep)
    for each in (history, again):
        assert each.now.aim.k == 10
        each.undo()
        each.redo()
        each.decide("choice of protection", each.now.with_aim(Aim(k=11)))  # in the place of that before it
        each.undo()
        assert each.now.aim.k == 7  # the last that a slider was moved to
        each.undo()
        assert (each.now.aim, each.undoes) == (Aim(), "")
    assert history.number == again.number


def test_a_hierarchy_whose_values_were_left_behind_can_be_used_and_built_again(visitor):
    bare = ColumnHierarchy("bands 5,20", (), ())
    assert bare.label == "bands 5,20"
    with pytest.raises(ParameterError, match="values"):
        bare.merged(5, "parent")
    visitor.opened()
    visitor.session.case.decide_hierarchy("age", bare)
    assert visitor.get("/hierarchies?of=age").status_code == 200
    assert visitor.post("/api/anonymize?wait=30", json={"k": 3}).json()["state"] == "done"
    visitor.post("/api/hierarchy/build?wait=30", json={"column": "age", "how": "bands 5,20"})
    assert visitor.get("/api/hierarchy?column=age").json()["levels"]


def test_the_page_says_where_everything_stays(tmp_path):
    with serving(tmp_path, host="0.0.0.0", token="t" * 32) as (visitor, _):
        text = visitor.get("/data", headers={"authorization": f"Bearer {'t' * 32}"}).text
        assert "on this computer" not in text
        assert "on the computer on which the workbench runs" in text


def test_a_comparison_that_lacks_a_candidate_has_it_made(visitor):
    """One with a promise and one without, and then a hierarchy: what was known of both holds no longer."""
    visitor.opened(people(120))
    with_promise = Aim("hilbert", 5, "l-diversity", 2, "diagnosis")
    visitor.client.put("/api/comparison", json={"keys": [with_promise.key, Aim("mondrian", 3).key]})
    visitor.post("/api/hierarchy/build?wait=30", json={"column": "age", "how": "bands 5,20"})
    visitor.get("/compare")
    until(lambda: all(visitor.get("/api/comparison").json()["candidates"].values()), 60)
