"""Scales: from numbers to places on the sheet, with the ticks along the way."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from shoal.charts.lettering import width
from shoal.charts.numerals import Format, decades, round_steps
from shoal.charts.tidy import whole

ZERO_ROOM = 24.0  # on a logarithmic axis zero is infinitely far away: it has a place of its own, before a break


@dataclass(frozen=True)
class Domain:
    """The numbers along an axis, before it is known how long the axis is.

    Parameters
    ----------
    low, high
        The ends of the axis.
    ticks, texts
        The numbers that are written along it, and how.
    log
        Equal ratios are equally far apart.
    zero, zero_text
        The logarithmic axis has a place for zero, and how zero is written.
    """

    low: float
    high: float
    ticks: tuple[float, ...]
    texts: tuple[str, ...]
    log: bool = False
    zero: bool = False
    zero_text: str = "0"

    def on(self, start: float, end: float) -> Scale:
        """Lay the numbers along the sheet from one place to another."""
        return Scale(self, start, end)


@dataclass(frozen=True)
class Scale:
    """A domain laid along the sheet."""

    domain: Domain
    start: float
    end: float

    @property
    def break_at(self) -> float:
        """Give the place of the break between zero and the numbers of a logarithmic axis."""
        return self.start + math.copysign(ZERO_ROOM / 2, self.end - self.start)

    def __call__(self, value: float) -> float:
        """Give the place of a number; what lies outside is put at the end of the axis."""
        domain, start = self.domain, self.start
        low, high = domain.low, domain.high
        if domain.log:
            if domain.zero:
                if value <= 0:
                    return start
                start += math.copysign(ZERO_ROOM, self.end - start)
            value, low, high = math.log10(max(value, low)), math.log10(low), math.log10(high)
        share = (value - low) / (high - low)
        return start + min(1.0, max(0.0, share)) * (self.end - start)


def even(values: Sequence[float], form: Format, *, zero: bool = True, most: int = 6) -> Domain:
    """Make a domain of equal steps that ends at ticks, and begins at zero unless asked otherwise."""
    low, high = min(values, default=0.0), max(values, default=0.0)
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    ticks = round_steps(low, high, most, whole=whole(values) and not form.percent)
    return Domain(ticks[0], ticks[-1], tuple(ticks), tuple(form.along(ticks)))


def ratios(values: Sequence[float], form: Format, *, zero: bool = False, most: int = 8) -> Domain:
    """Make a logarithmic domain. Numbers below zero have no place on one, so their domain has equal steps."""
    positive = [value for value in values if value > 0]
    if not positive or min(values) < 0:
        return even(values, form, zero=zero)
    ticks = decades(min(positive), max(positive), most)
    texts = [written(tick, form) for tick in ticks]
    has_zero = zero or len(positive) < len(values)
    return Domain(ticks[0], ticks[-1], tuple(ticks), tuple(texts), log=True, zero=has_zero, zero_text=form(0.0))


def written(tick: float, form: Format) -> str:
    """Write a tick of ratios in full: here, unlike on labels, a tiny number is exact."""
    size = tick * (100 if form.percent else 1)
    if 1e-6 <= size < 1e-4:
        return f"{size:.6f}".rstrip("0") + ("%" if form.percent else "")
    return Format(percent=form.percent).exact(tick)


def within(values: Sequence[float], form: Format, room: float) -> Domain:
    """Make a domain that ends where the values end, as of a horizontal axis, with as many ticks as have room.

    A few values are ticks themselves: k = 2, 3, 5 and 10 are easier to find than 2, 4, 6, 8 and 10.
    """
    found = sorted(set(values))
    low, high = found[0], found[-1]
    if high - low < max(1e-200, 1e-9 * max(abs(low), abs(high))):
        ends = round_steps(low, high)
        aside = 0.5 if whole(found) and abs(low) < 1e6 else max(ends[-1] - high, low - ends[0], 1e-3)
        low, high = low - aside, high + aside
        return Domain(low, high, (found[0],), (form(found[0]),))
    if len(found) <= 12:
        wide = {value: width(form(value)) for value in found}
        if all((b - a) / (high - low) * room >= (wide[a] + wide[b]) / 2 + 4 for a, b in pairwise(found)):
            return Domain(low, high, tuple(found), tuple(form(value) for value in found))
    widest = max(width(form(value)) for value in found) + 10
    ticks = round_steps(low, high, max(1, min(10, int(room / widest))), whole=whole(found) and not form.percent)
    inside = [tick for tick in ticks if low - 1e-9 * abs(low) <= tick <= high + 1e-9 * abs(high)]
    texts = dict(zip(ticks, form.along(ticks), strict=True))
    return Domain(low, high, tuple(inside), tuple(texts[tick] for tick in inside))
