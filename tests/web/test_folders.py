"""Tables that lie in folders: parts of Parquet, and tables of lakehouses, of which an earlier version can be read."""

import io
import re
import shlex
import zipfile
from html import unescape

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from web.conftest import serving, until
from web.test_cases import again

from shoal.cli import application
from shoal.engines.io import lakehouse_reader

ROWS = pa.table({"age": [20, 21, 40, 41] * 6, "sex": ["f", "m"] * 12, "ill": ["a", "b", "c"] * 8})


def parts(place):
    for number, name in enumerate(("ward=1", "ward=2")):
        (place / name).mkdir(parents=True)
        pq.write_table(ROWS.slice(12 * number, 12), place / name / "part-0.parquet")


def delta(place):
    library = pytest.importorskip("deltalake", reason="deltalake is not installed: make install EXTRAS=lake")
    library.write_deltalake(str(place), ROWS)
    library.DeltaTable(str(place)).delete("age >= 40")
    return "0"


def iceberg(place):
    memory = pytest.importorskip("pyiceberg.catalog.memory", reason="pyiceberg is not installed with sql-sqlite")
    catalog = memory.InMemoryCatalog("lake", warehouse=f"file://{place.parent.parent}")
    catalog.create_namespace(place.parent.name)
    table = catalog.create_table(f"{place.parent.name}.people", schema=ROWS.schema)
    table.append(ROWS)
    first = table.current_snapshot().snapshot_id
    table.overwrite(ROWS.slice(0, 12))
    return str(first)


@pytest.fixture(params=[parts, delta, iceberg])
def folder(request, tmp_path):
    """Give a folder, what was made in it, and the version that had all rows."""
    place = tmp_path / "data" / "people"
    (tmp_path / "data").mkdir()
    return place, request.param(place)


def opened(visitor, place):
    job = visitor.client.post("/api/file/open?wait=30", json={"path": str(place)}).json()
    assert job["state"] == "done", job
    return visitor


def test_a_table_in_a_folder_is_offered_opened_and_released_as_the_command_does(
    folder, house_at, tmp_path, monkeypatch, capsys
):
    place, version = folder
    visitor, _ = house_at
    offered = re.findall(r'<option value="([^"]*)">', visitor.get("/data").text.partition('name="path"')[2])
    assert str(place) in offered
    assert not [each for each in offered if each.startswith(f"{place}/")]
    assert not [path for path in re.findall(r'<option value="([^"]*)">', population_form(opened(visitor, place)))
                if path == str(place)]  # fmt: skip
    if version is not None:
        assert visitor.get("/api/workbench").json()["rows"] == 12
        form = {"at_version": version}
        assert f'value="{version}"' in visitor.get("/data").text
        seen = visitor.post("/data/reading", data=form | {"look": "1", "values": "1"}).text
        assert ">41<" in seen
        assert visitor.get("/api/reading").json()["at_version"] is None
        assert visitor.post("/data/reading", data=form).status_code == 200
        assert visitor.get("/api/reading").json()["at_version"] == version
        assert f"Version {version}" in visitor.get("/data", headers={"accept-language": "de"}).text
    assert visitor.get("/api/workbench").json()["rows"] == 24
    visitor.client.put("/api/roles", json={"roles": {"age": "quasi", "sex": "quasi", "ill": "sensitive"}})
    visitor.client.put("/api/roles", json={"roles": dict.fromkeys(visitor.state()["undecided"], "plain")})
    job = visitor.post("/api/anonymize?wait=30", json={"k": 3}).json()
    assert job["state"] == "done", job
    packed = zipfile.ZipFile(io.BytesIO(visitor.get(f"/api/releases/{job['id']}.zip").content))
    files = {kind: packed.read(next(name for name in packed.namelist() if name.endswith(end)))
             for kind, end in (("table", "people_release.csv"), ("recipe", ".toml"))}  # fmt: skip
    shown = unescape(re.search(r'<pre id="command".*?<code>(.*?)</code>', visitor.get("/same").text, re.DOTALL)[1])
    assert ("--at-version" in shown) is (version is not None)
    monkeypatch.chdir(place.parent)
    application()(shlex.split(shown.replace("\\\n", " "))[1:], standalone_mode=False)
    assert (place.parent / "people_release.csv").read_bytes() == files["table"]
    recipe = (place.parent / "people_release.recipe.toml").read_text()
    assert ("at_version" in recipe) is (version is not None)
    (place.parent / "again.recipe.toml").write_bytes(files["recipe"])
    application()(["run", "again.recipe.toml", "--overwrite"], standalone_mode=False)
    assert (place.parent / "people_release.csv").read_bytes() == files["table"]


def population_form(visitor):
    visitor.post("/roles/accept")
    visitor.get("/api/risk?wait=30")
    return visitor.get("/risk").text.partition('id="population-path"')[2]


@pytest.fixture
def house_at(tmp_path):
    with serving(tmp_path, folders=(tmp_path / "data",)) as both:
        yield both


def test_a_case_about_a_folder_is_opened_again_while_its_rows_are_the_same(folder, house_at):
    place, version = folder
    visitor, enter = house_at
    opened(visitor, place)
    if version is not None:
        visitor.client.put("/api/reading?wait=30", json={"at_version": version})
    visitor.post("/roles/accept")
    case = visitor.state()["case"]
    visitor.post("/data/close")
    someone = again(enter, visitor)
    assert someone.client.post(f"/api/cases/{case}/open").json()["rows"] == 24
    someone.post("/data/close")
    if version is None:  # the version of a lakehouse stays what it was
        pq.write_table(ROWS.slice(0, 3), place / "ward=1" / "part-0.parquet")
        refused = someone.client.post(f"/api/cases/{case}/open")
        assert (refused.status_code, "fingerprint" in refused.json()["error"]) == (422, True)


def test_a_version_that_is_not_there_changes_nothing(house_at, tmp_path):
    (tmp_path / "data").mkdir()
    delta(tmp_path / "data" / "people")
    visitor = opened(house_at[0], tmp_path / "data" / "people")
    for wrong, said in (("7", "has no version 7"), ("soon", "neither the number of a version nor a moment")):
        text = visitor.post("/data/reading", data={"at_version": wrong}).text
        assert said in text
        (error,) = re.findall(r'<div role="alert">.*?</div>', text, re.DOTALL)
        assert str(tmp_path) not in error
        assert "--at-version" not in error
        assert visitor.get("/api/reading").json()["at_version"] is None
    visitor.post("/data/reading", data={"at_version": "0"})
    assert visitor.get("/api/workbench").json()["rows"] == 24
    visitor.post("/undo")
    visitor.session.case.jobs.wait("look", 20)
    assert visitor.get("/api/workbench").json()["rows"] == 12


@pytest.mark.parametrize("inner", ["part.parquet", "ward=1"])
def test_a_folder_with_links_that_lead_out_of_it_is_refused(house_at, tmp_path, inner):
    secret = tmp_path / "secret"
    secret.mkdir()
    pq.write_table(ROWS, secret / "part.parquet")
    place = tmp_path / "data" / "people"
    place.mkdir(parents=True)
    pq.write_table(ROWS, place / "own.parquet")
    (place / inner).symlink_to(secret / inner if "." in inner else secret)
    visitor, _ = house_at
    answer = visitor.client.post("/api/file/open", json={"path": str(place)})
    assert (answer.status_code, "lead out of it" in answer.json()["error"]) == (422, True)
    (place / inner).unlink()
    (place / "again.parquet").symlink_to(place / "own.parquet")
    opened(visitor, place)


def test_a_lakehouse_whose_log_leads_out_of_its_folder_is_refused(house_at, tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    delta(tmp_path / "data" / "people")
    outside = tmp_path / "elsewhere" / "part.parquet"
    for name in (str(outside), f"file://{outside}", f"s3://care{tmp_path}/data/people/part.parquet",
                 f"{tmp_path}/data/people/%2e%2e/%2e%2e/elsewhere/part.parquet"):  # fmt: skip

        class Table:
            def file_uris(self, name=name):
                return [name]

        monkeypatch.setattr(lakehouse_reader, "_delta_table", lambda *_, table=Table: table())
        visitor, _ = house_at
        job = visitor.client.post("/api/file/open?wait=30", json={"path": str(tmp_path / "data" / "people")}).json()
        assert (job["state"], "outside of its folder" in job["error"]) == ("failed", True)


def test_a_folder_named_at_the_start_is_open_for_whoever_comes(tmp_path):
    parts(tmp_path / "people")
    with serving(tmp_path, first=tmp_path / "people") as (visitor, _):
        until(lambda: "people" in visitor.get("/").text and visitor.state()["file"])
        assert "Parquet" in visitor.get("/data").text
        assert "How the file is read" not in visitor.get("/data").text


def test_a_folder_without_a_table_is_refused(house_at, tmp_path):
    (tmp_path / "data" / "empty").mkdir(parents=True)
    job = house_at[0].client.post("/api/file/open?wait=30", json={"path": str(tmp_path / "data" / "empty")}).json()
    assert (job["state"], "holds no Parquet files" in job["error"]) == ("failed", True)
