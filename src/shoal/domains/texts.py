"""The distinct texts of a column: where they were found, how they are to be read, and what each looks like."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from shoal.domains import notation
from shoal.domains.axis import NOTHING, STAR, AxisKind
from shoal.domains.foreign_notation import ForeignColumn
from shoal.domains.hierarchy import Hierarchy
from shoal.errors import DataError


@dataclass(frozen=True)
class Reading:
    """How texts are to be read: what was declared for a column, and what holds for the whole file."""

    kind: AxisKind | None = None
    order: tuple[str, ...] | None = None
    missing: frozenset[str] = frozenset({""})
    decimal: str | None = None
    strict: bool = True
    hierarchy: str | Hierarchy | None = None
    leaves: bool = False  # whether only values of the hierarchy may stand there, no other nodes
    released: bool = False  # whether it is a release, of which single values keep or lack their brackets as they stand
    canonical: bool = False  # whether every text must be the one that a release has for its cell
    masked: bool | None = True  # whether 937** and * hide something; if that was not said, there must be none
    thousands: str | None = None
    stands_for: Mapping[str, str] = field(default_factory=dict)  # what some texts of a release stand for: 90+ for 90
    foreign: ForeignColumn | None = None  # what its original says of a column that another tool released
    dates: str | None = None  # the order of day, month and year where dates are not ISO: dmy, mdy or ymd

    def shows_means(self, found: str) -> bool:
        """Tell whether a release has numbers with decimals where its original has whole ones, as means are."""
        return self.released and not self.canonical and self.kind == "integer" and found == "float"


@dataclass(frozen=True)
class Texts:
    """The distinct texts of a column, how often each occurs and on which line it is first seen."""

    column: str
    texts: Sequence[str]
    counts: Sequence[int]
    lines: Sequence[int]


@dataclass(frozen=True)
class Looks:
    """The distinct texts of a column taken apart: the form of each, and the texts at its two ends.

    Columns may have millions of distinct texts, so they are handled together wherever that is possible.
    """

    texts: list[str]
    forms: NDArray[np.int8]
    lows: list[str]
    highs: list[str]
    marked: bool = True  # whether a backslash marks a name, and is no part of it

    @classmethod
    def of(cls, texts: list[str], missing: frozenset[str], *, masked: bool = True) -> Looks:
        """Take texts apart."""
        forms = np.full(len(texts), notation.EXACT, np.int8)
        lows, highs = texts, texts
        special = [i for i, text in enumerate(texts) if text in missing or text[0] in "[{" or text[-1] == "*"]
        if special:
            lows, highs = texts.copy(), texts.copy()
        for i, (low, high) in zip(special, notation.ends_of([texts[i] for i in special]), strict=True):
            lows[i], highs[i] = low, high
        forms[special] = notation.RANGE
        for i in [i for i in special if not lows[i] or texts[i] in missing]:
            forms[i], lows[i], highs[i] = notation.take_apart(texts[i], missing, masked=masked)
        return cls(texts, forms, lows, highs, masked)

    def name(self, place: int) -> str:
        """Give a text as the name of a category."""
        return notation.unescaped(self.texts[place]) if self.marked else self.texts[place]

    def names(self, places: Sequence[int]) -> list[str]:
        """Give texts as the names of categories, of which there may be millions."""
        texts = self.texts if len(places) == len(self.texts) else [self.texts[i] for i in places]
        if not self.marked or "\\" not in "".join([text[0] for text in texts]):
            return texts
        return [notation.unescaped(text) for text in texts]

    def ends(self) -> tuple[NDArray[np.int64], list[str], list[str]]:
        """Give the cells that have ends, and the ends."""
        with_ends = np.isin(self.forms, (notation.EXACT, notation.RANGE))
        if with_ends.all():
            return np.arange(len(self.texts)), self.lows, self.highs
        places = np.flatnonzero(with_ends | (self.forms == notation.PREFIX))
        return places, [self.lows[i] for i in places], [self.highs[i] for i in places]

    def written(self, ends: dict[str, str]) -> Looks:
        """Give the same cells with some ends written in another way."""
        lows, highs = ([ends.get(text, text) for text in side] for side in (self.lows, self.highs))
        return replace(self, lows=lows, highs=highs)

    @property
    def ranged(self) -> bool:
        """Whether any cell is written as a range."""
        return bool((self.forms == notation.RANGE).any())

    @property
    def sets(self) -> bool:
        """Whether any cell is a set of categories."""
        return bool((self.forms == notation.SET).any())

    def blank(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Give cells that are all missing, but for the wildcards."""
        lo = np.full(len(self.texts), NOTHING[0], np.int32)
        hi = np.full(len(self.texts), NOTHING[1], np.int32)
        hi[self.forms == notation.WILD] = STAR[1]
        return lo, hi


def insist_on_saying(found: Texts, looks: Looks, known: Collection[str] = ()) -> None:
    r"""Refuse cells such as 3* or \N that are meant as in a release or as they stand, unless they are known names."""
    hidden = np.flatnonzero(np.isin(looks.forms, (notation.WILD, notation.PREFIX))).tolist()
    marked = [i for i, text in enumerate(looks.texts) if text[:1] == "\\" and looks.forms[i] != notation.NOTHING]
    for odd, what in ((hidden, "end in an asterisk"), (marked, "begin with a backslash")):
        cells = sum(found.counts[i] for i in odd if looks.texts[i] not in known)
        if cells:
            raise DataError(
                f"Column '{found.column}' has cells that {what} ({cells:,} of them).",
                "Say whether they are meant as in a release, where 3* is any value that begins so, * any value at all, "
                "and a backslash marks a name (--masked), or are values as they stand (--no-masked).",
            )
