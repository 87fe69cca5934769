"""What the options of commands mean: lists of names, pairs, parameters and keys, from text to values."""

from __future__ import annotations

import csv
import json
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from shoal.catalogue import build
from shoal.errors import ParameterError
from shoal.measures import Measure
from shoal.schema import ReadOptions, Roles


def listed(text: str | None) -> tuple[str, ...]:
    """Split a list of names at commas; a name with a comma is put in quotes."""
    if not text:
        return ()
    try:
        names = next(csv.reader([text], skipinitialspace=True))
    except csv.Error:
        raise ParameterError("A list of names cannot be read.", "Separate names by commas, in one line.") from None
    return tuple(name.strip() for name in names if name.strip())


def pairs(given: Iterable[str] | None, what: str, example: str) -> dict[str, str]:
    """Read texts of the form NAME=VALUE."""
    pairs = {}
    for text in given or ():
        name, sign, value = text.partition("=")
        if not sign or not name or not value:
            raise ParameterError(f"'{text}' is not of the form {what}.", f"Write it as {example}.")
        pairs[name.strip()] = value.strip()
    return pairs


def read_options(
    quasi: str = "", sensitive: str = "", plain: str = "", subject: str | None = None, roles: str | None = None,
    kind: list[str] | None = None, order: list[str] | None = None, in_delimiter: str | None = None,
    encoding: str | None = None, decimal: str | None = None, missing: str = "", hierarchy: list[str] | None = None,
    thousands: str | None = None, dates: str | None = None, header: bool | None = None, masked: bool | None = None,
) -> ReadOptions:  # fmt: skip
    """Say how a table is to be read, as the options of a command say it."""
    if roles not in (None, "last-sensitive"):
        raise ParameterError(
            f"'{roles}' is not a way to give roles.", "Use --roles last-sensitive, or name the columns."
        )
    named = Roles(
        listed(quasi), listed(sensitive), listed(plain), subject=subject, last_sensitive=roles == "last-sensitive"
    )
    return ReadOptions(
        roles=named,
        kinds=pairs(kind, "COLUMN=KIND", "age=integer"),  # type: ignore[arg-type]
        orders={
            column: listed(values) for column, values in pairs(order, "COLUMN=LOW,…,HIGH", "size=small,large").items()
        },
        hierarchies=pairs(hierarchy, "COLUMN=FILE", "age=age.csv"),
        delimiter="\t" if in_delimiter == "\\t" else in_delimiter,
        encoding=encoding,
        decimal=decimal,
        thousands=thousands,
        dates=dates,
        missing=listed(missing),
        header=header,
        masked=masked,
    )


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


def asked_measures(given: Iterable[str] | None, target: str | None = None) -> list[Measure]:
    """Read measures with their parameters, such as ``query-error queries=500``; a target asks what a model loses.

    >>> [measure.queries for measure in asked_measures(["query-error queries=500"])]
    [500]
    """
    found: list[Measure] = []
    for text in given or ():
        try:
            name, *parameters = shlex.split(text)
        except ValueError:
            raise ParameterError(
                f"'{text}' is not a measure.", "Write it as granularity, or 'query-error queries=500'."
            ) from None
        values = method_parameters(parameters)
        if isinstance(values.get("known"), str):
            values["known"] = list(listed(values["known"]))
        found.append(build("measures", {"name": name} | values))
    if target is not None:
        found.append(build("measures", {"name": "accuracy-loss", "target": target}))
    return found


def signing_key(path: Path | None) -> bytes | None:
    """Read a key from a file."""
    if path is None:
        return None
    try:
        return path.read_bytes().strip()
    except OSError as error:
        raise ParameterError(f"The key '{path}' cannot be read: {error.strerror}.", "Check its name.") from None
