"""Whatever bytes a file has, it is read or refused in words: nothing else happens."""

import contextlib
import datetime
import io
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engines.tiny import Tiny

import shoal
from shoal.engines.local import Local
from shoal.schema import Role

PEOPLE = pa.table(
    {
        "age": pa.array([i % 50 for i in range(60)]),
        "town": pa.array([f"town {i % 9} ä" for i in range(60)]),
        "ill": pa.array([None if i % 7 == 0 else "flu" for i in range(60)]).dictionary_encode(),
        "day": pa.array([datetime.date(2020, 1, 1 + i % 28) for i in range(60)]),
        "span": pa.array([{"lo": i, "hi": i + 3} if i % 5 else None for i in range(60)]),
        "seen": pa.array(range(60), pa.timestamp("us", "UTC")),
        "charge": pa.array([i / 7 for i in range(60)]),
        "paid": pa.array([i % 2 == 0 for i in range(60)]),
        "price": pa.array(range(60)).cast(pa.decimal128(22, 2)),
    }
)
TEXT = 'age,town,"a ""b""",day\n' + "".join(
    f'{i % 50},"town {i % 9}\nä",[{i};{i + 3}],2020-01-{1 + i % 28:02}\n' for i in range(60)
)


def parquet(**how):
    sink = io.BytesIO()
    pq.write_table(PEOPLE, sink, **how)
    return sink.getvalue()


def damaged(content, chance):
    """Change some bytes, take some out, or put some in."""
    raw = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 5, 40))):
        at, way = chance.randrange(len(raw)), chance.randrange(8)
        if way == 0:
            del raw[at : at + chance.randrange(1, 9)]
        elif way == 1:
            raw[at:at] = chance.randbytes(chance.randrange(1, 9))
        elif way == 2:
            raw[at] ^= 1 << chance.randrange(8)
        elif way == 3:
            raw[at] = chance.choice(b'",;\n\r\0\xff\xc3*[]{}\\-e.')
        else:
            raw[at] = chance.randrange(256)
    return bytes(raw)


def used(path, engine):
    """Read a file and look at all of it."""
    with contextlib.suppress(shoal.ShoalError):
        table = shoal.read(path, engine=engine, rest=Role.PLAIN)
        table.to_pandas()
    with contextlib.suppress(shoal.ShoalError):
        table = shoal.read(path, engine=engine, quasi=["age"], rest=Role.QUASI)
        table.to_arrow(cells="text")


CASES = {Local: 25, Tiny: 3}
FILES = {"small pages": parquet(compression="none", data_page_size=64), "usual": parquet()}


@pytest.mark.parametrize("engine", [Local, Tiny])
@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("seed", range(5))
def test_damaged_parquet_is_read_or_refused(tmp_path, name, engine, seed):
    chance = random.Random(f"{name} {seed}")
    for _ in range(CASES[engine]):
        (tmp_path / "in.parquet").write_bytes(damaged(FILES[name], chance))
        used(tmp_path / "in.parquet", engine())


@pytest.mark.parametrize("engine", [Local, Tiny])
@pytest.mark.parametrize("seed", range(4))
def test_damaged_text_is_read_or_refused(tmp_path, engine, seed):
    chance = random.Random(seed)
    for _ in range(CASES[engine]):
        (tmp_path / "in.csv").write_bytes(damaged(TEXT.encode(), chance))
        used(tmp_path / "in.csv", engine())
