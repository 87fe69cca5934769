"""What people hand over for a table: one that was read, or a file or frame that is still to be read."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from shoal.engines.reading import how_to_read, read
from shoal.errors import ParameterError
from shoal.schema import ReadArguments, ReadOptions
from shoal.table import Table

_PLACES = ("engine", "memory", "target", "options")  # what reading takes beside what is said of the table


def table_of(source: Any, said: ReadArguments, function: Callable[..., Any]) -> Table:
    """Give a table as it is, or read it as it is said; a word that a function does not know is refused here."""
    how, places = options_of(said, function)
    if isinstance(source, Table):
        refuse_late("table", said)
        return source
    return read(source, options=how, **places)


def refuse_late(what: str, said: ReadArguments) -> None:
    """Refuse what is said of the reading of a table that was read before."""
    if said:
        raise ParameterError(
            f"The {what} was read already: '{next(iter(said))}' comes too late.",
            "Give it to shoal.read, or give the file or the frame itself.",
        )


def options_of(said: ReadArguments, function: Callable[..., Any]) -> tuple[ReadOptions, dict[str, Any]]:
    """Give how to read a table, and what else reading takes; say which word of a function may have been meant."""
    places: dict[str, Any] = {name: value for name, value in said.items() if name in _PLACES}
    reading = {name: value for name, value in said.items() if name not in _PLACES}
    own = [name for name, taken in inspect.signature(function).parameters.items() if taken.kind != taken.VAR_KEYWORD]
    return how_to_read(places.pop("options", None), reading, [*own, *_PLACES]), places
