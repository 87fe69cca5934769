"""The table that is asked about: read as it was declared, and known again by its digest."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.arrays import Integers
from shoal.engines import read
from shoal.engines.sources import Source
from shoal.engines.values import Spans
from shoal.errors import CertificateError, DataError, ParameterError, SchemaError
from shoal.kernels.spans import Members
from shoal.private.declarations import Declarations, DeclaredColumn, Said
from shoal.schema import ReadOptions, Role, Roles, options_from
from shoal.table import Table

_ASKED = {"float", "date", "datetime", "category"}


@dataclass(frozen=True)
class Population:
    """What a ledger knows of its table.

    Parameters
    ----------
    sha256
        The digest of the table.
    name, place
        What it is called, and where it lies, as seen from the ledger; frames lie nowhere.
    reading
        How it is read: what was said of its layout.
    subject_kind
        As what the column that tells people apart is read.
    """

    sha256: str
    name: str
    place: str | None
    reading: Mapping[str, Any]
    subject_kind: str | None

    def plain(self) -> dict[str, Any]:
        """Give it as plain values."""
        return {
            "sha256": self.sha256, "name": self.name, "place": self.place, "reading": dict(self.reading),
            "subject_kind": self.subject_kind,
        }  # fmt: skip


def explored(source: Any, said: Said, options: ReadOptions, subject: str | None, rows: int, **places: Any) -> tuple[
    Declarations, Population, Table
]:  # fmt: skip
    """Read all columns of a table once, when a ledger is made, to learn as what they are read.

    That a column holds numbers, dates or categories is taken as public, as its name is; and nothing else is learned.
    """
    for name, kind in said.kinds.items():
        if said.kind(name) not in _ASKED:
            raise ParameterError(
                f"'{kind}' is no kind of column that can be asked about.", "Use: category, float, date."
            )
    kinds: dict[str, Any] = {name: said.kind(name) for name in said.names if said.kind(name) is not None}
    table = read(source, options=_options(options, kinds, None), **places)
    strange = [name for name in (*said.names, subject) if name is not None and name not in table.schema.names]
    if strange:
        raise SchemaError.missing_column(strange[0], table.schema.names)
    kinds_of_all = {each.name: each.axis.kind for each in table.schema.attributes}
    columns = {name: said.column(name, kind) for name, kind in kinds_of_all.items() if name != subject}
    if not columns:
        raise SchemaError("There is no column that could be asked about.", "Name another table.")
    declared = Declarations(columns, subject, rows)
    subject_kind = None if subject is None else kinds_of_all[subject]
    origin = table.origin
    population = Population(origin.sha256, origin.name, origin.place, options.given(), subject_kind)
    if any(column.kind != kinds_of_all[name] for name, column in columns.items()):
        table = fetched(source, declared, population, None, **places)  # whole numbers as they will be read
    refuse_masked(table)
    return declared, population, table


def fetched(
    source: Any, declared: Declarations, population: Population, wanted: Sequence[str] | None, **places: Any
) -> Table:
    """Read the columns that are needed, each as what it was declared to be; None stands for all.

    What is known of a frame or of a table in a database is the digest of all its columns, so all are read.
    """
    some = wanted if isinstance(source, (str, os.PathLike, Source)) and Source.parse(source).kind == "file" else None
    names = list(declared.columns) if some is None else (list(some) or list(declared.columns)[:1])
    kinds: dict[str, Any] = {name: declared.columns[name].kind for name in names}
    if declared.subject is not None:
        kinds[declared.subject] = population.subject_kind
    return read(source, options=_options(options_from(population.reading), kinds, list(kinds)), **places)


def _options(options: ReadOptions, kinds: Mapping[str, Any], names: Sequence[str] | None) -> ReadOptions:
    """Say how columns are read: none is released, so one that tells people apart is a column like others."""
    roles = Roles(rest=Role.QUASI) if names is None else Roles(quasi=tuple(names))
    return replace(options, kinds=kinds, roles=roles)


def refuse_masked(table: Table) -> None:
    """Refuse cells that stand for several values: what they count as is not known."""
    wide = np.asarray(table.fold(table, _wide_cells))
    strange = [name for name, count in zip(table.schema.quasi, wide.tolist(), strict=True) if count]
    strange += [each.name for each in table.schema.attributes if each.axis.groups and each.role == Role.QUASI]
    if strange:
        raise DataError(
            f"Column '{strange[0]}' has cells that stand for several values.",
            "Give the table as it was before it was masked; or leave the column out.",
        )


def _wide_cells(rows: Spans, _same: Spans, _members: Members | None) -> Integers:
    found: Integers = (rows.lo != rows.hi).sum(axis=0)
    return found


def insist_on_same(table: Table, sha256: str) -> None:
    """Refuse a table that is not the one that a ledger is about."""
    if table.origin.sha256 != sha256:
        raise CertificateError(
            f"'{table.origin.name}' is not the table that this ledger is about: it has changed, or is another.",
            "If it is a newer version about the same people, say so: shoal budget continue LEDGER FILE.",
        )


def insist_on_kinds(table: Table, declared: Declarations, needed: Sequence[str]) -> None:
    """Refuse a table that was read in another way than was declared."""
    if declared.subject is not None:
        _ = table.schema[declared.subject]
    for name in needed:
        column: DeclaredColumn = declared[name]
        if name not in table.schema.quasi or table.schema[name].axis.kind != column.kind:
            raise SchemaError(
                f"Column '{name}' was not read as it is declared.", "Let the ledger read it: give the file."
            )


def place_seen_from(ledger: Path, place: str | None) -> str | None:
    """Give where a table lies as seen from its ledger, so that both can move together."""
    if place is None or "://" in place:
        return place
    lies = Path(place).resolve()
    try:
        return lies.relative_to(ledger.resolve().parent).as_posix()
    except ValueError:
        return str(lies)


def place_from(ledger: Path, place: str) -> str:
    """Give where a table lies that a ledger names."""
    return place if "://" in place or Path(place).is_absolute() else str(ledger.resolve().parent / place)
