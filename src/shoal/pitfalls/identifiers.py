"""Columns that tell who people are: by their name, by what their cells look like, or because all are different.

What cells look like is read off the distinct values of a column, of which a few are enough. Whether all are different
is asked of a few records first: two that are alike answer it. No value is ever shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.column_names import as_option, names_people, numbers_records, role_by_name, tells_people_apart
from shoal.domains.axis import Axis
from shoal.domains.cell_looks import EMAIL, HASH, IP, PHONE, SECURITY, URL, UUID, is_card, is_iban
from shoal.errors import ParameterError, SchemaError
from shoal.kernels import MISSING
from shoal.models import PrivacyModel
from shoal.schema import RELEASED, Attribute, Role, Schema
from shoal.table import Classes, Table

ENOUGH = 24  # records; in no more than that, values may differ by chance
_FEW = 2048  # records that are looked at first
_LOOKS = 200  # values that show what a column holds
_MOST = 0.9  # of which so many must look alike


@dataclass(frozen=True)
class Identifying:
    """A column that tells who people are, and why it is taken for one."""

    column: str
    why: str


def refuse_identifiers(table: Table, models: Sequence[PrivacyModel], allowed: Sequence[str]) -> None:
    """Refuse columns that would be released as they are though they tell who people are, unless that is allowed."""
    for name in allowed:
        if name not in table.schema.of(*RELEASED):
            raise SchemaError.missing_column(name, table.schema.of(*RELEASED))
    refuse([found for found in identifying(table, models) if found.column not in allowed])


def refuse(found: Sequence[Identifying]) -> None:
    """Refuse some columns, if there are any."""
    if found:
        listed = ", ".join(f"'{each.column}' ({each.why})" for each in found)
        named = as_option([each.column for each in found])
        raise ParameterError(
            f"These columns would be released as they are, though they may tell who people are: {listed}.",
            "Leave them out. If one stands for the person, name it as such (--subject, subject=…). If you know that "
            f"they may go out, say so (--allow-identifier {named}, allow_identifiers=[…]).",
        )


def search_for_people(table: Table) -> tuple[Identifying, ...]:
    """Give the columns of a table that name people by their name or by what their cells look like, whatever their role.

    Quasi-identifiers are looked at as well: a class of k people with one phone number each shows k phone numbers.
    """
    names = [a.name for a in table.schema.attributes if a.role in RELEASED]
    found = []
    for name, few in zip(names, _first_cells(table, names) if names else (), strict=True):
        why = looks_like(table.schema[name].axis) or _by_name(table.schema[name], few)
        found += [] if why is None else [Identifying(name, why)]
    return tuple(found)


def identifying(table: Table, models: Sequence[PrivacyModel] = ()) -> tuple[Identifying, ...]:
    """Give the columns of a table that are released as they are and tell who people are.

    A column that a model is about is meant to be released, whatever its name and however many values it has.
    """
    named = (table.schema[name] for name in table.schema.of(Role.SENSITIVE, Role.PLAIN, Role.WEIGHT, Role.STRATUM))
    columns = [each for each in named if each.treatment is None]
    meant = looked_at(table.schema, models)
    if not columns:
        return ()
    cells = _first_cells(table, [each.name for each in columns])
    found = []
    for each, few in zip(columns, cells, strict=True):
        why = looks_like(each.axis)
        if why is None and each.name not in meant:
            why = _by_name(each, few) or _all_differ(table, each, few)
        found += [] if why is None else [Identifying(each.name, why)]
    return tuple(found)


def alone(table: Table) -> tuple[Identifying, ...]:
    """Give the quasi-identifiers of a masked table of which every record shows another cell."""
    if table.rows <= ENOUGH or not table.schema.quasi:
        return ()
    first = np.arange(min(table.rows, _FEW), dtype=np.int64)
    lo, hi = table.cells(table.schema.quasi, first)
    found = []
    for j, name in enumerate(table.schema.quasi):
        if table.schema[name].axis.kind == "float":  # a measured number differs by chance
            continue
        few = np.stack([lo[:, j], hi[:, j]], axis=1)
        if np.unique(few, axis=0).shape[0] == first.size and sum(table.classes(_number, [name])) == table.rows:
            found.append(Identifying(name, "every record shows another value"))
    return tuple(found)


def looked_at(schema: Schema, models: Sequence[PrivacyModel]) -> frozenset[str]:
    """Name the columns that models are about."""
    carried = (item for model in models for item in model.carries(schema))
    return frozenset(str(getattr(item, "column", item)) for item in carried)


def _number(classes: Classes) -> int:
    return int(classes.sizes.size)


def _first_cells(table: Table, names: Sequence[str]) -> list[NDArray[np.int32]]:
    """Give the cells with a value that the first records have in some columns."""
    lo, hi = table.cells(names, np.arange(min(table.rows, _FEW), dtype=np.int64))
    return [lo[hi[:, j] != MISSING, j] for j in range(len(names))]


def looks_like(axis: Axis) -> str | None:
    """Say what the values of a column look like, if they are such as people are known by."""
    if axis.kind not in ("category", "integer") or axis.values is None or len(axis.values) < 2:
        return None
    step = max(1, len(axis.values) // _LOOKS)
    some = [str(value).strip() for value in axis.values[::step][:_LOOKS]]
    for what, fits in _LOOKS_LIKE.items():
        if sum(bool(fits(text)) for text in some) >= _MOST * len(some):
            return f"its cells look like {what}"
    return None


def _by_name(attribute: Attribute, few: NDArray[np.int32]) -> str | None:
    """Say what the name of a column says of it, unless its cells are too few, or too small, for that."""
    name, kind = attribute.name, attribute.axis.kind
    if kind not in ("category", "integer") or np.unique(few).size < 3:  # as "phone: yes or no"
        return None
    if names_people(name) and (kind == "category" or np.abs(_numbers(attribute.axis, few)).max() >= 10_000):
        return "its name says that it names people, or how to reach them"
    return "its name says that it tells people apart" if tells_people_apart(name) else None


def _all_differ(table: Table, attribute: Attribute, few: NDArray[np.int32]) -> str | None:
    """Say whether a column tells every record apart. Numbers with decimals, which are measured, may do so by chance."""
    kind = attribute.axis.kind
    if kind in ("float", "ordered") or attribute.odd is not None or np.unique(few).size < max(few.size, 2):
        return None
    by_name = None if numbers_records(attribute.name) else role_by_name(attribute.name, kind)
    if kind == "integer" and by_name is not None and by_name[0] == Role.SENSITIVE:
        return None  # an amount, whatever the amounts happen to be
    positions, counts = table.counts(attribute.name)
    counts = counts[positions != MISSING]
    return "every record has a value of its own" if counts.size > ENOUGH and counts.max() == 1 else None


def _numbers(axis: Axis, positions: NDArray[np.int32]) -> NDArray[np.int64]:
    """Give the numbers behind positions of whole numbers."""
    listed = None if axis.values is None else np.asarray(axis.values)
    return positions.astype(np.int64) if listed is None else listed[positions].astype(np.int64)


_LOOKS_LIKE: dict[str, Callable[[str], object]] = {
    "e-mail addresses": EMAIL.fullmatch,
    "numbers of bank accounts": is_iban,
    "numbers of cards": is_card,
    "social security numbers": SECURITY.fullmatch,
    "phone numbers": PHONE.fullmatch,
    "hashes, which are undone by trying": HASH.fullmatch,
    "universally unique identifiers": UUID.fullmatch,
    "addresses of pages": URL.fullmatch,
    "addresses of computers": IP.fullmatch,
}
