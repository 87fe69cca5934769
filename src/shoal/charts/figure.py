"""Figures: a drawing with its title, its description and the rows behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from shoal.charts.lettering import clean, escape, wrap
from shoal.charts.numerals import Format, finite
from shoal.charts.style import resolved, style
from shoal.languages import _

FigureRow = Mapping[str, Any]


class FigureColumn(NamedTuple):
    """A column of the data behind a figure: its name in the rows, its heading, and how its numbers are written."""

    name: str
    heading: str
    format: Format | None = None


@dataclass(frozen=True)
class Figure:
    """A drawing and what is needed to read it without seeing it.

    Parameters
    ----------
    svg
        The drawing, for a page that has the CSS of `shoal.charts.style`.
    title
        What the figure shows, in one line.
    description
        What there is to see, for those who do not see the drawing.
    rows
        The data that were drawn, one mark each.
    columns
        The columns of the rows in the order of the table.
    width, height
        The size of the drawing in pixels.
    """

    svg: str
    title: str
    description: str
    rows: tuple[FigureRow, ...]
    columns: tuple[FigureColumn, ...]
    width: float
    height: float

    def html(self, *, number: int | None = None, narrow: Figure | None = None) -> str:
        """Give the figure for a page: its title, what there is to see, the drawing, and the table behind it.

        Another drawing of the same rows, for narrow screens, takes the place of the drawing there.
        """
        drawn = self.svg
        if narrow is not None:
            drawn = f'<div class="shoal-roomy">{drawn}</div>\n<div class="shoal-narrow">{narrow.svg}</div>'
        before = "" if number is None else _("Figure %(number)s. ", number=number)
        summary = _("The numbers behind this figure")
        table = f"<details>\n<summary>{summary}</summary>\n{self.table()}\n</details>\n" if self.rows else ""
        return (
            f'<figure class="shoal-figure">\n<figcaption><strong>{before}{escape(self.title)}</strong> '
            f"<span>{escape(self.description)}</span></figcaption>\n{drawn}\n{table}</figure>"
        )

    def table(self) -> str:
        """Give the rows as an HTML table."""
        kinds = {column: self._kind(column) for column in self.columns}
        heads = "".join(f'<th scope="col"{kind}>{escape(column.heading)}</th>' for column, kind in kinds.items())
        lines = "".join(f"<tr>{self._cells(row, kinds)}</tr>\n" for row in self.rows)
        return (
            f"<table>\n<caption>{escape(self.title)}</caption>\n"
            f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{lines}</tbody>\n</table>"
        )

    def svg_document(self) -> str:
        """Give the drawing as a file of its own, with its title written above it and its colours put in."""
        lines = wrap(self.title, self.width - 24, 15, lines=3, bold=True)
        above = 20 * len(lines) + 14
        texts = "".join(
            f'<text class="strong" x="12" y="{20 * place + 24}" font-size="15">{escape(line)}</text>\n'
            for place, line in enumerate(lines)
        )
        size = f'width="{self.width:g}" height="{self.height + above:g}"'
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<svg xmlns="http://www.w3.org/2000/svg" class="shoal-chart" '
            f'viewBox="0 0 {self.width:g} {self.height + above:g}" {size}>\n'
            f"<title>{escape(self.title)}</title>\n<style>\n{resolved()}</style>\n"
            f'<rect class="paper" {size}/>\n{texts}{self.svg.replace("<svg ", f"""<svg y="{above}" """, 1)}\n</svg>\n'
        )

    def _repr_html_(self) -> str:
        """Show the figure in a notebook, which has no style of ours."""
        return f"<style>\n{style()}</style>\n{self.html()}"

    def _kind(self, column: FigureColumn) -> str:
        """Align numbers at their ends, also those that stand for themselves, such as k."""
        values = [row.get(column.name) for row in self.rows]
        plain = bool(values) and all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
        return ' class="number"' if column.format is not None or plain else ""

    def _cells(self, row: FigureRow, kinds: Mapping[FigureColumn, str]) -> str:
        cells = []
        for place, column in enumerate(self.columns):
            value = row.get(column.name)
            text = escape(clean(value) if column.format is None else column.format.exact(finite(value)))
            kind = 'th scope="row"' if place == 0 else "td"
            direction = kinds[column] or ' dir="auto"'
            cells.append(f"<{kind}{direction}>{text}</{kind[:2]}>")
        return "".join(cells)


def copied(rows: Sequence[FigureRow]) -> tuple[FigureRow, ...]:
    """Keep rows as they were when they were drawn."""
    return tuple(dict(row) for row in rows)
