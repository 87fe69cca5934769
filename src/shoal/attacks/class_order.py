"""The order of classes, and of the rows in them: whether it tells which class people are in, or which row is theirs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats, Integers, Positions
from shoal.attacks import Success
from shoal.attacks.fitting_secrets import shows_single
from shoal.attacks.residual import Rate
from shoal.attacks.scene import Scene
from shoal.attacks.words import share
from shoal.kernels.grouping import label_rows, numbered
from shoal.kernels.nearest_rows import NOMINAL, RowCells, RowTree
from shoal.measures.statistics.sampling import sampled_rows
from shoal.table import Table


@dataclass(frozen=True)
class OrderOfClasses:
    """Rows that are written class by class, or kept their order within classes, tell more than their cells.

    *Class order*: if classes were cut from people sorted by a column and stand in that order, nobody in a class has a
    value below the lower end of a class before it, or above the upper end of one behind it. Ranges are narrowed in the
    columns in which classes can have been sorted in one direction and not in the other. The rate is the share of people
    of whom the right class alone is left, the control the share of whom it is alone by its cells. *Rows in classes*:
    who knows all quasi-identifiers of everybody, and the classes, sorts the people of each class by a column, and takes
    its rows one after the other for theirs. The rate is the share of secrets that are right, by the column and
    direction that does best, which may be luck, so it has an interval; the control is what a class shows. Rows in the
    order of their published cells, as a release is written, tell nothing by it.

    References
    ----------
    L. Sweeney: k-anonymity: a model for protecting privacy, IJUFKS 10(5), 2002, doi:10.1142/S0218488502001648
    ("unsorted matching").
    """

    name: ClassVar[str] = "class-order"

    def lacks(self, scene: Scene) -> str | None:
        """Say what would have to be known."""
        if scene.paired is None:
            return "which row belongs to whom is not known (--private, --same-order)"
        return None

    def successes(self, scene: Scene) -> tuple[Success, ...]:
        """Narrow classes by their order, and rows by theirs."""
        assert scene.paired is not None
        shown = scene.reordered or _as_written(scene.released)
        members = _Members.of(scene, scene.paired)
        found = [_classes(scene, scene.paired, members, shown=shown)]
        if scene.secret is not None and shows_single(scene):
            found.append(_rows(scene, scene.paired, members, shown=shown))
        return tuple(found)


_WAYS = {1: "ascending", -1: "descending"}
_NOTHING = "Rows stand in the order of their published cells, which tells nothing of the order that they had."


def _as_written(released: Table) -> bool:
    """Tell whether rows stand in the released order."""
    at = 0
    for numbers in released.in_released_order()[1]():
        if not np.array_equal(numbers, np.arange(at, at + numbers.size)):
            return False
        at += numbers.size
    return True


@dataclass(frozen=True, eq=False)
class _Members:
    """Which class each row of the file is in, and each person; classes are numbered as their rows come."""

    of_rows: Integers
    of_people: Integers
    first: Integers

    @classmethod
    def of(cls, scene: Scene, paired: Table) -> _Members:
        """Find the classes by their cells, which are the same among the rows of the file and among people."""
        every = np.arange(paired.rows)
        sides = [scene.placed(table, scene.quasi, every) for table in (scene.released, paired)]
        lo, hi = (_bits(np.concatenate([getattr(side, end) for side in sides])) for end in ("lo", "hi"))
        labels, number = label_rows(lo, hi, np.arange(lo.shape[1]))
        of_rows, of_people = labels[: every.size].astype(np.int64), labels[every.size :].astype(np.int64)
        first = np.empty(number, np.int64)
        first[of_rows[::-1]] = every[::-1]
        return cls(of_rows, of_people, first)


def _bits(ends: Floats) -> Positions:
    """Give numbers as whole ones, two for each, which are equal if they are; no value is one of them."""
    found: Positions = (np.nan_to_num(ends, nan=1e308, posinf=np.inf, neginf=-np.inf) + 0.0).view(np.int32)
    return found


def _classes(scene: Scene, paired: Table, members: _Members, *, shown: bool) -> Success:
    """Give the share of people of whom one class is left, the right one."""
    ground = scene.ground.among(scene.quasi)
    boxes = scene.placed(scene.released, scene.quasi, members.first)
    people = sampled_rows(paired.rows, scene.most, scene.seed)
    own = ground.points(scene.placed(scene.original, scene.quasi, people))
    place, number = members.of_people[people], members.first.size
    runs = 1 + int(np.count_nonzero(np.diff(members.of_rows)))
    telling = not shown and runs == number
    steps = [_step(boxes, j, kind) if telling else 0 for j, kind in enumerate(ground.kinds.tolist())]

    def alone(cells: RowCells) -> float:
        tree = RowTree(cells, ground.kinds, ground.scale)
        fits = tree.within(own, np.zeros(own.rows), most=2) == 1
        mine = ground.apart(cells.taken(place), own) == 0
        return float((fits & mine).mean())

    by_cells = alone(boxes)
    by_order = alone(_narrowed(boxes, steps)) if any(steps) else by_cells
    ways = {name: _WAYS[step] for name, step in zip(scene.quasi, steps, strict=True) if step}
    detail = {"classes": number, "sorted": ways}
    sentence = (
        f"By the order of classes the right one alone is left for {share(by_order)} of people, and by what they show "
        f"for {share(by_cells)}."
    )
    sampled = people.size if people.size < paired.rows else None
    rate, control = (Rate(each, sampled) for each in (by_order, by_cells))
    return Success.of("class order", rate, control, _NOTHING if shown else sentence, detail)


def _step(boxes: RowCells, j: int, kind: int) -> int:
    """Tell in which direction classes can have been sorted by a column: 1, -1, or 0 for both or neither."""
    lo, hi = boxes.lo[:, j], boxes.hi[:, j]
    if kind == NOMINAL or np.isnan(lo).any():
        return 0
    rising = bool((np.maximum.accumulate(lo) <= hi).all())
    falling = bool((np.minimum.accumulate(hi) >= lo).all())
    return int(rising) - int(falling)


def _narrowed(boxes: RowCells, steps: list[int]) -> RowCells:
    """Bound each class by those before and behind it."""
    lo, hi = boxes.lo.copy(), boxes.hi.copy()
    for j, step in enumerate(steps):
        if step:
            lo[::step, j] = np.maximum.accumulate(lo[::step, j])
            hi[::-step, j] = np.minimum.accumulate(hi[::-step, j])
    return RowCells(lo, hi, boxes.sets)


def _rows(scene: Scene, paired: Table, members: _Members, *, shown: bool) -> Success:
    """Give how often the rows of classes, one after the other, are those of their people in the order of a column."""
    assert scene.secret is not None
    every, known = np.arange(paired.rows), members.of_people
    rows = np.argsort(members.of_rows, kind="stable")
    cells = [scene.placed(table, (scene.secret,), every).lo[:, 0] for table in (scene.released, scene.original)]
    told, own = np.nan_to_num(cells[0], nan=1e308)[rows], np.nan_to_num(cells[1], nan=1e308)
    control = _shown(known, own)
    best, how = control, None
    for name in () if shown else scene.quasi:
        people = scene.ground.among((name,)).points(scene.placed(scene.original, (name,), every))
        values = np.nan_to_num(people.lo[:, 0], nan=-1e308)
        for step, way in _WAYS.items():
            right = _in_order(known, values * step, own, told)
            if right > best:
                best, how = right, f"{name}, {way}"
    detail = {"secret": scene.secret, "sorted": how}
    by = "any column" if how is None else how.split(", ")[0]
    sentence = (
        f"Who sorts the people of each class by {by} and takes its rows for theirs knows {scene.secret} of "
        f"{share(best)}, where classes show it of {share(control)}."
    )
    return Success.of(
        "rows in classes",
        Rate(best, None if how is None else paired.rows),
        Rate(control),
        _NOTHING if shown else sentence,
        detail,
    )


def _shown(known: Integers, own: Floats) -> float:
    """Give how likely the secret of a person is among those of the class."""
    secrets, places = numbered(own)
    pairs = numbered(known * secrets.size + places)[1]
    return float((np.bincount(pairs)[pairs] / np.bincount(known)[known]).mean())


def _in_order(known: Integers, values: Floats, own: Floats, told: Floats) -> float:
    """Give the share of people whose secret is that of the row in their place; who are equal share their rows."""
    order = np.lexsort((values, known))
    alike = np.ones(order.size, np.bool_)
    alike[1:] = (np.diff(known[order]) != 0) | (np.diff(values[order]) != 0)
    group = np.cumsum(alike) - 1
    secrets = np.unique(np.concatenate([own, told]), return_inverse=True)[1].reshape(-1)
    width = int(secrets.max()) + 1
    mine, theirs = group * width + secrets[order], group * width + secrets[order.size :]
    keys, counts = np.unique(theirs, return_counts=True)
    at = np.minimum(np.searchsorted(keys, mine), keys.size - 1)
    hits = np.where(keys[at] == mine, counts[at], 0) / np.bincount(group)[group]
    return float(hits.mean())
