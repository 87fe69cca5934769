"""Pages: one HTML file with everything in it, made of sections, that needs no network and no script.

Texts are escaped unless they are `Html`, so that no name of a column can become a part of the page. A page can be read
in light and dark, on a narrow screen, without seeing it, and on A4.

>>> page = Page("A page", "What it is about.", [Section("First", "Some <text>.")])
>>> "<p>Some &lt;text&gt;.</p>" in page.html()
True
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.atomic_files import Output, all_or_none, refuse_overwriting
from shoal.charts import Figure
from shoal.charts.lettering import escape
from shoal.errors import ParameterError
from shoal.report.look import page_style


class Html(str):
    """A text that is HTML already. Whoever makes one answers for what is in it."""

    __slots__ = ()


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

    def __init__(self, heading: str, *blocks: Block | None, id: str = "") -> None:
        self.heading = heading
        self.blocks = tuple(block for block in blocks if block is not None)
        self.id = id or re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-") or "section"


Block = str | Figure | Section


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
    lead: str | Sequence[Block]
    sections: Sequence[Section]
    footer: str | Sequence[Block] = ()
    kicker: str = ""

    def html(self) -> str:
        """Give the whole page."""
        writer = _Writer()
        body = [
            '<a class="skip" href="#content">Skip to the content</a>',
            "<header>",
            f'<p class="kicker">{escape(self.kicker)}</p>' if self.kicker else "",
            f"<h1>{escape(self.title)}</h1>",
            writer.blocks(_listed(self.lead)),
            "</header>",
            self._contents(writer),
            '<main id="content">',
            *(writer.section(section, number) for number, section in enumerate(self.sections, 1)),
            "</main>",
            f"<footer>{writer.blocks(_listed(self.footer))}</footer>" if self.footer else "",
        ]
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="color-scheme" content="light dark">\n'
            f"<title>{escape(self.title)}</title>\n<style>\n{page_style()}</style>\n</head>\n<body>\n"
            + "\n".join(filter(None, body))
            + "\n</body>\n</html>\n"
        )

    def _contents(self, writer: _Writer) -> str:
        names = [(writer.name(section), section.heading) for section in self.sections]
        items = "".join(f'<li><a href="#{name}">{escape(heading)}</a></li>\n' for name, heading in names)
        return f'<nav aria-label="Contents">\n<ol>\n{items}</ol>\n</nav>' if names else ""


class _Writer:
    """Writes blocks in their order, and counts figures and names as it goes."""

    def __init__(self) -> None:
        self._figures = 0
        self._names: dict[int, str] = {}  # by section, because two may have the same heading

    def name(self, section: Section) -> str:
        """Give the id of a section, which no other section of the page has."""
        if id(section) not in self._names:
            name, taken = section.id, {"content", *self._names.values()}
            while name in taken:
                name += "-more"
            self._names[id(section)] = name
        return self._names[id(section)]

    def section(self, section: Section, number: int | None = None, level: int = 2) -> str:
        name = self.name(section)
        before = f'<span class="number">{number}</span> ' if number is not None else ""
        return (
            f'<section aria-labelledby="{name}">\n<h{level} id="{name}">{before}{escape(section.heading)}</h{level}>\n'
            f"{self.blocks(section.blocks, level)}\n</section>"
        )

    def blocks(self, blocks: Iterable[Block], level: int = 2) -> str:
        return "\n".join(self._block(block, level) for block in blocks)

    def _block(self, block: Block, level: int) -> str:
        if isinstance(block, Section):
            return self.section(block, level=min(level + 1, 6))
        if isinstance(block, Figure):
            self._figures += 1
            return f'<div class="wide">{block.html(number=self._figures)}</div>'
        return block if isinstance(block, Html) else paragraph(block)


def _listed(blocks: str | Sequence[Block]) -> Sequence[Block]:
    return [blocks] if isinstance(blocks, str) else blocks


def inline(text: object) -> str:
    """Give a value as text within a line, escaped unless it is HTML already."""
    return text if isinstance(text, Html) else escape(str(text))


def code(text: str) -> Html:
    """Show a name or a value as it would be typed."""
    return Html(f'<code dir="auto">{escape(text)}</code>')


def joined(*parts: object) -> Html:
    """Put texts and HTML together in one line."""
    return Html("".join(map(inline, parts)))


def paragraph(text: object, kind: str = "") -> Html:
    """Give a paragraph.

    >>> paragraph("a < b")
    '<p>a &lt; b</p>'
    """
    return Html(f"<p{_kind(kind)}>{inline(text)}</p>")


def bullets(items: Iterable[object]) -> Html:
    """Give a list."""
    return Html("<ul>\n" + "".join(f"<li>{inline(item)}</li>\n" for item in items) + "</ul>")


def facts(given: Mapping[str, object]) -> Html:
    """Give names with their values."""
    pairs = "".join(f"<div><dt>{escape(name)}</dt><dd>{inline(value)}</dd></div>\n" for name, value in given.items())
    return Html(f'<dl class="facts">\n{pairs}</dl>')


def verdict(sentence: object, holds: bool, *more: object, plain: bool = False) -> Html:
    """Say what holds or does not hold, by a sign and by words, never by colour alone; plain has no colour at all."""
    kind, sign, word = ("holds", "✓", "Met") if holds else ("fails", "✗", "Not met")
    kind = "plain" if plain else kind
    lines = "".join(f"<p>{inline(text)}</p>" for text in more)
    return Html(
        f'<div class="verdict {kind}"><p><strong><span class="sign" aria-hidden="true">{sign}</span> {word}:</strong> '
        f"{inline(sentence)}</p>{lines}</div>"
    )


def note(text: object) -> Html:
    """Give a paragraph that is set apart: what a reader must not overlook."""
    return Html(f'<div class="note"><p>{inline(text)}</p></div>')


def listing(text: str, label: str) -> Html:
    """Show a text as it stands in a file, in a box that can be scrolled with the keyboard."""
    return Html(f'<pre role="region" aria-label="{escape(label)}" tabindex="0"><code>{escape(text)}</code></pre>')


def table(
    rows: Sequence[Mapping[str, Any]],
    columns: Mapping[str, str] | Sequence[str],
    caption: str,
    *,
    numeric: Iterable[str] = (),
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
    right = {*numeric, *(name for name in heads if any(_is_number(row.get(name)) for row in rows))}
    head = "".join(
        f'<th scope="col"{_kind("number" if name in right else "")}>{escape(heads[name])}</th>' for name in heads
    )
    lines = []
    for row in rows:
        cells = []
        for place, name in enumerate(heads):
            text = empty if row.get(name) is None else _written(row[name])
            tag = "td" if place else 'th scope="row"'
            cells.append(f"<{tag}{_kind('number' if name in right else '')}>{text}</{tag[:2]}>")
        lines.append(f"<tr>{''.join(cells)}</tr>\n")
    return Html(
        f'<div class="scroll" role="region" aria-label="{escape(caption)}" tabindex="0">\n<table>\n'
        f"<caption>{escape(caption)}</caption>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{''.join(lines)}</tbody>\n"
        "</table>\n</div>"
    )


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _written(value: object) -> str:
    if isinstance(value, float):
        return escape(f"{value:,.4g}")
    return escape(f"{value:,}") if _is_number(value) else inline(value)


def _kind(name: str) -> str:
    return f' class="{name}"' if name else ""


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
    with all_or_none([Output(target, vacant=not overwrite)]) as (draft,):
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
