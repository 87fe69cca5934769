"""Numbers as the reader writes them: 1,542,950 is 1.542.950 in German, and 39% is 39 %."""

from __future__ import annotations

import re
from collections.abc import Sequence

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


def in_line(texts: Sequence[str]) -> list[str]:
    """Give all percentages of a column the same number of decimals, so that their points stand below each other.

    They were written with three digits: what has fewer decimals than the largest is rounded, none is made up.

    >>> in_line(["12.3%", "0.05%", "≈ 100%", "9.09% (8% to 11%)", "–", "1,000"])
    ['12.3%', '< 0.1%', '≈ 100.0%', '9.1% (8.0% to 11.0%)', '–', '1,000']
    >>> in_line(["20%", "100%"]), in_line(["5%", "0.05%", "0%"])
    (['20%', '100%'], ['5.00%', '0.05%', '0.00%'])
    """
    language = current()
    percentage = re.compile(rf"(< )?(\d+)({re.escape(language.decimal)}\d+)?{re.escape(language.percent)}")
    found = [each for text in texts for each in percentage.finditer(text)]
    if not any(each[3] for each in found):
        return list(texts)
    decimals = 1 if any(10 <= int(each[2]) < 100 for each in found) else 2

    def said(each: re.Match[str]) -> str:
        value = float(each[2] + (each[3] or "").replace(language.decimal, "."))
        least = 10**-decimals
        if each[1] or 0 < value < least:
            return f"< {written(f'{max(value, least):.{decimals}f}%')}"
        return written(f"{value:.{decimals}f}%")

    return [percentage.sub(said, text) for text in texts]
