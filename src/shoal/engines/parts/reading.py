"""Frames that come in stretches: what the local engine reads whole, held part by part.

Each stretch is read once. How many rows each has and what is distinct in each column says what the column is, and where
each cell lies on its axis.
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
from shoal.engines.local.arrow import Seen, carried_words, read_column
from shoal.engines.local.data import LocalData, Words
from shoal.engines.local.distinct import distinct_in
from shoal.engines.local.loading import notes_of, read_so, reading_of, schema_of, split_by_role
from shoal.engines.local.ordered_categories import as_levels, has_levels, with_levels
from shoal.engines.local.ordering import coded_in, typed_in
from shoal.engines.local.typed_columns import as_numbers, is_text, marks
from shoal.engines.parts.data import PartedData, Shape, without_texts
from shoal.engines.parts.encoding import Distinct, distinct_of
from shoal.engines.parts.pool import Handle, Part, Pool
from shoal.errors import DataError
from shoal.kernels import MISSING
from shoal.schema import ReadOptions, Role, Schema
from shoal.table import Origin

_LARGEST = 2147483646
# Of a stretch: its rows, the limits of plain columns, and the distinct cells of others.
Told = tuple[int, dict[str, tuple[int, int]], dict[str, Distinct]]


@dataclass(frozen=True)
class Asked:
    """The columns that have a role, and how each is to be read."""

    header: tuple[str, ...]
    assigned: dict[str, Role]
    readings: dict[str, Reading]
    kinds: dict[str, pa.DataType]

    @classmethod
    def of(cls, schema: pa.Schema, options: ReadOptions) -> Asked:
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
        dates = pa.types.is_date(kind) and self.assigned[name] == Role.QUASI
        whole = pa.types.is_integer(kind) and (reading.strict or not pa.types.is_uint64(kind))
        said = "integer" if whole else "date" if dates else None
        return said is not None and reading.kind in (None, said)


@dataclass(frozen=True, eq=False)
class Column:
    """What a column turned out to be, and how the numbers of each part become its positions and codes."""

    vocabulary: Vocabulary
    words: Words | None
    place: Callable[[Part, int], tuple[Positions, Positions]]  # lower and upper ends, or codes
    typed: Callable[[Positions], Any] | None


def loaded(
    pool: Pool, raw: Handle, asked: Asked, options: ReadOptions, origin: Origin
) -> tuple[Schema, PartedData, Origin]:
    """Make a table of encoded stretches that tell what is in them."""
    names = list(asked.assigned)
    told: Sequence[Told] = raw.told
    sizes = [size for size, _, _ in told]
    bounds = np.append(0, np.cumsum(sizes))
    if bounds[-1] == 0:
        raise DataError("The table has no records.", "A table needs at least one record.")
    columns: dict[str, Column] = {}
    for j, name in enumerate(names):
        carried = asked.assigned[name] != Role.QUASI
        if name in asked.plain:
            limits = min(some[name][0] for _, some, _ in told), max(some[name][1] for _, some, _ in told)
            columns[name] = _numbers(pool, raw, name, j, asked, limits, carried=carried)
        else:
            columns[name] = _cells(name, j, [found[name] for _, _, found in told], bounds, asked, carried=carried)
    quasi, rest = split_by_role(asked.assigned)
    places = {name: columns[name].place for name in names}
    exact = all(bool((columns[n].vocabulary.lo == columns[n].vocabulary.hi).all()) for n in quasi)

    def cells(number: int, part: Part) -> Part:
        ends = [places[name](part, number) for name in quasi]
        lo = np.stack([end[0] for end in ends], axis=1)
        return {"lo": lo} if exact else {"lo": lo, "hi": np.stack([end[1] for end in ends], axis=1)}

    def codes(number: int, part: Part) -> Part:
        return {"codes": np.stack([places[name](part, number)[0] for name in rest], axis=1)}

    held = [pool.each(work, raw) for work, some in ((cells, quasi), (codes, rest)) if some]
    words = [columns[name].words for name in rest]
    data = PartedData(
        Shape(
            tuple(quasi), tuple(columns[name].vocabulary.ranged for name in quasi), tuple(rest), without_texts(words)
        ),
        tuple(sizes), held[0], held[-1], tuple(None if each is None else each.texts for each in words),
        {name: typed for name in rest if (typed := columns[name].typed) is not None},
    )  # fmt: skip
    found = {name: columns[name].vocabulary for name in names}
    noted = replace(origin, notes=(*origin.notes, *notes_of(found)))
    return schema_of(asked.assigned, found, options, asked.header), data, read_so(noted, options)


def telling(names: Sequence[str], plain: set[str]) -> Callable[[int, Part], Told]:
    """Say what an encoded stretch tells: its size, the limits of its plain columns, the distinct cells of others."""

    def tell(number: int, part: Part) -> Told:
        limits, cells = {}, {}
        for j, name in enumerate(names):
            if name in plain:
                here = part[f"number{j}"][~part[f"gone{j}"]]
                limits[name] = (int(here.min(initial=0)), int(here.max(initial=0)))
            else:
                cells[name] = distinct_of(part, j)
        return int(part["rows"][0]), limits, cells

    return tell


def _numbers(
    pool: Pool, raw: Handle, name: str, j: int, asked: Asked, limits: tuple[int, int], *, carried: bool
) -> Column:
    """Read a column of whole numbers or days."""
    kind, reading = asked.kinds[name], asked.readings[name]
    axis_kind = as_numbers(name, pa.array([], kind))[1]
    told = marks(reading.missing, axis_kind)
    reason = f"typed as {kind}"
    if limits[0] >= -_LARGEST and limits[1] <= _LARGEST:

        def small(part: Part, number: int) -> tuple[Positions, Positions]:
            lo = part[f"number{j}"].astype(np.int32)
            lo[_gone(part, j, told)] = MISSING
            return lo, lo

        none = np.empty(0, np.int32)
        vocabulary = Vocabulary(Axis(axis_kind), none, none, False, reason)  # type: ignore[arg-type]
        return Column(vocabulary, None, small, as_typed(kind) if carried else None)

    def values_in(number: int, part: Part) -> Integers:
        return np.unique(part[f"number{j}"][~_gone(part, j, told)])

    values = np.unique(np.concatenate(pool.gather(values_in, raw)))

    def large(part: Part, number: int) -> tuple[Positions, Positions]:
        codes = np.searchsorted(values, part[f"number{j}"]).astype(np.int32)
        codes[_gone(part, j, told)] = len(values) if carried else MISSING
        return codes, codes

    lo = np.append(np.arange(len(values)), MISSING).astype(np.int32)
    vocabulary = Vocabulary(Axis(axis_kind, values), lo, lo, False, reason)  # type: ignore[arg-type]
    words = carried_words(vocabulary, None) if carried else None
    return Column(vocabulary, words, large, values_of(pa.array(values).cast(kind)) if carried else None)


def _gone(part: Part, j: int, told: Sequence[int]) -> NDArray[np.bool_]:
    gone: NDArray[np.bool_] = part[f"gone{j}"]
    for mark in told:
        gone = gone | (part[f"number{j}"] == mark)
    return gone


def as_typed(kind: pa.DataType) -> Callable[[Positions], Any]:
    """Say how whole numbers become a column of some type."""
    return lambda codes: pa.array(codes, mask=codes == MISSING).cast(kind)


def values_of(values: pa.Array) -> Callable[[Positions], Any]:
    """Say how codes become a column, from the values behind them; there is none behind the last."""
    return lambda codes: values.take(pa.array(codes, mask=codes >= len(values)))


def by_codes(data: LocalData, schema: Schema) -> tuple[LocalData, dict[str, Callable[[Positions], Any]]]:
    """Give a table in memory whose codes tell the cells of columns of a frame; and what gives these from codes."""
    coded = coded_in(data, schema)
    kinds = {name: data.sources[name].type for name in typed_in(data, schema)}
    typed = {
        name: values_of(coded.values[name]()) if name in coded.values else as_typed(kind)
        for name, kind in kinds.items()
    }
    return replace(data, codes=coded.codes, words=coded.words), typed


def _cells(name: str, j: int, told: Sequence[Distinct], bounds: Integers, asked: Asked, *, carried: bool) -> Column:
    """Read a column from the distinct cells of all parts, which stand in the order of the table."""
    whole = pa.concat_arrays([one.cells for one in told])
    codes, first = distinct_in(whole)
    counts = np.bincount(codes, np.concatenate([one.counts for one in told]), minlength=first.size)
    rows = np.concatenate([one.rows + begin for one, begin in zip(told, bounds[:-1], strict=True)]) + 1
    cells = whole.take(pa.array(first))
    seen = Seen(counts.astype(np.int64), rows[first])
    reading, kind = asked.readings[name], asked.kinds[name]
    if has_levels(kind):
        lists = [levels for one in told for levels in one.levels]
        reading = with_levels(reading, lists, cells.drop_null().to_pylist())
    vocabulary, places, texts = read_column(name, pa.chunked_array([cells]), reading, seen)
    if reading is not asked.readings[name]:
        vocabulary = replace(vocabulary, reason="categories with an order")
    cuts = np.cumsum([0, *(len(one.cells) for one in told)])
    mine = [codes[a:b] for a, b in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)]
    if carried:
        all_words = carried_words(vocabulary, texts)
        words = Words([all_words.texts[i] for i in places], all_words.lo[places], all_words.hi[places])
        typed = None if is_text(kind) else values_of(_as_kept(cells, kind, reading))
        return Column(vocabulary, words, _looked_up(j, mine, mine), typed)
    lo = [vocabulary.lo[places[some]] for some in mine]
    hi = [vocabulary.hi[places[some]] for some in mine]
    return Column(vocabulary, None, _looked_up(j, lo, hi), None)


def _as_kept(cells: pa.Array, kind: pa.DataType, reading: Reading) -> pa.Array:
    """Give distinct cells as they are released: of a list of categories, those that occur, in their order if known."""
    if not pa.types.is_dictionary(kind):
        return cells
    if has_levels(kind) and reading.order is not None:
        return as_levels(cells, reading.order, kind)
    return cells.cast(pa.dictionary(kind.index_type, kind.value_type))


def _looked_up(j: int, lo: list[Positions], hi: list[Positions]) -> Callable[[Part, int], tuple[Positions, Positions]]:
    """Turn the codes of each part into what they stand for."""
    return lambda part, number: (lo[number][part[f"code{j}"]], hi[number][part[f"code{j}"]])
