"""Public grids: where ends of ranges may lie, whatever the data are: multiples of a number, limits of months."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Array, Flags, Integers, Positions
from shoal.domains.axis import Axis
from shoal.errors import ParameterError
from shoal.kernels import MISSING, TOP
from shoal.parameters import shown

GridStep = int | float | str
# Months of a unit that is made of them; of the others, days or microseconds.
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
_DAY = 86_400_000_000
_WITHIN_DAYS = {"minute": 60_000_000, "hour": 3_600_000_000}
UNITS = (*_WITHIN_DAYS, "day", "week", *_MONTHS)
_OF_DATES = ("week", *_MONTHS)
_FIRST, _LAST = -719_162, 2_932_896  # days of the years 1 to 9999, which are all that can be written
_EXACT = 1 << 53  # whole numbers up to which floats hold all
_LARGE = 1 << 62


def refuse_no_step(step: object) -> None:
    """Refuse what is neither the distance of two points of a grid nor a unit of time."""
    if isinstance(step, str):
        if step not in UNITS:
            raise ParameterError(f"Ends of ranges cannot be rounded to {shown(step)}.", f"Say {', '.join(UNITS)}.")
    elif isinstance(step, bool) or not isinstance(step, int | float) or not (0 < step < math.inf):
        raise ParameterError(f"Ends are rounded to multiples of a number above 0, not of {shown(step)}.", "Write 5.")
    elif _parts(step)[0] > _EXACT or _parts(step)[1] > 10**22:
        raise ParameterError(
            "Multiples of such a number are too close together, or too far apart.", "Write fewer digits."
        )


def suits(axis: Axis, step: GridStep) -> bool:
    """Tell whether ranges of a column have ends on such a grid.

    >>> suits(Axis("date"), "month"), suits(Axis("date"), 5), suits(Axis("integer"), 0.5)
    (True, False, False)
    """
    if axis.tree is not None or not axis.numeric:
        return False
    if axis.kind in ("date", "datetime"):
        return step in (_OF_DATES if axis.kind == "date" else UNITS)
    return not isinstance(step, str) and (axis.kind == "float" or float(step).is_integer())


def rounded(axis: Axis, step: GridStep, values: Array, *, up: bool) -> tuple[Array, Flags]:
    """Give the next points of a grid below values, or above; and which of them can be written.

    A range of dates ends with the last day of a unit, one of times with the first moment of the next.
    """
    if axis.kind == "date":
        found = _days(values, str(step), up=up)
        return found, (found >= _FIRST) & (found <= _LAST)
    if axis.kind == "datetime":
        found = _moments(values, str(step), up=up)
        return found, (found >= _FIRST * _DAY) & (found < (_LAST + 1) * _DAY)
    assert not isinstance(step, str)
    if axis.kind == "float":
        return _floats(values, *_parts(step), up=up)
    size = int(step)
    sure = np.abs(values) < _LARGE - size if size < _LARGE else np.zeros(values.shape, np.bool_)
    inside = np.where(sure, values, 0).astype(np.int64)
    found = -(-inside // size) * size if up else inside // size * size
    return found, sure & (np.abs(found) < _LARGE if axis.values is not None else (found > MISSING) & (found < TOP))


def numbers_at(axis: Axis, positions: Positions) -> Array:
    """Give the numbers, days or microseconds at positions."""
    return positions.astype(np.int64) if axis.values is None else np.asarray(axis.values)[positions]


def on_grid(axis: Axis, step: GridStep, positions: Positions, *, up: bool) -> Flags:
    """Tell which ends of ranges lie on a grid."""
    values = numbers_at(axis, positions)
    found, written = rounded(axis, step, values, up=up)
    there: Flags = written & (found == values)
    return there


def in_words(step: GridStep) -> str:
    """Say where ends lie.

    >>> in_words(5), in_words("month")
    ('multiples of 5', 'limits of months')
    """
    return f"limits of {step}s" if isinstance(step, str) else f"multiples of {step:g}"


def _parts(step: float) -> tuple[int, int]:
    """Give a number as a fraction, as it is written."""
    return Fraction(repr(step)).as_integer_ratio()


def _days(values: Integers, unit: str, *, up: bool) -> Integers:
    days = values.astype(np.int64)
    if unit == "day":
        return days
    if unit == "week":  # the first of January 1970 was a Thursday
        return (days + 3) // 7 * 7 - 3 + (6 if up else 0)
    months = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) // _MONTHS[unit] * _MONTHS[unit]
    start = (months + _MONTHS[unit] if up else months).astype("datetime64[M]").astype("datetime64[D]")
    return start.astype(np.int64) - (1 if up else 0)


def _moments(values: Integers, unit: str, *, up: bool) -> Integers:
    moments = values.astype(np.int64)
    if unit in _WITHIN_DAYS:
        size = _WITHIN_DAYS[unit]
        return -(-moments // size) * size if up else moments // size * size
    days = moments // _DAY
    below = _days(days, unit, up=False) * _DAY
    return np.where(moments == below, below, (_days(days, unit, up=True) + 1) * _DAY) if up else below


def _floats(values: NDArray[np.float64], top: int, bottom: int, *, up: bool) -> tuple[NDArray[np.float64], Flags]:
    """Give multiples of top/bottom, each the float that is nearest to it, as it is read."""
    least = _EXACT // top

    def multiple(number: NDArray[np.float64]) -> NDArray[np.float64]:
        return number * top / bottom

    with np.errstate(over="ignore", invalid="ignore"):
        number = np.floor(values / (top / bottom))
        sure = np.abs(number) < least - 2
        number = np.where(sure, number, 0.0)
        number -= multiple(number) > values  # the quotient was rounded
        number += multiple(number + 1) <= values
        number += up & (multiple(number) < values)
    return multiple(number) + 0.0, sure
