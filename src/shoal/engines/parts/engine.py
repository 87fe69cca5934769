"""The engine of tables in parts: every verb, written once for every pool."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from shoal.arrays import Array, Counts, Flags, Integers, Positions
from shoal.domains.axis import Axis
from shoal.domains.levels import Recoding, Stretches
from shoal.engines.io.bounds import split, split_exact, split_schema
from shoal.engines.local import Local, counted, holes_of
from shoal.engines.local.blocks import BlockKernel
from shoal.engines.local_data import LocalData, coordinate_table, spans
from shoal.engines.parts import (
    blocks,
    boxes,
    combining,
    folding,
    generalizing,
    groups,
    masking,
    merging,
    ordering,
    putting,
)
from shoal.engines.parts.columns import LazyColumn, Materialized, RowFunction
from shoal.engines.parts.data import Arrays, PartsTable, Typed, column_part, value_of
from shoal.engines.parts.keys import MappedColumn
from shoal.engines.parts.labels import LabelColumn
from shoal.engines.parts.pool import Part, Pool
from shoal.engines.parts.ranking import RankColumn
from shoal.engines.protocol import CellKernel, GroupKernel, PairKernel, PieceKernel, RowKernel
from shoal.engines.range_splits import piece_count
from shoal.engines.sources import Source
from shoal.engines.values import Boxes, Combinations, Layout, Moments, Output, Promise, Publication, Spans
from shoal.engines.workspace import MemoryBudget, default_budget
from shoal.kernels.moments import PartialMoments, moments, partial_moments
from shoal.schema import ReadOptions, Schema
from shoal.table import Carry, Classes, RowOrder, Table, Written

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class PartsEngine:
    """Hold tables as parts in a pool.

    Parameters
    ----------
    pool
        Where the parts are stored and processed.
    rows_per_part
        The number of records in a part, of tables that come from memory.
    name
        The name by which certificates call the engine.
    most_boxes
        How many boxes can be compared with each other at once; any number if None.
    """

    pool: Pool
    rows_per_part: int = 1 << 20
    name: str = "parts"
    most_boxes: int | None = None

    @property
    def budget(self) -> MemoryBudget:
        """What work with a database may take here."""
        return default_budget()

    def read(self, source: object, options: ReadOptions) -> Table:
        """Read a file or a frame that fits into memory, and divide it into parts."""
        return self.from_local(Local().read(source, options))

    def from_local(self, table: Table) -> Table:
        """Divide a table in memory into parts."""
        local = table.data
        assert isinstance(local, LocalData)
        typed: Typed = {}
        if local.sources:
            from shoal.engines.parts.reading import by_codes

            local, typed = by_codes(local, table.schema)
        lo, hi = local.unfolded()
        ends = {"lo": lo} if hi is lo else {"lo": lo, "hi": hi}
        some = [
            slice(start, min(start + self.rows_per_part, local.rows))
            for start in range(0, local.rows, self.rows_per_part)
        ]
        cells = self.pool.put({side: end[rows] for side, end in ends.items()} for rows in some)
        codes = self.pool.put({"codes": local.codes[rows]} for rows in some) if local.carried else cells
        sizes = [rows.stop - rows.start for rows in some]
        data = PartsTable.of(
            local.quasi, local.ranged, local.carried, local.words, sizes, cells, codes, typed, exact=hi is lo
        )
        return replace(table, data=data, engine=self)

    def digest(self, source: Source) -> Written:
        """Give the SHA-256 of a file, a folder, or a table in a database, whose rows are sorted for that."""
        if source.is_table:
            from shoal.engines.io.databases import digest_of

            return digest_of(source, self.budget)
        return Local().digest(source)

    def write(self, data: PartsTable, schema: Schema, target: Source, layout: Layout) -> AbstractContextManager[Output]:
        """Write the released columns part by part: to a database in one transaction, to a folder, or to a file."""
        from shoal.engines.parts.whole_table import WholeTable, lists_of_parts
        from shoal.engines.parts.writing import store, write

        def shown() -> WholeTable:
            single = split_exact(data.shape.quasi, self.exact(data).tolist(), layout.bounds)
            return WholeTable(single, lists_of_parts(self.pool, data, schema, target, layout, single))

        parts, schema = self._shown(data, layout), split_schema(schema, layout.bounds)
        if target.is_table:
            return store(parts, schema, target, shown(), self.budget)
        return nullcontext(Output(write(parts, schema, target, layout, shown)))

    def _shown(self, data: PartsTable, layout: Layout) -> Iterator[LocalData]:
        return (split(part, layout.bounds) for part in self.streamed(data))

    def text_digest(self, data: PartsTable, schema: Schema, layout: Layout) -> Written:
        """Give the SHA-256 of the released columns as delimited text, part by part."""
        from shoal.engines.io.text_writer import digest_text

        return digest_text(self._shown(data, layout), split_schema(schema, layout.bounds), layout)

    def frame(self, data: PartsTable, schema: Schema, kind: str, cells: str | None) -> Any:
        """Give the released columns as a frame of the user's kind."""
        return Local().frame(self.together(data), schema, kind, cells)

    def streamed(self, data: PartsTable) -> Iterator[LocalData]:
        """Give the parts here one by one, each as a table in memory."""
        read = data.reader()
        codes = None if data.codes is data.cells else self.pool.stream(data.codes)
        for cells in self.pool.stream(data.cells):
            found = read(cells, cells if codes is None else next(codes))
            if found.rows:
                yield found

    def together(self, data: PartsTable) -> LocalData:
        """Give the whole table in memory."""
        parts = list(self.streamed(data))
        ends = [part.unfolded() for part in parts]
        cells = {side: np.concatenate([end[i] for end in ends]) for i, side in enumerate(data.shape.sides)}
        codes = {"codes": np.concatenate([part.codes for part in parts])}
        return replace(data, shape=data.shape.in_order).reader()(cells, codes)

    def exact(self, data: PartsTable) -> Flags:
        """Tell of which quasi-identifiers all cells are exact."""
        shape = data.shape

        def work(number: int, cells: Part, codes: Part) -> Flags:
            here = shape.local(cells, codes)
            found: Flags = (here.lo == here.hi).all(axis=0)
            return found

        every: Flags = np.logical_and.reduce(self.pool.collect(work, data.cells, data.codes))
        return every

    def describe(self, data: PartsTable, schema: Schema) -> Moments:
        """Give the moments and limits of the quasi-identifiers."""
        if data.cache.moments is None:
            shape = data.shape.quasi_only

            def work(number: int, cells: Part, codes: Part) -> PartialMoments:
                rows = spans(shape.unfolded(cells, codes), schema)
                return partial_moments(rows.lo, rows.hi, rows.offsets)

            tallies = self.pool.collect(work, data.cells, data.codes)
            axes = [schema[name].axis for name in shape.quasi]
            data.cache.moments = Moments(*moments(tallies, *coordinate_table(axes)))
        return data.cache.moments

    def counts(self, data: PartsTable, schema: Schema, name: str) -> Counts:
        """Give the positions that occur in a column of exact cells, and how often each does."""
        known, shape = data.cache.counts, data.shape
        if name not in known:
            parts = self.pool.collect(
                lambda number, cells, codes: counted(shape.local(cells, codes).positions(name)), data.cells, data.codes
            )
            known[name] = masking.sum_counts(parts)
        return known[name]

    def cells(
        self, data: PartsTable, schema: Schema, names: Sequence[str], rows: Integers
    ) -> tuple[Positions, Positions]:
        """Give both ends of the cells that some records have in some columns."""
        shape, bounds = data.shape, data.bounds
        cuts = np.searchsorted(rows, bounds)

        def work(number: int, cells: Part, codes: Part) -> tuple[Positions, Positions]:
            mine = rows[cuts[number] : cuts[number + 1]] - bounds[number]
            return Local().cells(shape.local(cells, codes), schema, names, mine)

        ends = self.pool.collect(work, data.cells, data.codes)
        lo, hi = (np.concatenate([end[side] for end in ends]) for side in (0, 1))
        return lo, hi

    def _rank(self, data: PartsTable) -> groups.Rank:
        return lambda name: RankColumn(self.pool, data, (name,)).materialize()

    def classes(
        self,
        data: PartsTable,
        schema: Schema,
        by: tuple[str, ...] | LazyColumn,
        carry: Sequence[Carry],
        work: Callable[[Classes], T],
    ) -> list[T]:
        """Give what work makes of the classes of each part, after a shuffle that makes them whole."""
        if isinstance(by, tuple):
            return groups.classes_by_cells(self.pool, data, schema, by, carry, self._rank(data), work)
        return groups.classes_by_label(self.pool, data, schema, by, carry, self._rank(data), work)

    def boxes(self, data: PartsTable, schema: Schema, by: tuple[str, ...], work: Callable[[Boxes], T]) -> list[T]:
        """Give what work makes of the boxes of each part, after a shuffle: boxes of two parts do not intersect."""
        return boxes.map_boxes(self.pool, data, by, schema, self.most_boxes, work)

    def combinations(
        self, people: LazyColumn, labels: LazyColumn, m: int, work: Callable[[Combinations], T]
    ) -> list[T]:
        """Give what work makes of the combinations of up to m labels that people have."""
        return combining.map_combinations(self.pool, people, labels, m, work)

    def number(self, data: PartsTable, schema: Schema, by: Sequence[str | LazyColumn]) -> LazyColumn:
        """Number the records by their cells."""
        return groups.numbered(self.pool, data, by)

    def map_rows(self, data: PartsTable, schema: Schema, kernel: RowKernel) -> MappedColumn:
        """Compute one number per record from its quasi-identifiers, when it is needed."""
        return MappedColumn(self.pool, data, RowFunction(schema, kernel))

    def combine(self, kernel: Callable[..., Array], *columns: LazyColumn) -> LazyColumn:
        """Compute a new column row by row from other columns."""
        found = columns[0].then(kernel) if len(columns) == 1 else None
        if found is not None:
            return found
        handles = [column.materialize() for column in columns]
        return Materialized(self.pool.map(lambda number, *parts: column_part(kernel(*map(value_of, parts))), *handles))

    def column(self, data: PartsTable, schema: Schema, name: str) -> LazyColumn:
        """Give the cells of a column, one whole number each."""
        return putting.packed_column(self.pool, data, name)

    def collect(self, kernel: Callable[..., T], *columns: LazyColumn) -> list[T]:
        """Give what a kernel finds in each part."""
        handles = [column.materialize() for column in columns]
        return self.pool.collect(lambda number, *parts: kernel(*map(value_of, parts)), *handles)

    def put(
        self, data: PartsTable, schema: Schema, columns: Mapping[str, tuple[Axis, LazyColumn]]
    ) -> tuple[Schema, PartsTable]:
        """Give columns other cells, part by part."""
        return putting.put(self.pool, data, schema, columns)

    def map_groups(
        self, data: PartsTable, labels: LazyColumn, kernel: GroupKernel, columns: Sequence[LazyColumn], width: int
    ) -> LazyColumn:
        """Hand the records of each label to a kernel, after a shuffle that brings them together."""
        return putting.map_groups(self.pool, data, labels, kernel, columns, width)

    def rank(self, data: PartsTable, schema: Schema, keys: Sequence[str | LazyColumn], every: int = 1) -> RankColumn:
        """Give each record's rank when sorted by keys, when it is needed; every so many may share one."""
        last = max(data.rows // every, 1) - 1

        def shared(place: Array) -> Array:
            numbers: Array = np.minimum(place // place.dtype.type(every), place.dtype.type(last))
            return numbers

        return RankColumn(self.pool, data, tuple(keys), None if every == 1 else shared)

    def map_blocks(
        self,
        data: PartsTable,
        schema: Schema,
        keys: Callable[[], Sequence[str | LazyColumn]],
        least: int,
        kernel: PieceKernel,
        carry: Sequence[Carry],
        *,
        ordered: bool,
    ) -> tuple[LabelColumn, int]:
        """Hand the records to a kernel block by block, in ranges of their keys."""
        number = piece_count(data.rows, least)
        self.insist_on_room(data, -(-data.rows // number))
        by, way = keys() if ordered or number > 1 else [], BlockKernel(schema, kernel, ordered)
        return blocks.map_blocks(self.pool, data, schema, by, least, number, way, carry, self._rank(data))

    def insist_on_room(self, data: PartsTable, rows: int) -> None:
        """Refuse to form classes of so many records at a time if these cannot be held at once."""

    def merge_until(
        self, data: PartsTable, schema: Schema, labels: LazyColumn, groups: int, promise: Promise
    ) -> tuple[LazyColumn, int]:
        """Merge classes with their neighbours until all keep a promise."""
        return merging.until_met(self.pool, data, schema, labels, groups, promise, self._rank(data))

    def generalize(
        self,
        data: PartsTable,
        schema: Schema,
        labels: LazyColumn,
        groups: int,
        publish: Publication,
        columns: Sequence[str] | None,
    ) -> tuple[Schema, PartsTable]:
        """Give all records of a label the same cells."""
        return generalizing.generalized(self.pool, data, schema, labels, groups, publish, columns)

    def recode(self, data: PartsTable, schema: Schema, rules: Mapping[str, Recoding]) -> tuple[Schema, PartsTable]:
        """Replace the exact values of columns by the parts of their axes that hold them."""
        shape = data.shape

        def work(number: int, cells: Part, codes: Part) -> Arrays:
            here = Local().recode(shape.local(cells, codes), schema, rules)[1]
            return {"lo": here.lo, "hi": here.hi, "index": here.index}

        none = np.empty((0, len(shape.quasi)), np.int32)
        recoded, like = Local().recode(shape.holding(none, none), schema, rules)
        cells = Materialized(self.pool.map(work, data.cells, data.codes))
        return recoded, data.with_cells(cells, like.ranged, exact=False, indexed=shape.indexed)

    def rewrite(self, data: PartsTable, schema: Schema, kernel: CellKernel) -> PartsTable:
        """Replace the quasi-identifiers of each record, part by part."""
        shape = data.shape

        def work(number: int, cells: Part, codes: Part) -> Arrays:
            low, high = kernel(spans(shape.unfolded(cells, codes), schema))
            return {"lo": low, "hi": high}

        rewritten = Materialized(self.pool.map(work, data.cells, data.codes))
        return data.with_cells(rewritten, shape.ranged, exact=False)

    def mask_unique(
        self, data: PartsTable, schema: Schema, steps: Sequence[tuple[str, Stretches | None]], key: Sequence[str]
    ) -> tuple[Schema, PartsTable, Mapping[str, Counts]]:
        """Mask the unique records, step by step."""
        return masking.mask_unique(self.pool, data, schema, steps, key)

    def hide(self, data: PartsTable, schema: Schema, names: Sequence[str], which: LazyColumn) -> PartsTable:
        """Put ``*`` into cells, part by part."""
        return masking.hidden(self.pool, data, names, which)

    def fill(
        self,
        data: PartsTable,
        schema: Schema,
        plan: Callable[[Sequence[Integers]], Sequence[T]],
        kernel: Callable[[Spans, Flags, T], Positions],
    ) -> PartsTable:
        """Replace the quasi-identifiers of whole rows by exact positions, part by part."""
        shape = data.shape

        def empty(number: int, cells: Part, codes: Part) -> Integers:
            here = shape.unfolded(cells, codes)
            return np.asarray(holes_of(here, schema, here.lo, here.hi).sum(axis=0), np.int64)

        shares = plan(self.pool.collect(empty, data.cells, data.codes))

        def work(number: int, cells: Part, codes: Part) -> Arrays:
            here = shape.unfolded(cells, codes)
            return {"lo": kernel(spans(here, schema), holes_of(here, schema, here.lo, here.hi), shares[number])}

        filled = Materialized(self.pool.map(work, data.cells, data.codes))
        return data.with_cells(filled, (False,) * len(shape.quasi), exact=True)

    def arrange(self, data: PartsTable, schema: Schema) -> tuple[PartsTable, RowOrder]:
        """Bring the records into the released order, range by range."""
        return ordering.released_order(self.pool, data, schema)

    def rearrange(self, data: PartsTable, schema: Schema, order: RowOrder) -> PartsTable:
        """Bring records in the released order back to that of the input."""
        return ordering.input_order(self.pool, data, order)

    def fold(self, data: PartsTable, schema: Schema, released: tuple[PartsTable, Schema], kernel: PairKernel) -> Array:
        """Sum a kernel over the records of a table and of its release, in the same order and on common axes."""
        return folding.folded(self.pool, data, schema, *released, kernel)
