"""The lattice of a table: its distinct tuples, and the levels that its columns may be on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.arrays import Flags, Integers, Positions
from shoal.engines.values import Boxes
from shoal.errors import ParameterError
from shoal.kernels.grouping import count_labels, label_rows
from shoal.kernels.roll_up import Fields, Tuples
from shoal.methods.lattice.level_columns import LevelColumn, bounded
from shoal.progress import stage
from shoal.table import Carry, Classes, Common, Ranked, Table

LevelVector = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Lattice:
    """Vectors of levels, one per column, between a lowest and a highest one.

    Attributes
    ----------
    columns
        The columns, in the order of the vectors.
    fields
        Where keys have the number of each column's value, and behind these that of what is carried.
    finest
        The distinct tuples of the lowest levels, with what is carried, and how many records have each.
    carried
        What else is known of each record, as models look at it: for each number in a key, its position.
    low, high
        The lowest and the highest level of each column.
    rows
        The number of records.
    """

    columns: tuple[LevelColumn, ...]
    fields: Fields
    finest: Tuples
    carried: Mapping[Carry, Positions]
    low: LevelVector
    high: LevelVector
    rows: int

    @classmethod
    def of(
        cls,
        table: Table,
        carry: Sequence[Carry] = (),
        least: Mapping[str, int] | None = None,
        most: Mapping[str, int] | None = None,
    ) -> Lattice:
        """Find the distinct tuples of a table, and what models look at beside them."""
        stage("finding distinct combinations")
        cells, held, counts = _found(table, tuple(dict.fromkeys(carry)))
        columns, codes = [], []
        for name, positions in zip(table.schema.quasi, cells.T, strict=True):
            present, places = _numbered(positions)
            sums = np.zeros(present.size, np.int64)
            np.add.at(sums, places, counts)
            columns.append(LevelColumn.of(table.schema[name], present, sums))
            codes.append(places)
        every = tuple(columns)
        lower, upper = bounded(every, least or {}, "min_level"), bounded(every, most or {}, "max_level")
        low = tuple(lower.get(column.name, 0) for column in every)
        high = tuple(upper.get(column.name, column.height) for column in every)
        for column, bottom, top in zip(every, low, high, strict=True):
            if bottom > top:
                raise ParameterError(
                    f"The lowest level of '{column.name}' is above its highest.", "Let min_level be at most max_level."
                )
        sizes = [column.leaves[level].size for column, level in zip(every, low, strict=True)]
        codes = [column.above[level][code] for column, level, code in zip(every, low, codes, strict=True)]
        carried: dict[Carry, Positions] = {}
        if carry:
            combined, numbers = np.unique(held, axis=0, return_inverse=True)
            carried = {item: np.ascontiguousarray(combined[:, i]) for i, item in enumerate(dict.fromkeys(carry))}
            sizes.append(combined.shape[0])
            codes.append(numbers.reshape(-1).astype(np.int32))
        fields = Fields.of(sizes)
        finest = Tuples(fields.packed(codes), counts).in_order()
        return cls(every, fields, finest, carried, low, high, int(counts.sum()))

    @property
    def heights(self) -> tuple[int, ...]:
        """How many levels each column may be on."""
        return tuple(top - bottom + 1 for bottom, top in zip(self.low, self.high, strict=True))

    @cached_property
    def nodes(self) -> int:
        """How many nodes there are."""
        return math.prod(self.heights)

    def levels(self, number: int) -> LevelVector:
        """Give the node with a number: levels count up, that of the last column fastest."""
        found = np.unravel_index(number, self.heights)
        return tuple(int(level) + bottom for level, bottom in zip(found, self.low, strict=True))

    def below(self, levels: LevelVector) -> Iterable[LevelVector]:
        """Give the direct predecessors of a node: one column is one level lower."""
        for j, level in enumerate(levels):
            if level > self.low[j]:
                yield (*levels[:j], level - 1, *levels[j + 1 :])

    def over(self, levels: LevelVector) -> Iterable[LevelVector]:
        """Give the direct successors of a node: one column is one level higher."""
        for j, level in enumerate(levels):
            if level < self.high[j]:
                yield (*levels[:j], level + 1, *levels[j + 1 :])

    def box_up_to(self, levels: LevelVector) -> tuple[slice, ...]:
        """Give the place of a node and of all below it in an array that has an axis for each column."""
        return tuple(slice(0, level - bottom + 1) for level, bottom in zip(levels, self.low, strict=True))

    def box_from(self, levels: LevelVector) -> tuple[slice, ...]:
        """Give the place of a node and of all above it."""
        return tuple(slice(level - bottom, None) for level, bottom in zip(levels, self.low, strict=True))


def _numbered(positions: Positions) -> tuple[Positions, Positions]:
    """Give the positions that occur in ascending order, and the place of each; of many that lie close, by a table."""
    present = positions[positions > np.iinfo(np.int32).min]
    low, high = (int(present.min()), int(present.max())) if present.size else (0, 0)
    if high - low > 4 * positions.size + 1_000_000:
        found, places = np.unique(positions, return_inverse=True)
        return found, places.reshape(-1).astype(np.int32)
    at = np.where(positions == np.iinfo(np.int32).min, -1, positions.astype(np.int64) - low) + 1
    ticked = np.zeros(high - low + 2, np.int32)
    ticked[at] = 1
    values = np.flatnonzero(ticked)
    ticked[values] = np.arange(values.size, dtype=np.int32)
    found = np.where(values == 0, np.iinfo(np.int32).min, values - 1 + low).astype(np.int32)
    return found, ticked[at]


def _found(table: Table, carry: tuple[Carry, ...]) -> tuple[Positions, Positions, Integers]:
    """Give the distinct tuples of a table, what they carry, and how often each occurs."""
    quasi = table.schema.quasi
    if not all(isinstance(item, str | Ranked) for item in carry):
        raise ParameterError(
            "A promise looks at classes in a way that cannot be added up.", "Choose another method for it."
        )
    if not carry:
        parts = table.boxes(_exact)
        wide = np.any([part[1] for part in parts], axis=0)
        if wide.any():
            raise ParameterError(
                f"Column '{quasi[int(np.argmax(wide))]}' is generalized, so its single values are not known.",
                "Levels are those of single values: give the values themselves.",
            )
        return _together([(lo, lo[:, :0], counts) for lo, _, counts in parts])

    def held(classes: Classes) -> tuple[Positions, Positions, Integers]:
        cells = np.stack([classes.columns[Common(name)] for name in quasi], axis=1)
        number = np.repeat(np.arange(classes.sizes.size, dtype=np.int32), classes.sizes)
        rows = np.stack([number, *(classes.columns[item].astype(np.int32) for item in carry)], axis=1)
        labels, groups = label_rows(rows, rows, np.arange(rows.shape[1]))
        first = np.empty(groups, np.int64)
        first[labels[::-1]] = np.arange(labels.size)[::-1]
        return cells[number[first]], rows[first, 1:], count_labels(labels, groups)

    for name in quasi:
        table.counts(name)  # refuses what is not exact
    return _together(table.classes(held, carry=(*(Common(name) for name in quasi), *carry)))


def _exact(boxes: Boxes) -> tuple[Positions, Flags, Integers]:
    """Give cells, which columns have some that are not exact, and how often each combination occurs."""
    return boxes.lo, (boxes.lo != boxes.hi).any(axis=0), boxes.counts


def _together(parts: Sequence[tuple[Positions, Positions, Integers]]) -> tuple[Positions, Positions, Integers]:
    if len(parts) == 1:
        return parts[0]
    cells, held, counts = (np.concatenate([part[i] for part in parts]) for i in range(3))
    return cells, held, counts
