"""Numbers as they are written: exact fractions of decimal texts, in which no spend is too small to count."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any

from shoal.errors import ParameterError
from shoal.parameters import shown

_NUMBER = re.compile(r"[+-]?(\d{1,40}(\.\d{0,40})?|\.\d{1,40})([eE][+-]?\d{1,2})?|[+-]?\d{1,400}/\d{1,400}")


def exact(given: Any, what: str) -> Fraction:
    """Give a number as the fraction that its text says; ``what`` says what the number is.

    >>> exact("1e-6", "delta"), exact(0.1, "epsilon")
    (Fraction(1, 1000000), Fraction(1, 10))
    """
    if isinstance(given, Rational) and given is not True and given is not False:
        return Fraction(int(given.numerator), int(given.denominator))
    text = str(given).strip() if isinstance(given, (str, float, Decimal)) else ""
    if _NUMBER.fullmatch(text) is None or re.search("/0+$", text):
        raise ParameterError(f"The {what} is a number, not {shown(given)}.", "Write it as 0.5, 1e-6 or 1/20.")
    return Fraction(text)


def positive(given: Any, what: str) -> Fraction:
    """Give a number above zero as an exact fraction."""
    found = exact(given, what)
    if found <= 0:
        raise ParameterError(f"The {what} must be above 0.", "Give a small positive number.")
    return found


def written(number: Fraction) -> str:
    """Write a fraction so that it can be read again: as a decimal if it has an end, else as a fraction.

    >>> written(Fraction(1, 200)), written(Fraction(1, 18))
    ('0.005', '1/18')
    """
    rest, places = number.denominator, [0, 0]
    for i, prime in enumerate((2, 5)):
        while rest % prime == 0:
            rest //= prime
            places[i] += 1
    digits = max(places)
    if rest != 1 or digits > 30:
        return f"{number.numerator}/{number.denominator}"
    whole = str(abs(number.numerator) * 10**digits // number.denominator).rjust(digits + 1, "0")
    text = f"{whole[:-digits]}.{whole[-digits:]}" if digits else whole
    return f"-{text}" if number < 0 else text


def at_least(number: Fraction) -> float:
    """Give the smallest float that is not below a fraction."""
    found = float(number)
    return found if Fraction(found) >= number else math.nextafter(found, math.inf)


def root_at_least(number: Fraction) -> float:
    """Give a float that is not below the square root of a fraction, and next to it."""
    found = math.sqrt(number)
    while Fraction(found) ** 2 < number:
        found = math.nextafter(found, math.inf)
    return found
