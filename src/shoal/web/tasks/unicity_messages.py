"""What is given of people with several rows: whom a few known points single out."""

from __future__ import annotations

from shoal.web.tasks.messages import Message


class KnownPoints(Message):
    """What so many known points are worth.

    Attributes
    ----------
    points
        How many are known.
    people
        Of whom the share is a mean: all who have so many, or those who were drawn.
    share, smallest
        The unicity, and how many candidates are left at least; None where nobody has so many.
    exact, interval
        Whether all sets of points were counted; else the 95 % interval of the share.
    """

    points: int
    people: int
    share: float | None
    smallest: int | None
    exact: bool
    interval: tuple[float, float] | None = None


class UnicitySummary(Message):
    """Whom known points single out in a table whose rows belong to people.

    Attributes
    ----------
    subject
        The column that tells people apart.
    records, people, empty
        How many rows and people there are, and how many of these have no point.
    points, distinct, longest
        How many points people have together, how many different ones there are, and the most that one person has.
    unicity
        The share of people who are singled out, by how many points are known.
    """

    subject: str
    records: int
    people: int
    empty: int
    points: int
    distinct: int
    longest: int
    unicity: tuple[KnownPoints, ...]
