"""Methods of the catalogue as steps that can be chosen: what each does, its parameters, and how they are written."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import cache
from inspect import cleandoc
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from shoal.atomic_files.overwriting import files_read_by
from shoal.catalogue import entries, look_up
from shoal.errors import ParameterError, ShoalError

PROMISE = "k-anonymity"
BESIDE = {"rounded-ends"}  # what a method may promise that is given before or after one for k-anonymity
OF_ITS_OWN = "m-invariance"  # a promise for which there is a method that keeps nothing else
FIRST = ("hilbert", "mondrian", "sorted-clusters")  # fast ones, tried ahead; others are tried once they are chosen
# What fields of a form begin with, before the method and its parameter.
SETTING, FIRST_SETTING, THEN_SETTING = "setting of ", "first setting of ", "then setting of "
_LONGEST = 1500  # characters that the parameters of a method may take
_SWITCH = {True: "yes", False: "no"}


@cache
def offered() -> tuple[str, ...]:
    """Give the methods that work towards k-anonymity, the fast ones first, and then those that go before or after them.

    What works towards a promise of linked tables only has no place here; nor has what states how much its noise lets
    anybody learn, because who looks at several draws and takes one lets them learn more.
    """
    kinds = {name: kind for name, kind in entries("methods").items() if not hasattr(kind, "stated")}
    towards = [name for name in kinds if promises(name) and name not in FIRST]
    beside = [name for name, kind in kinds.items() if set(kind.enforces) <= BESIDE]
    return (*FIRST, *towards, *beside)


def promises(name: str) -> bool:
    """Tell whether a method works towards a promise about everybody: k-anonymity, or one of its own.

    >>> promises("hilbert"), promises("same-signatures"), promises("coarsen")
    (True, True, False)
    """
    return not {PROMISE, OF_ITS_OWN}.isdisjoint(look_up("methods", name).enforces)


def of_its_own(name: str) -> bool:
    """Tell whether a method keeps a promise that no other keeps."""
    return OF_ITS_OWN in look_up("methods", name).enforces


@cache
def reads_file(name: str, parameter: str) -> bool:
    """Tell whether a parameter of a method names a file that is read.

    >>> reads_file("same-classes", "release"), reads_file("hilbert", "publish")
    (True, False)
    """
    try:
        return [Path("a file")] == [*files_read_by([look_up("methods", name)(**{parameter: "a file"})])]
    except (ShoalError, TypeError):  # it is anything else
        return False


def repeats_itself(name: str) -> bool:
    """Tell whether a method gives the same release of the same table each time, or draws values anew."""
    return bool(getattr(look_up("methods", name), "repeatable", True))


def summary(name: str) -> str:
    """Say in a sentence what a method does, as it says of itself.

    >>> summary("coarsen")
    'Replace each quasi-identifier by one of a fixed number of intervals, whatever the others are.'
    """
    return (look_up("methods", name).__doc__ or "").strip().partition("\n\n")[0].replace("\n", " ")


@dataclass(frozen=True)
class Parameter:
    """A parameter of a method, as a field of a form.

    Attributes
    ----------
    name, meaning
        What it is called, and what the method says of it, in a sentence.
    usual
        What holds if nothing is said.
    choices
        What can be chosen; nothing if anything can be written.
    file
        Whether it is one of the files beside the table.
    """

    name: str
    meaning: str
    usual: str
    choices: tuple[str, ...]
    file: bool = False


@cache
def parameters(name: str, shelf: str = "methods") -> tuple[Parameter, ...]:
    """Give the parameters of a method, or of something else of the catalogue, that a page can ask for.

    >>> [(each.name, each.usual, each.choices) for each in parameters("hilbert")][2:]
    [('objective', 'loss', ('loss', 'certainty')), ('quality', '1', ())]
    """
    kind = look_up(shelf, name)
    meanings = _meanings(kind)
    return tuple(
        Parameter(
            each.name,
            re.split(r"(?<=[.]) (?=[A-Z])", meanings.get(each.name, ""))[0],
            "" if each.default is MISSING else written(each.default),
            _choices(_hints(kind).get(each.name)),
            shelf == "methods" and reads_file(name, each.name),
        )
        for each in fields(kind)
    )


def _hints(kind: type[Any]) -> dict[str, Any]:
    try:
        return get_type_hints(kind)
    except NameError:  # of a package from outside, whose types are there for checkers alone
        return {}


def _meanings(kind: type[Any]) -> dict[str, str]:
    """Give what a docstring says of parameters.

    >>> _meanings(look_up("methods", "optimal-univariate"))["k"]
    'The fewest records of a class; that of the promise of k-anonymity if left out.'
    """
    _, _, after = cleandoc(kind.__doc__ or "").partition("Parameters\n----------\n")
    said: dict[str, str] = {}
    for names, text in re.findall(
        r"^([a-z]\w*(?:, \w+)*)\n((?:(?:    .*)?\n)+)", after.partition("\n---")[0] + "\n", re.M
    ):
        said |= dict.fromkeys(names.split(", "), " ".join(text.split()).replace("`", ""))
    return said


def _options(hint: Any) -> tuple[Any, ...]:
    """Give the types that a value may have."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _choices(hint: Any) -> tuple[str, ...]:
    if hint is bool:
        return tuple(_SWITCH.values())
    options = [each for each in _options(hint) if each is not type(None)]
    if options and all(get_origin(each) is Literal for each in options):
        return tuple(str(value) for each in options for value in get_args(each))
    return ()


def written(value: Any) -> str:
    """Write the value of a parameter as it is written into a field.

    >>> [written(each) for each in (True, None, 0.5, ("age -> *", "sex -> *"), {"age": 8})]
    ['yes', '', '0.5', 'age -> *; sex -> *', 'age = 8']
    """
    if isinstance(value, bool):
        return _SWITCH[value]
    if isinstance(value, Mapping):
        flat = not any(isinstance(each, Mapping | list | tuple) for each in value.values())
        return "; ".join(f"{key} = {written(each)}" for key, each in value.items()) if flat else json.dumps(dict(value))
    if isinstance(value, list | tuple):
        return "; ".join(map(written, value))
    return "" if value is None else str(value)


def read(name: str, texts: Mapping[str, str], shelf: str = "methods") -> dict[str, Any]:
    """Read parameters from the fields of a form; an empty field says nothing.

    >>> read("coarsen", {"resolution": "age = 8; zip = 4", "by": "width"})
    {'resolution': {'age': 8, 'zip': 4}, 'by': 'width'}
    >>> read("mask-uniques", {"order": "age -> bands 0,18; sex -> *", "key": ""})
    {'order': ['age -> bands 0,18', 'sex -> *']}
    """
    hints = _hints(look_up(shelf, name))
    return {key: _read(text.strip(), hints.get(key)) for key, text in texts.items() if text.strip()}


def _read(text: str, hint: Any) -> Any:
    kinds = {get_origin(each) or each for each in _options(hint)}
    pieces = [piece.strip() for piece in text.split(";") if piece.strip()]
    if hint is bool and text in _SWITCH.values():
        return text == _SWITCH[True]
    if text[0] in "[{":
        try:
            return json.loads(text)
        except ValueError:
            return text
    if any(isinstance(kind, type) and issubclass(kind, Mapping) for kind in kinds) and all("=" in p for p in pieces):
        pairs = (piece.rpartition("=") for piece in pieces)
        return {key.strip(): _scalar(value.strip()) for key, _, value in pairs}
    if kinds & {tuple, list, Sequence}:
        return [piece if str in _inside(hint) else _scalar(piece) for piece in pieces]
    return text if str in kinds and not kinds & {int, float} else _scalar(text)


def _inside(hint: Any) -> set[Any]:
    return {inner for each in _options(hint) for inner in get_args(each)}


def _scalar(text: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    usable = isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value))
    return value if usable else text


@dataclass(frozen=True)
class MethodStep:
    """A method with parameters of one's own.

    Parameters
    ----------
    name
        The method.
    given
        Its parameters that are not as usual, as JSON.
    """

    name: str
    given: str = ""

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> MethodStep:
        """Give a step as the catalogue names it; what is as usual is left out, so that one choice has one name.

        >>> MethodStep.of({"name": "hilbert", "quality": 1, "objective": "certainty"})
        MethodStep(name='hilbert', given='{"objective":"certainty"}')
        """
        name = str(given.get("name", ""))
        if name not in offered():
            raise ParameterError(f"'{name}' is not offered here.", f"Choose one of: {', '.join(offered())}.")
        usual = {each.name: each.default for each in fields(look_up("methods", name))}
        own = {key: value for key, value in given.items() if key != "name"}
        for key in own:
            if key not in usual:
                raise ParameterError(f"{name} has no parameter '{key}'.", f"It has: {', '.join(usual) or 'none'}.")
        own = {key: value for key, value in own.items() if value is not None and plain(value) != plain(usual[key])}
        text = canonical(own) if own else ""
        if len(text) > _LONGEST:
            raise ParameterError(f"The parameters of {name} are too long for this page.", "Use the command line.")
        return cls(name, text)

    @property
    def parameters(self) -> dict[str, Any]:
        """Its parameters that are not as usual."""
        found: dict[str, Any] = json.loads(self.given) if self.given else {}
        return found

    @property
    def files(self) -> list[str]:
        """The files that it reads, by their names."""
        return [
            value for name, value in self.parameters.items() if isinstance(value, str) and reads_file(self.name, name)
        ]

    @property
    def plain(self) -> dict[str, Any]:
        """The step as the catalogue names it."""
        return {"name": self.name, **self.parameters}

    @property
    def label(self) -> str:
        """The step in a few words.

        >>> MethodStep.of({"name": "hilbert", "quality": 2}).label
        'hilbert (quality = 2)'
        """
        said = ", ".join(f"{key} = {written(value)}" for key, value in self.parameters.items())
        return f"{self.name} ({said})" if said else self.name


def plain(value: Any) -> Any:
    """Give a value with lists for all sequences, to compare it."""
    return [plain(each) for each in value] if isinstance(value, list | tuple) else value


def canonical(value: Any) -> str:
    """Write a value as JSON in one way, without the sign that separates the parts of a name."""
    try:
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError):
        raise ParameterError(
            "A parameter has a value that makes no sense.", "Give a number, a text or a list."
        ) from None
    return text.replace("~", "\\u007e")


def name_of(steps: Sequence[MethodStep]) -> str:
    """Give steps a name: that of the method if all is as usual.

    >>> name_of([MethodStep("hilbert")]), name_of([MethodStep("hilbert"), MethodStep("coarsen")])
    ('hilbert', '[{"name":"hilbert"},{"name":"coarsen"}]')
    """
    first, *others = steps
    return first.name if not (others or first.given) else canonical([each.plain for each in steps])


def steps_of(name: str) -> list[MethodStep]:
    """Give the steps that have a name.

    >>> steps_of('[{"name":"hilbert"},{"name":"coarsen"}]')[1].name
    'coarsen'
    """
    if not name.startswith("["):
        return [MethodStep(name)]
    found = json.loads(name)
    if not all(isinstance(each, dict) for each in found):
        raise ValueError(name)
    return [MethodStep.of(each) for each in found]
