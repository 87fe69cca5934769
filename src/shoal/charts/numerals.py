"""Numbers in drawings: how they are written, and which of them stand along an axis."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from shoal.languages import N_, _, written

GAP = "n/a"
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_LARGEST = 1e200  # beyond these two, differences and ratios of numbers could overflow
_TINIEST = 1e-200


def finite(value: Any) -> float | None:
    """Give a value as a number that can be drawn, or None if it is missing, infinite or no number.

    >>> finite(3), finite(float("nan")), finite("many")
    (3.0, None, None)
    """
    if value is None or isinstance(value, str | bytes):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    if not abs(number) < _LARGEST:  # NaN is not below anything
        return None
    return math.copysign(max(abs(number), _TINIEST), number) if number else 0.0  # -0.0 is zero, too


@dataclass(frozen=True)
class Format:
    """How the numbers of a column are written.

    Parameters
    ----------
    percent
        The numbers are shares of one, and are written in percent.
    unit
        What is counted or measured, such as ``years``.
    signed
        Positive numbers carry a plus sign, as differences do.
    decimals
        All numbers have so many decimals, as correlations do.
    """

    percent: bool = False
    unit: str = ""
    signed: bool = False
    decimals: int | None = None

    def __call__(self, value: float | None) -> str:
        """Write a number as short as it can be without misleading: what is not zero never looks like zero.

        >>> [Format(percent=True)(share) for share in (0.746, 0.0005, 0.00002, 0.99999, 1)]
        ['74.6%', '0.05%', '< 0.01%', '> 99.9%', '100%']
        >>> [Format()(number) for number in (1542950, 0.12345, -2.5, None)]
        ['1,542,950', '0.123', '−2.5', 'n/a']
        """
        if value is None:
            return GAP
        if self.decimals is not None:
            return written(self._fixed(value, self.decimals))
        if not self.percent:
            return written(self._plain(value, 4))
        return written(self._share(value, 1 if abs(value) >= 0.1 else 2))

    def short(self, value: float | None) -> str:
        """Write a number for a small place.

        >>> Format().short(568394), Format(percent=True).short(0.746), Format(percent=True).short(0.0005)
        ('568k', '75%', '< 1%')
        """
        if value is None:
            return GAP
        if self.decimals is not None:
            return written(self._fixed(value, max(1, self.decimals - 1)))
        if self.percent:
            return written(self._share(value, 0))
        return written(self._sign(value) + _compact(abs(value)) if abs(value) >= 10_000 else self._plain(value, 2))

    def exact(self, value: float | None) -> str:
        """Write a number for a table, with its unit and as many digits as anyone will want."""
        if value is None:
            return GAP
        if self.percent:
            return written(self._sign(value) + _plainly(abs(value) * 100, 6) + "%")
        return written(self._sign(value) + _plainly(abs(value), 6)) + (f"\u00a0{self.unit}" if self.unit else "")

    def along(self, ticks: list[float]) -> list[str]:
        """Write the numbers along an axis, all with the same number of decimals."""
        factor = 100 if self.percent else 1
        step = min((abs(b - a) * factor for a, b in pairwise(ticks)), default=1.0) or 1.0
        largest = max((abs(tick) * factor for tick in ticks), default=1.0)
        end = "%" if self.percent else ""
        if largest >= 1e7 or step < 1e-6:
            return [written(self._sign(tick) + _compact(abs(tick) * factor) + end) for tick in ticks]
        decimals = max(0, -math.floor(math.log10(step) + 1e-9))
        return [written(f"{self._sign(tick)}{abs(tick) * factor:,.{decimals}f}{end}") for tick in ticks]

    def _sign(self, value: float) -> str:
        return "−" if value < 0 else "+" if self.signed and value > 0 else ""

    def _fixed(self, value: float, decimals: int) -> str:
        return (
            f"{self._sign(value)}{abs(value):,.{decimals}f}"
            if abs(value) >= 0.5 * 10.0**-decimals or not value
            else "≈ 0"
        )

    def _plain(self, value: float, decimals: int) -> str:
        size = abs(value)
        if 0 < size < 10.0**-decimals:
            return f"{'> −' if value < 0 else '< '}{10.0**-decimals:.{decimals}f}"
        return self._sign(value) + _plainly(size, 3, decimals)

    def _share(self, value: float, decimals: int) -> str:
        size = abs(value) * 100
        least = 10.0**-decimals
        if 0 < size < least:
            return f"{'> −' if value < 0 else '< '}{least:.{decimals}f}%"
        if 99 < size < 100 and round(size, decimals) == 100:
            return f"{'< −' if value < 0 else '> '}{100 - least:.{decimals}f}%"
        return f"{self._sign(value)}{_trim(f'{size:,.{decimals}f}')}%" if size < 1e7 else f"{_compact(size)}%"


def _plainly(size: float, digits: int, decimals: int = 9) -> str:
    """Write a number that is not negative: whole numbers whole, others with so many significant digits."""
    if size >= 1e15 or 0 < size < 10.0**-decimals:
        return _compact(size)
    if size == int(size):
        return f"{size:,.0f}"
    wanted = max(0, digits - 1 - math.floor(math.log10(size)))
    return _trim(f"{size:,.{min(wanted, decimals)}f}")


def _trim(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _compact(size: float) -> str:
    """Write a number that is not negative with three digits and a letter or a power of ten."""
    if size == 0:
        return "0"
    for least, end in ((1e9, N_("%(number)sbn")), (1e6, N_("%(number)sM")), (1e3, N_("%(number)sk"))):
        if least <= float(f"{size:.3g}") < 1e12:
            decimals = max(0, 2 - math.floor(math.log10(size / least) + 1e-12))
            return _(end, number=_trim(f"{size / least:.{decimals}f}"))
    if 1e-4 <= size < 1e12:
        return _trim(f"{size:.{max(0, 2 - math.floor(math.log10(size)))}f}")
    mantissa, power = f"{size:.2e}".split("e")
    return f"{_trim(mantissa)}×10{str(int(power)).translate(_SUPERSCRIPTS)}"


def round_steps(low: float, high: float, most: int = 6, *, whole: bool = False) -> list[float]:
    """Give numbers in steps of 1, 2 or 5 times a power of ten that reach from at most ``low`` to at least ``high``.

    >>> round_steps(0, 87), round_steps(-0.3, 0.41)
    ([0.0, 20.0, 40.0, 60.0, 80.0, 100.0], [-0.4, -0.2, 0.0, 0.2, 0.4, 0.6])
    """
    if high - low < max(_TINIEST, 1e-9 * max(abs(low), abs(high))):
        room = max(abs(low), abs(high)) / 10 if max(abs(low), abs(high)) > _TINIEST else 1.0
        low, high = (0.0, 1.0) if room == 1.0 else (low - room, high + room)
    power = math.floor(math.log10((high - low) / max(1, most)))
    for exponent in range(power, power + 3):
        for digit in (1, 2, 5):
            step = digit * 10.0**exponent
            if whole and step < 1:
                continue
            first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
            if last - first <= most:
                break
        else:
            continue
        break
    if exponent < 0:  # divided, not multiplied: 3 / 10 is the number that people write as 0.3
        return [place * digit / 10.0**-exponent for place in range(first, last + 1)]
    return [place * digit * 10.0**exponent for place in range(first, last + 1)]


def decades(low: float, high: float, most: int = 8) -> list[float]:
    """Give positive numbers for a logarithmic axis that reach from at most ``low`` to at least ``high``.

    >>> decades(3, 4200)
    [1.0, 10.0, 100.0, 1000.0, 10000.0]
    >>> decades(3, 40)
    [2.0, 5.0, 10.0, 20.0, 50.0]
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    if last - first <= 2:
        steps = [digit * 10.0**power for power in range(first, last + 1) for digit in (1, 2, 5)]
        below = [step for step in steps if step <= low * (1 + 1e-9)]
        above = [step for step in steps if step >= high * (1 - 1e-9)]
        found = [step for step in steps if below[-1] <= step <= above[0]]
        return found if len(found) > 1 else [found[0], found[0] * 10]
    every = math.ceil((last - first) / most)
    return [10.0**power for power in range(first, last + every, every)]
