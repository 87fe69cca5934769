"""An engine whose tables lie in parts: every verb, whatever holds the parts and works on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from shoal.arrays import Array, Counts, Flags, Integers, Positions
from shoal.domains.levels import Stretches
from shoal.engines.local import Local, counted, holes_of
from shoal.engines.local.cutting import Cutting
from shoal.engines.local.data import OWN, LocalData, coordinate_table, spans
from shoal.engines.parts import boxing, classing, comparing, cutting, masking, merging, ordering, publishing
from shoal.engines.parts.data import PartedData, Shape, cells_of, divided, value_of, without_texts
from shoal.engines.parts.keys import Mapped, Told
from shoal.engines.parts.labels import Labels
from shoal.engines.parts.pool import Beside, Handle, Part, Pool, home
from shoal.engines.parts.ranking import Places
from shoal.engines.pieces import pieces_of
from shoal.engines.protocol import PairKernel, PieceKernel, RowKernel
from shoal.engines.scratch import Room, in_little_room
from shoal.engines.sources import Source
from shoal.engines.values import Boxes, Layout, Moments, Promise, Publication, Spans, Stored
from shoal.errors import RoomError
from shoal.kernels.moments import Tally, moments, tally
from shoal.schema import ReadOptions, Schema
from shoal.table import Carry, Classes, RowOrder, Table, Written

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Parted:
    """Hold tables as parts in a pool.

    Parameters
    ----------
    pool
        What holds the parts and works on them.
    rows_per_part
        How many records a part has, of tables that come from memory.
    name
        The name by which certificates call the engine.
    most_boxes
        How many boxes can be compared at once, where nothing tells them apart; any number if None.
    """

    pool: Pool
    rows_per_part: int = 1 << 20
    name: str = "parts"
    most_boxes: int | None = None

    @property
    def room(self) -> Room:
        """What work with a database may take here."""
        return in_little_room()

    def read(self, source: object, options: ReadOptions) -> Table:
        """Read a file or a frame that fits into memory, and cut it into parts."""
        return self.taken(Local().read(source, options))

    def taken(self, table: Table) -> Table:
        """Cut a table in memory into parts."""
        local = table.data
        assert isinstance(local, LocalData)
        typed: Mapping[str, Callable[[Positions], Any]] = {}
        if local.sources:
            from shoal.engines.parts.reading import by_codes

            local, typed = by_codes(local, table.schema)
        cells, codes = divided(local, self.rows_per_part)
        held = self.pool.put(cells)
        data = PartedData(
            Shape(local.quasi, local.ranged, local.carried, without_texts(local.words)),
            tuple(min(self.rows_per_part, local.rows - s) for s in range(0, local.rows, self.rows_per_part)),
            held,
            self.pool.put(codes) if local.carried else held,
            tuple(None if words is None else words.texts for words in local.words),
            typed,
        )
        return replace(table, data=data, engine=self)

    def digest(self, source: Source) -> Written:
        """Give the SHA-256 of what lies somewhere; the rows of a table in a database are sorted within the room."""
        if source.is_table:
            from shoal.engines.local.databases import digest_of

            return digest_of(source, self.room)
        return Local().digest(source)

    def write(self, data: PartedData, schema: Schema, target: Source, layout: Layout) -> AbstractContextManager[Stored]:
        """Write the released columns part by part: to a database in one transaction, to a folder, or to a file."""
        from shoal.engines.parts.writing import store, write

        if target.is_table:
            kinds = {name: give(np.empty(0, np.int32)).type for name, give in data.typed.items()}
            return store(self.streamed(data), schema, target, self.exact(data).tolist(), self.room, kinds)
        exact = self.exact
        return nullcontext(Stored(write(self.streamed(data), schema, target, layout, lambda: exact(data).tolist())))

    def text_digest(self, data: PartedData, schema: Schema, layout: Layout) -> Written:
        """Give the SHA-256 of the released columns as delimited text, part by part."""
        from shoal.engines.local.text_writer import digest_text

        return digest_text(self.streamed(data), schema, layout)

    def frame(self, data: PartedData, schema: Schema, kind: str, cells: str | None) -> Any:
        """Give the released columns as a frame of the user's kind."""
        return Local().frame(self.together(data), schema, kind, cells)

    def streamed(self, data: PartedData) -> Iterator[LocalData]:
        """Give the parts here one by one, each as a table in memory."""
        shape = replace(data.shape, words=data.whole_words())
        same = data.codes is data.cells
        codes = self.pool.stream(data.codes) if not same else None
        for cells in self.pool.stream(data.cells):
            found = shape.local(cells, cells if codes is None else next(codes))
            if found.rows:
                yield replace(found, sources=_typed(data, found.codes))

    def together(self, data: PartedData) -> LocalData:
        """Give the whole table in memory."""
        parts = list(self.streamed(data))
        whole = [part.unfolded() for part in parts]
        lo = np.concatenate([part[0] for part in whole])
        exact = all(part[0] is part[1] for part in whole)
        hi = lo if exact else np.concatenate([part[1] for part in whole])
        codes = np.concatenate([part.codes for part in parts])
        return replace(parts[0], lo=lo, hi=hi, index=OWN, codes=codes, sources=_typed(data, codes))

    def exact(self, data: PartedData) -> Flags:
        """Tell of which quasi-identifiers all cells are exact."""
        shape = data.shape

        def work(number: int, cells: Part, codes: Part) -> Flags:
            here = shape.local(cells, codes)
            found: Flags = (here.lo == here.hi).all(axis=0)
            return found

        every: Flags = np.logical_and.reduce(self.pool.gather(work, data.cells, data.codes))
        return every

    def describe(self, data: PartedData, schema: Schema) -> Moments:
        """Give the moments and limits of the quasi-identifiers."""
        if data.known.moments is None:
            shape = data.shape.bare

            def work(number: int, cells: Part, codes: Part) -> Tally:
                rows = spans(shape.unfolded(cells, codes), schema)
                return tally(rows.lo, rows.hi, rows.offsets)

            tallies = self.pool.gather(work, data.cells, data.codes)
            axes = [schema[name].axis for name in shape.quasi]
            data.known.moments = Moments(*moments(tallies, *coordinate_table(axes)))
        return data.known.moments

    def counts(self, data: PartedData, schema: Schema, name: str) -> Counts:
        """Give the positions that occur in a column of exact cells, and how often each does."""
        known, shape = data.known.counts, data.shape
        if name not in known:
            parts = self.pool.gather(
                lambda number, cells, codes: counted(shape.local(cells, codes).positions(name)), data.cells, data.codes
            )
            known[name] = masking.together(parts)
        return known[name]

    def cells(
        self, data: PartedData, schema: Schema, names: Sequence[str], rows: Integers
    ) -> tuple[Positions, Positions]:
        """Give both ends of the cells that some records have in some columns."""
        shape, bounds = data.shape, data.bounds
        cuts = np.searchsorted(rows, bounds)

        def work(number: int, cells: Part, codes: Part) -> tuple[Positions, Positions]:
            mine = rows[cuts[number] : cuts[number + 1]] - bounds[number]
            return Local().cells(shape.local(cells, codes), schema, names, mine)

        ends = self.pool.gather(work, data.cells, data.codes)
        lo, hi = (np.concatenate([end[side] for end in ends]) for side in (0, 1))
        return lo, hi

    def _rank(self, data: PartedData) -> classing.Rank:
        return lambda name: home(Places(self.pool, data, (name,)))

    def classes(
        self,
        data: PartedData,
        schema: Schema,
        by: tuple[str, ...] | Beside,
        carry: Sequence[Carry],
        work: Callable[[Classes], T],
    ) -> list[T]:
        """Give what work makes of the classes of each part, when alike records are in the same one."""
        if isinstance(by, tuple):
            return classing.classes_by_cells(self.pool, data, schema, by, carry, self._rank(data), work)
        return classing.classes_by_label(self.pool, data, schema, by, carry, self._rank(data), work)

    def boxes(self, data: PartedData, schema: Schema, by: tuple[str, ...], work: Callable[[Boxes], T]) -> list[T]:
        """Give what work makes of the boxes of each part, when those that may meet are in the same one."""
        return boxing.boxes(self.pool, data, by, schema, self.most_boxes, work)

    def number(self, data: PartedData, schema: Schema, by: Sequence[str | Beside]) -> Handle:
        """Number the records by their cells."""
        return classing.numbered(self.pool, data, by)

    def map_rows(self, data: PartedData, schema: Schema, kernel: RowKernel) -> Mapped:
        """Compute one number per record from its quasi-identifiers, when it is wanted."""
        return Mapped(self.pool, data, Told(schema, kernel))

    def combine(self, kernel: Callable[..., Array], *columns: Beside) -> Beside:
        """Compute one number per record from those of other columns, part by part."""
        if len(columns) == 1 and isinstance(columns[0], Places) and columns[0].kernel is None:
            return replace(columns[0], kernel=kernel)
        handles = [home(column) for column in columns]
        return self.pool.each(lambda number, *parts: {"value": kernel(*map(value_of, parts))}, *handles)

    def rank(self, data: PartedData, schema: Schema, keys: Sequence[str | Beside], every: int = 1) -> Places:
        """Give each record's place when sorted by keys, when it is wanted; every so many may share one."""
        last = max(data.rows // every, 1) - 1

        def shared(place: Array) -> Array:
            numbers: Array = np.minimum(place // place.dtype.type(every), place.dtype.type(last))
            return numbers

        return Places(self.pool, data, tuple(keys), None if every == 1 else shared)

    def map_blocks(
        self,
        data: PartedData,
        schema: Schema,
        keys: Callable[[], Sequence[str | Beside]],
        least: int,
        kernel: PieceKernel,
        carry: Sequence[Carry],
        *,
        ordered: bool,
    ) -> tuple[Labels, int]:
        """Hand the records to a kernel piece by piece, those with neighbouring keys together."""
        pieces = self._pieces(data, least)
        by, way = keys() if ordered or pieces > 1 else [], Cutting(schema, kernel, ordered)
        return cutting.labelled(self.pool, data, schema, by, least, pieces, way, carry, self._rank(data))

    def _pieces(self, data: PartedData, least: int) -> int:
        """Tell into how many pieces a table is cut; refuse classes that are too large to be formed here."""
        most = self.most_rows(data)
        if most is not None and min(2 * least, data.rows) > most:
            raise RoomError(
                f"To form classes of {least:,} records, twice as many are held in memory at once, and {most:,} fit.",
                "Allow more (--memory), ask for smaller classes (--k), or use coarsen or sorted-clusters.",
            )
        return pieces_of(data.rows, least, most)

    def most_rows(self, data: PartedData) -> int | None:
        """Tell how many records of a table can be held at once; None: as many as a piece has."""
        return None

    def merge_until(
        self, data: PartedData, schema: Schema, labels: Beside, groups: int, promise: Promise
    ) -> tuple[Beside, int]:
        """Join classes with their neighbours until all keep a promise."""
        return merging.until_met(self.pool, data, schema, labels, groups, promise, self._rank(data))

    def generalize(
        self,
        data: PartedData,
        schema: Schema,
        labels: Beside,
        groups: int,
        publish: Publication,
        columns: Sequence[str] | None,
    ) -> tuple[Schema, PartedData]:
        """Publish the same cells for all records of a label."""
        return publishing.generalized(self.pool, data, schema, labels, groups, publish, columns)

    def recode(self, data: PartedData, schema: Schema, rules: Mapping[str, Stretches]) -> tuple[Schema, PartedData]:
        """Replace the exact values of columns by the parts of their axes that hold them."""
        shape = data.shape

        def work(number: int, cells: Part, codes: Part) -> Mapping[str, Array]:
            return cells_of(Local().recode(shape.local(cells, codes), schema, rules)[1])

        none = np.empty((0, len(shape.quasi)), np.int32)
        empty = LocalData(shape.quasi, none, none, OWN, shape.ranged, (), np.empty((0, 0), np.int32), ())
        recoded, like = Local().recode(empty, schema, rules)
        return recoded, data.with_cells(self.pool.each(work, data.cells, data.codes), like.ranged)

    def mask_unique(
        self, data: PartedData, schema: Schema, steps: Sequence[tuple[str, Stretches | None]], key: Sequence[str]
    ) -> tuple[Schema, PartedData, Mapping[str, Counts]]:
        """Mask the records that stand alone, step by step."""
        return masking.mask_unique(self.pool, data, schema, steps, key)

    def fill(
        self,
        data: PartedData,
        schema: Schema,
        plan: Callable[[Sequence[Integers]], Sequence[T]],
        kernel: Callable[[Spans, Flags, T], Positions],
    ) -> PartedData:
        """Replace the quasi-identifiers of whole rows by exact positions, part by part."""
        shape = data.shape

        def empty(number: int, cells: Part, codes: Part) -> Integers:
            here = shape.unfolded(cells, codes)
            return np.asarray(holes_of(here, schema, here.lo, here.hi).sum(axis=0), np.int64)

        shares = plan(self.pool.gather(empty, data.cells, data.codes))

        def work(number: int, cells: Part, codes: Part) -> Mapping[str, Array]:
            here = shape.unfolded(cells, codes)
            return {"lo": kernel(spans(here, schema), holes_of(here, schema, here.lo, here.hi), shares[number])}

        filled = self.pool.each(work, data.cells, data.codes)
        return data.with_cells(filled, (False,) * len(shape.quasi))

    def arrange(self, data: PartedData, schema: Schema) -> tuple[PartedData, RowOrder]:
        """Bring the records into the released order, range by range."""
        return ordering.arranged(self.pool, data, schema)

    def rearrange(self, data: PartedData, schema: Schema, order: RowOrder) -> PartedData:
        """Bring records in the released order back to that of the input."""
        return ordering.rearranged(self.pool, data, order)

    def fold(self, data: PartedData, schema: Schema, released: tuple[PartedData, Schema], kernel: PairKernel) -> Array:
        """Sum a kernel over the records of a table and of its release, in the same order and on common axes."""
        return comparing.folded(self.pool, data, schema, *released, kernel)


def _typed(data: PartedData, codes: Positions) -> dict[str, Any]:
    """Give the carried columns of a frame as they came."""
    return {name: column(codes[:, data.shape.carried.index(name)]) for name, column in data.typed.items()}
