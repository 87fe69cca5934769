"""Bins of time as calendars have them: hours, days, months, quarters, years, decades, centuries."""

from __future__ import annotations

from collections.abc import Callable
from datetime import MAXYEAR, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

_EPOCH = datetime(1970, 1, 1)
_STEPS = {"date": timedelta(days=1), "datetime": timedelta(microseconds=1)}  # what positions or values count
Follow = Callable[[datetime], datetime]


def calendar_bins(first: float, last: float, most: int, kind: str) -> tuple[NDArray[np.float64], list[str]]:
    """Lay at most so many bins over a stretch of time, and give their edges and their names.

    >>> calendar_bins(14245, 14600, 6, "date")[1]
    ['2009 Q1', '2009 Q2', '2009 Q3', '2009 Q4']
    """
    step = _STEPS[kind]
    start, end = (_moment(number, step) for number in (min(first, last), max(first, last)))
    units = _UNITS[kind == "date" :]
    moments, written = next(
        (moments, written)
        for floor, follow, written in units
        if len(moments := _moments(floor(start), end, follow, most)) <= most + 1 or follow is units[-1][1]
    )
    edges = np.array([(moment - _EPOCH) / step for moment in moments])
    return edges, [written(moment) for moment in moments[:-1]]


def _moment(number: float, step: timedelta) -> datetime:
    """Give a moment of the calendar; the last ones are so many steps away that floats may lie beyond them."""
    limits = (datetime.min - _EPOCH) // step, (datetime.max - _EPOCH) // step
    return _EPOCH + min(max(int(number), limits[0]), limits[1]) * step


def _moments(first: datetime, end: datetime, follow: Follow, most: int) -> list[datetime]:
    """Give where bins begin, and where the last one ends; or too many of them, if it is too many."""
    moments = [first, follow(first)]
    while moments[-1] <= end and len(moments) <= most + 1 and (after := follow(moments[-1])) > moments[-1]:
        moments.append(after)
    return moments


def _years(moment: datetime, step: int) -> datetime:
    return datetime(max(1, moment.year // step * step), 1, 1)


def _years_on(step: int) -> Follow:
    return lambda moment: datetime(min(MAXYEAR, moment.year // step * step + step), 1, 1)


def _months_on(step: int) -> Follow:
    def follow(moment: datetime) -> datetime:
        months = moment.year * 12 + moment.month - 1 + step
        return datetime(min(MAXYEAR, months // 12), months % 12 + 1, 1)

    return follow


def _on(step: timedelta) -> Follow:
    return lambda moment: moment + step if moment < datetime.max - step else moment


# How a moment is brought to the beginning of its bin, where the next one begins, and how a bin is called.
_UNITS: tuple[tuple[Follow, Follow, Callable[[datetime], str]], ...] = (
    (lambda m: m.replace(minute=0, second=0, microsecond=0), _on(timedelta(hours=1)), lambda m: f"{m:%m-%d %H}h"),
    (lambda m: datetime(m.year, m.month, m.day), _on(timedelta(days=1)), lambda m: m.date().isoformat()),
    (lambda m: datetime(m.year, m.month, 1), _months_on(1), lambda m: f"{m.year}-{m.month:02}"),
    (
        lambda m: datetime(m.year, (m.month - 1) // 3 * 3 + 1, 1),
        _months_on(3),
        lambda m: f"{m.year} Q{(m.month + 2) // 3}",
    ),
    (lambda m: _years(m, 1), _years_on(1), lambda m: f"{m.year}"),
    (lambda m: _years(m, 10), _years_on(10), lambda m: f"{m.year // 10}0s"),
    (lambda m: _years(m, 100), _years_on(100), lambda m: f"{m.year // 100}00s"),
    (lambda m: _years(m, 1000), _years_on(1000), lambda m: f"{m.year // 1000}000s"),
)
