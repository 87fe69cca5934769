"""What is asked and given of the reasons why rows are at risk."""

from __future__ import annotations

from shoal.web.tasks.messages import Message, RolesRequest


class ReasonsRequest(RolesRequest):
    """Find why rows are at risk that are in groups of fewer than so many, and list so many of them."""

    fewer: int = 2
    listed: int = 100


class ReasonAttribute(Message):
    """How many rows are at risk by sets with a column, and how many would not be without it."""

    name: str
    touched: int
    freed: int


class ReasonSet(Message):
    """A smallest set of columns that puts rows at risk, and how many."""

    columns: tuple[str, ...]
    rows: int


class ReasonRow(Message):
    """A row at risk by its number from 1 on, the size of its group, its smallest sets, and which columns help it."""

    number: int
    group: int
    sets: tuple[tuple[str, ...], ...]
    helps: tuple[str, ...]


class ReasonsSummary(Message):
    """Why rows are at risk.

    Attributes
    ----------
    rows, at_risk, fewer
        How many rows there are, how many are at risk, and in groups of fewer than how many.
    size, columns
        Up to how many of the columns sets were looked at.
    attributes
        What columns do; those that free most rows come first.
    sets
        The sets that put most rows at risk.
    listed
        Rows at risk, those in the smallest groups first. No cell of them is here.
    """

    rows: int
    at_risk: int
    fewer: int
    size: int
    columns: int
    attributes: tuple[ReasonAttribute, ...]
    sets: tuple[ReasonSet, ...]
    listed: tuple[ReasonRow, ...]
