"""What a column that is released as it is was, it is again, in every form: the same values in the same type.

A form that has no such type holds the same values in another, or refuses them by the name of the column.
"""

import datetime as dt
import decimal
import math
import os
import subprocess
import sys
import uuid
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from engines.tiny import Tiny
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import DataError

WHOLE = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
TEXTS = ["a", "a text that is too long to lie in a view", None]
BYTES = [b"\0\xff", b"more bytes than a view of them has room for", None]
ZONES = [None, "Europe/Berlin", "+02:00"]
ROWS = 12


def typed(values, kind):
    return pa.array(values, kind)


def listed(values, index="int8", *, ordered=False):
    return pa.DictionaryArray.from_arrays(typed([1, 0, None], getattr(pa, index)()), values, ordered=ordered)


def storage(kind, values):
    return pa.ExtensionArray.from_storage(kind, typed(values, kind.storage_type))


class Unheard(pa.ExtensionType):
    """A type of which nobody but its maker knows anything."""

    def __init__(self):
        super().__init__(pa.int16(), "shoal.unheard")

    def __arrow_ext_serialize__(self):
        return b"of whom this is"

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type, serialized):
        return cls()


DECIMALS = [decimal.Decimal("100.00"), decimal.Decimal("-2.00"), None]
LONG = [decimal.Decimal(10**30 + 1), decimal.Decimal(1), None]
PLAIN = (
    {
        f"{name} ends": typed([limit.max, limit.min, None], getattr(pa, name)())
        for name in WHOLE
        for limit in [np.iinfo(name)]
    }
    | {
        "half": typed(np.array([0.5, -2, 3], np.float16), pa.float16()),
        "float": typed([0.1, -0.0, None], pa.float32()),
        "double": typed([0.1, 5e-324, None], pa.float64()),
        "odd floats": typed([math.inf, -math.inf, None], pa.float64()),
        "decimal128": typed(DECIMALS, pa.decimal128(20, 2)),
        "decimal256": typed(DECIMALS, pa.decimal256(50, 2)),
        "long decimal": typed(LONG, pa.decimal128(38, 0)),
        "bool": typed([True, False, None], pa.bool_()),
    }
    | {
        "date32": typed([dt.date(2020, 1, 1), dt.date(1850, 2, 3), None], pa.date32()),
        "date64": typed([dt.date(2020, 1, 1), dt.date(1999, 2, 3), None], pa.date64()),
    }
    | {f"time {unit}": typed([1, 2000, None], pa.time32(unit)) for unit in ("s", "ms")}
    | {f"time {unit}": typed([1, 2000, None], pa.time64(unit)) for unit in ("us", "ns")}
    | {
        f"moment {unit} {zone}": typed([1, 1_600_000_000, None], pa.timestamp(unit, zone))
        for unit in ("s", "ms", "us", "ns")
        for zone in ZONES
    }
    | {f"duration {unit}": typed([1, -2000, None], pa.duration(unit)) for unit in ("s", "ms", "us", "ns")}
    | {"interval": typed([(1, 2, 3), (0, 0, 0), None], pa.month_day_nano_interval())}
    | {
        "text": typed(TEXTS, pa.string()),
        "large text": typed(TEXTS, pa.large_string()),
        "bytes": typed(BYTES, pa.binary()),
        "large bytes": typed(BYTES, pa.large_binary()),
        "fixed bytes": typed([b"ab", b"cd", None], pa.binary(2)),
    }
    | {
        "list": typed([[1, None], [], None], pa.list_(pa.int64())),
        "large list": typed([[1], [], None], pa.large_list(pa.int8())),
        "fixed list": typed([[1, 2], [3, 4], None], pa.list_(pa.int8(), 2)),
        "list of all": typed([[1], [2, 3], None], pa.list_(pa.field("element", pa.int8(), nullable=False))),
        "struct": typed(
            [{"a": 1, "b": "x"}, {"a": None, "b": "y"}, None], pa.struct([("a", pa.int8()), ("b", pa.string())])
        ),
        "struct of all": typed([{"a": 1}, {"a": 2}, {"a": 1}], pa.struct([pa.field("a", pa.int8(), nullable=False)])),
        "map": typed([[("k", 1)], [], None], pa.map_(pa.string(), pa.int8())),
        "sorted map": typed([[("k", 1)], [], None], pa.map_(pa.string(), pa.int8(), keys_sorted=True)),
    }
    | {f"{name} categories": listed(typed(["x", "y"], pa.string()), name) for name in WHOLE}
    | {f"{name} order": listed(typed(["x", "y"], pa.string()), name, ordered=True) for name in WHOLE}
    | {"large categories": listed(typed(["x", "y"], pa.large_string()))}
    | {
        f"{kind} categories": listed(typed([1, 0], kind))
        for kind in (pa.int16(), pa.date32(), pa.timestamp("ns", "UTC"), pa.float32())
    }
    | {"bool categories": listed(typed([True, False], pa.bool_()))}
    | {
        "uuid": storage(pa.uuid(), [uuid.UUID(int=1).bytes, uuid.UUID(int=2).bytes, None]),
        "json": storage(pa.json_(), ['{"a": 1}', "[]", None]),
    }
)
# What is worked on in another type than it came in.
EXACT = {
    "null": pa.nulls(3), "text view": typed(TEXTS, pa.string_view()), "bytes view": typed(BYTES, pa.binary_view()),
    "views in lists": typed([TEXTS, [], None], pa.list_(pa.string_view())),
    "views in structs": typed([{"a": b"1"}, {"a": None}, None], pa.struct([("a", pa.binary_view())])),
    "views in maps": typed([[("k", "v")], [], None], pa.map_(pa.string(), pa.string_view())),
    "categories of views": listed(typed(["x", "y"], pa.string_view())),
    "list view": typed([[1], [], None], pa.list_view(pa.int8())),
    "large list view": typed([TEXTS, [], None], pa.large_list_view(pa.string_view())),
    "decimal32": typed(DECIMALS, pa.decimal32(6, 2)), "decimal64": typed(DECIMALS, pa.decimal64(12, 2)),
    "hundreds": typed([decimal.Decimal("100"), decimal.Decimal("-200"), None], pa.decimal128(5, -2)),
    "runs": pc.run_end_encode(typed([1, 2, None], pa.int16()), run_end_type=pa.int16()),
    "long runs": pc.run_end_encode(typed(TEXTS, pa.string()), run_end_type=pa.int64()),
    "runs of floats": pc.run_end_encode(typed([0.5, 0.5, None], pa.float32())),
    "bool8": storage(pa.bool8(), [1, 0, None]),
    "tensor": pa.FixedShapeTensorArray.from_numpy_ndarray(np.arange(6).reshape(3, 2)),
}  # fmt: skip
# What stays behind, because it may say more than the values do, or is not one type.
BARE = {
    "unheard": storage(Unheard(), [1, 0, None]), "opaque": storage(pa.opaque(pa.int8(), "type", "maker"), [1, 0, None]),
    "categories in structs": pa.StructArray.from_arrays([listed(typed(["x", "y"], pa.string()))], ["a"]),
    "categories of bytes": listed(typed([b"x", b"y"], pa.binary())),
}  # fmt: skip
BARE_KINDS = {
    "unheard": pa.int16(), "opaque": pa.int8(), "categories in structs": pa.struct([("a", pa.string())]),
    "categories of bytes": pa.binary(),
}  # fmt: skip
COLUMNS = PLAIN | EXACT | BARE
UNIONS = pa.UnionArray.from_dense(
    typed([0, 1, 0], pa.int8()), typed([0, 0, 1], pa.int32()), [typed([1, 2], pa.int8()), typed(["x"], pa.string())]
)


def long(column, rows=ROWS):
    """Give a column of more rows, in pieces: some types have no rows to be taken."""
    return pa.chunked_array([column] * (rows // len(column)))


def table_of(columns, rows=ROWS):
    few = {"age": [20 + row % 2 for row in range(rows)], "ill": ["a", "b", "c"] * (rows // 3)}
    return pa.table(few | {name: long(column, rows) for name, column in columns.items()})


def released(table, engine=None):
    names = [name for name in table.column_names if name not in ("age", "ill")]
    read = shoal.read(table, engine=engine, quasi="age", plain=names, sensitive="ill")
    return shoal.anonymize(read, "hilbert", k=3, allow_identifiers=names, measures=[])


def meant(value):
    """Give what a value means, whatever type a form has for it."""
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float | decimal.Decimal):
        return decimal.Decimal(repr(value) if isinstance(value, float) else value).normalize()
    if isinstance(value, dt.datetime):
        value = value.astimezone(dt.UTC).replace(tzinfo=None) if value.tzinfo else value
        return (value.date() if value.time() == dt.time() else value.replace(tzinfo=None)).isoformat()
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if hasattr(value, "months") and not value.months:
        value = dt.timedelta(days=value.days, microseconds=value.nanoseconds / 1000)
    if isinstance(value, dict):
        return tuple((name, meant(each)) for name, each in value.items())
    if isinstance(value, list | tuple):
        return tuple(meant(each) for each in value)
    if isinstance(value, bytes):
        return value.hex()
    return str(value) if not isinstance(value, str) else _of_text(value)


def _of_text(text):
    """Give what a text means where a form has no other way to say it."""
    for read in (decimal.Decimal, dt.date.fromisoformat, dt.time.fromisoformat, dt.datetime.fromisoformat):
        try:
            found = read(text)
        except (ValueError, decimal.InvalidOperation):
            continue
        return found.normalize() if isinstance(found, decimal.Decimal) else meant(found)
    return text


def values(column):
    return sorted((meant(each) for each in column.to_pylist()), key=repr)


def in_parquet(kind):
    """Give the type in which Parquet holds another, as its own libraries do."""
    if pa.types.is_dictionary(kind):
        texts = any(
            test(kind.value_type) for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
        )
        return pa.dictionary(kind.index_type, pa.string(), kind.ordered) if texts else in_parquet(kind.value_type)
    if pa.types.is_timestamp(kind) and kind.unit == "s":
        return pa.timestamp("ms", kind.tz)
    if pa.types.is_run_end_encoded(kind):
        return kind.value_type
    if pa.types.is_decimal(kind) and kind.scale < 0:
        return pa.decimal128(kind.precision - kind.scale, 0)
    return {pa.date64(): pa.date32(), pa.time32("s"): pa.time32("ms")}.get(kind, kind)


@pytest.mark.parametrize("suffix", [".feather", ".parquet", "/"])
def test_arrow_has_every_type_and_parquet_nearly_all(tmp_path, suffix):
    no_parquet = {"interval"} if suffix != ".feather" else set()
    source = table_of({name: column for name, column in COLUMNS.items() if name not in no_parquet})
    contents = []
    for engine in (None, Tiny()):
        release, path = released(source, engine), tmp_path / f"{len(contents)}{suffix}"
        frame, paper = release.to_arrow(), tmp_path / "c.json"
        release.write(f"{tmp_path}/{len(contents)}{suffix}", certificate=paper, overwrite=True)
        if suffix == ".feather":
            with pa.ipc.open_file(path) as file:
                out = file.read_all()
        else:
            out = pq.read_table(path)
        contents.append((path / "part-00000.parquet" if suffix == "/" else path).read_bytes())
        for name in source.column_names[2:]:
            kind = BARE_KINDS.get(name, source.schema.field(name).type)
            assert frame.schema.field(name).type == kind, name
            assert out.schema.field(name).type == (kind if suffix == ".feather" else in_parquet(kind)), name
            assert values(out[name]) == values(source[name]), name
        proof = shoal.verify(f"{tmp_path}/{len(contents) - 1}{suffix}", paper, engine=engine)
        assert any("released order" in line for line in proof.proved)
        assert not any("beside the rows" in line for line in proof.not_proved)
    assert contents[0] == contents[1]
    assert b"of whom this is" not in contents[0]


@settings(max_examples=10)
@given(st.lists(st.sampled_from(sorted(EXACT)), min_size=1, max_size=3, unique=True), st.integers(1, 4), st.randoms())
def test_what_is_worked_on_in_another_type_is_the_same_again(names, pieces, chance):
    """However a column lies in memory, whole or in pieces, with rows before and behind it."""
    table = table_of({name: EXACT[name] for name in names}, rows=36).slice(chance.randrange(3), 30)
    cuts = sorted(chance.sample(range(1, 30), pieces))
    table = pa.concat_tables([table.slice(a, b - a) for a, b in zip([0, *cuts], [*cuts, 30], strict=True)])
    whole, parts = (released(table, engine).to_arrow() for engine in (None, Tiny()))
    for name in names:
        assert whole.schema.field(name).type == table.schema.field(name).type
        assert values(whole[name]) == values(table[name])
    assert whole.equals(parts)


def test_memory_behind_views_is_not_passed_on(tmp_path):
    """A view shows a part of what lies in memory: what it does not show is nobody's to see."""
    hidden = [f"canary number {row} that is long" for row in range(3)]
    source = pa.table({"age": [1] * 9, "seen": pa.array([*hidden, *["shown and long enough"] * 6], pa.string_view())})
    release = released(source.slice(3).append_column("ill", pa.array(["a"] * 6)))
    release.write(tmp_path / "out.feather")
    assert b"canary" not in (tmp_path / "out.feather").read_bytes()
    seen = release.to_arrow()["seen"]
    assert not any(b"canary" in (b or b"") for chunk in seen.chunks for b in map(_content, chunk.buffers()))


def test_where_no_value_stands_nothing_of_memory_is_written(tmp_path):
    """Memory is filled as it is given back, so that what nobody wrote is seen in the file."""
    script = (
        "from contract.test_column_types import COLUMNS, pa, released, table_of\n"
        "whole = released(table_of(COLUMNS)).to_arrow()\n"
        f"pa.ipc.new_stream({str(tmp_path / 'out')!r}, whole.schema).write_table(whole)"
    )
    tests, filled = (
        Path(__file__).resolve().parents[1],
        {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_PERTURB_": "165"},
    )
    known = {**os.environ, **filled, "PYTHONPATH": os.pathsep.join([str(tests), str(tests.parent)])}
    subprocess.run([sys.executable, "-c", script], check=True, env=known)
    assert b"\x5a" * 3 not in (tmp_path / "out").read_bytes()  # the complement of 165


def _content(buffer):
    return None if buffer is None else buffer.to_pybytes()


@pytest.mark.parametrize("name", ["interval"])
@pytest.mark.parametrize("suffix", [".parquet", "/"])
def test_what_parquet_has_no_type_for_is_refused(tmp_path, suffix, name):
    with pytest.raises(DataError, match=f"'{name}'.*Parquet cannot hold"):
        released(table_of({name: COLUMNS[name]})).write(f"{tmp_path}/out{suffix}", certificate=tmp_path / "c.json")
    assert not list(tmp_path.iterdir())


def test_a_column_of_several_types_is_refused():
    with pytest.raises(DataError, match="'odd'"):
        released(table_of({"odd": UNIONS}))


STATISTICS = [".sav", ".dta", ".xpt"]
# What a form has no values for: by how their names begin.
REFUSED = {
    ".csv": (
        "bytes",
        "large bytes",
        "fixed",
        "list",
        "large list",
        "struct",
        "map",
        "sorted map",
        "bytes view",
        "views",
        "tensor",
        "categories in",
        "categories of bytes",
    ),
    ".orc": ("uint64 ends", "decimal256", "time", "duration", "interval"),
    ".jsonl": (
        "uint64 ends",
        "odd floats",
        "long decimal",
        "time",
        "duration",
        "interval",
        "bytes",
        "large bytes",
        "fixed bytes",
        "map",
        "sorted map",
        "views in structs",
        "views in maps",
        "categories of bytes",
    ),
    ".xlsx": (
        "int64 ends",
        "uint64 ends",
        "odd floats",
        "long decimal",
        "time",
        "moment",
        "duration",
        "interval",
        "bytes",
        "large bytes",
        "fixed",
        "list",
        "large list",
        "struct",
        "map",
        "sorted map",
        "views",
        "tensor",
        "categories in",
        "categories of bytes",
        "timestamp",
        "uuid",
        "json",
    ),
    "duckdb": ("duration ns", "interval", "time ns", "moment ns Europe", "moment ns +", "timestamp[ns, tz"),
    "sqlite": (
        "uint64 ends",
        "moment",
        "duration",
        "interval",
        "time ns",
        "list",
        "large list",
        "fixed list",
        "struct",
        "map",
        "sorted map",
        "views",
        "tensor",
        "categories in",
        "timestamp",
    ),
} | {
    form: (
        "int64 ends",
        "uint64 ends",
        "odd floats",
        "long decimal",
        "time",
        "moment",
        "duration",
        "interval",
        "bytes",
        "large bytes",
        "fixed",
        "list",
        "large list",
        "struct",
        "map",
        "sorted map",
        "views",
        "tensor",
        "categories in",
        "categories of bytes",
        "timestamp",
        *(["double"] if form == ".xpt" else []),
    )
    for form in STATISTICS
}
NEEDS = {".xlsx": "fastexcel"} | dict.fromkeys(STATISTICS, "pyreadstat")


@pytest.mark.parametrize("form", REFUSED)
def test_every_other_form_has_the_same_values_or_refuses_them(tmp_path, form):
    """What may be refused is written alone, all else as one table."""
    pytest.importorskip(NEEDS.get(form, "pyarrow"), reason="make install EXTRAS=excel,stats")
    doubtful = [name for name in COLUMNS if name.startswith(REFUSED[form])]
    taken, said = {}, {}
    for number, names in enumerate(
        [[name for name in COLUMNS if name not in doubtful], *([name] for name in doubtful)]
    ):
        called, folder = {f"odd{place}": name for place, name in enumerate(names)}, tmp_path / str(number)
        release = released(table_of({short: COLUMNS[name] for short, name in called.items()}))
        folder.mkdir()
        target = f"{form}:///{folder}/t.{form}?table=t" if form in ("duckdb", "sqlite") else folder / f"out{form}"
        try:
            release.write(target, certificate=folder / "c.json")
        except DataError as error:
            said[names[0]] = str(error)
            assert not list(folder.iterdir()), names
            continue
        assert shoal.verify(target, folder / "c.json").proved
        kinds = {"kinds": dict.fromkeys(called, "category")} if form == ".csv" else {}
        again = shoal.read(target, quasi="age", plain=list(called), sensitive="ill", **kinds).to_arrow()
        taken |= {name: again[short] for short, name in called.items()}
    assert said.keys() <= set(doubtful)
    assert all("'odd0'" in text for text in said.values())
    for name, again in taken.items():
        was = long(COLUMNS[name])
        if form == ".csv" and name.startswith(("duration", "interval")):
            assert all(text is None or text.startswith("P") for text in again.to_pylist())  # as ISO writes them
        elif form == ".xlsx" and pa.types.is_floating(was.type):  # which has sixteen digits
            assert np.allclose(*map(np.sort, (again.to_numpy(), was.to_numpy())), rtol=1e-15, equal_nan=True)
        else:
            assert values(again) == values(was), name
