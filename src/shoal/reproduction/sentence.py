"""What a sentence of the paper consists of when it is to be measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from shoal.reproduction.findings import Measured
from shoal.reproduction.numbers import Numbers

Kind = Literal["by construction", "calibrated", "validation", "tested"]


def _never(numbers: Numbers) -> str:
    return "A defect: please report it."


@dataclass(frozen=True)
class Sentence:
    """A sentence, how it is measured, and what may be said if it does not hold.

    Parameters
    ----------
    id, kind, text
        Its name, what it can show, and the sentence.
    measure
        Gives the number that decides, and what was found in words.
    holds, rule
        Whether a number is as the sentence says, and the same in words, with the reason for the threshold.
    published
        The number that the paper prints.
    otherwise
        What the numbers tell about why it does not hold.
    of_full_size
        Whether it is about 3,985,166 records, and not about tables of other lengths.
    about_discharges
        Whether it is about the discharges of California alone.
    """

    id: str
    kind: Kind
    text: str
    measure: Callable[[Numbers], Measured]
    holds: Callable[[float], bool]
    rule: str
    published: float | None = None
    otherwise: Callable[[Numbers], str] = _never
    of_full_size: bool = False
    about_discharges: bool = False
