"""Tables of lakehouses: their log says which rows there are, and their files are never taken for the table."""

import json
import struct

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engines.tiny import Tiny

import shoal
from shoal.atomic_files import refuse_overwriting
from shoal.engines.io.folders import opened_folder
from shoal.engines.io.parquet_reader import opened_file
from shoal.errors import DataError

ROWS = pa.table({"age": [20, 21, 40, 41] * 3, "ill": ["a", "b", "c"] * 4})


def lakehouse(folder, kind, inner="data"):
    """Make a folder that looks like a table of a kind, with the rows in a folder inside of it."""
    (folder / inner).mkdir(parents=True)
    pq.write_table(ROWS, folder / inner / "part-0.parquet")
    log = {"Delta Lake": "_delta_log", "Apache Hudi": ".hoodie", "Apache Iceberg": "metadata"}[kind]
    (folder / log).mkdir()
    if kind == "Apache Iceberg":
        (folder / log / "00000-x.metadata.json").write_text(json.dumps({"format-version": 2}))
    return folder


@pytest.mark.parametrize("kind", ["Delta Lake", "Apache Hudi", "Apache Iceberg"])
def test_files_of_a_lakehouse_are_never_read_by_themselves(tmp_path, kind):
    """Rows that were deleted or changed would come back, and one person would count several times."""
    table = lakehouse(tmp_path / "lake" / "people", kind)
    link = tmp_path / "linked"
    link.mkdir()
    (link / "a.parquet").symlink_to(table / "data" / "part-0.parquet")
    for path in (table, table / "data", table / "data" / "part-0.parquet", tmp_path / "lake", link, link / "a.parquet"):
        for engine in (None, Tiny()):
            with pytest.raises(DataError, match=kind):
                shoal.read(path, engine=engine, quasi="age", sensitive="ill")
        with pytest.raises(DataError, match=kind):  # which is all that a cluster opens them with
            opened_folder(path.absolute()) if path.is_dir() else opened_file(path.absolute())


@pytest.mark.parametrize("kind", ["Delta Lake", "Apache Hudi", "Apache Iceberg"])
def test_nothing_is_written_into_a_lakehouse(tmp_path, kind):
    table = lakehouse(tmp_path / "people", kind)
    release = shoal.anonymize(shoal.read(ROWS, quasi="age"), shoal.methods.Hilbert(), [shoal.models.KAnonymity(2)])
    before = sorted(tmp_path.rglob("*"))
    for target in (f"{table}/", f"{table}/data/out/", table / "out.csv", table / "data" / "out.parquet"):
        with pytest.raises(DataError, match=kind):
            release.write(target)
    with pytest.raises(DataError, match=kind):
        release.write(tmp_path / "out.csv", certificate=table / "out.json")
    assert sorted(tmp_path.rglob("*")) == before


def test_a_folder_that_only_sounds_like_a_lakehouse_is_a_folder(tmp_path):
    (tmp_path / "metadata").mkdir()
    (tmp_path / "metadata" / "people.metadata.json").write_text('{"about": "a codebook"}')
    (tmp_path / "rows").mkdir()
    pq.write_table(ROWS, tmp_path / "rows" / "a.parquet")
    assert shoal.read(tmp_path / "rows", quasi="age").rows == 12
    refuse_overwriting([tmp_path / "rows" / "b.parquet"], [])


def test_the_rows_of_a_delta_table_are_those_it_has_now(tmp_path):
    delta = pytest.importorskip("deltalake", reason="deltalake is not installed: make install EXTRAS=lake")
    place = str(tmp_path / "people")
    delta.write_deltalake(place, ROWS, partition_by=["ill"])
    delta.DeltaTable(place).update(updates={"age": "age + 1"})
    delta.DeltaTable(place).delete("age >= 40")
    tables = [shoal.read(place, engine=engine, quasi="age", sensitive="ill") for engine in (None, Tiny())]
    assert [table.rows for table in tables] == [6, 6]
    assert sorted(tables[0].to_arrow()["age"].to_pylist()) == [21, 21, 21, 22, 22, 22]
    assert tables[0].origin == tables[1].origin
    assert "version 2" in tables[0].origin.notes[0]
    shoal.anonymize(tables[0], shoal.methods.Hilbert(), [shoal.models.KAnonymity(2)]).write(tmp_path / "out.csv")
    asked = {"private": tmp_path / "out.private.json", "original": place}
    proof = shoal.verify(tmp_path / "out.csv", tmp_path / "out.certificate.json", **asked)
    assert "The certificate commits to this original." in proof.proved
    delta.write_deltalake(place, ROWS.slice(0, 1), mode="append")
    with pytest.raises(shoal.errors.CertificateError):
        shoal.verify(tmp_path / "out.csv", tmp_path / "out.certificate.json", **asked)


def test_the_rows_of_an_iceberg_table_are_those_it_has_now(tmp_path):
    pytest.importorskip("pyiceberg", reason="pyiceberg is not installed: make install EXTRAS=lake")
    memory = pytest.importorskip("pyiceberg.catalog.memory", reason="pyiceberg is not installed with sql-sqlite")
    catalog = memory.InMemoryCatalog("lake", warehouse=f"file://{tmp_path}")
    catalog.create_namespace("care")
    table = catalog.create_table("care.people", schema=ROWS.schema)
    table.append(ROWS)
    table.overwrite(ROWS.slice(0, 6))
    place = tmp_path / "care" / "people"
    for engine in (None, Tiny()):
        assert shoal.read(place, engine=engine, quasi="age", sensitive="ill").rows == 6


def test_versions_of_a_delta_table(tmp_path):
    delta = pytest.importorskip("deltalake", reason="deltalake is not installed: make install EXTRAS=lake")
    place = str(tmp_path / "people")
    delta.write_deltalake(place, ROWS)
    delta.DeltaTable(place).delete("age >= 40")
    asked = {"quasi": "age", "sensitive": "ill"}
    for engine in (None, Tiny()):
        assert shoal.read(place, engine=engine, at_version="0", **asked).rows == 12
        assert shoal.read(place, engine=engine, at_version="2100-01-01", **asked).rows == 6
    table = shoal.read(place, at_version="0", **asked)
    assert "version 0" in table.origin.notes[0]
    release = shoal.anonymize(table, "mondrian", k=2)
    release.write(tmp_path / "out.csv", recipe=tmp_path / "r.toml")
    assert shoal.Recipe.load(tmp_path / "r.toml").options.at_version == "0"
    papers = {"private": tmp_path / "out.private.json", "original": place}
    assert shoal.verify(tmp_path / "out.csv", **papers).by_original
    for version, said in (("7", "no version 7"), ("soon", "neither the number")):
        with pytest.raises(shoal.errors.ParameterError, match=said):
            shoal.read(place, at_version=version, **asked)
    with pytest.raises(shoal.errors.ParameterError, match="Only a table of Delta Lake or Iceberg has versions"):
        shoal.read(ROWS, at_version="0", **asked)
    with pytest.raises(shoal.errors.ParameterError, match="Only a workbook has a sheet"):
        shoal.read(tmp_path / "out.csv", sheet="people", **asked)


def vector(rows):
    """Give a deletion vector as it stands in a log: a bitmap of numbers of rows, in letters of Z85."""
    letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
    head = struct.pack("<IQIIIHHI", 1681511377, 1, 0, 12346, 1, 0, len(rows) - 1, 16)
    whole = head + struct.pack(f"<{len(rows)}H", *rows)
    text = ""
    for start in range(0, len(whole), 4):
        number = int.from_bytes(whole[start : start + 4].ljust(4, b"\0"), "big")
        text += "".join(letters[number // 85**power % 85] for power in range(4, -1, -1))
    return {"storageType": "i", "pathOrInlineDv": text, "sizeInBytes": len(whole), "cardinality": len(rows)}


@pytest.mark.parametrize("by", [None, ["ill"]])
def test_rows_that_a_deletion_vector_marks_are_gone(tmp_path, by):
    delta = pytest.importorskip("deltalake", reason="deltalake is not installed: make install EXTRAS=lake")
    place = tmp_path / "people"
    delta.write_deltalake(str(place), ROWS.slice(0, 8), partition_by=by)
    log = [json.loads(line) for line in (place / "_delta_log" / f"{0:020}.json").read_text().splitlines()]
    added = next(line["add"] for line in log if "add" in line)
    marked = {
        **added,
        "deletionVector": vector([0, 2]),
        "stats": json.dumps(json.loads(added["stats"]) | {"tightBounds": False}),
    }
    features = {"readerFeatures": ["deletionVectors"], "writerFeatures": ["deletionVectors"]}
    gone = {"path": added["path"], "dataChange": True, "deletionTimestamp": 1}
    actions = [
        {"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, **features}},
        {"remove": gone},
        {"add": marked},
    ]
    (place / "_delta_log" / f"{1:020}.json").write_text("\n".join(map(json.dumps, actions)))
    for engine in (None, Tiny()):
        table = shoal.read(place, engine=engine, quasi="age", plain="ill")
        assert table.rows == 6
        assert shoal.read(place, engine=engine, quasi="age", at_version="0").rows == 8
    if by is None:
        release = shoal.anonymize(table, [], no_promise=True, allow_identifiers=["ill"], measures=[])
        assert release.to_arrow().column("age").to_pylist() == [20, 21, 21, 40, 41, 41]


def test_snapshots_of_an_iceberg_table(tmp_path):
    pytest.importorskip("pyiceberg", reason="pyiceberg is not installed: make install EXTRAS=lake")
    memory = pytest.importorskip("pyiceberg.catalog.memory", reason="pyiceberg is not installed with sql-sqlite")
    catalog = memory.InMemoryCatalog("lake", warehouse=f"file://{tmp_path}")
    catalog.create_namespace("care")
    table = catalog.create_table("care.people", schema=ROWS.schema)
    table.append(ROWS)
    first = table.current_snapshot().snapshot_id
    table.delete("age >= 40")
    place = tmp_path / "care" / "people"
    for engine in (None, Tiny()):
        assert shoal.read(place, engine=engine, quasi="age").rows == 6
        assert shoal.read(place, engine=engine, quasi="age", at_version=str(first)).rows == 12
    with pytest.raises(shoal.errors.ParameterError, match="no version 1"):
        shoal.read(place, quasi="age", at_version="1")


def with_places_deleted(table, folder, rows):
    """Mark rows of an Iceberg table as deleted by their places, in a file of its own, as other programs do."""
    from pyiceberg import manifest as m
    from pyiceberg.typedef import Record

    class Deletes(m.ManifestWriterV2):
        def content(self):
            return m.ManifestContent.DELETES

        @property
        def _meta(self):
            return super()._meta | {"content": "deletes"}

    before, number = table.current_snapshot(), 7
    files, path = table.io, folder / "data" / "deletes.parquet"
    data = next(iter(table.scan().plan_files())).file.file_path
    pq.write_table(pa.table({"file_path": [data] * len(rows), "pos": pa.array(rows, pa.int64())}), path)
    deletes = m.DataFile.from_args(
        content=m.DataFileContent.POSITION_DELETES, file_path=f"file://{path}", file_format=m.FileFormat.PARQUET,
        partition=Record(), record_count=len(rows), file_size_in_bytes=path.stat().st_size,
    )  # fmt: skip
    added = m.ManifestEntry.from_args(status=m.ManifestEntryStatus.ADDED, snapshot_id=number, data_file=deletes)
    place = files.new_output(f"file://{folder}/metadata/deletes.avro")
    with Deletes(table.spec(), table.schema(), place, number, "deflate") as writer:
        writer.add_entry(added)
    listed = f"file://{folder}/metadata/snap-{number}.avro"
    with m.write_manifest_list(2, files.new_output(listed), number, before.snapshot_id, 2, "deflate") as lists:
        lists.add_manifests([*before.manifests(files), writer.to_manifest_file()])
    known = json.loads(files.new_input(table.metadata_location).open().read())
    moment = known["last-updated-ms"] + 1
    snapshot = {
        "snapshot-id": number, "parent-snapshot-id": before.snapshot_id, "sequence-number": 2, "timestamp-ms": moment,
        "manifest-list": listed, "summary": {"operation": "delete"}, "schema-id": 0,
    }  # fmt: skip
    known["snapshots"].append(snapshot)
    known |= {"current-snapshot-id": number, "last-sequence-number": 2, "last-updated-ms": moment}
    known["refs"]["main"]["snapshot-id"] = number
    (folder / "metadata" / "00009-deletes.metadata.json").write_text(json.dumps(known))


def test_rows_of_an_iceberg_table_that_are_deleted_by_their_places_are_gone(tmp_path):
    pytest.importorskip("pyiceberg", reason="pyiceberg is not installed: make install EXTRAS=lake")
    memory = pytest.importorskip("pyiceberg.catalog.memory", reason="pyiceberg is not installed with sql-sqlite")
    catalog = memory.InMemoryCatalog("lake", warehouse=f"file://{tmp_path}")
    catalog.create_namespace("care")
    table = catalog.create_table("care.people", schema=ROWS.schema)
    table.append(ROWS)
    place = tmp_path / "care" / "people"
    with_places_deleted(table, place, [0, 2, 11])
    for engine in (None, Tiny()):
        found = shoal.read(place, engine=engine, quasi="age", plain="ill")
        release = shoal.anonymize(found, [], no_promise=True, allow_identifiers=["ill"], measures=[], row_order="input")
        assert release.to_arrow(row_order="input").column("age").to_pylist() == [21, 41, 20, 21, 40, 41, 20, 21, 40]
        assert (
            shoal.read(place, engine=engine, quasi="age", at_version=str(table.current_snapshot().snapshot_id)).rows
            == 12
        )
