"""m-invariance: classes of m different confidential values, which are the same for a person release after release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.errors import GuaranteeError, ParameterError
from shoal.kernels import MISSING
from shoal.models.confidential import confidential
from shoal.models.monotone import Monotone
from shoal.parameters import settle, shown
from shoal.schema import Schema
from shoal.table import Classes, Table


@dataclass(frozen=True)
class MInvariance:
    """Classes can be divided into groups of at least m records, no two of which have the same confidential value.

    That is so if no value has more than one in m of the records of a class that show one. In a sequence of releases
    everybody's group also shows the same values in all of them, the *signature* of the person, who comes and goes in
    between. Then the groups of a person have m values in common, however many releases are laid side by side, and
    each is as likely as the others. `SameSignatures` keeps both. A released file shows the first; the second is shown
    by the files of all releases and their private records (``shoal check --like``).

    Records without a confidential value tell none: they are withheld, mostly in a class of their own.

    Parameters
    ----------
    m
        How many values, at least 2.
    column
        The confidential column; may be left out when there is only one.

    References
    ----------
    X. Xiao, Y. Tao: m-Invariance: towards privacy preserving re-publication of dynamic datasets, SIGMOD 2007,
    doi:10.1145/1247480.1247556.
    """

    name: ClassVar[str] = "m-invariance"
    of_records: ClassVar[bool] = True  # a person has one row: the file shows all that is counted
    m: int
    column: str | None = None

    def __post_init__(self) -> None:
        """Refuse an m that hides nothing."""
        settle(self)
        if isinstance(self.m, bool) or not isinstance(self.m, int | float) or self.m < 2 or self.m % 1:
            raise ParameterError(f"m must be a whole number of at least 2, not {shown(self.m)}.", "Write m=3.")

    @property
    def promised(self) -> float:
        """One in how many records of a class may have the same value."""
        return float(self.m)

    def carries(self, schema: Schema) -> tuple[str, ...]:
        """Name the confidential column."""
        return (confidential(schema, self.column, self.name),)

    def reference(self, table: Table) -> Any:
        """Give nothing: what is counted stands in each class."""

    def level(self, classes: Classes, schema: Schema, reference: Any) -> NDArray[np.float64]:
        """Say that one in so many records that show a value has the most frequent one; their number if none does."""
        secrets, number = classes.columns[self.carries(schema)[0]], classes.sizes.size
        of_class = np.repeat(np.arange(number, dtype=np.int64), classes.sizes)
        known = secrets != MISSING
        kinds, counts = np.unique((of_class[known] << 32) + secrets[known] + (1 << 31), return_counts=True)
        most = np.ones(number, np.int64)
        np.maximum.at(most, kinds >> 32, counts)
        valued = np.bincount(of_class[known], minlength=number)
        return np.where(valued > 0, valued // most, classes.sizes).astype(np.float64)

    def met(self, level: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell which classes keep it."""
        return level >= self.m

    def worst(self, level: NDArray[np.float64]) -> float:
        """Give the level of the class that has fewest."""
        return float(level.min())

    def monotone(self, schema: Schema) -> Monotone:
        """Say what merging does: two classes may have a value in common."""
        return "never"

    def demand(self, rows: int, subjects: int | None) -> None:
        """Refuse more than there are records, and several records of a person."""
        if self.m > rows:
            raise GuaranteeError(f"m = {self.m}, and there are only {rows:,} records.", "Lower m.")
        if subjects is not None and subjects < rows:
            raise GuaranteeError(
                f"{self.name} is for one record of each person, and {rows:,} records are of {subjects:,} people.",
                "Put the records of a person together first.",
            )

    def nearest(self, level: float) -> str:
        """Say what could be asked for."""
        return "Lower m."

    def sentence(self, level: float, schema: Schema) -> str:
        """Say how frequent a value is."""
        column = self.carries(schema)[0]
        if level < 2:
            return f"In some class more than every second record that shows '{column}' has the same, or one is alone."
        return f"In every class that shows '{column}', at most one in {level:,.0f} records has the same."

    def convention(self, schema: Schema) -> str:
        """Say what is counted."""
        return (
            "records per class that show a value over those of its most frequent one; records without any are withheld"
        )
