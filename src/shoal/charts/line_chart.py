"""Lines: how numbers change along an axis, with a line for each group and its name beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Unpack

from shoal.charts.axes import (
    Names,
    baseline,
    below,
    caption,
    horizontal,
    label_room,
    level_mark,
    upright_mark,
    vertical,
)
from shoal.charts.figure import Figure, FigureRow
from shoal.charts.frame import Frame, Framing, titled
from shoal.charts.lettering import SIZE, clean, shorten, tell_apart
from shoal.charts.lettering import width as text_width
from shoal.charts.numerals import GAP, Format, finite
from shoal.charts.palette import GroupLook, Palette, looks
from shoal.charts.scales import Domain, Scale, even, ratios, within
from shoal.charts.sheet import MARGIN, Box, Sheet
from shoal.charts.tidy import Numbers, distinct, need, numbers, present
from shoal.languages import _

_MARKERS = 24  # a line with more points shows only some of them
_NAME_STEP = 16.0


def lines(
    rows: Sequence[FigureRow],
    *,
    x: str,
    y: str,
    group: str | None = None,
    log_x: bool = False,
    step: bool = False,
    zero: bool = True,
    mark: tuple[object, str] | None = None,
    limit: tuple[float, str] | None = None,
    dots: Sequence[FigureRow] = (),
    markers: bool = True,
    estimated: str | None = None,
    palette: Palette | None = None,
    **frame: Unpack[Framing],
) -> Figure:
    """Draw a line through the numbers of each group. A missing number is a gap, and is never bridged.

    Parameters
    ----------
    rows
        One row per value and group.
    x, y, group
        The columns of the values, of the numbers, and of the groups if there are any. If all values are numbers, they
        lie along the axis as numbers do; else they follow each other as they come.
    log_x
        Equal ratios are equally far apart sidewards, too.
    step
        A number holds until the next value.
    zero
        The vertical axis begins at zero.
    mark
        A value and a text: a dashed line with this text stands at the value.
    limit
        A number and a text: a dashed line with this text lies at the height of the number.
    dots
        Rows of the same columns that are faint dots behind the lines, such as the cases that a line is the mean of.
    markers
        Show where the numbers lie along a line. Lines of many numbers are smoother without.
    estimated
        The column that is true of estimates. They are hollow points with a dashed line of their own: no line joins an
        estimate with an exact number.
    palette
        The looks of groups that have a look of their own.
    **frame
        What is said of the figure as a whole: see `Frame`.

    Examples
    --------
    >>> figure = lines([{"k": 2, "loss": 0.12}, {"k": 5, "loss": 0.2}], x="k", y="loss", percent=True,
    ...                title="What k costs", description="Loss grows with k.")
    >>> figure.columns[1].heading
    'loss'
    """
    need(rows, x, y, group, estimated)
    about = Frame.of(frame, height=260)
    sheet, form, columns = about.sheet(), about.form, about.columns(x, y, group)
    if not rows:
        return sheet.figure(sheet.nothing(), rows, columns)
    every = [*rows, *dots]
    names, groups, found = distinct(every, x), distinct(rows, group), numbers(rows, x, group, y)
    heights = present([*found.values(), *(finite(row.get(y)) for row in dots), finite(limit[0]) if limit else None])
    domain = ratios(heights, form) if about.log else even(heights, form, zero=zero)
    beside = max((text_width(shorten(name, 0.26 * sheet.width), bold=True) for name in groups), default=0.0)
    right = sheet.width - MARGIN - (beside + 22 if group is not None else 0.0)
    left = MARGIN + label_room(domain)
    top = caption(sheet, titled(about.y_label, domain, about.unit), MARGIN, MARGIN, sheet.width - 2 * MARGIN)
    top += 22 if mark else 12
    box = Box(left, top, right, top + max(about.height, _NAME_STEP * len(groups)))
    scale = domain.on(box.bottom, box.top)
    vertical(sheet, scale, box)
    baseline(sheet, box, scale(0.0) if domain.low <= 0 <= domain.high else box.bottom)
    places, bottom = _along(sheet, every, x, names, box, log_x)
    guesses = frozenset(
        (clean(row.get(x)), clean(row.get(group)) if group else "") for row in rows if estimated and row.get(estimated)
    )
    group_looks = looks(groups, palette)
    chart = _Lines(sheet, box, scale, places, form, found, step, markers, guesses)
    chart.dots([(clean(row.get(x)), clean(row.get(group)) if group else "", finite(row.get(y))) for row in dots])
    chart.gaps(groups)
    ends = [chart.line(look, name) for look, name in zip(group_looks, groups, strict=True)]
    if mark and clean(mark[0]) in places:
        upright_mark(sheet, places[clean(mark[0])], mark[1], box)
    if limit:
        level_mark(sheet, scale(limit[0]), limit[1], box)
    if group is not None:
        _beside(sheet, groups, ends, box, group_looks)
    note = _("%(name)s (log scale)", name=about.x_label) if log_x and about.x_label else about.x_label
    return sheet.figure(below(sheet, note, box, bottom) + MARGIN, every, columns)


def _along(
    sheet: Sheet, rows: Sequence[FigureRow], x: str, names: Sequence[str], box: Box, log: bool
) -> tuple[dict[str, float], float]:
    """Draw the horizontal axis, and give the place of each value and where the axis ends."""
    values = {clean(row.get(x)): None if isinstance(row.get(x), bool) else finite(row.get(x)) for row in rows}
    known = present(values.values())
    if len(known) < len(values):
        slot = box.width / len(names)
        centres = [box.left + slot * (number + 0.5) for number in range(len(names))]
        return dict(zip(names, centres, strict=True)), Names(names, centres, slot).draw(sheet, box.bottom)
    form = Format()
    domain: Domain = (
        ratios(known, form, most=max(1, int(box.width / 70))) if log else within(known, form, box.width - 16)
    )
    scale: Scale = domain.on(box.left + 8, box.right - 8)
    return {name: scale(value) for name, value in values.items() if value is not None}, horizontal(sheet, scale, box)


@dataclass(frozen=True)
class _Lines:
    """The lines of a figure, drawn one after the other."""

    sheet: Sheet
    box: Box
    scale: Scale
    places: dict[str, float]
    form: Format
    found: Numbers
    step: bool
    markers: bool
    guesses: Container[tuple[str, str]] = ()

    def line(self, look: GroupLook, group: str) -> float | None:
        """Draw one line, estimates by a line of their own, and give the height of its end."""
        guessed = self._part(look, group, estimated=True)
        exact = self._part(look, group, estimated=False)
        ends = [end for end in (guessed, exact) if end is not None]
        return max(ends)[1] if ends else None

    def _part(self, look: GroupLook, group: str, *, estimated: bool) -> tuple[float, float] | None:
        """Draw the exact or the estimated numbers of a group, and give where they end."""
        pieces: list[list[tuple[float, float, str]]] = [[]]
        for name, x in sorted(self.places.items(), key=lambda place: place[1]):
            if (name, group) not in self.found or ((name, group) in self.guesses) is not estimated:
                continue  # no row is no claim; a row without a number is a gap
            value = self.found[name, group]
            if value is None:
                pieces.append([])
            else:
                about = "≈ " if estimated else ""
                tip = f"{', '.join(part for part in (name, group) if part)}: {about}{self.form.exact(value)}"
                pieces[-1].append((x, self.scale(value), tip))
        drawn = [piece for piece in pieces if piece]
        for piece in drawn:
            corners = [(x, y) for x, y, _ in piece]
            dashes = "1 5" if estimated else look.dash
            self.sheet.path(_stairs(corners) if self.step else corners, f"line {look.pen}", dash=dashes)
        points = [point for piece in drawn for point in piece]
        every = max(1, -(-len(points) // _MARKERS))
        lonely = {piece[0] for piece in drawn if len(piece) == 1}
        last = len(points) - 1
        for place, point in enumerate(points):
            regular = place % every == 0 and (place == last or last - place >= every / 2)
            if (self.markers and (regular or place == last)) or point in lonely:
                kind = f"hollow {look.pen}" if estimated else f"rim {look.hue}"
                self.sheet.marker(point[0], point[1], look.shape, kind, tip=point[2])
        return points[-1][:2] if points else None

    def dots(self, cases: Sequence[tuple[str, str, float | None]]) -> None:
        """Draw single cases, those of one value a little apart sidewards, so that equal ones can be distinguished."""
        drawn: Counter[str] = Counter()
        for name, case, value in cases:
            if value is None:
                continue
            aside = (drawn[name] + 1) // 2 % 4 * (3.0 if drawn[name] % 2 else -3.0)
            drawn[name] += 1
            tip = f"{', '.join(part for part in (name, case) if part)}: {self.form.exact(value)}"
            self.sheet.marker(self.places[name] + aside, self.scale(value), 0, "faint", radius=2.5, tip=tip)

    def gaps(self, groups: Sequence[str]) -> None:
        """Write at the foot of the plot where numbers are missing, as far as there is room."""
        last = -1e9
        for name, x in sorted(self.places.items(), key=lambda place: place[1]):
            missing = [group for group in groups if self.found.get((name, group), 0.0) is None]
            half = text_width(GAP, 11) / 2
            if missing and x - half > last + 4:
                x = min(max(x, self.box.left + half), self.box.right - half)
                tip = f"{name}: no number" + (f" of {', '.join(missing)}" if missing != [""] else "")
                self.sheet.text(x, self.box.bottom - 5, GAP, kind="muted halo", anchor="middle", size=11, full=tip)
                last = x + half


def _stairs(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    steps = points[:1]
    for (_earlier, y), (x, after) in pairwise(points):
        steps += [(x, y), (x, after)]
    return steps


def _beside(
    sheet: Sheet, groups: Sequence[str], ends: Sequence[float | None], box: Box, group_looks: Sequence[GroupLook]
) -> None:
    """Write the name of each line at its end, moved up or down as far as needed so that none meets another."""
    wanted = sorted((box.bottom if end is None else end, number) for number, end in enumerate(ends))
    heights: list[float] = []
    for end, _number in wanted:
        heights.append(max(end, heights[-1] + _NAME_STEP if heights else box.top))
    lowest = box.bottom
    for place in range(len(heights) - 1, -1, -1):
        heights[place] = min(heights[place], lowest)
        lowest = heights[place] - _NAME_STEP
    room = sheet.width - box.right - 20
    names = [name if end is not None else f"{name}: {GAP}" for name, end in zip(groups, ends, strict=True)]
    shown = tell_apart(names, [room] * len(names), bold=True)
    for (end, number), y in zip(wanted, heights, strict=True):
        if abs(end - y) > 3 and ends[number] is not None:
            sheet.line(box.right - 3, end, box.right + 6, y, "leader")
        sheet.marker(box.right + 11, y, group_looks[number].shape, group_looks[number].hue, radius=3.5)
        sheet.text(box.right + 19, y + 0.35 * SIZE, shown[number], kind="strong", full=names[number])
