"""Texts of a certificate as they may be shown: they cannot do anything to who reads them."""

from __future__ import annotations

from collections.abc import Iterable


def shown_safely(texts: Iterable[str]) -> tuple[str, ...]:
    """Give texts as they may be shown: names in a certificate may hold anything, also what moves a terminal."""
    return tuple("".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text) for text in texts)
