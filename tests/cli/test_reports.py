"""Reports on the command line: written with the release or not at all."""

import pytest

from shoal.extras import how_to_install
from shoal.report.discretion import percent

MASK = ("--quasi", "age,zip,sex", "--sensitive", "charge")


@pytest.fixture
def weasyprint_missing(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "weasyprint", None)


def test_anonymize_writes_a_report_with_the_release(desk, people):
    done = desk.mask(people, *MASK, "--report", "report.html").fine()
    assert done.left == ("out.certificate.json", "out.csv", "out.private.json", "report.html")
    assert done.out.endswith("Report: report.html\n")
    page = desk.read("report.html")
    assert page.startswith("<!DOCTYPE html>")
    assert "internal version" in page
    assert "in.csv" in page
    assert str(desk.folder) not in page


def test_the_report_changes_nothing_of_the_release(desk, people):
    desk.mask(people, *MASK, "--report", "report.html").fine()
    first = desk.read("out.csv"), desk.paper()
    desk.mask(people, *MASK).fine()
    assert (desk.read("out.csv"), desk.paper()) == first


def test_an_external_report_hides_the_input(desk, people):
    desk.mask(people, *MASK, "--report", "report.htm", "--audience", "external").fine()
    page = desk.read("report.htm")
    assert "external version" in page
    assert "in.csv" not in page


def test_json_names_the_report(desk, people):
    found = desk.mask(people, *MASK, "--report", "report.html", "--json").json()
    assert found["report"] == "report.html"
    assert (
        desk.run("risk", "in.csv", "--quasi", "age", "--report", "risk.html", "--json").json()["report"] == "risk.html"
    )


def test_risk_writes_a_report(desk, people):
    desk.put("in.csv", people)
    done = desk.run(
        "risk", "in.csv", "--quasi", "age,sex", "--known", "age", "--where", "charge > 200", "--report", "r.html"
    )
    assert done.fine().left == ("r.html",)
    page = desk.read("r.html")
    assert "stand alone" in page
    assert "charge &gt; 200" in page


@pytest.mark.parametrize("name", ["report.txt", "report"])
def test_a_name_that_is_neither_page_nor_pdf_is_refused(desk, people, name):
    desk.put("in.csv", people)
    desk.run("anonymize", "in.csv", "--out", "out.csv", "--k", 2, *MASK, "--report", name).refused(2, ".html")
    desk.run("risk", "in.csv", "--quasi", "age", "--report", name).refused(2, ".html")


def test_a_report_never_overwrites_what_is_needed(desk, people):
    desk.put("in.html", people)
    arguments = ("anonymize", "in.html", "--k", 2, *MASK)
    desk.run(*arguments, "--out", "out.csv", "--report", "in.html").refused(2, "overwrite")
    desk.run(*arguments, "--out", "out.csv", "--certificate", "r.html", "--report", "r.html").refused(2, "same name")
    desk.run("risk", "in.html", "--quasi", "age", "--report", "in.html").refused(2, "overwrite")


def test_where_nothing_can_be_written_nothing_is(desk, people):
    desk.put("in.csv", people)
    arguments = ("anonymize", "in.csv", "--out", "out.csv", "--k", 2, *MASK)
    desk.run(*arguments, "--report", "nowhere/report.html").refused(3, "nowhere")
    desk.run("risk", "in.csv", "--quasi", "age", "--report", "nowhere/report.html").refused(3, "nowhere")
    (desk.folder / "folder.html").mkdir()
    desk.run(*arguments, "--report", "folder.html").refused(3, "folder")


def test_a_broken_promise_has_no_report(desk, people):
    desk.put("in.csv", people)
    coarse = ("--method", "coarsen", "--param", "resolution=4", "--report", "report.html")
    desk.run("anonymize", "in.csv", "--out", "out.csv", "--k", 5, *MASK, *coarse).refused(1, "k-anonymity")


def test_an_audience_needs_a_report_and_must_be_known(desk, people):
    desk.put("in.csv", people)
    arguments = ("anonymize", "in.csv", "--out", "out.csv", "--k", 2, *MASK)
    desk.run(*arguments, "--audience", "external").refused(2, "--report")
    desk.run(*arguments, "--audience", "everyone", "--report", "report.html").refused(2, "internal")


def test_a_pdf_without_weasyprint_is_refused_before_any_work(desk, people, weasyprint_missing):
    desk.put("in.csv", people)
    desk.run("anonymize", "in.csv", "--out", "out.csv", "--k", 2, *MASK, "--report", "r.pdf").refused(
        2, how_to_install("report")
    )
    desk.run("risk", "in.csv", "--quasi", "age", "--report", "r.pdf").refused(2, how_to_install("report"))


def test_a_pdf_is_written_where_weasyprint_is(desk, people):
    pytest.importorskip("weasyprint", reason="WeasyPrint makes PDFs: make install EXTRAS=report", exc_type=ImportError)
    desk.mask(people, *MASK, "--report", "report.pdf").fine()
    assert (desk.folder / "report.pdf").read_bytes().startswith(b"%PDF")


VISITS = "p,shop,day\n" + "".join(f"{p},{(p * p + i * i) % 5},{(p + 3 * i) % 8}\n" for p in range(40) for i in range(5))
LINKED = ("--linked", "--subject", "p", "--quasi", "shop,day", "--k", "3", "--m", "2", "--out", "out.csv")


@pytest.fixture
def visits(desk):
    desk.put("visits.csv", VISITS)
    return desk


def test_a_linked_release_has_a_report_with_unicity_before_and_after(visits):
    done = visits.run("anonymize", "visits.csv", *LINKED, "--report", "report.html").fine()
    assert done.left == ("out.certificate.json", "out.csv", "out.private.json", "report.html")
    page = " ".join(visits.read("report.html").split())
    assert "An attacker who knows up to 2 of a person&#39;s points finds at least" in page
    compare = ("compare", "visits.csv", "out.csv", *LINKED[:5], "--json")
    found = visits.run(*compare).json()
    before, after = found["original"]["unicity"], found["releases"][0]["unicity"]
    assert before[1]["share"] > after[1]["share"] == 0
    for known, (was, now) in enumerate(zip(before, after, strict=True), 1):
        row = "".join(f'<td class="number">{percent(each["share"])}</td>' for each in (was, now))
        assert (
            f'<th scope="row" class="number">{known}</th>{row}' in page or f'<th scope="row">{known}</th>{row}' in page
        )
    assert "m = 2" in page
    assert "Set-loss is 0." in page
    assert "so that no two files can be linked" in page
    assert "same file, byte for byte" not in page
    assert "&lt;" not in page.replace("&lt; 0.01%", "")


def test_outside_the_report_of_a_linked_release_says_nothing_exact_of_the_original(visits):
    told = ("--report", "report.html", "--audience", "external")
    visits.run("anonymize", "visits.csv", *LINKED, *told).fine()
    page = visits.read("report.html")
    assert "external version" in page
    assert "visits.csv" not in page
    points = len({tuple(line.split(",")) for line in VISITS.splitlines()[1:]})
    for told_inside in ("What was done", "Not found in the release", "Removed were", f">{points:,}<", "Input SHA-256"):
        assert told_inside not in page
    assert "Whom known points single out" in page


def test_few_people_who_are_singled_out_are_not_counted_outside(desk):
    rows = [("ann", "rare"), *((f"p{i}", "common") for i in range(60)), ("ann", "common")]
    desk.put("in.csv", "p,item\n" + "".join(f"{p},{item}\n" for p, item in rows))
    asked = (
        "anonymize",
        "in.csv",
        "--linked",
        "--subject",
        "p",
        "--quasi",
        "item",
        "--k",
        "2",
        "--m",
        "1",
        "--out",
        "o.csv",
    )
    desk.run(*asked, "--report", "inside.html").fine()
    assert "0.82%" in desk.read("inside.html")  # half of what one of 61 people has
    desk.run(*asked, "--report", "outside.html", "--audience", "external", "--overwrite").fine()
    page = desk.read("outside.html")
    assert "0.82%" not in page
    assert "0.0081" not in page
    assert "under 8.2%" in page
