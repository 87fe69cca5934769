"""No cell of a person is shown as the name of a column."""

import pytest
from engines.tiny import Tiny

import shoal
from shoal.assessment.inspection import column_reports
from shoal.engines.local import Local
from shoal.schema import Role

RECORDS = {
    "numbers": "34,93701,flu\n35,93702,cold\n36,93703,flu\n",
    "one number": "anna,34,flu\nbert,35,cold\n",
    "decimals among whole numbers": "34.5,flu\n35,cold\n",
    "dates": "2020-01-05,flu\n2020-01-06,cold\n",
    "dates of another order": "13/01/2020,flu\n6/2/2020,cold\n",
    "times": "2020-01-05 10:00,flu\n2020-01-06 11:00,cold\n",
    "codes": "00501,flu\n00502,cold\n01234,flu\n",
    "codes with letters": "P-0501,mild\nP-0502,cold\nP-1234,flu\n",
    "random codes": "7f3a-91bc,mild\n1c2d-8e7f,cold\n00af-11d2,flu\n",
    "addresses": "ann@x.org,mild\nbob.b@y.com,cold\n",
    "amounts": "$34,flu\n$35,cold\n",
    "numbers that rise": "1,34,93701\n2,35,93702\n",
    "codes that rise": "1,2,3\n2,2,1\n1,1,3\n",
    "two codes": "1,2\n2,1\n",
    "two numbers at a step": "34,39,flu\n35,40,cold\n",
    "numbers, and some missing": "34,flu\nNA,cold\n36,flu\n",
    "words that come again": "anna,flu\nbert,flu\nanna,cold\n",
    "words of which two come again": "anna,female,flu\nbert,female,flu\ncarl,male,cold\n",
    "one column": "flu\ncold\nflu\n",
    "in quotes": '"34","flu"\n"35","cold"\n',
    "behind the sign of a spreadsheet": "sep=;\n34;flu\n35;cold\n",
}
HEADERS = {
    "names": "age,zip\n34,93701\n",
    "years": "town,2019,2020,2021\nUlm,5,2020,7\nJena,6,7,8\n",
    "years at a step": "town,2010,2015,2020\nUlm,5,6,7\n",
    "two years": "town,2019,2020\nUlm,5,2020\nJena,6,7\n",
    "days over counts": "town,1/22/20,1/23/20\nUlm,5,6\nJena,7,8\n",
    "numbers of columns": "0,1,2\n5,6,7\n8,9,9\n",
    "a number over words": "town,2020\nUlm,yes\nJena,no\n",
    "one name that is a value": "sex,female\nm,female\nf,male\n",
    "a name with a number in it": "2nd visit,icd10\n5,x\n",
    "codes below a short name": "q1,id\na1,P001\nb2,P002\n",
    "one column": "town\nUlm\nJena\n",
    "names and no other values": "age,ill\n34,age\n35,ill\n",
}
ROLES = {
    "rest": lambda line: {"rest": Role.PLAIN},
    "last": lambda line: {"last_sensitive": True},
    "named": lambda line: {"quasi": line},
}


@pytest.mark.parametrize("engine", [Local, Tiny])
@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("roles", ROLES)
def test_a_first_line_that_looks_like_a_record_is_not_taken_for_names(tmp_path, name, engine, roles):
    """Nobody's cells are published as names, also when whoever masks the table gave these as names."""
    (tmp_path / "in.csv").write_text(RECORDS[name], encoding="utf-8")
    cells = RECORDS[name].removeprefix("sep=;\n").replace('"', "").replace(";", ",").split("\n")[0].split(",")
    with pytest.raises(shoal.errors.DataError, match="first line") as refused:
        shoal.read(tmp_path / "in.csv", engine=engine(), **ROLES[roles](cells))
    shown = str(refused.value)
    assert not [cell for cell in RECORDS[name].replace("\n", ",").split(",") if cell and cell in shown]


@pytest.mark.parametrize("engine", [Local, Tiny])
def test_without_a_header_columns_are_named_by_their_place(tmp_path, engine):
    """The first record of a file without names is a record like the others, wherever the table is held."""
    (tmp_path / "in.csv").write_bytes(b"\xef\xbb\xbfsep=;\r\n34;flu\r\n35;cold\r\n36;flu\r\n")
    table = shoal.read(tmp_path / "in.csv", header=False, quasi="c1", sensitive="c2", engine=engine())
    assert table.to_arrow().to_pydict() == {"c1": [34, 35, 36], "c2": ["flu", "cold", "flu"]}
    assert table.origin.notes == ("delimiter ';'", "no header")


def test_a_wrong_cell_is_told_by_its_line_without_a_header_too(tmp_path):
    (tmp_path / "in.csv").write_text("34,flu\n35,cold\nx,flu\n", encoding="utf-8")
    with pytest.raises(shoal.errors.DataError, match="line 3"):
        shoal.read(tmp_path / "in.csv", header=False, quasi="c1")
    (tmp_path / "in.csv").write_text("34,flu\n35\n", encoding="utf-8")
    with pytest.raises(shoal.errors.DataError, match="Line 2 has 1 field, but the first line has 2"):
        shoal.read(tmp_path / "in.csv", header=False, quasi="c1")


@pytest.mark.parametrize("engine", [Local, Tiny])
@pytest.mark.parametrize("name", HEADERS)
def test_a_header_with_numbers_in_it_is_a_header(tmp_path, name, engine):
    (tmp_path / "in.csv").write_text(HEADERS[name], encoding="utf-8")
    table = shoal.read(tmp_path / "in.csv", engine=engine(), rest=Role.PLAIN)
    assert ",".join(report.name for report in column_reports(table)) == HEADERS[name].splitlines()[0]


@pytest.mark.parametrize("name", ["numbers", "words that come again"])
def test_names_that_look_like_a_record_are_taken_if_someone_says_so(tmp_path, name):
    (tmp_path / "in.csv").write_text(RECORDS[name], encoding="utf-8")
    line = RECORDS[name].split("\n")[0].split(",")
    assert list(shoal.read(tmp_path / "in.csv", quasi=line, header=True).schema.names) == line


def test_the_delimiter_that_a_spreadsheet_names_is_used(tmp_path):
    """Excel's first line is neither a header nor a record."""
    (tmp_path / "in.csv").write_text('"sep=|"\na,b|c\n1|2\n', encoding="utf-8")
    assert shoal.read(tmp_path / "in.csv", rest=Role.PLAIN).schema.names == ("a,b", "c")
