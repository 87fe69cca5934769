"""Moments as the reader writes them: Nov 9, 2026, 02:05:03 UTC is 09.11.2026, 02:05:03 UTC in German."""

from __future__ import annotations

from datetime import UTC, datetime

from shoal.languages.speech import ENGLISH, current


def moment(at: str) -> str:
    """Write a moment that is given as ISO 8601 says; it is told in UTC, whose name stands with it.

    >>> from shoal.languages import languages, speaking
    >>> moment("2026-11-09T03:05:03+01:00")
    'Nov 9, 2026, 02:05:03 UTC'
    >>> with speaking(languages()["de"]):
    ...     moment("2026-11-09T02:05:03+00:00")
    '09.11.2026, 02:05:03 UTC'
    """
    time = datetime.fromisoformat(at).astimezone(UTC)
    language = current()
    if language == ENGLISH:
        return f"{_MONTHS[time.month - 1]} {time.day}, {time:%Y, %H:%M:%S} UTC"
    from babel.dates import format_datetime  # which every other language needs to be there at all

    return f"{format_datetime(time, 'medium', locale=language.code)} UTC"


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
