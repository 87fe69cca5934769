"""A first look at a table: what its columns are, which roles they may have and why, and what should be said of them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from shoal.column_names import UNDECIDED, as_option, role_by_name
from shoal.domains.axis import AxisKind
from shoal.domains.cell_parser import MARKS
from shoal.domains.codebook import CodedVariable, code_text
from shoal.findings import Findings
from shoal.kernels import MISSING
from shoal.pitfalls.hashes import hashed_columns
from shoal.pitfalls.identifiers import ENOUGH, identifying
from shoal.schema import Attribute, ReadArguments, Role
from shoal.table import Table
from shoal.table_input import table_of

_SHOWN = 12  # labels of a column that are listed
# Numbers that many files write for what is missing. They are taken for that only where they lie far from all others.
# Columns that tell people or households apart are suggested for what they are called.
_APART = (Role.IDENTIFIER, Role.SUBJECT, Role.HOUSEHOLD)
_CODES = (-9, -99, -999, -9999, 99, 999, 9999, 99999)


@dataclass(frozen=True)
class ColumnReport:
    """What was found of a column. No cell is shown, but for marks of what is missing.

    Attributes
    ----------
    name, kind, why_kind
        Its name, its kind, and why it is of that kind.
    distinct, missing
        How many values it has, and how many cells without one.
    role, why_role
        A role that may be right, and why.
    marks
        Texts and numbers that may stand for a missing value, and how often each occurs.
    odd
        How many cells are no numbers though all others are: it must be said what they are before a release.
    hashed
        What to know of its values if they look like hashes without a key; else nothing.
    label, value_labels, missing_codes
        What the file of a statistical program says: what the variable is, the labels of its codes, and which codes, or
        spans of them, stand for a missing value.
    """

    name: str
    kind: AxisKind
    why_kind: str
    distinct: int
    missing: int
    role: Role
    why_role: str
    marks: Mapping[str, int] = field(default_factory=dict)
    odd: int = 0
    hashed: str = ""
    label: str = ""
    value_labels: Mapping[str, str] = field(default_factory=dict)
    missing_codes: Sequence[str] = ()

    @property
    def usable(self) -> bool:
        """Whether it can be a quasi-identifier as it is, or once its marks are named."""
        return self.odd == 0 or self.odd == sum(self.text_marks.values())

    @property
    def text_marks(self) -> Mapping[str, int]:
        """Those marks that are texts, and no numbers."""
        return {mark: count for mark, count in self.marks.items() if mark.casefold() in MARKS}


class Inspection(Findings):
    """The columns of a table, with suggested roles, and what should be said of them.

    ``reports`` are what was found of the columns.
    """

    reports: Sequence[ColumnReport]

    def caption(self) -> str:
        """Say what the table is."""
        notes = f" ({', '.join(self['notes'])})" if self["notes"] else ""
        return f"{self['file']}: {self['records']:,} records, {len(self['columns'])} columns{notes}"

    def rows(self) -> Iterator[Sequence[str]]:
        """Give a line for each column."""
        yield "column", "kind", "distinct", "missing", "role?", "why"
        for each in self["columns"]:
            why = "; ".join(filter(None, [each["label"], each["why_role"], each["why_kind"]]))
            yield each["name"], each["kind"], f"{each['distinct']:,}", f"{each['missing']:,}", each["role"].value, why

    def labels(self) -> Iterator[str]:
        """Give a line for each column whose codes have labels, or some of whose codes stand for a missing value."""
        for each in self["columns"]:
            pairs = [f"{code} {text}" for code, text in each["value_labels"].items()]
            shown = ", ".join(pairs[:_SHOWN]) + (f", … ({len(pairs):,} in all)" if len(pairs) > _SHOWN else "")
            gone = f"missing: {', '.join(each['missing_codes'])}" if each["missing_codes"] else ""
            if shown or gone:
                yield f"{each['name']}: {'; '.join(filter(None, [shown, gone]))}"

    def remarks(self) -> Sequence[str]:
        """Say what should be said of columns, and what comes next."""
        return *self.labels(), *self["advice"], "Roles are suggestions: decide. Next:", self["next"]


def inspect(source: Any, **given: Unpack[ReadArguments]) -> Inspection:
    """Look at a table for the first time: the kind of every column, and a role that it may have. You must decide.

    Parameters
    ----------
    source
        A file, a frame, or whatever else `read` reads. No cell of it is shown.
    **given
        How to read it; roles are not needed.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> found = shoal.inspect(pl.DataFrame({"age": [34, 35, 61], "charge": [10.5, 20.25, 7.125]}))
    >>> [(column["name"], column["role"].value) for column in found["columns"]]
    [('age', 'quasi'), ('charge', 'sensitive')]
    >>> found["next"]
    "shoal.risk(…, quasi=['age'])"
    """
    if not isinstance(source, Table) and "options" not in given:
        given["rest"] = given.get("rest", Role.PLAIN)
    table = table_of(source, given, inspect)
    reports = column_reports(table)
    kept = [each.name for each in _suggested(reports)]
    marks = list(dict.fromkeys(mark for each in reports for mark in each.text_marks))
    name = repr(str(source)) if isinstance(source, str | Path) else "…"
    then = f"shoal.risk({name}, quasi={kept}{f', missing={marks}' if marks else ''})"
    columns = [asdict(report) for report in reports]
    found = Inspection(
        file=table.origin.name, records=table.rows, notes=list(table.origin.notes), columns=columns,
        advice=advice(reports, python=True), next=then,
    )  # fmt: skip
    found.reports = reports
    return found


def column_reports(table: Table) -> tuple[ColumnReport, ...]:
    """Look at every column of a table and suggest a role for it. A person must decide."""
    reports, hashed = [], {each.column: each.sentence for each in hashed_columns(table)}
    refused = {each.column: each.why for each in identifying(table)}  # if they were to be released as they are
    for attribute in table.schema.attributes:
        positions, counts = table.counts(attribute.name)
        filled = positions != MISSING
        missing, positions, counts = int(counts[~filled].sum()), positions[filled], counts[filled]
        name, kind, distinct = attribute.name, attribute.axis.kind, int(positions.size)
        role, why = suggested_role(name, kind, distinct, table.rows - missing)
        if name in refused and role not in _APART:
            role, why = Role.IDENTIFIER, refused[name]
        marks = _marks(attribute, positions, counts)
        odd = 0 if attribute.odd is None else attribute.odd.cells
        said = CodedVariable() if table.origin.codebook is None else table.origin.codebook.of(name)
        reports.append(
            ColumnReport(
                name, kind, attribute.reason, distinct, missing, role, why, marks, odd, hashed.get(name, ""),
                said.label, {code_text(code): text for code, text in said.values.items()}, said.missing_texts,
            )
        )  # fmt: skip
    return tuple(reports)


def suggested_role(name: str, kind: str, distinct: int, filled: int) -> tuple[Role, str]:
    """Suggest a role from the name of a column, and else from how many distinct values and filled cells it has."""
    named = role_by_name(name, kind)
    if named is not None and not (named[0] in _APART and (distinct < 3 or kind == "float")):
        return named
    counted = f"{distinct:,} value{'s' * (distinct != 1)} for {filled:,} rows"
    unique = filled > ENOUGH and distinct == filled
    if unique and kind in ("category", "integer"):
        return Role.IDENTIFIER, f"every record has a value of its own: {counted}"
    if distinct <= 1:
        return Role.PLAIN, f"it hardly varies: {counted}"
    if kind == "float":
        return Role.SENSITIVE, f"a measured number that others rarely know exactly: {counted}{UNDECIDED}"
    return Role.QUASI, f"it varies and might be known to others: {counted}{UNDECIDED}"


def _marks(attribute: Attribute, positions: NDArray[np.int32], counts: NDArray[np.int64]) -> dict[str, int]:
    """Find what may stand for a missing value in a column, and how often."""
    axis = attribute.axis
    if axis.nominal and axis.values is not None:
        names = {place: str(value) for place, value in enumerate(axis.values) if str(value).casefold() in MARKS}
        found = zip(positions.tolist(), counts.tolist(), strict=True)
        return {names[place]: count for place, count in found if place in names}
    if axis.kind not in ("integer", "float") or positions.size < 3:
        return {}
    numbers = axis.coordinates()
    values = positions.astype(np.float64) if numbers is None else numbers[positions]
    return {
        str(code): int(counts[values == code][0])
        for code in _CODES
        if (values == code).any() and _far_off(code, values[~np.isin(values, _CODES)])
    }


def _far_off(code: int, others: NDArray[np.float64]) -> bool:
    """Tell whether a number lies where no other does: below zero alone, or above twice the highest."""
    return bool(others.size and (others.min() >= 0 if code < 0 else 2 * others.max() < code))


def advice(reports: Sequence[ColumnReport], *, python: bool = False) -> list[str]:
    """Say what should be said of columns before they are released, and by which option."""
    marked = [(each.name, each.marks) for each in reports if each.marks]
    all_marks = list(dict.fromkeys(mark for _, marks in marked for mark in marks))
    said = []
    if marked:
        found = "; ".join(
            f"{name}: " + ", ".join(f"{count:,} × {mark}" for mark, count in marks.items()) for name, marks in marked
        )
        how = f"missing={all_marks}" if python else f"--missing {as_option(all_marks)}"
        said.append(f"Cells that may stand for a missing value: {found}. If so: {how}")
    odd = [each for each in reports if not each.usable]
    if odd:
        found = ", ".join(f"{each.name} ({each.odd:,})" for each in odd)
        kinds = " ".join(f"--kind {shlex.quote(f'{each.name}=category')}" for each in odd)
        kinds = f"kinds={dict.fromkeys((each.name for each in odd), 'category')}" if python else kinds
        said.append(f"Columns of numbers with cells that are none: {found}. Mend them, or take them for codes: {kinds}")
    return [*said, *(each.hashed for each in reports if each.hashed)]


def _suggested(reports: Sequence[ColumnReport]) -> Sequence[ColumnReport]:
    """Give the columns that may be quasi-identifiers; if none looks so, all that do not tell who people are."""
    others = [each for each in reports if each.role not in _APART] or reports
    return [each for each in reports if each.role == Role.QUASI] or others


def next_command(place: str, reports: Sequence[ColumnReport], given: Sequence[str]) -> str:
    """Give the command that measures the risk with the suggested roles, as it can be run, with options given before."""
    quasi = _suggested(reports)
    marks = list(dict.fromkeys(mark for each in reports for mark in each.text_marks))
    parts = ["shoal risk", shlex.quote(place), *map(shlex.quote, given)]
    parts.append(f"--quasi {as_option([each.name for each in quasi])}")
    parts += [f"--missing {as_option(marks)}"] if marks else []
    parts += [f"--kind {shlex.quote(f'{each.name}=category')}" for each in quasi if not each.usable]
    return " ".join(parts)
