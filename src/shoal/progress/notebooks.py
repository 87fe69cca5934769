"""Progress in notebooks: a line below the cell, which changes in place and is empty in the end."""

from __future__ import annotations

import sys
import time
from typing import Any

from shoal.progress import Look
from shoal.progress.lines import sentence


def in_notebook() -> bool:
    """Tell whether this is a notebook; a terminal with IPython is none."""
    found = sys.modules.get("IPython")
    shell = found.get_ipython() if found is not None else None
    return shell is not None and "IPKernelApp" in getattr(shell, "config", ())


class Notebook:
    """A line below the cell that runs. It needs nothing but what shows any output."""

    AFTER = 1.0  # seconds: what takes less is not shown
    period = 0.5

    def __init__(self) -> None:
        self._line: Any = None
        self._begun = time.monotonic()

    def tell(self, look: Look, left: float | None, elapsed: float) -> None:
        """Show how far it is, once it has taken a moment."""
        if time.monotonic() - self._begun < self.AFTER:
            return
        text = sentence(look, left, elapsed)
        from html import escape  # commands do without it

        bar = "" if look.share is None else f'<progress value="{look.share:.3f}"></progress> '
        self._show(text, f"{bar}{escape(text)}")

    def end(self) -> None:
        """Wipe the line."""
        if self._line is not None:
            self._show("", "")

    def _show(self, text: str, html: str) -> None:
        content = {"text/plain": text, "text/html": html}
        if self._line is None:
            from IPython.display import display

            self._line = display(content, raw=True, display_id=True)
        else:
            self._line.update(content, raw=True)
