"""Frames that are read part by part.

Each part is encoded and read once. Its summary (the number of rows, and the limits or distinct cells of each column) is
enough to tell what a column is, and where each cell lies on its axis.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.arrays import Integers, Positions
from shoal.domains.axis import Axis
from shoal.domains.cell_parser import Vocabulary
from shoal.domains.texts import Reading
from shoal.engines.io.arrow import Seen, carried_words, read_column
from shoal.engines.io.distinct_cells import distinct_in
from shoal.engines.io.loading import notes_of, read_so, reading_of, schema_of, split_by_role
from shoal.engines.io.ordered_categories import OrderedCategories, has_levels, in_agreed_order, is_listed, with_levels
from shoal.engines.io.typed_columns import as_numbers, is_text, marks
from shoal.engines.local.ordering import coded_in, typed_in
from shoal.engines.local_data import LocalData, Words
from shoal.engines.parts.data import PartsTable
from shoal.engines.parts.encoding import Distinct, distinct_of
from shoal.engines.parts.pool import Handle, Part, Pool
from shoal.errors import DataError
from shoal.kernels import MISSING
from shoal.kernels.grouping import distinct
from shoal.schema import SPANNED, ReadOptions, Role, Schema
from shoal.table import Origin

_LARGEST = 2147483646
# Of a part: its rows, the limits of plain columns, and the distinct cells of others.
EncodedSummary = tuple[int, dict[str, tuple[int, int]], dict[str, Distinct]]


@dataclass(frozen=True)
class ColumnPlan:
    """The columns that have a role, and how each is to be read."""

    header: tuple[str, ...]
    assigned: dict[str, Role]
    readings: dict[str, Reading]
    kinds: dict[str, pa.DataType]

    @classmethod
    def of(cls, schema: pa.Schema, options: ReadOptions) -> ColumnPlan:
        """Find out which columns of a table are asked for."""
        header = tuple(schema.names)
        options.check_names(header)
        assigned = options.roles.assign(header)
        readings = {name: reading_of(name, role, options) for name, role in assigned.items()}
        return cls(header, assigned, readings, {name: schema.field(name).type for name in assigned})

    @property
    def plain(self) -> set[str]:
        """The columns of whole numbers that need no list of their cells."""
        return {name for name in self.assigned if self._plain(name)}

    def _plain(self, name: str) -> bool:
        reading, kind = self.readings[name], self.kinds[name]
        if reading.order is not None or reading.hierarchy is not None:
            return False
        dates = pa.types.is_date(kind) and self.assigned[name] in SPANNED
        whole = pa.types.is_integer(kind) and (reading.strict or not pa.types.is_uint64(kind))
        said = "integer" if whole else "date" if dates else None
        return said is not None and reading.kind in (None, said)


@dataclass(frozen=True, eq=False)
class ReadColumn:
    """What a column turned out to be, and how the numbers of each part become its positions and codes."""

    vocabulary: Vocabulary
    words: Words | None
    place: Callable[[Part, int], tuple[Positions, Positions]]  # lower and upper ends, or codes
    typed: Callable[[Positions], Any] | None


def loaded(
    pool: Pool, raw: Handle, asked: ColumnPlan, options: ReadOptions, origin: Origin
) -> tuple[Schema, PartsTable, Origin]:
    """Make a table of encoded parts and their summaries."""
    names = list(asked.assigned)
    summaries: Sequence[EncodedSummary] = raw.summaries
    sizes = [size for size, _, _ in summaries]
    bounds = np.append(0, np.cumsum(sizes))
    if bounds[-1] == 0:
        raise DataError("The table has no records.", "A table needs at least one record.")
    columns: dict[str, ReadColumn] = {}
    for j, name in enumerate(names):
        carried = asked.assigned[name] not in SPANNED
        if name in asked.plain:
            limits = min(some[name][0] for _, some, _ in summaries), max(some[name][1] for _, some, _ in summaries)
            columns[name] = _numbers(pool, raw, name, j, asked, limits, carried=carried)
        else:
            columns[name] = _cells(name, j, [found[name] for _, _, found in summaries], bounds, asked, carried=carried)
    quasi, rest = split_by_role(asked.assigned)
    places = {name: columns[name].place for name in names}
    exact = all(bool((columns[n].vocabulary.lo == columns[n].vocabulary.hi).all()) for n in quasi)

    def cells(number: int, part: Part) -> Part:
        ends = [places[name](part, number) for name in quasi]
        lo = np.stack([end[0] for end in ends], axis=1)
        return {"lo": lo} if exact else {"lo": lo, "hi": np.stack([end[1] for end in ends], axis=1)}

    def codes(number: int, part: Part) -> Part:
        return {"codes": np.stack([places[name](part, number)[0] for name in rest], axis=1)}

    held = [pool.map(work, raw) for work, some in ((cells, quasi), (codes, rest)) if some]
    ranged = [columns[name].vocabulary.ranged for name in quasi]
    words = [columns[name].words for name in rest]
    typed = {name: give for name in rest if (give := columns[name].typed) is not None}
    data = PartsTable.of(quasi, ranged, rest, words, sizes, held[0], held[-1], typed, exact=exact)
    found = {name: columns[name].vocabulary for name in names}
    noted = replace(origin, notes=(*origin.notes, *notes_of(found)))
    return schema_of(asked.assigned, found, options, asked.header, asked.kinds), data, read_so(noted, options)


def summary_of(names: Sequence[str], plain: set[str]) -> Callable[[int, Part], EncodedSummary]:
    """Give what summarizes an encoded part: its size, the limits of plain columns, the distinct cells of others."""

    def summarize(number: int, part: Part) -> EncodedSummary:
        limits, cells = {}, {}
        for j, name in enumerate(names):
            if name in plain:
                here = part[f"number{j}"][~part[f"gone{j}"]]
                limits[name] = (int(here.min(initial=0)), int(here.max(initial=0)))
            else:
                cells[name] = distinct_of(part, j)
        return int(part["rows"][0]), limits, cells

    return summarize


def _numbers(
    pool: Pool, raw: Handle, name: str, j: int, asked: ColumnPlan, limits: tuple[int, int], *, carried: bool
) -> ReadColumn:
    """Read a column of whole numbers or days."""
    kind, reading = asked.kinds[name], asked.readings[name]
    axis_kind = as_numbers(name, pa.array([], kind))[1]
    missing = marks(reading.missing, axis_kind)
    reason = f"typed as {kind}"
    if limits[0] >= -_LARGEST and limits[1] <= _LARGEST:

        def small(part: Part, number: int) -> tuple[Positions, Positions]:
            lo = part[f"number{j}"].astype(np.int32)
            lo[_gone(part, j, missing)] = MISSING
            return lo, lo

        none = np.empty(0, np.int32)
        vocabulary = Vocabulary(Axis(axis_kind), none, none, False, reason)  # type: ignore[arg-type]
        return ReadColumn(vocabulary, None, small, as_typed(kind) if carried else None)

    def values_in(number: int, part: Part) -> Integers:
        return distinct(part[f"number{j}"][~_gone(part, j, missing)])

    values = distinct(np.concatenate(pool.collect(values_in, raw)))

    def large(part: Part, number: int) -> tuple[Positions, Positions]:
        codes = np.searchsorted(values, part[f"number{j}"]).astype(np.int32)
        codes[_gone(part, j, missing)] = len(values) if carried else MISSING
        return codes, codes

    lo = np.append(np.arange(len(values)), MISSING).astype(np.int32)
    vocabulary = Vocabulary(Axis(axis_kind, values), lo, lo, False, reason)  # type: ignore[arg-type]
    words = carried_words(vocabulary, None) if carried else None
    return ReadColumn(vocabulary, words, large, values_of(pa.array(values).cast(kind)) if carried else None)


def _gone(part: Part, j: int, missing: Sequence[int]) -> NDArray[np.bool_]:
    gone: NDArray[np.bool_] = part[f"gone{j}"]
    for mark in missing:
        gone = gone | (part[f"number{j}"] == mark)
    return gone


def as_typed(kind: pa.DataType) -> Callable[[Positions], Any]:
    """Give what turns whole numbers into a column of some type."""
    return lambda codes: pa.array(codes, mask=codes == MISSING).cast(kind)


def values_of(values: pa.Array) -> Callable[[Positions], Any]:
    """Give what turns codes into a column of the values that they stand for; the last code is a missing value."""
    return lambda codes: values.take(pa.array(codes, mask=codes >= len(values)))


def by_codes(data: LocalData, schema: Schema) -> tuple[LocalData, dict[str, Callable[[Positions], Any]]]:
    """Give a table in memory with codes for the columns of a frame, and what turns these codes into the columns."""
    coded = coded_in(data, schema)
    kinds = {name: data.sources[name].type for name in typed_in(data, schema)}
    typed = {
        name: values_of(coded.values[name]()) if name in coded.values else as_typed(kind)
        for name, kind in kinds.items()
    }
    return replace(data, codes=coded.codes, words=coded.words), typed


def _cells(
    name: str, j: int, parts: Sequence[Distinct], bounds: Integers, asked: ColumnPlan, *, carried: bool
) -> ReadColumn:
    """Read a column from the distinct cells of all parts, which are in the order of the table."""
    whole = pa.concat_arrays([one.cells for one in parts])
    codes, first = distinct_in(whole)
    counts = np.bincount(codes, np.concatenate([one.counts for one in parts]), minlength=first.size)
    rows = np.concatenate([one.rows + begin for one, begin in zip(parts, bounds[:-1], strict=True)]) + 1
    cells = whole.take(pa.array(first))
    seen = Seen(counts.astype(np.int64), rows[first])
    reading, kind = asked.readings[name], asked.kinds[name]
    lists = [levels for one in parts for levels in one.levels]
    if has_levels(kind):
        reading = with_levels(reading, lists, cells.drop_null().to_pylist())
    vocabulary, places, texts = read_column(name, pa.chunked_array([cells]), reading, seen)
    if reading is not asked.readings[name]:
        vocabulary = replace(vocabulary, reason="categories with an order")
    cuts = np.cumsum([0, *(len(one.cells) for one in parts)])
    mine = [codes[a:b] for a, b in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)]
    if carried:
        all_words = carried_words(vocabulary, texts)
        words = Words([all_words.texts[i] for i in places], all_words.lo[places], all_words.hi[places])
        typed = None if is_text(kind) else values_of(_as_kept(cells, kind, lists))
        return ReadColumn(vocabulary, words, _looked_up(j, mine, mine), typed)
    lo = [vocabulary.lo[places[some]] for some in mine]
    hi = [vocabulary.hi[places[some]] for some in mine]
    return ReadColumn(vocabulary, None, _looked_up(j, lo, hi), None)


def _as_kept(cells: pa.Array, kind: pa.DataType, lists: Sequence[OrderedCategories]) -> pa.Array:
    """Give distinct cells in the type that they came in."""
    return in_agreed_order(cells, lists, kind) if is_listed(kind) else cells


def _looked_up(j: int, lo: list[Positions], hi: list[Positions]) -> Callable[[Part, int], tuple[Positions, Positions]]:
    """Give what looks up the positions of codes, part by part."""
    return lambda part, number: (lo[number][part[f"code{j}"]], hi[number][part[f"code{j}"]])
