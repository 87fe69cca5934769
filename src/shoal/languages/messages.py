"""Sentences in the language that is spoken now: whole ones, with named places for what differs, and plural forms.

A sign for percent in a sentence is doubled, because every sentence is a format. Whole numbers are written as the
reader writes them; everything else is put in as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.languages.numbers import number
from shoal.languages.speech import ENGLISH, catalogue, current


def _(message: str, **values: Any) -> str:
    """Say a sentence.

    >>> _("Rows from %(first)s to %(last)s", first=1, last=12_000)
    'Rows from 1 to 12,000'
    """
    return translated(message) % readable(values)


def ngettext(one: str, many: str, num: int, **values: Any) -> str:
    """Say a sentence in the form that a number asks for; the number stands in it as ``%(num)s``.

    >>> ngettext("%(num)s row", "%(num)s rows", 1), ngettext("%(num)s row", "%(num)s rows", 4_000)
    ('1 row', '4,000 rows')
    """
    return translated_plural(one, many, num) % readable({"num": num} | values)


def N_(message: str) -> str:  # noqa: N802 - its name wherever gettext is used
    """Mark a text that is said later, by ``_``, in the language that is spoken then."""
    return message


def translated(message: str) -> str:
    """Give a sentence as the catalogue has it, with its places still open."""
    language = current()
    return message if language == ENGLISH or not message else catalogue(language.code).gettext(message)


def translated_plural(one: str, many: str, num: int) -> str:
    """Give the form of a sentence that a number asks for, with its places still open."""
    language = current()
    if language == ENGLISH:
        return one if num == 1 else many
    return catalogue(language.code).ngettext(one, many, num)


def readable(values: Mapping[str, Any]) -> dict[str, Any]:
    """Give values as they stand in sentences."""
    return {name: number(each) if type(each) is int else each for name, each in values.items()}
