"""The risk-utility map: candidates by what they lose and what risk they leave.

Such maps were proposed by Duncan, Keller-McNulty and Stokes: Disclosure risk vs. data utility: the R-U confidentiality
map. Technical report, National Institute of Statistical Sciences, 2001.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Unpack

from shoal.charts.axes import Swatch, baseline, below, caption, horizontal, label_room, legend, vertical
from shoal.charts.figure import Figure, FigureColumn, FigureRow
from shoal.charts.frame import Frame, Framing, titled
from shoal.charts.lettering import SIZE, clean, shorten
from shoal.charts.lettering import width as text_width
from shoal.charts.numerals import Format, finite
from shoal.charts.palette import GroupLook, Palette, looks
from shoal.charts.points import Point, draw_frontiers, frontiers, write_names
from shoal.charts.scales import Domain, Scale, even, ratios
from shoal.charts.sheet import MARGIN, Box, Sheet
from shoal.charts.tidy import distinct, need, present
from shoal.languages import _

_SAFE_LINK = re.compile(r"(https?://|/(?!/)|#|\?|\./)", re.IGNORECASE)


def risk_utility_map(
    rows: Sequence[FigureRow],
    *,
    x: str,
    y: str,
    label: str | None = None,
    tip: str | None = None,
    group: str | None = None,
    palette: Palette | None = None,
    percent_x: bool = False,
    log_x: bool = False,
    frontier: bool | str = False,
    focus: bool = False,
    estimated: str | None = None,
    errors: tuple[str, str] | None = None,
    errors_y: tuple[str, str] | None = None,
    chosen: str | None = None,
    limit: tuple[float, str] | None = None,
    link: str | None = None,
    data: Sequence[str] = (),
    **frame: Unpack[Framing],
) -> Figure:
    """Draw candidates as points: the lower the safer, the further to the left the more useful.

    Parameters
    ----------
    rows
        One row per candidate.
    x, y
        The columns of loss and risk.
    label, tip
        The columns of names, which are written beside points where there are any, and of what is said of points.
    group, palette
        The column of groups, and the looks of those that have a look of their own.
    percent_x, log_x
        The losses are shares, to be written in percent; equal ratios of them are equally far apart.
    frontier
        Join the candidates that no other beats in both respects: all of them, or those with equal cells in a column.
        What is estimated is never joined with what is exact.
    focus
        Show only the part of the map in which the frontier and the chosen candidate lie.
    estimated, errors, errors_y
        The column that is true of estimates, which are drawn hollow, and those of the lowest and highest loss, and of
        the lowest and highest risk, that may be theirs.
    chosen
        The name of the candidate that was chosen.
    limit
        The highest acceptable risk, and a text: the part of the figure below it is shaded.
    link, data
        The column of addresses that points lead to, and columns that become ``data-`` attributes of points.
    **frame
        What is said of the figure as a whole: see `Frame`. Risks are written in percent unless it says otherwise.

    Examples
    --------
    >>> figure = risk_utility_map([{"loss": 0.2, "risk": 0.05, "name": "k = 5"}], x="loss", y="risk", label="name",
    ...                           title="The choice", description="One candidate.", data=["name"])
    >>> 'data-name="k = 5"' in figure.svg
    True
    """
    need(rows, x, y, label, tip, group, estimated, link, *data)
    about = Frame.of(frame, x_label="information loss", y_label="risk", percent=True, height=340)
    sheet, form, form_x = about.sheet(), about.form, Format(percent=percent_x)
    said = (FigureColumn(tip, "candidate"),) if tip else (FigureColumn(label, label),) if label else ()
    columns = [*said, *([FigureColumn(group, group)] if group and group != label else [])]
    columns += [FigureColumn(x, about.x_label or x, form_x), FigureColumn(y, about.y_label or y, form)]
    drawn = [row for row in rows if finite(row.get(x)) is not None and finite(row.get(y)) is not None]
    missing = len(rows) - len(drawn)
    if not drawn:
        return sheet.figure(_noted(sheet, sheet.nothing(), missing, 0, 0) + MARGIN, rows, columns)
    groups = distinct(drawn, group)  # also of those out of view: colours and legend do not change with it
    group_looks = dict(zip(groups, looks(groups, palette), strict=True))
    lines = _frontiers(drawn, (x, y), frontier, estimated) if frontier else []
    selected = clean(chosen) if chosen is not None else None
    kept = list(range(len(drawn)))
    if focus and lines:
        must = {number for line in lines for number in line}
        must |= {number for number in kept if _name(drawn[number], label) == selected != ""}
        kept = _in_view(drawn, (x, y), must)
    seen = [drawn[number] for number in kept]
    losses = present(finite(row.get(column)) for row in seen for column in (x, *(errors or ())))
    risks = present(finite(row.get(column)) for row in seen for column in (y, *(errors_y or ())))
    limit = limit if limit and (not focus or min(risks) <= limit[0] <= max(risks)) else None
    heights = [*risks, *present([finite(limit[0])] if limit else [])]
    domains = _domain(losses, form_x, log_x, zero=not focus), _domain(heights, form, about.log)
    room = sheet.width - 2 * MARGIN
    top = MARGIN if group is None else legend(sheet, _samples(sheet, group_looks), MARGIN, MARGIN, room)
    top = caption(sheet, titled(about.y_label, domains[1], about.unit), MARGIN, top, room) + 12
    box = Box(MARGIN + label_room(domains[1]), top, sheet.width - MARGIN - 16, top + about.height)
    across, up = domains[0].on(box.left + 10, box.right - 4), domains[1].on(box.bottom, box.top)
    if limit:
        sheet.rect(Box(box.left, up(limit[0]), box.right, box.bottom), "zone")
    vertical(sheet, up, box)
    taken = [_limit(sheet, up(limit[0]), limit[1], box)] if limit else []
    baseline(sheet, box, box.bottom)
    bottom = horizontal(sheet, across, box)
    maker = _Points(
        about, form, form_x, (x, y), label, tip, group, group_looks, estimated, errors, errors_y, link, data, selected
    )
    points = [maker.point(row, across, up) for row in seen]
    index = {number: place for place, number in enumerate(kept)}
    avoid = draw_frontiers(sheet, points, [[index[number] for number in line if number in index] for line in lines])
    for point in sorted(points, key=lambda point: (point.selected, point.name != "")):
        point.draw(sheet)
    avoid += [Box(x1, y1 - 4, x2, y2 + 4) for point in points for x1, y1, x2, y2 in point.errors]
    avoid += [Box(box.left, up(limit[0]) - 1, box.right, up(limit[0]) + 1)] if limit else []
    nameless = write_names(sheet, points, box, taken, avoid)
    bottom = below(sheet, titled(about.x_label, domains[0]), box, bottom)
    return sheet.figure(_noted(sheet, bottom, missing, nameless, len(drawn) - len(seen)) + MARGIN, rows, columns)


def _frontiers(
    rows: Sequence[FigureRow], axes: tuple[str, str], frontier: bool | str, estimated: str | None
) -> list[list[int]]:
    """Give the unbeaten candidates of each kind; exact ones and estimates are never of one kind."""
    column = frontier if isinstance(frontier, str) else None
    kinds = [f"{row.get(column) if column else ''} {bool(estimated and row.get(estimated))}" for row in rows]
    return list(frontiers(kinds, [(float(row[axes[0]]), float(row[axes[1]])) for row in rows]).values())


def _in_view(rows: Sequence[FigureRow], axes: tuple[str, str], must: set[int]) -> list[int]:
    """Give the candidates in the smallest part of the map that shows some of them, with a tenth of room around."""
    limits = []
    for axis in axes:
        values = [float(rows[number][axis]) for number in must]
        room = 0.1 * (max(values) - min(values))
        limits.append((min(values) - room, max(values) + room))
    return [
        number
        for number, row in enumerate(rows)
        if all(low <= float(row[axis]) <= high for axis, (low, high) in zip(axes, limits, strict=True))
    ]


@dataclass(frozen=True)
class _Points:
    """How rows become points."""

    about: Frame
    form: Format
    form_x: Format
    axes: tuple[str, str]
    label: str | None
    tip: str | None
    group: str | None
    looks: dict[str, GroupLook]
    estimated: str | None
    errors: tuple[str, str] | None
    errors_y: tuple[str, str] | None
    link: str | None
    data: Sequence[str]
    selected: str | None

    def point(self, row: FigureRow, across: Scale, up: Scale) -> Point:
        loss, risk = float(row[self.axes[0]]), float(row[self.axes[1]])
        name, x, y = _name(row, self.label), across(loss), up(risk)
        said = clean(row.get(self.tip)) if self.tip else ""
        aside, above = self._ends(row, self.errors), self._ends(row, self.errors_y)
        return Point(
            x,
            y,
            self.looks[clean(row.get(self.group)) if self.group else ""],
            name,
            said
            or f"{name or 'candidate'}: {self.about.x_label} {self.form_x.exact(loss)}, "
            f"{self.about.y_label} {self.form.exact(risk)}",
            errors=(
                *((across(low), y, across(high), y) for low, high in aside),
                *((x, up(low), x, up(high)) for low, high in above),
            ),
            estimated=bool(self.estimated and row.get(self.estimated)),
            selected=name != "" and name == self.selected,
            link=_address(row.get(self.link)) if self.link else "",
            data={_attribute(column): clean(row.get(column)) for column in self.data},
        )

    def _ends(self, row: FigureRow, columns: tuple[str, str] | None) -> list[tuple[float, float]]:
        """Give both ends of an error bar, if there is one."""
        ends = present(finite(row.get(column)) for column in columns or ())
        return [(min(ends), max(ends))] if len(ends) == 2 else []


def _domain(values: Sequence[float], form: Format, log: bool, *, zero: bool = True) -> Domain:
    return ratios(values, form) if log else even(values, form, zero=zero)


def _name(row: FigureRow, label: str | None) -> str:
    value = None if label is None else row.get(label)
    return "" if value is None or value != value or value == "" else clean(value)  # noqa: PLR0124 - NaN


def _samples(sheet: Sheet, known: dict[str, GroupLook]) -> list[tuple[str, Swatch]]:
    def sample(look: GroupLook) -> Swatch:
        return lambda x, y: sheet.marker(x + 8, y + 6.5, look.shape, look.hue, radius=5)

    return [(name, sample(look)) for name, look in known.items()]


def _limit(sheet: Sheet, y: float, text: str, box: Box) -> Box:
    """Draw the line that ends what is acceptable, with its name at the right, where candidates are few."""
    sheet.line(box.left, y, box.right, y, "mark")
    shown = shorten(text, box.width - 12, bold=True)
    x = box.right - 6 - text_width(shown, bold=True)
    return sheet.text(x, y - 6 if y - SIZE - 8 > box.top else y + 16, shown, kind="strong halo", full=text)


def _noted(sheet: Sheet, top: float, missing: int, nameless: int, outside: int) -> float:
    """Say below the figure what it does not show."""
    notes = []
    if missing:
        notes.append(_("Not drawn for want of a number: %(count)s.", count=missing))
    if nameless:
        notes.append(_("Names left out for want of room: %(count)s.", count=nameless))
    if outside:
        notes.append(_("Outside this part of the map: %(count)s.", count=outside))
    for note in notes:
        sheet.text(MARGIN, top + 16, note, kind="muted")
        top += 18
    return top


def _address(value: object) -> str:
    """Give an address that a point may lead to. Anything that could run as a program is dropped."""
    text = "" if value is None else clean(value)
    return text if _SAFE_LINK.match(text) else ""


def _attribute(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "value"
