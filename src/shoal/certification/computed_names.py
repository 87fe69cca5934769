"""Pseudonyms and shifted dates computed again, by who has the original and the key: then they are no longer attested.

The original is treated under the key as it was for the release, and the two are compared row by row. A date that was
made coarser after it was shifted must lie within what is published of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shoal.arrays import Integers, Positions
from shoal.certification.preservation import changed_columns
from shoal.direct_identifiers import hashed_texts, treat, treated_columns
from shoal.engines.packed_cells import unpacked
from shoal.errors import CertificateError
from shoal.kernels import MISSING, TOP
from shoal.kernels.grouping import distinct, places_among
from shoal.schema import Role
from shoal.secret_keys import SecretKey
from shoal.table import Table

_DATES = ("date", "datetime")


def names_computed(
    said: Sequence[Mapping[str, Any]], content: Mapping[str, Any], original: Table, released: Table, key: SecretKey
) -> set[str]:
    """Compute again what became of identifiers, and give the columns of which every row shows it; rows stand alike."""
    if not said:
        raise CertificateError("The certificate speaks of no pseudonyms.", "Leave out their key.")
    for each in said:
        if each["key"] != key.fingerprint:
            raise CertificateError(
                f"The certificate names the key {each['key']}, and the one that was given is {key.fingerprint}.",
                "Give the key of the release: shoal key show FILE tells which one a file holds.",
            )
    computed, shown = treat(original, key)[0], set[str]()
    for name, treatment in treated_columns(released.schema).items():
        dates = all(table.schema[name].axis.kind in _DATES for table in (computed, released))
        if name in changed_columns(content) or not (treatment.names or dates):  # a method gave it yet other values
            continue
        agree = _same_names(computed, released, name) if treatment.names else _same_dates(computed, released, name)
        if not agree:
            raise CertificateError(
                f"'{name}' does not hold what the key makes of the original.", "Do not use this release."
            )
        shown.add(name)
    return shown


def _same_names(computed: Table, released: Table, name: str) -> bool:
    """Tell whether all rows have the same names."""
    numbers: dict[str, int] = {}
    mine, theirs = (_numbered(table, name, numbers) for table in (computed, released))
    return bool((mine == theirs).all())


def _numbered(table: Table, name: str, numbers: dict[str, int]) -> Integers:
    """Give the number of the name in each row, -1 where there is none; names that have no number yet get one."""
    lo = _ends(table, name)[0]
    known = distinct(lo[lo != MISSING])
    texts = hashed_texts(table.schema[name].axis, known)
    listed = np.array([numbers.setdefault(text, len(numbers)) for text in texts], np.int64)
    found = np.full(lo.size, -1, np.int64)
    found[lo != MISSING] = listed[places_among(known, lo[lo != MISSING])]
    return found


def _same_dates(computed: Table, released: Table, name: str) -> bool:
    """Tell whether all rows have the same dates or, where they are shown coarser, none that is not among these."""
    mine, theirs = _ends(computed, name), _ends(released, name)
    (first, last), (low, high) = _moments(computed, name, mine), _moments(released, name, theirs)
    gone, hidden = mine[0] == MISSING, theirs[0] == MISSING
    inside = (low <= first) & (last <= high) & ~gone & ~hidden
    if released.schema[name].role is Role.QUASI:
        return bool((inside | (hidden & (gone | (theirs[1] == TOP)))).all())
    return bool(((inside & (low == first) & (last == high)) | (gone & hidden)).all())


def _ends(table: Table, name: str) -> tuple[Positions, Positions]:
    """Give both ends of the cell in each row."""
    return unpacked(np.concatenate([np.empty(0, np.int64), *table.collect(_as_they_are, table.column(name))]))


def _as_they_are(cells: Integers) -> Integers:
    return cells


def _moments(table: Table, name: str, ends: tuple[Positions, Positions]) -> list[Integers]:
    """Give the days or moments at both ends; any where there are none."""
    values = table.schema[name].axis.values
    there = [np.where(ends[0] == MISSING, 0, end) for end in ends]
    if values is None or not values.size:
        return [end.astype(np.int64) for end in there]
    return [values[end].astype(np.int64) for end in there]
