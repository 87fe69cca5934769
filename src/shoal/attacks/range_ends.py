"""Ends of ranges: whether the lowest value of a class, or the highest, is that of exactly one person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shoal.attacks import Success
from shoal.attacks.residual import Rate
from shoal.attacks.scene import Scene
from shoal.attacks.words import share
from shoal.kernels.nearest_rows import NOMINAL, RowCells, RowTree
from shoal.measures.statistics.sampling import sampled_rows


@dataclass(frozen=True)
class RangeEnds:
    """A person is described as "in the cells of this class, and at the end of its range" in one column.

    Where ranges are as tight as they can be, each end is somebody's value, so that the description is true of at least
    one person, and mostly of exactly one, however large k is. The rate is the share of ranges of which the lower end
    isolates exactly one person in the release, in the column where that is most often so; the control is the share that
    isolates exactly one of those who are not. Ranges whose ends lie on a public grid (``--ends``) resist. The detail
    has both ends of every column.

    References
    ----------
    A. Cohen, K. Nissim: Towards formalizing the GDPR's notion of singling out, PNAS 117(15), 2020,
    doi:10.1073/pnas.1914598117.
    """

    name: ClassVar[str] = "range-ends"

    def lacks(self, scene: Scene) -> str | None:
        """Say what would have to be known."""
        return None if _ranged(scene) else "no cell of the release is a range"

    def successes(self, scene: Scene) -> tuple[Success, ...]:
        """Describe people by the ends of ranges, and count who is described."""
        trees = scene.trees_of_people
        found = {name: _tried(scene, name, trees) for name in _ranged(scene)}
        column, (tried, sampled, inside, outside) = max(found.items(), key=lambda each: each[1][2][0] / each[1][0])
        rate = Rate(inside[0] / tried, tried if sampled else None)
        control = None if outside is None else Rate(outside[0] / tried, tried if sampled else None)
        columns: dict[str, Any] = {
            name: {"ranges": number, "lower": low / number, "upper": high / number}
            for name, (number, _, (low, high), _) in found.items()
        }
        sentence = (
            f"The lower end of {share(rate.value)} of the ranges of {column} is the value of one person of the class"
        )
        told = "." if control is None else f", and of {share(control.value)} that of one who is not in the release."
        return (Success.of("range ends", rate, control, f"{sentence}{told}", {"column": column, "columns": columns}),)


def _ranged(scene: Scene) -> list[str]:
    """Name the columns that have ranges."""
    cells, ground = scene.cells(scene.rows), scene.ground
    ranges = (cells.lo < cells.hi) & np.isfinite(cells.lo)
    return [name for j, name in enumerate(scene.quasi) if ground.kinds[j] != NOMINAL and ranges[:, j].any()]


def _tried(
    scene: Scene, column: str, trees: tuple[RowTree, RowTree | None]
) -> tuple[int, bool, tuple[int, int], tuple[int, int] | None]:
    """Count the ranges of a column, and those with a lower and an upper end that isolate one person."""
    boxes = scene.rows.by(scene.quasi)[0]
    cells, j = scene.cells(boxes), scene.quasi.index(column)
    ranges = np.flatnonzero((cells.lo[:, j] < cells.hi[:, j]) & np.isfinite(cells.lo[:, j]))
    chosen = ranges[sampled_rows(ranges.size, scene.most, scene.seed)]
    asked = cells.taken(chosen)

    def isolating(tree: RowTree | None) -> tuple[int, int] | None:
        if tree is None:
            return None
        counts = []
        for end in (asked.lo, asked.hi):
            lo, hi = asked.lo.copy(), asked.hi.copy()
            lo[:, j] = hi[:, j] = end[:, j]
            fits = tree.within(RowCells(lo, hi, asked.sets), np.zeros(chosen.size), most=2)
            counts.append(int(np.count_nonzero(fits == 1)))
        return counts[0], counts[1]

    inside = isolating(trees[0])
    assert inside is not None
    return chosen.size, chosen.size < ranges.size, inside, isolating(trees[1])
