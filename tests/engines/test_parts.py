"""What a table in parts is made of: parts that may be empty, and columns that are computed once, when needed."""

import numpy as np
import polars as pl
import pytest
from clusters import Blank
from engines.pools import Memory
from engines.tiny import Tiny

import shoal
from shoal.engines.parts.engine import PartsEngine
from shoal.engines.spark.text import read_text
from shoal.schema import options_from
from shoal.table import Table

ROLES = {"quasi": ["age", "weight"], "sensitive": ["charge"]}


@pytest.fixture
def people(tmp_path):
    """Write rows of which one is so long that no row begins in some of the byte ranges of the file."""
    rows = [f"{30 + i % 40},{50 + i % 7},{'9' * (400 if i == 11 else 3)}x" for i in range(24)]
    path = tmp_path / "people.csv"
    path.write_text("age,weight,charge\n" + "\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize("k", [2, 12], ids=["classes that move", "classes larger than a part"])
@pytest.mark.parametrize("method", [shoal.methods.SortedClusters(), shoal.methods.Hilbert()])
def test_parts_without_records_change_nothing(people, k, method):
    schema, data, origin = read_text(pool := Blank(), people, options_from(ROLES), 1)
    assert 0 in data.sizes
    parts, whole = Table(schema, data, PartsEngine(pool), origin), shoal.read(people, **ROLES)
    here, there = (shoal.anonymize(table, method, [shoal.models.KAnonymity(k)]) for table in (whole, parts))
    assert there.table.to_arrow(cells="text").equals(here.table.to_arrow(cells="text"))
    assert [score.value for score in there.scores] == pytest.approx([score.value for score in here.scores], nan_ok=True)


class Counting(Memory):
    """Counts what it is asked to do."""

    maps = shuffles = 0

    def map(self, *given, **named):
        self.maps += 1
        return super().map(*given, **named)

    def shuffle(self, *given, **named):
        self.shuffles += 1
        return super().shuffle(*given, **named)


def test_a_column_is_computed_when_it_is_first_needed_and_only_once():
    pool = Counting()
    table = PartsEngine(pool, 3).from_local(shoal.read(pl.DataFrame({"a": [5, 3, 9, 3, 1, 7, 2]}), quasi="a"))
    value, rank = table.map_rows(lambda rows: rows.lo[:, 0]), table.rank(["a"])
    assert (pool.maps, pool.shuffles) == (0, 0)
    for _ in range(2):
        total = table.combine(np.add, value, rank)
        assert [part["value"].tolist() for part in pool.stream(total.materialize())] == [[9, 5, 15], [6, 1, 12], [3]]
    assert (pool.maps, pool.shuffles) == (3, 2)  # of the value once and of the sum twice; to sort and back again once


@pytest.mark.parametrize("engine", [lambda: PartsEngine(Memory(), 2), Tiny], ids=["memory", "disk"])
def test_a_table_without_quasi_identifiers_is_divided_and_given_back(engine):
    frame = pl.DataFrame({"charge": [3, 1, 2, 2, 9, 4], "ill": list("abcabc")})
    table = shoal.read(frame, engine=engine(), sensitive=["charge", "ill"])
    assert table.to_polars().equals(frame)
