"""Whether the first line of a text file names its columns, or is someone's record."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from shoal.axis import Kind
from shoal.errors import DataError
from shoal.numerals import convert
from shoal.schema import Attribute, ReadOptions, Schema


def insist_on_names(schema: Schema, options: ReadOptions) -> None:
    """Refuse a first line that looks like a record where its cells would be shown as names that nobody has given.

    A number over a column of numbers is no name, nor a date over one of dates; but 2019, 2020, 2021 may be names.
    """
    roles = options.roles
    if roles.rest is None and not roles.last_sensitive:
        return
    values = [a.name for a in schema.attributes if _like_its_values(a)]
    texts = [a for a in schema.attributes if a.axis.nominal]
    among = len(texts) > 1 and all(a.axis.values is not None and a.name in a.axis.values for a in texts)
    if among or (values and not _series(values)):
        raise DataError(
            "The first line of the file looks like a record, so its cells are not taken for names.",
            "Put a line with the names of the columns before it; names begin with a letter.",
        )


def _like_its_values(attribute: Attribute) -> bool:
    name, axis = attribute.name, attribute.axis
    if axis.nominal:  # codes
        values = [] if axis.values is None else axis.values.tolist()
        return name.isdigit() and bool(values) and all(value[:1].isdigit() for value in values)
    return axis.numeric and _is(name, "float" if axis.kind == "integer" else axis.kind)


def _is(text: str, kind: Kind) -> bool:
    try:
        convert([text], kind)
    except (ValueError, OverflowError):
        return False
    return True


def _series(names: Sequence[str]) -> bool:
    """Tell whether names are numbers at equal steps: any number of them by one, at least three by more."""
    if len(names) < 2 or not all(_is(name, "integer") for name in names):
        return False
    numbers = [int(name) for name in names]
    steps = {after - before for before, after in pairwise(numbers)}
    return steps == {1} or (len(names) > 2 and len(steps) == 1 and min(steps) > 0)
