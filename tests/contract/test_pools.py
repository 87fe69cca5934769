"""What every pool of parts must do, whatever holds them: compared with one in memory."""

import gc

import numpy as np
import pytest
from clusters import cluster, killing
from engines.pools import Memory

from shoal.engines.spark.pool import SparkPool
from shoal.engines.spark.serialization import CHUNKS, chunked, deserialize, join_chunks, serialize
from shoal.errors import InternalError, ParameterError


@pytest.fixture(scope="module", params=["memory", "spark"])
def pool(request):
    return Memory() if request.param == "memory" else SparkPool(cluster().session)


def people(number, rows=5):
    """Give a part with columns of every type, matrices, and perhaps no rows."""
    draw = np.random.default_rng(number)
    return {
        "ages": draw.integers(0, 90, rows).astype(np.int32),
        "places": np.arange(rows, dtype=np.int64) + 1000 * number,
        "lengths": draw.normal(size=rows),
        "known": draw.random(rows) < 0.5,
        "cells": draw.integers(-9, 9, (rows, 3)).astype(np.int32),
        "of other length": np.arange(number, dtype=np.uint8),
    }


def expected(work, parts):
    """Give the three parts that a shuffle of these parts creates."""
    pool = Memory()
    return list(pool.stream(pool.shuffle(work, 3, pool.put(parts))))


def same(found, expected):
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert list(one) == list(other)
        for name in one:
            assert one[name].dtype == other[name].dtype, name
            np.testing.assert_array_equal(one[name], other[name])


def test_parts_come_back_as_they_were_put(pool):
    parts = [people(number, rows) for number, rows in enumerate([5, 0, 7, 1])]
    handle = pool.put(iter(parts))
    assert handle.parts == 4
    same(list(pool.stream(handle)), parts)
    same(list(pool.stream(handle)), parts)


def test_no_parts_at_all(pool):
    handle = pool.put([])
    assert handle.parts == 0
    assert list(pool.stream(handle)) == []
    assert pool.collect(lambda number, part: number, handle) == []


def test_work_is_given_the_parts_of_one_number_from_every_handle(pool):
    parts = [people(number) for number in range(4)]
    first = pool.put(parts)
    second = pool.map(lambda number, part: {"twice": part["places"] * 2, "number": np.array([number])}, first)
    third = pool.map(lambda number, a, b: {"sum": a["places"] + b["twice"]}, first, second)
    found = pool.collect(lambda number, *parts: (number, [sorted(part) for part in parts]), third, first, second)
    assert found == [(i, [["sum"], sorted(parts[0]), ["number", "twice"]]) for i in range(4)]
    same(list(pool.stream(third)), [{"sum": 3 * part["places"]} for part in parts])
    same(list(pool.stream(second)), [{"twice": 2 * p["places"], "number": np.array([i])} for i, p in enumerate(parts)])


def test_rows_move_to_their_part_in_the_order_of_their_senders(pool):
    handle = pool.put([people(number, 40 - 10 * number) for number in range(4)])

    def by_age(number, part):
        target = part["ages"] % 3
        rows = {name: part[name] for name in part if name != "of other length"}
        return [{name: column[target == j] for name, column in rows.items()} for j in range(3)]

    moved = pool.shuffle(by_age, 3, handle)
    assert moved.parts == 3
    found = list(pool.stream(moved))
    same(found, expected(by_age, pool.stream(handle)))
    assert sum(len(part["ages"]) for part in found) == 100
    for number, part in enumerate(found):
        assert (part["ages"] % 3 == number).all()
        assert (np.diff(part["places"]) > 0).all()


def test_one_receiver_may_get_everything_and_others_nothing(pool):
    handle = pool.put([people(number) for number in range(3)])

    def send(number, part):
        rows = {"places": part["places"], "cells": part["cells"]}
        return [{name: column[: 0 if j != 1 else None] for name, column in rows.items()} for j in range(4)]

    found = list(pool.stream(pool.shuffle(send, 4, handle)))
    assert [len(part["places"]) for part in found] == [0, 15, 0, 0]
    assert found[0]["cells"].shape == (0, 3)
    assert found[1]["cells"].shape == (15, 3)


def test_many_parts_may_become_one_and_one_many(pool):
    one = pool.shuffle(lambda number, part: [{"places": part["places"]}], 1, pool.put([people(i) for i in range(3)]))
    many = pool.shuffle(lambda number, part: [{"places": part["places"][i::5]} for i in range(5)], 5, one)
    assert pool.collect(lambda number, part: part["places"].tolist(), many) == [
        [1000 * (row // 5) + row % 5 for row in range(15)][i::5] for i in range(5)
    ]


def test_an_operation_that_creates_parts_can_summarize_each(pool):
    def summarize(number, part):
        return number, int(part["places"].sum())

    parts = [people(number, 3 - number) for number in range(3)]
    put = pool.put(parts, summarize=summarize)
    assert list(put.summaries) == [(number, int(part["places"].sum())) for number, part in enumerate(parts)]
    made = pool.map(lambda number, part: {"places": part["places"] * 2}, put, summarize=summarize)
    assert [total for _, total in made.summaries] == [2 * total for _, total in put.summaries]
    moved = pool.shuffle(lambda number, part: [{"places": part["places"]}] * 2, 2, made, summarize=summarize)
    assert list(moved.summaries) == [(i, sum(total for _, total in made.summaries)) for i in range(2)]
    assert not pool.put(parts).summaries


def test_a_part_may_hold_no_columns(pool):
    empty = pool.map(lambda number, part: {}, pool.put([people(0), people(1)]))
    assert list(pool.stream(empty)) == [{}, {}]


@pytest.fixture
def spark_pool():
    return SparkPool(cluster().session)


def test_work_may_know_a_handle_by_name(spark_pool):
    handle = spark_pool.put([people(0)])
    assert spark_pool.collect(lambda number, part: (handle.parts, handle.rdd), handle) == [(1, None)]


def test_a_mistake_on_a_worker_is_the_same_error_here(spark_pool):
    def fails(number, part):
        raise ParameterError("Column 'age' is generalized.", "Use another.")

    handle = spark_pool.put([people(0)])
    with pytest.raises(ParameterError, match="Column 'age' is generalized") as raised:
        spark_pool.collect(fails, handle)
    assert raised.value.remedy == "Use another."
    with pytest.raises(ParameterError, match="Column 'age' is generalized"):
        spark_pool.map(fails, handle)


def test_an_error_that_may_show_a_cell_shows_only_its_kind(spark_pool):
    def fails(number, part):
        raise ValueError("the value is 4711")

    with pytest.raises(InternalError, match="ValueError") as raised:
        spark_pool.collect(fails, spark_pool.put([people(0)]))
    assert "4711" not in str(raised.value)
    assert raised.value.__suppress_context__


def test_what_nobody_holds_is_let_go(spark_pool):
    context = cluster().session.sparkContext
    first = spark_pool.put([people(0)])
    before = set(context._jsc.getPersistentRDDs())
    second = spark_pool.map(lambda number, part: part, first)
    spark_pool.collect(lambda number, part: 0, second)
    assert len(set(context._jsc.getPersistentRDDs()) - before) == 1
    del second
    gc.collect()
    spark_pool.collect(lambda number, part: 0, first)
    assert set(context._jsc.getPersistentRDDs()) <= before


@pytest.mark.parametrize("longest", [1, 100, 1 << 20])
def test_a_part_is_a_fixed_number_of_stretches_of_bytes(longest):
    part = people(3)
    pieces = list(chunked(serialize(part), longest))
    assert len(pieces) == CHUNKS
    same([deserialize(join_chunks(pieces))], [part])
    for column in deserialize(join_chunks(pieces)).values():
        assert not column.flags.writeable
        assert column.flags.aligned


def test_what_a_lost_executor_held_is_made_again(spark_pool, tmp_path):
    first = spark_pool.put([people(number, 50) for number in range(6)])
    second = spark_pool.map(lambda number, part: {"places": part["places"] * 2}, first)
    before = spark_pool.collect(lambda number, part: part["places"].sum(), second)

    def send(number, part):
        return [{"places": part["places"][part["places"] % 3 == j]} for j in range(3)]

    mark = tmp_path / "killed"
    moved = spark_pool.shuffle(killing(send, str(mark)), 3, second)
    found = list(spark_pool.stream(moved))
    assert mark.exists()
    same(found, expected(send, spark_pool.stream(second)))
    assert spark_pool.collect(lambda number, part: part["places"].sum(), second) == before
