"""How a file is read, and of which kind its columns are, can be said on the page, looked at, and undone."""

import pytest
from web.conftest import people

ODD = b"id;price;stage\n" + b"".join(f"{n};{n},{n % 7};{('low', 'mid', 'high')[n % 3]}\n".encode() for n in range(40))


def form(visitor, **fields):
    return {"version": visitor.session.case.version} | fields


def kinds(visitor):
    return {each["name"]: each["kind"] for each in visitor.get("/api/roles").json()}


def roles(visitor):
    return {each["name"]: each["decided"] for each in visitor.get("/api/roles").json()}


def test_a_kind_is_set_kept_and_undone(visitor):
    visitor.opened()
    assert kinds(visitor)["zip"] == "integer"
    before = roles(visitor)
    given = form(visitor, column="zip", **{"kind of zip": "category"})
    assert visitor.post("/roles/kind", data=given).status_code == 200
    assert kinds(visitor)["zip"] == "category"
    assert roles(visitor) == before
    visitor.post("/undo", data=form(visitor))
    visitor.session.case.jobs.wait("look", 20)
    assert kinds(visitor)["zip"] == "integer"


def test_an_order_is_set_and_a_wrong_one_refused(visitor):
    visitor.opened()
    given = {"kind of sex": "ordered", "order of sex": "f, m"}
    assert visitor.post("/roles/kind", data=form(visitor, column="sex", **given)).status_code == 200
    assert kinds(visitor)["sex"] == "ordered"
    wrong = {"kind of sex": "ordered", "order of sex": "f"}
    answer = visitor.post("/roles/kind", data=form(visitor, column="sex", **wrong))
    assert answer.status_code == 422
    assert "not in its declared order" in answer.text
    assert kinds(visitor)["sex"] == "ordered"
    assert visitor.post("/roles/kind", data=form(visitor, column="sex", **{"kind of sex": "x"})).status_code == 422


def test_how_a_file_is_read_is_looked_at_first_without_values(visitor):
    visitor.opened(ODD)
    asked = form(visitor, decimal=",", delimiter=";", missing="0,0", look="1")
    seen = visitor.post("/data/reading", data=asked).text
    assert '<td dir="auto">aaa</td>' in seen
    assert "high" not in seen
    assert "high" in visitor.post("/data/reading", data=asked | {"values": "1"}).text
    assert visitor.get("/api/reading").json()["decimal"] is None
    visitor.post("/data/reading", data=form(visitor, decimal=",", missing="39"))
    assert visitor.get("/api/reading").json()["missing"] == ["39"]
    assert kinds(visitor)["price"] == "float"


def test_what_was_said_holds_for_the_release(visitor):
    visitor.opened()
    visitor.post("/roles/kind", data=form(visitor, column="zip", **{"kind of zip": "category"}))
    visitor.tried()
    assert visitor.session.case.decisions.layout.kinds == {"zip": "category"}
    code = visitor.get("/same").text
    assert "category" in code


def test_a_file_that_cannot_be_read_can_be_read_in_another_way(visitor):
    visitor.send(b"a,b\n1,2\n3\n4,5\n", "odd.csv")
    visitor.session.case.jobs.wait("look", 20)
    text = visitor.get("/data").text
    assert "Line 3 has 1 field" in text
    assert "How the file is read" in text
    assert "say which delimiter is used." in text
    assert "--in-delimiter" not in text
    folder = visitor.session.case.unread.path.parent
    assert visitor.post("/data/reading", data=form(visitor, delimiter=";")).status_code == 200
    assert list(roles(visitor)) == ["a,b"]
    visitor.post("/data/close", data=form(visitor))
    assert not folder.exists()


def test_the_sheet_and_the_cells_of_a_workbook_are_chosen(visitor, tmp_path):
    writer = pytest.importorskip("xlsxwriter", reason="xlsxwriter is not installed: make install EXTRAS=excel")
    with writer.Workbook(tmp_path / "in.xlsx") as book:
        book.add_worksheet("notes").write_column(0, 0, ["said", "nothing", "at all"])
        sheet = book.add_worksheet("tab")
        sheet.write_row(2, 1, ["zip", "sex", "remark"])
        for row in range(20):
            sheet.write_row(3 + row, 1, [10 + row % 7, "fm"[row % 2], f"note {row}"])
    visitor.send((tmp_path / "in.xlsx").read_bytes(), "in.xlsx")
    visitor.session.case.jobs.wait("look", 20)
    text = visitor.get("/data").text
    assert '<option value="notes"></option><option value="tab"></option>' in text
    assert 'name="delimiter"' not in text
    asked = {"sheet": "tab", "range": "B3:C"}
    seen = visitor.post("/data/reading", data=form(visitor, look="1", **asked)).text
    assert "<td class=number>99</td>" in seen.replace(' dir="auto"', "")
    assert list(kinds(visitor)) == ["said"]
    assert visitor.post("/data/reading", data=form(visitor, **asked)).status_code == 200
    assert kinds(visitor) == {"zip": "integer", "sex": "category"}
    visitor.post("/roles/kind", data=form(visitor, column="zip", **{"kind of zip": "category"}))
    assert visitor.session.case.decisions.layout.sheet == "tab"
    visitor.post("/roles/all", data=form(visitor, role="quasi"))
    visitor.tried()
    same = visitor.get("/same").text
    assert "--sheet tab " in same
    assert "--range B3:C" in same
    wrong = visitor.post("/data/reading", data=form(visitor, sheet="tub"))
    assert "Did you mean &#39;tab&#39;?" in wrong.text
    wrong = visitor.post("/data/reading", data=form(visitor, sheet="tab", range="B3"))
    assert "Write B3:F200, or B3:F for all rows from the third on." in wrong.text
    assert visitor.post("/data/reading", data=form(visitor, sheet="notes")).status_code == 200
    assert list(kinds(visitor)) == ["said"]
    assert visitor.get("/api/reading").json()["kinds"] == {}


def test_many_quasi_identifiers_are_not_made_without_asking(visitor):
    names = [f"roof{n}" for n in range(20)]
    rows = [",".join(str((row * 7 + n) % 5) for n in range(20)) for row in range(40)]
    visitor.client.put("/api/file?name=w.csv&wait=20", content="\n".join([",".join(names), *rows]).encode())
    text = visitor.get("/roles").text
    assert "Yes, make 20 columns quasi-identifiers at once" in text
    assert "20 × Quasi-identifier" in text
    refused = visitor.post("/roles/accept", data=form(visitor))
    assert refused.status_code == 422
    assert "20 columns quasi-identifiers" in refused.text
    assert visitor.post("/roles/all", data=form(visitor, role="quasi")).status_code == 422
    assert len(visitor.state()["undecided"]) == 20
    visitor.post("/roles/accept", data=form(visitor, sure="true"))
    assert visitor.state()["undecided"] == []


def test_the_release_says_by_what_people_were_searched(visitor):
    visitor.opened(people())
    assert list(visitor.session.case.look["naming"]) == ["patient_name"]
    assert "nothing that is released as it is looks like them" in visitor.get("/release").text
    visitor.post("/roles", data=form(visitor, **{"role of patient_name": "plain"}))
    assert "though they look as if they named people" in visitor.get("/release").text


def test_dates_whose_order_is_not_clear_are_said_and_read_once_it_is(visitor):
    written = [f"{1 + n % 28:02}.{1 + n % 12:02}.{1940 + n}" for n in range(60)]
    visitor.opened("\n".join(["geboren;ort", *(f"{day};Bonn" for day in written), ""]).encode())
    assert "It looks like dates, but in which order" in visitor.get("/roles").text
    assert visitor.post("/data/reading", data=form(visitor, dates="dmy")).status_code == 200
    visitor.session.case.jobs.wait("look", 20)
    assert kinds(visitor)["geboren"] == "date"
    assert "It looks like dates" not in visitor.get("/roles").text
