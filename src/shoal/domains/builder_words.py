"""How the words of a builder of hierarchies are read, and what is said where they mean nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from itertools import pairwise

GroupNames = list[list[str]]  # for each value, the names of the groups above it


class UnclearError(Exception):
    """A text that says nothing that could be built."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what)
        self.remedy = remedy


class UnsuitedError(UnclearError):
    """A text that says something which the values of the column do not allow."""


def whole_numbers(text: str, what: str, example: str) -> list[int]:
    """Read whole numbers of at least one, separated by commas."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise UnclearError(f"{what} are whole numbers of at least 1, separated by commas.", f"Write: {example}.")
    return [int(part) for part in parts]


def one_number(text: str) -> Decimal:
    """Read a number."""
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        raise UnclearError(
            "a number is expected, and there is something else.", "Write numbers such as 18 or 2.5."
        ) from None
    if not number.is_finite():
        raise UnclearError("a number is expected, and there is something else.", "Write numbers such as 18 or 2.5.")
    return number


def natural(value: str) -> tuple[int, float, str]:
    """Give the key by which values are sorted: numbers by their size, and then texts."""
    try:
        number = float(value)
    except ValueError:
        return 1, 0.0, value
    return (0, number, value) if math.isfinite(number) else (1, 0.0, value)


def insist_on_multiples(numbers: Sequence[int | Decimal], what: str) -> None:
    """Insist that levels lie within each other: each number is a multiple of the one before."""
    for before, after in pairwise(map(Decimal, numbers)):
        if after % before:
            raise UnclearError(
                f"each {what} must be a multiple of the one before: {after} is no multiple of {before}.",
                f"Groups must lie within those above them: write {before},{(after // before + 1) * before}.",
            )
