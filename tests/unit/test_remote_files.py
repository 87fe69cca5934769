"""Files in S3, Google Cloud Storage and Azure: copied to be read, sent when all else is complete."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

import shoal
from shoal.engines.io import remote_files
from shoal.engines.sources import Source
from shoal.errors import DataError, ParameterError

ROWS = pa.table({"age": [20, 21, 40, 41] * 3, "ill": ["a", "b", "c"] * 4})


@pytest.fixture
def bucket(tmp_path, monkeypatch):
    """Give a folder that plays the cloud: the path behind the bucket is the path in it."""
    cloud = tmp_path / "cloud"
    cloud.mkdir()

    def local(address):
        host, _, path = address.partition("://")[2].partition("?")[0].partition("/")
        assert host in ("care", "care@clinic.dfs.core.windows.net")
        return fs.SubTreeFileSystem(str(cloud), fs.LocalFileSystem()), path

    monkeypatch.setattr(remote_files, "filesystem_of", local)
    return cloud


@pytest.mark.parametrize("base", ["s3://care/", "gs://care/", "abfss://care@clinic.dfs.core.windows.net/"])
@pytest.mark.parametrize("form", [".csv", ".parquet", ".csv.gz"])
def test_a_file_in_the_cloud_goes_the_whole_way(bucket, tmp_path, base, form):
    shoal.anonymize(ROWS, [], quasi="age", plain="ill", no_promise=True).write(tmp_path / f"in{form}")
    (bucket / f"people{form}").write_bytes((tmp_path / f"in{form}").read_bytes())
    place, target, paper = f"{base}people{form}", f"{base}out{form}", tmp_path / "out.certificate.json"
    table = shoal.read(place, quasi="age", sensitive="ill", masked=True)
    assert (table.rows, table.origin.name, table.origin.place) == (12, f"people{form}", place)
    release = shoal.anonymize(table, "mondrian", k=2)
    with pytest.raises(ParameterError, match="no folder for its certificate"):
        release.write(target)
    assert not (bucket / f"out{form}").exists()
    release.write(target, certificate=paper, recipe=tmp_path / "r.toml")
    asked = shoal.Recipe.load(tmp_path / "r.toml")
    assert (asked.source, asked.target) == (place, target)
    proof = shoal.verify(target, paper, private=tmp_path / "out.private.json", original=place)
    assert proof.by_original
    with pytest.raises(ParameterError, match="there already"):
        release.write(target, certificate=paper)
    with pytest.raises(ParameterError, match="overwrite the input"):
        release.write(place, certificate=paper, overwrite=True)
    release.write(target, certificate=paper, overwrite=True)


def test_a_folder_in_the_cloud_is_read(bucket):
    (bucket / "people" / "year=2009").mkdir(parents=True)
    pq.write_table(ROWS.slice(0, 5), bucket / "people" / "year=2009" / "a.parquet")
    (bucket / "people" / "year=2010").mkdir()
    pq.write_table(ROWS.slice(5), bucket / "people" / "year=2010" / "b.parquet")
    table = shoal.read("s3://care/people/", quasi=["age", "year"])
    assert table.rows == 12
    assert table.schema["year"].axis.kind == "integer"


def test_nothing_is_sent_when_something_fails(bucket, tmp_path, monkeypatch):
    release = shoal.anonymize(ROWS, "mondrian", k=2, quasi="age")
    monkeypatch.setattr("shoal.releases.writing._certificate", lambda *_: (_ for _ in ()).throw(OSError("no")))
    with pytest.raises(DataError, match="cannot be written"):
        release.write("s3://care/out.csv", certificate=tmp_path / "c.certificate.json")
    assert not list(bucket.iterdir())
    assert not (tmp_path / "c.certificate.json").exists()


def test_what_is_not_there_or_not_allowed_is_said_without_keys(bucket):
    with pytest.raises(DataError, match=r"no 's3://care/none\.csv'"):
        shoal.read("s3://care/none.csv", quasi="age")
    with pytest.raises(ParameterError, match="holds no keys") as refused:
        shoal.read("s3://AKIA:hush@care/people.csv", quasi="age")
    assert "hush" not in str(refused.value)
    with pytest.raises(ParameterError, match="names no file"):
        shoal.read("s3://care", quasi="age")
    with pytest.raises(ParameterError, match="promises"):
        shoal.anonymize(ROWS, "mondrian", k=2, quasi="age").write("s3://care/out.sas7bdat", certificate="c.json")
    assert Source.parse("gs://care/a/b.SAV").format == "spss"


def test_a_server_that_speaks_as_s3_does(tmp_path, monkeypatch):
    """The way through PyArrow itself, where such a server can be started."""
    moto = pytest.importorskip("moto.server", reason="moto is not installed")
    server = moto.ThreadedMotoServer(port=0)
    server.start()
    try:
        host, port = server.get_host_and_port()
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hush")
        end = f"?endpoint_override={host.replace('0.0.0.0', '127.0.0.1')}:{port}&scheme=http&allow_bucket_creation=true"
        cloud, _ = fs.FileSystem.from_uri(f"s3://care/{end}")
        cloud.create_dir("care")
        with cloud.open_output_stream("care/people.csv") as file:
            file.write(b"age,ill\n20,a\n21,b\n40,a\n41,b\n")
        release = shoal.anonymize(f"s3://care/people.csv{end}", "mondrian", k=2, quasi="age", sensitive="ill")
        release.write(f"s3://care/out.parquet{end}", certificate=tmp_path / "c.certificate.json")
        assert shoal.verify(f"s3://care/out.parquet{end}", tmp_path / "c.certificate.json").proved
        with pytest.raises(DataError, match="There is no"):
            shoal.read(f"s3://care/none.csv{end}", quasi="age")
    finally:
        server.stop()
