"""What the pages say: every example runs and shows what really comes out; every link, option and name exists."""

import csv
import importlib.util
import inspect
import re
import shutil
import tomllib
from pathlib import Path

import pytest
from architecture.markdown import ANYTHING, Page, blocks, matches, tables
from architecture.source import MODULES, ORDER, ROOT, stage
from clusters import cluster

from shoal.cli import application
from shoal.engines.protocol import Groups, Rows, Storage
from shoal.recipe import Recipe

README = ROOT / "README.md"
DOCS = ROOT / "docs"
PAGES = [README, *sorted(DOCS.glob("*.md"))]
WRITTEN = [page for page in PAGES if page.name != "reference.md"]
# What a block of the shell may begin with, and the commands in one: they need a browser, a server or files of others.
SHELL = {"pip", "make", "export", "shoal", "python", "CC=gcc"}
NOT_RUN = (
    {("web", "#"), ("web", "patients.csv"), ("web", "people.ledger"), ("data", "oshpd"), ("anonymize", "people.csv")}
    | {("study", given) for given in ("--out", "--data", "reproduction/adult.toml")}
    | {
        (command, f'"postgresql://keeper@host/clinic?table={table}"')
        for command, table in (("anonymize", "people"), ("check", "shown"))
    }
)
LANGUAGES = {"python", "text", "console", "sh", "toml", "pycon"}


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def rows_of(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    return tmp_path


def test_readme_examples_run_as_printed_on_what_is_shipped_and_its_tables_are_what_comes_out(workplace):
    """Whoever has just cloned the project can type what the page shows, from top to bottom, with nothing else there."""
    before, after = tables(text_of(README))[:2]
    assert rows_of(ROOT / "patients.csv") == before
    shutil.copy(ROOT / "patients.csv", workplace)
    (python,) = [block for block in blocks(text_of(README)) if block.language == "python"]
    assert len([line for line in python.text.splitlines() if line]) == 3
    page = Page(README)
    assert page.run() > 1
    assert page.names["release"].holds
    for name in ("from-python.csv", "patients-k3.csv"):
        assert rows_of(workplace / name) == after


@pytest.mark.slow
@pytest.mark.parametrize("page", WRITTEN[1:], ids=lambda page: page.name)
def test_examples_run_and_show_what_comes_out(page, workplace):
    if page.name == "cluster.md":
        cluster()
    ran = Page(page).run()
    assert ran or page.name in ("architecture.md", "index.md", "page-comparison.md", "versions.md")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_nothing_that_could_be_run_stands_in_a_block_that_is_not(page):
    """Blocks of the shell are read, not run: Python and commands whose output can be told have blocks of their own."""
    for block in blocks(text_of(page)):
        if block.language == "sh":
            lines = re.sub(r"\\\n\s*", " ", block.text).splitlines()
            assert all(line.split()[0] in SHELL or line.startswith("SHOAL_") for line in lines), block.line
            shown = [line for line in lines if line.split()[0] == "shoal"]
            assert {tuple(line.split()[1:3]) for line in shown} <= NOT_RUN, block.line
        if block.language == "console":
            told = [line for line in block.text.splitlines() if line != ANYTHING and not line.startswith("$ ")]
            assert told, f"{page.name}, line {block.line}: nothing compares what comes out"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_says_what_it_is(page):
    """A block without a language, or with a new one, would not be run."""
    strange = {block.language for block in blocks(text_of(page))} - LANGUAGES
    assert not strange
    assert len(re.findall(r"^```", text_of(page), re.MULTILINE)) == 2 * len(blocks(text_of(page)))


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.name)
def test_recipes_on_pages_can_be_read(page):
    for block in blocks(text_of(page)):
        if block.language == "toml":
            Recipe.from_dict(tomllib.loads(block.text))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", text_of(page)):
        if target.startswith("https://"):
            continue
        file, _, anchor = target.partition("#")
        there = page.parent / file if file else page
        assert there.is_file(), target
        assert not anchor or anchor in anchors(text_of(there)), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pictures_are_small_and_say_in_words_what_they_show(page):
    shown = [*re.findall(r"!\[(.*?)\]\((.+?)\)", text_of(page))]
    shown += [(alt, file) for file, alt in re.findall(r'<img src="(.+?)".*? alt="(.*?)">', text_of(page))]
    assert len(shown) == len(re.findall(r"!\[|<img", text_of(page)))
    for words, file in shown:
        assert len(words.split()) > 5, file
        assert (page.parent / file).stat().st_size < 150_000


def anchors(page: str) -> set[str]:
    """Give the anchors that headings get: lower case, no punctuation, hyphens for spaces."""
    heads = re.findall(r"^#+ (.+)$", page, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def options() -> set[str]:
    page = text_of(DOCS / "reference.md")
    rows = re.findall(r"^\| `(--[\w/-]+)`", page, re.MULTILINE)
    return {name for row in rows for name in row.split("/")} | {"--version", "--help"}


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.name)
def test_options_on_pages_exist(page):
    named = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", text_of(page)))
    assert named <= options()


def test_the_site_leads_to_every_page():
    named = re.findall(r"^ +- (?:[\w ]+: )?([\w/-]+\.md)$", text_of(ROOT / "mkdocs.yml"), re.MULTILINE)
    assert sorted(named) == sorted(page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md"))


def test_readme_names_every_command():
    app = application()
    commands = {command.name for command in (*app.registered_commands, *app.registered_groups)}
    first = [row[0] for row in next(t for t in tables(text_of(README)) if t[0][0] == "command")[1:]]
    assert {re.match(r"`shoal ([\w-]+)", cell)[1] for cell in first} == commands


def test_make_targets_on_pages_exist():
    targets = set(re.findall(r"^(\w+):", text_of(ROOT / "Makefile"), re.MULTILINE))
    written = "\n".join(map(text_of, WRITTEN))
    named = re.findall(r"`make (\w+)`|^make (\w+)", written, re.MULTILINE)
    assert {first or second for first, second in named} <= targets


def test_readme_keeps_one_place_for_measured_speed():
    (inside,) = re.findall(r"<!-- speed -->\n(.*?)<!-- /speed -->", text_of(README), re.DOTALL)
    assert tables(inside)
    assert "TBD" not in text_of(README).replace(inside, "")


def test_pages_speak_of_the_project_alone():
    for page in PAGES:
        assert not re.search(r"(?<![\w.:/])/(?:work|home|tmp|opt|root|usr)/", text_of(page)), page.name


def test_architecture_page_lists_the_modules_in_their_order():
    table = next(t for t in tables(text_of(DOCS / "architecture.md")) if t[0][0] == "module")
    there = {stage(module) for module in MODULES} - {"__init__", "__main__"}
    assert [row[0].strip("`") for row in table[1:]] == [name for name in ORDER if name in there]


def test_architecture_page_lists_the_verbs_of_engines():
    table = next(t for t in tables(text_of(DOCS / "architecture.md")) if t[0][0] == "verb")
    verbs = {name for group in (Storage, Rows, Groups) for name in vars(group) if not name.startswith("_")}
    assert {row[0].strip("`") for row in table[1:]} == verbs


def test_reference_is_up_to_date():
    spec = importlib.util.spec_from_file_location("make_reference", DOCS / "make_reference.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    made = {DOCS / "reference.md": script.reference(), **script.api()}
    assert made == {page: text_of(page) for page in made}, "run: python docs/make_reference.py"
    assert set(script.api()) == set((DOCS / "api").iterdir())


@pytest.mark.parametrize(
    ("shown", "found", "same"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\n", "a\nc\n", False),
        ("a\n…\n", "a\nb\nc\n", True),
        ("a\n…\nd\n", "a\nb\nc\n", False),
        ("…\nc\n", "a\nb\nc\n", True),
        ("a\n", "a\nb\n", False),
        ("a\n", "a   \n", True),
    ],
)
def test_comparison_of_shown_and_found(shown, found, same):
    assert matches(shown, found) is same


def test_blocks_are_found():
    page = inspect.cleandoc(
        """
        # A page

        ```python
        x = 1
        ```

        ```text
        y
        ```
        """
    )
    assert [(block.language, block.text) for block in blocks(page)] == [("python", "x = 1\n"), ("text", "y\n")]
