"""What only a cluster can do: its processes, its files and frames, and the loss of an executor in mid-run."""

import inspect
import shutil
from dataclasses import replace
from decimal import Decimal

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from clusters import MASTER, SETTINGS, cluster, killing
from contract.test_catalogue import KINDS, ORDER, masked, mixed, release_of, table_of
from contract.test_column_types import COLUMNS as ALL_TYPES
from contract.test_column_types import released as released_types
from contract.test_column_types import table_of as table_of_types

import shoal
from shoal.catalogue import entries
from shoal.engines.local import Local
from shoal.engines.spark.pool import SparkPool
from shoal.engines.spark.text import _byte_ranges as stretches
from shoal.measures import EstimateShift
from shoal.measures.statistics.weighable import Weighable

ROLES = {"quasi": list(KINDS), "sensitive": ["charge", "ill"], "orders": {"stage": ORDER}}


@pytest.fixture(scope="module")
def engine():
    return cluster()


def test_the_cluster_has_several_processes(engine):
    import os

    # Tasks behind one barrier run at the same time, and a worker has one core: each must be on a worker of its own.
    tasks = engine.session.sparkContext.parallelize(range(2), 2).barrier()
    found = tasks.mapPartitions(lambda _: [os.getppid()]).collect()
    assert len(set(found)) == 2
    assert os.getpid() not in found


def test_a_table_on_the_cluster_is_the_same_table(engine):
    local, there = table_of("local"), table_of("spark")
    assert len(there.data.sizes) == 2
    assert there.to_arrow().equals(local.to_arrow())
    assert repr(there) == repr(local)


def test_a_session_is_given_without_a_name(engine):
    other = shoal.Spark(engine.session)
    assert other.session is engine.session
    table = shoal.read(pa.table({"a": [3, 1, 2, 2], "b": [1, 1, 2, 2]}), engine=other, quasi=["a", "b"])
    release = shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)])
    assert release.verdicts[0].holds
    assert shoal.score(table, measures=[shoal.measures.Uniqueness()])[0].value == 0.5


def test_only_a_session_is_given_without_a_name(engine):
    """A limit or a master in the place of the session would be taken for one, and the session for a limit."""
    found = inspect.signature(shoal.Spark).parameters.values()
    assert [each.name for each in found if each.kind is not inspect.Parameter.KEYWORD_ONLY] == ["session"]
    with pytest.raises(TypeError):
        shoal.Spark(engine.session, MASTER)


def test_plain_columns_of_any_type_pass_through_the_cluster(engine, tmp_path):
    odd = {
        "list": pa.array([[i % 3, None] for i in range(20)]),
        "struct": pa.array([{"a": i % 2, "b": [str(i % 3)]} for i in range(20)]),
        "binary": pa.array([bytes([i % 5]) for i in range(20)]),
        "price": pa.array([Decimal(i % 4) / 4 for i in range(20)], pa.decimal128(12, 2)),
        "seen": pa.array([i % 6 for i in range(20)], pa.timestamp("us", "Asia/Tokyo")),
        "key": pa.array([bytes([i % 7] * 16) for i in range(20)], pa.uuid()),
        "band": pa.DictionaryArray.from_arrays(pa.array([i % 2 for i in range(20)]), ["z", "a"], ordered=True),
    }
    people = pa.table({"age": [i * 7 % 13 for i in range(20)], **odd})
    pq.write_table(people, tmp_path / "in.parquet", row_group_size=6)
    asked = {"quasi": "age", "plain": [*list(odd)[:-1]], "sensitive": "band"}
    there, here = (
        shoal.anonymize(
            shoal.read(tmp_path / "in.parquet", engine=held, **asked),
            shoal.methods.SortedClusters(),
            [shoal.models.KAnonymity(4)],
            allow_identifiers="key",
        )
        for held in (engine, None)
    )
    assert there.table.schema["band"].axis.kind == "ordered"
    assert there.to_arrow().equals(here.to_arrow())
    there.write(f"{tmp_path}/out/")
    shoal.verify(f"{tmp_path}/out/", tmp_path / "out.certificate.json", engine=engine)
    kinds = {field.name: field.dataType.simpleString() for field in there.to_spark().schema}
    assert kinds == {
        "age": "struct<lo:bigint,hi:bigint>", "list": "array<bigint>", "struct": "struct<a:bigint,b:array<string>>",
        "binary": "binary", "price": "decimal(12,2)", "seen": "timestamp", "key": "string", "band": "string",
    }  # fmt: skip
    assert there.to_spark().count() == 20


def test_every_type_of_arrow_comes_back_from_the_cluster(engine, tmp_path):
    """Rows of folders are read and written by workers, each of which gives columns the type that they came in."""
    # Parquet has no intervals, and on its way to a worker Arrow forgets that keys of a map are sorted.
    names = [name for name in ALL_TYPES if name not in ("interval", "sorted map")]
    source = table_of_types({name: ALL_TYPES[name] for name in names})
    for suffix in (".feather", "/"):
        here, there = tmp_path / f"here{suffix}", tmp_path / f"there{suffix}"
        for path, each in ((here, None), (there, engine)):
            place = f"{path}/" if suffix == "/" else path
            released_types(source, each).write(place, certificate=tmp_path / "c.json", overwrite=True)
        if suffix == "/":
            kinds = [pq.read_schema(next(path.glob("*.parquet"))).types for path in (here, there)]
            assert kinds[0] == kinds[1]
        else:
            assert here.read_bytes() == there.read_bytes()


def test_categories_are_listed_alike_by_workers(engine, tmp_path):
    """The list of a column is known before a worker writes the first piece: that of all rows of the release."""
    texts = [["high", "low", "middle"][row * 7 % 3] for row in range(24)]
    rows = pa.array([["low", "middle", "never", "high"].index(text) for text in texts], pa.int8())
    levels = pa.DictionaryArray.from_arrays(rows, ["low", "middle", "never", "high"], ordered=True)
    table = pa.table({"age": range(24), "level": levels, "kind": pa.array(texts).dictionary_encode()})
    table = table.append_column("long", pa.array(texts, pa.large_string()))
    pq.write_table(table, tmp_path / "in.parquet", row_group_size=5)
    contents = []
    for held in (None, engine):
        read = shoal.read(tmp_path / "in.parquet", engine=held, quasi="age", plain=["level", "kind", "long"])
        release = shoal.anonymize(read, "hilbert", k=2)
        release.write(tmp_path / "out.feather", overwrite=True)
        release.write(f"{tmp_path}/out/", certificate=tmp_path / "folder.json", overwrite=True)
        contents.append((tmp_path / "out.feather").read_bytes())
        assert pq.read_table(tmp_path / "out").schema.types[1:] == table.schema.types[1:]
        for path in (tmp_path / "out").iterdir():
            lists = {tuple(piece.dictionary.to_pylist()) for piece in pq.read_table(path)["level"].chunks}
            assert lists == {("low", "middle", "high")}
        proof = shoal.verify(f"{tmp_path}/out/", tmp_path / "folder.json", engine=held)
        assert not any("beside the rows" in line for line in proof.not_proved)
        shutil.rmtree(tmp_path / "out")
    assert contents[0] == contents[1]


@pytest.mark.parametrize("ending", [".sav", ".dta"])
def test_labelled_files_go_through_the_cluster_as_they_do_here(engine, tmp_path, ending):
    """Labels, codes for what is missing, days and formats: the same release, byte for byte, proved by workers too."""
    from unit.test_labelled_releases import ASKED, written

    source, contents = written(tmp_path, ending), []
    for held in (None, engine):
        release = shoal.anonymize(shoal.read(source, engine=held, **ASKED), "mondrian", k=2)
        release.write(tmp_path / f"out{ending}", overwrite=True)
        contents.append((tmp_path / f"out{ending}").read_bytes())
        paper, record = tmp_path / "out.certificate.json", tmp_path / "out.private.json"
        proof = shoal.verify(tmp_path / f"out{ending}", paper, private=record, original=source, engine=held)
        assert proof.proved
        assert not proof.not_proved
    assert contents[0] == contents[1]


def test_workers_read_and_write_folders_of_parquet(engine, tmp_path):
    pq.write_table(pa.table(mixed()), tmp_path / "people.parquet", row_group_size=6)
    there = shoal.read(tmp_path / "people.parquet", engine=engine, **ROLES)
    local = shoal.read(tmp_path / "people.parquet", **ROLES)
    assert len(there.data.sizes) > 1
    assert there.origin == local.origin
    release = shoal.anonymize(there, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(3)])
    release.write(f"{tmp_path}/out/")
    files = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert files == [f"part-{number:05d}.parquet" for number in range(len(there.data.sizes))]
    expected = shoal.anonymize(local, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(3)])
    assert pq.read_table(tmp_path / "out").equals(expected.to_arrow())
    shoal.verify(f"{tmp_path}/out/", tmp_path / "out.certificate.json")


def test_data_frames_of_spark_come_and_go(engine):
    frame = engine.session.createDataFrame(
        [(None if i == 3 else i * 7 % 13, f"t{i % 3}", i / 4) for i in range(20)], "age int, town string, share double"
    ).repartition(1)
    table = shoal.read(frame, engine=engine, quasi=["age", "town"], sensitive="share")
    release = shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(4)])
    found = release.to_native()  # of the kind that was read
    assert found.count() == 20
    assert found.schema["share"].dataType.simpleString() == "double"
    assert found.schema["age"].dataType.simpleString() == "struct<lo:bigint,hi:bigint>"
    assert {tuple(row) for row in release.to_spark(cells="text").select("age", "town").collect()} == set(
        zip(*release.to_pandas()[["age", "town"]].to_dict("list").values(), strict=True)
    )


@pytest.mark.parametrize("method", ["hilbert", "coarsen"])
def test_rows_are_released_in_the_same_order_from_a_cluster(engine, method, tmp_path):
    """With cells that lie with their classes, and with cells that lie with their records; and back again."""
    there, local = release_of("spark", method).table, release_of("local", method).table
    (found, order), (expected, rows) = there.in_released_order(), local.in_released_order()
    assert found.to_arrow().equals(expected.to_arrow())
    assert [i for stretch in order() for i in stretch.tolist()] == [i for some in rows() for i in some.tolist()]
    assert found.rearranged(order).to_arrow().equals(local.to_arrow())
    assert found.in_released_order()[0].data is found.data
    names = found.to_arrow().column_names
    assert [row.asDict(recursive=True) for row in found.to_spark().collect()] == expected.to_arrow().to_pylist(), names


def test_people_are_counted_on_the_cluster_as_elsewhere(engine):
    rows = 24
    frame = pl.DataFrame(
        {
            "age": [i * 7 % 23 for i in range(rows)],
            "who": [f"p{i * i % 17}" for i in range(rows)],
            "charge": [i % 5 for i in range(rows)],
            "ill": [None if i == 9 else "abcd"[i // 3 % 4] for i in range(rows)],
        }
    )
    models = [
        shoal.models.KAnonymity(2),
        shoal.models.LDiversity(2, "ill"),
        shoal.models.TCloseness(0.5, "ill"),
    ]
    models.append(shoal.models.TCloseness(0.4, "charge", "ordered-records"))
    roles = {"quasi": "age", "sensitive": ["charge", "ill"], "subject": "who"}
    tables = [shoal.read(frame, engine=one, **roles) for one in (engine, Local())]
    there, here = (shoal.anonymize(each, shoal.methods.StratifiedClusters(), models, measures=[]) for each in tables)
    assert there.table.to_arrow(cells="text").equals(here.table.to_arrow(cells="text"))
    assert there.verdicts == here.verdicts
    risks = [shoal.risk(each, matching="signature", threshold=0.2) for each in tables]
    assert risks[0] == risks[1]


def test_a_run_survives_the_loss_of_an_executor(engine, tmp_path):
    class Dying(SparkPool):
        """Kills an executor in the midst of the third shuffle."""

        shuffles = 0

        def shuffle(self, work, parts, *handles, summarize=None):
            self.shuffles += 1
            work = killing(work, str(tmp_path / "killed")) if self.shuffles == 3 else work
            return super().shuffle(work, parts, *handles, summarize=summarize)

    dying = shoal.Spark(engine.session, rows_per_part=12)
    object.__setattr__(dying, "pool", Dying(engine.session))
    table = shoal.read(pl.DataFrame(mixed()), engine=dying, **ROLES)
    release = masked(table, "stratified-clusters")
    assert (tmp_path / "killed").exists()
    whole = release_of("local", "stratified-clusters")
    assert release.to_arrow(cells="text").equals(whole.to_arrow(cells="text"))


def test_a_session_that_runs_is_used(engine):
    assert shoal.Spark(master=MASTER, settings=SETTINGS).session is engine.session


def test_it_is_said_when_the_driver_has_to_read_a_text(engine, tmp_path, caplog):
    even = tmp_path / "even.csv"
    even.write_text("a,who\n" + "".join(f'{i % 7},"x\ny{i % 3}"\n' for i in range(60)), "utf-8")
    roles = {"quasi": ["a"], "plain": ["who"]}
    assert shoal.read(even, engine=engine, **roles).rows == 60
    assert not caplog.records
    odd = tmp_path / "odd.csv"
    odd.write_text('a,who\n1,5" wide\n' + "".join(f'{i % 7},"x\ny{i % 3}"\n' for i in range(60)), "utf-8")
    there, local = shoal.read(odd, engine=engine, **roles), shoal.read(odd, **roles)
    assert there.to_arrow().equals(local.to_arrow())
    (said,) = caplog.records
    assert "The driver read 'odd.csv' alone" in said.getMessage()
    assert "quotes" in said.getMessage()


def test_it_is_said_when_workers_do_not_see_a_text(engine, tmp_path, caplog, monkeypatch):
    (tmp_path / "in.csv").write_text("a\n1\n2\n", "utf-8")
    elsewhere = tmp_path / "elsewhere" / "in.csv"

    def asked(pool, sealed, head, parts):
        return stretches(pool, replace(sealed, path=elsewhere), head, parts)

    monkeypatch.setattr("shoal.engines.spark.text._byte_ranges", asked)
    assert shoal.read(tmp_path / "in.csv", engine=engine, quasi=["a"]).rows == 2
    assert [record.getMessage() for record in caplog.records] == [
        "The driver read 'in.csv' alone, which takes longer: a worker of the cluster does not see it under this path."
    ]


def test_a_release_on_the_cluster_goes_into_a_database_part_by_part(engine, tmp_path):
    local, there = release_of("local", "sorted-clusters"), release_of("spark", "sorted-clusters")
    sealed = [
        release.write(f"duckdb:///{tmp_path}/{name}.db?table=t", certificate=tmp_path / f"{name}.json")
        for name, release in (("local", local), ("there", there))
    ]
    assert sealed[0].content["output"]["sha256"] == sealed[1].content["output"]["sha256"]
    assert sealed[0].content["output"]["sha256_in_order"] == sealed[1].content["output"]["sha256_in_order"]
    place = f"duckdb:///{tmp_path}/there.db?table=t"
    shoal.verify(place, tmp_path / "there.json", engine=engine)
    again = [shoal.read(place, engine=each, quasi=["stage"], sensitive=["charge"]) for each in (Local(), engine)]
    assert len(again[1].data.sizes) > 1
    assert again[0].origin == again[1].origin
    assert again[0].to_arrow().equals(again[1].to_arrow())


def test_people_have_the_same_names_and_days_on_the_cluster(engine):
    import datetime

    from shoal.secret_keys import SecretKey

    days = [datetime.date(2009, 3, 14) + datetime.timedelta(i % 5) for i in range(24)]
    visits = pa.table(
        {"who": [f"p{i % 7}" for i in range(23)] + [None], "day": days, "age": [i % 3 for i in range(24)]}
    )
    identifier = {"who": "pseudonym:patient", "day": "shift:182"}
    found = [
        shoal.anonymize(
            shoal.read(visits, engine=each, quasi=["age"], identifier=identifier),
            [], no_promise=True, pseudonym_key=SecretKey(b"shoal specification key 0001"),
        )
        for each in (None, engine)
    ]  # fmt: skip
    assert found[1].to_arrow().equals(found[0].to_arrow())
    assert found[1].joined == found[0].joined


def test_the_risk_of_a_survey_is_the_same_on_a_cluster(engine):
    frame = pl.DataFrame(
        {
            "age": [i % 7 if i % 11 else None for i in range(24)],
            "town": ["xyz"[i * i % 3] for i in range(24)],
            "w": [5.5 + i % 4 for i in range(24)],
            "h": [i // 3 for i in range(24)],
        }
    )
    roles = {"quasi": ["age", "town"], "weight": "w", "household": "h", "kinds": {"age": "integer"}}
    found = []
    for held_by in ("local", engine):
        report = shoal.risk(
            shoal.read(frame, engine=held_by, **roles), suda=True, why=True, screen=True, threshold="trusted"
        )
        found.append((dict(report), list(report.reasons.listed())))
    assert found[0] == found[1]


def test_measures_with_survey_weights_are_the_same_on_a_cluster(engine):
    frame = pl.DataFrame(
        {
            "age": [i * 7 % 23 if i % 11 else None for i in range(40)],
            "town": ["xyz"[i * i % 3] for i in range(40)],
            "w": [0.5 + i % 4 for i in range(40)],
        }
    )
    roles = {"quasi": ["age", "town"], "weight": "w", "kinds": {"age": "integer"}}
    kinds = [kind for kind in entries("measures").values() if issubclass(kind, Weighable)]
    assert len(kinds) == 13
    found = []
    for held_by in ("local", engine):
        table = shoal.read(frame, engine=held_by, **roles)
        released = shoal.anonymize(table, k=3).table
        asked = [*(kind(weighted=True) for kind in kinds), EstimateShift(replacement=False)]
        found.append(shoal.score(table, released, measures=asked))
    assert found[0] == found[1]


def test_what_rests_on_other_tables_is_the_same_on_a_cluster(engine, tmp_path):
    """A population travels to the workers, and so do those who are not in a release and what an attacker knows."""
    people = pl.DataFrame(
        {
            "age": [i * 7 % 23 if i % 19 else None for i in range(40)],
            "town": ["xyz"[i * i % 3] for i in range(40)],
            "ill": ["abc"[i // 3 % 3] for i in range(40)],
        }
    )
    everybody = pl.concat([people, people.with_columns(pl.col("age") + 1), people])
    everybody.rename({"age": "AGE"}).write_csv(tmp_path / "everybody.csv")
    asked = {"quasi": ["age", "town"], "sensitive": "ill", "hierarchies": {"age": "bands 4,12"}}
    called, found = {"age": "AGE"}, []
    promise = shoal.models.ReidentificationRisk(0.2, average=0.1, population=tmp_path / "everybody.csv", called=called)
    for held_by in ("local", shoal.Spark(engine.session, rows_per_part=30)):
        table = shoal.read(people, engine=held_by, **asked)
        told = shoal.risk(table, population=tmp_path / "everybody.csv", population_columns=called, threshold=0.2)
        release = shoal.anonymize(table, "full-domain", [promise], measures=[])
        attacks = ["inference", "membership", "singling-out", "record-linkage"]
        attacked = shoal.attack(table, release, holdout=everybody.tail(70), attacks=attacks)
        successes = {name: each for name, each in attacked.items() if name != "memory"}  # which a cluster has elsewhere
        found.append((dict(told), release.to_arrow(cells="text").to_pylist(), release.verdicts, successes))
    assert found[0] == found[1]
    assert found[0][2][0].holds
    assert len(found[0][3]["attacks"]) > 5
