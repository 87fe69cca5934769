"""Progress as text: one line that changes in a terminal, and a line now and then anywhere else."""

from __future__ import annotations

import contextlib
import shutil
import sys
import time

from shoal.progress import Look
from shoal.progress.time_left import about, in_words

_BAR = 20


def sentence(look: Look, left: float | None, elapsed: float) -> str:
    """Say how far something is. A name in it may hold anything, also what moves a terminal."""
    what = "".join(sign if sign.isprintable() else "?" for sign in look.what)
    if look.share is None:
        return f"{what}: {in_words(elapsed)} so far" if elapsed >= 1 else what
    line = f"{what}: {percent(look.share)}"
    return line if left is None else f"{line}, about {about(left)} left"


def percent(share: float) -> str:
    """Give a share. What is shown is never over yet."""
    return f"{min(int(100 * share), 99)} %"


class Terminal:
    """One line at the bottom of a terminal, which is gone in the end."""

    period = 0.2

    def tell(self, look: Look, left: float | None, elapsed: float) -> None:
        """Show how far it is."""
        text = sentence(look, left, elapsed)
        if look.share is not None:
            text = f"{self._bar(look.share)} {text}"
            text += f" ({in_words(elapsed)})" if elapsed >= 1 else ""
        _write(f"\r{_cut(text, shutil.get_terminal_size().columns - 1)}\x1b[K")

    def end(self) -> None:
        """Wipe the line."""
        _write("\r\x1b[K")

    def _bar(self, share: float) -> str:
        full = int(_BAR * share)
        try:
            "━─".encode(sys.stderr.encoding)
        except (LookupError, TypeError, UnicodeEncodeError):
            return f"[{'#' * full}{'.' * (_BAR - full)}]"
        return "━" * full + "─" * (_BAR - full)


class Log:
    """A line every few seconds, to be read later; none of work that is over before."""

    period = 1.0

    def __init__(self, every: float) -> None:
        self.period = min(every, self.period)
        self._every = every
        self._last = time.monotonic()

    def tell(self, look: Look, left: float | None, elapsed: float) -> None:
        """Write a line if it is time."""
        now = time.monotonic()
        if now - self._last >= self._every:
            self._last = now
            _write(sentence(look, left, elapsed) + "\n")

    def end(self) -> None:
        """Leave what was written."""


def _write(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):  # the reader may be gone: that is no reason to fail
        sys.stderr.write(text)
        sys.stderr.flush()


def _cut(text: str, columns: int) -> str:
    """Cut a text to so many columns of a terminal, of which some signs take two."""
    import unicodedata  # logs do without it

    used = 0
    for place, sign in enumerate(text):
        used += 2 if unicodedata.east_asian_width(sign) in "WF" else 1
        if used > columns:
            return text[:place]
    return text
