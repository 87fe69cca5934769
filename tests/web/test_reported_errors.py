"""Errors come finished, in English, from readers, writers and tasks; whoever reads German is told in German."""

import re
from pathlib import Path

import pytest
from web.conftest import people, until
from web.error_sentences import sentences

from shoal.languages import languages, speaking
from shoal.web.page_templates import remedied, without_options
from shoal.web.reported import reported
from tools.catalogues import PACKAGE

# What the page never reads or writes: tables in databases and in the cloud, frames, and pipes.
ELSEWHERE = {
    "baskets", "connections", "database_types", "databases", "frame_errors", "frames", "linked_rows", "remote_files",
    "sqlite_connection", "streams",
}  # fmt: skip
FILES = sorted(path for path in (PACKAGE / "engines" / "io").rglob("*.py") if path.stem not in ELSEWHERE)
# What the page does not ask for, and why, in the packages of methods, models, measures and columns.
UNASKED = {
    "rows of one person are not released together here": {
        "methods/cover_cut", "methods/cut_and_suppress", "methods/suppress_points", "methods/traces",
        "models/coherence", "models/km_anonymity", "models/linked_model", "models/private_items_model",
        "models/rho_uncertainty", "measures/itemset_retention", "measures/set_loss", "domains/resolution",
        "populations/covering",
    },
    "only programs ask how often an attacker errs": {
        "measures/reidentification/attacker_errors", "measures/reidentification/erring_attacker",
    },
    "only programs choose what is measured how": {
        "measures/__init__", "measures/attribute_disclosure", "measures/log_linear_risk",
        "measures/statistics/sampling",
    },
    "only analysts estimate what was there before": {"methods/perturbation/transition_matrices"},
}  # fmt: skip
ASKED = [
    PACKAGE / each for each in ("methods", "models", "measures", "domains", "populations", "pseudonyms", "pitfalls")
]
SAID = [
    *(path for folder in ASKED for path in sorted(folder.rglob("*.py"))),
    *(PACKAGE / f"{each}.py" for each in ("conditions", "parameters", "direct_identifiers", "secret_keys")),
    *(PACKAGE / "assessment" / f"{each}.py" for each in ("exploration", "harbor", "set_aside", "zip_populations")),
    PACKAGE / "releases" / "stated_release.py",
    *sorted((PACKAGE / "engines").glob("*_trees.py")),
]
# These say why a hierarchy cannot be built: a sentence quotes it.
BUILDERS = [PACKAGE / "domains" / f"{each}.py" for each in ("builder_words", "hierarchy_builders", "number_groups")]
OWN = sorted((PACKAGE / "web").rglob("*.py"))
ENGLISH = re.compile(r"\b(?:the|of|is|are|or|and|to|which|that|with|one)\b")


def asked(path: Path) -> bool:
    """Tell whether the page can meet what a module says."""
    place = path.relative_to(PACKAGE).with_suffix("").as_posix()
    return not any(f"{place}/".startswith(f"{each}/") for names in UNASKED.values() for each in names)


def told(path: Path) -> list[tuple[str, str]]:
    """Give what errors of a module say, and how it is told; of measures, but for parameters that the page leaves."""
    but = "__post_init__" if "measures" in path.parts else ""
    quoting = "'something' is no hierarchy of 'something': " if path in BUILDERS else ""
    found = []
    with speaking(languages()["de"]):
        for text in filter(None, map(without_options, sentences(path, but))):
            said = reported(text)
            found.append((text, reported(quoting + text) if said == text else said))
    return found


@pytest.mark.parametrize("path", [*FILES, *filter(asked, SAID), *OWN], ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_error_that_the_page_can_meet_is_told_in_german(path):
    assert not [text for text, said in told(path) if text in said]


@pytest.mark.parametrize("path", [*FILES, *filter(asked, SAID), *OWN], ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_error_is_told_half_in_english(path):
    assert not [said for _, said in told(path) if ENGLISH.search(said)]


def test_what_is_left_out_is_there():
    for each in set().union(*UNASKED.values()):
        assert (PACKAGE / each).is_dir() or (PACKAGE / f"{each}.py").is_file()


def test_what_is_collected_is_what_errors_say():
    found = {text for path in (*FILES, *SAID, *OWN) for text in sentences(path)}
    assert len(found) > 700
    assert "Column 'something' has integers beyond 2^53, which Excel keeps as other numbers." in found
    assert "There is not enough memory for this table." in found


@pytest.mark.parametrize(
    ("sentence", "german"),
    [
        (
            "'quantiles 8,3' is no hierarchy of 'age': each number of groups must divide the one before: 3 does not "
            "divide 8.",
            "„quantiles 8,3“ ist keine Hierarchie für „age“: Jede Anzahl von Gruppen muss die vorige teilen: 3 teilt 8 "
            "nicht.",
        ),
        (
            "k = 5 cannot be reached: the table has only 1 record.",
            "k = 5 ist nicht zu erreichen: Die Tabelle hat nur 1 Datensatz.",
        ),
        (
            "k = 5000 cannot be reached: the table has only 1,200 different subjects.",
            "k = 5000 ist nicht zu erreichen: Die Tabelle hat nur 1.200 verschiedene Personen.",
        ),
        (
            "A risk is above 0 and at most 1, not a list.",
            "Ein Risiko liegt über 0 und höchstens bei 1; angegeben ist eine Liste.",
        ),
        (
            "mondrian publishes one of range, mean, not 'all'.",
            "mondrian veröffentlicht eines von range, mean, nicht „all“.",
        ),
        (
            "These columns would be released as they are, though they may tell who people are: 'a' (every record has a "
            "value of its own), 'b' (its cells look like phone numbers).",
            "Diese Spalten würden unverändert veröffentlicht, obwohl sie verraten können, wer jemand ist: „a“ (jeder "
            "Datensatz hat einen eigenen Wert), „b“ (ihre Zellen sehen aus wie Telefonnummern).",
        ),
        ("There is no column 'people'.", "Es gibt keine Spalte „people“."),  # a name, and no word of the library
        ("Usual ones are 0.05 to 0.2.", "Üblich sind 0.05 bis 0.2."),  # as they are typed
    ],
)
def test_what_a_sentence_quotes_is_told_in_german_too(sentence, german):
    with speaking(languages()["de"]):
        assert reported(sentence) == german


def test_options_of_commands_are_told_as_what_the_page_has():
    remedy = "Say --no-header if there are no names, or --header if these are names."
    with speaking(languages()["de"]):
        assert remedied(remedy).startswith("Sagen Sie unter „Erste Zeile“")
        assert remedied("Write --range B3:F200.").startswith("Schreiben Sie B3:F200")


def test_a_writer_that_refuses_is_read_in_german(house):
    pytest.importorskip("xlsxwriter", reason="xlsxwriter is not installed: make install EXTRAS=excel")
    lines = ["age,sex,diagnosis,large"]
    lines += [f"{20 + row % 5},{'fm'[row % 2]},{['flu', 'cold'][row % 2]},{2**53 + 1}" for row in range(40)]
    visitor = house[1]().opened("\n".join(lines).encode())
    visitor.client.put("/api/roles", json={"roles": {"large": "plain"}})
    job = visitor.post("/api/anonymize?wait=30", json={"k": 3, "format": "xlsx"}).json()
    assert "integers beyond 2^53" in job["error"]  # programs are answered in English
    german = visitor.get("/release", headers={"accept-language": "de"}).text
    assert "ganze Zahlen jenseits von 2^53" in german
    assert "integers beyond" not in german


def test_a_reader_that_refuses_is_read_in_german(visitor):
    visitor.send(b"a,b\n1,2\n3\n4,5\n", "odd.csv")
    visitor.session.case.jobs.wait("look", 20)
    german = visitor.get("/data", headers={"accept-language": "de"}).text
    assert "Zeile 3 hat 1 Feld" in german
    assert "Berichtigen Sie die Zeile" in german


def test_a_method_that_refuses_is_read_in_german(visitor):
    visitor.opened(people())
    visitor.client.put("/api/aim?wait=30", json={"method": "hilbert", "k": 5, "settings": {"quality": 9}})
    until(lambda: all(job["state"] == "done" for job in visitor.state()["jobs"]))
    german = visitor.get("/protect", headers={"accept-language": "de"}).text
    assert "Die Güte (quality) ist eine ganze Zahl von 0 bis 3." in german
    assert "Nehmen Sie im Zweifel 1." in german


def test_a_way_to_build_a_hierarchy_that_cannot_be_is_read_in_german(visitor):
    visitor.opened(people())
    asked = {"column": "age", "kind": "cuts", "numbers": "9,5"}
    german = visitor.post("/hierarchies/preview", data=asked, headers={"accept-language": "de"}).text
    assert "ist keine Hierarchie für „age“: Grenzen müssen steigen." in german
