"""The state's discharge files: codes, masks and ranges, several files as one table, and files that are broken."""

import hashlib

import pytest

import shoal
from shoal.errors import DataError, ParameterError, SchemaError
from shoal.kernels import MISSING, TOP
from shoal_paper.datasets.oshpd import read_oshpd, write_oshpd

S1 = ["oshpd_id", "age_yrs", "sex", "ethncty", "race", "patzip", "patcnty", "los", "adm_qtr", "charge", "diag_p"]
RECORD = {
    "oshpd_id": "380929", "typ_care": "1", "age_yrs": "42", "agecat20": "10", "agecat5": "4", "sex": "1",
    "ethncty": "2", "race": "1", "patzip": "93722", "patcnty": "10", "los": "33", "adm_qtr": "1", "adm_yr": "2009",
    "charge": "505785", "diag_p": "4829", "odiag1": "", "dnr": "N",
}  # fmt: skip
SAID = ["380929", "42", "1", "2", "1", "93722", "10", "33", "1", "505785", "4829"]


def text(*records, header=tuple(RECORD), end="\n"):
    """Write records that differ from the usual one in some cells."""
    lines = [",".join(header), *(",".join((RECORD | record)[name] for name in header) for record in records)]
    return end.join(lines) + end


@pytest.fixture
def put(tmp_path):
    def put(*records, name="PDD_LA_comma_2009.csv", **layout):
        path = tmp_path / name
        whole = records[0] if records and isinstance(records[0], str) else text(*records, **layout)
        path.write_bytes(whole.encode())
        return path

    return put


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out.csv"


def rows(path):
    return [line.split(",") for line in path.read_text(encoding="utf-8").splitlines()[1:]]


def test_the_eleven_attributes_in_the_order_of_table_s1(put, out):
    table = write_oshpd([put({})], out)
    assert out.read_text(encoding="utf-8") == ",".join(S1) + "\n" + ",".join(SAID) + "\n"
    assert [(a.name, a.axis.kind) for a in table.schema.attributes] == [
        (name, "category" if name == "diag_p" else "integer") for name in S1
    ]
    assert table.schema.quasi == tuple(S1[:9])
    assert table.schema.sensitive == ("charge", "diag_p")
    assert table.schema.left_out == ("typ_care", "adm_yr", "odiag1", "dnr")
    assert {a.name: a.knowledge for a in table.schema.attributes} == {
        "oshpd_id": "spatial", "los": "temporal", "adm_qtr": "temporal", "charge": None, "diag_p": None,
        **dict.fromkeys(["age_yrs", "sex", "ethncty", "race", "patzip", "patcnty"], "census"),
    }  # fmt: skip


CELLS = [
    ("oshpd_id", "010735", "10735"),
    ("oshpd_id", "589999", "589999"),
    ("age_yrs", "0", "0"),
    ("age_yrs", "007", "7"),
    ("age_yrs", "85", "85"),
    ("age_yrs", "103", "85"),
    ("sex", "4", "4"),
    ("sex", " 02 ", "2"),
    ("sex", "*", "*"),
    ("ethncty", "3", "3"),
    ("race", "6", "6"),
    ("race", "**", "*"),
    ("race", "", ""),
    ("patzip", "00501", "501"),
    ("patzip", "937", "[93700;93799]"),
    ("patzip", "937**", "[93700;93799]"),
    ("patzip", "937  ", "[93700;93799]"),
    ("patzip", "*****", "*"),
    ("patzip", "XXXXX", ""),
    ("patzip", "xxx", ""),
    ("patzip", "YYYYY", "99998"),
    ("patzip", "ZZZZZ", "99999"),
    ("patzip", "ZZZ**", "99999"),
    ("patcnty", "00", "0"),
    ("patcnty", "58", "58"),
    ("patcnty", "**", "*"),
    ("los", "0", "1"),
    ("los", "0012", "12"),
    ("adm_qtr", "4", "4"),
    ("charge", "0", ""),
    ("charge", "0000001", "0"),
    ("charge", "2", "2"),
    ("charge", "9999999", "9999999"),
    ("charge", "***", "*"),
    ("diag_p", "v3000", "V3000"),
    ("diag_p", " 0389 ", "0389"),
    ("diag_p", "***", "*"),
    ("diag_p", "  ", ""),
]


@pytest.mark.parametrize(("column", "cell", "said"), CELLS)
def test_what_a_cell_becomes(put, out, column, cell, said):
    """A usual record stands beside it, so that no column has a single kind of cell only."""
    write_oshpd([put({column: cell}, {})], out)
    assert rows(out) == [[said if name == column else usual for name, usual in zip(S1, SAID, strict=True)], SAID]


@pytest.mark.parametrize(
    ("years", "fine", "coarse", "said"),
    [
        ("42", "*", "*", "42"),
        ("*", "10", "*", "[40;44]"),
        ("***", "10", "4", "[40;44]"),
        ("", "10", "4", "[40;44]"),
        ("*", "01", "1", "0"),
        ("*", "02", "2", "[1;4]"),
        ("*", "03", "2", "[5;9]"),
        ("*", "14", "4", "[60;64]"),
        ("*", "18", "5", "[80;84]"),
        ("*", "19", "5", "85"),
        ("*", "**", "1", "0"),
        ("*", "**", "2", "[1;17]"),
        ("*", "", "3", "[18;34]"),
        ("*", "*", "4", "[35;64]"),
        ("*", "*", "05", "[65;85]"),
        ("*", "*", "*", "*"),
        ("", "", "", "*"),
        ("*", "00", "*", ""),
        ("*", "*", "0", ""),
    ],
)
def test_an_age_is_as_fine_as_what_is_left_of_it(put, out, years, fine, coarse, said):
    write_oshpd([put({}, {"age_yrs": years, "agecat20": fine, "agecat5": coarse})], out)
    assert [row[1] for row in rows(out)] == ["42", said]


@pytest.mark.parametrize(
    ("without", "said"), [("agecat20", "[35;64]"), ("agecat5", "[40;44]"), ("agecat20 agecat5", "*")]
)
def test_ranges_of_age_may_be_absent(put, out, without, said):
    header = [name for name in RECORD if name not in without.split()]
    write_oshpd([put({"age_yrs": "*"}, header=header)], out)
    assert rows(out)[0][1] == said


def test_charges_may_stay_codes(put, out):
    write_oshpd([put({"charge": "0"}, {"charge": "1"}, {"charge": "9999999"})], out, charges="codes")
    assert [row[9] for row in rows(out)] == ["0", "1", "9999999"]
    with pytest.raises(ParameterError, match="Did you mean 'dollars'"):
        read_oshpd([put({})], charges="dollar")


def test_positions_of_masked_missing_and_ranged_cells(put):
    table = read_oshpd([put({"sex": "*", "race": "", "patzip": "937**"}, {})])
    assert table.data.lo[:, [2, 4, 5]].tolist() == [[MISSING, MISSING, 93700], [1, 1, 93722]]
    assert table.data.hi[:, [2, 4, 5]].tolist() == [[TOP, MISSING, 93799], [1, 1, 93722]]


def test_exact_cells_are_kept_once(put):
    data = read_oshpd([put({}, {})]).data
    assert data.hi is data.lo


def test_several_files_follow_each_other_each_with_its_own_header(put, out):
    first = put({"sex": "1", "diag_p": "0389"}, {"sex": "2", "charge": "7"})
    second = put({"sex": "2", "patzip": "937**"}, name="South.csv", header=[*reversed(RECORD)])
    third = put({"sex": "*", "age_yrs": "*"}, name="North.csv", header=[name for name in RECORD if name != "agecat20"])
    table = write_oshpd([first, second, third], out)
    found = rows(out)
    assert [row[2] for row in found] == ["1", "2", "2", "*"]
    assert [row[1] for row in found] == ["42", "42", "42", "[35;64]"]
    assert [row[5] for row in found] == ["93722", "93722", "[93700;93799]", "93722"]
    assert [row[9] for row in found] == ["505785", "7", "505785", "505785"]
    assert [row[10] for row in found] == ["0389", "4829", "4829", "4829"]
    assert table.origin.name == "PDD_LA_comma_2009.csv, South.csv, North.csv"
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (first, second, third)]
    assert table.origin.sha256 == hashlib.sha256("\n".join(digests).encode()).hexdigest()


def test_the_digest_of_one_file_is_its_own(put):
    path = put({})
    assert read_oshpd([path]).origin.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def quoted(line):
    return ",".join(f'"{cell}"' for cell in line.split(","))


LAYOUTS = {
    "line ends of another system": lambda whole: whole.replace("\n", "\r\n"),
    "a byte order mark": lambda whole: "\ufeff" + whole,
    "capitals in the header": lambda whole: whole.replace("oshpd_id", "OSHPD_ID").replace("sex", "Sex"),
    "blanks around names": lambda whole: whole.replace(",sex,", ", sex ,").replace("oshpd_id", " oshpd_id "),
    "blanks inside quotes": lambda whole: whole.replace(",sex,", ',"  sex ",'),
    "quotes everywhere": lambda whole: "\n".join(map(quoted, whole.splitlines())),
    "quotes, mark and line ends": lambda whole: "\ufeff" + "\r\n".join(map(quoted, whole.splitlines())),
    "no last line end": lambda whole: whole.rstrip("\n"),
    "empty lines at the end": lambda whole: whole + "\n\n",
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(put, out, layout):
    write_oshpd([put(LAYOUTS[layout](text({}, {"diag_p": "V3000"})))], out)
    assert rows(out) == [SAID, [*SAID[:-1], "V3000"]]


BAD = [
    *(("oshpd_id", cell) for cell in ("38092", "106190555", "009999", "590001", "38O929")),
    *(("age_yrs", cell) for cell in ("-1", "131", "4.5", "x", "²")),
    *(("agecat20", cell) for cell in ("20", "x")),
    *(("agecat5", cell) for cell in ("6", "-1")),
    *(("sex", cell) for cell in ("0", "5", "M", "1*")),
    *(("ethncty", cell) for cell in ("0", "4")),
    *(("race", cell) for cell in ("0", "7")),
    *(("patzip", cell) for cell in ("9372", "93", "937*", "937XX", "ABCDE", "XXXX", "XYZXY", "93722-1234", "1E4**")),
    *(("patcnty", cell) for cell in ("59", "-1", "Kern")),
    *(("los", cell) for cell in ("-3", "2.5", "4000000000", "99999999999999999999")),
    *(("adm_qtr", cell) for cell in ("0", "5")),
    *(("charge", cell) for cell in ("-1", "$5", "1e3", "12.50", "2147483647")),
]


@pytest.mark.parametrize(("column", "cell"), BAD)
def test_a_cell_that_is_no_code_is_refused_with_file_column_and_line(put, out, column, cell):
    path = put({}, {}, {column: cell}, {column: cell + " "})
    with pytest.raises(DataError) as caught:
        write_oshpd([put({}, name="other.csv"), path], out)
    assert caught.value.what == f"'{path}': Column '{column}' has a cell that is no code of these files (line 4)."
    assert "It must be" in caught.value.remedy
    assert not out.exists()


def test_no_message_shows_a_cell(put):
    with pytest.raises(DataError) as caught:
        read_oshpd([put({"sex": "secret"})])
    assert "secret" not in str(caught.value)


def test_the_first_bad_line_is_named_whatever_cell_came_first(put):
    with pytest.raises(DataError, match=r"line 3\)"):
        read_oshpd([put({}, {"sex": "8"}, {"sex": "7"}, {"sex": "8"})])


@pytest.mark.parametrize("column", S1)
def test_a_missing_column_is_named_with_what_is_near(put, column):
    path = put(text({}).replace(column, column[:-1], 1))
    with pytest.raises(SchemaError) as caught:
        read_oshpd([path])
    assert caught.value.what == f"'{path}': There is no column '{column}'."
    assert f"Did you mean '{column[:-1]}'?" in caught.value.remedy


def test_a_name_in_two_ways_is_refused(put):
    with pytest.raises(SchemaError, match="Several columns are named 'sex'"):
        read_oshpd([put(text({}).replace("typ_care", "SEX", 1))])


def test_a_name_in_two_ways_does_not_matter_where_it_is_not_needed(put):
    assert read_oshpd([put(text({}).replace("typ_care", "DNR", 1))]).rows == 1


BROKEN = {
    "empty": ("", "is empty"),
    "header only": (text(), "has a header but no records"),
    "no header line": ("\n" + text({}), "has no header line"),
    "short line": (text({}) + "1,2,3\n" + text({}), "Line 3 has 3 fields, but the header has 17"),
    "long line": (text({}).replace("4829", "48,29"), "Line 2 has 18 fields"),
    "open quote": (text({"diag_p": '"4829'}), "never closed"),
    "zero bytes": (text({}) + "\0", "not a text file"),
    "empty line inside": (text({}) + "\n" + text({}).split("\n")[1], "Line 3 has 1 field,"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_named(put, out, name):
    whole, said = BROKEN[name]
    path = put(whole, name="broken.csv")
    with pytest.raises(DataError, match=said) as caught:
        write_oshpd([put({}), path], out)
    assert caught.value.what.count(f"'{path}'") == 1
    assert caught.value.remedy
    assert not out.exists()


def test_a_file_without_header_does_not_show_its_first_record(put):
    record = "380929,1,42,10,4,2,*,6,93722,11,33,3,2009,505785,4829,V3000,N"
    with pytest.raises(SchemaError, match="Is the first line a header") as caught:
        read_oshpd([put(record + "\n" + record + "\n")])
    assert "93722" not in str(caught.value)


def test_which_files_can_be_named(put, out, tmp_path):
    path = put({})
    assert read_oshpd(path).rows == read_oshpd([str(path)]).rows == 1
    with pytest.raises(ParameterError, match="No file"):
        read_oshpd([])
    with pytest.raises(ParameterError, match="twice"):
        read_oshpd([path, tmp_path / ".." / tmp_path.name / path.name])
    with pytest.raises(DataError, match="There is no file"):
        read_oshpd([path, tmp_path / "none.csv"])
    with pytest.raises(DataError, match="is a folder"):
        read_oshpd([tmp_path])


def test_no_input_is_overwritten_and_nothing_half_written_stays(put, tmp_path):
    path = put({})
    before = path.read_bytes()
    with pytest.raises(ParameterError, match="overwrite the input"):
        write_oshpd([path], path)
    with pytest.raises(DataError, match="folder"):
        write_oshpd([path], tmp_path)
    with pytest.raises(DataError, match="cannot be written"):
        write_oshpd([path], tmp_path / "none" / "out.csv")
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


MIXED = (
    {},
    {"age_yrs": "*", "patzip": "937**", "sex": "*", "charge": "0"},
    {"age_yrs": "*", "agecat20": "*", "patzip": "XXXXX", "diag_p": "0389"},
    {"age_yrs": "*", "patzip": "YYYYY", "patcnty": "00", "race": "**", "diag_p": "*"},
)


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_what_is_written_reads_as_the_same_table(put, tmp_path, name):
    table = write_oshpd([put(*MIXED)], tmp_path / name)
    again = shoal.read(tmp_path / name, quasi=S1[:9], sensitive=S1[9:], kinds={"diag_p": "category"}, masked=True)
    for mine, theirs in zip(table.data.unfolded(), again.data.unfolded(), strict=True):
        assert mine.tolist() == theirs.tolist()
    cells = [t.to_arrow(cells="text").select(S1[9:]).to_pydict() for t in (table, again)]
    assert cells[0] == cells[1]
    assert cells[0] == {"charge": [505785, None, 505785, 505785], "diag_p": ["4829", "4829", "0389", "*"]}


def test_the_table_can_be_released(put, tmp_path):
    release = shoal.anonymize(read_oshpd([put(*MIXED)]), shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)])
    release.write(tmp_path / "release.csv")
    shoal.verify(tmp_path / "release.csv", tmp_path / "release.certificate.json")
