"""Direct identifiers of a table before anything else is done with it: other names for people, other days for dates.

Each distinct value is hashed once, wherever the rows lie. What a person is called depends on the key, the domain and
the text of the value alone: so a person has the same name in all tables, whatever made and holds them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Array, Flags, Integers, Positions
from shoal.domains.axis import Axis
from shoal.engines.packed_cells import packed, unpacked
from shoal.errors import DataError, ParameterError, SchemaError
from shoal.kernels import MISSING
from shoal.kernels.grouping import distinct, places_among
from shoal.models.stated import ATTESTED
from shoal.pseudonyms.forms import CodeCipher, numbered_codes
from shoal.pseudonyms.names import numbered_names, pseudonyms, refuse_collisions
from shoal.pseudonyms.shifts import shifts
from shoal.pseudonyms.treatments import DROP, PSEUDONYM, SHIFT, Treatment
from shoal.schema import Attribute, Schema
from shoal.secret_keys import SecretKey
from shoal.table import Table

_DAY = {"date": 1, "datetime": 86_400_000_000}
_AT_ONCE = 1 << 16
_FIRST, _LAST = -719_162, 2_932_896  # days that a calendar has


@dataclass(frozen=True)
class TreatedColumn:
    """What became of an identifier.

    Attributes
    ----------
    column, treatment
        Which column, and what was done.
    fingerprint
        That of the key.
    people
        How many different people it names, or for how many dates were shifted. It is for the holder alone.
    blank
        In how many records nobody knows whose date it is, so that it was left empty. It is for the holder alone.
    """

    column: str
    treatment: Treatment
    fingerprint: str
    people: int
    blank: int = 0

    @property
    def sentence(self) -> str:
        """Say it to everyone."""
        return sentence_of(self.column, self.treatment, self.fingerprint)

    @property
    def left_empty(self) -> str:
        """Say to the holder which dates are nobody's."""
        return f"In {self.blank:,} records nobody knows whose date '{self.column}' is: it was left empty."

    def exact(self) -> dict[str, Any]:
        """Give it as plain values to the holder."""
        return self.content() | {"people": self.people, "left_empty": self.blank}

    def content(self) -> dict[str, Any]:
        """Give it as plain values, as a certificate has it."""
        return {
            "column": self.column,
            "treatment": str(self.treatment),
            "key": self.fingerprint,
            "kind": ATTESTED,
            "sentence": self.sentence,
        }


def sentence_of(column: str, treatment: Treatment, fingerprint: str) -> str:
    """Say what became of an identifier."""
    under = f"under the key {fingerprint}"
    if treatment.kind == SHIFT:
        weeks = "" if treatment.step == 1 else f", in steps of {treatment.step}"
        return (
            f"Dates of '{column}' are shifted {under}: by the same number of days for all dates of a person, "
            f"never 0 and at most {treatment.days}{weeks}."
        )
    what = "pseudonyms" if treatment.kind == PSEUDONYM else "other codes of the same form"
    return f"'{column}' holds {what} of the domain '{treatment.domain}' {under}: pseudonymized, which is not anonymous."


def treated_columns(schema: Schema) -> dict[str, Treatment]:
    """Name the columns that are released under another name or with other dates, and what becomes of them."""
    return {a.name: a.treatment for a in schema.attributes if a.treatment is not None and a.treatment.kind != DROP}


def treat(table: Table, key: SecretKey) -> tuple[Table, tuple[TreatedColumn, ...]]:
    """Give a table with other names for people, and with shifted dates; and what was done."""
    asked = treated_columns(table.schema)
    whose = {name: person_of(table.schema) for name, treatment in asked.items() if treatment.kind == SHIFT}
    treated, done = table, []
    for name, treatment in asked.items():
        if name in whose:
            treated, found = _shifted(table, treated, name, whose[name], treatment, key)
        else:
            treated, found = _renamed(table, treated, name, treatment, key)
        done.append(found)
    return treated, tuple(done)


def person_of(schema: Schema) -> str:
    """Name the column that says whose date it is: the subject, or the only one that becomes a pseudonym."""
    if schema.subject is not None:
        return schema.subject
    named = [name for name, treatment in treated_columns(schema).items() if treatment.names]
    if len(named) == 1:
        return named[0]
    raise ParameterError(
        "Nothing says whose dates are to be shifted.", "Name the column that tells people apart: --subject, subject=…"
    )


def _renamed(
    table: Table, treated: Table, name: str, treatment: Treatment, key: SecretKey
) -> tuple[Table, TreatedColumn]:
    positions = _with_value(table, name)
    texts = partial(_texts, table.schema[name].axis, positions)
    if treatment.kind == PSEUDONYM:
        names = pseudonyms(texts(), treatment.domain, key)
        values, places = numbered_names(names)
        if values.size < positions.size:  # where nothing but the way it was typed differs, it is one person
            refuse_collisions(values.size, len({normalize("NFC", text) for text in texts()}), name)
        listed = np.array([value.decode() for value in values.tolist()], object)
    else:
        codes = CodeCipher(key, treatment.domain, treatment.alphabet).encrypt(list(texts()), name)
        listed, places = numbered_codes(codes)
    moved = _Moved(positions, places)
    cells = table.combine(moved, table.column(name))
    return treated.put({name: (Axis("category", listed), cells)}), TreatedColumn(
        name, treatment, key.fingerprint, listed.size
    )


def _shifted(
    table: Table, treated: Table, name: str, person: str, treatment: Treatment, key: SecretKey
) -> tuple[Table, TreatedColumn]:
    axis = table.schema[name].axis
    _insist_on_dates(table.schema[name])
    positions = _with_value(table, person)
    moved = shifts(_texts(table.schema[person].axis, positions), key, treatment.days, treatment.step) * _DAY[axis.kind]
    values = None if axis.values is None else np.asarray(axis.values, np.int64)
    shifting = _Shifted(positions, moved, values, MISSING)
    columns = table.column(name), table.column(person)
    found = distinct(np.concatenate([np.empty(0, np.int64), *table.collect(shifting.moments, *columns)]))
    if found.size and not _FIRST <= found[0] // _DAY[axis.kind] <= found[-1] // _DAY[axis.kind] <= _LAST:
        raise DataError(
            f"Some dates of '{name}' would be shifted to before year 1 or after year 9999.",
            "Mend them (they are often marks for no date at all: --missing), or leave the column out.",
        )
    new = axis if values is None else replace(axis, values=found)
    cells = table.combine(partial(shifting.cells, None if values is None else found), *columns)
    blank = sum(table.collect(shifting.blank, *columns))
    return treated.put({name: (new, cells)}), TreatedColumn(name, treatment, key.fingerprint, positions.size, blank)


def _insist_on_dates(attribute: Attribute) -> None:
    axis, name = attribute.axis, attribute.name
    if axis.kind not in _DAY or axis.tree is not None:
        raise SchemaError(
            f"Column '{name}' holds no dates that could be shifted.",
            f"Say how they are written (--dates dmy), declare them (--kind {name}=date), or leave the column out.",
        )
    if axis.zone is not None and axis.zone.offsets.size > 1:
        raise SchemaError(
            f"Column '{name}' has moments of a zone whose clocks were changed: a day later is not the same hour.",
            "Give the moments as the clocks showed them, or in UTC.",
        )


def _with_value(table: Table, name: str) -> Positions:
    """Give the positions of a column that have a value, in ascending order."""
    attribute = table.schema[name]
    if attribute.generalized:
        raise DataError(
            f"Column '{name}' has cells that stand for several values (5*, {{a;b}} or *): nobody knows whose.",
            "Mend them; or say that they are values as they stand (--no-masked).",
        )
    positions = table.counts(name)[0]
    found: Positions = positions[positions != MISSING].astype(np.int32)
    return found


def _texts(axis: Axis, positions: Positions) -> Iterator[str]:
    """Give the texts of values a stretch at a time: there may be millions of people."""
    for start in range(0, positions.size, _AT_ONCE):
        yield from hashed_texts(axis, positions[start : start + _AT_ONCE])


def hashed_texts(axis: Axis, positions: Positions) -> list[str]:
    """Give the texts of values: whole numbers without a decimal point, however the table has them.

    So 380929 is the same person as the 380929.0 that it becomes in a frame where some numbers are missing.
    """
    if axis.values is None:
        return axis.texts(positions) if axis.kind == "date" else list(map(str, positions.tolist()))
    if not axis.numeric:
        return [str(value) for value in axis.values[positions].tolist()]
    if axis.kind == "integer":
        return list(map(str, axis.values[positions].tolist()))
    if axis.kind == "float":
        numbers = axis.values[positions].tolist()
        return [str(int(number)) if number.is_integer() else repr(number) for number in numbers]
    return axis.texts(positions)


@dataclass(frozen=True)
class _Moved:
    """Gives each cell the place that its value has on another axis."""

    positions: Positions
    places: Positions

    def __call__(self, cells: Array) -> Array:
        lo = unpacked(cells)[0]
        found = np.full(lo.size, MISSING, np.int32)
        known = lo != MISSING
        found[known] = self.places[places_among(self.positions, lo[known])]
        return packed(found, found)


@dataclass(frozen=True)
class _Shifted:
    """Gives each cell the day, or the moment, that it is shifted to; nothing where nobody knows whose it is."""

    positions: Positions
    shifts: Integers
    values: NDArray[np.int64] | None
    gone: int

    def _of(self, people: Array) -> tuple[Flags, Integers]:
        """Tell in which records there is somebody, and by how much that person's dates are shifted."""
        lo = unpacked(people)[0]
        known = lo != MISSING
        moved = np.zeros(lo.size, np.int64)
        moved[known] = self.shifts[places_among(self.positions, lo[known])]
        return known, moved

    def _ends(self, cells: Array, people: Array) -> tuple[Flags, list[Integers], tuple[Positions, Positions]]:
        known, moved = self._of(people)
        ends = unpacked(cells)
        known = known & (ends[0] != MISSING)
        found = []
        for end in ends:
            there = np.where(known, end, 0)
            found.append((there.astype(np.int64) if self.values is None else self._listed(there)) + moved)
        return known, found, ends

    def _listed(self, places: Positions) -> Integers:
        assert self.values is not None
        return self.values[places] if self.values.size else np.zeros(places.size, np.int64)

    def moments(self, cells: Array, people: Array) -> Integers:
        """Give the distinct days or moments that there are then."""
        known, ends, _ = self._ends(cells, people)
        return distinct(np.concatenate([end[known] for end in ends]))

    def blank(self, cells: Array, people: Array) -> int:
        """Count the cells of which nobody knows whose they are."""
        return int((~self._of(people)[0] & (unpacked(cells)[0] != MISSING)).sum())

    def cells(self, listed: Integers | None, cells: Array, people: Array) -> Array:
        """Give the cells."""
        known, ends, before = self._ends(cells, people)
        somebody = self._of(people)[0]
        sides = []
        for end, stood in zip(ends, before, strict=True):
            at = end if listed is None else np.searchsorted(listed, end)
            sides.append(np.where(known, at, np.where(somebody, stood, MISSING)).astype(np.int32))
        return packed(*sides)
