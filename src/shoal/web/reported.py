"""Sentences that come finished, in English: what the library says of columns, models and progress, and what tasks say.

The library answers in one language wherever it runs, so that its papers do not depend on who asked for them. Its
sentences are recognized here by their form, and said again in the language of the reader; others stay as they are.
"""

from __future__ import annotations

import re
from functools import cache
from html import escape, unescape
from itertools import chain

from shoal.languages import ENGLISH, _, current, written
from shoal.web.words import names, words

_NUMBER = re.compile(r"[<>≈]? ?[−-]?\d[\d,]*(?:\.\d+)?%?")
_PLACE = re.compile(r"%\(\w+\)s")
# Places for what the library words itself, a part of a sentence; what stands in others was given by somebody.
_WORDED = {"given", "kind", "other_kind", "unit", "way", "what", "where", "who", "why"}
_TYPED = "example"  # with this begin the names of places for what is to be typed, or was: it stays as it is


def reported(sentence: str) -> str:
    """Say a finished sentence in the language that is spoken now.

    >>> from shoal.languages import languages, speaking
    >>> with speaking(languages()["de"]):
    ...     reported("Each combination of quasi-identifiers occurs at least 1,200 times.")
    'Jede Kombination der Quasi-Identifikatoren kommt mindestens 1.200-mal vor.'
    >>> reported("Reading all of people.csv")
    'Reading all of people.csv'
    >>> with speaking(languages()["de"]):
    ...     reported("'cuts 9,5' is no hierarchy of 'age': borders must rise.")
    '„cuts 9,5“ ist keine Hierarchie für „age“: Grenzen müssen steigen.'
    """
    return _said(sentence, "reported")


def of_section(text: str) -> str:
    """Say a text of a section of a risk in the language that is spoken now; what it quotes may be such a text, too."""
    return _value("", text, "sections")


def _said(sentence: str, among: str) -> str:
    if current() == ENGLISH or not sentence:
        return sentence
    for form, message in _forms(among):
        if found := form.fullmatch(sentence):
            return _(message, **{name: _value(name, text, among) for name, text in found.groupdict().items()})
    return sentence


def drawn(picture: str) -> str:
    """Say every text of a drawing of a section in the language that is spoken now.

    >>> drawn('<title>Marks</title><text x="1">rows &amp; columns</text>')
    '<title>Marks</title><text x="1">rows &amp; columns</text>'
    """
    return re.sub(r">([^<>]+)<", lambda found: f">{escape(of_section(unescape(found[1])), quote=False)}<", picture)


def _value(name: str, text: str, among: str) -> str:
    if name.startswith(_TYPED):
        return text
    if _NUMBER.fullmatch(text):
        return written(text)
    if among == "sections":
        return _said(text, among)
    return _said(text, "parts") if name in _WORDED else text


@cache
def _forms(among: str) -> list[tuple[re.Pattern[str], str]]:
    """Give the sentences as patterns, the longest first: the more is known of a sentence, the surer it is meant."""
    kinds = names("identifiers").values() if among == "sections" else ()
    ordered = sorted(chain(*words(among).values(), kinds), key=lambda each: len(_PLACE.sub("", each)), reverse=True)
    return [
        (re.compile(re.sub(r"%\\\((\w+)\\\)s", r"(?P<\1>.+?)", re.escape(each)).replace("%%", "%")), each)
        for each in ordered
    ]
