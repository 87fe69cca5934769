"""Errors that say what is wrong, where, and what to do next, and never show a cell: it may be someone's."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class ShoalError(Exception):
    """A mistake that the user can mend.

    Parameters
    ----------
    what
        What is wrong and where, in one sentence.
    remedy
        What to do next.
    """

    exit_code = 2

    def __init__(self, what: str, remedy: str = "") -> None:
        super().__init__(f"{what}\n{remedy}" if remedy else what)
        self.what = what
        self.remedy = remedy


class SchemaError(ShoalError):
    """A column is not there, or is not what it was said to be."""

    @classmethod
    def missing_column(cls, name: str, available: Iterable[str]) -> SchemaError:
        """Report a column that the table does not have, with the nearest name that it has."""
        names = list(available)
        if looks_like_a_record(names):
            return cls(f"There is no column '{name}'.", "Is the first line a header? It must name the columns.")
        near = suggest(name, names)
        hint = f"Did you mean '{near}'? " if near else ""
        return cls(f"There is no column '{name}'.", f"{hint}The columns are: {', '.join(names)}.")


class ParameterError(ShoalError):
    """A parameter has a value that makes no sense."""


class RoomError(ParameterError):
    """There is not enough memory or disk for what was asked."""


class DataError(ShoalError):
    """The data cannot be read, or cannot be written where it was asked for."""

    exit_code = 3


class GuaranteeError(ShoalError):
    """A promised privacy level does not hold, so nothing is released."""

    exit_code = 1


class CertificateError(ShoalError):
    """A certificate and a file do not belong together, or one of them was changed."""

    exit_code = 1


class InternalError(ShoalError):
    """Something that cannot happen did. This is a defect of shoal."""

    exit_code = 70


def looks_like_a_record(names: Iterable[str]) -> bool:
    """Tell whether names of columns may be someone's record, which is not shown: names do not begin like numbers."""
    return any(name[:1].isdigit() or name[:1] in ("-", "+", ".") for name in names)


def suggest(name: str, available: Iterable[str]) -> str | None:
    """Give the name that was probably meant, if one is near."""
    names = {other.casefold(): other for other in available}
    near = difflib.get_close_matches(name.casefold(), names, n=1, cutoff=0.6)
    return names[near[0]] if near else None
