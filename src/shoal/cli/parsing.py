"""What the options of commands mean: lists of names, pairs, parameters and keys, from text to values."""

from __future__ import annotations

import csv
import json
import math
import re
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.attacks import Attack
from shoal.catalogue import build
from shoal.domains.public_grid import GridStep
from shoal.errors import ParameterError
from shoal.measures import Measure
from shoal.measures.reidentification.erring_attacker import checked_rate
from shoal.models import PrivacyModel
from shoal.models.rounded_ends import EndSteps
from shoal.schema import ReadOptions, Roles

if TYPE_CHECKING:
    from shoal.certification.signatures import SigningKey

GivenTexts = str | Iterable[str] | None
GivenNumbers = Iterable[float] | None


def listed(given: str | Iterable[str] | None) -> tuple[str, ...]:
    """Split lists of names at commas, however many lists there are; a name with a comma is put in quotes.

    >>> listed(["age,sex", '"height, cm"'])
    ('age', 'sex', 'height, cm')
    """
    texts = [given] if isinstance(given, str) else given or ()
    try:
        names = [name.strip() for text in texts for name in next(csv.reader([text], skipinitialspace=True), [])]
    except csv.Error:
        raise ParameterError("A list of names cannot be read.", "Separate names by commas, in one line.") from None
    return tuple(name for name in names if name)


# A parameter whose value is for one column: domains.age.
_OWNER = re.compile(r"[a-z_]+\.")


def pairs(given: GivenTexts, what: str, example: str, *, at_last: bool = False) -> dict[str, str]:
    """Read texts of the form NAME=VALUE, cut at the first sign of equality, or at the last; a name may be in quotes.

    >>> pairs(["x=y=integer"], "COLUMN=KIND", "age=integer", at_last=True)
    {'x=y': 'integer'}
    >>> pairs(['"x=y"=low,high'], "COLUMN=LOW,…,HIGH", "size=small,large")
    {'x=y': 'low,high'}
    >>> pairs(['domains."x=y"=a,b'], "PARAMETER=VALUE", "resolution=16")
    {'domains.x=y': 'a,b'}
    """
    found: dict[str, str] = {}
    for text in _all(given):
        owner, quote, inside = text.partition('"')
        quoted, end, rest = inside.partition('"=') if quote and (not owner or _OWNER.fullmatch(owner)) else ("", "", "")
        if end:
            name, sign, value = owner + quoted.replace('""', '"'), "=", rest
        else:
            name, sign, value = text.rpartition("=") if at_last else text.partition("=")
        name, value = name.strip(), value.strip()
        if not sign or not name or not value:
            raise ParameterError(f"'{text}' is not of the form {what}.", f"Write it as {example}.")
        if name in found:
            raise ParameterError(f"'{name}' is given more than once in {what}.", "Say it once for each.")
        found[name] = value
    return found


def read_options(
    quasi: GivenTexts = None, sensitive: GivenTexts = None, plain: GivenTexts = None, subject: str | None = None,
    roles: str | None = None, kind: GivenTexts = None, order: GivenTexts = None, in_delimiter: str | None = None,
    encoding: str | None = None, decimal: str | None = None, missing: GivenTexts = None, hierarchy: GivenTexts = None,
    identifier: GivenTexts = None, weight: str | None = None, thousands: str | None = None, dates: str | None = None,
    header: bool | None = None, masked: bool | None = None, linked: bool = False, baskets: bool = False,
    household: str | None = None, stratum: str | None = None, sheet: str | None = None, cell_range: str | None = None,
    at_version: str | None = None,
) -> ReadOptions:  # fmt: skip
    """Say how a table is to be read, as the options of a command say it."""
    if roles not in (None, "last-sensitive"):
        raise ParameterError(
            f"'{roles}' is not a way to give roles.", "Use --roles last-sensitive, or name the columns."
        )
    named = Roles(
        listed(quasi), listed(sensitive), listed(plain), listed(identifier), subject, weight,
        last_sensitive=roles == "last-sensitive", household=household, stratum=stratum,
    )  # fmt: skip
    return ReadOptions(
        roles=named,
        kinds=pairs(kind, "COLUMN=KIND", "age=integer", at_last=True),  # type: ignore[arg-type]
        orders={
            column: listed(values) for column, values in pairs(order, "COLUMN=LOW,…,HIGH", "size=small,large").items()
        },
        hierarchies=pairs(hierarchy, "COLUMN=FILE", "age=age.csv"),
        delimiter="\t" if in_delimiter == "\\t" else in_delimiter,
        encoding=encoding,
        decimal=decimal,
        thousands=thousands,
        dates=dates,
        sheet=sheet,
        range=cell_range,
        at_version=at_version,
        missing=listed(missing),
        header=header,
        masked=masked,
        linked=linked,
        baskets=baskets,
    )


def asked_models(
    k: int | None, t: GivenNumbers, t_column: GivenTexts, t_distance: GivenTexts, diversity: GivenNumbers,
    l_column: GivenTexts, l_kind: GivenTexts, alpha: GivenNumbers = None, alpha_column: GivenTexts = None,
    m: int | None = None, within: GivenTexts = None,
) -> list[PrivacyModel]:  # fmt: skip
    """Make the promises that options ask for; those that may be asked for several times, in their order."""
    whole = [int(number) if number.is_integer() else number for number in diversity or ()]
    return [
        *([] if k is None or m is not None else [build("models", {"name": "k-anonymity", "k": k})]),
        *(
            []
            if k is None or m is None
            else [build("models", {"name": "km-anonymity", "k": k, "m": m, "within": list(listed(within))})]
        ),
        *_each("t-closeness", "t", t, column=t_column, distance=t_distance),
        *_each("l-diversity", "l", whole, column=l_column, kind=l_kind),
        *_each("alpha-k", "alpha", alpha, column=alpha_column),
    ]


def _each(model: str, level: str, levels: GivenNumbers, **others: GivenTexts) -> list[PrivacyModel]:
    """Make a model of each level, with what was said of it in the same place: the option --t-column goes with --t."""
    numbers = list(levels or ())
    given = {name: values for name, options in others.items() if (values := _all(options))}
    for name, values in given.items():
        if len(values) != len(numbers):
            raise ParameterError(
                f"--{level}-{name} is given {_times(len(values))}, but --{level} {_times(len(numbers))}.",
                f"Give each its own: --{level} … --{level}-{name} … --{level} … --{level}-{name} …",
            )
    if len(numbers) > 1 and "column" not in given:
        raise ParameterError(
            f"--{level} is given {_times(len(numbers))}, without saying which column each is about.",
            f"Give each its own: --{level} … --{level}-column a --{level} … --{level}-column b.",
        )
    said = [{name: values[i] for name, values in given.items()} for i in range(len(numbers))]
    return [build("models", {"name": model, level: number} | more) for number, more in zip(numbers, said, strict=True)]


def _times(number: int) -> str:
    return ("not at all", "once", "twice")[number] if number < 3 else f"{number} times"


def _all(given: GivenTexts) -> list[str]:
    return [given] if isinstance(given, str) else list(given or ())


def method_parameters(given: list[str] | None) -> dict[str, Any]:
    """Read the parameters of a method: numbers where they look like numbers, by column where a dot says so."""
    values: dict[str, Any] = {}
    for name, text in pairs(given, "PARAMETER=VALUE", "resolution=16").items():
        try:
            value: Any = json.loads(text)
        except json.JSONDecodeError:
            value = text
        parameter, dot, column = name.partition(".")
        if parameter == "name" or (parameter in values and (not dot or not isinstance(values[parameter], dict))):
            raise ParameterError(f"'{parameter}' cannot be given here, or not twice.", "Give each parameter once.")
        if dot:
            values.setdefault(parameter, {})[column] = value
        else:
            values[name] = value
    return values


def models_of_people(diversity: int | None, closeness: float | None, column: str | None) -> list[PrivacyModel]:
    """Make the promises about all rows of a person that options ask for."""
    if column is not None and diversity is None and closeness is None:
        raise ParameterError("--person-column says what --person-l and --person-t are about.", "Give one of these.")
    about = {} if column is None else {"column": column}
    return [
        *([] if diversity is None else [build("models", {"name": "person-diversity", "l": diversity} | about)]),
        *([] if closeness is None else [build("models", {"name": "person-closeness", "t": closeness} | about)]),
    ]


def asked_ends(given: list[str] | None) -> EndSteps | None:
    """Read where ranges are to end: one number or unit of time, or one for each column.

    >>> asked_ends(["5"]), asked_ends(["month"]), asked_ends(["age=5,born=month", "charge=0.5"])
    (5, 'month', {'age': 5, 'born': 'month', 'charge': 0.5})
    """
    texts = listed(given)
    if len(texts) == 1 and "=" not in texts[0]:
        return _step(texts[0])
    by_column = pairs(texts, "COLUMN=STEP", "5, or as age=5,born=month", at_last=True)
    return {name: _step(text) for name, text in by_column.items()} or None


def _step(text: str) -> GridStep:
    """Read a number, or a unit of time."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return text
    return value if isinstance(value, int | float) and not isinstance(value, bool) else text


def asked_measures(given: Iterable[str] | None, target: str | None = None) -> list[Measure]:
    """Read measures with their parameters, such as ``query-error queries=500``; a target asks what a model loses.

    >>> [measure.queries for measure in asked_measures(["query-error queries=500"])]
    [500]
    """
    found: list[Measure] = asked_entries("measures", given)
    if target is not None:
        found.append(build("measures", {"name": "accuracy-loss", "target": target}))
    return found


def asked_attacks(given: Iterable[str] | None) -> list[Attack]:
    """Read attacks with their parameters, such as ``singling-out size=2``.

    >>> [attack.size for attack in asked_attacks(["singling-out size=2"])]
    [2]
    """
    found: list[Attack] = []
    for text in given or ():
        try:
            name, *parameters = shlex.split(text)
        except ValueError:
            raise ParameterError(
                f"'{text}' is not an attack.", "Write it as linkability, or 'singling-out size=2'."
            ) from None
        found.append(build("attacks", {"name": name} | method_parameters(parameters)))
    return found


def asked_entries(shelf: str, given: Iterable[str] | None) -> list[Any]:
    """Read measures or models with their parameters.

    >>> asked_entries("models", ["k-map k=5 alpha=0.05 fraction=0.1"])[0].least
    3
    """
    found: list[Any] = []
    for text in given or ():
        try:
            name, *parameters = shlex.split(text)
        except ValueError:
            example = "query-error queries=500" if shelf == "measures" else "k-map k=5 population=POP.csv"
            raise ParameterError(
                f"'{text}' is not a {shelf[:-1]}.", f"Write its name and what it needs: '{example}'."
            ) from None
        values = method_parameters(parameters)
        if isinstance(values.get("known"), str):
            values["known"] = list(listed(values["known"]))
        found.append(build(shelf, {"name": name} | values))
    return found


def asked_errors(given: Iterable[str] | None) -> dict[str, float]:
    """Read how likely an attacker is wrong about some columns.

    >>> asked_errors(["los=0.3", "age=0.05"])
    {'los': 0.3, 'age': 0.05}
    """
    found: dict[str, float] = {}
    for name, text in pairs(given, "COLUMN=PROBABILITY", "age=0.3", at_last=True).items():
        try:
            rate = float(text)
        except ValueError:
            rate = math.nan
        found[name] = checked_rate(name, rate)
    return found


def asked_points(given: Iterable[str] | None) -> tuple[int, ...] | None:
    """Read how many points someone may know.

    >>> asked_points(["1,2", "4"])
    (1, 2, 4)
    """
    texts = listed(given)
    if not all(text.isdecimal() for text in texts):
        raise ParameterError("Numbers of known points are whole numbers.", "Write --points 1,2,3,4.")
    return tuple(map(int, texts)) or None


def signing_pair(path: Path | None) -> SigningKey | None:
    """Read a pair of keys from a file, before any work is done."""
    if path is None:
        return None
    from shoal.certification.signatures import SigningKey

    return SigningKey.load(path)


def shared_key(path: Path | None) -> bytes | None:
    """Read a shared key from a file."""
    if path is None:
        return None
    try:
        return path.read_bytes().strip()
    except OSError as error:
        raise ParameterError(f"The key '{path}' cannot be read: {error.strerror}.", "Check its name.") from None
