"""Nothing of people who are not in the table, and no remark about it, is in what is handed out."""

import pickle
import string

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engines.tiny import Tiny

import shoal
from shoal.engines.local import Local

CANARY = "CANARY-of-someone-else"
NUMBER = 0x5EC0DE5EC0DE  # a number whose bytes are found again
TOWNS = ["Ulm", "Bonn", "Ulm", "Bonn", "Jena", "Jena"]
ROLES = {"quasi": ["age"], "sensitive": ["town"], "plain": ["paid", "seen"]}
AGES = [31, 32, 33, 34, 35, 36]
PAID = [10, 20, None, 40, 50, 60]
SEEN = [1.5, None, 2.5, 3.5, 4.5, 5.5]
ROWS = (AGES, TOWNS, PAID, SEEN)


def hidden_arrow(towns):
    """Give a slice of a table with a canary in each place where a frame may keep what no row shows."""
    paid = pa.array(np.array([NUMBER, 10, 20, NUMBER, 40, 50, 60, NUMBER]), mask=np.arange(8) == 3)
    told = {CANARY.encode(): CANARY.encode()}
    fields = [pa.field("age", pa.int64(), metadata=told), pa.field("town", towns.type, metadata=told)]
    fields += [pa.field("paid", pa.int64(), metadata=told), pa.field("seen", pa.float64())]
    whole = pa.table(
        [pa.array([99, *AGES, 98]), towns, paid, pa.array([None, *SEEN, 0.0])], schema=pa.schema(fields, metadata=told)
    )
    return whole.slice(1, 6)


def dictionary(kind=None, *, ordered=False):
    values = pa.array([CANARY, "Jena", "Bonn", "Ulm"], kind or pa.string())
    codes = pa.array([0, 3, 2, 3, 2, 1, 1, 0], pa.int8())
    return pa.DictionaryArray.from_arrays(codes, values, ordered=ordered)


def texts(kind):
    return pa.array([CANARY, *TOWNS, CANARY], kind)


def pandas_frame():
    towns = pd.Categorical([CANARY, *TOWNS], categories=[CANARY, "Jena", "Ulm", "Bonn"], ordered=True)
    paid = pd.array([NUMBER, 10, 20, NUMBER, 40, 50, 60], "Int64")
    paid[3] = pd.NA
    frame = pd.DataFrame({"age": [99, *AGES], "town": towns, "paid": paid, "seen": [0.0, *SEEN]}, index=[CANARY] * 7)
    frame.attrs["note"] = CANARY
    return frame.iloc[1:]


def polars_frame(kind):
    towns = pl.Series([CANARY, *TOWNS], dtype=kind)
    frame = pl.DataFrame({"age": [99, *AGES], "town": towns, "paid": [NUMBER, *PAID], "seen": [0.0, *SEEN]})
    return frame.filter(pl.col("age") < 99)


def duckdb_frame():
    db = duckdb.connect()
    db.sql(f"create type towns as enum ('{CANARY}', 'Ulm', 'Bonn', 'Jena')")
    rows = ", ".join(f"({a}, '{t}', {p or 'null'}, {s or 'null'})" for a, t, p, s in zip(*ROWS, strict=True))
    return db.sql(f"select age, town::towns as town, paid, seen from (values {rows}) as t(age, town, paid, seen)")


FRAMES = {
    "dictionary": lambda: hidden_arrow(dictionary()),
    "ordered dictionary": lambda: hidden_arrow(dictionary(ordered=True)),
    "large dictionary": lambda: hidden_arrow(dictionary(pa.large_string())),
    "text": lambda: hidden_arrow(texts(pa.string())),
    "large text": lambda: hidden_arrow(texts(pa.large_string())),
    "views": lambda: hidden_arrow(texts(pa.string_view())),
    "pandas": pandas_frame,
    "Polars categorical": lambda: polars_frame(pl.Categorical),
    "Polars enum": lambda: polars_frame(pl.Enum([CANARY, "Ulm", "Bonn", "Jena"])),
    "Polars text": lambda: polars_frame(pl.String),
    "DuckDB enum": duckdb_frame,
}


def as_bytes(folder):
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def holds_nothing_of_others(content):
    plain = CANARY.encode()
    assert plain not in content
    assert plain.hex().encode() not in content
    assert NUMBER.to_bytes(8, "little") not in content
    assert str(NUMBER).encode() not in content


@pytest.mark.parametrize("engine", [Local, Tiny])
@pytest.mark.parametrize("make", FRAMES)
def test_nothing_of_others_is_in_any_output(tmp_path, make, engine):
    table = shoal.read(FRAMES[make](), engine=engine(), **ROLES)
    release = shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(3)])
    rows = [tuple(row.values()) for row in release.to_arrow().to_pylist()]
    assert sorted(map(str, (row[1:3] for row in rows))) == sorted(map(str, zip(TOWNS, PAID, strict=True)))
    for kind in ("arrow", "pandas", "polars"):
        holds_nothing_of_others(pickle.dumps(getattr(release, f"to_{kind}")()))
    holds_nothing_of_others(pickle.dumps(release.to_duckdb().to_arrow_table()))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, release.to_arrow().schema) as stream:
        stream.write_table(release.to_arrow())
    holds_nothing_of_others(sink.getvalue().to_pybytes())
    targets = [f"{tmp_path}/out{end}" for end in (".csv", ".csv.gz", ".parquet", ".feather", "/")]
    for number, target in enumerate([*targets, f"duckdb:///{tmp_path}/out.duckdb?table=people"]):
        release.write(target, certificate=tmp_path / f"{number}.json", overwrite=True)
    holds_nothing_of_others(as_bytes(tmp_path))
    for told in (pq.read_schema(tmp_path / "out.parquet"), pa.ipc.open_file(tmp_path / "out.feather").schema):
        assert told.metadata is None
        assert not any(field.metadata for field in told)


def test_a_parquet_file_with_more_categories_than_rows_show_hands_on_none(tmp_path):
    pq.write_table(hidden_arrow(dictionary()), tmp_path / "in.parquet")
    for number, engine in enumerate((Local, Tiny)):
        table = shoal.read(tmp_path / "in.parquet", engine=engine(), **ROLES)
        release = shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(3)])
        (tmp_path / str(number)).mkdir()
        release.write(tmp_path / str(number) / "out.parquet")
        holds_nothing_of_others(as_bytes(tmp_path / str(number)))
        holds_nothing_of_others(pickle.dumps(release.to_pandas()))


def test_an_order_among_categories_stays(tmp_path):
    table = shoal.read(pandas_frame(), **ROLES)
    towns = table.to_pandas()["town"]
    assert towns.cat.ordered
    assert list(towns.cat.categories) == ["Jena", "Ulm", "Bonn"]
    assert towns.tolist() == TOWNS


def test_categories_without_an_order_are_listed_by_their_texts():
    """The order of a list of distinct values tells in which order they first stood in the input, rows left out too."""
    letters = list(string.ascii_lowercase)
    column = pa.DictionaryArray.from_arrays(pa.array(range(26), pa.int8()), pa.array(letters[::-1]))
    table = shoal.read(pa.table({"a": list(range(26)), "s": column}), quasi=["a"], sensitive=["s"])
    assert table.to_arrow().column("s").chunk(0).dictionary.to_pylist() == letters
    assert table.to_arrow().column("s").type == column.type


LEVELS = ["low", "middle", "rare", "high"]


def lists_in(folder):
    """Give every list of categories that is in files of a release, group by group."""
    parquet = pq.ParquetFile(folder / "out.parquet")
    pieces = [parquet.read_row_group(group) for group in range(parquet.num_row_groups)]
    with pa.ipc.open_file(folder / "out.feather") as file:
        pieces += [pa.Table.from_batches([file.get_batch(number)]) for number in range(file.num_record_batches)]
    for piece in pieces:
        for name in ("level", "kind"):
            yield from ((name, chunk.dictionary.to_pylist()) for chunk in piece.column(name).chunks)
    with duckdb.connect(str(folder / "out.duckdb")) as db:
        enum = next(kind for name, kind, *_ in db.sql("describe out").fetchall() if name == "level")
        yield "level", [text.strip("'") for text in enum.removeprefix("ENUM(").removesuffix(")").split(", ")]


@pytest.mark.parametrize("seed", range(4))
def test_no_list_has_a_value_that_no_row_of_the_release_has(tmp_path, seed):
    """What one person had is gone where it was exchanged for something else: no list of categories remembers it."""
    rows = np.random.default_rng(seed).permutation(25)
    texts = [(["low", "middle", "high"] * 8 + ["rare"])[row] for row in rows]
    made = pd.Categorical(texts, LEVELS, ordered=True)
    frame = pd.DataFrame({"age": rows, "level": made, "kind": made.as_unordered()})
    contents = set()
    for engine in (Local(), Tiny()):
        table = shoal.read(frame, engine=engine, quasi=["age"], sensitive=["level", "kind"])
        method = shoal.methods.Pram(columns=["level", "kind"])
        release = shoal.anonymize(table, [method], no_promise=True, seed=seed, allow_identifiers=["age"])
        for number, target in enumerate(("out.parquet", "out.feather")):
            release.write(tmp_path / target, certificate=tmp_path / f"{number}.json", overwrite=True)
        store = f"duckdb:///{tmp_path}/out.duckdb?table=out&if_exists=replace"
        release.write(store, certificate=tmp_path / "2.json", overwrite=True)
        rows_of = release.to_arrow()
        shown = {name: set(rows_of[name].to_pylist()) for name in ("level", "kind")}
        found = list(lists_in(tmp_path))
        assert found
        for name, listed in [*found, *((name, release.to_pandas()[name].cat.categories) for name in shown)]:
            assert set(listed) == shown[name]
            assert name == "kind" or list(listed) == [each for each in LEVELS if each in shown[name]]
        assert list(release.to_polars()["level"].dtype.categories) == [e for e in LEVELS if e in shown["level"]]
        contents.add((tmp_path / "out.parquet").read_bytes() + (tmp_path / "out.feather").read_bytes())
    assert len(contents) == 1
