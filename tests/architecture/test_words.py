"""The field's words: what the literature has a word for is called by it, and each word means one thing.

Private words cost every new reader an hour. The lists below say what to write instead, and why. The glossary in
docs/glossary.md maps the words that users read, which may be plainer, to those of the literature.
"""

import ast
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from architecture.source import MODULES, PACKAGE, ROOT

from shoal.catalogue import entries

# Where these words are no longer used: files and folders, from the root.
ROOMS = (
    "src/shoal/engines",
    "src/shoal/domains",
    "src/shoal/charts",
    "src/shoal/report",
    "src/shoal/cli",
    "src/shoal/certification",
    "src/shoal/releases",
    "src/shoal/assessment",
    "src/shoal/pitfalls",
    "src/shoal/progress",
    "src/shoal/atomic_files",
    "docs",
    "README.md",
    "CONTRIBUTING.md",
    "paper/README.md",
    "paper/src",
    "src/shoal/web",
    "src/shoal/methods",
    "src/shoal/measures",
    "src/shoal/models",
    "src/shoal/kernels",
    *(f"src/shoal/{path.name}" for path in sorted(PACKAGE.glob("*.py"))),
)
# Types of the workbench may have the names of those of engines: its messages and tasks are never used beside them.
WITH_TYPES_OF_ITS_OWN = ("src/shoal/web",)

# Nowhere: not in names, comments, docstrings, messages or documents, whatever their ending.
WORDS = {
    "seat": "slot (of a hash table, a tree or a class), offset (of a row in a target), or place",
    "told": "known, reported, undecided, or summary: it hides who says what to whom",
    "telling": "summary, accumulator, or reporting: the same",
    "homeward": "restore order: a shuffle back to where rows came from",
    "dealt": "split by target, assigned, interleaved: cards are dealt",
    "payers": "loss by group: nobody pays",
    "errands": "jobs",
    "spoilt": "irregular, or invalid: say what is wrong with it",
    "whoever": "who, or the name of the actor",
    "whomever": "who, or the name of the actor",
    "ladder": "generalization levels",
    "rung": "generalization level",
    "rivals": "baselines",
    "straight": "direct (I/O), plain or vectorized (code)",
}

# But for these: plain English, or words of the study's pages, which are kept under reproduction/ as they were made.
PHRASES = (
    "straight line",
    "least telling",
    "most telling",
    "can be told apart",
    "is told by the rank correlation",
    "whoever has only the sample",
    "whoever is as often wrong",
    "whoever is wrong",
    "whoever knows it finds",
    "whoever knows some could tell",
    "whoever knows that",
    "whoever knows the stay",
    "whoever tries all values",
    "whoever wants that answer",
)

# Not as names of functions, types or variables; in sentences they may be plain English.
NAMES = {
    "along_curve": "hilbert_keys",
    "arranged": "shuffle_by_range, or released_order",
    "crowds": "classes",
    "formed_by_others": "baseline_partitions",
    "gathered": "shuffle_by_hash, or search_levels",
    "giving_back": "return_memory",
    "in_little_room": "default_budget",
    "joined_with_partners": "merge_greedily",
    "mended": "repaired, or merged",
    "need_of": "estimate",
    "parted": "PartsEngine",
    "parted_data": "PartsTable",
    "settled": "reorder, or constrained",
    "shown_values": "cell_differences",
    "spelled": "rendered",
    "stretches_of_strata": "blocks_of_strata",
    "ways_along": "hilbert_key_functions",
}

# Not as names of files.
FILES = {
    "along_curve": "hilbert_order",
    "arranging": "shuffle",
    "boxing": "boxes",
    "choosing": "factory",
    "classing": "groups",
    "comparing": "folding",
    "counting": "range_counts",
    "crowds": "lattice",
    "cutting": "blocks",
    "design": "design_matrix",
    "drawing": "figures",
    "endings": "compare_pages, release_pages and job_routes",
    "entrance": "session_middleware",
    "fit": "box_cover",
    "fitting": "fit_matching",
    "gathering": "level_search",
    "giving_back": "process_memory",
    "growing": "class_growth",
    "importing": "role_import",
    "joining": "merging, or merge_costs",
    "keeping": "release_store, or kept_results",
    "ladders": "generalization_levels",
    "looking": "what it looks for",
    "mending": "constraint_repair",
    "packing": "serialization",
    "partners": "greedy_merging",
    "pieces": "range_splits",
    "planting": "hierarchies",
    "promises": "constraints",
    "publishing": "generalizing",
    "remaining": "unassigned",
    "repair": "merge_failing",
    "representing": "central_values",
    "saying": "wording",
    "scratch": "workspace",
    "searching": "candidates",
    "serving": "server",
    "settling": "reassignment",
    "showing": "terminal, or display",
    "shown_values": "cell_differences",
    "slips": "attacker_errors",
    "spelling": "text_rendering",
    "splitting": "mondrian",
    "spreading": "uniformity",
    "trading": "swapping",
    "trials": "algorithm_selection",
    "uploading": "uploads",
}


def files(room: str) -> list[Path]:
    """Give the files of a room that people read."""
    path = ROOT / room
    assert path.exists(), f"{room} is gone: take it out of the rooms"
    every = [path] if path.is_file() else sorted(path.rglob("*"))
    return [each for each in every if each.suffix in {".py", ".c", ".h", ".md", ".toml"}]


def words_in(text: str) -> Iterator[tuple[int, str]]:
    """Give the words of a text in lower case and without a plural s, with their lines; names fall into their words.

    Phrases that are allowed are left out.
    """
    allowed = re.compile("|".join(PHRASES), re.IGNORECASE)
    for number, line in enumerate(text.splitlines(), 1):
        for found in re.finditer(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", allowed.sub("", line)):
            word = found[0].lower()
            yield number, word
            yield number, word.removesuffix("s")


def names_in(path: Path) -> Iterator[tuple[int, str]]:
    """Give the names of a program in snake case, with their lines."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        found = [
            (token.start[0], token.string)
            for token in tokenize.generate_tokens(io.StringIO(text).readline)
            if token.type == tokenize.NAME
        ]
    elif path.suffix in {".c", ".h"}:
        code = re.sub(r"/\*.*?\*/|\"[^\"\n]*\"", lambda gone: re.sub(r"[^\n]", " ", gone[0]), text, flags=re.DOTALL)
        found = [(code.count("\n", 0, name.start()) + 1, name[0]) for name in re.finditer(r"\b[A-Za-z_]\w*", code)]
    else:
        found = []
    for line, name in found:
        yield line, re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_")


@pytest.mark.parametrize("room", ROOMS)
def test_private_words_are_not_used(room):
    wrong = {
        f"{path.relative_to(ROOT)}:{line}: '{word}': write {WORDS[word]}"
        for path in files(room)
        for line, word in words_in(path.read_text(encoding="utf-8"))
        if word in WORDS
    }
    assert not wrong, "\n".join(sorted(wrong))


@pytest.mark.parametrize("room", ROOMS)
def test_what_was_renamed_has_its_new_name(room):
    wrong = {f"{path.relative_to(ROOT)}: call it {FILES[path.stem]}" for path in files(room) if path.stem in FILES}
    wrong |= {
        f"{path.relative_to(ROOT)}:{line}: '{name}': write {NAMES[name]}"
        for path in files(room)
        for line, name in names_in(path)
        if name in NAMES
    }
    assert not wrong, "\n".join(sorted(wrong))


def test_words_are_found_in_names_of_every_form(tmp_path):
    text = "row_seats = SEAT  # whoever\nclass TheSeat: ...\nunsettled, seating, foretold = 1, 2, 3  # a straight line"
    assert {(line, word) for line, word in words_in(text) if word in WORDS} == {
        (1, "seat"),
        (1, "whoever"),
        (2, "seat"),
    }
    program = tmp_path / "program.c"
    program.write_text('/* gathered */ int need_of; "spelled";\nPartedData seen;', encoding="utf-8")
    assert [(line, name) for line, name in names_in(program) if name in NAMES] == [(1, "need_of"), (2, "parted_data")]


def test_every_phrase_that_is_allowed_is_still_written():
    text = "".join(path.read_text(encoding="utf-8") for room in ROOMS for path in files(room)).lower()
    assert [phrase for phrase in PHRASES if phrase not in text] == []


def types_of(module: str) -> set[str]:
    """Give the types that a module defines for others: classes and aliases."""
    found = set()
    for node in ast.parse(MODULES[module].read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found.add(node.targets[0].id)
    return {name for name in found if re.match(r"[A-Z][a-z]", name)}


def test_a_type_of_these_rooms_has_one_meaning_in_its_package():
    homes = defaultdict(list)
    for module, path in MODULES.items():
        if not any(path.is_relative_to(ROOT / out) for out in WITH_TYPES_OF_ITS_OWN):
            for name in types_of(module):
                homes[module.split(".")[0], name].append(module)
    mine = {module for module, path in MODULES.items() if any(path.is_relative_to(ROOT / room) for room in ROOMS)}
    twice = {name: where for name, where in homes.items() if len(where) > 1 and mine & set(where)}
    assert not twice, f"give these names of their own: {twice}"


@pytest.mark.parametrize("shelf", ["methods", "measures"])
def test_what_lies_in_a_folder_of_the_catalogue_is_an_entry(shelf):
    """What entries share lies in packages of its own, so that a listing of the folder shows what there is."""
    listed = {path.stem for path in (PACKAGE / shelf).glob("*.py")} - {"__init__"}
    assert listed == {name.replace("-", "_") for name in entries(shelf)}
