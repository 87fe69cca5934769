"""Columns of hashes without a key: they look like pseudonyms, and are undone by trying what was hashed.

There are few numbers of patients, dates of birth and names. So it is tried: whole numbers, days, and the values of the
other columns are hashed, and what comes out is compared. No value is shown, and how many were found tells enough.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from shoal.column_names import as_option
from shoal.domains.axis import Axis
from shoal.domains.cell_looks import HASH
from shoal.table import Table

_BY_LENGTH = {
    32: ("md5",),
    40: ("sha1",),
    56: ("sha224",),
    64: ("sha256", "sha3_256"),
    96: ("sha384",),
    128: ("sha512",),
}
_NAMES = {"md5": "MD5", "sha1": "SHA-1", "sha224": "SHA-224", "sha256": "SHA-256", "sha3_256": "SHA3-256",
          "sha384": "SHA-384", "sha512": "SHA-512"}  # fmt: skip
_NUMBERS, _PADDED_BELOW = 1_000_000, 100_000
_PADDED = (4, 5, 6, 7, 8)
_FIRST, _DAYS = date(1900, 1, 1), 50_000
_MOST = 200_000  # values of a column that are hashed
_LOOKED_AT = 200
_MOSTLY = 0.9


@dataclass(frozen=True)
class HashedColumn:
    """A column that looks like hashes.

    Attributes
    ----------
    column, algorithm
        Which, and by its length or by what was found, which hash.
    values, undone
        How many different values it has, and what was hashed of how many was found by trying.
    """

    column: str
    algorithm: str
    values: int
    undone: int

    @property
    def sentence(self) -> str:
        """Say what it is, and what to do."""
        looks = f"'{self.column}' looks like hashes ({self.algorithm})"
        what = (
            f"{looks} without a key: what was hashed was found for {self.undone:,} of {self.values:,} by trying small "
            "numbers, days and the other columns."
            if self.undone
            else f"{looks}. If no secret key went into them, who tries all values there may be finds everybody."
        )
        named = as_option([self.column])
        return f"{what} Leave it out, or give pseudonyms under a key: --identifier {named}=pseudonym:DOMAIN"


def hashed_columns(table: Table) -> tuple[HashedColumn, ...]:
    """Find columns of hashes, and try to undo them."""
    axes = {attribute.name: attribute.axis for attribute in table.schema.attributes}
    found = [name for name, axis in axes.items() if looks_hashed(axis)]
    return tuple(
        _tried(name, axes[name], [axis for other, axis in axes.items() if other not in found]) for name in found
    )


def looks_hashed(axis: Axis) -> bool:
    """Tell whether the values of a column look like hashes: hexadecimal digits, all of one usual length."""
    if not axis.nominal or axis.values is None or len(axis.values) < 2:
        return False
    step = max(1, len(axis.values) // _LOOKED_AT)
    some = [str(value).strip() for value in axis.values[::step][:_LOOKED_AT]]
    fitting = [text for text in some if HASH.fullmatch(text)]
    return len(fitting) >= _MOSTLY * len(some) and len(set(map(len, fitting))) == 1


def _tried(name: str, axis: Axis, others: Iterable[Axis]) -> HashedColumn:
    assert axis.values is not None
    texts = (str(value).strip() for value in axis.values[:_MOST].tolist())
    wanted = {text.lower() for text in texts if HASH.fullmatch(text)}
    usual = _BY_LENGTH[len(next(iter(wanted)))]
    undone = dict.fromkeys(usual, 0)
    hashes = [(algorithm, getattr(hashlib, algorithm)) for algorithm in usual]
    for text in _candidates(others):
        content = text.encode()
        for algorithm, hashed in hashes:
            undone[algorithm] += hashed(content).hexdigest() in wanted
    best = max(usual, key=undone.__getitem__)
    return HashedColumn(name, _NAMES[best], len(axis.values), min(undone[best], len(wanted)))


def _candidates(others: Iterable[Axis]) -> Iterator[str]:
    """Give what is tried, each once."""
    tried: set[str] = set()
    for text in _texts(others):
        if text not in tried:
            tried.add(text)
            yield text


def _texts(others: Iterable[Axis]) -> Iterator[str]:
    for number in range(_NUMBERS):
        text = str(number)
        yield text
        if number >= _PADDED_BELOW:
            continue
        yield from (text.zfill(length) for length in _PADDED if len(text) < length)
    for day in range(_DAYS):
        yield (_FIRST + timedelta(day)).isoformat()
    for axis in others:
        if axis.values is not None:
            yield from (str(value) for value in axis.values[:_MOST].tolist())
