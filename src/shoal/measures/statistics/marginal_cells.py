"""Cells in which the values of an attribute are counted, the same ones for two tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Floats, Integers, Positions
from shoal.kernels import MISSING
from shoal.measures.statistics.cell_masses import CellMasses, MassedCells
from shoal.measures.statistics.uniformity import ORIGINAL, RELEASED, Categories, Line, ground_of

Lying = tuple[Integers, Integers, Floats]  # the number of a cell of the table, a cell to count in, and its share


class CellsOf(Protocol):
    """What tells in which cells the cells of a table lie, and with which share."""

    @property
    def size(self) -> int:
        """The number of cells."""
        ...

    def members(self, side: int, lo: Positions, hi: Positions) -> Lying:
        """Give the cells that some cells of one of the tables lie in."""
        ...


@dataclass(frozen=True)
class CategoryCells:
    """Each category is a cell, and so is having no value, and fitting none; rare ones can share a cell.

    ``place`` gives the cell of each of them.
    """

    ground: Categories
    place: Integers

    @property
    def size(self) -> int:
        """The number of cells."""
        return int(self.place.max()) + 1

    def members(self, side: int, lo: Positions, hi: Positions) -> Lying:
        """Give the categories that cells stand for."""
        box, category, share = self.ground.members(side, lo, hi)
        return box, self.place[category], share


@dataclass(frozen=True)
class LineCells:
    """Parts of a line, from edge to edge, each with its upper end; those at the ends go on. The last is no value."""

    ground: Line
    edges: Floats

    @property
    def size(self) -> int:
        """The number of cells."""
        return self.edges.size + 2

    def members(self, side: int, lo: Positions, hi: Positions) -> Lying:
        """Give the parts of the line that cells reach into, by the share of their length that lies there."""
        begin, end = self.ground.intervals(side, lo, hi)
        shown = np.flatnonzero(~np.isnan(begin))
        nothing = np.flatnonzero(np.isnan(begin))
        begin, end = begin[shown], end[shown]
        length = end - begin
        first = np.searchsorted(self.edges, begin, side="right")  # the part behind an edge begins above it
        last = np.searchsorted(self.edges, end, side="left")
        first = np.where(length > 0, first, last)
        many = last - first + 1
        box = np.repeat(np.arange(shown.size), many)
        cell = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many) + first[box]
        padded = np.concatenate([[-np.inf], self.edges, [np.inf]])
        inside = np.minimum(end[box], padded[cell + 1]) - np.maximum(begin[box], padded[cell])
        share = np.divide(inside, length[box], out=np.ones(box.size), where=length[box] > 0)
        return (
            np.concatenate([shown[box], nothing]),
            np.concatenate([cell, np.full(nothing.size, self.size - 1)]),
            np.concatenate([share, np.ones(nothing.size)]),
        )


def cells_of(original: CellMasses, released: CellMasses, name: str, most: int) -> CellsOf:
    """Say in which cells the values of an attribute are counted.

    Where the two tables have few values, each is a cell; else cells are parts of the original's values, and the
    categories that are rare in it share one.
    """
    ground = ground_of(original.table, released.table, name, lambda: _limits(original, name))
    if isinstance(ground, Categories):
        return CategoryCells(ground, _places(original, ground, name, most))
    values, counts = _ends(original, ORIGINAL, ground, name)
    both = np.union1d(values, _ends(released, RELEASED, ground, name)[0])
    if both.size <= most:
        return LineCells(ground, both[:-1] if not ground.whole else _whole_edges(both))
    below = np.cumsum(counts) / counts.sum()
    places = np.searchsorted(below, np.arange(1, most) / most - 1e-12)
    return LineCells(ground, np.unique(values[np.minimum(places, values.size - 1)])[: most - 1])


def _limits(masses: CellMasses, name: str) -> tuple[int, int] | None:
    """Give the lowest and the highest position of a column, if any of its cells has a value."""

    def work(shown: MassedCells) -> tuple[int, int] | None:
        known = shown.lo[:, 0] != MISSING
        return (int(shown.lo[known, 0].min()), int(shown.hi[known, 0].max())) if known.any() else None

    found = [ends for ends in masses.over((name,), work) if ends is not None]
    return (min(first for first, _ in found), max(last for _, last in found)) if found else None


def _places(original: CellMasses, ground: Categories, name: str, most: int) -> Integers:
    """Give the cell of each category: its own if it is among the most frequent of the original, else the last."""
    every = np.arange(ground.size + 2)
    if ground.size <= most:
        return every

    def count(shown: MassedCells) -> Floats:
        box, category, share = ground.members(ORIGINAL, shown.lo[:, 0], shown.hi[:, 0])
        return np.bincount(category, share * shown.masses[box], every.size).astype(np.float64)

    counts = np.sum(original.over((name,), count), axis=0)[: ground.size]
    frequent = np.sort(np.argsort(-counts, kind="stable")[: most - 1])
    places = np.full(every.size, most + 1)
    places[frequent] = np.arange(most - 1)
    places[ground.size :] = most - 1, most
    return places


def _whole_edges(values: Floats) -> Floats:
    """Give both ends of each value, which takes the unit up to itself: what lies between two values is in neither."""
    return np.unique(np.concatenate([values - 1, values]))


def _ends(masses: CellMasses, side: int, ground: Line, name: str) -> tuple[Floats, NDArray[np.float64]]:
    """Give the ends of the cells of an attribute that have a value, in ascending order, and the mass of each."""
    parts = masses.over((name,), lambda of: (*ground.intervals(side, of.lo[:, 0], of.hi[:, 0]), of.masses))
    begin, end, counts = (np.concatenate(each) for each in zip(*parts, strict=True))
    shown = ~np.isnan(begin)
    ends = np.concatenate([end[shown], (begin + ground.whole)[shown]])
    found, place = np.unique(ends, return_inverse=True)
    return found, np.bincount(place.reshape(-1), np.tile(counts[shown], 2), found.size).astype(np.float64)
