"""Grids of coloured cells with their numbers, which heat maps and correlation matrices are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from shoal.charts.axes import Names
from shoal.charts.lettering import SIZE, shorten, width
from shoal.charts.numerals import Format
from shoal.charts.sheet import Box, Sheet
from shoal.charts.style import ARMS, STEPS
from shoal.charts.tidy import Numbers

Shade = Callable[[float], str | None]
CellText = Callable[[tuple[str, str]], str]
_LABEL = 11.0


@dataclass(frozen=True)
class Grid:
    """Cells of two sets of names, coloured by their numbers.

    Parameters
    ----------
    across, down
        The names of the columns and of the rows of cells.
    found
        The numbers by name of column and of row.
    form
        How they are written.
    shade
        The colour of a number, by its class; None leaves the cell without one.
    texts
        What is written into cells instead of their numbers.
    framed
        A cell that has a line around it.
    """

    across: Sequence[str]
    down: Sequence[str]
    found: Numbers
    form: Format
    shade: Shade
    texts: Mapping[tuple[str, str], str] = field(default_factory=dict)
    framed: tuple[str, str] | None = None

    def draw(self, sheet: Sheet, box: Box, *, names_left: bool = True) -> float:
        """Draw the cells in a box, their names to the left of it and below it, and give where they end."""
        wide, high = box.width / len(self.across), box.height / len(self.down)
        write = self._writer(wide, high)
        frame = None
        for row, second in enumerate(self.down):
            middle = box.top + high * (row + 0.5)
            if names_left and (high >= SIZE or row % (1 + int(SIZE / high)) == 0):
                text = shorten(second, box.left - 14)
                sheet.text(box.left - 8, middle + 0.35 * SIZE, text, kind="tick", anchor="end", full=second)
            for column, first in enumerate(self.across):
                left = box.left + wide * column
                cell = Box(left + 0.75, middle - high / 2 + 0.75, left + wide - 0.75, middle + high / 2 - 0.75)
                self._cell(sheet, cell, first, second, write)
                frame = cell if (first, second) == self.framed else frame
        if frame is not None:
            sheet.frame(frame)
        centres = [box.left + wide * (column + 0.5) for column in range(len(self.across))]
        return Names(self.across, centres, wide).draw(sheet, box.bottom - 2)

    def _cell(self, sheet: Sheet, cell: Box, first: str, second: str, write: CellText) -> None:
        if (first, second) not in self.found:
            return  # a pair that is not in the figure is no missing number
        value = self.found[first, second]
        shade = None if value is None else self.shade(value)
        if shade is not None:
            sheet.rect(cell, shade, tip=f"{first}, {second}: {self.form.exact(value)}", round_by=1.5)
        if text := write((first, second)):
            kind = "muted" if shade is None else f"on-{shade}"
            x, y = (cell.left + cell.right) / 2, (cell.top + cell.bottom) / 2 + 0.35 * _LABEL
            sheet.text(x, y, text, kind=kind, anchor="middle", size=_LABEL)

    def _writer(self, wide: float, high: float) -> CellText:
        """Choose how numbers are written so that all fit into their cells: in full, shortened, or not at all."""
        for way in (self.form, self.form.short, self._bare):
            write = self._written(way)
            if high >= _LABEL + 3 and all(width(write(place), _LABEL) <= wide - 5 for place in self.found):
                return write
        return lambda _: ""

    def _bare(self, value: float | None) -> str:
        return self.form.short(value).rstrip("%").replace(" ", "")  # the legend says that it is percent

    def _written(self, way: Callable[[float | None], str]) -> CellText:
        return lambda place: self.texts.get(place) or way(self.found[place])


def sequential(edges: Sequence[float], *, log: bool = False) -> Shade:
    """Give the colours of numbers by the two edges that they lie between; the last is always the darkest.

    On a logarithmic scale zero lies below every edge, and has no colour.
    """
    bins = len(edges) - 1

    def shade(value: float) -> str | None:
        if log and value <= 0:
            return None
        place = sum(value >= edge for edge in edges[1:-1])
        return f"seq{step(place, bins)}"

    return shade


def step(place: int, bins: int) -> int:
    """Spread so many bins over the steps of the sequential scale."""
    return STEPS if bins == 1 else 1 + round(place * (STEPS - 1) / (bins - 1))


def diverging(limit: float) -> Shade:
    """Give the colours of numbers by how far they are from zero, at most a limit, and in which direction."""

    def shade(value: float) -> str:
        arm = min(ARMS, round(abs(value) / limit * ARMS))
        return "mid" if arm == 0 else f"{'low' if value < 0 else 'high'}{arm}"

    return shade


def scale_legend(sheet: Sheet, edges: Sequence[float], texts: Sequence[str], left: float, top: float) -> float:
    """Draw the colours of a sequential scale with the numbers at their edges, and give where they end."""
    bins = len(edges) - 1
    wide = _swatch(texts)
    first = left + width(texts[0]) / 2
    for place in range(bins):
        x = first + wide * place
        sheet.rect(Box(x, top, x + wide - 1, top + 12), f"seq{step(place, bins)}")
    for place, text in enumerate(texts):
        sheet.text(first + wide * place, top + 26, text, kind="tick", anchor="middle")
    return top + 36


def scale_room(texts: Sequence[str]) -> float:
    """Give how wide the legend of a sequential scale is."""
    return _swatch(texts) * (len(texts) - 1) + max(map(width, texts))


def _swatch(texts: Sequence[str]) -> float:
    return max(44.0, max(map(width, texts)) + 8)


def diverging_room(limit: float) -> float:
    """Give how wide the legend of a diverging scale is."""
    return 18.0 * 2 * ARMS + max(18.0, width(Format(signed=True).short(limit)))


def diverging_legend(sheet: Sheet, limit: float, left: float, top: float) -> float:
    """Draw the colours of a diverging scale with the numbers of its ends and its middle, and give where they end."""
    texts = Format(signed=True).short
    first = left + width(texts(-limit)) / 2
    for place in range(-ARMS, ARMS + 1):
        x = first + 18 * (place + ARMS)
        kind = "mid" if place == 0 else f"{'low' if place < 0 else 'high'}{abs(place)}"
        sheet.rect(Box(x - 8, top, x + 9, top + 12), kind)
    for place, value in ((0, -limit), (ARMS, 0.0), (2 * ARMS, limit)):
        sheet.text(first + 18 * place, top + 26, texts(value), kind="tick", anchor="middle")
    return top + 36
