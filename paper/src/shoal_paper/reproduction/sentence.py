"""What a sentence of the paper consists of when it is to be measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from shoal_paper.reproduction.findings import Measured
from shoal_paper.reproduction.numbers import Numbers

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
    by_other_key
        Its kind in the other reading of Table S3; None if it does not hang on that. Calibrated are also the numbers by
        which that reading was found.
    otherwise_by_other_key
        What the numbers tell about why it does not hold in that reading; as in the first if left out.
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
    by_other_key: Kind | None = None
    otherwise_by_other_key: Callable[[Numbers], str] | None = None

    @property
    def other(self) -> Sentence | None:
        """The sentence in the other reading of Table S3."""
        if self.by_other_key is None:
            return None
        return replace(
            self,
            id=f"{self.id}-without-stay",
            kind=self.by_other_key,
            text=f"{self.text.removesuffix('.')}; records masked if unique whatever their length of stay.",
            otherwise=self.otherwise_by_other_key or self.otherwise,
        )
