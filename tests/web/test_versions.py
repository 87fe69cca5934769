"""Two tabs: what one shows and the other has changed is refused, with what changed, and nothing is done."""

import re

import pytest
from web.conftest import people, until

from shoal.certification.certificate import Certificate
from shoal.certification.verification import verify
from shoal.web.cases.aims import Aim

HX = {"hx-request": "true"}
WRITE = {"looked": "true", "others": "true"}


def shown(visitor, path):
    """Give the version that a page carries; all of its forms carry the same one."""
    text = visitor.get(path).text
    found = re.findall(r'name="version" value="([^"]+)"', text) + re.findall(r'version=([^"&]+)["&]', text)
    assert len(set(found)) == 1
    forms = [form for form in re.findall(r"<form\b.*?</form>", text, re.DOTALL) if 'method="post"' in form]
    assert all("version" in form for form in forms if 'action="/language"' not in form)
    return found[0]


def decided(visitor):
    return {each["name"]: each["decided"] for each in visitor.get("/api/roles").json()}


@pytest.mark.parametrize("path", ["/data", "/roles", "/risk", "/protect", "/hierarchies", "/compare", "/release"])
def test_every_form_of_a_screen_carries_the_version_that_it_shows(resident, path):
    assert shown(resident, path) == resident.state()["version"]


def test_a_stale_tab_does_not_change_the_roles_of_another_file(visitor):
    """Both tables have four columns before the one that the tab is about; only its name was ever meant."""
    visitor.opened()
    stale = shown(visitor, "/roles")
    visitor.opened(b"name,height,town,zip,weight\n" + b"a,170,x,1,60\nb,180,y,2,70\n" * 9, "other.csv")
    before = decided(visitor)
    answer = visitor.post("/roles", data={"version": stale, "role of zip": "plain"}, headers=HX)
    assert answer.status_code == 409
    assert "This changed in another tab; look again" in answer.text
    assert "other.csv" in answer.text
    assert decided(visitor) == before


def test_rows_of_one_file_are_never_shown_with_another(visitor):
    """The second table has the same columns, roles and choice: only the case tells them apart."""
    visitor.opened()
    stale = shown(visitor, "/protect")
    assert visitor.client.post("/api/rows", params={"wait": 30}).json()["rows"] is not None
    assert "<td" in visitor.get("/protect/rows").text
    visitor.opened(people(seed=4), "other.csv")
    assert "<td" not in visitor.get("/protect/rows").text
    assert visitor.post("/protect/rows", data={"version": stale}).status_code == 409
    assert "<td" not in visitor.get("/protect/rows").text


def test_a_stale_tab_is_shown_what_changed(visitor):
    visitor.opened()
    stale = shown(visitor, "/protect")
    visitor.client.put("/api/roles", json={"roles": {"age": "plain"}})
    visitor.post("/protect/choose", data={"method": "mondrian", "k": 7})
    answer = visitor.post("/protect/choose", data={"version": stale, "method": "hilbert", "k": 3})
    assert answer.status_code == 409
    assert "Role of age: Quasi-identifier → Not identifying; hilbert, k = 5 → mondrian, k = 7" in answer.text
    assert visitor.state()["aim"]["key"] == Aim("mondrian", 7).key
    refused = visitor.client.put("/api/aim", json={"k": 3}, headers={"case-version": stale})
    assert (refused.status_code, set(refused.json())) == (409, {"error", "remedy"})
    fresh = {"case-version": visitor.state()["version"]}
    assert visitor.client.put("/api/aim", json={"k": 3}, headers=fresh).status_code == 200


def test_a_form_that_does_not_say_what_it_shows_changes_nothing(visitor):
    visitor.opened()
    before = visitor.state()["version"]
    for path, data in (("/undo", {}), ("/roles", {"role of age": "plain"}), ("/data/close", {})):
        assert visitor.client.post(path, data=data).status_code == 409
    assert visitor.state()["version"] == before


@pytest.mark.parametrize("change", ["file", "k", "roles"])
def test_nothing_is_written_but_what_was_confirmed(visitor, change):
    visitor.opened()
    visitor.post("/protect/choose", data={"method": "hilbert", "k": 7})
    confirmed = {"version": shown(visitor, "/release"), "key": Aim(k=7).key, **WRITE}
    if change == "file":
        visitor.opened(people(80, seed=5), "other.csv")
    elif change == "k":
        visitor.post("/protect/choose", data={"method": "hilbert", "k": 5})
    else:
        visitor.client.put("/api/roles", json={"roles": {"zip": "plain"}})
    assert visitor.post("/release/write", data=confirmed).status_code == 409
    key = {"version": visitor.state()["version"], "key": Aim("mondrian", 9).key}
    assert visitor.post("/release/write", data={**confirmed, **key}).status_code == 409
    assert visitor.get("/api/releases").json() == []


def test_the_screen_says_whether_just_this_choice_was_written(visitor):
    visitor.opened()
    assert "Not written yet: hilbert, k = 5" in visitor.get("/release").text
    visitor.post("/release/write", data=WRITE)
    until(lambda: "The release is written and proved" in visitor.get("/release").text)
    visitor.post("/protect/choose", data={"method": "hilbert", "k": 2})
    text = visitor.get("/release").text
    assert "Not written yet: hilbert, k = 2" in text
    assert "written and proved" not in text
    assert text.index("Checklist: hilbert, k = 2") < text.index("Other releases of this table")
    visitor.post("/undo")
    assert "The release is written and proved" in visitor.get("/release").text
    visitor.opened(people(70, seed=8), "same-columns.csv")
    assert "Not written yet" in visitor.get("/release").text


def test_the_checklist_tries_what_is_chosen_and_shows_it_before_it_can_be_written(server, holding):
    """Nobody has been on Protect: what is chosen is what holds at the start."""
    visitor, _ = server
    visitor.opened(people(200))
    holding.add("search")
    text = visitor.get("/release").text
    assert "Being tried" in text
    assert re.search(r'<p id="write"><button[^>]* disabled>', text)
    assert re.search(r'<noscript><meta http-equiv="refresh"', text)
    version = visitor.state()["version"]
    assert "Being tried" in visitor.get("/release/chosen", params={"version": version}).text
    holding.clear()
    visitor.session.case.jobs.cancel("search")
    part = until(lambda: (text := visitor.get("/release/chosen", params={"version": version}).text).count("✓") and text)
    for text in (part, visitor.get("/release").text):
        assert "Each combination of quasi-identifiers occurs at least" in text
        assert re.search(r"highest risk \d", text)
        assert "with everybody in their group" in text or "share a confidential value" in text
        assert re.search(r'<p id="write"[^>]*><button class="strong" type="submit">', text)
    assert 'hx-swap-oob="true"' in part
    assert 'http-equiv="refresh"' not in visitor.get("/release").text
    visitor.post("/protect/choose", data={"method": "hilbert", "k": 7})
    assert "/release" in visitor.get("/release/chosen", params={"version": version}).headers["hx-location"]


def test_what_cannot_be_done_or_was_not_tried_to_its_end_cannot_be_written(server, holding):
    visitor, _ = server
    visitor.opened()
    holding.add("search")
    visitor.get("/release")
    (job,) = (each for each in visitor.state()["jobs"] if each["task"] == "search")
    visitor.client.delete(f"/api/jobs/{job['id']}")
    text = visitor.get("/release").text
    assert "trying it was ended" in text
    assert re.search(r'<p id="write"><button[^>]* disabled>', text)
    holding.clear()
    visitor.post("/tasks/search/retry")
    visitor.post("/protect/choose", data={"method": "hilbert", "k": 50_000})
    visitor.tried()
    assert "Choose another way" in visitor.get("/release").text
    assert re.search(r'<p id="write"><button[^>]* disabled>', visitor.get("/release").text)


def test_a_file_that_has_changed_is_not_released(tmp_path):
    from web.conftest import serving

    (tmp_path / "people.csv").write_bytes(people())
    with serving(tmp_path, folders=(tmp_path,)) as (visitor, _):
        visitor.post("/api/file/open?wait=30", json={"path": str(tmp_path / "people.csv")})
        visitor.post("/roles/accept")
        (tmp_path / "people.csv").write_bytes(people(seed=99))
        job = visitor.post("/api/anonymize?wait=30", json={"k": 3}).json()
        assert (job["state"], "has changed" in job["error"]) == ("failed", True)
        assert visitor.get("/api/releases").json() == []


def test_undo_says_what_it_undid_and_stays_on_the_screen(visitor):
    visitor.opened()
    text = visitor.post("/protect/choose", data={"method": "hilbert", "k": 7}, headers=HX).text
    assert 'title="Undo: hilbert, k = 5 → hilbert, k = 7"' in text  # at once, in the part that is made anew
    answer = visitor.post("/undo", headers={"referer": "http://127.0.0.1:8642/protect"}, follow_redirects=False)
    assert answer.headers["location"] == "/protect"
    assert "Undone: hilbert, k = 7 → hilbert, k = 5" in visitor.get("/protect").text
    text = visitor.post("/roles", data={"role of age": "plain"}, headers=HX).text
    assert 'title="Undo: Role of age' in text
    answer = visitor.post("/undo", headers={"referer": "http://127.0.0.1:8642//evil.example"}, follow_redirects=False)
    assert answer.headers["location"] == "/"


def test_a_part_of_a_screen_that_shows_another_version_is_made_anew_as_a_whole(visitor):
    visitor.opened()
    stale = shown(visitor, "/protect")
    visitor.post("/protect/choose", data={"method": "hilbert", "k": 7})
    assert visitor.get("/protect/result", params={"version": stale}).headers["hx-location"]
    assert "hilbert, k = 7" in visitor.get("/protect/result", params={"version": visitor.state()["version"]}).text


def test_who_approved_a_release_stands_in_its_certificate(visitor, tmp_path):
    visitor.opened()
    visitor.post("/release/write", data={**WRITE, "approver": "Ada"})
    (release,) = until(lambda: visitor.get("/api/releases").json())
    for each in release["files"].values():
        (tmp_path / each["name"]).write_bytes(visitor.get(f"/api/releases/{release['id']}/{each['name']}").content)
    certificate = tmp_path / release["files"]["certificate"]["name"]
    proof = verify(tmp_path / release["files"]["table"]["name"], certificate)
    assert proof.approval.approver == "Ada"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", proof.approval.date)
    assert [each.split(" ")[2] for each in proof.approval.confirmations] == ["looked", "considered"]
    assert Certificate.load(certificate).content["approval"] == proof.approval.content


def test_all_files_come_as_one_with_the_private_ones_apart(visitor, tmp_path):
    import io
    import zipfile

    visitor.opened()
    job = visitor.post("/api/anonymize?wait=30", json={"k": 3}).json()
    with zipfile.ZipFile(io.BytesIO(visitor.get(f"/release/{job['id']}/all.zip").content)) as packed:
        names = packed.namelist()
        (table,) = [name for name in names if name.endswith(".csv")]
        same = visitor.get(f"/api/releases/{job['id']}/{table.rpartition('/')[2]}").content
        assert packed.read(table) == same
    public = {name for name in names if name.startswith("publish/")}
    assert public == {"publish/people_release.csv", "publish/people_release.certificate.json"}
    assert "keep-private/people_release.private.json" in names
