"""The digamma and the trigamma function, so that long sums of 1/(x + i) need no loop over their terms."""

from __future__ import annotations

import math

_FAR = 14.0  # from where the series below have all digits of a float
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)


def digamma(x: float) -> float:
    """Give the derivative of the logarithm of the gamma function at a place above 0.

    >>> round(digamma(1.0), 12), round(digamma(10.5) - digamma(0.5) - sum(1 / (i + 0.5) for i in range(10)), 12)
    (-0.577215664902, 0.0)
    """
    below = 0.0
    while x < _FAR:
        below += 1 / x
        x += 1
    series = sum(b / (2 * k * x ** (2 * k)) for k, b in enumerate(_BERNOULLI, 1))
    return math.log(x) - 0.5 / x - series - below


def trigamma(x: float) -> float:
    """Give the derivative of the digamma function at a place above 0.

    >>> round(trigamma(1.0), 12), round(trigamma(0.5) - trigamma(9.5) - sum((i + 0.5) ** -2 for i in range(9)), 12)
    (1.644934066848, 0.0)
    """
    below = 0.0
    while x < _FAR:
        below += 1 / (x * x)
        x += 1
    return 1 / x + 0.5 / (x * x) + sum(b / x ** (2 * k + 1) for k, b in enumerate(_BERNOULLI, 1)) + below


def harmonic(start: float, step: float, terms: int) -> tuple[float, float]:
    """Give the sum of 1/(start + i · step) for i from 1 to a number of terms, and that of their squares.

    >>> [round(each, 9) for each in harmonic(2.0, 0.5, 3)]
    [1.019047619, 0.352743764]
    """
    first, last = start / step + 1, start / step + terms + 1
    return (digamma(last) - digamma(first)) / step, (trigamma(first) - trigamma(last)) / (step * step)
