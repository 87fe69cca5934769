"""The recipe: everything that was asked for, as values and as TOML."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from shoal.catalogue import build, describe
from shoal.domains.hierarchy_builders import builds
from shoal.engines.memory import parse_size
from shoal.engines.sources import beside
from shoal.errors import ParameterError, suggest
from shoal.measures import Measure
from shoal.methods import Method
from shoal.methods.perturbation.preserved import draws
from shoal.models import PrivacyModel
from shoal.models.outside_population import OutsidePopulation
from shoal.parameters import seed_of
from shoal.schema import LAYOUT, SINGLE, ReadOptions, Role, options_from
from shoal.table import Table

ROW_ORDERS = ("released", "input")
_SECTIONS = ("table", "method", "model", "measure", "release", "engine")
_TABLE = {
    **dict.fromkeys(("file", *SINGLE), "a text"),
    **dict.fromkeys(("quasi", "sensitive", "plain", "identifier", "missing"), "texts"),
    **dict.fromkeys(("kinds", "hierarchies", "knowledge"), "a text for each column"),
    "orders": "texts for each column",
    **dict.fromkeys(
        ("delimiter", "encoding", "decimal", "thousands", "dates", "sheet", "range", "at_version"), "a text"
    ),
    **dict.fromkeys(("header", "masked", "last_sensitive", "linked", "baskets"), "true or false"),
}
_RELEASE = {
    **dict.fromkeys(("file", "certificate", "private", "delimiter", "row_order", "cells"), "a text"),
    "seed": "a whole number",
    "no_promise": "true or false",
    "allow_identifiers": "texts",
    "joined_with": "texts",
}
# What is said of the layout of the original: readers of a release need to know nothing of it.
_ORIGINAL = ("file", *LAYOUT, "hierarchies", "baskets")
_ENGINE = {"memory": "a text"}


@dataclass(frozen=True)
class Recipe:
    """What to read, how to mask it, what to promise and measure, and where to put it.

    Parameters
    ----------
    options
        How the table is read, roles included.
    methods
        How it is masked, one after the other.
    models
        What is promised.
    measures
        What is measured; the usual measures if left out.
    seed
        The seed of methods that draw random numbers. None for a method that changes values at random: one is drawn for
        each run and kept nowhere. A seed that is given all the same, for tests, is never in what is released.
    delimiter
        What separates the cells of the released file; what its name says if left out.
    source, target, certificate, private
        The input, the output, the certificate and the private record. They may be left out: a recipe in a certificate
        names no places.
    table
        What is said of the table, as it is written in TOML.
    memory
        How much memory may be used on this machine, such as ``2GB``; a share of what is free if left out.
    row_order
        ``released``, by what is released; or ``input``, as in the original, for experiments.
    no_promise
        Whether the release is meant to promise nothing.
    allow_identifiers
        Columns that are released though they tell who people are, because someone decided so.
    cells
        How ranges are shown: as ``text``, by both ``bounds`` or by their ``middle``; as suits the form if left out.
    joined_with
        Other releases with pseudonyms of the same domain: what all tell together is measured.
    """

    options: ReadOptions
    methods: tuple[Method, ...]
    models: tuple[PrivacyModel, ...] = ()
    measures: tuple[Measure, ...] | None = None
    seed: int | None = None
    delimiter: str | None = None
    source: str | None = None
    target: str | None = None
    certificate: str | None = None
    table: Mapping[str, Any] = field(default_factory=dict)
    memory: str | None = None
    private: str | None = None
    row_order: str = "released"
    no_promise: bool = False
    allow_identifiers: tuple[str, ...] = ()
    cells: str | None = None
    joined_with: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse an amount of memory that is none, and an order that is none; methods that repeat have a seed."""
        if self.seed is None and not draws(self.methods):
            object.__setattr__(self, "seed", 0)
        if self.memory is not None:
            parse_size(self.memory)
        refuse_strange_order(self.row_order)

    @classmethod
    def of(
        cls,
        table: Table,
        methods: tuple[Method, ...],
        models: tuple[PrivacyModel, ...],
        measures: tuple[Measure, ...],
        seed: int | None,
    ) -> Recipe:
        """Write down what was asked of a table that has been read: its kinds are known now."""
        seed = None if seed is None else seed_of(seed)
        schema = table.schema
        given: dict[str, Any] = {"quasi": list(schema.quasi)}
        for role in (Role.SENSITIVE, Role.PLAIN):
            if schema.of(role):
                given[role.value] = list(schema.of(role))
        if schema.subject is not None:
            given["subject"] = schema.subject
        for role in (Role.WEIGHT, Role.HOUSEHOLD, Role.STRATUM):
            if schema.of(role):
                given[role.value] = schema.of(role)[0]
        treated = [f"{a.name}={a.treatment}" for a in schema.attributes if a.treatment is not None]
        given |= {"identifier": treated} if treated else {}
        # Of a hierarchy a reader of the release sees only names of nodes, which are categories.
        given["kinds"] = {a.name: "category" if a.axis.tree else a.axis.kind for a in schema.attributes}
        plain = [a for a in schema.attributes if a.axis.kind == "ordered" and a.axis.tree is None]
        orders = {a.name: list(a.axis.values) for a in plain}  # type: ignore[arg-type]
        knowledge = {a.name: a.knowledge for a in schema.attributes if a.knowledge}
        given |= {"orders": orders} if orders else {}
        given |= {"knowledge": knowledge} if knowledge else {}
        given |= table.origin.given
        return cls(options_from(given), methods, models, measures, seed, table=given)

    def to_dict(self) -> dict[str, Any]:
        """Give the recipe as plain values."""
        release: dict[str, Any] = {} if self.seed is None else {"seed": self.seed}
        places = {"file": self.target, "certificate": self.certificate, "private": self.private}
        release |= {key: value for key, value in places.items() if value}
        release |= {"cells": self.cells} if self.cells is not None else {}
        release |= {"row_order": self.row_order} if self.row_order != "released" else {}
        release |= {"delimiter": self.delimiter} if self.delimiter is not None else {}
        release |= {"no_promise": True} if self.no_promise else {}
        release |= {"allow_identifiers": list(self.allow_identifiers)} if self.allow_identifiers else {}
        release |= {"joined_with": list(self.joined_with)} if self.joined_with else {}
        return {
            "table": ({"file": self.source} if self.source else {}) | dict(self.table),
            "method": [describe(method) for method in self.methods],
            "model": [describe(model) for model in self.models],
            "measure": [describe(measure) for measure in self.measures or ()],
            "release": release,
        } | ({"engine": {"memory": self.memory}} if self.memory else {})

    def public(self) -> dict[str, Any]:
        """Give the recipe as everyone may see it: no places, no layout of the original, no values that occur in it.

        Nor does it hold a seed by which changes could be undone.
        """
        table = {key: value for key, value in self.table.items() if key not in _ORIGINAL}
        if self.table.get("masked") is False:  # so it is in columns that are released as they are
            table["masked"] = False
        if "orders" in table:  # those of columns that are released; who people are stays with the original
            table["orders"] = {name: order for name, order in table["orders"].items() if name != table.get("subject")}
        methods = tuple(without_values(method) for method in self.methods)
        measures = None if self.measures is None else tuple(without_values(each, listed=True) for each in self.measures)
        seed = None if draws(methods) else self.seed
        bare = replace(self, table=table, methods=methods, measures=measures, memory=None, seed=seed)
        return replace(bare, source=None, target=None, certificate=None, private=None, joined_with=()).to_dict()

    def to_toml(self) -> str:
        """Give the recipe as TOML."""
        content = self.to_dict()
        lines: list[str] = []
        if self.measures == ():
            lines.append("measure = []")  # none at all, which is not the same as not saying which
        for section in content:
            parts = content[section] if isinstance(content[section], list) else [content[section]]
            head = f"[[{section}]]" if isinstance(content[section], list) else f"[{section}]"
            for part in parts:
                lines += [head, *(f"{_key(key)} = {_toml(value)}" for key, value in part.items()), ""]
        return "\n".join(lines)

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Recipe:
        """Read plain values; a key that means nothing is an error."""
        _refuse_unknown(content, _SECTIONS, "a recipe")
        table, release = _section(content, "table", _TABLE), _section(content, "release", _RELEASE)
        engine = _section(content, "engine", _ENGINE)
        source = table.pop("file", None)
        methods = _list(content.get("method", []))
        if not methods:
            raise ParameterError("The recipe names no method.", 'Add [[method]] with name = "sorted-clusters".')
        measures = content.get("measure")
        return cls(
            options_from(table),
            tuple(build("methods", given) for given in methods),
            tuple(build("models", given) for given in _list(content.get("model", []))),
            None if measures is None else tuple(build("measures", given) for given in _list(measures)),
            release.get("seed"),
            release.get("delimiter"),
            source,
            release.get("file"),
            release.get("certificate"),
            table,
            engine.get("memory"),
            release.get("private"),
            release.get("row_order", "released"),
            release.get("no_promise", False),
            _names(release.get("allow_identifiers", ())),
            release.get("cells"),
            _names(release.get("joined_with", ())),
        )

    @classmethod
    def from_toml(cls, text: str) -> Recipe:
        """Read TOML.

        >>> recipe = Recipe.from_toml('method = {name = "coarsen", resolution = 4}')
        >>> recipe.methods
        (Coarsen(resolution=4, by='distinct'),)
        """
        import tomllib  # commands that do not read a recipe do without it

        try:
            return cls.from_dict(tomllib.loads(text))
        except tomllib.TOMLDecodeError as error:
            raise ParameterError(f"The recipe is not TOML: {error}.", "Mend the line.") from None

    @classmethod
    def load(cls, path: str | Path) -> Recipe:
        """Read a recipe file. Files that it names are looked for beside it."""
        place = Path(path)
        try:
            recipe = cls.from_toml(place.read_text(encoding="utf-8"))
        except OSError as error:
            raise ParameterError(f"'{path}' cannot be read: {error.strerror}.", "Check its name and folder.") from None
        except UnicodeDecodeError:
            raise ParameterError(f"'{path}' is not UTF-8 text.", "Save the recipe as UTF-8.") from None

        def found(name: str | None) -> str | None:
            return None if name is None else beside(place.parent, name)

        trees = {
            name: text if builds(str(text)) else str(place.parent / str(text))
            for name, text in recipe.options.hierarchies.items()
        }
        models = tuple(
            each.looked_for_in(place.parent) if isinstance(each, OutsidePopulation) else each for each in recipe.models
        )
        return replace(
            recipe,
            options=replace(recipe.options, hierarchies=trees),
            models=models,
            source=found(recipe.source),
            target=found(recipe.target),
            certificate=found(recipe.certificate),
            private=found(recipe.private),
            joined_with=tuple(beside(place.parent, name) for name in recipe.joined_with),
        )


def refuse_strange_order(row_order: str) -> None:
    """Refuse an order of rows that does not exist."""
    if row_order not in ROW_ORDERS:
        raise ParameterError(
            f"'{row_order}' is no order of rows.", "Leave it out for the released order, or say input for experiments."
        )


def without_values(method: Any, *, listed: bool = False) -> Any:
    """Give a method without the folders of its files and, unless they may be listed, without values of the original."""
    if not is_dataclass(method):
        return method
    changed: dict[str, Any] = {}
    for each in fields(method):
        value = getattr(method, each.name)
        if isinstance(value, Mapping) and not listed and any(isinstance(v, Mapping) for v in value.values()):
            changed[each.name] = None
        elif isinstance(value, str) and ("/" in value or "\\" in value):
            changed[each.name] = Path(value.replace("\\", "/")).name
    return replace(method, **changed) if changed else method  # type: ignore[type-var]


def _list(value: Any) -> Sequence[Mapping[str, Any]]:
    parts = [value] if isinstance(value, Mapping) else value
    if not isinstance(parts, Sequence) or not all(isinstance(part, Mapping) for part in parts):
        raise ParameterError("A method, model or measure is a table.", 'Write [[method]] and name = "…" below it.')
    return parts


def _section(content: Mapping[str, Any], name: str, forms: Mapping[str, str]) -> dict[str, Any]:
    """Give a section whose keys are known and whose values have the form that their key asks for."""
    section = content.get(name, {})
    if not isinstance(section, Mapping):
        raise ParameterError(f"[{name}] is not a section.", f"Write [{name}] and its keys below it.")
    _refuse_unknown(section, tuple(forms), f"[{name}]")
    for key, value in section.items():
        if not _FORMS[forms[key]](value):
            raise ParameterError(f"'{key}' in [{name}] must be {forms[key]}.", "Mend the recipe.")
    return dict(section)


def _names(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _by_column(value: Any, inner: Callable[[Any], bool]) -> bool:
    return isinstance(value, Mapping) and all(inner(item) for item in value.values())


_FORMS: Mapping[str, Callable[[Any], bool]] = {
    "a text": lambda value: isinstance(value, str),
    "texts": lambda value: isinstance(value, str) or _texts(value),
    "true or false": lambda value: isinstance(value, bool),
    "a whole number": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "a text for each column": lambda value: _by_column(value, lambda item: isinstance(item, str)),
    "texts for each column": lambda value: _by_column(value, _texts),
}


def _refuse_unknown(given: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    for key in given:
        if key not in known:
            near = suggest(key, known)
            hint = f"Did you mean '{near}'? " if near else ""
            raise ParameterError(f"'{key}' means nothing in {where}.", f"{hint}Known are: {', '.join(known)}.")


def _key(key: str) -> str:
    bare = key and all(c.isascii() and (c.isalnum() or c in "-_") for c in key)
    return key if bare else _quoted(key)


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return _quoted(value) if isinstance(value, str) else repr(value)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
