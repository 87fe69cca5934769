"""Pages: one HTML file with everything in it, made of sections, that needs no network and no script.

Texts are escaped unless they are `Html`, so that no name of a column can become a part of the page. A page can be read
in light and dark, on a narrow screen, without seeing it, and on A4.

>>> page = Page("A page", "What it is about.", [Section("First", "Some <text>.")])
>>> "<p>Some &lt;text&gt;.</p>" in page.html()
True
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from markupsafe import Markup

from shoal.assessment.risk_section import ShownTable
from shoal.atomic_files import OutputFile, all_or_none, refuse_overwriting
from shoal.charts import Figure, style
from shoal.charts.style import FONT
from shoal.errors import ParameterError
from shoal.report.look import page_colours
from shoal.report.rendering import block, templates

Html = Markup  # a text that is HTML already: its maker answers for what is in it


class Section:
    """A part of a page with a heading. Sections may stand within sections.

    Parameters
    ----------
    heading
        What it is called.
    *blocks
        What is in it: texts, which become paragraphs; `Html`; figures, which are numbered; sections.
    id
        The name by which links find it; made from the heading if left out.
    """

    def __init__(self, heading: str, *blocks: PageBlock | None, id: str = "") -> None:
        self.heading = heading
        self.blocks = tuple(block for block in blocks if block is not None)
        self.id = id or re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-") or "section"


PageBlock = str | Figure | Section


@dataclass(frozen=True)
class Page:
    """A page of sections.

    Parameters
    ----------
    title
        What the page is called.
    lead
        What comes before the first section: a text, or blocks.
    sections
        The sections. Those at the top are numbered and stand in the table of contents.
    footer
        What comes last: a text, or blocks.
    kicker
        A few words above the title, such as what kind of page it is.
    """

    title: str
    lead: str | Sequence[PageBlock]
    sections: Sequence[Section]
    footer: str | Sequence[PageBlock] = ()
    kicker: str = ""

    def html(self) -> str:
        """Give the whole page."""
        return (
            templates()
            .get_template("page.html")
            .render(
                page=replace(self, lead=_listed(self.lead), footer=_listed(self.footer)),
                names=_Names(),
                figure_number=count(1).__next__,
                style=style() + page_colours(),
                font=FONT,
            )
        )


class _Names(dict[Section, str]):
    """The ids of sections. Whichever is asked for first chooses first, and no other gets the same."""

    def __missing__(self, section: Section) -> str:
        name = section.id
        while name in ("content", *self.values()):
            name += "-more"
        self[section] = name
        return name


def _listed(blocks: str | Sequence[PageBlock]) -> Sequence[PageBlock]:
    return [blocks] if isinstance(blocks, str) else blocks


def code(text: str) -> Html:
    """Show a name or a value as it would be typed."""
    return block("code", text)


def named(names: Iterable[str]) -> Html:
    """List the names of columns in a sentence."""
    return block("columns", list(names))


def joined(*parts: object) -> Html:
    """Put texts and HTML together in one line.

    >>> joined("a < b, ", code("a"))
    Markup('a &lt; b, <code dir="auto">a</code>')
    """
    return Html().join(map(Html.escape, parts))


def paragraph(text: object) -> Html:
    """Give a paragraph.

    >>> paragraph("a < b")
    Markup('<p>a &lt; b</p>')
    """
    return block("paragraph", text)


def bullets(items: Iterable[object]) -> Html:
    """Give a list."""
    return block("bullets", items)


def facts(given: Mapping[str, object]) -> Html:
    """Give names with their values."""
    return block("facts", given)


def verdict(sentence: object, holds: bool, *more: object, plain: bool = False) -> Html:
    """Say what holds or does not hold, by a sign and by words, never by colour alone; plain has no colour at all."""
    return block("verdict", sentence, holds, more, plain)


def note(text: object) -> Html:
    """Give a paragraph that is set apart: what a reader must not overlook."""
    return block("note", text)


def listing(text: str, label: str) -> Html:
    """Show a text as it stands in a file, in a box that can be scrolled with the keyboard."""
    return block("listing", text, label)


def table(
    rows: Sequence[Mapping[str, Any]],
    columns: Mapping[str, str] | Sequence[str],
    caption: str,
    *,
    numeric: Collection[str] = (),
    empty: str = "–",
) -> Html:
    """Give a table whose first column names its rows.

    Parameters
    ----------
    rows
        The cells of each row by the name of their column. Numbers are written with separators.
    columns
        The names of the columns and what stands above them.
    caption
        What the table shows.
    numeric
        Columns that are aligned at their end though their cells are texts. Those that hold numbers always are.
    empty
        What stands where there is nothing.

    Examples
    --------
    >>> ">1,200</td>" in table([{"what": "records", "n": 1200}], ["what", "n"], "Size")
    True
    """
    heads = dict(columns) if isinstance(columns, Mapping) else {name: name for name in columns}
    numbers = [name in numeric or any(_is_number(row.get(name)) for row in rows) for name in heads]
    cells = [[empty if row.get(name) is None else _written(row[name]) for name in heads] for row in rows]
    return block("table", caption, heads.values(), cells, numbers)


def shown_table(grid: ShownTable) -> Html:
    """Give a small table of texts."""
    names = [str(place) for place in range(len(grid.head))]
    rows = [dict(zip(names, cells, strict=True)) for cells in grid.rows]
    return table(rows, dict(zip(names, grid.head, strict=True)), grid.title, numeric=names[1:])


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _written(value: object) -> object:
    return f"{value:,.4g}" if isinstance(value, float) else f"{value:,}" if _is_number(value) else value


def write_page(path: str | Path, html: str, needed: Iterable[str | Path] = (), *, overwrite: bool = False) -> None:
    """Write a page, or as PDF if its name ends so; it is there whole or not at all.

    Parameters
    ----------
    path
        Where to.
    html
        The page.
    needed
        Files that must not be overwritten.
    overwrite
        Whether another one that is there may be replaced.
    """
    target = Path(path)
    refuse_overwriting([target], map(Path, needed), overwrite=overwrite)
    content = rendered(html, target)
    with all_or_none([OutputFile(target, vacant=not overwrite)]) as (draft,):
        draft.write_bytes(content)


def usable(path: Path, needed: Iterable[Path] = (), *, overwrite: bool = False) -> None:
    """Refuse a name for a page that could not be written, before any work is done for it."""
    suffix = path.suffix.lower()
    if suffix not in (".html", ".htm", ".pdf"):
        raise ParameterError("A report is a page or a PDF.", "Give it a name that ends in .html or .pdf.")
    refuse_overwriting([path], needed, overwrite=overwrite)
    if suffix == ".pdf":
        from shoal.report.pdf import insist

        insist()


def rendered(html: str, path: Path) -> bytes:
    """Give the bytes of a page's file: PDF or HTML, as its name says."""
    if path.suffix.lower() == ".pdf":
        from shoal.report.pdf import pdf

        return pdf(html)
    return html.encode("utf-8")
