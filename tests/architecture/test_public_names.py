"""What users see: names that exist, in order, each explained with its parameters."""

import ast
import inspect
import re
from dataclasses import fields, is_dataclass
from enum import Enum
from importlib import import_module
from pathlib import Path

import pytest

import shoal
from shoal.catalogue import SHELVES, entries

NAMES = [name for name in shoal.__all__ if not name.startswith("__")]
ENTRIES = {f"{shelf}: {name}": entry for shelf in SHELVES for name, entry in entries(shelf).items()}


def documented(thing) -> set[str]:
    """Give the names that stand in the lists of parameters or attributes of a docstring."""
    text = inspect.getdoc(thing) or ""
    parts = re.split(r"^([A-Z][A-Za-z ]+)\n-{3,}$", text, flags=re.MULTILINE)
    bodies = [
        body for title, body in zip(parts[1::2], parts[2::2], strict=True) if title in ("Parameters", "Attributes")
    ]
    heads = [line for body in bodies for line in body.splitlines() if re.match(r"\S", line)]
    return {name.strip().lstrip("*") for head in heads for name in head.split(":")[0].split(",")}


def taken(thing) -> set[str]:
    """Give the names that a function takes or a value is made of."""
    if inspect.isclass(thing) and is_dataclass(thing):
        return {field.name for field in fields(thing)}
    if inspect.isclass(thing) and issubclass(thing, Enum):
        return set(thing.__members__)
    if inspect.isclass(thing) and "__init__" not in vars(thing):
        return set()
    return set(inspect.signature(thing).parameters) - {"self"}


def test_public_names_are_sorted_and_stand_once():
    assert shoal.__all__ == sorted(set(shoal.__all__))


def test_public_names_exist():
    assert not [name for name in shoal.__all__ if not hasattr(shoal, name)]


def test_nothing_public_is_missing_from_the_list():
    """What the package offers by accident becomes a promise."""
    offered = {name for name in dir(shoal) if not name.startswith("_")}
    assert {name for name in offered if not inspect.ismodule(getattr(shoal, name))} == set(NAMES)


def test_type_checkers_see_what_users_get():
    """The names are fetched when they are first used, so they are written down twice: both must say the same."""
    tree = ast.parse(Path(shoal.__file__).read_text(encoding="utf-8"))
    seen = {
        alias.asname or alias.name: (node.module, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module.startswith("shoal.")
        for alias in node.names
    }
    assert set(seen) == set(shoal.__all__)
    assert not [
        name for name, (home, there) in seen.items() if getattr(import_module(home), there) is not getattr(shoal, name)
    ]


def test_a_name_that_does_not_exist_is_an_attribute_error():
    with pytest.raises(AttributeError, match="anonymise"):
        _ = shoal.anonymise


def test_the_catalogue_is_public():
    assert not [entry.__name__ for entry in ENTRIES.values() if getattr(shoal, entry.__name__, None) is not entry]


@pytest.mark.parametrize("name", NAMES)
def test_public_names_explain_themselves_and_their_parameters(name):
    thing = getattr(shoal, name)
    own = vars(thing).get("__doc__") if inspect.isclass(thing) else thing.__doc__
    assert own, f"shoal.{name} has no docstring"
    assert not own.startswith(f"{name}("), f"shoal.{name} has only the docstring that dataclasses make up"
    missing = taken(thing) - documented(thing)
    assert not missing, f"shoal.{name} does not say what these are: {sorted(missing)}"


@pytest.mark.parametrize("name", NAMES)
def test_docstrings_speak_of_no_parameter_that_is_gone(name):
    thing = getattr(shoal, name)
    gone = documented(thing) - taken(thing)
    assert not gone, f"shoal.{name} explains what it does not have: {sorted(gone)}"


@pytest.mark.parametrize("name", NAMES)
def test_public_methods_have_docstrings(name):
    thing = getattr(shoal, name)
    members = vars(thing) if inspect.isclass(thing) else {}
    plain = {n: m.__func__ if isinstance(m, classmethod) else m for n, m in members.items() if not n.startswith("_")}
    bare = [n for n, m in plain.items() if (inspect.isfunction(m) or isinstance(m, property)) and not m.__doc__]
    assert not bare, f"shoal.{name}: {bare}"


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_every_entry_of_the_catalogue_cites_its_source(entry):
    """All but counts that need no source."""
    assert entry.name == "class-sizes" or "References\n" in inspect.getdoc(entry)


@pytest.mark.parametrize("entry", entries("methods").values(), ids=entries("methods"))
def test_every_method_can_be_made_without_arguments(entry):
    assert entry() == entry()


@pytest.mark.parametrize("entry", entries("models").values(), ids=entries("models"))
def test_no_model_has_a_default_level(entry):
    """A privacy level that nobody chose should not exist."""
    with pytest.raises(TypeError):
        entry()
