"""Columns of categories keep their type in files that have one, with those categories that rows hold and no others."""

import datetime as dt
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engines.tiny import Tiny
from pyarrow import feather

import shoal
from shoal.engines.io.digests import of_file
from shoal.engines.io.file_writer import writers_of
from shoal.engines.io.hidden_contents import hidden_content
from shoal.engines.io.parquet_contents import strange_categories, strange_contents
from shoal.engines.sources import Source

ROWS = 24
GONE = "nobody has this"


def categories(values, index, kind=None, *, ordered=False):
    """Give rows of three values and none; the list has one more, behind which nobody is."""
    listed = pa.array(values) if kind is None else pa.array(values).cast(kind)
    codes = pa.array([[2, 0, 1, None][row % 4] for row in range(ROWS)], index)
    return pa.DictionaryArray.from_arrays(codes, listed, ordered=ordered)


TEXTS = ["small", "medium", "large", GONE]  # neither sorted nor in the order of rows
COLUMNS = {
    "text": categories(TEXTS, pa.int8()),
    "ordered": categories(TEXTS, pa.int8(), ordered=True),
    "unsigned": categories(TEXTS, pa.uint16(), ordered=True),
    "large": categories(TEXTS, pa.int32(), pa.large_string()),
    "large ordered": categories(TEXTS, pa.int64(), pa.large_string(), ordered=True),
    "numbers": categories([30, 10, 20, 5], pa.int8()),
    "ordered numbers": categories([30, 10, 20, 5], pa.int16(), ordered=True),
    "floats": categories([0.0, -0.0, 1.5, 9.5], pa.int8(), ordered=True),
    "days": categories([dt.date(2020, 1, day) for day in (3, 1, 2, 4)], pa.int8(), ordered=True),
    "moments": categories([dt.datetime(2020, 1, d) for d in (3, 1, 2, 4)], pa.int8(), pa.timestamp("ns", "Asia/Tokyo")),
    "decimals": categories([decimal.Decimal(n) for n in ("2.50", "1.00", "0.10", "9.00")], pa.int8(), ordered=True),
    "null among them": categories(["small", None, "large", GONE], pa.int8(), ordered=True),
    "none": pa.DictionaryArray.from_arrays(pa.nulls(ROWS, pa.int8()), pa.array([GONE]), ordered=True),
}
AGES = pa.array([20 + row * 7 % 40 for row in range(ROWS)])


def release_of(table, engine=None):
    names = list(table.columns if isinstance(table, pd.DataFrame) else table.column_names)[1:]
    read = shoal.read(table, engine=engine, quasi="age", plain=names)
    return shoal.anonymize(read, "hilbert", k=2, allow_identifiers=names)


def in_file(path):
    """Give the rows of a file, the list of each column of categories, and what is said of them."""
    if path.suffix == ".feather":
        with pa.ipc.open_file(path) as file:
            batches = [file.get_batch(number) for number in range(file.num_record_batches)]
            return pa.Table.from_batches(batches)
    return pq.read_table(path)


@pytest.mark.parametrize("suffix", [".feather", ".parquet"])
def test_categories_come_back_as_they_were(tmp_path, suffix):
    table = pa.table({"age": AGES, **COLUMNS})
    contents = []
    for engine in (None, Tiny()):
        path = tmp_path / f"{len(contents)}{suffix}"
        release = release_of(table, engine)
        release.write(path)
        contents.append(path.read_bytes())
        out = in_file(path)
        for name, came in COLUMNS.items():
            kind = came.type
            if suffix == ".parquet":  # which has lists of texts alone, and one kind of texts in them
                texts = pa.types.is_string(kind.value_type) or pa.types.is_large_string(kind.value_type)
                kind = pa.dictionary(kind.index_type, pa.string(), kind.ordered) if texts else kind.value_type
            assert out.schema.field(name).type == kind, name
            assert release.to_arrow().schema.field(name).type == came.type, name
            assert sorted(map(str, out[name].to_pylist())) == sorted(map(str, came.to_pylist())), name
            if not pa.types.is_dictionary(kind):
                continue
            held = [value for value in came.dictionary.to_pylist() if value in came.to_pylist() and value is not None]
            for piece in out[name].chunks:
                listed = piece.dictionary.to_pylist()
                assert listed == held if kind.ordered else sorted(map(str, listed)) == sorted(map(str, held)), name
        assert GONE.encode() not in path.read_bytes()
        proof = shoal.verify(path, tmp_path / f"{len(contents) - 1}.certificate.json", engine=engine)
        assert any("released order" in line for line in proof.proved)
        assert not any("beside the rows" in line for line in proof.not_proved)
    assert contents[0] == contents[1]


@pytest.mark.parametrize("suffix", [".feather", ".parquet"])
def test_frames_and_files_come_back_with_the_order_for_everybody(tmp_path, suffix):
    made = pd.Categorical([["large", "small", "medium"][row % 3] for row in range(ROWS)], TEXTS, ordered=True)
    release = release_of(pd.DataFrame({"age": AGES.to_pylist(), "size": made, "kind": made.as_unordered()}))
    release.write(tmp_path / f"out{suffix}")
    held = ["small", "medium", "large"]
    found = {
        "pandas": pd.read_parquet if suffix == ".parquet" else pd.read_feather,
        "polars": pl.read_parquet if suffix == ".parquet" else pl.read_ipc,
    }
    frame = found["pandas"](tmp_path / f"out{suffix}")
    for each in (frame, release.to_pandas()):
        assert (each["size"].cat.ordered, list(each["size"].cat.categories)) == (True, held)
        assert (each["kind"].cat.ordered, set(each["kind"].cat.categories)) == (False, set(held))
    for each in (found["polars"](tmp_path / f"out{suffix}"), release.to_polars()):
        assert isinstance(each["kind"].dtype, pl.Categorical)
    assert release.to_polars()["size"].dtype == pl.Enum(held)
    again = shoal.read(tmp_path / f"out{suffix}", quasi="age", plain=["size", "kind"])
    assert list(again.schema["size"].axis.values) == held


def test_a_quasi_identifier_of_single_categories_keeps_their_order(tmp_path):
    """Where cells are several categories, they are text; a column that stays one of single categories is listed."""
    sizes = [["large", "small", "medium"][row % 3] for row in range(ROWS)]
    path = tmp_path / "in.csv"
    path.write_text("size,ill\n" + "".join(f"{size},{row % 5}\n" for row, size in enumerate(sizes)))
    contents = []
    for engine in (None, Tiny()):
        table = shoal.read(path, engine=engine, quasi="size", sensitive="ill", orders={"size": TEXTS})
        release = shoal.anonymize(table, [], no_promise=True)
        release.write(tmp_path / "out.parquet", overwrite=True)
        contents.append((tmp_path / "out.parquet").read_bytes())
        size = pq.read_table(tmp_path / "out.parquet")["size"]
        assert size.type == pa.dictionary(pa.int32(), pa.string(), ordered=True)
        assert size.chunk(0).dictionary.to_pylist() == TEXTS[:3]
        assert list(release.to_pandas()["size"].cat.categories) == TEXTS[:3]
        assert shoal.verify(tmp_path / "out.parquet", tmp_path / "out.certificate.json", engine=engine).proved
    assert contents[0] == contents[1]


def as_text(table, name):
    return sorted(map(str, table[name].to_pylist()))


@pytest.mark.parametrize("suffix", [".feather", ".parquet"])
def test_texts_and_bytes_come_back_as_they_were(tmp_path, suffix):
    """Views stay views; and single categories of a quasi-identifier are categories again."""
    texts = [["small", "a text that is no short one", None, ""][row % 4] for row in range(ROWS)]
    some = [None if text is None else text.encode() for text in texts]
    columns = {
        "seen": (
            pa.array([["m", "a long text of a view"][row % 2] for row in range(ROWS)], pa.string_view()),
            pa.string_view(),
        ),
        "sex": (pa.array([["m", "f"][row % 2] for row in range(ROWS)], pa.large_string()), pa.large_string()),
        "size": (categories(TEXTS, pa.int8()), pa.dictionary(pa.int8(), pa.string())),
        "long": (pa.array(texts, pa.large_string()), pa.large_string()),
        "plain": (pa.array(texts), pa.string()),
        "view": (pa.array(texts, pa.string_view()), pa.string_view()),
        "ill": (pa.array(texts, pa.large_string()), pa.large_string()),
        "long bytes": (pa.array(some, pa.large_binary()), pa.large_binary()),
        "viewed bytes": (pa.array(some, pa.binary_view()), pa.binary_view()),
    }
    table = pa.table({"age": AGES} | {name: column for name, (column, _) in columns.items()})
    contents = []
    for engine in (None, Tiny()):
        read = shoal.read(
            table, engine=engine, quasi=["seen", "sex", "size"], sensitive="ill",
            plain=["age", *(name for name in columns if name not in ("seen", "sex", "size", "ill"))],
        )  # fmt: skip
        release = shoal.anonymize(read, [], no_promise=True)
        path = tmp_path / f"{len(contents)}{suffix}"
        release.write(path)
        contents.append(path.read_bytes())
        out = in_file(path)
        for name, (came, kind) in columns.items():
            assert out.schema.field(name).type == kind, name
            assert release.to_arrow().schema.field(name).type == kind, name
            assert as_text(out, name) == sorted(
                "None" if each in (None, "") else str(each) for each in came.to_pylist()
            )
        proof = shoal.verify(path, tmp_path / f"{len(contents) - 1}.certificate.json", engine=engine)
        assert not any("beside the rows" in line for line in proof.not_proved)
    assert contents[0] == contents[1]


def test_generalized_categories_are_text(tmp_path):
    names = pa.array([f"name {row}" for row in range(ROWS)]).dictionary_encode()
    release = shoal.anonymize(pa.table({"name": names, "age": AGES}), "mondrian", k=5, quasi=["name", "age"])
    assert release.to_arrow().schema.field("name").type == pa.string()


def test_bytes_of_polars_are_passed_on(tmp_path):
    frame = pl.DataFrame(
        {"age": AGES.to_pylist(), "raw": [b"a", None] * (ROWS // 2), "lists": [[b"a"], []] * (ROWS // 2)}
    )
    out = shoal.anonymize(frame, "hilbert", k=2, quasi="age", plain=["raw", "lists"]).to_polars()
    assert out.schema["raw"] == pl.Binary
    assert sorted(out["raw"].to_list(), key=str) == sorted(frame["raw"].to_list(), key=str)
    assert sorted(out["lists"].to_list()) == sorted(frame["lists"].to_list())


def test_pieces_of_an_input_may_list_some_of_the_categories(tmp_path):
    """The order is that of the list that has all; each piece may lack some, also the first."""
    kind = pa.dictionary(pa.int8(), pa.string(), ordered=True)
    lists = [["small", "large"], ["small", "medium", "large"], ["medium"]]
    pieces = [
        pa.DictionaryArray.from_arrays(pa.array([row % len(each) for row in range(8)], pa.int8()), each, ordered=True)
        for each in lists
    ]
    table = pa.table({"age": AGES, "size": pa.chunked_array(pieces, kind)})
    with pa.ipc.new_stream(tmp_path / "in.arrows", table.schema) as stream:
        stream.write_table(table)
    contents = set()
    for given, engine in ((table, None), (tmp_path / "in.arrows", None), (tmp_path / "in.arrows", Tiny())):
        read = shoal.read(given, engine=engine, quasi="age", plain="size")
        assert list(read.schema["size"].axis.values) == ["small", "medium", "large"]
        release = shoal.anonymize(read, "hilbert", k=2)
        release.write(tmp_path / "out.feather", overwrite=True)
        contents.add((tmp_path / "out.feather").read_bytes())
        assert in_file(tmp_path / "out.feather")["size"].chunk(0).dictionary.to_pylist() == ["small", "medium", "large"]
    assert len(contents) == 1


def written(path, lists, rows=((0, 1, 0),)):
    """Write groups of rows as categories of some lists."""
    kind = pa.dictionary(pa.int8(), pa.string(), ordered=True)
    columns = [
        pa.DictionaryArray.from_arrays(pa.array(some, pa.int8()), each, ordered=True)
        for each, some in zip(lists, rows, strict=True)
    ]
    tables = [pa.table({"size": pa.chunked_array([column], kind)}) for column in columns]
    if path.suffix == ".parquet":
        with pq.ParquetWriter(path, tables[0].schema) as writer:
            for table in tables:
                writer.write_table(table)
    else:
        feather.write_feather(tables[0], path, compression="lz4")
    return path


@pytest.mark.parametrize("suffix", [".feather", ".parquet"])
def test_a_category_that_no_row_has_is_found(tmp_path, suffix):
    def strange(path):
        here = Source.parse(path)
        return hidden_content(here, ["size"], of_file(path), writers_of(here))

    assert strange(written(tmp_path / f"whole{suffix}", [["b", "a"]])) is None
    assert strange(written(tmp_path / f"more{suffix}", [["b", "a", GONE]]))


def test_groups_and_files_have_the_same_list_of_ordered_categories(tmp_path):
    """A file of a folder need not hold all categories, but the folder must; and all list them alike."""
    listed = ["b", "a", "c"]
    parts = [
        written(tmp_path / f"{i}.parquet", [listed, listed], rows) for i, rows in enumerate([([0], [1]), ([2], [None])])
    ]
    assert strange_categories(parts) is None
    assert strange_contents(parts[0], ["size"]) is None
    assert "no row has" in strange_categories(parts[:1])
    other = written(tmp_path / "other.parquet", [listed, listed[::-1]], [(0, 1, 2), (0, 1, 2)])
    assert "other categories" in strange_categories([other])


def test_many_categories_in_many_groups_of_rows(tmp_path):
    """A list for all rows of Arrow, one for each group of rows of Parquet, and what is long is still one."""
    rows = 70_000
    texts = pa.array([f"{row * 7919 % rows:06} of a long list of categories" for row in range(rows)])
    column = texts.dictionary_encode()
    ordered = pa.DictionaryArray.from_arrays(pa.array(np.arange(rows) % 20_000), texts.slice(0, 20_000), ordered=True)
    table = pa.table({"age": np.arange(rows) % 90, "many": column, "ordered": ordered})
    release = release_of(table)
    for suffix in (".feather", ".parquet"):
        release.write(tmp_path / f"out{suffix}", overwrite=True)
        out = in_file(tmp_path / f"out{suffix}")
        assert out.schema.types[1:] == table.schema.types[1:]
        assert {tuple(piece.dictionary.to_pylist()) for piece in out["ordered"].chunks} == {
            tuple(texts.slice(0, 20_000).to_pylist())
        }
        assert sorted(out["many"].to_pylist()) == sorted(texts.to_pylist())
        here = Source.parse(tmp_path / f"out{suffix}")
        assert hidden_content(here, out.column_names, of_file(here.path), writers_of(here), out.column_names) is None
