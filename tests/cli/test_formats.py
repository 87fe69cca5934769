"""Files as they come: the paper's format, other delimiters and encodings, quoting, Parquet; and back again."""

import csv
import datetime
import io
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

HEADER = "oshpd_id,age_yrs,sex,ethncty,race,patzip,patcnty,los,adm_qtr,charge"
RECORD = "380929,25,1,2,1,94928,49,18,4,220449"


@pytest.fixture(autouse=True)
def in_the_order_of_the_input(desk):
    """Leave rows where they were, so that what comes out can be set beside what went in."""
    desk.row_order = "input"


def cells(text, delimiter=","):
    return list(csv.reader(io.StringIO(text), delimiter=delimiter))


# The paper's format


def test_the_example_of_the_paper(desk):
    other = "380930,30,2,2,3,94930,49,1,4,1000"
    desk.mask(f"{HEADER}\n{RECORD}\n{other}\n", "--roles", "last-sensitive").fine()
    ranges = "[380929;380930],[25;30],[1;2],[2;2],[1;3],[94928;94930],[49;49],[1;18],[4;4]"
    assert desk.read("out.csv") == f"{HEADER}\n{ranges},220449\n{ranges},1000\n"


def test_the_last_column_is_confidential_by_place(desk):
    desk.mask(f"{HEADER}\n{RECORD}\n{RECORD}\n", "--roles", "last-sensitive").fine()
    found = desk.run("risk", "out.csv", "--roles", "last-sensitive", "--where", "charge > 220448", "--json").json()
    assert found["attribute_disclosure"] == 1


def test_records_come_out_in_the_order_in_which_they_went_in(desk):
    draw = random.Random(7)
    rows = [(draw.randrange(100), draw.choice("abc"), i) for i in range(500)]
    text = "age,town,number\n" + "".join(f"{a},{t},{i}\n" for a, t, i in rows)
    desk.mask(text, "--roles", "last-sensitive", "--allow-identifier", "number", k=7).fine()
    head, *released = cells(desk.read("out.csv"))
    assert head == ["age", "town", "number"]
    assert [row[2] for row in released] == [str(i) for i in range(500)]
    for (age, town, _), (span, towns, _) in zip(rows, released, strict=True):
        low, high = span.strip("[]").split(";")
        assert int(low) <= age <= int(high)
        assert town in towns.strip("{}").split(";")


def test_a_range_of_one_value_is_still_a_range(desk):
    desk.mask("age,c\n5,1\n5,2\n", "--roles", "last-sensitive").fine()
    assert desk.read("out.csv") == "age,c\n[5;5],1\n[5;5],2\n"


@pytest.mark.parametrize(
    ("column", "values", "published"),
    [
        ("integer", ("-3", "12"), "[-3;12]"),
        ("large integer", ("-3", "9000000000"), "[-3;9000000000]"),
        ("float", ("1.5", "-0.25"), "[-0.25;1.5]"),
        ("date", ("2009-12-31", "2010-01-02"), "[2009-12-31;2010-01-02]"),
        ("category", ("White", "Black"), "{Black;White}"),
        ("accented category", ("Zürich", "Besançon"), "{Besançon;Zürich}"),
        ("code", ("007", "010"), "{007;010}"),
        ("missing beside a number", ("", "12"), "*"),
        ("missing beside a category", ("x", ""), "*"),
        ("nothing at all", ("", ""), ""),
    ],
)
def test_what_is_published_of_each_kind(desk, column, values, published):
    desk.mask(f"{column},c\n{values[0]},1\n{values[1]},2\n", "--roles", "last-sensitive").fine()
    assert cells(desk.read("out.csv"))[1:] == [[published, "1"], [published, "2"]]
    desk.check().fine()


def test_ordered_categories_are_published_as_a_range(desk):
    desk.mask("size,c\nL,1\nS,2\n", "--quasi", "size", "--sensitive", "c", "--order", "size=S,M,L").fine()
    assert desk.read("out.csv") == "size,c\n[S;L],1\n[S;L],2\n"
    desk.check().fine()


# Wildcards


def test_wildcards_in_the_input_of_risk_are_cells_like_others(desk):
    desk.put("t.csv", "age,zip\n*,937**\n*,937**\n34,93701\n34,937**\n")
    found = desk.run("risk", "t.csv", "--quasi", "age,zip", "--masked", "--json").json()
    assert (found["records"], found["unique"], found["classes"]) == (4, 2, 3)


def test_a_wildcard_loses_as_much_as_the_whole_range(desk):
    desk.put("a.csv", "age\n1\n2\n7\n")
    desk.put("star.csv", "age\n*\n*\n*\n")
    desk.put("range.csv", "age\n[1;7]\n[1;7]\n[1;7]\n")
    star, whole = desk.run("compare", "a.csv", "star.csv", "range.csv", "--quasi", "age", "--json").json()["releases"]
    assert star["information_loss"] == pytest.approx(whole["information_loss"])
    assert star["information_loss"] > 0


def test_a_wildcard_of_digits_stands_for_the_numbers_that_begin_so(desk):
    desk.put("a.csv", "zip\n93701\n93799\n")
    desk.put("b.csv", "zip\n937**\n937**\n")
    found = desk.run("compare", "a.csv", "b.csv", "--quasi", "zip", "--json").json()["releases"][0]
    deviation = 98 / 2**0.5
    assert found["information_loss"] == pytest.approx((98 + 99) / 2 / deviation)
    assert found["unique"] == 0


def test_wildcards_of_codes_are_categories(desk):
    desk.put("a.csv", "zip\nA123\nA124\nB777\nB778\n")
    desk.put("b.csv", "zip\nA12*\nA12*\nB77*\nB77*\n")
    found = desk.run("compare", "a.csv", "b.csv", "--quasi", "zip", "--json").json()["releases"][0]
    assert (found["unique"], found["classes"]) == (0, 2)


@pytest.mark.parametrize("masked", ["*", "[1;2]"])
def test_a_masked_confidential_cell_does_not_change_what_others_say(desk, masked):
    desk.put("t.csv", f"age,charge\n30,{masked}\n40,50\n40,1\n50,60\n")
    found = desk.run("risk", "t.csv", "--quasi", "age", "--where", "charge > 10", "--masked", "--json").json()
    assert found["attribute_disclosure"] == pytest.approx(1 / 2)  # 50 hides behind 1, 60 stands alone


# Delimiters and quoting


@pytest.mark.parametrize("delimiter", [";", "\t", "|", ","])
def test_output_is_comma_delimited_whatever_the_input_was(desk, people, delimiter):
    desk.mask(people.replace(",", delimiter), "--quasi", "age,zip,sex", "--sensitive", "charge").fine()
    assert desk.read("out.csv").splitlines()[:2] == ["age,zip,sex,charge", "[34;35],[93701;93702],{f;m},100"]


@pytest.mark.parametrize(("asked", "delimiter"), [(";", ";"), ("|", "|"), ("\t", "\t"), ("\\t", "\t")])
def test_another_delimiter_on_demand_reads_back(desk, people, asked, delimiter):
    desk.mask(people, "--quasi", "age,zip,sex", "--sensitive", "charge", "--delimiter", asked).fine()
    rows = cells(desk.read("out.csv"), delimiter)
    assert rows[:2] == [["age", "zip", "sex", "charge"], ["[34;35]", "[93701;93702]", "{f;m}", "100"]]
    desk.check().fine()
    found = desk.run("compare", "in.csv", "out.csv", "--quasi", "age,zip,sex", "--json").json()["releases"][0]
    assert found["smallest_class"] == 2


def test_ranges_are_quoted_when_the_delimiter_is_a_semicolon(desk, people):
    desk.mask(people, "--quasi", "age,zip,sex", "--sensitive", "charge", "--delimiter", ";").fine()
    assert desk.read("out.csv").splitlines()[1] == '"[34;35]";"[93701;93702]";"{f;m}";100'


@pytest.mark.parametrize("delimiter", ["1", "-", "é", "→", "\0", '"', "\n", "[", "*", "ab", ""])
def test_a_delimiter_that_could_not_be_read_back_is_refused(desk, people, delimiter):
    made = desk.mask(people.replace("34,", "-34,"), "--quasi", "age,zip", "--delimiter", delimiter)
    made.refused(2, "delimiter")


def test_the_input_delimiter_can_be_told(desk):
    desk.put("t.csv", "a:b,c\n1:2\n1:2\n")
    assert desk.run("risk", "t.csv", "--quasi", '"b,c"', "--in-delimiter", ":", "--json").json()["classes"] == 1


NOTES = ["a,b", 'say ""x""', "two\nlines", "carriage\rreturn", "both\r\n", ";", " spaced ", ""]


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_confidential_cells_come_out_as_they_went_in(desk, delimiter):
    text = "age,note\n" + "".join(f'{i},"{note}"\n' for i, note in enumerate(NOTES))
    desk.mask(text, "--quasi", "age", "--sensitive", "note", "--delimiter", delimiter).fine()
    with (desk.folder / "out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter=delimiter))
    assert [row[1] for row in rows[1:]] == [note.replace('""', '"') for note in NOTES]
    desk.check().fine()


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_quoted_categories_are_published_in_sets_that_read_back(desk, delimiter):
    towns = ["a,b", 'the ""x""', "two\nlines", "semi;colon", "curly}brace", "back\\slash"]
    text = "town,c\n" + "".join(f'"{town}",1\n' for town in towns)
    desk.mask(text, "--quasi", "town", "--sensitive", "c", "--delimiter", delimiter).fine()
    desk.check().fine()
    found = desk.run("compare", "in.csv", "out.csv", "--quasi", "town", "--json").json()["releases"][0]
    assert found["smallest_class"] >= 2


@pytest.mark.parametrize("town", ["two\nlines", "carriage\rreturn", "a,b", 'the ""x""'])
def test_a_category_that_a_class_shares_is_quoted_where_a_reader_needs_it(desk, town):
    desk.mask(f'town,c\n"{town}",1\n"{town}",2\n', "--quasi", "town", "--sensitive", "c").fine()
    with (desk.folder / "out.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file))[1:] == [[town.replace('""', '"'), "1"], [town.replace('""', '"'), "2"]]
    desk.check().fine()


def test_cells_of_many_lines_in_a_large_file_come_out_as_they_went_in(desk):
    notes = [f"{i}\nsecond, {'x' * (i % 50)}\n" for i in range(100_000)]  # beyond what is read at a time
    text = "age,note\n" + "".join(f'{i % 90},"{n}"\n' for i, n in enumerate(notes))
    desk.mask(text, "--roles", "last-sensitive", "--allow-identifier", "note").fine()
    assert [row[1] for row in cells(desk.read("out.csv"))[1:]] == notes


def test_a_column_name_may_need_quotes_too(desk):
    desk.mask('"a,b","say ""x"""\n1,2\n3,4\n', "--quasi", '"a,b"', "--sensitive", '"say ""x"""').fine()
    assert cells(desk.read("out.csv"))[0] == ["a,b", 'say "x"']
    desk.check().fine()


@pytest.mark.parametrize("delimiter", [",", ":"])
def test_a_column_name_with_a_line_break_reads_back(desk, delimiter):
    text = '"a\nb",c\n1,2\n3,4\n'.replace(",", delimiter)
    desk.mask(text, "--roles", "last-sensitive", "--in-delimiter", delimiter).fine()
    assert cells(desk.read("out.csv"))[0] == ["a\nb", "c"]
    desk.check().fine()


def test_a_second_column_name_with_a_line_break_belongs_to_the_header(desk):
    desk.put("t.csv", 'a:"b\nc"\n1:2\n3:4\n')
    assert desk.run("risk", "t.csv", "--quasi", "a", "--in-delimiter", ":", "--json").json()["records"] == 2


# Byte order mark, line ends, encodings


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda text: b"\xef\xbb\xbf" + text.encode(), id="byte order mark"),
        pytest.param(lambda text: text.replace("\n", "\r\n").encode(), id="CRLF"),
        pytest.param(lambda text: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(), id="both"),
        pytest.param(lambda text: text.rstrip("\n").encode(), id="no last line end"),
        pytest.param(lambda text: text.encode() + b"\n\r\n\n", id="empty lines at the end"),
        pytest.param(lambda text: text.replace("sex", '"sex"').replace("34", '"34"').encode(), id="needless quotes"),
    ],
)
def test_the_dress_of_a_file_does_not_matter(desk, people, change):
    desk.mask(people, "--roles", "last-sensitive").fine()
    plain = desk.read("out.csv")
    assert "\r" not in plain
    desk.mask(change(people), "--roles", "last-sensitive").fine()
    assert desk.read("out.csv") == plain


def test_a_mark_before_a_quoted_header_belongs_to_no_name(desk):
    desk.mask(b'\xef\xbb\xbf"age","c"\r\n"1","x"\r\n"2","y"\r\n', "--quasi", "age", "--sensitive", "c").fine()
    assert desk.read("out.csv") == "age,c\n[1;2],x\n[1;2],y\n"


TOWNS = "âge,ville\n30,Besançon\n31,Nîmes\n"


@pytest.mark.parametrize(("encoding", "told"), [("utf-8", ()), ("latin-1", ()), ("latin-1", ("--encoding", "latin-1"))])
def test_accents_in_names_and_cells_survive_as_utf_8(desk, encoding, told):
    desk.mask(TOWNS.encode(encoding), "--quasi", "âge,ville", *told).fine()
    assert desk.read("out.csv") == "âge,ville\n[30;31],{Besançon;Nîmes}\n[30;31],{Besançon;Nîmes}\n"
    desk.check().fine()


def test_an_encoding_that_was_told_is_used(desk):
    desk.mask("a,b\n1,Œuf\n2,Œuf\n".encode("cp1252"), "--quasi", "a,b", "--encoding", "cp1252").fine()
    assert "Œuf" in desk.read("out.csv")


def test_inspect_notes_what_was_found_out_about_the_file(desk):
    desk.put("t.csv", "âge;ville\n30;Besançon\n".encode("latin-1"))
    notes = desk.run("inspect", "t.csv", "--json").json()["notes"]
    assert any("windows-1252" in note for note in notes)
    assert any("';'" in note for note in notes)


# Decimal comma


@pytest.mark.parametrize("told", [(), ("--decimal", ",")])
def test_a_decimal_comma_is_read_as_one(desk, told):
    desk.mask("w;c\n1,5;0,25\n2,75;3\n", "--quasi", "w", "--sensitive", "c", *told).fine()
    assert desk.read("out.csv").splitlines()[1].startswith("[1.5;2.75],0.25")
    found = desk.run("risk", "in.csv", "--quasi", "w", "--where", "c > 1", *told, "--json").json()
    assert found["attribute_disclosure"] == 1
    desk.check("--private", "out.private.json", "--original", "in.csv").fine()


def test_a_point_where_the_decimal_sign_is_a_comma_is_not_taken_for_one(desk, secret):
    # 1.500 is fifteen hundred in such a file, not one and a half.
    made = desk.mask(f"w;c\n1.500;{secret}\n2,75;x\n", "--quasi", "w", "--sensitive", "c", "--decimal", ",")
    made.refused(3, "'w'")


@pytest.mark.parametrize(("encoding", "decimal"), [("latin-1", ","), ("utf-8", ".")])
def test_a_release_is_compared_with_an_original_in_another_dress(desk, encoding, decimal):
    desk.mask(f"ville;w\nNîmes;1{decimal}5\nÉvian;2{decimal}5\n".encode(encoding), "--quasi", "ville,w").fine()
    found = desk.run("compare", "in.csv", "out.csv", "--quasi", "ville,w", "--json").json()["releases"][0]
    assert found["information_loss"] == pytest.approx(1)  # each column is off by √2 deviations: √(2 + 2) / 2


# Missing values


def test_texts_for_missing_values_are_told_and_never_guessed(desk):
    text = "age,c\n-999,1\n-998,2\nNA,3\nNA,4\n"
    roles = ("--quasi", "age", "--sensitive", "c")
    desk.mask(text, *roles, "--kind", "age=integer").refused(3, "'age'", "line 4")
    desk.mask(text, *roles, "--missing", "NA").fine()
    rows = cells(desk.read("out.csv"))[1:]
    assert rows == [["[-999;-998]", "1"], ["[-999;-998]", "2"], ["", "3"], ["", "4"]]
    desk.check().fine()
    desk.mask(text, *roles, "--missing", "NA,-999").fine()
    assert "999" not in desk.read("out.csv")
    desk.check().fine()


# Parquet


@pytest.fixture
def typed(desk):
    """Give the path of a Parquet file with a column of each type."""
    days = [datetime.date(1990, 1, day) for day in (1, 2, 3, 4)]
    columns = {
        "age": [34, 35, 61, 62],
        "born": pa.array(days),
        "weight": [1.5, 2.5, 3.5, None],
        "town": ["a", "b", "a", "c"],
        "charge": [5, 6, 7, 8],
    }
    pq.write_table(pa.table(columns), desk.folder / "in.parquet")
    return desk.folder / "in.parquet"


ROLES = ("--quasi", "age,born,weight,town", "--sensitive", "charge", "--k", 2)


def test_parquet_in_parquet_out_has_spans_as_structs(desk, typed):
    desk.run("anonymize", typed, "--out", "out.parquet", *ROLES).fine()
    released = pq.read_table(desk.folder / "out.parquet")
    assert [field.name for field in released.schema.field("age").type] == ["lo", "hi"]
    first, *_, last = released.to_pylist()
    assert first == {
        "age": {"lo": 34, "hi": 35},
        "born": {"lo": datetime.date(1990, 1, 1), "hi": datetime.date(1990, 1, 2)},
        "weight": {"lo": 1.5, "hi": 2.5},
        "town": "{a;b}",
        "charge": 5,
    }
    assert last["weight"] == {"lo": None, "hi": None}
    desk.run("check", "out.parquet", "--certificate", "out.certificate.json", "--private", "out.private.json",
             "--original", typed).fine()  # fmt: skip


def test_the_two_formats_say_the_same(desk, typed):
    for out in ("one.parquet", "other.csv"):
        desk.run("anonymize", typed, "--out", out, *ROLES).fine()
    quasi = ("--quasi", "age,born,weight,town", "--json")
    one, other = desk.run("compare", typed, "one.parquet", "other.csv", *quasi).json()["releases"]
    assert {**one, "path": ""} == {**other, "path": ""}


def test_text_in_parquet_out(desk, people):
    desk.put("in.csv", people)
    desk.run("anonymize", "in.csv", "--out", "out.parquet", "--roles", "last-sensitive", "--k", 2).fine()
    found = pq.read_table(desk.folder / "out.parquet").column("charge").to_pylist()
    assert sorted(found) == [100, 150, 200, 300, 400, 900]
    desk.run("check", "out.parquet", "--certificate", "out.certificate.json").fine()


def test_large_numbers_in_a_release_can_be_compared_with_small_ones(desk):
    desk.put("a.csv", "zip\n10\n20\n")
    desk.put("b.csv", "zip\n[10;3000000000]\n[10;20]\n")
    found = desk.run("compare", "a.csv", "b.csv", "--quasi", "zip", "--json").json()
    assert found["releases"][0]["unique"] == 2
