"""The text reader against Python's csv module, on whatever csv.writer can write."""

import csv
import io
import re
import tempfile
from pathlib import Path

import numpy as np
import pytest
from engines.tiny import Tiny
from hypothesis import example, given
from hypothesis import strategies as st
from property.independent import rows_of

import shoal
from shoal.engines.local import Local
from shoal.engines.sources import Source
from shoal.engines.values import Layout
from shoal.kernels import MISSING, TOP
from shoal.kernels.delimited import DONE, MORE_ROWS, NUMBER, InternTable, RowParser
from shoal.schema import Role

_SIGNS = "ab01-.,;\t|\"' \r\n\\*[]{}é€ß"
texts = st.text(st.sampled_from(_SIGNS), max_size=5)
_ODD = [
    "",
    "0",
    "-1",
    "00",
    "007",
    "+5",
    " 1",
    "1 ",
    "12345678",
    "123456789",
    "1234567890",
    "2147483647",
    "x",
    '"7"',
    "-0",
]
numbers = st.integers(-(2**33), 2**33).map(str) | st.sampled_from(["0", "-0", "007", "+5", "1e3", " 12", "2147483647"])


@st.composite
def sheets(draw: st.DrawFn, alphabet: st.SearchStrategy[str] = texts) -> list[list[str]]:
    width = draw(st.integers(1, 4))
    rows = draw(st.integers(1, 12))
    columns = []
    for _ in range(width):
        one = draw(st.sampled_from([alphabet, numbers, numbers | st.just(""), alphabet | numbers]))
        columns.append(draw(st.lists(one, min_size=rows, max_size=rows)))
    return [list(row) for row in zip(*columns, strict=True)]


def written(rows: list[list[str]], delimiter: str, quoting: int, end: str) -> str:
    """Write rows with Python's csv module, which quotes only the line ends that it writes itself."""
    lines = []
    for row in [[f"c{j}" for j in range(len(rows[0]))], *rows]:
        out = io.StringIO(newline="")
        csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator="\r\n").writerow(row)
        lines.append(out.getvalue().removesuffix("\r\n") + end)
    return "".join(lines)


def texts_read(path: Path, width: int, **options: object) -> list[list[str]]:
    """Read every column as text and give the rows; what was empty is a missing cell."""
    table = shoal.read(
        path, rest=Role.PLAIN, kinds={f"c{j}": "category" for j in range(width)}, masked=False, **options
    )
    columns = table.to_arrow().to_pydict().values()
    return [["" if cell is None else cell for cell in row] for row in zip(*columns, strict=True)]


def carried(path: Path, target: Path, **options: object) -> list[list[str]]:
    """Read every column as it is and write it again; what comes back is what was read."""
    table = shoal.read(path, rest=Role.PLAIN, decimal=".", masked=False, **options)
    with table.write(Source.parse(target), Layout(",")):
        return rows_of(target)[1]


@given(
    sheets(),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["utf-8", "utf-8-sig", "latin-1"]),
    st.booleans(),
)
@example([["", ""], ["", ""]], ",", csv.QUOTE_MINIMAL, "\n", "utf-8", False)
@example([["a\r"], ["\r"]], ",", csv.QUOTE_ALL, "\r\n", "utf-8", False)
def test_what_csv_writes_is_read_as_csv_reads_it(rows, delimiter, quoting, end, encoding, cut):
    text = written(rows, delimiter, quoting, end)
    if encoding == "latin-1":
        text = text.replace("€", "¤")
        rows = [[cell.replace("€", "¤") for cell in row] for row in rows]
    if cut:
        text = text.removesuffix(end)
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "in.csv"
        path.write_bytes(text.encode(encoding))
        options = {"encoding": "latin-1"} if encoding == "latin-1" else {}
        expected = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))[1:]
        assert expected == rows
        assert texts_read(path, len(rows[0]), delimiter=delimiter, **options) == rows


@given(sheets(), st.sampled_from([",", ";", "\t", "|"]), st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
def test_columns_that_are_only_carried_come_out_as_they_went_in(rows, delimiter, quoting):
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "in.csv"
        path.write_bytes(written(rows, delimiter, quoting, "\n").encode())
        assert carried(path, Path(name) / "out.csv", delimiter=delimiter) == rows


@given(sheets(), st.sampled_from([",", ";", "\t", "|"]), st.booleans())
@example(rows=[["\r", "a"]], delimiter=",", told=False)
@example(rows=[["a", '"\r\r']], delimiter=";", told=True)
def test_rows_without_a_header_are_read_as_csv_reads_them(rows, delimiter, told):
    """The first record is read like all others, whatever it looks like."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "in.csv"
        text = written(rows, delimiter, csv.QUOTE_ALL, "\n").partition("\n")[2]
        path.write_text(f"sep={delimiter}\n{text}" if told else text, encoding="utf-8")
        kinds = {f"c{j + 1}": "category" for j in range(len(rows[0]))}
        given = {} if told else {"delimiter": delimiter}
        table = shoal.read(path, rest=Role.PLAIN, kinds=kinds, masked=False, header=False, **given)
        assert [[cell or "" for cell in row.values()] for row in table.to_arrow().to_pylist()] == rows


@given(sheets(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)))
def test_any_unicode_text_is_carried_as_it_is(rows):
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "in.csv"
        path.write_bytes(written(rows, ",", csv.QUOTE_MINIMAL, "\n").encode())
        assert texts_read(path, len(rows[0])) == rows


@given(sheets(st.text("abc déü", max_size=5)), st.sampled_from([",", ";", "\t", "|"]))
def test_the_delimiter_is_found_from_the_header(rows, delimiter):
    rows = [[*row, "end"] for row in rows]
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "in.csv"
        path.write_bytes(written(rows, delimiter, csv.QUOTE_MINIMAL, "\n").encode())
        assert carried(path, Path(name) / "out.csv") == rows


@pytest.mark.parametrize(
    ("cell", "encoding", "told"),
    [
        ("Zoë", "windows-1252", None),
        ("5 € “off”", "windows-1252", None),
        ("5 € “off”", "windows-1252", "windows-1252"),
        ("\x81 \x93", "latin-1", None),  # in Windows-1252 the first of these bytes means nothing
        ("“", "windows-1252", "latin-1"),
        ("Zoë €", "utf-8", None),
    ],
)
@pytest.mark.parametrize("engine", [Local, Tiny])
def test_text_that_is_not_utf_8_is_that_of_windows(tmp_path, cell, encoding, told, engine):
    """Quotes and currency signs that a spreadsheet wrote come out as they were seen there."""
    (tmp_path / "in.csv").write_bytes(f"nom,café\n{cell},1\nx,2\n".encode(encoding))
    table = shoal.read(tmp_path / "in.csv", rest=Role.PLAIN, encoding=told, engine=engine())
    assert table.schema.names == ("nom", "café")
    shown = cell.encode(encoding).decode(told or encoding)
    assert table.to_arrow().to_pydict() == {"nom": [shown, "x"], "café": [1, 2]}
    assert table.origin.notes == (() if (told or encoding) == "utf-8" else (f"encoding {told or encoding}",))


@pytest.mark.parametrize("size", [1, 3, 50])
def test_a_column_that_turns_to_text_late_is_read_again_from_the_start(tmp_path, size):
    lines = [str(i) for i in range(size * 1000)] + ["x", "007", "5"]
    (tmp_path / "in.csv").write_text("a,b\n" + "".join(f"{line},{i}\n" for i, line in enumerate(lines)))
    found = carried(tmp_path / "in.csv", tmp_path / "out.csv")
    assert found == [[line, str(i)] for i, line in enumerate(lines)]


def test_cells_that_straddle_the_reading_buffer_are_whole(tmp_path):
    # More bytes than one buffer holds, in rows whose lengths share no divisor with it.
    rows = [[f"{'x' * (i % 977)}é", str(i), f'"{i},\n{i}"'] for i in range(12_000)]
    with (tmp_path / "in.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["a", "b", "c"], *rows])
    assert (tmp_path / "in.csv").stat().st_size > 1 << 22
    assert carried(tmp_path / "in.csv", tmp_path / "out.csv") == rows


def whole(cell: str) -> int:
    """Give a cell of a number column as the kernel gives it: what is no canonical integer of 32 bits is TOP."""
    if cell == "":
        return MISSING
    canonical = re.fullmatch(r"0|-?[1-9][0-9]{0,9}", cell)
    return int(cell) if canonical and abs(int(cell)) < TOP else TOP


@given(
    st.integers(1, 12),
    st.integers(0, 2**32),
    st.lists(st.tuples(st.floats(0, 1), st.sampled_from(_ODD)), max_size=4),
    st.sampled_from([",", ";", "\t", "|"]),
    st.integers(1, 400),
)
def test_long_stretches_of_numbers_are_read_as_python_reads_them(width, seed, odd, delimiter, room):
    draw = np.random.Generator(np.random.PCG64(seed))
    count = 6000 // (4 * width)
    table = draw.integers(0, 10 ** draw.integers(1, 9, (count, width))).astype(str).tolist()
    for share, cell in odd:
        place = int(share * (count * width - 1))
        table[place // width][place % width] = cell
    written = [delimiter.join(f'"{c}"' if c == "" and width == 1 else c for c in row) for row in table]
    buffer = np.frombuffer("".join(line + "\n" for line in written).encode(), np.uint8)
    modes, targets = np.full(width, NUMBER, np.int32), np.arange(width, dtype=np.int32)
    targets[width // 2 :] = -1 - np.arange(width - width // 2)
    cells, others = np.zeros((count, width // 2), np.int32), np.zeros((count, width - width // 2), np.int32)
    irregular, scratch, place = np.zeros(width, np.int64), np.empty(64, np.uint8), 0
    for first in range(0, count, room):  # as many rows at a time as there is room for
        stop = min(first + room, count)
        rows = RowParser(modes, targets, cells[first:stop], others[first:stop], InternTable(width), irregular, scratch)
        status, place, _ = rows.read(buffer, place, buffer.size, delimiter)
        assert (status, rows.row, rows.line) == (DONE if stop == count else MORE_ROWS, stop - first, stop - first + 1)
    wanted = np.array([[whole(cell.strip('"')) for cell in row] for row in table], np.int64)
    assert place == buffer.size
    assert np.hstack([cells, others]).tolist() == wanted.tolist()
    assert irregular.tolist() == (wanted == TOP).sum(axis=0).tolist()
