"""What users see: names that exist, in order, each explained with its parameters."""

import inspect
import re
from dataclasses import fields, is_dataclass
from enum import Enum
from importlib import import_module

import pytest

import shoal
from shoal.catalogue import SHELVES, entries, look_up
from shoal.certification.certificate import Certificate
from shoal.certification.private_record import PrivateRecord
from shoal.certification.proof import Proof
from shoal.lazy import offered
from shoal.schema import Role

MODULES = (shoal, shoal.methods, shoal.models, shoal.measures, shoal.attacks)
OFFERED = {
    f"{module.__name__}.{name}": getattr(module, name) for module in MODULES for name in offered(module.__file__)
}
NAMES = {place: thing for place, thing in OFFERED.items() if not inspect.ismodule(thing)} | {
    f"{thing.__module__}.{thing.__name__}": thing
    for thing in (
        shoal.models.check,
        shoal.models.Verdict,
        shoal.measures.Score,
        shoal.attacks.Success,
        Certificate,
        PrivateRecord,
        Proof,
        Role,
    )
}
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


def test_about_ten_functions_and_values_stand_on_top():
    """The rest is found where it belongs: methods, models, measures and errors are modules of their own."""
    assert {name for name in shoal.__all__ if inspect.ismodule(getattr(shoal, name))} == {*SHELVES, "errors"}
    assert len(shoal.__all__) <= 24


def test_nothing_public_is_missing_from_the_list():
    """What the package offers by accident becomes a promise."""
    assert set(dir(shoal)) == set(shoal.__all__)
    namespace = {}
    exec("from shoal import *", namespace)
    assert set(shoal.__all__) <= set(namespace)


def test_type_checkers_see_what_users_get():
    """What is imported for the type checker is the list: each name is where it says, under the same name."""
    for module in MODULES:
        for name, home in offered(module.__file__).items():
            assert getattr(module, name) is getattr(import_module(home), name)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_a_name_that_does_not_exist_is_an_attribute_error(module):
    with pytest.raises(AttributeError, match="anonymise") as refused:
        _ = module.anonymise
    assert refused.value.obj is module  # so that Python says which name was meant


@pytest.mark.parametrize("shelf", SHELVES)
def test_the_catalogue_is_public(shelf):
    module = getattr(shoal, shelf)
    listed = {entry.__name__: entry for entry in entries(shelf).values()}
    assert not [name for name, entry in listed.items() if getattr(module, name) is not entry]
    assert set(listed) <= set(dir(module))


@pytest.mark.parametrize(("shelf", "name"), [(shelf, name) for shelf in SHELVES for name in entries(shelf)])
def test_an_entry_lives_in_a_file_of_its_name(shelf, name):
    """So that it is found by name without loading the others."""
    assert look_up(shelf, name).name == name


@pytest.mark.parametrize("name", NAMES)
def test_public_names_explain_themselves_and_their_parameters(name):
    thing = NAMES[name]
    own = vars(thing).get("__doc__") if inspect.isclass(thing) else thing.__doc__
    assert own, f"{name} has no docstring"
    assert not own.startswith(f"{thing.__name__}("), f"{name} has only the docstring that dataclasses make up"
    missing = taken(thing) - documented(thing)
    assert not missing, f"{name} does not say what these are: {sorted(missing)}"


@pytest.mark.parametrize("name", NAMES)
def test_docstrings_speak_of_no_parameter_that_is_gone(name):
    thing = NAMES[name]
    gone = documented(thing) - taken(thing)
    assert not gone, f"{name} explains what it does not have: {sorted(gone)}"


@pytest.mark.parametrize("name", NAMES)
def test_public_methods_have_docstrings(name):
    thing = NAMES[name]
    members = vars(thing) if inspect.isclass(thing) else {}
    plain = {n: m.__func__ if isinstance(m, classmethod) else m for n, m in members.items() if not n.startswith("_")}
    bare = [n for n, m in plain.items() if (inspect.isfunction(m) or isinstance(m, property)) and not m.__doc__]
    assert not bare, f"{name}: {bare}"


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
