"""Reports: well-formed pages that hide what they must, say what they should, and can be done again."""

import datetime
import html as htmllib
import random
import re
import zlib
from datetime import date
from html.parser import HTMLParser

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError

import shoal
from shoal.assessment.disclosure_risk import risk_of
from shoal.charts import bars
from shoal.extras import how_to_install
from shoal.report import release_report, risk_report, write_page
from shoal.report.bins import OTHER, distribution
from shoal.report.calendar_bins import calendar_bins
from shoal.report.columns import ColumnCells
from shoal.report.discretion import Discretion
from shoal.report.figures import Side, class_sizes, knowledge_sets, uniqueness_by_knowledge
from shoal.report.page import Html, Page, Section, bullets, code, facts, listing, note, table, verdict
from shoal.report.pdf import pdf
from shoal.report.rendering import environment

VOID = {"meta", "link", "br", "hr", "img", "input"}
EVIL = "<script>alert(\"x\")</script> & 'co'"
RARE = "Quetzalcoatlus"


class Checked(HTMLParser):
    """Reads a page and finds what is wrong with it."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.headings: list[int] = []
        self.tags: set[str] = set()
        self.images = self.titled = 0
        self.referred: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.tags.add(tag)
        assert not [name for name in given if name.startswith("on")]
        assert "style" not in given  # a strict content security policy would not show it
        if tag not in VOID:
            self.open.append(tag)
        if "id" in given:
            self.ids.append(given["id"])
        self.referred += [
            name for key in ("aria-labelledby", "aria-describedby") for name in given.get(key, "").split()
        ]
        if tag == "a":
            self.links.append(given["href"])
        self.fetched += [given[key] for key in ("src", "data", "srcset", "poster") if key in given]
        if re.fullmatch(r"h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag == "svg":
            assert given.get("role") == "img"
            self.images += 1
        if tag == "title" and self.open[-2] == "svg":
            self.titled += 1
        if tag == "th":
            assert given.get("scope") in ("row", "col")

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.words.append(data)


def well_formed(page: str) -> Checked:
    found = Checked(page)
    assert page.startswith("<!DOCTYPE html>")
    assert not found.tags & {"script", "link", "iframe", "object", "img"}
    assert found.fetched == []
    assert "@import" not in page
    assert not re.search(r"url\((?!#)", page)
    assert len(set(found.ids)) == len(found.ids)
    assert set(found.referred) <= set(found.ids)
    assert found.titled == found.images
    assert found.headings[0] == 1
    assert found.headings.count(1) == 1
    assert all(b <= a + 1 for a, b in zip(found.headings, found.headings[1:], strict=False))
    for link in found.links:
        assert link.startswith("https://doi.org/") or link.removeprefix("#") in found.ids
    assert {"header", "nav", "main", "footer"} <= found.tags
    return found


def people(rows: int = 60) -> pl.DataFrame:
    """Give a table with a column of each kind, missing cells, and a category that one record has."""
    draw = np.random.default_rng(5)
    start = datetime.date(2009, 1, 1)
    cities = [*draw.choice(["Aix", "Bonn", "Cork"], rows - 2), RARE, None]
    return pl.DataFrame(
        {
            "age": [*draw.integers(20, 80, rows - 2), 20, 117],
            "height": draw.normal(170, 10, rows),
            "born": [start + datetime.timedelta(days=int(day)) for day in draw.integers(0, 700, rows)],
            "seen": [
                datetime.datetime(2010, 1, 1) + datetime.timedelta(hours=int(h)) for h in draw.integers(0, 90, rows)
            ],
            "city": cities,
            "size": draw.choice(["small", "middle", "large"], rows),
            "ill": draw.choice(["yes", "no"], rows),
        }
    )


QUASI = ["age", "height", "born", "seen", "city", "size"]
ORDERS = {"size": ["small", "middle", "large"]}


@pytest.fixture(scope="module")
def original() -> shoal.Table:
    return shoal.read(people(), quasi=QUASI, sensitive=["ill"], orders=ORDERS)


@pytest.fixture(scope="module")
def release(original) -> shoal.Release:
    return shoal.anonymize(original, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(5)])


@pytest.mark.parametrize("audience", ["internal", "external"])
@pytest.mark.parametrize(
    ("method", "models"),
    [
        (shoal.methods.SortedClusters(), [shoal.models.KAnonymity(3)]),
        (shoal.methods.StratifiedClusters(), [shoal.models.KAnonymity(2), shoal.models.TCloseness(0.5)]),
        (shoal.methods.Coarsen(4), []),
        (shoal.methods.Coarsen(4), [shoal.models.KAnonymity(5)]),
        (
            shoal.methods.MaskUniques(
                order=("age -> bands 0,40,80", "city -> *", "born -> *"), key=("age", "city", "born")
            ),
            [],
        ),
        (
            [
                shoal.methods.MaskUniques(order=("age -> *", "city -> prefix 1"), key=("age", "city")),
                shoal.methods.Regenerate(),
            ],
            [],
        ),
    ],
    ids=["sorted", "stratified", "coarse", "broken", "masked", "regenerated"],
)
def test_every_kind_of_release_has_a_well_formed_report(original, method, models, audience):
    made = shoal.anonymize(
        original,
        method,
        models,
        measures=[shoal.measures.Uniqueness(), shoal.measures.AttributeDisclosure("ill = yes")],
    )
    page = release_report(made, original, audience=audience)
    found = well_formed(page)
    text = " ".join(found.words)
    assert RARE not in page
    assert not re.search(r"(?<![\d.,])117(?![\d.,%])", text)  # the highest age
    assert "anonymous" not in text.lower()
    assert page == release_report(made, original, audience=audience)
    assert ("✗" in text) == bool(made.broken)


def test_a_released_table_can_be_reported_on_and_masked_again(original, release):
    again = shoal.anonymize(release.table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(10)])
    well_formed(release_report(again, release.table))
    well_formed(risk_report(release.table, risk_of(release.table)))


def test_hostile_names_stay_text():
    frame = people().rename({"age": EVIL, "city": "b</style><b>"})
    names = [EVIL, "height", "b</style><b>"]
    hostile = shoal.read(frame, quasi=names, sensitive=["ill"], knowledge={EVIL: "<i>census", "height": "body"})
    made = shoal.anonymize(hostile, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(5)])
    for page in (release_report(made, hostile), risk_report(hostile, risk_of(hostile))):
        well_formed(page)
        assert EVIL in htmllib.unescape(page)
    shown = made._repr_html_()
    assert Checked(shown).tags == {"table", "caption", "tbody", "tr", "td"}


def test_the_external_version_tells_of_people_what_was_promised_and_no_more():
    """How many people are in the smallest group is not to be seen in the release: the certificate does not tell it."""
    frame = pl.DataFrame(
        {"age": [20] * 14 + [30] * 14, "who": [f"p{i % 7}" for i in range(28)], "ill": ["a", "b"] * 14}
    )
    table = shoal.read(frame, quasi=["age"], sensitive=["ill"], subject="who")
    made = shoal.anonymize(table, shoal.methods.Coarsen(resolution=2), [shoal.models.KAnonymity(3)])
    assert made.verdicts[0].level == 7
    inside, outside = (release_report(made, table, audience=a) for a in ("internal", "external"))
    assert "at least 7 different people" in inside
    assert "at least 3 different people" in outside
    assert "at least 7" not in outside


def test_the_external_version_hides_the_input(tmp_path):
    people().drop("born", "seen").write_csv(tmp_path / "secret-name.csv")
    table = shoal.read(tmp_path / "secret-name.csv", quasi=["age", "city"], sensitive=["ill"])
    made = shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(3)])
    sealed = made.write(tmp_path / "out.csv")
    inside, outside = (release_report(made, table, audience=a, certificate=sealed) for a in ("internal", "external"))
    digest = table.origin.sha256
    assert digest in inside
    assert digest not in outside
    assert "secret-name" in inside
    assert "secret-name" not in outside
    assert "fewer than 5" in outside
    assert sealed.content["output"]["sha256"] in outside
    for page in (inside, outside):
        assert str(tmp_path) not in page


def test_the_recipe_in_a_report_makes_the_same_file(tmp_path, monkeypatch):
    people().write_csv(tmp_path / "in.csv")
    table = shoal.read(tmp_path / "in.csv", quasi=QUASI, sensitive=["ill"], orders=ORDERS)
    made = shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(3)], seed=7)
    sealed = made.write(tmp_path / "out.csv", delimiter=";")
    page = release_report(made, table, certificate=sealed)
    recipe, _, python = (
        htmllib.unescape(text) for text in re.findall(r"<pre [^>]*><code>(.*?)</code></pre>", page, re.S)
    )
    (tmp_path / "recipe.toml").write_text(recipe, encoding="utf-8")
    before = (tmp_path / "out.csv").read_bytes()
    (tmp_path / "out.csv").unlink()
    monkeypatch.chdir(tmp_path)
    exec(python.replace("recipe.target)", "recipe.target, delimiter=recipe.delimiter, overwrite=True)"), {})
    assert (tmp_path / "out.csv").read_bytes() == before


def test_values_and_counts_of_a_recipe_stay_inside():
    frame = pl.DataFrame({"city": ["Aix"] * 9 + ["Bonn"] * 8 + [RARE], "size": ["small", "middle", "large"] * 6})
    table = shoal.read(frame, quasi=["city", "size"], orders=ORDERS)
    steps = [
        shoal.methods.MaskUniques(order=("city -> *",), key=("city",)),
        shoal.methods.Regenerate(counts={"city": {RARE: 1}}),
    ]
    page = release_report(shoal.anonymize(table, steps), table, audience="external")
    assert RARE not in page
    assert "middle" not in page.partition("How to do it again</h2>")[2]


cells = st.integers(0, 30)


@given(
    ages=st.lists(cells, min_size=6, max_size=120),
    k=st.integers(2, 6),
    threshold=st.one_of(st.none(), st.integers(2, 12)),
    data=st.data(),
)
def test_outside_no_count_lies_below_the_threshold(ages, k, threshold, data):
    n = len(ages)
    cities = data.draw(
        st.lists(st.sampled_from(["Aix", "Bonn", "Cork", "Dax-1", "Dax-2", "Dax-3"]), min_size=n, max_size=n)
    )
    scaled = [age * 7.25 - 40 for age in ages]
    days = [datetime.date(1999, 12, 1) + datetime.timedelta(days=40 * age) for age in ages]
    frame = pl.DataFrame({"age": ages, "city": cities, "x": scaled, "day": days})
    table = shoal.read(frame, quasi=["age", "city", "x", "day"])
    made = shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(k)])
    page = release_report(made, table, audience="external", threshold=threshold)
    well_formed(page)
    discretion = Discretion.towards("external", made.recipe.models, threshold)
    least = discretion.threshold
    for city in set(cities):
        if cities.count(city) < least:
            assert city not in page
    for name in table.schema.quasi:
        before, after = ColumnCells.of(table, name), ColumnCells.of(made.table, name)
        rows = distribution(name, before, after, discretion).rows
        assert all(row["count"] < 1e-6 or row["count"] > least - 1e-6 for row in rows)
        if rows:
            assert sum(row["count"] for row in rows) == pytest.approx(n)
            assert sum(row["before"] for row in rows) == pytest.approx(1)
            assert sum(row["after"] for row in rows) == pytest.approx(1)
    sizes = shoal.score(table, measures=[shoal.measures.ClassSizes()])[0].detail["classes_by_size"]
    figure = class_sizes([Side("original", dict(sizes), True)], k, discretion)
    for row in figure.rows:
        assert row["share"] == 0 or row["share"] * n > least - 1e-6 or len(figure.rows) == 1
        assert (
            not re.match(r"\d", row["size"])
            or int(re.match(r"[\d,]+", row["size"])[0].replace(",", "")) >= least
            or (len(figure.rows) == 1)
        )


@given(st.lists(st.integers(-(10**6), 10**6), min_size=5, max_size=80))
def test_no_version_tells_the_lowest_or_highest_value(values):
    table = shoal.read(pl.DataFrame({"x": [*values, 987_654_321, -987_654_321]}), quasi=["x"])
    found = distribution("x", ColumnCells.of(table, "x"), ColumnCells.of(table, "x"), Discretion("internal", 5))
    assert all(abs(row.get("high", 0)) < 4 * 10**6 for row in found.rows)
    assert all("987" not in str(row.get("label", "")) for row in found.rows)


def test_ranges_and_sets_count_evenly_in_what_they_cover():
    table = shoal.read(
        pl.DataFrame({"a": ["1", "[1;4]", "4", "*", ""]}), quasi=["a"], kinds={"a": "integer"}, masked=True
    )
    found = ColumnCells.of(table, "a")
    assert found.by_position(1, 4).tolist() == [1.25, 0.25, 0.25, 1.25]
    assert (found.informative, found.exact, found.hidden, found.missing) == (3, 2, 1, 1)
    assert found.within(np.array([0.0, 3.0, 6.0])).tolist() == [1.5, 1.5]
    sets = shoal.read(pl.DataFrame({"c": ["x", "{x;y}", "{x;y}", "y"]}), quasi=["c"], kinds={"c": "category"})
    assert ColumnCells.of(sets, "c").by_category() == {"x": 2.0, "y": 2.0}


def test_rare_categories_share_a_bar():
    table = shoal.read(pl.DataFrame({"c": ["a"] * 9 + ["b"] * 6 + ["c"] * 2}), quasi=["c"])
    cells = ColumnCells.of(table, "c")
    inside = distribution("c", cells, cells, Discretion("internal", 5)).rows
    assert [(row["label"], row["count"]) for row in inside] == [("a", 9), ("b", 6), (OTHER, 2)]
    outside = distribution("c", cells, cells, Discretion("external", 5)).rows
    assert [(row["label"], row["count"]) for row in outside] == [("a", 9), (OTHER, 8)]


@pytest.mark.parametrize(
    ("first", "last", "kind", "names"),
    [
        ("2009-01-01", "2009-01-03", "date", ["2009-01-01", "2009-01-02", "2009-01-03"]),
        ("2009-11-20", "2010-01-03", "date", ["2009-11", "2009-12", "2010-01"]),
        ("1999-05-01", "2020-01-03", "date", ["1990s", "2000s", "2010s", "2020s"]),
        ("0001-01-01", "9999-12-31", "date", [f"{i}000s" for i in range(10)]),
        ("9999-12-31", "9999-12-31", "date", ["9999-12-31"]),
    ],
)
def test_bins_of_time_are_those_of_calendars(first, last, kind, names):
    ends = [
        datetime.date.fromisoformat(text).toordinal() - datetime.date(1970, 1, 1).toordinal() for text in (first, last)
    ]
    edges, found = calendar_bins(*ends, 12, kind)
    assert found == names
    assert len(edges) == len(names) + 1


def test_small_counts_and_their_complements_are_hidden_outside():
    shy = Discretion("external", 5)
    assert [shy.count(n) for n in (0, 1, 4, 5)] == ["0", "fewer than 5", "fewer than 5", "5"]
    assert shy.share(3, 1000) == "under 0.5%"
    assert shy.share(998, 1000) == "over 99.5%"
    assert shy.part(998, 1000) == "more than 995"
    assert shy.share(0, 0) == "–"
    assert [shy.drawn(n, 1000) for n in (0, 3, 500, 998)] == [0.0, None, 0.5, 1.0]
    assert Discretion("internal", 5).count(3) == "3"


@pytest.mark.parametrize(("audience", "threshold"), [("everyone", 5), ("external", 1)])
def test_what_makes_no_sense_is_refused(audience, threshold):
    with pytest.raises(shoal.errors.ParameterError):
        Discretion(audience, threshold)


def test_knowledge_groups_are_combined_and_else_attributes_are_dropped_one_by_one():
    frame = people()
    grouped = shoal.read(
        frame, quasi=["age", "city", "born"], knowledge={"age": "census", "city": "census", "born": "time"}
    )
    assert list(knowledge_sets(grouped.schema)) == ["census", "time", "census + time"]
    plain = shoal.read(frame, quasi=["age", "city"])
    assert not knowledge_sets(plain.schema)
    drawn = uniqueness_by_knowledge({"original": plain}, Discretion("internal", 5))
    without = {row["attribute"]: row["share"] for row in drawn.rows}
    assert without == {
        "age": sum(frame["city"].value_counts()["count"] == 1) / frame.height,
        "city": sum(frame["age"].value_counts()["count"] == 1) / frame.height,
    }
    assert drawn.rows[0]["points"] >= drawn.rows[1]["points"]


def test_people_are_told_from_records(tmp_path):
    frame = people().with_columns(person=pl.Series([i // 2 for i in range(60)]))
    table = shoal.read(frame, quasi=["age", "city"], sensitive=["ill"], subject="person")
    made = shoal.anonymize(table, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(3)])
    text = " ".join(Checked(release_report(made, table)).words)
    assert "different people" in text
    assert "counted, not released" in text
    assert "Whether k holds was decided by counting people" in text


def test_a_page_escapes_texts_numbers_figures_and_keeps_headings_in_order():
    figure = bars([{"k": 2, "n": 1}], x="k", y="n", title="One", description="A bar.")
    other = bars([{"k": 2, "n": 3}], x="k", y="n", title="Two", description="A bar.")
    page = Page(
        EVIL,
        [verdict(EVIL, True, EVIL), verdict("broken", False), note(EVIL)],
        [
            Section(EVIL, EVIL, bullets([EVIL, code(EVIL)]), figure, Section("Inner", other)),
            Section("Twice", table([{"a": EVIL, "n": 1200}, {"a": None}], {"a": EVIL, "n": "N"}, EVIL)),
            Section("Twice", facts({EVIL: EVIL}), listing(EVIL, EVIL), Html("<p>trusted</p>")),
        ],
        EVIL,
        kicker=EVIL,
    ).html()
    found = well_formed(page)
    assert "<p>trusted</p>" in page
    assert "<strong>Figure 1. One</strong>" in page
    assert "<strong>Figure 2. Two</strong>" in page
    assert "✓" in page
    assert "Not met" in page
    assert found.links[0] == "#content"
    assert ">1,200</td>" in page


@pytest.mark.parametrize("packages", [("shoal.report",), ("shoal.web", "shoal.report")], ids=["report", "workbench"])
def test_templates_escape_what_they_are_given_and_refuse_what_they_are_not(packages):
    made = environment(*packages)
    assert made.from_string("<p>{{ text }}</p>").render(text=EVIL) == f"<p>{Html.escape(EVIL)}</p>"
    with pytest.raises(UndefinedError):
        made.from_string("{{ nothing }}").render()
    assert (
        "<title>Mine</title>"
        in made.from_string("{% extends 'document.html' %}{% block head %}<title>Mine</title>{% endblock %}").render()
    )


def test_a_page_is_written_whole_or_not_at_all(tmp_path):
    write_page(tmp_path / "a.html", "<!DOCTYPE html>é")
    assert (tmp_path / "a.html").read_bytes() == "<!DOCTYPE html>é".encode()
    with pytest.raises(shoal.errors.ParameterError, match="overwrite"):
        write_page(tmp_path / "a.html", "", [tmp_path / "a.html"])
    with pytest.raises(shoal.errors.DataError):
        write_page(tmp_path / "nowhere" / "a.html", "")
    assert [path.name for path in tmp_path.iterdir()] == ["a.html"]


def test_a_pdf_is_the_same_again(tmp_path):
    pytest.importorskip("weasyprint", reason="WeasyPrint makes PDFs: make install EXTRAS=report", exc_type=ImportError)
    page = Page("A page", "What it is about.", [Section("First", bullets(["a", "b"]))]).html()
    for name in ("a.pdf", "b.pdf"):
        write_page(tmp_path / name, page)
    assert (tmp_path / "a.pdf").read_bytes() == (tmp_path / "b.pdf").read_bytes()


def inflated(content):
    """Give a PDF with its compressed parts as they are written out."""
    parts = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", content, re.DOTALL)
    return content + b"".join(zlib.decompressobj().decompress(part) for part in parts if part[:1] == b"x")


def test_the_pdf_of_nine_columns_is_tagged_and_has_at_most_eight_pages():
    pytest.importorskip("weasyprint", reason="WeasyPrint makes PDFs: make install EXTRAS=report", exc_type=ImportError)
    draw = random.Random(7)
    names = [f"column {number}" for number in range(9)]
    rows = [[draw.randrange(9) if number % 2 else f"v{draw.randrange(12)}" for number in range(9)] for _ in range(300)]
    table = shoal.read(pl.DataFrame(rows, schema=names, orient="row"), quasi=names[:8], sensitive=names[8:])
    page = release_report(shoal.anonymize(table, "mondrian", k=5), table)
    content = inflated(pdf(page))
    assert content.startswith(b"%PDF")
    assert 3 < len(re.findall(rb"/Type\s*/Page\b", content)) <= 8
    assert re.search(rb"/Marked\s+true", content)  # as PDF/UA-1 asks for
    assert re.search(rb"pdfuaid:part(>|=.)1", content)
    figures = len(re.findall(r"<svg [^>]*shoal-chart", page))
    assert len(re.findall(rb"/S\s*/Figure\b", content)) == len(re.findall(rb"/Alt\b", content)) == figures > 3


@pytest.mark.slow
def test_a_report_of_300_columns_is_small_and_says_which_have_figures():
    draw = random.Random(7)
    names = [f"column {number}" for number in range(300)]
    rows = [[draw.randrange(9) if number % 2 else f"v{draw.randrange(4)}" for number in range(300)] for _ in range(40)]
    table = shoal.read(pl.DataFrame(rows, schema=names, orient="row"), quasi=names)
    page = release_report(shoal.anonymize(table, "mondrian", k=5), table)
    assert len(page) < 2_000_000
    found = Checked(page)
    assert "Drawn are the 12 columns of 300" in " ".join(found.words)
    assert all(name in page for name in names)


def test_a_report_names_the_day_and_the_files_that_were_written(release, original):
    names = {"recipe": "made of it.toml", "certificate": "paper.json"}
    page = release_report(release, original, files=names, made_on=date(2026, 11, 18))
    text = " ".join(Checked(page).words)
    assert "Made on 18 November 2026." in text
    assert "It is in made of it.toml" in text
    assert "shoal run 'made of it.toml'" in text
    assert "--certificate paper.json" in text


def test_the_release_has_one_colour_in_all_figures(release, original):
    page = release_report(release, original)
    assert 'class="hue2"' not in page


def test_readers_outside_find_the_input_only_as_the_certificate_commits_to_it(release, original, tmp_path):
    sealed = release.write(tmp_path / "out.csv")
    page = release_report(release, original, audience="external", certificate=sealed)
    assert sealed.content["input"]["commitment"] in page
    assert original.origin.sha256 not in page
    assert original.origin.sha256 not in sealed.to_json()
    assert original.origin.name not in sealed.to_json()


def test_without_weasyprint_a_pdf_is_refused_with_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "weasyprint", None)
    with pytest.raises(shoal.errors.ParameterError, match="WeasyPrint") as refused:
        write_page(tmp_path / "a.pdf", "<p>")
    assert how_to_install("report") in refused.value.remedy
    assert list(tmp_path.iterdir()) == []


def test_a_release_was_attacked_for_its_report_and_only_those_inside_read_how(tmp_path):
    draw = np.random.default_rng(4)
    people = pl.DataFrame({name: draw.integers(0, 40, 300) for name in ("age", "zip")} | {"ill": list("abc") * 100})
    table = shoal.read(people, quasi=["age", "zip"], sensitive="ill")
    release = shoal.anonymize(table, k=4)
    text = release_report(release, table)
    section = text[text.index('id="attacks"') :]
    for name in ("linkability", "inference draw", "singling out", "nearest record", "membership", "dcr", "range ends"):
        assert f"<td>{name}</td>" in section or f">{name}<" in section, name
    assert 'id="attacks"' not in release_report(release, table, audience="external")
    assert release_report(release, table) == text  # nothing in it is left to chance


def test_what_cannot_be_made_again_without_some_people_is_not_attacked():
    people = pl.DataFrame({"age": [1, 1, 2, 2] * 3, "who": list("aabb") * 3})
    table = shoal.read(people, quasi="age", subject="who")
    assert "nothing was attacked" in release_report(shoal.anonymize(table, k=2), table)
