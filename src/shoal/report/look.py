"""The look of pages: the colours of figures, one column of text, and rules for narrow screens and for paper."""

from __future__ import annotations

from shoal.charts import style
from shoal.charts.style import DARK, FONT, LIGHT

# Colours that figures have no use for: the grounds of verdicts and notes.
_LIGHT = {**LIGHT, "fine": "#0b5c4d", "fine-ground": "#e3f1ed", "wrong-ground": "#fbeae5", "panel": "#f4f6f5"}
_DARK = {**DARK, "fine": "#7fd6c5", "fine-ground": "#1c322e", "wrong-ground": "#3a2723", "panel": "#232929"}
_NAMES = (
    "paper", "ink", "muted", "axis", "grid", "alert", "hue1", "hue2", "hue4",
    "fine", "fine-ground", "wrong-ground", "panel",
)  # fmt: skip

_RULES = """\
* { box-sizing: border-box; }
html { background: var(--page-paper); color: var(--page-ink); -webkit-text-size-adjust: 100%; }
body { max-width: 52rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem; font: 1rem/1.55 FONT; }
a { color: var(--page-hue1); text-underline-offset: 0.15em; }
a:focus-visible, summary:focus-visible, [tabindex]:focus-visible { outline: 3px solid var(--page-hue1);
  outline-offset: 2px; }
.skip { position: absolute; left: -100vw; }
.skip:focus { position: static; }
h1, h2, h3, h4 { line-height: 1.25; text-wrap: balance; overflow-wrap: anywhere; }
h1 { font-size: 1.75rem; margin: 0.25rem 0 1rem; }
h2 { font-size: 1.25rem; margin: 0 0 0.75rem; padding-top: 1.5rem; border-top: 2px solid var(--page-ink); }
h2 .number { color: var(--page-muted); font-weight: 400; }
h3 { font-size: 1.05rem; margin: 1.75rem 0 0.5rem; }
section { margin-top: 2.5rem; }
section section { margin-top: 0; }
p, ul, dl { margin: 0.75rem 0; max-width: 45rem; }
li { margin: 0.3rem 0; }
ul, ol { padding-inline-start: 1.4rem; }
nav ol { columns: 2 16rem; margin: 1.5rem 0 0; }
nav li { break-inside: avoid; margin: 0; padding: 0.2rem 0; }
.kicker { color: var(--page-muted); margin: 0; }
.verdict, .note { border-inline-start: 5px solid var(--page-axis); background: var(--page-panel); padding: 0.1rem 1rem;
  margin: 1rem 0; }
.verdict.holds { border-color: var(--page-fine); background: var(--page-fine-ground); }
.verdict.fails { border-color: var(--page-alert); background: var(--page-wrong-ground); }
.holds .sign, .yes { color: var(--page-fine); }
.fails .sign, .no { color: var(--page-alert); }
.yes, .no { font-weight: 600; white-space: nowrap; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); gap: 0.75rem 1.5rem;
  max-width: none; }
.facts dt { color: var(--page-muted); font-size: 0.875rem; }
.facts dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
/* What can be scrolled to has a shadow over it, which moves away at the end. */
.scroll { overflow-x: auto; margin: 1rem 0; background:
  linear-gradient(to right, var(--page-paper) 40%, transparent) left / 3rem 100% no-repeat local,
  linear-gradient(to left, var(--page-paper) 40%, transparent) right / 3rem 100% no-repeat local,
  linear-gradient(to right, var(--page-axis), transparent) left / 0.75rem 100% no-repeat scroll,
  linear-gradient(to left, var(--page-axis), transparent) right / 0.75rem 100% no-repeat scroll; }
.scroll small { color: var(--page-muted); }
.scroll table { border-collapse: collapse; width: 100%; font-size: 0.9375rem; font-variant-numeric: tabular-nums; }
.scroll caption { text-align: start; color: var(--page-muted); padding-bottom: 0.35rem; }
.scroll th, .scroll td { padding: 0.4rem 0.9rem 0.4rem 0; text-align: start; vertical-align: top;
  border-bottom: 1px solid var(--page-grid); }
.scroll thead th { border-bottom-color: var(--page-axis); vertical-align: bottom; }
.scroll tbody th { font-weight: 600; overflow-wrap: break-word; }
.scroll th code { overflow-wrap: break-word; }
.scroll th:last-child, .scroll td:last-child { padding-inline-end: 0; }
.scroll td:not(.number) { min-width: 6rem; }
.scroll .number { text-align: end; }
pre { overflow-x: auto; padding: 0.75rem 1rem; background: var(--page-panel); font-size: 0.8125rem; line-height: 1.5; }
code { font-family: ui-monospace, "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
:not(pre) > code { font-size: 0.9em; overflow-wrap: anywhere; }
.sign-off { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 14rem), 1fr)); gap: 0 2rem; }
.sign-off p { border-top: 1px solid var(--page-ink); margin: 3.25rem 0 0; padding-top: 0.25rem; font-size: 0.875rem;
  color: var(--page-muted); }
.wide { overflow-x: auto; }
.wide .shoal-figure { --chart-paper: var(--page-paper); }
footer { margin-top: 3rem; padding-top: 0.75rem; border-top: 1px solid var(--page-axis); color: var(--page-muted);
  font-size: 0.875rem; }
@media (max-width: 34rem) {
  body { padding-inline: 0.75rem; }
  .shoal-figure .shoal-chart { max-width: none; width: 34rem; }
  .shoal-figure figcaption { max-width: calc(100vw - 1.5rem); position: sticky; left: 0; }
}
@media (forced-colors: active) { .verdict, .note { border: 1px solid; } }
"""

# Closed parts are opened on paper, where nobody can open them.
_PRINT = """\
@page { size: A4; margin: 18mm 16mm 20mm;
  @bottom-right { content: counter(page) " / " counter(pages); font: 8pt FONT; color: #55605c; } }
@media print {
  html { font-size: 10pt; }
  body { max-width: none; padding: 0; }
  .skip { display: none; }
  h1, h2, h3, h4, caption, summary, dt { break-after: avoid; }
  tr, li, .verdict, .note, .facts > div, .sign-off { break-inside: avoid; }
  section { margin-top: 1.75rem; }
  a { color: inherit; text-decoration: none; }
  p, li { orphans: 3; widows: 3; }
  thead { display: table-header-group; }
  .scroll, .wide, pre { overflow: visible; }
  .scroll { background: none; }
  .scroll table { font-size: 9pt; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 8pt; }
  .shoal-figure { break-inside: auto; }
  .shoal-figure .shoal-chart { break-inside: avoid; break-after: avoid; }
  .shoal-figure details:not([open]), .shoal-figure details { display: block; columns: 2; font-size: 7.5pt; }
  .shoal-figure summary { column-span: all; }
  .shoal-figure details caption { display: none; }
  .shoal-figure details th, .shoal-figure details td { overflow-wrap: normal; }
  .shoal-figure details::details-content { content-visibility: visible; display: block; block-size: auto; }
  .verdict, .note, pre { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""


def page_style() -> str:
    """Give the CSS of a page with figures: light, dark where the reader prefers it, and always light on paper."""
    return style() + page_colours() + (_RULES + _PRINT).replace("FONT", FONT)


def page_colours() -> str:
    """Give the colours of a page as variables, for light and for dark."""
    dark = f"@media screen and (prefers-color-scheme: dark) {{\n{_colours(_DARK, 'dark')}}}\n"
    return _colours(_LIGHT, "light") + dark


def _colours(theme: dict[str, str], scheme: str) -> str:
    named = " ".join(f"--page-{name}: {theme[name]};" for name in _NAMES)
    return f":root {{ color-scheme: {scheme}; {named} }}\n"
