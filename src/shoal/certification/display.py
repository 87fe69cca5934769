"""What a proof shows of a certificate: promises in words, and texts that cannot do anything to who reads them."""

from __future__ import annotations

from collections.abc import Iterable

from shoal.models import PrivacyModel
from shoal.models.km_anonymity import KmAnonymity


def promise_of(model: PrivacyModel) -> str:
    """Name a model and its level."""
    beyond = f", m = {model.m}" if isinstance(model, KmAnonymity) else ""
    return f"{model.name} ({model.promised:g}{beyond})"


def shown_safely(texts: Iterable[str]) -> tuple[str, ...]:
    """Give texts as they may be shown: names in a certificate may hold anything, also what moves a terminal."""
    return tuple("".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text) for text in texts)
