"""Errors come finished, in English, from readers, writers and tasks; whoever reads German is told in German."""

import pytest
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
TREES = [  # but for how they are built, of which one finished sentence quotes another
    *sorted(path for path in (PACKAGE / "domains").glob("hierarch*.py") if path.stem != "hierarchy_builders"),
    *sorted((PACKAGE / "engines").glob("*_trees.py")),
    PACKAGE / "domains" / "range_leaves.py",
]
OWN = sorted((PACKAGE / "web").rglob("*.py"))


@pytest.mark.parametrize("path", [*FILES, *TREES, *OWN], ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_error_of_files_of_hierarchies_and_of_the_page_is_told_in_german(path):
    with speaking(languages()["de"]):
        left = [text for text in map(without_options, sentences(path)) if text and reported(text) == text]
    assert not left


def test_what_is_collected_is_what_errors_say():
    found = {text for path in (*FILES, *OWN) for text in sentences(path)}
    assert len(found) > 250
    assert "Column 'something' has integers beyond 2^53, which Excel keeps as other numbers." in found
    assert "There is not enough memory for this table." in found


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
