"""Ranges as two columns of exact cells, their lower and their upper ends: made of a table, and put together again.

An empty pair of ends is ``*``. So a column that is shown in this way has no other cells without a value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from shoal.arrays import Positions
from shoal.domains.axis import Axis
from shoal.engines.local_data import OWN, LocalData
from shoal.errors import DataError, ParameterError
from shoal.kernels import MISSING, TOP
from shoal.schema import Attribute, ReadOptions, Schema

_ENDS = ("_lo", "_hi")


def ends_of(name: str) -> tuple[str, str]:
    """Give the names of the columns of both ends.

    >>> ends_of("age")
    ('age_lo', 'age_hi')
    """
    return name + _ENDS[0], name + _ENDS[1]


def with_ends(names: Iterable[str], bounds: Sequence[str]) -> list[str]:
    """Give names of columns, with those of both ends in the place of columns that are shown by them."""
    return [each for name in names for each in (ends_of(name) if name in bounds else (name,))]


def bounds_in(header: Sequence[str], names: Iterable[str]) -> tuple[str, ...]:
    """Give the columns that are not there themselves, but with both of their ends."""
    return tuple(name for name in names if name not in header and all(end in header for end in ends_of(name)))


def refuse_taken_names(schema: Schema, bounds: Sequence[str]) -> None:
    """Refuse columns of ends whose names others have."""
    for name in bounds:
        taken = next((end for end in ends_of(name) if end in schema.names), None)
        if taken is not None:
            raise ParameterError(
                f"The ends of '{name}' cannot be shown beside the column '{taken}'.",
                "Rename that, or show ranges as text.",
            )


def split_schema(schema: Schema, bounds: Sequence[str]) -> Schema:
    """Give the columns with both ends of some in their places."""
    refuse_taken_names(schema, bounds)

    def ends(attribute: Attribute) -> list[Attribute]:
        return [replace(attribute, name=end) for end in ends_of(attribute.name)]

    return replace(
        schema, attributes=tuple(e for a in schema.attributes for e in (ends(a) if a.name in bounds else [a]))
    )


def split(data: LocalData, bounds: Sequence[str]) -> LocalData:
    """Give a table with both ends of some columns in their places."""
    if not bounds:
        return data
    lows, highs, ranged = list[Positions](), list[Positions](), list[bool]()
    for j, name in enumerate(data.quasi):
        lo, hi = data.lo[:, j], data.hi[:, j]
        if name not in bounds:
            lows, highs, ranged = [*lows, lo], [*highs, hi], [*ranged, data.ranged[j]]
            continue
        hi = np.where(hi == TOP, np.int32(MISSING), hi)
        lows, highs, ranged = [*lows, lo, hi], [*highs, lo, hi], [*ranged, False, False]
    low, high = np.stack(lows, axis=1), np.stack(highs, axis=1)
    quasi = tuple(with_ends(data.quasi, bounds))
    return replace(data, quasi=quasi, lo=low, hi=low if (low == high).all() else high, ranged=tuple(ranged))


def split_exact(names: Sequence[str], exact: Sequence[bool], bounds: Sequence[str]) -> list[bool]:
    """Tell of which columns all cells are exact, with both ends of some in their places."""
    pairs = zip(names, exact, strict=True)
    return [each for name, known in pairs for each in ((True, True) if name in bounds else (known,))]


def reading_ends(options: ReadOptions) -> ReadOptions:
    """Give the way to read a table whose columns are shown by their ends."""
    bounds = options.bounds
    kinds = {end: kind for name, kind in options.kinds.items() for end in with_ends([name], bounds)}
    roles = replace(options.roles, quasi=tuple(with_ends(options.roles.quasi, bounds)))
    return replace(options, roles=roles, kinds=kinds, unmarked=tuple(with_ends(options.unmarked, bounds)), bounds=())


def joined(schema: Schema, data: LocalData, bounds: Sequence[str]) -> tuple[Schema, LocalData]:
    """Put the ends of columns together again."""
    low, high = data.unfolded()
    lows, highs, ranged = list[Positions](), list[Positions](), list[bool]()
    axes: dict[str, Axis] = {}
    firsts, seconds = {ends_of(name)[0]: name for name in bounds}, {ends_of(name)[1] for name in bounds}
    names = [name for name in data.quasi if name not in seconds]
    for name in names:
        j = data.at(name)
        if name not in firsts:
            lows, highs, ranged = [*lows, low[:, j]], [*highs, high[:, j]], [*ranged, data.ranged[j]]
            continue
        whole = firsts[name]
        second = ends_of(whole)[1]
        axis, lo, hi = _on_one_axis((schema[name].axis, low[:, j]), (schema[second].axis, low[:, data.at(second)]))
        if ((lo == MISSING) != (hi == MISSING)).any():
            raise DataError(
                f"Column '{whole}' has a range with one end.", "A range has two, or none if it is anything."
            )
        hi = np.where(lo == MISSING, np.int32(TOP), hi)
        if (lo > hi).any():
            raise DataError(f"Column '{whole}' has a range whose lower end is above its upper end.", "Mend it.")
        axes[whole] = axis
        lows, highs, ranged = [*lows, lo], [*highs, hi], [*ranged, True]
    attributes = []
    for attribute in schema.attributes:
        if attribute.name in firsts:
            name = firsts[attribute.name]
            attributes.append(replace(attribute, name=name, axis=axes[name], reason="ends of ranges"))
        elif attribute.name not in seconds:
            attributes.append(attribute)
    quasi = tuple(firsts.get(name, name) for name in names)
    held = replace(
        data, quasi=quasi, lo=np.stack(lows, axis=1), hi=np.stack(highs, axis=1), index=OWN, ranged=tuple(ranged)
    )
    return replace(schema, attributes=tuple(attributes)), held


def _on_one_axis(first: tuple[Axis, Positions], second: tuple[Axis, Positions]) -> tuple[Axis, Positions, Positions]:
    """Give the cells of two columns of numbers on an axis that has all of them."""
    (one, lo), (other, hi) = first, second
    if one.values is None and other.values is None and one.kind == other.kind:
        return one, lo, hi
    numbers, gone = [], []
    for axis, places in (first, second):
        gone.append(places == MISSING)
        safe = np.where(gone[-1], 0, places)
        numbers.append(safe if axis.values is None else axis.values[np.minimum(safe, len(axis.values) - 1)])
    known = [found[~lost] for found, lost in zip(numbers, gone, strict=True)]
    values = np.unique(np.concatenate(known))
    kind = "float" if "float" in (one.kind, other.kind) else one.kind
    placed = [
        np.where(lost, MISSING, np.searchsorted(values, found)).astype(np.int32)
        for found, lost in zip(numbers, gone, strict=True)
    ]
    return replace(one, kind=kind, values=values), placed[0], placed[1]
