"""Bad input: each is refused with what is wrong, where and what to do, shows no cell, and leaves nothing behind."""

import gzip
import tracemalloc

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cli.conftest import ROLES, SECRET, TABLE

# Columns


@pytest.mark.parametrize(
    ("asked", "name", "meant"),
    [
        (("--quasi", "agee,zip"), "'agee'", "'age'"),
        (("--quasi", "Age"), "'Age'", "'age'"),
        (("--quasi", "age", "--sensitive", "ntoe"), "'ntoe'", "'note'"),
        (("--quasi", "age", "--plain", "zipp"), "'zipp'", "'zip'"),
        (("--quasi", "age", "--subject", "notes"), "'notes'", "'note'"),
        (("--quasi", "age", "--kind", "zp=category"), "'zp'", "'zip'"),
        (("--quasi", "age", "--order", "zp=1,2"), "'zp'", "'zip'"),
        ((*ROLES, "--where", "notee = x"), "'notee'", "'note'"),
        ((*ROLES, "--t", "0.3", "--t-column", "notee"), "'notee'", "'note'"),
    ],
)
def test_a_misspelt_column_is_named_with_the_one_that_was_meant(desk, asked, name, meant):
    desk.mask(TABLE, *asked).refused(2, name, f"Did you mean {meant}?")


def test_a_column_that_is_like_no_other_is_named_with_all_there_are(desk):
    desk.mask(TABLE, "--quasi", "income").refused(2, "'income'", "age, zip, note")


def test_a_known_column_that_is_no_quasi_identifier_is_named(desk):
    desk.put("in.csv", TABLE)
    desk.run("risk", "in.csv", "--quasi", "age,zip", "--known", "agee").refused(2, "'agee'", "'age'")


def test_a_known_set_without_a_name_is_refused(desk):
    desk.put("in.csv", TABLE)
    desk.run("risk", "in.csv", "--quasi", "age", "--known", "").refused(2, "--known")


def test_a_column_cannot_have_two_roles(desk):
    desk.mask(TABLE, "--quasi", "age,zip", "--sensitive", "zip").refused(2, "'zip'", "two roles")


@pytest.mark.parametrize("other", ["--quasi", "--sensitive", "--plain", "--subject"])
def test_roles_are_given_by_name_or_by_place_not_both(desk, other):
    # A subject that is silently forgotten would let k count records where people were meant.
    desk.mask(TABLE, "--roles", "last-sensitive", other, "age").refused(2, "last-sensitive")


@pytest.mark.parametrize("command", [("anonymize", "--out", "out.csv", "--k", "2"), ("risk",)])
def test_a_table_of_one_column_has_no_quasi_identifier_by_place(desk, command):
    desk.put("in.csv", f"note\n{SECRET}\nx\n")
    name, *rest = command
    desk.run(name, "in.csv", "--roles", "last-sensitive", *rest).refused(2, "quasi-identifier")


@pytest.mark.parametrize("asked", [(), ("--sensitive", "note")], ids=["no role at all", "only a sensitive one"])
def test_without_quasi_identifiers_nothing_is_released(desk, asked):
    desk.mask(TABLE, *asked).refused(2, "quasi-identifier", "--quasi")


def test_roles_by_another_word_are_refused(desk):
    desk.mask(TABLE, "--roles", "first-sensitive").refused(2, "'first-sensitive'", "last-sensitive")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--kind", "age=intger"), ("'intger'", "'age'", "Did you mean 'integer'?")),
        (("--kind", "age"), ("'age'", "age=integer")),
        (("--kind", "=integer"), ("'=integer'",)),
        (("--order", "age"), ("'age'",)),
        (("--order", "age=34,35,61,62,34"), ("'age'",)),
        (("--plain", "no\nsuch"), ()),
        (("--decimal", "x"), ("decimal",)),
        (("--in-delimiter", "ab"), ("delimiter", "--in-delimiter")),
        (("--in-delimiter", "→"), ("delimiter",)),
        (("--encoding", "klingon"), ("'klingon'", "utf-8")),
    ],
)
def test_an_option_that_makes_no_sense_says_how_it_is_written(desk, given, said):
    desk.mask(TABLE, *ROLES, *given).refused(2, *said)


# Header and lines


@pytest.mark.parametrize("header", ["age,age", "age, age", '"age",age'])
def test_duplicate_names_in_the_header_are_named(desk, header):
    desk.mask(f"{header}\n34,{SECRET}\n35,x\n", "--quasi", "age").refused(3, "'age'", "header")


def test_duplicate_names_in_parquet_are_named(desk):
    table = pa.Table.from_arrays([pa.array([1, 2]), pa.array([SECRET, "x"])], names=["age", "age"])
    pq.write_table(table, desk.folder / "in.parquet")
    desk.run("risk", "in.parquet", "--quasi", "age").refused(3, "'age'")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ([f"34,{SECRET}", "35"], "Line 3 has 1 field,"),
        ([f"34,{SECRET}", f"35,x,{SECRET}"], "Line 3 has 3 fields,"),
        ([f"34,{SECRET}", f"35,x,{SECRET},"], "Line 3 has 4 fields,"),
        ([f"34,{SECRET}", "", "35,x"], "Line 3 has 1 field,"),
        ([f"34,{SECRET}", "", "", "35,x"], "Line 3 has 1 field,"),
        ([f'34,"two\nlines {SECRET}"', "35"], "Line 4 has 1 field,"),
        ([f'34,"{SECRET}",5', "35,x"], "Line 2 has 3 fields,"),
        ([f'34,"{SECRET}",",,,"', "35,x"], "Line 2 has 3 fields,"),
        ([SECRET, "35,x"], "Line 2 has 1 field,"),
    ],
)
def test_a_ragged_line_is_named_by_its_number(desk, rows, line, end):
    made = desk.mask("".join(row + end for row in ["age,note", *rows]), "--quasi", "age", "--sensitive", "note")
    made.refused(3, line, "header has 2")


def test_a_ragged_line_is_explained_by_an_option_that_exists(desk):
    made = desk.mask(f"age note,x\n34 {SECRET}\n", "--quasi", "x")
    made.refused(3, "--in-delimiter")


def test_a_ragged_line_far_down_is_named_by_its_number(desk):
    rows = [f"{i % 90},{SECRET}" for i in range(400_000)]  # beyond the first piece that is read
    rows[350_000] = "35"
    made = desk.mask("age,note\n" + "\n".join(rows), "--quasi", "age", "--sensitive", "note")
    made.refused(3, "Line 350002 has 1 field")


def test_an_empty_line_at_the_seam_of_two_pieces_is_found(desk):
    # The reader takes 4 MiB at a time: the empty line ends the first piece, and records follow in the second.
    row = b"34,93701\n"
    head = b"age,zip\n"
    whole, rest = divmod((1 << 22) - len(head) - 1, len(row))
    text = head[:-1] + b" " * rest + b"\n" + row * whole + b"\n" + row
    assert len(text) - len(row) == 1 << 22
    desk.mask(text, "--quasi", "age,zip").refused(3, f"Line {whole + 2} has 1 field")


def test_cells_of_many_lines_do_not_confuse_the_count_of_lines(desk):
    rows = [f'{i % 90},"{SECRET}\n{i},x\n"' for i in range(200_000)]  # beyond the first piece that is read
    rows[-1] = "35"
    made = desk.mask("age,note\n" + "\n".join(rows), "--quasi", "age", "--sensitive", "note")
    made.refused(3, f"Line {199_999 * 3 + 2} has 1 field")


@pytest.mark.parametrize("row", [f'34,"{SECRET}', f'34,"{SECRET}\n35,x\n36,y\n', f'34,"{SECRET}""\n35,x\n'])
def test_a_quote_that_is_never_closed_is_named_by_its_line(desk, row):
    made = desk.mask(f"age,note\n33,w\n{row}", "--quasi", "age", "--sensitive", "note")
    made.refused(3, "line 3", "never closed")


@pytest.mark.parametrize("rows", [1, 20_000])
def test_a_quote_in_the_header_that_is_never_closed_shows_no_cell(desk, rows):
    made = desk.mask('"age,note\n' + f"34,{SECRET}\n" * rows, "--quasi", "age")
    made.refused(3, "header", "quote")


def test_a_file_without_a_header_does_not_show_its_first_record(desk):
    made = desk.mask(f"34,93701,{SECRET}\n35,93702,x\n", "--quasi", "age")
    assert made.code in (2, 3)
    made.refused(made.code, "header")


# Files that are no tables


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param(b"", "empty", id="empty"),
        pytest.param(b"\xef\xbb\xbf", "header", id="only a byte order mark"),
        pytest.param(b"\n\n", "header", id="only line ends"),
        pytest.param(b"age,zip", "no records", id="header without line end"),
        pytest.param(b"age,zip\n", "no records", id="header only"),
        pytest.param(b"age,zip\r\n\r\n\n", "no records", id="header and empty lines"),
        pytest.param(TABLE.encode("utf-16"), "UTF-16", id="UTF-16 with a mark"),
        pytest.param(TABLE.encode("utf-16-le"), "text", id="UTF-16 without"),
        pytest.param(bytes(range(256)) * 9, "text", id="binary"),
        pytest.param(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "text", id="picture"),
        pytest.param(b"PAR1\x15\x04\x15\x00PAR1", "text", id="Parquet under another name"),
        pytest.param(b"age,zip\n34,9\x003701\n35,93702\n", "text", id="a zero byte"),
    ],
)
def test_what_is_no_table_is_unreadable(desk, content, said):
    desk.mask(content, "--quasi", "age").refused(3, "'in.csv'", said)


def test_a_zero_byte_far_down_is_found_too(desk):
    text = "age,note\n" + "36,mmmmm\n" * 500_000 + "37,a\0b\n" * 2
    desk.mask(text, "--quasi", "age,note").refused(3, "text")


@pytest.mark.parametrize("command", ["inspect", "risk", "anonymize", "compare"])
@pytest.mark.parametrize("place", ["nothing.csv", "nothing.parquet", "folder", "folder.parquet", "in.csv/below"])
def test_a_file_that_is_not_there_is_unreadable(desk, command, place):
    desk.put("in.csv", TABLE)
    (desk.folder / "folder").mkdir()
    (desk.folder / "folder.parquet").mkdir()
    rest = {
        "inspect": (),
        "risk": ("--quasi", "age"),
        "anonymize": ("--quasi", "age", "--k", "2", "--out", "out.csv"),
        "compare": ("in.csv", "--quasi", "age"),
    }[command]
    desk.run(command, place, *rest).refused(3, f"'{place}'")


def test_a_release_to_compare_that_is_not_there_is_unreadable(desk):
    desk.put("in.csv", TABLE)
    desk.run("compare", "in.csv", "nothing.csv", "--quasi", "age").refused(3, "'nothing.csv'")


def test_a_release_of_another_length_is_refused(desk):
    desk.put("in.csv", TABLE)
    desk.put("other.csv", "age,zip\n34,93701\n")
    desk.run("compare", "in.csv", "other.csv", "--quasi", "age,zip").refused(2, "number of records")


def test_compare_needs_quasi_identifiers(desk):
    desk.put("in.csv", TABLE)
    desk.run("compare", "in.csv", "in.csv").refused(2, "--quasi")


@pytest.mark.parametrize("content", [b"", b"PAR1" + SECRET.encode() + b"PAR1", TABLE.encode()])
def test_what_is_no_parquet_is_unreadable(desk, content):
    desk.put("in.parquet", content)
    desk.run("risk", "in.parquet", "--quasi", "age").refused(3, "'in.parquet'", "Parquet")


@pytest.mark.parametrize(
    ("column", "kind", "said"),
    [
        pytest.param(pa.array([1.5, float("inf")]), None, "infinite", id="infinity"),
        pytest.param(pa.array([1, 2**63], pa.uint64()), None, "64 bits", id="beyond 64 bits"),
        pytest.param(pa.array([[1], [2]]), None, "type", id="lists"),
        pytest.param(pa.array([[1], [2]]), "category", "", id="lists as categories"),
        pytest.param(pa.array([b"\xff", b"b"]), "category", "", id="bytes as categories"),
        pytest.param(pa.array(["1", SECRET]), "integer", "integer", id="text as numbers"),
        pytest.param(pa.array([], pa.int64()), None, "", id="no records"),
    ],
)
def test_a_column_of_parquet_that_cannot_be_used_is_named(desk, column, kind, said):
    pq.write_table(pa.table({"age": column}), desk.folder / "in.parquet")
    declared = () if kind is None else ("--kind", f"age={kind}")
    where = "records" if len(column) == 0 else "'age'"
    desk.run("risk", "in.parquet", "--quasi", "age", *declared).refused(3, where, said)


# Cells


@pytest.mark.parametrize(
    ("cells", "kind", "said"),
    [
        pytest.param(("34", SECRET, "36"), None, "line 3", id="text among numbers"),
        pytest.param(("1.5", "2.5", f"{SECRET}"), None, "line 4", id="text among decimals"),
        pytest.param(("x", SECRET, "3"), "integer", "line 2", id="text declared as numbers"),
        pytest.param(("1", "1.5", "2"), "integer", "line 3", id="decimals declared as whole numbers"),
        pytest.param(("2020-01-01", "2020-13-45", "2020-01-02"), None, "line 3", id="no day of the calendar"),
        pytest.param(("2020-01-01", SECRET, "x"), "date", "line 3", id="text declared as dates"),
        pytest.param(("2020-01-01 10:00", "2020-01-01 25:99", ""), None, "line 3", id="no time of the day"),
        pytest.param(("1.5", "inf", "2"), None, "line 3", id="infinity"),
        pytest.param(("1", "-Infinity", "2"), None, "line 3", id="minus infinity among whole numbers"),
        pytest.param(("1", "2", "1e999"), None, "line 4", id="a number too large for a float"),
        pytest.param(("34", "99999999999999999999", "36"), None, "64 bits", id="beyond 64 bits"),
        pytest.param(("34", "-9223372036854775809", "36"), None, "64 bits", id="below 64 bits"),
        pytest.param(("34", "9" * 5000, "36"), None, "kind", id="thousands of digits"),
        pytest.param(("[5;3]", "[1;2]", "4"), None, "line 2", id="a range upside down"),
        pytest.param(("{a;b}", "1", "2"), "integer", "declared integer", id="sets declared as numbers"),
    ],
)
@pytest.mark.parametrize("role", ["--quasi", "--sensitive"])
def test_a_cell_that_cannot_be_placed_is_named_by_column_and_line(desk, cells, kind, said, role):
    text = "other,value\n" + "".join(f"{i},{cell}\n" for i, cell in enumerate(cells))
    declared = () if kind is None else ("--kind", f"value={kind}")
    # Of a confidential column that no model looks at, a slip among its numbers says nothing wrong.
    about = ("--quasi", "other", role, "value", "--l", "2", "--method", "hilbert")
    roles = about if role == "--sensitive" else ("--quasi", "other,value")
    made = desk.mask(text, *roles, *declared)
    made.refused(3, "'value'", said)
    for cell in cells:
        assert len(cell) < 4 or cell not in made.err


def test_a_category_outside_its_order_is_named_by_line(desk):
    made = desk.mask(f"size,c\nS,1\n{SECRET},2\n", "--quasi", "size", "--order", "size=S,M,L")
    made.refused(3, "'size'", "line 3")


def test_an_order_that_is_not_given_is_asked_for(desk):
    desk.mask("size,c\nS,1\nM,2\n", "--quasi", "size", "--kind", "size=ordered").refused(3, "'size'", "--order")


def test_a_record_of_nobody_is_named(desk):
    text = f"pid,age,note\nA,30,x\n,31,{SECRET}\nC,50,y\n"
    desk.mask(text, "--quasi", "age", "--sensitive", "note", "--subject", "pid").refused(3, "'pid'")


def test_bytes_that_are_not_the_encoding_that_was_told_are_named_by_column(desk):
    text = f"age,ville\n30,Besançon {SECRET}\n31,x\n".encode("latin-1")
    desk.mask(text, "--quasi", "age,ville", "--encoding", "utf-8").refused(3, "'ville'", "--encoding windows-1252")


def test_a_header_that_is_not_the_encoding_that_was_told_is_refused(desk):
    text = "âge,ville\n30,x\n31,y\n".encode("latin-1")
    desk.mask(text, "--quasi", "ville", "--encoding", "utf-8").refused(3, "header", "--encoding windows-1252")


def test_a_very_long_cell_is_a_cell_like_others(desk):
    long = SECRET + "x" * 1_000_000
    made = desk.mask(f"age,note\n34,{long}\n35,y\n", "--quasi", "age", "--sensitive", "note")
    assert SECRET not in made.fine().out
    assert desk.read("out.csv") == f"age,note\n[34;35],{long}\n[34;35],y\n"
    desk.check().fine()


@pytest.mark.parametrize("quote", ["", '"'])
@pytest.mark.parametrize("asked", [("--sensitive", "note"), ()])
def test_a_cell_that_is_too_long_is_named_by_its_line(desk, quote, asked):
    text = f"age,note\n34,y\n35,{quote}{SECRET}{'x' * 1_100_000}{quote}\n36,z\n"
    desk.mask(text, "--quasi", "age", *asked).refused(3, "line 3", "a million characters")


@pytest.mark.parametrize("cell", ["x", "x,", '"x",', '"x'], ids=["bare", "many", "quoted", "open"])
def test_a_row_that_is_too_long_is_named_by_its_line_before_memory_grows(desk, cell):
    """A small compressed file may hold one line of any length, whatever limit of memory was given."""
    row = cell * (40_000_000 // len(cell))
    if cell == '"x':
        row = '"' + "x" * 40_000_000
    desk.folder.joinpath("long.csv.gz").write_bytes(gzip.compress(f"age,note\n34,y\n{row}\n".encode(), 1))
    tracemalloc.start()
    made = desk.run("anonymize", "long.csv.gz", "--out", "out.csv", "--quasi", "age", "--k", "2")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    made.refused(3, "line 3", "characters")
    assert peak < 60_000_000


def test_a_header_may_be_longer_than_what_is_read_at_once(desk):
    names = [f"c{i}" for i in range(600_000)]
    text = ",".join(names) + "\n" + ",".join(["1"] * len(names)) + "\n" + ",".join(["2"] * len(names)) + "\n"
    assert len(",".join(names)) > 1 << 22
    desk.mask(text, "--quasi", names[-1]).fine()
    assert desk.read("out.csv") == f"{names[-1]}\n[1;2]\n[1;2]\n"


@pytest.mark.parametrize("header", ["x" * 17_000_000, "," * 2_000_000], ids=["one name", "many names"])
def test_a_header_that_is_too_long_is_refused(desk, header):
    desk.mask(f"{header}\n1\n", "--quasi", "age").refused(3, "million")


def test_a_quoted_cell_without_end_is_named_by_its_line(desk):
    text = f'age,note\n34,y\n35,"{SECRET}' + "x\n" * 1_000_000
    desk.mask(text, "--quasi", "age", "--sensitive", "note").refused(3, "line 3")
