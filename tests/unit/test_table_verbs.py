"""Verbs of tables give the same on every engine, whatever lies where."""

import numpy as np
import pyarrow as pa
import pytest
from engines.pools import Memory

import shoal
from shoal.engines.disk.engine import Disk
from shoal.engines.local import Local
from shoal.engines.parts.engine import PartsEngine
from shoal.engines.sources import Source
from shoal.engines.values import Layout
from shoal.errors import ParameterError, SchemaError
from shoal.kernels import MISSING
from shoal.table import Given

AGES = [40, None, 20, 30, 20, 40, 20]


@pytest.fixture(params=["local", "parts", "one part", "disk"])
def engine(request):
    made = {
        "local": Local,
        "parts": lambda: PartsEngine(Memory(), rows_per_part=3),
        "one part": lambda: PartsEngine(Memory()),
        "disk": lambda: Disk(limit=300_000_000, rows_per_part=2),
    }
    return made[request.param]()


def table_of(engine, ages=AGES):
    return shoal.read(pa.table({"age": ages}), quasi="age", engine=engine)


def values(table, column):
    """Bring a column here, record by record."""
    given = Given(column)
    return np.concatenate(table.groups(lambda classes: classes.columns[given], table.rank([]), (given,))).tolist()


@pytest.mark.parametrize("every", [1, 2, 3, 7, 100])
def test_every_so_many_records_share_a_place_and_the_last_take_what_is_left_over(engine, every):
    table = table_of(engine)
    order = sorted(range(len(AGES)), key=lambda row: (AGES[row] is not None, AGES[row]))
    last = max(len(AGES) // every, 1) - 1
    expected = [min(order.index(row) // every, last) for row in range(len(AGES))]
    keys = [table.map_rows(lambda rows: rows.lo[:, 0])]
    assert values(table, table.rank(keys, every)) == expected
    assert values(table, table.rank(["age"], every)) == expected


def test_classes_of_neighbours_are_published_alike(engine):
    table = table_of(engine, [1, 5, 2, 6, 9])
    shown = table.generalize(table.rank(["age"], every=2), 2)
    low, high = shown.cells(["age"], np.arange(5))
    assert (low[:, 0].tolist(), high[:, 0].tolist()) == ([1, 5, 1, 5, 5], [2, 9, 2, 9, 9])
    assert table.fold(shown, lambda before, after, members: np.array([before.lo.size])).tolist() == [5]


def test_numbers_of_records_are_computed_from_columns_alone(engine):
    table = table_of(engine)
    ages = table.map_rows(lambda rows: rows.lo[:, 0])
    sums = table.combine(lambda place, age: 1000 * place.astype(np.int64) + age, table.rank([]), ages)
    assert values(table, sums) == [1000 * row + (MISSING if age is None else age) for row, age in enumerate(AGES)]


@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz", "out.parquet", "out/"])
def test_what_is_written_needs_no_more_than_a_place(engine, tmp_path, name):
    table = table_of(engine)
    target = Source.parse(f"{tmp_path}/{name}")
    with table.write(target, Layout()) as stored:
        stored.commit()
    assert engine.digest(target).sha256 == stored.written.sha256
    assert shoal.read(str(target), quasi="age").counts("age")[1].tolist() == [1, 3, 1, 2]


def test_a_table_of_one_record_has_one_place(engine):
    table = table_of(engine, [3])
    labels, groups = table.map_blocks(lambda: ["age"], 1, lambda piece: np.zeros(1, np.int32), ordered=True)
    assert (values(table, table.rank(["age"], every=4)), values(table, labels), groups) == ([0], [0], 1)


def test_a_class_of_no_records_is_refused(engine):
    with pytest.raises(ParameterError, match="at least one record"):
        table_of(engine).rank(["age"], every=0)


@pytest.mark.parametrize("verb", ["rank", "number"])
def test_keys_that_are_no_column_are_refused_in_words(engine, verb):
    with pytest.raises(SchemaError, match="no column 'agge'") as raised:
        getattr(table_of(engine), verb)(["age", "agge"])
    assert "'age'" in raised.value.remedy
