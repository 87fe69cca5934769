"""Categories that come with an order keep it: ranges are published of them, and frames come out with them."""

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engines.tiny import Tiny

import shoal
from shoal.engines.io import parquet_reader

ORDER = ["low", "middle", "never", "high"]  # neither by name nor by when they are met
LISTED = ["low", "middle", "high"]
BANDS = ["high", "low", "middle", "low", "high", "middle"]
ASKED = {"quasi": ["band", "n"], "sensitive": "carried"}


def pandas_frame(ordered=True):
    made = pd.Categorical(BANDS, ORDER, ordered=ordered)
    return pd.DataFrame({"band": made, "carried": made, "n": [3, 1, 2, 1, 3, 2]})


def polars_frame():
    return pl.DataFrame({name: pl.Series(BANDS, dtype=pl.Enum(ORDER)) for name in ("band", "carried")}).with_columns(
        n=pl.Series([3, 1, 2, 1, 3, 2])
    )


def relation():
    listed = ", ".join(f"'{text}'" for text in ORDER)
    rows = ", ".join(f"('{band}', {n})" for band, n in zip(BANDS, [3, 1, 2, 1, 3, 2], strict=True))
    return f"SELECT band::ENUM({listed}) AS band, band::ENUM({listed}) AS carried, n FROM (VALUES {rows}) v(band, n)"


def written(folder, write):
    write(folder / "in.parquet")
    return folder / "in.parquet"


def in_database(folder):
    with duckdb.connect(str(folder / "in.db")) as db:
        db.execute(f"CREATE TABLE people AS {relation()}")
    return f"duckdb:///{folder}/in.db?table=people"


MAKES = {
    "pandas": lambda folder: pandas_frame(),
    "polars": lambda folder: polars_frame(),
    "arrow": lambda folder: pa.Table.from_pandas(pandas_frame()),
    "parquet": lambda folder: written(folder, lambda path: pandas_frame().to_parquet(path, row_group_size=2)),
    "parquet of polars": lambda folder: written(folder, polars_frame().write_parquet),
    "duckdb": lambda folder: duckdb.sql(relation()),
    "database": in_database,
}


@pytest.mark.parametrize("engine", [lambda: None, Tiny], ids=["local", "parts"])
@pytest.mark.parametrize("make", MAKES)
def test_categories_keep_their_own_order(tmp_path, make, engine):
    table = shoal.read(MAKES[make](tmp_path), engine=engine(), **ASKED)
    for name in ("band", "carried"):
        axis = table.schema[name].axis
        assert (axis.kind, list(axis.values)) == ("ordered", LISTED)
        assert table.schema[name].reason == "categories with an order"
    release = shoal.anonymize(table, shoal.methods.Hilbert(), [shoal.models.KAnonymity(3)])
    assert set(release.to_pandas()["band"]) <= {"[low;middle]", "[middle;high]", "[low;high]"}
    out = release.to_arrow().schema.field("carried").type
    assert pa.types.is_dictionary(out)
    assert out.ordered
    assert release.to_pandas()["carried"].cat.categories.tolist() == LISTED
    for name in ("out.csv", "out.parquet"):
        release.write(tmp_path / name, overwrite=True)
        assert shoal.verify(tmp_path / name, tmp_path / "out.certificate.json").proved


def test_what_was_declared_wins():
    kinds = {"band": "category"}
    assert shoal.read(pandas_frame(), kinds=kinds, **ASKED).schema["band"].axis.kind == "category"
    assert list(shoal.read(pandas_frame(), kinds={"band": "ordered"}, **ASKED).schema["band"].axis.values) == LISTED
    orders = {"band": ["high", "middle", "low"]}
    assert list(shoal.read(pandas_frame(), orders=orders, **ASKED).schema["band"].axis.values) == orders["band"]


def test_categories_without_an_order_stay_categories(tmp_path):
    assert shoal.read(pandas_frame(ordered=False), **ASKED).schema["band"].axis.kind == "category"
    frame = polars_frame().with_columns(band=pl.Series(BANDS, dtype=pl.Categorical))
    assert shoal.read(frame, **ASKED).schema["band"].axis.kind == "category"


def test_an_order_that_is_not_sure_is_not_believed(tmp_path, monkeypatch):
    """A file whose pieces list other categories, or whose writer lists them as they come, tells no order."""
    kind = pa.dictionary(pa.int8(), pa.string(), ordered=True)
    pieces = [
        pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), some, ordered=True)
        for some in (["a", "b"], ["b", "a"])
    ]
    column = pa.chunked_array(pieces, kind)
    assert shoal.read(pa.table({"band": column}), quasi="band").schema["band"].axis.kind == "category"
    path = MAKES["parquet"](tmp_path)
    monkeypatch.setattr(parquet_reader, "_KEEPS_ORDER", ("someone else",))
    for engine in (None, Tiny()):
        assert shoal.read(path, engine=engine, **ASKED).schema["band"].axis.kind == "category"


def test_a_folder_of_pieces_with_the_same_categories_has_their_order(tmp_path):
    for number, some in enumerate((slice(0, 3), slice(3, 6))):
        pq.write_table(
            pa.Table.from_pandas(pandas_frame().iloc[some], preserve_index=False), tmp_path / f"{number}.parquet"
        )
    for engine in (None, Tiny()):
        assert list(shoal.read(tmp_path, engine=engine, **ASKED).schema["band"].axis.values) == LISTED
