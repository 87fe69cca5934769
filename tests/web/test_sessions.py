"""What a session holds: its own and nobody else's, with a way back, and nothing left behind."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from web.conftest import people, serving, until
from web.test_uploads import folders

from shoal.certification.verification import verify
from shoal.errors import ParameterError
from shoal.schema import Role
from shoal.web.cases.aims import METHODS, Aim
from shoal.web.cases.decisions import Decisions
from shoal.web.cases.history import History
from shoal.web.cases.method_steps import MethodStep, of_its_own, promises


def test_two_users_do_not_see_each_other(server):
    first, enter = server
    second = enter()
    first.opened()
    done = first.post("/api/anonymize?wait=30", json={"k": 3}).json()
    assert done["state"] == "done"
    assert second.state()["file"] is None
    assert second.get("/api/roles").json() == []
    assert second.get("/api/releases").json() == []
    name = first.get("/api/releases").json()[0]["files"]["table"]["name"]
    for path in (f"/api/releases/{done['id']}/{name}", f"/release/{done['id']}/file/{name}",
                 f"/release/{done['id']}/report", f"/api/jobs/{done['id']}"):  # fmt: skip
        assert first.get(path).status_code == 200
        assert second.get(path).status_code == 404
    assert second.client.delete(f"/api/releases/{done['id']}").status_code == 404
    assert first.get(f"/release/{done['id']}/file/{name}").status_code == 200


def test_a_cookie_that_nobody_gave_opens_nothing(server):
    first, enter = server
    first.opened()
    stranger = enter()
    for guess in ("x", "a" * 43, "../..", '"'):
        stranger.client.cookies.clear()
        answer = stranger.get("/api/workbench", headers={"cookie": f"shoal-session-8642={guess}"})
        assert answer.json()["file"] is None


def test_nothing_runs_while_a_column_is_undecided(visitor):
    visitor.client.put("/api/file", params={"name": "p.csv", "wait": 20}, content=people())
    assert visitor.state()["undecided"] == ["shoe"]
    for path in ("/api/risk", "/api/candidates"):
        assert visitor.get(path).status_code == 422
    assert visitor.post("/api/anonymize", json={}).status_code == 422
    assert "Not yet" in visitor.get("/risk").text
    assert "1 column is undecided" in visitor.get("/risk").text
    assert {job["task"] for job in visitor.state()["jobs"]} == {"look"}


def test_undo_and_redo(visitor):
    visitor.opened()
    roles = visitor.get("/api/roles").json()
    visitor.client.put("/api/roles", json={"roles": {"age": "plain"}})
    assert visitor.state()["undoes"] == "roles"
    visitor.post("/undo")
    assert visitor.get("/api/roles").json() == roles
    visitor.post("/api/redo")
    assert visitor.get("/api/roles").json()[1]["decided"] == "plain"
    for _ in range(5):
        visitor.post("/undo")
    assert visitor.state()["undecided"] == ["shoe"]


def test_a_slider_that_is_moved_is_one_step():
    history = History(Decisions({"age": Role.QUASI}))
    for k in (3, 4, 5, 7):
        history.decide("choice of protection", history.now.with_aim(Aim(k=k)))
    history.undo()
    assert history.now.aim == Aim()
    assert history.redoes
    assert not history.undoes


def test_changed_roles_take_a_promise_with_them():
    secret = Decisions({"age": Role.QUASI, "ill": Role.SENSITIVE}).with_aim(Aim("hilbert", 5, "l-diversity", 2, "ill"))
    assert secret.with_roles({"ill": Role.PLAIN}).aim == Aim()
    with pytest.raises(ParameterError, match="no such column"):
        secret.with_roles({"other": Role.PLAIN})
    with pytest.raises(ParameterError, match="not about a confidential"):
        Decisions({"age": Role.QUASI}).with_aim(Aim("hilbert", 5, "l-diversity", 2, "age"))


OWN = MethodStep.of({"name": "mondrian", "mode": "relaxed"}).given


@pytest.mark.parametrize("method", METHODS)
def test_the_name_of_a_candidate_says_all_of_it(method):
    k = 7 if promises(method) else 0
    if of_its_own(method):
        assert Aim.of(Aim(method, 0, "m-invariance", 3, "é").key) == Aim(method, 0, "m-invariance", 3, "é")
        return
    then = MethodStep.of({"name": "mask-uniques", "order": ["a~b -> *"]})
    for aim in (Aim(method, k), Aim(method, k, then=then), replace(Aim("mondrian", settings=OWN), then=then)):
        assert Aim.of(aim.key) == aim
        assert aim.key.count("~") == 4
    if k:
        for aim in (Aim(method, 6, "t-closeness", 0.123, "a~b"), Aim(method, 50, "l-diversity", 3, "é", then=then)):
            assert Aim.of(aim.key) == aim


@pytest.mark.parametrize("key", ["", "hilbert", "hilbert~six~none~0~", "magic~5~none~0~", "hilbert~1~none~0~",
                                 "hilbert~5~t-closeness~9~a", "hilbert~5~none~0~a"])  # fmt: skip
def test_names_of_no_candidate_are_refused(resident, key):
    with pytest.raises(ParameterError):
        Aim.of(key)
    assert resident.get("/protect", params={"see": key or "~"}).status_code == 422


def test_four_candidates_are_the_most(visitor):
    visitor.opened()
    for k in (2, 3, 4, 5):
        assert visitor.post("/compare/pin", data={"key": Aim(k=k).key, "pinned": "true"}).status_code == 200
    assert visitor.post("/compare/pin", data={"key": Aim(k=7).key, "pinned": "true"}).status_code == 422
    visitor.post("/compare/pin", data={"key": Aim(k=2).key, "pinned": "false"})
    assert visitor.post("/compare/pin", data={"key": Aim(k=7).key, "pinned": "true"}).status_code == 200


@pytest.mark.usefixtures("in_processes")
def test_a_job_that_is_cancelled_leaves_nothing_behind(tmp_path):
    """A sample is made of every file here, so that there is something to leave behind."""
    with serving(tmp_path, large=1) as (visitor, _):
        visitor.opened(people(9000))  # so many that no work is done before it is stopped
        before = set(folders(visitor))
        job = visitor.post("/api/anonymize", json={"k": 3, "method": "mondrian"}).json()
        ended = visitor.client.delete(f"/api/jobs/{job['id']}").json()
        assert ended["state"] == "cancelled"
        assert visitor.get("/api/releases").json() == []
        assert set(folders(visitor)) == before
        visitor.get("/protect")
        begun = {job["task"]: job["id"] for job in visitor.state()["jobs"]}
        assert begun.keys() >= {"search", "measure"}
        for id in begun.values():
            visitor.post(f"/jobs/{id}/cancel")
        assert "You stopped this" in visitor.get("/protect").text
        assert set(folders(visitor)) == before
        visitor.post("/tasks/search/retry")
        assert visitor.tried()[Aim().key]["smallest"] >= 5


@pytest.mark.usefixtures("in_processes")
def test_a_job_that_fails_leaves_nothing_behind(visitor):
    visitor.opened(people(8))
    before = set(folders(visitor))
    job = visitor.post("/api/anonymize?wait=20", json={"k": 50}).json()
    assert job["state"] == "failed"
    assert "8 records" in job["error"]
    assert job["remedy"]
    assert set(folders(visitor)) == before
    text = visitor.get("/release").text
    assert "Nothing was written" in text
    assert text.count("<h1") == 1


def test_a_release_that_is_kept_outlives_the_server(tmp_path):
    with serving(tmp_path) as (visitor, _):
        visitor.opened()
        kept, lost = (visitor.post("/api/anonymize?wait=30", json={"k": k}).json()["id"] for k in (3, 4))
        assert visitor.post(f"/api/releases/{kept}/keep").json()["kept"]
        cookies = dict(visitor.client.cookies)
    with serving(tmp_path) as (stranger, enter):
        assert stranger.get("/api/releases").json() == []
        again = enter()
        again.client.cookies.update(cookies)
        (found,) = again.get("/api/releases").json()
        assert again.get("/release").text.count("<h1") == 1
        assert found["id"] == kept != lost
        files = {kind: each["name"] for kind, each in found["files"].items()}
        for name in files.values():
            (tmp_path / name).write_bytes(again.get(f"/api/releases/{kept}/{name}").content)
        assert verify(tmp_path / files["table"], tmp_path / files["certificate"]).proved
        again.client.delete(f"/api/releases/{kept}")
        assert not list((tmp_path / "kept").rglob("*.csv"))


def test_everything_private_is_wiped_at_the_end(tmp_path):
    with serving(tmp_path) as (visitor, _):
        visitor.opened()
        sessions = visitor.store
        place: Path = sessions._held.path
        assert place.stat().st_mode & 0o077 == 0
        assert all(path.stat().st_mode & 0o077 == 0 for path in place.rglob("*"))
        assert list(place.rglob("*.csv"))
    assert not place.exists()


def test_idle_sessions_are_ended_and_bare_ones_do_not_pile_up(server):
    first, enter = server
    first.opened()
    sessions = first.store
    for _ in range(80):
        enter().get("/api/workbench")
    assert len(sessions._sessions) <= 65
    assert first.state()["file"] == "people.csv"
    session = sessions.enter(first.client.cookies[sessions.cookie])
    session.used -= 1e6
    enter().get("/api/workbench")
    assert not session.case.folder.exists()


def test_an_opened_file_takes_the_place_of_the_one_before(visitor):
    visitor.opened().opened(people(30, seed=9), "other.csv")
    assert visitor.state()["file"] == "other.csv"
    assert {path.name for path in folders(visitor) if path.suffix} == {"other.csv"}
    visitor.post("/data/close")
    until(lambda: not [path for path in folders(visitor) if path.suffix])


@pytest.mark.usefixtures("in_processes")
def test_no_answer_but_the_preview_holds_a_cell(visitor):
    secret = people().replace(b"P7,", b"Zacharias Zwiebelfisch,")
    visitor.opened(secret)
    visitor.get("/api/risk?wait=20")
    visitor.client.put("/api/roles", json={"roles": {"patient_name": "quasi"}})
    visitor.tried()
    visitor.client.put("/api/comparison?wait=20", json={"keys": [Aim().key]})
    pages = [visitor.get(path).text for path in ("/data", "/roles", "/risk", "/protect", "/compare", "/release",
                                                 "/api/risk", "/api/roles", "/api/candidates",
                                                 "/api/comparison")]  # fmt: skip
    assert not [text for text in pages if "Zwiebelfisch" in text]
    assert "Zwiebelfisch" in visitor.post("/data/preview").text
    assert "Zwiebelfisch" not in json.dumps(visitor.state())
