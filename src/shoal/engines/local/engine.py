"""The local engine: one machine, arrays in memory, compiled kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

import numpy as np

from shoal.arrays import Array, Counts, Flags, Integers, Labels, Positions
from shoal.domains.axis import Axis
from shoal.domains.levels import Recoding, Stretches
from shoal.engines.combining import efforts, holders_of, refuse_effort, worked
from shoal.engines.io.bounds import split, split_schema
from shoal.engines.io.digests import of_file, of_folder
from shoal.engines.io.loading import load
from shoal.engines.local.aligning import aligned
from shoal.engines.local.generalizing import generalize_all, generalize_some, recode
from shoal.engines.local.grouped_kernels import map_groups
from shoal.engines.local.ordering import in_input_order, in_released_order
from shoal.engines.local.putting import put
from shoal.engines.local_data import OWN, LocalData, known_values, spans
from shoal.engines.merging import until_met
from shoal.engines.packed_cells import packed
from shoal.engines.protocol import CellKernel, GroupKernel, PairKernel, PieceKernel, RowKernel
from shoal.engines.range_splits import piece_count
from shoal.engines.sources import Source
from shoal.engines.values import Boxes, Combinations, Layout, Moments, Output, Piece, Promise, Publication, Spans
from shoal.errors import SchemaError
from shoal.kernels import MISSING, TOP
from shoal.kernels.grouping import by_label, common_positions, count_labels, gather_rows, label_rows, starts_of
from shoal.kernels.moments import moments, partial_moments
from shoal.kernels.radix import order_by_integers, order_by_keys, places_in, runs_in
from shoal.schema import ReadOptions, Schema
from shoal.table import Carry, Classes, Common, Given, Ranked, RowOrder, Table, Tally, Written

T = TypeVar("T")
_ALL = slice(None)


@dataclass(frozen=True)
class Local:
    """Hold tables in the memory of this machine."""

    name: str = "local"

    def read(self, source: object, options: ReadOptions) -> Table:
        """Read a file or a frame."""
        schema, data, origin = load(source, options)
        return Table(schema, data, self, origin)

    def digest(self, source: Source) -> Written:
        """Give the SHA-256 of a file's bytes, of a folder's files, or of a table's content."""
        if source.is_table:
            from shoal.engines.io.databases import digest_of
            from shoal.engines.workspace import default_budget

            return digest_of(source, default_budget())
        return of_folder(source.path) if source.is_folder else of_file(source.path)

    def write(self, data: LocalData, schema: Schema, target: Source, layout: Layout) -> AbstractContextManager[Output]:
        """Write the released columns to a database or a folder, or to a file in the form that its name promises."""
        data, schema = split(data, layout.bounds), split_schema(schema, layout.bounds)
        if not target.is_text:
            from shoal.engines.io.file_writer import cells_in, form_in, write_file
            from shoal.engines.io.released_categories import enums_of, listed_in

            lists = listed_in(data, schema, form_in(target))
            if target.is_table:
                from shoal.engines.io.databases import storing
                from shoal.engines.workspace import default_budget

                return storing(_sliced(data, schema, "text"), target, default_budget(), enums_of(lists))
            tables = _sliced(data, schema, cells_in(target, layout))
            if target.kind == "folder":
                from shoal.engines.io.folders import write_folder

                return nullcontext(Output(write_folder(tables, target.path, lists)))
            return nullcontext(Output(write_file(tables, target.path, schema, layout, lists)))
        from shoal.engines.io.text_writer import write_text

        return nullcontext(Output(write_text([data], schema, target.path, layout)))

    def text_digest(self, data: LocalData, schema: Schema, layout: Layout) -> Written:
        """Give the SHA-256 of the released columns as delimited text."""
        from shoal.engines.io.text_writer import digest_text

        return digest_text([split(data, layout.bounds)], split_schema(schema, layout.bounds), layout)

    def frame(self, data: LocalData, schema: Schema, kind: str, cells: str | None) -> Any:
        """Give the released columns as a frame of the user's kind."""
        from shoal.engines.io.frames import to_frame

        return to_frame(data, schema, kind, cells)

    def describe(self, data: LocalData, schema: Schema) -> Moments:
        """Give the moments and limits of the quasi-identifiers."""
        if data.cache.moments is None:
            lo, hi = data.unfolded()
            rows = spans(replace(data, lo=lo, hi=hi, index=OWN), schema)
            data.cache.moments = Moments(
                *moments([partial_moments(rows.lo, rows.hi, rows.offsets)], rows.table, rows.offsets)
            )
        return data.cache.moments

    def counts(self, data: LocalData, schema: Schema, name: str) -> Counts:
        """Give the positions that occur in a column of exact cells, and how often each does."""
        return counted(data.positions(name))

    def cells(
        self, data: LocalData, schema: Schema, names: Sequence[str], rows: Integers
    ) -> tuple[Positions, Positions]:
        """Give both ends of the cells that some records have in some columns."""
        ends = [data.ends(schema[name].name, rows) for name in names]
        return np.stack([end[0] for end in ends], axis=1), np.stack([end[1] for end in ends], axis=1)

    def classes(
        self,
        data: LocalData,
        schema: Schema,
        by: tuple[str, ...] | Array,
        carry: Sequence[Carry],
        work: Callable[[Classes], T],
    ) -> list[T]:
        """Give what work makes of all classes at once."""
        return [work(self._classes(data, schema, by, carry))]

    def _classes(self, data: LocalData, schema: Schema, by: tuple[str, ...] | Array, carry: Sequence[Carry]) -> Classes:
        if isinstance(by, tuple):
            of_matrix_row, groups = self._signatures(data, by)
            starts = self._starts(data, by)
        else:
            of_matrix_row, groups = by, int(by.max()) + 1
            starts = starts_of(count_labels(of_matrix_row, groups))
        shared = isinstance(by, tuple) and data.index.size > 0

        def labels(rows: Integers | slice = _ALL) -> Positions:
            return of_matrix_row[data.index[rows]] if shared else of_matrix_row[rows]

        carried: dict[Carry, Array] = {}
        order: Positions | None = None
        for item in carry:
            if isinstance(item, Tally):
                columns = {name: known_values(data, schema[name].name) for name in item.condition.columns}
                carried[item] = count_labels(labels(np.flatnonzero(item.condition.holds(schema, columns))), groups)
                continue
            if isinstance(item, Common):
                found = data.positions(item.column)
                if shared:  # rows that share a matrix row first: there are few of those
                    found = common_positions(data.index, found, of_matrix_row.size)
                carried[item] = common_positions(of_matrix_row, found, groups)
                continue
            column = self._column(data, schema, item)
            if groups > 1:  # or else all are in order
                order = by_label(labels(), groups)[0] if order is None else order
                column = column[order]
            carried[item] = column
        return Classes(starts, carried)

    def _starts(self, data: LocalData, by: tuple[str, ...]) -> Integers:
        """Say where each class by the cells in some columns begins, and where the last one ends."""
        if by not in data.cache.starts:
            records = np.diff(data.members()[1]) if data.index.size else None
            data.cache.starts[by] = starts_of(count_labels(*self._signatures(data, by), records))
        return data.cache.starts[by]

    def _column(self, data: LocalData, schema: Schema, item: str | Ranked | Given) -> Array:
        """Give one number per record: of a column, of its ranks, or what was given."""
        if isinstance(item, Given):
            return cast("Array", item.column)
        return self.rank(data, schema, [item.column]) if isinstance(item, Ranked) else data.positions(item)

    def boxes(self, data: LocalData, schema: Schema, by: tuple[str, ...], work: Callable[[Boxes], T]) -> list[T]:
        """Give what work makes of all boxes at once."""
        of_matrix_row, groups = self._signatures(data, by)
        classes = self._classes(data, schema, by, ())
        one = np.empty(groups, np.int32)
        one[of_matrix_row] = np.arange(of_matrix_row.size, dtype=np.int32)
        one.sort()  # what lies side by side is gathered faster
        columns = [data.at(name) for name in by]
        whole = slice(None) if columns == list(range(len(data.quasi))) else columns
        lo = np.ascontiguousarray(data.lo[one][:, whole])
        hi = lo if data.hi is data.lo else np.ascontiguousarray(data.hi[one][:, whole])
        lowest = lo.min(axis=0, where=lo != MISSING, initial=TOP)
        highest = hi.max(axis=0, where=lo != MISSING, initial=MISSING)
        missing = (hi == MISSING).any(axis=0)
        return [work(Boxes(by, lo, hi, classes.sizes[of_matrix_row[one]], lowest, highest, missing))]

    def combinations(self, people: Array, labels: Array, m: int, work: Callable[[Combinations], T]) -> list[T]:
        """Give what work makes of the combinations of up to m labels that people have."""
        holders = holders_of(people, labels)
        return worked(holders, refuse_effort([efforts(holders, m)]), work)

    def _signatures(self, data: LocalData, by: tuple[str, ...]) -> tuple[Positions, int]:
        """Number the matrix rows by their cells in some columns: equal cells, equal number."""
        strange = [name for name in by if name not in data.quasi]
        if strange:
            raise SchemaError(
                f"Column '{strange[0]}' is not a quasi-identifier.", "Classes are formed by quasi-identifiers only."
            )
        known = data.cache.signatures
        if by not in known:
            known[by] = label_rows(data.lo, data.hi, np.array([data.at(name) for name in by], np.int64))
        return known[by]

    def number(self, data: LocalData, schema: Schema, by: Sequence[str | Positions]) -> Positions:
        """Number the records by their cells."""
        if all(isinstance(key, str) and key in data.quasi for key in by):
            labels, _ = self._signatures(data, tuple(map(str, by)))
            return labels if data.index.size == 0 else labels[data.index]
        ends = [data.ends(key, _ALL) if isinstance(key, str) else (key, key) for key in by]
        low, high = (np.stack([end[side] for end in ends], axis=1) for side in (0, 1))
        return label_rows(low, high, np.arange(len(by)))[0]

    def map_rows(self, data: LocalData, schema: Schema, kernel: RowKernel) -> Array:
        """Compute one number per record from its quasi-identifiers."""
        result = kernel(spans(data, schema))
        return result if data.index.size == 0 else result[data.index]

    def combine(self, kernel: Callable[..., Array], *columns: Array) -> Array:
        """Compute one number per record from those of other columns."""
        return kernel(*columns)

    def column(self, data: LocalData, schema: Schema, name: str) -> Integers:
        """Give the cells of a column, one whole number each."""
        lo, hi = data.ends(name, _ALL)
        return packed(lo, lo if data.hi is data.lo and name in data.quasi else hi)

    def collect(self, kernel: Callable[..., T], *columns: Array) -> list[T]:
        """Give what a kernel finds in all records."""
        return [kernel(*columns)]

    def put(
        self, data: LocalData, schema: Schema, columns: Mapping[str, tuple[Axis, Array]]
    ) -> tuple[Schema, LocalData]:  # fmt: skip
        """Give columns other cells."""
        return put(data, schema, columns)

    def map_groups(
        self, data: LocalData, labels: Array, kernel: GroupKernel, columns: Sequence[Array], width: int
    ) -> Array:  # fmt: skip
        """Hand the records of each label to a kernel."""
        return map_groups(labels, kernel, columns, width)

    def rank(self, data: LocalData, schema: Schema, keys: Sequence[str | Array], every: int = 1) -> Positions:
        """Give each record's place when sorted by keys; every so many that follow each other share one."""
        order = self._order(data, keys)
        if every == 1:
            return np.arange(data.rows, dtype=np.int32) if order is None else places_in(order)
        order = np.arange(data.rows, dtype=np.int32) if order is None else order
        labels, starts = runs_in(order, every)
        data.cache.formed = labels, (order, starts)
        return labels

    def _order(self, data: LocalData, keys: Sequence[str | Array]) -> Positions | None:
        """Sort by keys: least important first, each sort keeping the last one's order. None: they are as they were."""
        return order_by_keys([data.positions(key) if isinstance(key, str) else key for key in keys])

    def map_blocks(
        self,
        data: LocalData,
        schema: Schema,
        keys: Callable[[], Sequence[str | Array]],
        least: int,
        kernel: PieceKernel,
        carry: Sequence[Carry],
        *,
        ordered: bool,
    ) -> tuple[Labels, int]:
        """Hand the records to a kernel in pieces, or all at once if their order is that of the table and they fit."""
        columns = self._carried(data, schema, carry)
        if ordered or piece_count(data.rows, least) > 1:
            from shoal.engines.local.blocks import BlockKernel, label_blocks

            values = [data.positions(key) if isinstance(key, str) else key for key in keys()]
            return label_blocks(data, values, least, BlockKernel(schema, kernel, ordered), columns)
        lo, hi = data.unfolded()
        labels = kernel(Piece(spans(replace(data, lo=lo, hi=hi, index=OWN), schema), columns))
        return labels, int(labels.max()) + 1

    def _carried(self, data: LocalData, schema: Schema, carry: Sequence[Carry]) -> dict[Carry, Positions]:
        return {item: self._column(data, schema, item) for item in carry if not isinstance(item, (Tally, Common))}

    def merge_until(
        self, data: LocalData, schema: Schema, labels: Labels, groups: int, promise: Promise
    ) -> tuple[Labels, int]:
        """Join classes with their neighbours until all keep a promise."""
        number = until_met(self._classes(data, schema, labels, promise.carry), promise)
        return number[labels], int(number[-1]) + 1

    def generalize(
        self,
        data: LocalData,
        schema: Schema,
        labels: Labels,
        groups: int,
        publish: Publication,
        columns: Sequence[str] | None,
    ) -> tuple[Schema, LocalData]:
        """Publish the same cells for all records of a label."""
        if columns is not None:
            return generalize_some(data, schema, labels, groups, publish, columns)
        return generalize_all(data, schema, labels, groups, publish)

    def recode(self, data: LocalData, schema: Schema, rules: Mapping[str, Recoding]) -> tuple[Schema, LocalData]:
        """Replace the exact values of columns by the parts of their axes that hold them."""
        return recode(data, schema, rules)

    def rewrite(self, data: LocalData, schema: Schema, kernel: CellKernel) -> LocalData:
        """Replace the quasi-identifiers of each record; records that were equal, or become so, are looked at once."""
        labels, groups = self._signatures(data, data.quasi)
        first = np.empty(groups, np.int32)
        first[labels] = np.arange(labels.size, dtype=np.int32)
        lo = gather_rows(data.lo, first)
        hi = lo if data.hi is data.lo else gather_rows(data.hi, first)
        low, high = kernel(spans(replace(data, lo=lo, hi=hi, index=OWN), schema))
        alike, classes = label_rows(low, high, np.arange(len(data.quasi)))
        one = np.empty(classes, np.int32)
        one[alike] = np.arange(alike.size, dtype=np.int32)
        index = alike[labels] if data.index.size == 0 else alike[labels[data.index]]
        return replace(data, lo=gather_rows(low, one), hi=gather_rows(high, one), index=index)

    def mask_unique(
        self, data: LocalData, schema: Schema, steps: Sequence[tuple[str, Stretches | None]], key: Sequence[str]
    ) -> tuple[Schema, LocalData, Mapping[str, Counts]]:
        """Mask the records that stand alone, step by step."""
        from shoal.engines.local.masking import mask_unique

        return mask_unique(data, schema, steps, key)

    def hide(self, data: LocalData, schema: Schema, names: Sequence[str], which: Array) -> LocalData:
        """Put ``*`` into cells, as bits say."""
        from shoal.engines.local.masking import hide

        return hide(data, names, which)

    def fill(
        self,
        data: LocalData,
        schema: Schema,
        plan: Callable[[Sequence[Integers]], Sequence[T]],
        kernel: Callable[[Spans, Flags, T], Positions],
    ) -> LocalData:
        """Replace the quasi-identifiers of whole rows by exact positions."""
        lo, hi = data.unfolded()
        holes = holes_of(data, schema, lo, hi)
        rows = spans(replace(data, lo=lo, hi=hi, index=OWN), schema)
        exact = kernel(rows, holes, plan([holes.sum(axis=0)])[0])
        ranged = (False,) * len(data.quasi)
        return replace(data, lo=exact, hi=exact, index=OWN, ranged=ranged)

    def arrange(self, data: LocalData, schema: Schema) -> tuple[LocalData, RowOrder]:
        """Bring the records into the released order."""
        return in_released_order(data, schema)

    def rearrange(self, data: LocalData, schema: Schema, order: RowOrder) -> LocalData:
        """Bring records in the released order back to that of the input."""
        return in_input_order(data, schema, order)

    def fold(self, data: LocalData, schema: Schema, released: tuple[LocalData, Schema], kernel: PairKernel) -> Array:
        """Sum a kernel over the records of a table and of its release, in the same order and on common axes."""
        first, first_schema, second, second_schema = aligned(data, schema, *released)
        lo, hi = first.unfolded()
        before = spans(replace(first, lo=lo, hi=hi, index=OWN), first_schema)
        return kernel(before, spans(second, second_schema), released[0].members() if second.index.size else None)


def _sliced(data: LocalData, schema: Schema, cells: str) -> Iterator[Any]:
    """Give the released columns a few rows at a time: as cells they take much more room."""
    from shoal.engines.io.arrow import to_arrow
    from shoal.engines.io.slices import slices

    exact = (data.lo == data.hi).all(axis=0).tolist()
    return (to_arrow(some, schema, cells, exact) for some in slices(data))


def counted(positions: Positions) -> Counts:
    """Give the distinct positions in ascending order, and how often each occurs."""
    if not positions.size:  # a part of a table may have no records
        return positions, np.empty(0, np.int64)
    ordered = positions[order_by_integers(positions)]
    first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    return ordered[first], np.diff(np.append(first, ordered.size))


def holes_of(data: LocalData, schema: Schema, lo: Positions, hi: Positions) -> Flags:
    """Tell which cells are not exact: ranges, wildcards, and sets of categories."""
    categories = [axis.values if axis.nominal else None for axis in (schema[name].axis for name in data.quasi)]
    groups_from = np.array([TOP if values is None else len(values) for values in categories])
    found: Flags = (lo != hi) | (lo >= groups_from)
    return found
