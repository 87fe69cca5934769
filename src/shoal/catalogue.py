"""What there is, by name: methods, models, measures and attacks. Outside packages add theirs through entry points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from shoal import plugins
from shoal.errors import ParameterError, suggest
from shoal.lazy import offered

SHELVES = ("methods", "models", "measures", "attacks")


@cache
def _own(shelf: str) -> Mapping[str, str]:
    """Give where each entry of this package lives; it is loaded when it is first named."""
    homes = offered(str(Path(__file__).parent / shelf / "__init__.py"))
    classes = {name: home for name, home in homes.items() if name[0].isupper()}
    return {home.rpartition(".")[2].replace("_", "-"): f"{home}:{name}" for name, home in classes.items()}


@cache
def entries(shelf: str) -> Mapping[str, type[Any]]:
    """Give the entries of ``methods``, ``models``, ``measures`` or ``attacks`` by name.

    >>> list(entries("models"))[:4]
    ['k-anonymity', 't-closeness', 'l-diversity', 'alpha-k']
    """
    found = {name: _load(place) for name, place in _own(shelf).items()}
    for point in plugins.added(f"shoal.{shelf}").values():
        entry = plugins.load(point)
        found.setdefault(entry.name, entry)
    return found


def _load(place: str) -> type[Any]:
    module, _, name = place.partition(":")
    entry: type[Any] = getattr(import_module(module), name)
    return entry


def look_up(shelf: str, name: str) -> type[Any]:
    """Give one entry, or say which one was probably meant."""
    if name in _own(shelf):
        return _load(_own(shelf)[name])
    known = entries(shelf)
    if name in known:
        return known[name]
    near = suggest(name, known)
    hint = f"Did you mean '{near}'? " if near else ""
    raise ParameterError(f"There is no {shelf[:-1]} '{name}'.", f"{hint}There are: {', '.join(known)}.")


def offers(shelf: str, name: str, part: str) -> bool:
    """Tell whether there is an entry of a name that has a certain part; of those that are not installed nothing is.

    >>> offers("methods", "noise", "preserves"), offers("methods", "hilbert", "preserves")
    (True, False)
    """
    try:
        return hasattr(look_up(shelf, name), part)
    except ParameterError:
        return False


def build(shelf: str, given: Mapping[str, Any]) -> Any:
    """Make a value of the catalogue from its name and parameters; a parameter that it does not have is an error."""
    values = dict(given)
    if not isinstance(values.get("name"), str):
        raise ParameterError(f"{shelf.capitalize()} have names.", f"There are: {', '.join(entries(shelf))}.")
    entry = look_up(shelf, str(values.pop("name", "")))
    known = [f.name for f in fields(entry)]
    for key in values:
        if key not in known:
            near = suggest(key, known)
            hint = f"Did you mean '{near}'? " if near else ""
            raise ParameterError(
                f"{entry.name} has no parameter '{key}'.", f"{hint}It has: {', '.join(known) or 'none'}."
            )
    missing = [f.name for f in fields(entry) if _required(f) and f.name not in values]
    if missing:
        raise ParameterError(f"{entry.name} needs '{missing[0]}'.", "Give it a value.")
    for field in fields(entry):
        forms = {"where": str, "column": str, "known": list, "columns": list if shelf == "measures" else list | str}
        if field.name in values and not isinstance(values[field.name], forms.get(field.name, object)):
            raise ParameterError(f"'{field.name}' of {entry.name} has a value of the wrong kind.", "Mend it.")
    return entry(**{key: tuple(value) if isinstance(value, list) else value for key, value in values.items()})


def picked(shelf: str, given: Any) -> tuple[Any, ...]:
    """Give values of the catalogue, of which one may be given by itself, or by its name if it needs no parameters."""
    items = tuple(given) if isinstance(given, Sequence) and not isinstance(given, str) else (given,)
    return tuple(_one(shelf, item) for item in items)


def _one(shelf: str, item: Any) -> Any:
    if isinstance(item, str):
        return build(shelf, {"name": item})
    if isinstance(item, type) or not isinstance(getattr(item, "name", None), str):
        what = f"the class {item.__name__}" if isinstance(item, type) else f"a {type(item).__name__}"
        article = "An" if shelf == "attacks" else "A"
        example = {
            "methods": "Hilbert()",
            "models": "KAnonymity(5)",
            "measures": "Uniqueness()",
            "attacks": "Inference()",
        }[shelf]
        raise ParameterError(
            f"{article} {shelf[:-1]} is wanted, not {what}.", f"Write shoal.{shelf}.{example}, for example."
        )
    return item


def in_words(measure: str, detail: Mapping[str, Any]) -> list[str]:
    """Give the sentence that a measure has for what it found; most leave it at the number."""
    sentence = getattr(look_up("measures", measure), "sentence", None)
    return [sentence(detail)] if sentence else []


def _required(field: Field[Any]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def describe(value: Any) -> dict[str, Any]:
    """Give the name and parameters of a catalogue value, as written in recipes and certificates."""
    given: dict[str, Any] = {"name": value.name}
    for f in fields(value):
        content = getattr(value, f.name)
        if content is not None:
            given[f.name] = dict(content) if isinstance(content, Mapping) else content
    return {key: list(v) if isinstance(v, tuple) else v for key, v in given.items()}
