"""The look of figures: colours for light and dark, and the CSS that brings them to the drawings.

Drawings name their colours by class and never carry a ``style`` attribute, so that a page with a strict content
security policy shows them. Marks differ from the paper by at least 3 : 1 and texts by at least 4.5 : 1 in both themes,
and the colours of groups stay apart for people who see no difference between red and green. Tests hold all three.
"""

from __future__ import annotations

import re

HUES = 6  # colours of groups; a seventh group has the first colour again, with another pattern
STEPS = 8  # steps of the sequential scale
ARMS = 4  # steps of the diverging scale to either side of its middle

_SHARED_STEPS = ["mid", *[f"{arm}{step}" for arm in ("low", "high") for step in range(1, ARMS + 1)]]
CELLS = [*[f"seq{step}" for step in range(1, STEPS + 1)], *_SHARED_STEPS]


def _theme(plain: str, hues: str, cells: str, inks: tuple[str, str], dark_from: str) -> dict[str, str]:
    """Name the colours of a theme; ``dark_from`` tells per cell colour which of the two inks is read on it."""
    named = dict(zip(("paper", "ink", "muted", "axis", "grid", "alert", "zone"), plain.split(), strict=True))
    named |= {f"hue{place}": colour for place, colour in enumerate(hues.split(), 1)}
    for name, colour, ink in zip(CELLS, cells.split(), dark_from, strict=True):
        named |= {name: colour, f"{name}-ink": inks[int(ink)]}
    return named


LIGHT = _theme(
    "#ffffff #16201d #55605c #737d79 #dfe4e2 #a83220 #e3f1ed",
    "#0b6e5d #d55e00 #2f86d6 #6b2c80 #5a4300 #848e8a",
    "#fbeae5 #edd0ca #dfb7af #d19d94 #c38379 #ab574c #9d3e31 #8f2416 "
    "#f1f3f2 #bed2e0 #89b0cc #2a74aa #064a80 #decbbd #caa185 #a65622 #7a2f00",
    ("#16201d", "#ffffff"),
    "00000111" + "0" + "0011" + "0011",
)
DARK = _theme(
    "#1b2020 #eef2f0 #a9b4b0 #8a9591 #343c3a #ff8f77 #1c322e",
    "#4cc2ad #ff8a5c #86bfff #b47fe0 #f2e19a #7f8b87",
    "#2b2524 #403330 #55413c #6b4f48 #805d54 #b37e71 #d99787 #ffb09d "
    "#2c3332 #3a4c57 #49667c #6699c6 #a5d3ff #52493e #785e49 #c48961 #ffbd8f",
    ("#111515", "#ffffff"),
    "11111000" + "1" + "1100" + "1100",
)

FONT = 'Inter, system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'

_MARKS = """\
.shoal-chart text { fill: var(--chart-ink); font-variant-numeric: tabular-nums; }
.shoal-chart .muted, .shoal-chart .tick { fill: var(--chart-muted); }
.shoal-chart .strong { font-weight: 600; }
.shoal-chart .halo { paint-order: stroke; stroke: var(--chart-paper); stroke-width: 3px; stroke-linejoin: round; }
.shoal-chart .paper { fill: var(--chart-paper); }
.shoal-chart .zone { fill: var(--chart-zone); }
.shoal-chart .grid { stroke: var(--chart-grid); }
.shoal-chart .axis { stroke: var(--chart-axis); fill: none; }
.shoal-chart .leader { stroke: var(--chart-muted); }
.shoal-chart .mark { stroke: var(--chart-ink); stroke-dasharray: 4 3; }
.shoal-chart .hatch { stroke: var(--chart-paper); stroke-width: 1.4; fill: none; }
.shoal-chart .speck { fill: var(--chart-paper); }
.shoal-chart .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
.shoal-chart .casing { stroke: var(--chart-paper); stroke-width: 5; }
.shoal-chart .rim { stroke: var(--chart-paper); stroke-width: 1.5; }
.shoal-chart .ink { fill: var(--chart-ink); }
.shoal-chart .framed { fill: none; stroke: var(--chart-ink); stroke-width: 2; }
.shoal-chart .alert { fill: var(--chart-alert); }
.shoal-chart .faint { fill: var(--chart-axis); }
.shoal-chart .hollow { fill: var(--chart-paper); stroke-width: 2; }
.shoal-chart .error { stroke-width: 1.5; fill: none; }
.shoal-chart .frontier { fill: none; stroke: var(--chart-muted); stroke-width: 1.5; stroke-linejoin: round; }
.shoal-chart .base { stroke: var(--chart-ink); stroke-width: 1.5; }
.shoal-chart .target { fill: transparent; }
.shoal-chart a:is(:hover, :focus-visible) :is(.rim, .hollow) { stroke: var(--chart-ink); stroke-width: 3; }
"""
_HUE = """\
.shoal-chart .hue{0} {{ fill: var(--chart-hue{0}); }}
.shoal-chart .pen{0} {{ stroke: var(--chart-hue{0}); }}
"""
_CELL = """\
.shoal-chart .{0} {{ fill: var(--chart-{0}); }}
.shoal-chart .on-{0} {{ fill: var(--chart-{0}-ink); }}
"""
_RULES = (
    _MARKS + "".join(_HUE.format(place) for place in range(1, HUES + 1)) + "".join(_CELL.format(name) for name in CELLS)
)

_PAGE = """\
.shoal-figure { margin: 1.5rem 0; color: var(--chart-ink); background: var(--chart-paper); }
.shoal-chart { display: block; max-width: 100%; height: auto; font-family: FONT; }
.shoal-figure figcaption { margin: 0 0 0.35rem; padding-inline: 12px; max-width: 45rem; line-height: 1.4; }
.shoal-figure figcaption strong { display: block; }
.shoal-figure figcaption span { font-size: 0.875rem; color: var(--chart-muted); }
.shoal-figure details { padding-inline: 12px; font-size: 0.875rem; color: var(--chart-muted); }
.shoal-figure summary { cursor: pointer; padding: 0.25rem 0; }
.shoal-figure table { border-collapse: collapse; color: var(--chart-ink); font-variant-numeric: tabular-nums; }
.shoal-figure caption { text-align: start; padding: 0.25rem 0; color: var(--chart-muted); }
.shoal-figure th, .shoal-figure td { padding: 0.2rem 0.75rem 0.2rem 0; text-align: start;
  border-bottom: 1px solid var(--chart-grid); background: none; overflow-wrap: anywhere; }
.shoal-figure th[scope="row"] { font-weight: 400; }
.shoal-figure .number { text-align: end; }
.shoal-narrow { display: none; }
.shoal-figure:has(.shoal-narrow) { container-type: inline-size; }
@container (max-width: 31rem) { .shoal-roomy { display: none; } .shoal-narrow { display: block; } }
"""

_PRINT = """\
@media print {
  .shoal-figure { break-inside: avoid; }
  .shoal-chart { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .shoal-figure details:not([open]) { display: none; }
}
"""


def style() -> str:
    """Give the CSS of figures for a page: light, dark where the reader prefers it, and as print.

    A ``data-theme="light"`` or ``"dark"`` on the page or on any part of it overrides what the reader's system prefers.
    Paper is always light. The host page may set the variables itself, such as ``--chart-paper``.
    """
    return (
        _block(".shoal-figure, .shoal-chart", LIGHT, "light")
        + "@media screen and (prefers-color-scheme: dark) {\n"
        + _block(".shoal-figure, .shoal-chart", DARK, "dark")
        + "}\n"
        + _block(_within("light"), LIGHT, "light")
        + "@media screen {\n"
        + _block(_within("dark"), DARK, "dark")
        + "}\n"
        + _PAGE.replace("FONT", FONT)
        + _RULES
        + _PRINT
    )


def resolved() -> str:
    """Give the CSS of a drawing that stands alone: the same rules with the colours put in, as not all programs know
    variables, and the dark ones for those that ask which is preferred.
    """  # noqa: D205
    dark = "".join(f"  {line}\n" for line in _put_in(_RULES, DARK).splitlines() if "#" in line)
    return (
        f".shoal-chart {{ font-family: {FONT}; }}\n"
        + _put_in(_RULES, LIGHT)
        + f"@media screen and (prefers-color-scheme: dark) {{\n{dark}}}\n"
    )


def _within(theme: str) -> str:
    return f'[data-theme="{theme}"] .shoal-figure, [data-theme="{theme}"] .shoal-chart'


def _block(selector: str, theme: dict[str, str], scheme: str) -> str:
    colours = " ".join(f"--chart-{name}: {colour};" for name, colour in theme.items())
    return f"{selector} {{ color-scheme: {scheme}; {colours} }}\n"


def _put_in(rules: str, theme: dict[str, str]) -> str:
    return re.sub(r"var\(--chart-([\w-]+)\)", lambda found: theme[found[1]], rules)
