"""Files that are sent or named: the good ones are opened, the bad ones refused with a reason, and nothing changes."""

import gzip
import re
import threading

import pytest
from web.conftest import people, serving, until

from shoal.web.file_access import safe_name
from shoal.web.tasks import worker

BAD = {
    "binary": ("picture.csv", bytes(range(256)) * 20, "not a text file"),
    "empty": ("empty.csv", b"", "empty"),
    "header-only": ("head.csv", b"age,sex\n", "a header but no records"),
    "no-names": ("bare.csv", b"34;f;flu\n35;m;cold\n61;f;flu\n" * 9, "whether it names the columns"),
    "one-of-text": ("fixed.txt", b"34   f   flu \n35   m   cold\n61   f   flu \n" * 9, "choose what is between cells"),
    "ragged": ("ragged.csv", b"age,sex\n1,f\n2\n3,m,x\n", "Line 3 has 1 field, but the header has 2"),
    "two-names": ("twice.csv", b"age,age\n1,2\n", "more than once"),
    "open-quote": ("quote.csv", b'age,sex\n1,"f\n2,m\n', "begins on line 2 is never closed"),
    "not-parquet": ("table.parquet", b"age,sex\n1,f\n", "not a Parquet file"),
    "not-gzip": ("table.csv.gz", b"age,sex\n1,f\n", "damaged or was cut short"),
    "cut-gzip": ("table.csv.gz", gzip.compress(b"age,sex\n1,f\n" * 500)[:40], "damaged or was cut short"),
    "excel": ("sheet.xlsx", b"PK\x03\x04", "not a workbook of Excel"),
    "no-suffix": ("table", b"age,sex\n1,f\n", "cannot be read here"),
    "program": ("run.exe", b"MZ", "cannot be read here"),
    "formula": ("formula.csv", b"age,note\n1,\"=cmd|'/c calc'!A0\"\n2,x\n", "formula"),
    "formula-at": ("formula.csv", b"age,note\n1,@SUM(A1)\n2,x\n", "formula"),
    "formula-name": ("formula.csv", b"=HYPERLINK(1),b\n1,2\n3,4\n", "formula"),
    "wide": ("wide.csv", (",".join(f"c{i}" for i in range(1500)) + "\n" + ",".join("1" * 1500) + "\n").encode(),
             "1,500 columns"),
}  # fmt: skip


@pytest.fixture(scope="module")
def busy(tmp_path_factory):
    """A server on which someone has a table open already."""
    with serving(tmp_path_factory.mktemp("server")) as (visitor, _):
        yield visitor.opened()


@pytest.mark.parametrize("case", BAD)
def test_bad_files_get_a_reason_and_change_nothing(busy, case):
    name, content, reason = BAD[case]
    before, folder = busy.state(), {path for path in folders(busy) if path.name == "people.csv"}
    answer = busy.send(content, name)
    job = next((j for j in busy.state()["jobs"] if j["task"] == "look"), None)
    if job and job["state"] in ("waiting", "running"):
        busy.get(f"/api/jobs/{job['id']}", params={"wait": 20})
        answer = busy.get("/data")
    assert "✗" in answer.text, answer.text
    assert reason in answer.text
    assert "Traceback" not in answer.text
    assert not re.search(
        r"[^-]--[a-z]", answer.text.replace(busy.session.case.id, "")
    )  # the page has controls, and no options
    assert "/tmp" not in answer.text
    after = busy.state()
    assert {**after, "jobs": 0} == {**before, "jobs": 0}
    left = {path for path in folders(busy) if path.suffix} - folder
    assert len(left) <= 1  # the last that could not be read may be read in another way


def folders(visitor):
    """List everything in the private folder of a session."""
    session = visitor.session
    return [path.relative_to(session.case.folder) for path in session.case.folder.rglob("*")]


@pytest.mark.parametrize(
    ("content", "note"),
    [
        (people().replace(b"stroke", "stroké".encode("latin-1")), "encoding"),
        (people().replace(b",", b";"), "delimiter"),
        (b"\xef\xbb\xbf" + people(), "comma-separated UTF-8 text"),
        (people().replace(b"\n", b"\r\n"), "comma-separated UTF-8 text"),
    ],
)
def test_other_encodings_and_delimiters_are_found_out_and_told(visitor, content, note):
    visitor.opened(content)
    assert visitor.state()["columns"] == 6
    assert note in visitor.get("/data").text


def test_a_file_that_is_too_large_is_refused_by_what_it_says_and_by_what_it_sends(tmp_path):
    with serving(tmp_path, most_bytes=1000) as (visitor, _):
        answer = visitor.send(b"age\n" + b"1\n" * 60_000)
        assert answer.status_code == 413
        assert "larger than" in answer.text
        quiet = visitor.client.put("/api/file?name=a.csv", content=iter([b"age\n", b"1\n" * 4000]))
        assert quiet.status_code == 413
        assert visitor.state()["file"] is None
        assert not folders(visitor)


@pytest.mark.parametrize("content", [b"", b"--x\r\n", b"not a form"])
def test_what_is_no_form_is_refused(visitor, content):
    for kind in ("multipart/form-data; boundary=x", "multipart/form-data", "text/plain"):
        answer = visitor.post("/data/upload", content=content, headers={"content-type": kind})
        assert answer.status_code == 422
    assert not folders(visitor)


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ("../../etc/passwd.csv", "passwd.csv"),
        ("..\\..\\windows\\a.csv", "a.csv"),
        ("/abs/olute.csv", "olute.csv"),
        ("a\x00b\n.csv", "ab.csv"),
        ("...", "table.csv"),
        ("", "table.csv"),
        ("a" * 300 + ".csv", "a" * 176 + ".csv"),  # 180 bytes
        ("a;b&c|d.csv", "a_b_c_d.csv"),
        ("\u202egpj.csv", "gpj.csv"),
    ],
)
def test_names_are_made_harmless(given, taken):
    assert safe_name(given) == taken


def test_path_tricks_in_the_name_of_a_file_lead_nowhere(visitor):
    visitor.client.put("/api/file", params={"name": "../../../evil.csv", "wait": 20}, content=people())
    assert visitor.state()["file"] == "evil.csv"
    assert all(".." not in path.parts for path in folders(visitor))


@pytest.fixture(scope="module")
def folders_and_server(tmp_path_factory):
    tmp_path = tmp_path_factory.mktemp("paths")
    inside, outside = tmp_path / "data", tmp_path / "private"
    inside.mkdir()
    outside.mkdir()
    (inside / "people.csv").write_bytes(people())
    (outside / "secret.csv").write_bytes(people())
    (inside / "link.csv").symlink_to(outside / "secret.csv")
    (inside / "way").symlink_to(outside)
    with serving(tmp_path, folders=(inside,)) as (_, enter):
        yield enter, inside, outside


class TestPaths:
    @pytest.fixture
    def place(self, folders_and_server):
        enter, inside, outside = folders_and_server
        return enter(), inside, outside

    def test_files_in_named_folders_are_offered_and_opened_where_they_are(self, place):
        visitor, inside, _ = place
        page = visitor.get("/data").text
        assert "people.csv" in page
        assert "link.csv" not in page
        assert "secret.csv" not in page
        job = visitor.post("/api/file/open?wait=20", json={"path": str(inside / "people.csv")}).json()
        assert job["state"] == "done"
        visitor.post("/data/close")
        assert (inside / "people.csv").exists()

    @pytest.mark.parametrize(
        "way",
        [
            "{o}/secret.csv",
            "{i}/../private/secret.csv",
            "{i}/link.csv",
            "{i}/way/secret.csv",
            "/etc/passwd",
            "/etc/hosts.csv",
            "~/x.csv",
            "~nobody\u0094/x.csv",
            "a\0b.csv",
            "/" + "x" * 4000,
            "{i}",
            "",
        ],
    )
    def test_others_are_refused_in_the_same_words(self, place, way):
        visitor, inside, outside = place
        path = way.format(i=inside, o=outside)
        for answer in (visitor.post("/data/open", data={"path": path}),
                       visitor.post("/api/file/open", json={"path": path})):  # fmt: skip
            assert answer.status_code in (404, 422)
        assert visitor.state()["file"] is None

    def test_nothing_is_told_of_files_outside(self, place):
        visitor, _, outside = place
        there = visitor.post("/api/file/open", json={"path": str(outside / "secret.csv")}).json()
        not_there = visitor.post("/api/file/open", json={"path": str(outside / "nothing.csv")}).json()
        assert there == not_there


def test_a_file_named_at_the_start_is_open_for_whoever_comes(tmp_path):
    (tmp_path / "people.csv").write_bytes(people())
    with serving(tmp_path, first=tmp_path / "people.csv") as (visitor, enter):
        for someone in (visitor, enter()):
            until(lambda someone=someone: "people.csv" in someone.get("/").text)


def test_a_file_named_at_the_start_leads_on_to_its_roles_when_it_is_there(tmp_path, monkeypatch):
    """The browser may come before the file was looked at, also where there are cases of earlier days."""
    (tmp_path / "people.csv").write_bytes(people())
    looked, run = threading.Event(), worker.run
    monkeypatch.setattr("shoal.web.routes.data.PATIENCE", 0)
    monkeypatch.setattr(worker, "run", lambda *given: looked.wait(20) and run(*given))
    with serving(tmp_path, first=tmp_path / "people.csv", token="t" * 43) as (visitor, enter):
        answer = visitor.get("/?token=" + "t" * 43)
        assert answer.url.query == b"then=roles"
        assert 'hx-get="/data?then=roles"' in answer.text
        looked.set()
        until(lambda: visitor.get("/data?then=roles").url.path == "/roles")
        visitor.post("/roles/accept")
        looked.clear()
        another = enter()  # of the same person, who has a case now
        assert another.get("/?token=" + "t" * 43).url.query == b"then=roles"
        looked.set()


def test_a_file_named_at_the_start_that_cannot_be_read_is_said_to_be_so(tmp_path):
    (tmp_path / "people.csv").write_bytes(b"")
    with serving(tmp_path, first=tmp_path / "people.csv") as (visitor, _):
        until(lambda: visitor.state()["jobs"][0]["state"] == "failed")
        answer = visitor.get("/")
        assert answer.url.path == "/data"
        assert 'role="alert"><div class="card wrong"' in answer.text


@pytest.mark.parametrize("form", [".xlsx", ".feather", ".jsonl", ".orc", ".csv.xz", ".csv.zip", ".sav", ".dta"])
def test_files_of_other_forms_are_opened(busy, tmp_path, form):
    """What the command line reads, the page opens, with the same columns."""
    import pyarrow as pa

    import shoal

    frame = pa.table({"age": [30, 31, 50, 52] * 3, "sex": ["f", "m"] * 6, "charge": [1.5, 2.25, 3.0, 4.5] * 3})
    shoal.anonymize(frame, [], quasi="age", plain=["sex", "charge"], no_promise=True).write(tmp_path / f"people{form}")
    busy.send((tmp_path / f"people{form}").read_bytes(), f"people{form}")
    found = until(lambda: (state := busy.state())["file"] == f"people{form}" and state.get("columns") and state)
    assert (found["columns"], found["rows"]) == (3, 12)


@pytest.mark.parametrize("name", ["表" * 119 + ".csv", "a." + "x" * 300, "x" * 300 + ".csv", "ü" * 90 + "." + "é" * 90])
def test_names_that_are_too_long_for_a_disk_are_cut(busy, name):
    answer = busy.client.put("/api/file", params={"name": name}, content=b"age\n1\n")
    assert answer.status_code == (202 if name.endswith(".csv") else 422), answer.text
    busy.opened()
    answer = busy.client.put("/api/files", params={"name": name}, content=b"1")
    assert 100 < len(answer.json()[0]["name"].encode()) <= 180
