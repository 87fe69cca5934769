"""The page in the language of its reader: which one that is, and how sentences and numbers look in it."""

import re

import pytest
from babel.messages.pofile import read_po
from web.conftest import ADDRESS, people, serving
from web.visible_text import sentences, untranslated

from shoal.charts import bars
from shoal.languages import _, in_line, languages, ngettext, number, speaking
from shoal.report.rendering import environment
from shoal.web.reader import COOKIE
from shoal.web.wording import CONFIRMATIONS
from tools.catalogues import FOLDER, PACKAGE, missing, renewed

TEMPLATES = sorted((PACKAGE / "web" / "templates").glob("*.html"))
FOR_PROGRAMS = {"api"}  # answered in English, whatever is asked for
NAMES = {"people.csv", "age", "sex", "zip", "shoe", "diagnosis", "patient_name", "sorted-clusters", "shoal"}
SAME = {"In Python"}  # in both languages
GERMAN = {"accept-language": "de-CH, en;q=0.5"}


@pytest.fixture(scope="module")
def german():
    with (FOLDER / "de.po").open("rb") as file:
        return read_po(file, locale="de")


def language_of(text):
    return re.search(r'<html lang="([^"]+)">', text)[1]


def test_the_browser_says_which_language_is_read(visitor):
    assert language_of(visitor.get("/data").text) == "en"
    text = visitor.get("/data", headers=GERMAN).text
    assert language_of(text) == "de"
    assert "Alles bleibt auf diesem Rechner" in text
    assert "Everything stays" not in text
    assert language_of(visitor.get("/data", headers={"accept-language": "fr, *;q=0.1"}).text) == "en"


def test_a_choice_holds_against_the_browser_and_leads_back(visitor):
    answer = visitor.post("/language", data={"language": "de"}, headers={"referer": f"{ADDRESS}/roles?named=a"},
                          follow_redirects=False)  # fmt: skip
    assert (answer.status_code, answer.headers["location"]) == (303, "/roles?named=a")
    assert re.search(rf"{COOKIE}=de; HttpOnly; [^,]*SameSite=strict", answer.headers["set-cookie"])
    assert language_of(visitor.get("/data", headers={"accept-language": "en"}).text) == "de"
    visitor.post("/language", data={"language": "en"})
    assert language_of(visitor.get("/data", headers=GERMAN).text) == "en"


@pytest.mark.parametrize("came", ["http://elsewhere.example//elsewhere.example/a", "", "//elsewhere.example"])
def test_a_choice_never_leads_elsewhere(visitor, came):
    answer = visitor.post("/language", data={"language": "de"}, headers={"referer": came}, follow_redirects=False)
    assert re.match(r"/(?!/)", answer.headers["location"])


def test_what_is_no_language_changes_nothing(visitor):
    answer = visitor.post("/language", data={"language": "../de"}, follow_redirects=False)
    assert COOKIE not in answer.headers.get("set-cookie", "")
    visitor.client.cookies.set(COOKIE, "xx")
    assert language_of(visitor.get("/data", headers=GERMAN).text) == "de"


def test_numbers_are_written_as_the_reader_writes_them(visitor):
    visitor.client.put("/api/file?name=a.csv&wait=30", content=people(1200))
    assert "1,200 rows" in visitor.get("/roles").text
    assert "1.200 Zeilen" in visitor.get("/roles", headers=GERMAN).text


def test_programs_are_answered_in_english_whatever_they_ask_for(visitor):
    answer = [visitor.get("/api/jobs/none", headers=headers).json() for headers in (GERMAN, {})]
    assert answer[0] == answer[1]


def test_numbers_in_figures_are_written_as_the_reader_writes_them():
    rows = [{"group": "a", "share": 0.3917}, {"group": "b", "share": 0.6083}]
    with speaking(languages()["de"]):
        drawn = bars(rows, x="group", y="share", percent=True, title="t", description="d").html()
    assert "39,2\xa0%" in drawn
    assert "39.2" not in drawn.split("<table", 1)[1]


def test_sentences_have_plural_forms_and_numbers():
    with speaking(languages()["de"]):
        assert ngettext("%(num)s byte", "%(num)s bytes", 1_000) == "1.000 Byte"
        assert _("%(count)s of %(most)s", count=1, most="4") == "1 von 4"
        assert number(-1234.5, ",.2f") == "-1.234,50"
    assert _("%(count)s of %(most)s", count=1, most="4") == "1 of 4"


def test_percentages_of_a_column_stand_in_line_in_any_language():
    with speaking(languages()["de"]):
        assert in_line(["12,3\xa0%", "≈ 0,05\xa0%", "100\xa0%", "1.000"]) == [
            "12,3\xa0%", "≈ < 0,1\xa0%", "100,0\xa0%", "1.000"
        ]  # fmt: skip


@pytest.mark.parametrize("path", ["protect", "compare"])
def test_percentages_of_candidates_stand_in_line(reader, path):
    table = re.search(r"<table.*?</table>", reader.get(f"/{path}").text, re.DOTALL)[0]
    rows = [re.findall(r'<td class="number">(.*?)</td>', row, re.DOTALL) for row in table.split("<tr>")]
    for column in zip(*(row for row in rows if len(row) == 2), strict=True):
        found = [re.findall(r"(\.\d+)?%", re.sub("<[^>]*>", "", cell)) for cell in column]
        assert len({len(decimals) for cell in found[:6] for decimals in cell}) == 1


def test_templates_escape_what_is_put_into_sentences():
    text = (
        "{% trans name=name, n=n %}<b>{{ name }}</b> has {{ n }} rows{% endtrans %}|{{ _('a %(x)s', x=name) }}|"
        "{% trans count=n %}{{ count }} row{% pluralize %}{{ count }} rows{% endtrans %}"
    )
    template = environment("shoal.report").from_string(text)
    assert template.render(name="<i>", n=2000) == "<b>&lt;i&gt;</b> has 2,000 rows|a &lt;i&gt;|2,000 rows"


def places(text):
    return sorted(re.findall(r"%\((\w+)\)[sd]|(%%)|(</?\w+)", text))


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    """Someone who has come as far as two releases, one of what is chosen now, each approved by somebody."""
    with serving(tmp_path_factory.mktemp("server")) as (visitor, _):
        visitor.opened(people(200))
        visitor.get("/api/risk?wait=30")
        visitor.tried()
        visitor.client.put("/api/comparison?wait=30", json={"keys": ["hilbert~5~none~0~", "mondrian~5~none~0~"]})
        for k in (7, 5):
            approved = {"approver": "Ada", "confirmations": list(CONFIRMATIONS.values())}
            assert visitor.post("/api/anonymize?wait=30", json={"k": k, **approved}).json()["state"] == "done"
        visitor.tried()
        yield visitor


@pytest.mark.parametrize(
    "path", ["data", "roles", "risk", "hierarchies", "protect", "compare", "release", "same", "cases", "nowhere"]
)
def test_no_sentence_of_a_screen_stays_english(reader, path):
    english, german = (
        sentences(reader.get(f"/{path}", headers=headers).text, NAMES)
        for headers in ({"accept-language": "en"}, GERMAN)
    )
    assert len(german) > 5
    assert not {text for text in english & german if text not in SAME}


def test_what_was_proved_is_said_in_the_language_of_the_reader(reader):
    english, german = (reader.get("/release", headers=headers).text for headers in ({}, GERMAN))
    assert "<h1 data-say>The release is written and proved" in english
    assert "Die Datei ist Byte für Byte die, die veröffentlicht wurde." in german
    assert "Niemand steht allein." in german
    assert not re.search(r"(uniqueness|random-reidentification|class-sizes|information-loss) is ", english + german)
    assert re.search(r"Das mittlere Risiko beträgt \d+(,\d+)?\xa0%\.", german)
    assert re.search(r"The average risk is \d+(\.\d+)?%\.", english)


def test_the_file_alone_is_not_said_to_prove_what_needs_the_original(reader):
    text = reader.get("/release").text
    alone, _, beyond = text[: text.index("SHA-256")].partition("the file alone does not show it")
    for sentence in ("The information loss is", "The certificate commits to this original."):
        assert sentence not in alone
        assert sentence in beyond
    assert "The average risk is" in alone
    release = reader.get("/api/releases").json()[-1]
    assert [text.partition(" ")[0] for text in release["by_original"]] == ["The", "information-loss"]
    assert set(release["by_original"]) < set(release["proved"])


@pytest.mark.parametrize("path", ["release", "cases"])
def test_moments_are_written_as_the_reader_writes_them(reader, path):
    month = r"(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
    times = r'<time datetime="([^"]+)">([^<]+)</time>'
    english, german = (re.findall(times, reader.get(f"/{path}", headers=to).text) for to in ({}, GERMAN))
    assert len(english) == len(german) > 1
    assert all(re.fullmatch(month + r" \d{1,2}, \d{4}, \d\d:\d\d:\d\d UTC", said) for _, said in english)
    assert all(re.fullmatch(r"\d\d\.\d\d\.\d{4}, \d\d:\d\d:\d\d UTC", said) for _, said in german)
    assert all("{2}.{1}.{0}".format(*at[:10].split("-")) == said[:10] for at, said in german)


def test_translations_have_the_same_places_as_their_sentences(german):
    for message in german:
        if message.id and message.string:
            forms = [(message.id, message.string)] if isinstance(message.id, str) else []
            if not forms:
                forms = [(message.id[-1], each) for each in message.string]
            for source, text in forms:
                assert places(source) == places(text) or set(places(text)) | {("num", "", "")} >= set(places(source)), (
                    source
                )


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.stem)
def test_templates_show_nothing_that_translators_would_not_find(template):
    found = untranslated(template.read_text(encoding="utf-8"))
    assert not found or template.stem in FOR_PROGRAMS


def test_everything_that_is_said_has_a_translation_and_nothing_else_has():
    catalogue = renewed(FOLDER / "de.po")
    assert not missing(catalogue)
    assert not list(catalogue.obsolete)
