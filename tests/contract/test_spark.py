"""The whole catalogue on a cluster of several processes, beside the local engine."""

from functools import cache

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from clusters import MASTER, SETTINGS, cluster, killing
from contract.test_catalogue import ASKED, KINDS, LEVELS, MEASURES, METHODS, MODELS, ORDER, WAYS, mixed, models_for
from property.independent import columns_of, covers

import shoal
from shoal.catalogue import build
from shoal.engines.spark.pool import SparkPool

ROLES = {"quasi": list(KINDS), "sensitive": ["charge", "ill"], "orders": {"stage": ORDER}}
# What is the same, cell for cell, wherever it is done.
IDENTICAL = ("sorted-clusters", "stratified-clusters", "coarsen", "mask-uniques")


@pytest.fixture(scope="module")
def engine():
    return cluster()


@cache
def tables():
    """Give the same table on one machine and on the cluster, where it is cut into two parts."""
    frame = pl.DataFrame(mixed())
    return shoal.read(frame, **ROLES), shoal.read(frame, engine=cluster(), **ROLES)


@cache
def releases(name):
    """Give the release of a method on one machine and on the cluster."""
    method = build("methods", {"name": name} | WAYS.get(name, {}))
    return tuple(shoal.anonymize(table, method, models_for(method)) for table in tables())


def alike(found, expected):
    """Compare scores: sums of fractions depend on their order in the last digit."""
    assert [score.measure for score in found] == [score.measure for score in expected]
    for one, other in zip(found, expected, strict=True):
        assert (one.value, one.lower, one.upper) == pytest.approx((other.value, other.lower, other.upper), rel=1e-12)


def test_the_cluster_has_several_processes(engine):
    import os

    # Tasks behind one barrier run at the same time, and a worker has one core: each must be on a worker of its own.
    tasks = engine.session.sparkContext.parallelize(range(2), 2).barrier()
    found = tasks.mapPartitions(lambda _: [os.getppid()]).collect()
    assert len(set(found)) == 2
    assert os.getpid() not in found


def test_a_table_on_the_cluster_is_the_same_table(engine):
    local, there = tables()
    assert len(there.data.sizes) == 2
    assert there.to("arrow").equals(local.to("arrow"))
    assert repr(there) == repr(local)


@pytest.mark.parametrize("name", METHODS)
def test_what_a_method_enforces_holds_on_the_cluster(engine, name):
    local, there = releases(name)
    assert there.holds
    assert [verdict.model for verdict in there.verdicts] == [verdict.model for verdict in local.verdicts]
    assert there.steps[0].split(",")[0] == local.steps[0].split(",")[0]


@pytest.mark.parametrize("name", METHODS)
def test_the_result_of_a_method_covers_every_record_in_its_place(engine, name, tmp_path):
    _, there = releases(name)
    there.write(tmp_path / "out.csv")
    released, original = columns_of(tmp_path / "out.csv"), mixed()
    for column, kind in KINDS.items():
        for text, value in zip(released[column], original[column], strict=True):
            assert covers(text, value, kind, ORDER), (column, text)
    assert released["charge"] == [str(value) for value in original["charge"]]
    assert released["ill"] == original["ill"]
    shoal.verify(tmp_path / "out.csv", tmp_path / "out.certificate.json")


@pytest.mark.parametrize("name", IDENTICAL)
def test_what_can_be_identical_is(engine, name, tmp_path):
    local, there = releases(name)
    assert there.frame("arrow", cells="text").equals(local.frame("arrow", cells="text"))
    assert there.verdicts == local.verdicts
    alike(there.scores, local.scores)
    for release, path in ((local, tmp_path / "local.csv"), (there, tmp_path / "spark.csv")):
        release.write(path)
    assert (tmp_path / "local.csv").read_bytes() == (tmp_path / "spark.csv").read_bytes()


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_is_the_same_on_the_same_release(engine, name):
    measure = build("measures", {"name": name} | ASKED.get(name, {}))
    local, there = releases("sorted-clusters")
    alike(shoal.score(there.table, [measure], tables()[1]), shoal.score(local.table, [measure], tables()[0]))


@pytest.mark.parametrize("name", MODELS)
def test_every_model_is_checked_alike(engine, name):
    model = build("models", {"name": name} | LEVELS[name])
    for local, there in (tables(), [release.table for release in releases("stratified-clusters")]):
        assert shoal.check(there, [model]) == shoal.check(local, [model])


def test_workers_read_and_write_folders_of_parquet(engine, tmp_path):
    pq.write_table(pa.table(mixed()), tmp_path / "people.parquet", row_group_size=6)
    there = shoal.read(tmp_path / "people.parquet", engine=engine, **ROLES)
    local = shoal.read(tmp_path / "people.parquet", **ROLES)
    assert len(there.data.sizes) > 1
    assert there.origin == local.origin
    release = shoal.anonymize(there, shoal.SortedClusters(), [shoal.KAnonymity(3)])
    release.write(f"{tmp_path}/out/")
    files = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert files == [f"part-{number:05d}.parquet" for number in range(len(there.data.sizes))]
    expected = shoal.anonymize(local, shoal.SortedClusters(), [shoal.KAnonymity(3)])
    assert pq.read_table(tmp_path / "out").equals(expected.frame("arrow"))
    shoal.verify(f"{tmp_path}/out/", tmp_path / "out.certificate.json")


def test_data_frames_of_spark_come_and_go(engine):
    frame = engine.session.createDataFrame(
        [(None if i == 3 else i * 7 % 13, f"t{i % 3}", i / 4) for i in range(20)], "age int, town string, share double"
    ).repartition(1)
    table = shoal.read(frame, engine=engine, quasi=["age", "town"], sensitive="share")
    release = shoal.anonymize(table, shoal.SortedClusters(), [shoal.KAnonymity(4)])
    found = release.frame("spark")
    assert found.count() == 20
    assert found.schema["share"].dataType.simpleString() == "double"
    assert found.schema["age"].dataType.simpleString() == "struct<lo:bigint,hi:bigint>"
    assert {tuple(row) for row in release.frame("spark", cells="text").select("age", "town").collect()} == set(
        zip(*release.frame("pandas")[["age", "town"]].to_dict("list").values(), strict=True)
    )


def test_a_run_survives_the_loss_of_an_executor(engine, tmp_path):
    class Dying(SparkPool):
        """Kills an executor in the midst of the third exchange."""

        exchanges = 0

        def exchange(self, work, parts, *handles):
            self.exchanges += 1
            work = killing(work, str(tmp_path / "killed")) if self.exchanges == 3 else work
            return super().exchange(work, parts, *handles)

    dying = shoal.Spark(engine.session, rows_per_part=12)
    object.__setattr__(dying, "pool", Dying(engine.session))
    table = shoal.read(pl.DataFrame(mixed()), engine=dying, **ROLES)
    method = build("methods", {"name": "stratified-clusters"})
    release = shoal.anonymize(table, method, models_for(method))
    assert (tmp_path / "killed").exists()
    assert release.frame("arrow", cells="text").equals(releases("stratified-clusters")[0].frame("arrow", cells="text"))


def test_a_session_that_runs_is_used(engine):
    assert shoal.Spark(master=MASTER, settings=SETTINGS).session is engine.session
