"""A part of a large file: whole rows of it, from all over it, and nothing else."""

import gzip
from itertools import pairwise

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.engines.io.sampling import sample
from shoal.errors import DataError


def lines(rows):
    return [f"{number},{'x' * (number % 17)}" for number in range(rows)]


def test_rows_come_whole_and_from_all_over_the_file(tmp_path):
    source, target = tmp_path / "a.csv", tmp_path / "b.csv"
    source.write_text("\n".join(["n,x", *lines(100_000)]) + "\n")
    found = sample(source, target, 5000)
    taken = target.read_text().splitlines()
    assert found.spread
    assert taken[0] == "n,x"
    assert set(taken[1:]) <= set(lines(100_000))
    assert len(set(taken)) == len(taken)
    assert 4000 < len(taken) < 6000
    numbers = [int(line.split(",")[0]) for line in taken[1:]]
    assert numbers == sorted(numbers)
    assert max(b - a for a, b in pairwise(numbers)) < 100_000 / 50
    assert found.rows_in_file == pytest.approx(100_000, rel=0.02)


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_sample_of_a_small_file_has_no_row_twice(tmp_path, end):
    source, target = tmp_path / "a.csv", tmp_path / "b.csv"
    source.write_text("\n".join(["n,x", *lines(300)]) + end)
    sample(source, target, 50_000)
    taken = target.read_text().splitlines()[1:]
    assert set(taken) <= set(lines(300))
    assert len(set(taken)) == len(taken)


def test_cells_that_may_hold_line_ends_are_not_cut(tmp_path):
    source, target = tmp_path / "a.csv", tmp_path / "b.csv"
    source.write_text("n,x\n" + "".join(f'{number},"one\ntwo, {number}"\n' for number in range(20_000)))
    found = sample(source, target, 500)
    text = target.read_text()
    assert not found.spread
    assert source.read_text().startswith(text)
    assert text.count('"') % 2 == 0
    assert text.endswith('"\n')


def test_quotes_that_come_late_are_a_reason_to_read_all(tmp_path):
    source = tmp_path / "a.csv"
    source.write_text("n,x\n" + "1,a\n" * 60_000 + '2,"b\nc"\n' * 60_000)
    assert sample(source, tmp_path / "b.csv", 50_000) is None


def test_the_first_rows_of_compressed_text(tmp_path):
    source, target = tmp_path / "a.csv.gz", tmp_path / "b.csv"
    text = "\n".join(["n,x", *lines(50_000)]) + "\n"
    source.write_bytes(gzip.compress(text.encode()))
    assert not sample(source, target, 9000).spread
    assert text.startswith(target.read_text())
    assert 8000 < target.read_text().count("\n") < 10_000


def test_what_cannot_be_cut_by_lines_is_read_whole(tmp_path):
    for content in (b"n\x00x\n1", b"no line end at all"):
        (tmp_path / "a.csv").write_bytes(content)
        assert sample(tmp_path / "a.csv", tmp_path / "b.csv", 10) is None


def test_rows_of_parquet_come_from_many_row_groups(tmp_path):
    table = pa.table({"n": range(10_000)})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=500)
    found = sample(tmp_path / "a.parquet", tmp_path / "b.parquet", 1000)
    taken = pq.read_table(tmp_path / "b.parquet")["n"].to_pylist()
    assert found.rows_in_file == 10_000
    assert len({number // 500 for number in taken}) == 20
    assert len(taken) == 1000


def test_what_is_no_parquet_is_told(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"nothing of the kind")
    with pytest.raises(DataError, match="not a Parquet file"):
        sample(tmp_path / "a.parquet", tmp_path / "b.parquet", 10)
