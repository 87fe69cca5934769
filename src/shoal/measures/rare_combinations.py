"""Rare combinations: what few records have in a few attributes together."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import ClassVar

import numpy as np

from shoal.arrays import Flags
from shoal.errors import ParameterError
from shoal.kernels.grouping import count_labels, label_rows
from shoal.measures import Direction, Score
from shoal.models.agreeing_records import shown_cells
from shoal.parameters import settle
from shoal.table import Table

_MOST = 100_000  # sets of attributes


@dataclass(frozen=True)
class RareCombinations:
    """The share of records that have values in a few attributes together which fewer records have than so many.

    All sets of up to ``size`` attributes are gone through. The detail counts, for each size, the combinations that are
    rare, and the records in them; a record in two of them counts twice there, and once in the share.

    Parameters
    ----------
    size
        How many attributes are known at most.
    fewer
        How many records have a combination that is not rare, 2 or more.
    known
        Of which attributes; of all quasi-identifiers if left out.

    References
    ----------
    M. J. Elliot, A. M. Manning, R. W. Ford: A computational algorithm for handling the special uniques problem,
    International Journal of Uncertainty, Fuzziness and Knowledge-Based Systems 10(5), 2002,
    doi:10.1142/S0218488502001600.
    """

    name: ClassVar[str] = "rare-combinations"
    direction: ClassVar[Direction] = "lower is safer"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    size: int = 3
    fewer: int = 3
    known: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse what no combination can be."""
        settle(self)
        for what, given, least in (("size", self.size, 1), ("fewer", self.fewer, 2)):
            if isinstance(given, bool) or not isinstance(given, int) or given < least:
                raise ParameterError(f"'{what}' is a whole number of at least {least}.", f"Write {what}={least}.")

    def look(self, released: Table) -> Score:
        """Count the rare combinations of each size."""
        codes, _, counts = shown_cells(released, "own", self.known)
        columns, records = codes.shape[1], int(counts.sum())
        if sum(comb(columns, size) for size in range(1, self.size + 1)) > _MOST:
            raise ParameterError(f"There are more than {_MOST:,} sets of attributes.", "Ask for a smaller size.")
        rare: Flags = np.zeros(counts.size, np.bool_)
        by_size: dict[str, list[int]] = {}
        for size in range(1, min(self.size, columns) + 1):
            found = [0, 0]
            for some in combinations(range(columns), size):
                labels, groups = label_rows(codes, codes, np.array(some, np.int64))
                had = count_labels(labels, groups, counts)
                few = had < self.fewer
                found = [found[0] + int(few.sum()), found[1] + int(had[few].sum())]
                rare |= few[labels]
            by_size[str(size)] = found
        share = int(counts[rare].sum())
        detail = {"records": records, "fewer": self.fewer, "rare": share, "combinations_and_records": by_size}
        return Score.exact(self.name, share / records, detail)
