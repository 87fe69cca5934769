"""Times with a zone: they come out as the clocks showed them, with their zone, wherever they come from and go."""

import datetime

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engines.tiny import Tiny

import shoal
from shoal.conditions import Condition
from shoal.domains.zones import Zone, zone_in

TOKYO = datetime.timezone(datetime.timedelta(hours=9))
FIRST = "2024-01-01 00:00:00+09:00"


def frame(zone="Asia/Tokyo", start="2024-01-01", step="8h"):
    times = pd.date_range(start, periods=8, freq=step, tz=zone)
    return pd.DataFrame({"seen": times, "left": times, "noted": times, "n": range(8)})


def parquet(folder, zone="Asia/Tokyo"):
    pq.write_table(pa.Table.from_pandas(frame(zone)), folder / "in.parquet")
    return folder / "in.parquet"


MAKES = {
    "pandas": lambda folder: frame(),
    "polars": lambda folder: pl.from_pandas(frame()),
    "parquet": parquet,
    "text": lambda folder: [frame().to_csv(folder / "in.csv", index=False), folder / "in.csv"][1],
}
ASKED = {"quasi": "seen", "sensitive": "left", "plain": "noted"}


@pytest.mark.parametrize("make", MAKES)
@pytest.mark.parametrize("engine", [lambda: None, Tiny], ids=["local", "parts"])
def test_times_come_out_as_the_clocks_showed_them(tmp_path, make, engine):
    """Midnight in Tokyo must not become an afternoon without a zone."""
    table = shoal.read(MAKES[make](tmp_path), engine=engine(), **ASKED)
    release = shoal.anonymize(table, shoal.methods.Hilbert(), [shoal.models.KAnonymity(2)])
    out = release.to_arrow()
    zone = "+09:00" if make == "text" else "Asia/Tokyo"
    ends = pa.struct([(end, pa.timestamp("us", zone)) for end in ("lo", "hi")])
    assert out.schema.field("seen").type == ends
    assert out["seen"][0].as_py()["lo"] == datetime.datetime(2024, 1, 1, tzinfo=TOKYO)
    for name in ("left", "noted"):
        assert pa.types.is_timestamp(out.schema.field(name).type)
        assert out.schema.field(name).type.tz == zone
        assert out[name][0].as_py() == datetime.datetime(2024, 1, 1, tzinfo=TOKYO)
    for name in ("out.csv", "out.parquet"):
        release.write(tmp_path / name, overwrite=True)
        asked = {"private": tmp_path / "out.private.json"}
        assert shoal.verify(tmp_path / name, tmp_path / "out.certificate.json", **asked).proved
    row = (tmp_path / "out.csv").read_text().splitlines()[1]
    assert row == f"[{FIRST};2024-01-01 08:00:00+09:00],{FIRST},{FIRST}"


@pytest.mark.parametrize("publish", ["range", "mean"])
def test_a_change_of_clocks_is_kept_in_text(tmp_path, publish):
    table = shoal.read(frame("Europe/Berlin", "2024-10-26 21:00"), quasi="seen", sensitive="left")
    shoal.anonymize(table, shoal.methods.MDAV(publish=publish), [shoal.models.KAnonymity(2)]).write(
        tmp_path / "out.csv"
    )
    texts = (tmp_path / "out.csv").read_text()
    assert "+02:00" in texts
    assert "+01:00" in texts
    assert shoal.verify(tmp_path / "out.csv", tmp_path / "out.certificate.json").proved


def test_a_time_told_with_another_offset_is_not_the_release(tmp_path):
    """Two texts for one moment would tell apart what is said to be equal."""
    release = shoal.anonymize(shoal.read(frame(), quasi="seen"), shoal.methods.Hilbert(), [shoal.models.KAnonymity(8)])
    release.write(tmp_path / "out.csv")
    (tmp_path / "out.csv").write_text((tmp_path / "out.csv").read_text().replace(FIRST, "2023-12-31 15:00:00+00:00", 1))
    found = shoal.read(tmp_path / "out.csv", quasi="seen")
    assert found.to_arrow(cells="text")["seen"].to_pylist()[0] == found.to_arrow(cells="text")["seen"].to_pylist()[1]
    with pytest.raises(shoal.errors.CertificateError):
        shoal.verify(tmp_path / "out.csv", tmp_path / "out.certificate.json")


def test_times_with_and_without_a_zone_are_not_compared(tmp_path):
    zoned = shoal.read(frame(), quasi="seen", sensitive="left")
    bare = shoal.read(frame(None), quasi="seen", sensitive="left")
    with pytest.raises(shoal.errors.SchemaError, match="zone"):
        shoal.score(zoned, bare, measures=[shoal.measures.InformationLoss()])
    for table, moment in ((zoned, "2024-01-01 00:00"), (bare, FIRST)):
        axis = table.schema["left"].axis
        with pytest.raises(shoal.errors.ParameterError, match="zone"):
            Condition.parse(f"left > {moment}").parts[0].holds(axis, np.arange(3, dtype=np.int32))


def test_text_with_and_without_zones_in_one_column_is_refused(tmp_path):
    (tmp_path / "in.csv").write_text(f"a\n{FIRST}\n2024-01-01 00:00:00\n")
    with pytest.raises(shoal.errors.DataError, match="line 2"):
        shoal.read(tmp_path / "in.csv", quasi="a")
    assert shoal.read(tmp_path / "in.csv", quasi="a", kinds={"a": "category"}).schema["a"].axis.kind == "category"


def test_a_database_keeps_the_moment_and_its_zone(tmp_path):
    with duckdb.connect(str(tmp_path / "in.db")) as db:
        db.register("made", pa.Table.from_pandas(frame()))
        db.execute("CREATE TABLE people AS SELECT * FROM made")
    table = shoal.read(f"duckdb:///{tmp_path}/in.db?table=people", **ASKED)
    release = shoal.anonymize(table, shoal.methods.Hilbert(), [shoal.models.KAnonymity(2)])
    target = f"duckdb:///{tmp_path}/out.db?table=shown"
    release.write(target, certificate=tmp_path / "c.json")
    assert shoal.verify(target, tmp_path / "c.json").proved
    with duckdb.connect(str(tmp_path / "out.db")) as db:
        kinds = dict(db.execute("SELECT column_name, data_type FROM information_schema.columns").fetchall())
    assert kinds == {"seen": "VARCHAR", "left": "TIMESTAMP WITH TIME ZONE", "noted": "TIMESTAMP WITH TIME ZONE"}


def test_what_a_zone_is_called_and_shows():
    texts = ["1900-01-01 00:00:00+00:19:32", "2024-07-01 00:00:00+02:00", "2024-08-01 00:00:00+02:00"]
    moments = [int(datetime.datetime.fromisoformat(text).timestamp() * 1e6) for text in texts]
    zone = zone_in(texts, pa.array(moments).to_numpy())
    assert isinstance(zone, Zone)
    assert [zone.shown(moment).isoformat(sep=" ") for moment in moments] == texts
    assert (zone.typed, len(zone.starts)) == ("UTC", 2)
    assert zone_in(texts[1:], pa.array(moments[1:]).to_numpy()).typed == "+02:00"
    assert zone_in(["2024-07-01 00:00"], pa.array([0]).to_numpy()) is None
