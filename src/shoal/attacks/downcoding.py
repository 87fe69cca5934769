"""Downcoding: a node of a hierarchy that is no higher than it must be tells what lies below it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shoal.arrays import Floats, Integers
from shoal.attacks import Success
from shoal.attacks.residual import Rate
from shoal.attacks.scene import Scene
from shoal.attacks.words import share
from shoal.domains.axis import Span
from shoal.domains.hierarchy import Hierarchy
from shoal.kernels.nearest_rows import RowCells, RowTree
from shoal.measures.statistics.sampling import sampled_rows


@dataclass(frozen=True)
class Downcoding:
    """A person is described as "in the cells of this class, and below this child of the node that it shows".

    A method that generalizes only where it must shows the lowest node above all values of a class, so that people are
    below at least two of its children: each child divides the class, and is often true of one person alone. The rate is
    the share of children of shown nodes that isolate exactly one person in the release, in the column where that is
    most often so; the control is the share that isolates one of those who are not. Columns that are at one level for
    all records (``full-domain``) tell less by their nodes.

    References
    ----------
    A. Cohen: Attacks on deidentification's defenses, USENIX Security 2022, doi:10.48550/arXiv.2202.13470.
    """

    name: ClassVar[str] = "downcoding"

    def lacks(self, scene: Scene) -> str | None:
        """Say what would have to be known."""
        return None if _parts(scene) else "no cell of the release is a node of a hierarchy (--hierarchy)"

    def successes(self, scene: Scene) -> tuple[Success, ...]:
        """Describe people by the children of nodes, and count who is described."""
        trees = scene.trees_of_people
        found = {name: _tried(scene, trees, *parts) for name, parts in _parts(scene).items()}
        column, (tried, sampled, inside, outside) = max(found.items(), key=lambda each: each[1][2] / each[1][0])
        rate = Rate(inside / tried, tried if sampled else None)
        control = None if outside is None else Rate(outside / tried, tried if sampled else None)
        columns: dict[str, Any] = {
            name: {"children": number, "isolating": hits} for name, (number, _, hits, _) in found.items()
        }
        sentence = f"{share(rate.value)} of the children of nodes of {column} hold one person of the class alone"
        rest = "." if control is None else f", and {share(control.value)} one who is not in the release."
        return (Success.of("downcoding", rate, control, f"{sentence}{rest}", {"column": column, "columns": columns}),)


def _parts(scene: Scene) -> dict[str, tuple[RowCells, int, Integers, Floats, Floats]]:
    """Give, for each column with a hierarchy, the classes that show a node, and both ends of each child of it."""
    boxes = scene.rows.by(scene.quasi)[0]
    boxes = boxes.taken(sampled_rows(boxes.kinds, scene.most, scene.seed))
    cells, found = scene.cells(boxes), {}
    for j, name in enumerate(scene.quasi):
        tree = scene.original.schema[name].axis.tree
        if tree is None:
            continue
        children: dict[Span, list[Span]] = {}
        rows, low, high = list[int](), list[int](), list[int]()
        whole = (0, len(tree.levels) - 1)
        for row, (a, b) in enumerate(zip(cells.lo[:, j].tolist(), cells.hi[:, j].tolist(), strict=True)):
            span = whole if np.isinf(a) else None if np.isnan(a) else (int(a), int(b))
            if span is None or span[0] == span[1]:
                continue
            if span not in children:
                children[span] = _children(tree, span)
            rows += [row] * len(children[span])
            low += [child[0] for child in children[span]]
            high += [child[1] for child in children[span]]
        if rows:
            found[name] = cells, j, np.array(rows), np.array(low, np.float64), np.array(high, np.float64)
    return found


def _children(tree: Hierarchy, span: Span) -> list[Span]:
    """Give the highest nodes below a node."""
    below = [each for each in tree.nodes if span[0] <= each[0] and each[1] <= span[1] and each != span]
    below.sort(key=lambda each: (each[0], -each[1]))
    found: list[Span] = []
    for each in below:
        if not found or each[0] > found[-1][1]:
            found.append(each)
    return found


def _tried(
    scene: Scene,
    trees: tuple[RowTree, RowTree | None],
    cells: RowCells,
    j: int,
    rows: Integers,
    low: Floats,
    high: Floats,
) -> tuple[int, bool, int, int | None]:
    """Count children of nodes, and those that hold one person of the class alone, inside and outside of the release."""
    chosen = sampled_rows(rows.size, scene.most, scene.seed)
    asked = cells.taken(rows[chosen])
    lo, hi = asked.lo.copy(), asked.hi.copy()
    lo[:, j], hi[:, j] = low[chosen], high[chosen]

    def isolating(tree: RowTree | None) -> int | None:
        if tree is None:
            return None
        fits = tree.within(RowCells(lo, hi, asked.sets), np.zeros(chosen.size), most=2)
        return int(np.count_nonzero(fits == 1))

    inside = isolating(trees[0])
    assert inside is not None
    return chosen.size, chosen.size < rows.size, inside, isolating(trees[1])
