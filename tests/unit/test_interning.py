"""Distinct texts of a file: found by a hash whose key nobody knows, so that no file can make it slow."""

import numpy as np
import pytest

import shoal
from shoal.engines.io import text_reader
from shoal.engines.io.text_head import read_head
from shoal.kernels.delimited import DONE, TEXT, InternTable, RowParser

SLOTS = 4096  # of the first table


def crafted():
    """Give texts that share one seat of the table under a well-known hash (FNV-1a) without a key."""
    numbers = np.arange(10**6, 4 * 10**6)
    hashes = np.full(numbers.size, 14695981039346656037, np.uint64)
    for place in range(6, -1, -1):
        digits = (numbers // 10**place % 10 + ord("0")).astype(np.uint64)
        hashes = (hashes ^ digits) * np.uint64(1099511628211)
    slots = (hashes ^ hashes >> np.uint64(32)) & np.uint64(SLOTS - 1)
    return [str(number) for number in numbers[slots == slots[0]].tolist()]


def read(texts, **key):
    """Read a column of texts; gives its codes and the table of slots."""
    buffer = np.frombuffer("".join(f"{text}\n" for text in texts).encode(), np.uint8)
    cells, others = np.empty((len(texts), 1), np.int32), np.empty((len(texts), 0), np.int32)
    one = np.zeros(1, np.int32)
    rows = RowParser(
        one + np.int32(TEXT), one, cells, others, InternTable(1, **key), np.zeros(1, np.int64), np.empty(99, np.uint8)
    )
    assert rows.read(buffer, 0, buffer.size, ",")[0] == DONE
    assert rows.words.slots.size == SLOTS
    return cells[:, 0].tolist(), rows.words.slots


def longest_run(slots):
    """Give how many slots at most are looked at for one text."""
    taken = np.flatnonzero(slots < 0)
    return int(np.diff(np.concatenate([[-1], taken, [slots.size]])).max())


def test_texts_that_were_made_to_collide_are_spread_like_any_others():
    texts = crafted()
    assert len(texts) > 500
    codes, slots = read(texts)
    assert codes == list(range(len(texts)))
    assert longest_run(slots) < 80


def test_what_is_found_does_not_depend_on_the_key():
    texts = [str(number % 77) * (number % 5) for number in range(900)]
    found = [read(texts, key=np.array(key, np.uint64)) for key in ([1, 2], [3, 2**63])]
    assert found[0][0] == found[1][0]
    assert found[0][1].tolist() != found[1][1].tolist()
    seen = list(dict.fromkeys(texts))
    assert found[0][0] == [seen.index(text) for text in texts]


def test_a_column_that_is_no_number_in_the_first_rows_does_not_take_a_second_reading(tmp_path, monkeypatch):
    """A release has ranges from its first row on."""
    monkeypatch.setattr(text_reader, "_CHUNK", 1 << 10)
    path = tmp_path / "release.csv"
    path.write_text("a,b\n" + "".join(f"[{i};{i + 4}],{i}\n" for i in range(2000)), encoding="utf-8")
    taken = []
    rows = RowParser.read

    def counting(self, buffer, start, stop, delimiter):
        taken.append(stop - start)
        return rows(self, buffer, start, stop, delimiter)

    monkeypatch.setattr(RowParser, "read", counting)
    reading = text_reader.TextReading(path, read_head(path, None, None), ["a", "b"], [], [])
    (stretch,) = reading.batches(None)
    assert stretch.cells.shape == (2000, 2)
    assert reading.written.size == path.stat().st_size
    assert sum(taken) < path.stat().st_size * 1.3


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('"a,b",c\na,b\n"a,b",b\na,b\n', [("a,b", "c"), ("a", "b"), ("a,b", "b"), ("a", "b")]),
        ('"a\nb",c\na,c\na,c\n', [("a\nb", "c"), ("a", "c"), ("a", "c")]),
        ("a,x\r\r\na,x\r\na,x\r\r\n", [("a", "x\r"), ("a", "x"), ("a", "x\r")]),
        ('a,\na,""\na,\naa,\na,b\na,', [("a", ""), ("a", ""), ("a", ""), ("aa", ""), ("a", "b"), ("a", "")]),
        ('""a,b\n"a",b\na,b\n', [("a", "b"), ("a", "b"), ("a", "b")]),
    ],
    ids=["delimiter", "line end", "carriage return", "empty", "quotes"],
)
def test_a_cell_that_begins_like_the_one_above_is_read_to_its_own_end(tmp_path, text, rows):
    (tmp_path / "in.csv").write_bytes(b"p,q\n" + text.encode())
    kinds = {"p": "category", "q": "category"}
    table = shoal.read(tmp_path / "in.csv", plain=["p", "q"], kinds=kinds, masked=False).to_arrow()
    assert [tuple(cell or "" for cell in row.values()) for row in table.to_pylist()] == rows
