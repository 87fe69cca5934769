"""From a source to a table: roles to columns, texts to axes, numbers to matrices."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.arrays import Positions
from shoal.column_names import tells_people_apart
from shoal.domains.axis import Axis
from shoal.domains.cell_parser import Vocabulary, interpret
from shoal.domains.texts import Reading, Texts
from shoal.engines.io.compressed import notes_on
from shoal.engines.io.text_head import ENCODINGS, Head, read_head
from shoal.engines.io.text_reader import RawText, read_text
from shoal.engines.local_data import OWN, LocalData, Words
from shoal.engines.memory import refuse_too_many_records
from shoal.engines.sources import Source
from shoal.errors import DataError, SchemaError
from shoal.kernels import MISSING
from shoal.kernels.grouping import label_rows
from shoal.schema import SPANNED, Attribute, ReadOptions, Role, Schema, refuse_odd
from shoal.table import Origin, printable


def load(source: Any, options: ReadOptions) -> tuple[Schema, LocalData, Origin]:
    """Read a file, a folder, a table in a database, or a frame."""
    if options.bounds:
        from shoal.engines.io.bounds import joined, reading_ends

        schema, data, origin = load(source, reading_ends(options))
        return *joined(schema, data, options.bounds), origin
    if isinstance(source, (str, os.PathLike, Source)):
        found = Source.parse(source)
        path = found.path
        if options.baskets:
            from shoal.engines.io.baskets import from_baskets

            if not found.is_text:
                raise DataError(
                    f"'{printable(found.name)}' is no text with a basket in each line.", "Leave out --baskets."
                )
            return _load_arrow(*from_baskets(path, options), options)
        if found.is_table:
            from shoal.engines.io.databases import from_table

            return _load_arrow(*from_table(found), options)
        if found.is_folder:
            if found.is_lakehouse:
                from shoal.engines.io.lakehouse_reader import from_lakehouse

                return _load_arrow(*from_lakehouse(found, options.at_version), options)
        elif found.is_text:
            return _load_text(path, options)
        from shoal.engines.io.opened import opened_table

        there = opened_table(found, options)
        return _load_arrow(there.whole(), there.origin, options)
    from shoal.engines.io.arrow import from_object

    return _load_arrow(*from_object(source), options)


def reading_of(name: str, role: Role, options: ReadOptions) -> Reading:
    """Say how the texts of a column are to be read."""
    kind, order = options.kinds.get(name), options.orders.get(name)
    if role in (Role.SUBJECT, Role.HOUSEHOLD) and kind is None and order is None:
        kind = "category"  # who someone is has no order and no size
    missing = frozenset({"", *(() if name in options.unmarked else options.missing)})
    leaves, canonical = role not in SPANNED, options.canonical and role in SPANNED
    # What is generalized in a release is always known by the notation of cells; other columns are as in the original.
    masked = True if options.released and (role in SPANNED or options.masked is None) else options.masked
    return Reading(
        kind, order, missing, options.decimal, role in (*SPANNED, Role.SENSITIVE), options.hierarchies.get(name),
        leaves, options.released, canonical, masked, options.thousands, options.stands_for.get(name, {}),
        options.foreign.get(name), options.dates,
    )  # fmt: skip


def split_by_role(assigned: dict[str, Role]) -> tuple[list[str], list[str]]:
    """Give the names of the columns of which both ends of cells are kept, and those of the others."""
    quasi = [name for name, role in assigned.items() if role in SPANNED]
    return quasi, [name for name in assigned if name not in quasi]


@dataclass(frozen=True)
class TextPlan:
    """Which columns of a text file are read, as what, and which of them are text whatever they hold."""

    assigned: dict[str, Role]
    quasi: list[str]
    others: list[str]
    texts: set[str]

    @classmethod
    def of(cls, header: tuple[str, ...], options: ReadOptions) -> TextPlan:
        """Give columns their roles."""
        options.check_names(header)
        assigned = options.roles.assign(header)
        # Numbers that stand for something else, such as a declared category or a code for "missing", are read as text.
        texts = {
            name
            for name, role in assigned.items()
            if options.missing
            or (reading_of(name, role, options).kind or "integer") != "integer"
            or name in options.orders
            or name in options.hierarchies
            or name in options.stands_for
        }
        return cls(assigned, *split_by_role(assigned), texts)


def _load_text(path: Path, options: ReadOptions) -> tuple[Schema, LocalData, Origin]:
    head = read_head(path, options.delimiter, options.encoding, options.header)
    columns = TextPlan.of(head.header, options)
    raw = read_text(path, head, columns.quasi, columns.others, columns.texts, encodings_of(options))
    refuse_too_many_records(raw.cells.shape[0])
    found = vocabularies(raw, columns, options)
    lo, hi, index = _matrices(columns.quasi, raw.cells, found)
    data = LocalData(
        tuple(columns.quasi), lo, hi, index, ranged_in(columns, found), tuple(columns.others), raw.others,
        words_of(raw, columns, found),
    )  # fmt: skip
    schema = schema_of(columns.assigned, found, options, head.header, {})
    return schema, data, origin_of(path, head, raw, found, options)


def encodings_of(options: ReadOptions) -> tuple[str, ...]:
    """Give the encodings that a file may have: the one that was said, or those that are tried."""
    return ENCODINGS if options.encoding is None else (options.encoding,)


def vocabularies(raw: RawText, columns: TextPlan, options: ReadOptions) -> dict[str, Vocabulary]:
    """Find what the texts of each column mean."""
    return {
        name: interpret(
            Texts(name, column.texts, raw.counts[name].tolist(), column.lines),
            reading_of(name, columns.assigned[name], options),
        )
        for name, column in ((name, raw.texts[name]) for name in columns.assigned if name in raw.texts)
    }


def ranged_in(columns: TextPlan, found: dict[str, Vocabulary]) -> tuple[bool, ...]:
    """Tell in which quasi-identifiers single values are written as ranges."""
    return tuple(name in found and found[name].ranged for name in columns.quasi)


def words_of(raw: RawText, columns: TextPlan, found: dict[str, Vocabulary]) -> tuple[Words | None, ...]:
    """Give what stands behind the codes of carried columns; nothing where they are numbers themselves."""
    return tuple(_carried(name, raw, found) for name in columns.others)


def origin_of(
    path: Path, head: Head, raw: RawText, found: Mapping[str, Vocabulary], options: ReadOptions
) -> Origin:  # fmt: skip
    """Say where a table came from, and what was found out about the file."""
    used = head.encoding if raw.encoding in ("utf-8", "ascii") else raw.encoding
    layout = tuple(
        note
        for note, said in (
            (f"delimiter {head.delimiter!r}", head.delimiter != ","),
            (f"encoding {used}", used not in ("utf-8", "ascii")),
            ("no header", options.header is False),
        )
        if said
    )
    origin = Origin(
        printable(path.name), raw.written.sha256, "text", (*layout, *notes_on(path), *notes_of(found)), place=str(path)
    )  # fmt: skip
    return read_so(replace(origin, written=raw.written, content=raw.content), options)


def notes_of(found: Mapping[str, Vocabulary]) -> tuple[str, ...]:
    """Say which cells were read in another way than they are written."""
    return tuple(column.note for column in found.values() if column.note)


def read_so(origin: Origin, options: ReadOptions) -> Origin:
    """Give the origin of a table with how it was read, and which files were read along with it."""
    return replace(origin, given=options.given(), beside=(*origin.beside, *map(str, options.files())))


def _carried(name: str, raw: RawText, found: dict[str, Vocabulary]) -> Words | None:
    if name not in found:
        return None
    cells = found[name]
    texts = raw.texts[name].texts
    if cells.restyled:  # numbers are written with a point and dates as ISO does
        texts = cells.axis.render_all(cells.lo, cells.hi, ranged=cells.ranged)
    return Words(texts, cells.lo, cells.hi)


def _matrices(
    names: list[str], cells: Positions, found: dict[str, Vocabulary]
) -> tuple[Positions, Positions, Positions]:
    """Turn codes into positions; where cells are generalized, keep each distinct record once."""
    mine = {j: found[name] for j, name in enumerate(names) if name in found}
    if all((cell.lo == cell.hi).all() for cell in mine.values()):
        for j, cell in mine.items():
            cells[:, j] = cell.lo[cells[:, j]]
        return cells, cells, OWN
    labels, groups = label_rows(cells, cells, np.arange(len(names)))
    first = np.empty(groups, np.int64)
    first[labels] = np.arange(len(labels))
    lo = cells[first]
    hi = lo.copy()
    for j, cell in mine.items():
        hi[:, j] = cell.hi[lo[:, j]]
        lo[:, j] = cell.lo[lo[:, j]]
    return lo, hi, labels


def schema_of(
    assigned: dict[str, Role], found: dict[str, Vocabulary], options: ReadOptions, header: tuple[str, ...],
    kinds: Mapping[str, Any],
) -> Schema:  # fmt: skip
    """Say what each column is; ``kinds`` are the types of Arrow that columns came in."""
    attributes, treated = [], options.roles.treatments
    for name, role in assigned.items():
        axis = found[name].axis if name in found else Axis("integer")
        reason = found[name].reason if name in found else "whole numbers"
        generalized = role not in SPANNED and name in found and _generalized(found[name])
        if generalized and role == Role.SUBJECT:
            raise DataError(
                f"Column '{name}' tells people apart, but has cells that stand for several (5*, {{a;b}} or *).",
                "Give every record the number or name of one person, or name another column (--subject).",
            )
        odd = found[name].odd if name in found else None
        spellings = role not in SPANNED and name in found and _has_spellings(found[name])
        known, treatment, kind = options.knowledge.get(name), treated.get(name), kinds.get(name)
        attributes.append(Attribute(name, role, axis, known, reason, generalized, spellings, odd, treatment, kind))
    refuse_odd([each for each in attributes if each.role in SPANNED])
    return Schema(tuple(attributes), tuple(name for name in header if name not in assigned))


def _generalized(cells: Vocabulary) -> bool:
    """Tell whether some cell stands for several values, or is a category that looks like a range of them."""
    names = cells.axis.values if cells.axis.nominal and cells.axis.values is not None else ()
    odd = any(name[:1] == "[" and name[-1:] == "]" and ";" in name for name in names)
    return odd or bool(cells.axis.groups) or bool((cells.lo != cells.hi).any())


def _has_spellings(cells: Vocabulary) -> bool:
    """Tell whether different texts stand for the same value."""
    values = np.sort(cells.lo[cells.lo != MISSING])  # faster than np.unique, which hashes millions of them
    return bool((values[1:] == values[:-1]).any())


def _load_arrow(table: Any, origin: Origin, options: ReadOptions) -> tuple[Schema, LocalData, Origin]:
    from shoal.engines.io.arrow import carried_words, read_column
    from shoal.engines.io.distinct_cells import distinct_and_filled
    from shoal.engines.io.typed_columns import in_workable_type

    header = tuple(table.column_names)
    if len(set(header)) < len(header):
        twice = next(name for name in header if header.count(name) > 1)
        raise SchemaError(f"Two columns are named '{twice}'.", "Give each column a name of its own.")
    if table.num_rows == 0:
        raise DataError("The table has no records.", "A table needs at least one record.")
    refuse_too_many_records(table.num_rows)
    options.check_names(header)
    assigned = options.roles.assign(header)
    quasi, others = split_by_role(assigned)
    found: dict[str, Vocabulary] = {}
    cells = np.empty((table.num_rows, len(quasi)), np.int32)
    carried = np.empty((table.num_rows, len(others)), np.int32)
    words: list[Words | None] = []
    for names, matrix in ((quasi, cells), (others, carried)):
        for j, name in enumerate(names):
            reading = reading_of(name, assigned[name], options)
            found[name], matrix[:, j], texts = read_column(name, table.column(name), reading)
            if names is others:
                axis = found[name].axis
                plain = texts is None and axis.kind == "integer" and axis.values is None
                if plain:  # whole numbers need no list of their texts
                    matrix[:, j] = found[name].lo[matrix[:, j]]
                words.append(None if plain else carried_words(found[name], texts))
    lo, hi, index = _matrices(quasi, cells, found)
    data = LocalData(
        tuple(quasi), lo, hi, index, tuple(found[name].ranged for name in quasi), tuple(others), carried,
        tuple(words), {name: in_workable_type(table.column(name)) for name in others},
    )  # fmt: skip
    left_out = [name for name in header if name not in assigned and tells_people_apart(name)]
    people = {name: distinct_and_filled(table.column(name)) for name in left_out}
    origin = replace(origin, notes=(*origin.notes, *notes_of(found)), people=people)
    kinds = {name: table.schema.field(name).type for name in assigned}
    return schema_of(assigned, found, options, header, kinds), data, read_so(origin, options)
