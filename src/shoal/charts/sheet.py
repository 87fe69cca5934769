"""The sheet that figures are drawn on: marks and texts in, SVG out."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shoal.charts.figure import Figure, FigureColumn, FigureRow, copied
from shoal.charts.lettering import SIZE, clean, escape, width
from shoal.charts.style import FONT, HUES
from shoal.languages import _

MARGIN = 12.0
_PAPER = re.compile(r'<rect class="paper"[^>]*/>\n')
_ID = "\x00"  # stands for the id of the drawing until all of it is known; no text can hold it

# Groups differ by pattern, dash and marker as well as by colour. The first of each is plain.
_HATCHES = (
    "",
    '<path class="hatch" d="M-2,2 l4,-4 M0,8 l8,-8 M6,10 l4,-4"/>',
    '<circle class="speck" cx="2" cy="2" r="1.2"/><circle class="speck" cx="6" cy="6" r="1.2"/>',
    '<path class="hatch" d="M0,2 h8 M0,6 h8"/>',
    '<path class="hatch" d="M2,0 v8 M6,0 v8"/>',
    '<path class="hatch" d="M-2,6 l4,4 M0,0 l8,8 M6,-2 l4,4"/>',
    '<path class="hatch" d="M0,4 h8 M4,0 v8"/>',
)
DASHES = ("", "7 3", "2 3", "9 3 2 3", "12 4", "4 2 1 2 1 2", "1 4")
_MARKERS = (
    "M{x},{y} m-{r},0 a{r},{r} 0 1,0 {d},0 a{r},{r} 0 1,0 -{d},0 Z",
    "M{x},{y} m-{r},-{r} h{d} v{d} h-{d} Z",
    "M{x},{y} m0,-{r} l{r},{d} h-{d} Z",
    "M{x},{y} m0,-{s} l{s},{s} l-{s},{s} l-{s},-{s} Z",
    "M{x},{y} m0,{r} l{r},-{d} h-{d} Z",
    "M{x},{y} m-{h},-{s} h{r} v{e} h{e} v{r} h-{e} v{e} h-{r} v-{e} h-{e} v-{r} h{e} Z",
)
SHAPES = len(_MARKERS)
_TARGET = 18.0  # radius of what can be hit of a point that leads somewhere: 24 pixels, also at two thirds of the size


@dataclass(frozen=True)
class Box:
    """A part of the sheet."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """Give how wide it is."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Give how high it is."""
        return self.bottom - self.top

    def holds(self, other: Box) -> bool:
        """Say whether another part lies within this one."""
        return (
            self.left <= other.left
            and other.right <= self.right
            and self.top <= other.top
            and other.bottom <= self.bottom
        )

    def meets(self, other: Box, gap: float = 0.0) -> bool:
        """Say whether two parts overlap or come closer than a gap."""
        return (
            self.left < other.right + gap
            and other.left < self.right + gap
            and self.top < other.bottom + gap
            and other.top < self.bottom + gap
        )


def short(number: float) -> str:
    """Write a length for SVG: two decimals at most, and no minus before nothing.

    >>> short(12.0), short(0.3333), short(-0.001)
    ('12', '0.33', '0')
    """
    text = f"{number:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


class Sheet:
    """A drawing while it is made. Things drawn later lie above.

    Parameters
    ----------
    title, description
        What it shows, and what there is to see.
    width
        How wide the sheet is. How high it is shows at the end.
    """

    def __init__(self, title: str, description: str, width: float) -> None:
        self.title = clean(title)
        self.description = clean(description)
        self.width = float(width)
        self._parts: list[str] = []
        self._hatches: set[int] = set()
        self._links = False

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        kind: str = "",
        anchor: str = "start",
        size: float = SIZE,
        turn: float = 0.0,
        full: str = "",
    ) -> Box:
        """Write a text whose baseline begins, ends or has its middle at a point, and give the place that it takes."""
        attributes = f' class="{kind}"' if kind else ""
        attributes += f' font-size="{short(size)}"' if size != SIZE else ""
        attributes += f' text-anchor="{anchor}"' if anchor != "start" else ""
        attributes += f' transform="rotate({short(turn)} {short(x)} {short(y)})"' if turn else ""
        tip = f"<title>{escape(full)}</title>" if full and full != text else ""
        self._parts.append(f'<text x="{short(x)}" y="{short(y)}"{attributes}>{tip}{escape(text)}</text>')
        wide = width(text, size, bold="strong" in kind)
        left = x - {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
        return Box(left, y - 0.8 * size, left + wide, y + 0.25 * size)

    def rect(self, box: Box, kind: str, *, hatch: int = 0, tip: str = "", round_by: float = 0.0) -> None:
        """Fill a part of the sheet. A hatch is drawn with its colour, so the colour's class moves into the pattern."""
        fill = f'class="{kind}"'
        if hatch:
            fill = f'class="bar" fill="url(#{_ID}-{self._pattern(kind, hatch)})"'
        corner = f' rx="{short(round_by)}"' if round_by else ""
        shape = (
            f'<rect {fill} x="{short(box.left)}" y="{short(box.top)}" '
            f'width="{short(max(0.0, box.width))}" height="{short(max(0.0, box.height))}"{corner}'
        )
        self._parts.append(f"{shape}><title>{escape(tip)}</title></rect>" if tip else f"{shape}/>")

    def frame(self, box: Box) -> None:
        """Draw a line around a part of the sheet."""
        self._parts.append(
            f'<rect class="framed" x="{short(box.left)}" y="{short(box.top)}" width="{short(box.width)}" '
            f'height="{short(box.height)}"/>'
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
        """Draw a straight line."""
        ends = f'x1="{short(x1)}" y1="{short(y1)}" x2="{short(x2)}" y2="{short(y2)}"'
        self._parts.append(f'<line class="{kind}" {ends}/>')

    def path(self, points: Sequence[tuple[float, float]], kind: str, *, dash: str = "") -> None:
        """Join points by a line."""
        steps = " ".join(f"{'L' if place else 'M'}{short(x)},{short(y)}" for place, (x, y) in enumerate(points))
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self._parts.append(f'<path class="{kind}" d="{steps}"{dashes}/>')

    def marker(
        self,
        x: float,
        y: float,
        shape: int,
        kind: str,
        *,
        radius: float = 4.0,
        tip: str = "",
        link: str = "",
        current: bool = False,
        data: Mapping[str, str] | None = None,
    ) -> None:
        """Draw a point of one of six shapes, with what a page needs to make it lead somewhere."""
        lengths = {"r": radius, "d": 2 * radius, "s": 1.3 * radius, "h": radius / 2, "e": 0.8 * radius}
        outline = _MARKERS[shape % len(_MARKERS)].format(
            x=short(x), y=short(y), **{name: short(length) for name, length in lengths.items()}
        )
        more = "".join(f' data-{name}="{escape(value)}"' for name, value in (data or {}).items())
        inner = f"<title>{escape(tip)}</title>" if tip else ""
        drawn = f'<path class="{kind}" d="{outline}"{more}>{inner}</path>'
        if link:
            self._links = True
            target = f'<circle class="target" cx="{short(x)}" cy="{short(y)}" r="{short(_TARGET)}"/>'
            here = ' aria-current="true"' if current else ""
            drawn = f'<a href="{escape(link)}" aria-label="{escape(tip)}"{here}>{target}{drawn}</a>'
        self._parts.append(drawn)

    def put(self, figure: Figure, top: float) -> None:
        """Put a whole drawing on the sheet, below a height. What names its parts is named after this drawing."""
        head, inner = figure.svg.split("</desc>\n", 1)
        name = head.split(' aria-labelledby="', 1)[1].split("-title", 1)[0]
        inner = inner.removesuffix("\n</svg>").replace(name, f"{_ID}-{len(self._parts)}")
        inner = _PAPER.sub("", inner, count=1)
        self._links |= 'role="group"' in head
        self._parts.append(f'<g transform="translate(0,{short(top)})">\n{inner}\n</g>')

    def nothing(self, top: float = 0.0) -> float:
        """Say that there is nothing to show, and give where the message ends."""
        self.text(self.width / 2, top + 64, _("Nothing to show"), kind="muted", anchor="middle", size=14)
        return top + 108

    def figure(self, height: float, rows: Sequence[FigureRow], columns: Sequence[FigureColumn]) -> Figure:
        """End the drawing."""
        size = f'width="{short(self.width)}" height="{short(height)}"'
        body = "\n".join(self._parts)
        patterns = "".join(map(self._definition, sorted(self._hatches)))
        definitions = f"<defs>{patterns}</defs>\n" if patterns else ""
        # A picture's parts are hidden from those who hear it; links must not be, so a drawing with links is a group.
        drawn = (
            '<svg xmlns="http://www.w3.org/2000/svg" class="shoal-chart" '
            f'viewBox="0 0 {short(self.width)} {short(height)}" {size} role="{"group" if self._links else "img"}" '
            f'aria-labelledby="{_ID}-title" aria-describedby="{_ID}-desc" '
            f'font-size="{short(SIZE)}" font-family="{escape(FONT)}">\n'
            f'<title id="{_ID}-title">{escape(self.title)}</title>\n'
            f'<desc id="{_ID}-desc">{escape(self.description)}</desc>\n'
            f'{definitions}<rect class="paper" x="0" y="0" {size}/>\n{body}\n</svg>'
        )
        # The id follows from the drawing: the same figure has the same bytes, and two figures on a page differ.
        name = "chart-" + hashlib.sha256(drawn.encode()).hexdigest()[:10]
        svg = drawn.replace(_ID, name)
        return Figure(svg, self.title, self.description, copied(rows), tuple(columns), self.width, float(short(height)))

    def _pattern(self, kind: str, hatch: int) -> str:
        colour = 0 if kind == "alert" else int(kind.removeprefix("hue"))
        key = 10 * colour + 1 + (hatch - 1) % (len(_HATCHES) - 1)
        self._hatches.add(key)
        return f"fill{key}"

    def _definition(self, key: int) -> str:
        colour, hatch = divmod(key, 10)
        kind = f"hue{colour}" if colour else "alert"
        return (
            f'<pattern id="{_ID}-fill{key}" width="8" height="8" patternUnits="userSpaceOnUse">'
            f'<rect class="{kind}" width="8" height="8"/>{_HATCHES[hatch]}</pattern>'
        )


def hue(place: int) -> str:
    """Give the class that fills with the colour of the group at a place."""
    return f"hue{place % HUES + 1}"


def pen(place: int) -> str:
    """Give the class that draws lines in the colour of the group at a place."""
    return f"pen{place % HUES + 1}"
