"""Labels of points: where each can stand without covering another label or a point."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from shoal.charts.lettering import SIZE, width
from shoal.charts.sheet import Box

_NEAR = (8.0, 14.0)
_FAR = (22.0, 32.0, 46.0, 64.0)
# To the right first, then left, above and below, then between: where readers look for a label.
_ANGLES = tuple(math.radians(angle) for angle in (0, 180, 270, 90, 315, 45, 225, 135, 292.5, 247.5, 67.5, 112.5))


def place_labels(
    points: Sequence[tuple[float, float]],
    texts: Sequence[str],
    within: Box,
    taken: Sequence[Box] = (),
    *,
    avoid: Sequence[Box] = (),
    bold: int | None = None,
    radius: float = 5.0,
) -> list[Box | None]:
    """Give a place for the label of each point, or None if there is none.

    Parameters
    ----------
    points, texts
        The points and their labels. A point without a label has an empty text; it is kept clear all the same.
    within, taken
        Where labels may stand, and which parts of it are in use.
    avoid
        What labels must not cover either, though the lines that lead to them may cross it.
    bold
        Which label is bold. It is placed first.
    radius
        How large the points are.
    """
    marks = [Box(x - radius, y - radius, x + radius, y + radius) for x, y in points]
    named = [mark for mark, text in zip(marks, texts, strict=True) if text]
    used = list(taken)
    found: list[Box | None] = [None] * len(points)
    for number in sorted(range(len(points)), key=lambda each: (each != bold, each)):
        if not texts[number]:
            continue
        size = width(texts[number], bold=number == bold), SIZE * 1.1
        larger = 4.0 if number == bold else 0.0
        others = [mark for mark in named if mark is not marks[number]]
        # Best is a place at hand. Rather than stand far off, a label covers points that have no label themselves.
        for distances, kept in ((_NEAR, marks), (_NEAR, named), (_FAR, marks), (_FAR, named)):
            for box in _around(points[number], size, [distance + larger for distance in distances], within):
                clear = not any(box.meets(other, 2.0) for other in used) and not any(map(box.meets, [*kept, *avoid]))
                if clear and not _crosses(points[number], box, [*used, *others]):
                    found[number] = box
                    break
            if found[number] is not None:
                used.append(box)
                break
    return found


def _around(
    point: tuple[float, float], size: tuple[float, float], distances: Sequence[float], within: Box
) -> Iterator[Box]:
    """Give the places around a point that lie within a part of the sheet, the nearest first."""
    for distance in distances:
        for angle in _ANGLES:
            box = _beside(point, size, distance, angle)
            if within.holds(box):
                yield box


def _crosses(point: tuple[float, float], box: Box, others: Sequence[Box]) -> bool:
    """Say whether the line from a point to its label runs over another label or another labelled point."""
    end = nearest(point, box)
    for step in range(1, 9):
        x, y = (point[axis] + (end[axis] - point[axis]) * step / 8 for axis in (0, 1))
        if any(other.left <= x <= other.right and other.top <= y <= other.bottom for other in others):
            return True
    return False


def nearest(point: tuple[float, float], box: Box) -> tuple[float, float]:
    """Give the place of a box that is nearest to a point."""
    return min(max(point[0], box.left), box.right), min(max(point[1], box.top), box.bottom)


def _beside(point: tuple[float, float], size: tuple[float, float], distance: float, angle: float) -> Box:
    """Give the box whose nearest edge or corner lies so far from a point, in a direction."""
    x, y = point[0] + distance * math.cos(angle), point[1] + distance * math.sin(angle)
    left = x - size[0] * (1 - math.cos(angle)) / 2
    top = y - size[1] * (1 - math.sin(angle)) / 2
    return Box(left, top, left + size[0], top + size[1])
