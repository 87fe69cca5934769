"""The colours of pages: those of methods, those of figures, and the grounds of verdicts and notes."""

from __future__ import annotations

from functools import cache

from shoal.catalogue import entries
from shoal.charts.palette import Palette, fixed
from shoal.charts.style import DARK, LIGHT

# Colours that figures have no use for: the grounds of verdicts and notes.
_LIGHT = {**LIGHT, "fine": "#0b5c4d", "fine-ground": "#e3f1ed", "wrong-ground": "#fbeae5", "panel": "#f4f6f5"}
_DARK = {**DARK, "fine": "#7fd6c5", "fine-ground": "#1c322e", "wrong-ground": "#3a2723", "panel": "#232929"}
_NAMES = (
    "paper", "ink", "muted", "axis", "grid", "alert", "hue1", "hue2", "hue4",
    "fine", "fine-ground", "wrong-ground", "panel",
)  # fmt: skip

# The methods that are most often set side by side have the colours that differ most; all others follow.
_FIRST = ("hilbert", "mondrian", "sorted-clusters", "mdav", "v-mdav")


@cache
def method_palette() -> Palette:
    """Give each method of the catalogue the look that it has in all figures."""
    return fixed([*_FIRST, *(name for name in entries("methods") if name not in _FIRST)])


def page_colours() -> str:
    """Give the colours of a page as variables, for light and for dark."""
    dark = f"@media screen and (prefers-color-scheme: dark) {{\n{_colours(_DARK, 'dark')}}}\n"
    return _colours(_LIGHT, "light") + dark


def _colours(theme: dict[str, str], scheme: str) -> str:
    named = " ".join(f"--page-{name}: {theme[name]};" for name in _NAMES)
    return f":root {{ color-scheme: {scheme}; {named} }}\n"
