"""Numbers and dates that can be read in two ways are read as it was said, or refused with the question."""

import polars as pl
import pytest
from engines.tiny import Tiny

import shoal
from shoal.assessment.inspection import column_reports
from shoal.domains.cell_parser import parse
from shoal.domains.texts import Reading
from shoal.engines.local import Local
from shoal.schema import Role

ASKED = {
    "commas": (["80,867", "428", "46,069"], '--thousands ","), or that these are decimals (--decimal ",")'),
    "only commas": (["80,867", "46,069"], '--decimal ","'),
    "many groups": (["5,373,085", "428"], '--thousands ","'),
    "groups and decimals": (["1.234,56", "7"], '--thousands "."'),
    "points": (["80.867", "428", "46.069"], "--thousands ."),
    "blanks": (["1 234", "12"], '--thousands " "'),
    "narrow blanks": (["1\u202f234", "12"], '--thousands " "'),
    "apostrophes": (["1'234", "12\u2019500"], '--thousands "\'"'),
    "two decimal signs": (["1.5", "2,5"], "in one way"),
    "percent": (["45%", "7 %"], "--kind a=float"),
    "dollars": (["$45", "$1,200.50"], "--kind a=float"),
    "euros": (["45 €", "-7 €"], "--kind a=float"),
    "two currencies": (["45 €", "$7"], "--kind a=float"),
    "days first": (["13/09/2024", "14/09/2024"], "--dates dmy"),
    "points in dates": (["09.03.2024", "1.4.2024"], "--dates dmy"),
    "dashes in dates": (["3-9-2024", "4-9-2024"], "--dates dmy"),
    "short years": (["3/9/24", "4/9/24"], "--dates dmy"),
    "dates with times": (["03/09/2024 10:30", "03/10/2024 9:05 PM"], "--dates dmy"),
    "years first": (["2024/03/09", "2024/04/09"], "--dates dmy"),
    "dates and a few words": (["13/09/2024", "14/09/2024", "none"], "--dates dmy"),
}
SAID = {
    "thousands": (["80,867", "428", "1,234,567"], {"thousands": ","}, "integer", [80867, 428, 1234567]),
    "thousands and decimals": (["1,234.5", "7"], {"thousands": ","}, "float", [1234.5, 7]),
    "as in Germany": (["1.234,56", "7", "-2.000"], {"thousands": "."}, "float", [1234.56, 7, -2000]),
    "points of thousands": (["80.867", "428"], {"thousands": "."}, "integer", [80867, 428]),
    "as in France": (["1\u202f234,5", "7"], {"thousands": " "}, "float", [1234.5, 7]),
    "as in Switzerland": (["1'234.50", "12\u2019500"], {"thousands": "'"}, "float", [1234.5, 12500]),
    "decimal commas": (["80,867", "428"], {"decimal": ","}, "float", [80.867, 428]),
    "decimal points": (["80.867", "428"], {"decimal": "."}, "float", [80.867, 428]),
    "declared decimals": (["80.867", "428"], {"kind": "float"}, "float", [80.867, 428]),
    "no doubt about commas": (["80,867", "0,5"], {}, "float", [80.867, 0.5]),
    "no doubt about points": (["80.867", "0.5", "428"], {}, "float", [80.867, 0.5, 428]),
    "points in all": (["80.867", "42.100"], {}, "float", [80.867, 42.1]),
    "percent": (["45%", "7 %"], {"kind": "integer"}, "integer", [45, 7]),
    "dollars": (["$45", "-$1,200.50"], {"kind": "float", "thousands": ","}, "float", [45, -1200.5]),
    "ranges": (["[1,000;2,000]", "1,500"], {"thousands": ","}, "integer", [1000, 1500]),
}
DATES = {
    "dmy": (["03/09/2024", "13.9.2024", "2024-01-02"], ["2024-09-03", "2024-09-13", "2024-01-02"]),
    "mdy": (["03/09/2024", "9-13-2024"], ["2024-03-09", "2024-09-13"]),
    "ymd": (["2024/3/9", "2024.09.13"], ["2024-03-09", "2024-09-13"]),
}


def low_ends(texts, **said):
    found = parse(texts, Reading(**said))
    return found, [found.axis.value(position) for position in found.lo.tolist()]


@pytest.mark.parametrize("name", ASKED)
def test_what_can_be_read_in_two_ways_is_refused_with_the_question(name):
    texts, asked = ASKED[name]
    with pytest.raises(shoal.errors.DataError) as refused:
        parse(texts, Reading(), "a")
    assert asked in refused.value.remedy
    assert "--kind a=category" in refused.value.remedy
    assert not [text for text in texts if len(text) > 2 and text in str(refused.value)]


@pytest.mark.parametrize("name", ASKED)
def test_a_declared_category_is_always_fine_and_other_columns_stay_as_they_stand(name):
    texts, _ = ASKED[name]
    for reading in (Reading(kind="category"), Reading(strict=False)):
        found = parse(texts, reading, "a")
        assert found.axis.kind == ("float" if name == "points" and reading.kind is None else "category")
        assert not found.restyled


@pytest.mark.parametrize("name", SAID)
def test_numbers_are_read_as_it_was_said_or_as_they_leave_no_doubt(name):
    texts, said, kind, values = SAID[name]
    found, numbers = low_ends(texts, **said)
    assert (found.axis.kind, numbers) == (kind, values)


@pytest.mark.parametrize("order", DATES)
def test_dates_are_read_in_the_order_that_was_said(order):
    texts, days = DATES[order]
    found, values = low_ends(texts, dates=order)
    assert [str(value) for value in values] == days
    assert "read as" in found.note


def test_times_beside_dates_are_kept():
    _, values = low_ends(["3/9/2024 10:30", "4/9/2024 9:05:07.25 PM", "5/9/2024"], dates="dmy")
    assert [str(value) for value in values] == [
        "2024-09-03 10:30:00",
        "2024-09-04 21:05:07.250000",
        "2024-09-05 00:00:00",
    ]


@pytest.mark.parametrize("wrong", ["31/02/2024", "03/09/24", "2024/09/03", "03/09/2024 25:00"])
def test_a_date_that_cannot_be_is_told_by_its_line(wrong):
    with pytest.raises(shoal.errors.DataError, match="line 4") as refused:
        parse(["03/09/2024", "04/09/2024", wrong], Reading(dates="dmy"))
    assert wrong not in str(refused.value)


@pytest.mark.parametrize("text", ["unknown", "3/2024"])
def test_other_cells_among_dates_are_told_by_their_line(text):
    for texts, dates in ((["03/09/2024", "04/09/2024", text], "dmy"), (["2024-09-03", "2024-09-04", text], None)):
        odd = parse(texts, Reading(dates=dates)).odd
        assert odd is not None
        assert (odd.among, odd.cells, odd.line) == ("dates", 1, 4)


@pytest.mark.parametrize(
    "texts",
    [["flu", "1,234 cases"], ["1.2.3", "2.0.14"], ["192.168.0.1", "10.0.0.7"], ["A-1", "B-2"], ["5 mg", "7 mg"]],
)
def test_names_that_hold_numbers_are_categories(texts):
    assert parse(texts).axis.kind == "category"


@pytest.mark.parametrize("engine", [Local, Tiny])
def test_what_was_said_reaches_the_release_and_its_proof(tmp_path, engine):
    """Plain numbers and ISO dates are released, in columns that are passed on too; the original is read again alike."""
    rows = ['"80,867",03/09/2024,"1,100"\n', '428,04/09/2024,"2,200"\n'] * 4
    (tmp_path / "in.csv").write_text("income,day,paid\n" + "".join(rows), encoding="utf-8")
    said = {"thousands": ",", "dates": "dmy"}
    table = shoal.read(tmp_path / "in.csv", quasi="income", sensitive=["day", "paid"], engine=engine(), **said)
    assert [note.split()[0] for note in table.origin.notes] == ["numbers", "dates", "numbers"]
    release = shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(2)])
    out = tmp_path / "out.csv"
    release.write(out)
    assert "80867" in out.read_text(encoding="utf-8").splitlines()[-1]
    assert out.read_text(encoding="utf-8").splitlines()[1].endswith(",2024-09-04,2200")
    private = tmp_path / "out.private.json"
    shoal.verify(out, tmp_path / "out.certificate.json", private=private, original=tmp_path / "in.csv", engine=engine())
    assert shoal.Recipe.from_toml(release.recipe.to_toml()).options.given() == said


def test_inspect_says_what_will_be_asked(tmp_path):
    (tmp_path / "in.csv").write_text('income,day\n"80,867",03/09/2024\n428,04/09/2024\n', encoding="utf-8")
    reports = column_reports(shoal.read(tmp_path / "in.csv", rest=Role.PLAIN))
    assert ["looks like" in report.why_kind for report in reports] == [True, True]


def test_text_of_a_frame_is_read_as_declared():
    frame = pl.DataFrame({"day": ["03/09/2024", "04/09/2024"], "paid": ["1,100", "20"]})
    table = shoal.read(
        frame, quasi=["day", "paid"], kinds={"day": "date", "paid": "integer"}, dates="dmy", thousands=","
    )
    assert [str(day) for day in table.to_arrow().to_pydict()["day"]] == ["2024-09-03", "2024-09-04"]
    assert table.to_arrow().to_pydict()["paid"] == [1100, 20]


@pytest.mark.parametrize(
    "said", [{"thousands": "-"}, {"dates": "ydm"}, {"thousands": ",", "decimal": ","}, {"header": "no"}, {"masked": 0}]
)
def test_what_makes_no_sense_is_refused_before_anything_is_read(said):
    with pytest.raises(shoal.errors.ParameterError):
        shoal.read("nowhere.csv", **said)
