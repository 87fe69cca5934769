"""Numbers as the reader writes them: 1,542,950 is 1.542.950 in German, and 39% is 39 %."""

from __future__ import annotations

from shoal.languages.speech import ENGLISH, current


def number(value: float, form: str = ",") -> str:
    """Write a number in a format of Python's.

    >>> number(1542950), number(0.25, ".3f")
    ('1,542,950', '0.250')
    """
    return written(format(value, form))


def written(numeral: str) -> str:
    r"""Write a number, given as English does, as the reader does.

    >>> from shoal.languages import languages, speaking
    >>> with speaking(languages()["de"]):
    ...     written("1,542.95"), written("< 0.01%")
    ('1.542,95', '< 0,01\xa0%')
    """
    language = current()
    if language == ENGLISH:
        return numeral
    signs = {ord(","): language.group, ord("."): language.decimal, ord("%"): language.percent}
    return numeral.translate(signs)
