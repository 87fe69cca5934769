"""What each level of its hierarchy makes of the values of a column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.arrays import Floats, Integers, Positions
from shoal.domains.axis import NOTHING, STAR
from shoal.domains.hierarchy import ROOT
from shoal.errors import ParameterError
from shoal.kernels import MISSING
from shoal.schema import Attribute


@dataclass(frozen=True, eq=False)
class LevelColumn:
    """A column on all of its levels, from the values themselves to one node that holds all.

    A column without a hierarchy has two levels: its values and ``*``. A cell without a value is a leaf of its own whose
    only ancestor is the highest node, which is then ``*``.

    Attributes
    ----------
    name
        Its name.
    positions
        The positions that occur, in ascending order. They are numbered so, and the nodes of each level as they follow.
    above
        For each level, the number of the node over each position.
    leaves
        For each level, how many leaves of the hierarchy are below each node, also those that do not occur.
    low, high
        For each level, the ends of each node on the axis.
    counts
        For each level, how many records are below each node.
    """

    name: str
    positions: Positions
    above: tuple[Positions, ...]
    leaves: tuple[Integers, ...]
    low: tuple[Positions, ...]
    high: tuple[Positions, ...]
    counts: tuple[Integers, ...]

    @classmethod
    def of(cls, attribute: Attribute, positions: Positions, counts: Integers) -> LevelColumn:
        """Look at the positions that occur in a column, and how often each does."""
        axis, missing = attribute.axis, positions == MISSING
        if axis.nominal and axis.values is not None and (positions >= len(axis.values)).any():
            raise ParameterError(
                f"Column '{attribute.name}' has cells that stand for several values already.",
                "Levels are those of single values: give the values themselves.",
            )
        values = np.where(missing, 0, positions)
        if axis.tree is None:
            nodes = [np.arange(positions.size)]
            ends = {0: np.stack([positions, positions], axis=1)}
            below = {0: np.ones(positions.size, np.int64)}
            height, domain, root = 1, positions.size, STAR
        else:
            over, spans = axis.tree.above, axis.tree.tables[0]
            height, domain = len(over) - 1, len(axis.tree.levels) + int(missing.any())
            root = STAR if missing.any() or axis.tree.levels[0][-1] == ROOT else (0, len(axis.tree.levels) - 1)
            nodes = [np.where(missing, -1, level[values]) for level in over[: max(height, 1)]]
            ends = {i: np.where(missing[:, None], np.array(NOTHING), spans[each]) for i, each in enumerate(nodes)}
            below = {i: np.where(missing, 1, span[:, 1] - span[:, 0] + 1) for i, span in ends.items()}
            height = max(height, int(missing.any()))
        above, leaves, low, high, number = [], [], [], [], []
        for level in range(height + 1):
            if level == height and level:
                places, first = np.zeros(positions.size, np.int64), np.zeros(min(1, positions.size), np.int64)
                span, size = np.array([root])[first], np.array([domain])[first]
            else:
                _, first, places = np.unique(nodes[level], return_index=True, return_inverse=True)
                places, span, size = places.reshape(-1), ends[level][first], below[level][first]
            above.append(places.astype(np.int32))
            leaves.append(size.astype(np.int64))
            low.append(np.ascontiguousarray(span[:, 0], np.int32))
            high.append(np.ascontiguousarray(span[:, 1], np.int32))
            sums = np.zeros(first.size, np.int64)
            np.add.at(sums, places, counts)
            number.append(sums)
        return cls(attribute.name, positions, tuple(above), tuple(leaves), tuple(low), tuple(high), tuple(number))

    @property
    def height(self) -> int:
        """The number of the highest level."""
        return len(self.above) - 1

    @property
    def domain(self) -> int:
        """How many leaves there are."""
        return int(self.leaves[-1][0]) if self.height or self.leaves[-1].size == 1 else int(self.leaves[-1].sum())

    def step(self, lower: int, upper: int) -> Positions:
        """Give the number of the node on a higher level over each node of a lower one."""
        found = np.empty(self.leaves[lower].size, np.int32)
        found[self.above[lower]] = self.above[upper]
        return found

    @cached_property
    def largest_share(self) -> Floats:
        """For each level, the largest share of the leaves below one of its nodes."""
        return np.array([level.max() / self.domain for level in self.leaves])

    @cached_property
    def leaves_of_records(self) -> tuple[int, ...]:
        """For each level, the leaves below the nodes of all records, added up."""
        return tuple(int(leaves @ counts) for leaves, counts in zip(self.leaves, self.counts, strict=True))


def bounded(columns: tuple[LevelColumn, ...], given: Mapping[str, int], word: str) -> dict[str, int]:
    """Refuse levels of columns that do not exist, or that a column does not have."""
    known = {column.name: column for column in columns}
    for name, level in given.items():
        if name not in known:
            raise ParameterError(
                f"'{word}' names '{name}', which is no quasi-identifier.", f"There are: {', '.join(known)}."
            )
        if not 0 <= level <= known[name].height:
            raise ParameterError(f"Column '{name}' has no level {level}.", f"Its levels are 0 to {known[name].height}.")
    return dict(given)
