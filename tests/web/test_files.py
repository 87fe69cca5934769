"""Files beside a table: an earlier release with its papers and counts, which methods read and proofs lay beside."""

import html
import json
import random
import sys

import pytest
from web.conftest import people, serving, until

from shoal.cli import main
from shoal.web.cases.aims import Aim

QUASI = "age,sex,zip"
ROLES = {"patient_name": "identifier", "age": "quasi", "sex": "quasi", "zip": "quasi", "shoe": "identifier"}
ROLES |= {"diagnosis": "sensitive"}
LATER = people(120)
EARLIER = people(90)  # the first of the same people


@pytest.fixture
def command(tmp_path, monkeypatch, capfd):
    """Run a command in a folder of one's own, and give what it says as JSON."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "january.csv").write_bytes(EARLIER)
    (tmp_path / "february.csv").write_bytes(LATER)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["shoal", *map(str, arguments), "--json"])
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        said = capfd.readouterr()
        assert not ended.value.code, said.err
        return json.loads(said.out)

    return run


@pytest.fixture
def before(command, tmp_path):
    """Release the table of the month before."""
    command("anonymize", "january.csv", "--out", "old.csv", "--quasi", QUASI, "--sensitive", "diagnosis", "--k", 3)
    return tmp_path


@pytest.fixture
def holder(visitor):
    visitor.client.put("/api/file?name=february.csv&wait=30", content=LATER)
    visitor.client.put("/api/roles", json={"roles": ROLES})
    return visitor


def sent(holder, *places):
    for place in places:
        answer = holder.client.put(f"/api/files?name={place.name}", content=place.read_bytes())
        assert answer.status_code == 200, answer.text
    return holder


def written(holder, asked):
    """Write what is asked for; give the release, and a way to its files."""
    found = holder.client.put("/api/aim?wait=30", json=asked).json()
    assert "levels" in found["candidate"], found
    job = holder.post("/api/anonymize?wait=30", json=asked).json()
    assert job["state"] == "done", job
    (release,) = [each for each in holder.get("/api/releases").json() if each["id"] == job["id"]]
    return release, {
        kind: holder.get(f"/api/releases/{job['id']}/{each['name']}").content for kind, each in release["files"].items()
    }


def test_the_classes_of_an_earlier_release_are_formed_again_as_by_the_command(holder, before, command):
    sent(holder, before / "old.csv", before / "old.certificate.json")
    assert [each["kind"] for each in holder.get("/api/files").json()] == ["an earlier release", "a certificate"]
    asked = {"method": "same-classes", "k": 3, "settings": {"release": "old.csv"}}
    release, files = written(holder, asked)
    command(
        "anonymize", "february.csv", "--out", "own.csv", "--quasi", QUASI, "--sensitive", "diagnosis", "--k", 3,
        "--like", "old.csv", "--save-recipe", "own.toml",
    )  # fmt: skip
    assert files["table"] == (before / "own.csv").read_bytes()
    assert 'release = "old.csv"' in files["recipe"].decode()
    assert str(holder.session.case.folder) not in files["certificate"].decode() + files["recipe"].decode()
    (before / "new.csv").write_bytes(files["table"])
    (before / "new.certificate.json").write_bytes(files["certificate"])
    proved = command("check", "new.csv", "--like", "old.csv")
    assert proved["verified"] is True
    together = [each.replace("february_release.csv", "new.csv") for each in release["together"]]
    assert "Its classes follow those of old.csv, as its certificate says." in together
    assert any("is left with at least" in each for each in together)
    assert set(together) <= {*proved["proved"], *proved["not_proved"]}
    assert set(release["together"]) <= {*release["proved"], *release["not_proved"]}
    page = holder.get("/release").text
    assert "What it tells together with earlier releases" in page
    assert page.count("Its classes follow those of old.csv") == 1
    same = html.unescape(holder.get("/same").text)
    assert """--param 'release="old.csv"'""" in same
    assert "SameClasses(release='old.csv')" in same
    command(
        "anonymize", "february.csv", "--out", "as-shown.csv", "--quasi", QUASI, "--sensitive", "diagnosis", "--k", 3,
        "--method", "same-classes", "--param", 'release="old.csv"',
    )  # fmt: skip
    assert files["table"] == (before / "as-shown.csv").read_bytes()


def test_a_release_is_laid_beside_earlier_ones_whatever_its_method(holder, before, command):
    sent(holder, before / "old.csv")
    assert "It will be laid beside" not in holder.get("/release").text
    sent(holder, before / "old.certificate.json")
    assert "It will be laid beside the earlier releases" in holder.get("/release").text
    release, _ = written(holder, {"method": "mondrian", "k": 5})
    assert any("old.csv" in each for each in release["together"])
    content = (before / "old.csv").read_bytes()
    holder.client.put("/api/files?name=old.csv", content=content.replace(b"flu", b"gout", 1))
    job = holder.post("/api/anonymize?wait=30", json={"method": "mondrian", "k": 5}).json()
    assert (job["state"], "old.csv" in job["error"]) == ("failed", True), job["error"]
    assert str(before) not in job["error"]


def test_methods_read_no_other_files_than_those_beside_the_table(holder, before):
    for name in ("old.csv", "/etc/passwd", str(before / "old.csv"), "../old.csv"):
        asked = {"method": "same-classes", "k": 3, "settings": {"release": name}}
        assert holder.client.put("/api/aim", json=asked).status_code == 422
    holder.post("/protect/choose", data={"method": "same-classes", "k": 3})
    holder.get("/protect")
    until(lambda: not holder.state()["jobs"] or all(job["state"] == "done" for job in holder.state()["jobs"]))
    page = html.unescape(holder.get("/protect").text)
    assert "Add it under Other files" in page
    assert "--like" not in page
    german = html.unescape(holder.get("/protect", headers={"accept-language": "de"}).text)
    assert "Andere Dateien" in german


def test_a_file_is_chosen_removed_taken_back_and_asked_for_again(holder, before):
    version = holder.state()["version"]
    holder.post("/files/send", files={"file": ("old.csv", (before / "old.csv").read_bytes())})
    assert holder.client.post("/files/remove", data={"version": version, "name": "old.csv"}).status_code == 409
    page = holder.get("/files").text
    assert "old.csv" in page
    holder.post("/protect/choose", data={"method": "same-classes", "k": 3})
    form = {"method": "same-classes", "k": 3, "setting of same-classes.release": "old.csv"}
    holder.post("/protect/choose", data=form)
    case = holder.session.case
    aim = case.decisions.aim
    assert (aim.files, Aim.of(aim.key)) == (["old.csv"], aim)
    assert "<option selected>old.csv</option>" in holder.get("/protect").text
    digest = case.decisions.digest
    holder.post("/files/remove", data={"name": "old.csv"})
    assert (case.decisions.aim, case.decisions.files) == (Aim(), ())
    assert case.decisions.digest != digest
    assert holder.client.delete("/api/files/old.csv").status_code == 404
    holder.post("/undo")
    assert case.decisions.aim == aim
    assert holder.get("/api/files").json()[0]["there"] is True
    case.files_there["old.csv"].unlink()
    assert holder.get("/api/files").json()[0]["there"] is False
    assert "send it once more" in holder.get("/files").text
    page = holder.get("/protect").text
    assert "not there any more" in page
    assert 'href="/files"' in page
    assert (
        holder.post(
            "/api/anonymize", json={"method": "same-classes", "k": 3, "settings": {"release": "old.csv"}}
        ).status_code
        == 422
    )


def test_counts_of_hidden_values_are_read_from_a_file(visitor, command, tmp_path):
    table = "age,sex\n" + "".join(f"{'*' if i % 10 == 0 else 20 + i % 5},{'fm'[i % 2]}\n" for i in range(60))
    (tmp_path / "hidden.csv").write_text(table)
    (tmp_path / "counts.csv").write_text("column,value,count\nage,21,4\nage,24,2\n")
    visitor.client.put("/api/file?name=hidden.csv&wait=30", content=table.encode())
    visitor.client.put("/api/reading?wait=30", json={"masked": True})
    visitor.client.put("/api/roles", json={"roles": {"age": "quasi", "sex": "quasi"}})
    sent(visitor, tmp_path / "counts.csv")
    asked = {"method": "regenerate", "k": 0, "settings": {"counts": "counts.csv"}}
    _, files = written(visitor, asked)
    command(
        "anonymize", "hidden.csv", "--out", "own.csv", "--quasi", "age,sex", "--masked", "--method", "regenerate",
        "--param", 'counts="counts.csv"', "--no-promise",
    )  # fmt: skip
    assert files["table"] == (tmp_path / "own.csv").read_bytes()


def sequence(first, last):
    draw = random.Random(3)
    ills = ["asthma", "flu", "gout", "ulcer", "none"]
    rows = [f"p{i},{draw.randint(18, 90)},{draw.randint(100, 999)},{draw.choice(ills)}\n" for i in range(200)]
    return ("id,age,zip,ill\n" + "".join(rows[first:last])).encode()


def test_everybody_shows_the_same_values_in_releases_over_time(visitor, command, tmp_path):
    (tmp_path / "january.csv").write_bytes(sequence(0, 140))
    command(
        "anonymize", "january.csv", "--out", "old.csv", "--subject", "id", "--quasi", "age,zip", "--sensitive", "ill",
        "--method", "same-signatures", "--model", "m-invariance m=3",
    )  # fmt: skip
    visitor.client.put("/api/file?name=february.csv&wait=30", content=sequence(60, 200))
    roles = {"id": "subject", "age": "quasi", "zip": "quasi", "ill": "sensitive"}
    visitor.client.put("/api/roles", json={"roles": roles})
    sent(visitor, *(tmp_path / f"old.{kind}" for kind in ("csv", "certificate.json", "private.json")))
    visitor.post("/protect/choose", data={"method": "same-signatures", "k": 5})
    case = visitor.session.case
    assert case.decisions.aim == Aim("same-signatures", 0, "m-invariance", 3, "ill")
    page = visitor.get("/protect").text
    assert "old.private.json</option>" in page
    assert '<option value="m-invariance" selected' in page
    assert '<option value="none"' not in page
    asked = {"method": "same-signatures", "k": 0, "guard": "m-invariance", "level": 3, "column": "ill"}
    release, files = written(visitor, asked | {"settings": {"after": "old.private.json"}})
    assert release["together"][0].startswith(
        "In 2 releases everybody's classes show the same 3 or more values of 'ill'"
    )
    for kind in ("table", "certificate", "private"):
        ending = {"table": "csv"}.get(kind, f"{kind}.json")
        (tmp_path / f"new.{ending}").write_bytes(files[kind])
    proved = command("check", "new.csv", "--private", "new.private.json", "--like", "old.csv")
    assert proved["verified"] is True
    assert not any("signature" in each for each in proved["not_proved"])
    same = html.unescape(visitor.get("/same").text)
    assert "--model 'm-invariance m=3 column=ill'" in same
    assert """--param 'after="old.private.json"'""" in same
    assert "--k" not in same
    visitor.post("/protect/choose", data={"method": "hilbert", "guard": "m-invariance", "k": 5})
    assert case.decisions.aim == Aim()
    for wrong in (asked | {"method": "hilbert"}, asked | {"guard": "none", "level": 0, "column": ""}):
        assert visitor.client.put("/api/aim", json=wrong).status_code == 422
    visitor.client.put("/api/aim", json=asked)
    visitor.client.put("/api/roles", json={"roles": {"ill": "plain"}})
    assert case.decisions.aim == Aim()


def test_files_are_kept_with_a_case_that_is_kept_and_passed_on_with_none(tmp_path, before):
    with serving(tmp_path / "server", folders=(tmp_path,)) as (visitor, _):
        visitor.client.put("/api/file?name=february.csv&wait=30", content=LATER)
        visitor.client.put("/api/roles", json={"roles": ROLES})
        sent(visitor, before / "old.private.json")
        opened = visitor.client.post("/api/files/open", json={"path": str(before / "old.csv")}).json()
        assert [each["name"] for each in opened] == ["old.private.json", "old.csv", "old.certificate.json"]
        case = visitor.state()["case"]
        passed = visitor.get(f"/api/cases/{case}.json").text
        assert "old.certificate.json" in passed
        assert str(tmp_path) not in passed
        visitor.client.delete("/api/file?keep=true")
        held = visitor.session.case
        assert not [*held.folder.rglob("old.private.json")]
        assert visitor.client.post(f"/api/cases/{case}/open").status_code == 200
        assert all(each["there"] for each in visitor.get("/api/files").json())
        (before / "old.csv").write_text("changed")  # of which there is a copy
        assert "old.csv" in visitor.session.case.files_there
        visitor.client.post("/api/cases/copy", json={"name": "copy"})
        assert all(each["there"] for each in visitor.get("/api/files").json())
        visitor.client.delete("/api/file")
        visitor.client.post(f"/api/cases/{case}/open")
        kept = visitor.session.case.library.original(case)
        assert [*kept.rglob("old.private.json")]
        visitor.client.delete("/api/files/old.private.json")
        visitor.client.delete("/api/file?keep=true")
        assert not [*kept.rglob("old.private.json")]
        assert [*kept.rglob("old.csv")]
        imported = visitor.client.put("/api/cases/import", content=passed.encode()).json()["id"]
        visitor.client.put(f"/api/cases/file?of={imported}&name=february.csv", content=LATER)
        assert not any(each["there"] for each in visitor.get("/api/files").json())
        assert visitor.client.post("/api/files/open", json={"path": "/etc/passwd"}).status_code in (400, 422)


def release_here(visitor, name, content, asked, roles):
    """Open a file, and write a release of it; give its name, and its files."""
    visitor.client.put(f"/api/file?name={name}&wait=30", content=content)
    visitor.client.put("/api/roles", json={"roles": roles})
    release, files = written(visitor, asked)
    return release["id"], files


def test_a_release_of_the_session_goes_on_as_a_sequence_with_one_button(visitor, command, tmp_path):
    roles = {"id": "subject", "age": "quasi", "zip": "quasi", "ill": "sensitive"}
    asked = {"method": "same-signatures", "k": 0, "guard": "m-invariance", "level": 3, "column": "ill"}
    first, earlier = release_here(visitor, "january.csv", sequence(0, 140), asked, roles)
    assert "Lay new releases beside this one" in visitor.get("/release").text
    visitor.client.put("/api/file?name=february.csv&wait=30", content=sequence(60, 200))
    visitor.client.put("/api/roles", json={"roles": roles})
    form = f'action="/files/releases/{first}"'
    for place in ("/files", "/release"):
        assert visitor.get(place).text.count(form) == 1
    stale = visitor.state()["version"]
    visitor.post(f"/files/releases/{first}")
    assert visitor.client.post(f"/files/releases/{first}", data={"version": stale}).status_code == 409
    assert [(each["name"], each["kind"]) for each in visitor.get("/api/files").json()] == [
        ("january_release.csv", "an earlier release"),
        ("january_release.certificate.json", "a certificate"),
        ("january_release.private.json", "a private record"),
    ]
    for place in ("/files", "/release"):
        assert form not in visitor.get(place).text
    assert visitor.get("/api/releases").json()[0]["beside"] is True
    visitor.post("/undo")
    assert visitor.get("/api/files").json() == []
    assert visitor.get("/api/releases").json()[0]["beside"] is False
    visitor.post("/redo")
    visitor.client.delete(f"/api/releases/{first}")  # of which there is a copy
    release, files = written(visitor, asked | {"settings": {"after": "january_release.private.json"}})
    assert release["together"][0].startswith("In 2 releases everybody's classes show the same 3 or more values")
    for name, found in (("january_release", earlier), ("new", files)):
        for kind, ending in (("table", "csv"), ("certificate", "certificate.json"), ("private", "private.json")):
            (tmp_path / f"{name}.{ending}").write_bytes(found[kind])
    proved = command("check", "new.csv", "--private", "new.private.json", "--like", "january_release.csv")
    assert proved["verified"] is True


def test_releases_of_one_name_do_not_take_the_place_of_each_other(holder):
    asked = {"method": "mondrian", "k": 5}
    first, _ = release_here(holder, "february.csv", EARLIER, asked, ROLES)
    holder.client.put("/api/file?name=february.csv&wait=30", content=LATER)
    holder.client.put("/api/roles", json={"roles": ROLES})
    release, _ = written(holder, asked)
    assert release["files"]["table"]["name"] == "february_release.csv"
    laid = holder.post(f"/api/files/releases/{first}").json()
    assert [each["name"] for each in laid if each["kind"] == "an earlier release"] == ["february_release.csv"]
    assert holder.post(f"/api/files/releases/{first}").json() == laid
    assert holder.post(f"/api/files/releases/{release['id']}").status_code == 422
    assert holder.get("/api/files").json() == laid
    again, _ = written(holder, asked)
    assert again["files"]["table"]["name"] == "february_release_2.csv"
    assert any("february_release.csv" in each for each in again["together"])
    assert "february_release_2.csv" in holder.get("/same").text
    holder.post(f"/api/files/releases/{again['id']}")
    assert "february_release_3.csv" in holder.get("/same").text
    assert len([each for each in holder.get("/api/files").json() if each["kind"] == "an earlier release"]) == 2
    assert holder.post("/api/files/releases/nowhere").status_code == 404


def test_a_release_that_is_kept_is_laid_beside_a_new_table_and_needs_one(visitor):
    first, _ = release_here(visitor, "january.csv", EARLIER, {"method": "mondrian", "k": 5}, ROLES)
    visitor.client.post(f"/api/releases/{first}/keep")
    visitor.client.delete("/api/file")
    page = visitor.get("/release").text
    assert "january_release.csv" in page
    assert "Lay new releases beside" not in page
    assert visitor.post(f"/api/files/releases/{first}").status_code == 422
    visitor.client.put("/api/file?name=february.csv&wait=30", content=LATER)
    assert visitor.session.case.releases[first].kept
    assert len(visitor.post(f"/api/files/releases/{first}").json()) == 3
    german = visitor.get("/release", headers={"accept-language": "de"}).text
    assert "Neue Freigaben werden danebengelegt" in german
