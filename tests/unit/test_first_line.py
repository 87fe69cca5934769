"""No cell of a person is shown as the name of a column."""

import pytest
from engines.tiny import Tiny

import shoal
from shoal.engines.local import Local
from shoal.inspection import inspect
from shoal.schema import Role

RECORDS = {
    "numbers": "34,93701,flu\n35,93702,cold\n36,93703,flu\n",
    "one number": "anna,34,flu\nbert,35,cold\n",
    "decimals among whole numbers": "34.5,flu\n35,cold\n",
    "dates": "2020-01-05,flu\n2020-01-06,cold\n",
    "times": "2020-01-05 10:00,flu\n2020-01-06 11:00,cold\n",
    "codes": "00501,flu\n00502,cold\n01234,flu\n",
    "numbers that rise": "1,34,93701\n2,35,93702\n",
    "two numbers at a step": "34,39,flu\n35,40,cold\n",
    "words that come again": "anna,flu\nbert,flu\nanna,cold\n",
}
HEADERS = {
    "names": "age,zip\n34,93701\n",
    "years": "town,2019,2020,2021\nUlm,5,2020,7\nJena,6,7,8\n",
    "years at a step": "town,2010,2015,2020\nUlm,5,6,7\n",
    "numbers of columns": "0,1,2\n5,6,7\n8,9,9\n",
    "a number over words": "town,2020\nUlm,yes\nJena,no\n",
    "one name that is a value": "sex,female\nm,female\nf,male\n",
    "a name with a number in it": "2nd visit,icd10\n5,x\n",
}


@pytest.mark.parametrize("engine", [Local, Tiny])
@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("roles", [{"rest": Role.PLAIN}, {"last_sensitive": True}], ids=["rest", "last"])
def test_a_first_line_that_looks_like_a_record_is_not_taken_for_names(tmp_path, name, engine, roles):
    (tmp_path / "in.csv").write_text(RECORDS[name], encoding="utf-8")
    with pytest.raises(shoal.DataError, match="first line") as refused:
        shoal.read(tmp_path / "in.csv", engine=engine(), **roles)
    shown = str(refused.value)
    assert not [cell for cell in RECORDS[name].replace("\n", ",").split(",") if cell and cell in shown]


@pytest.mark.parametrize("engine", [Local, Tiny])
@pytest.mark.parametrize("name", HEADERS)
def test_a_header_with_numbers_in_it_is_a_header(tmp_path, name, engine):
    (tmp_path / "in.csv").write_text(HEADERS[name], encoding="utf-8")
    table = shoal.read(tmp_path / "in.csv", engine=engine(), rest=Role.PLAIN)
    assert ",".join(report.name for report in inspect(table)) == HEADERS[name].splitlines()[0]


def test_columns_that_are_named_are_taken_by_their_names(tmp_path):
    (tmp_path / "in.csv").write_text("2020,ill\n5,flu\n6,cold\n", encoding="utf-8")
    assert shoal.read(tmp_path / "in.csv", quasi=["2020"], sensitive=["ill"]).schema.names == ("2020", "ill")
