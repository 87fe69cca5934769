"""What is asked and given of the rows that are at risk, each with its reasons."""

from __future__ import annotations

from shoal.web.tasks.messages import Message, RolesRequest


class ReasonsRequest(RolesRequest):
    """List rows at risk, which are in groups of fewer than so many: so many of them.

    Attributes
    ----------
    values
        Whether what the quasi-identifiers say of these is given, too: cells of people, for who asks for them.
    list_file
        What the list of all of them is called, if it is to be written.
    """

    fewer: int
    listed: int = 100
    values: bool = False
    list_file: str = ""


class ReasonRow(Message):
    """A row at risk by its number from 1 on, the size of its group, its smallest sets, and which columns help it."""

    number: int
    group: int
    sets: tuple[tuple[str, ...], ...]
    helps: tuple[str, ...]
    values: tuple[str, ...] = ()


class ReasonsSummary(Message):
    """The rows at risk.

    Attributes
    ----------
    rows, at_risk, fewer
        How many rows there are, how many are at risk, and in groups of fewer than how many.
    listed
        Rows at risk, those in the smallest groups first. No cell of them is here that was not asked for.
    names
        The quasi-identifiers, if their values were asked for.
    list_file
        What the list of all is called, if it was written.
    """

    rows: int
    at_risk: int
    fewer: int
    listed: tuple[ReasonRow, ...]
    names: tuple[str, ...] = ()
    list_file: str = ""
