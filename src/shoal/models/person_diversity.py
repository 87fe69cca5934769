"""Person diversity: all rows of a person together leave at least l confidential values open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Floats
from shoal.errors import ParameterError
from shoal.models.across_rows import AcrossRows, ClassValues, CommonValues
from shoal.models.confidential import confidential
from shoal.parameters import settle, shown
from shoal.schema import Schema


@dataclass(frozen=True)
class PersonDiversity(AcrossRows):
    """At least l confidential values occur in every class that a person has a row in, for everybody with several rows.

    k-anonymity and l-diversity are about single classes. Who knows all visits of a person and looks at their classes
    together finds only the values that all of these have: a diagnosis that stays with the person is often the only one.
    Methods that merge classes merge those of such people with their neighbours until l values are left to everybody. It
    needs a ``subject`` column, and is proved from a release with pseudonyms or beside the original, and else attested.

    Parameters
    ----------
    l
        How many values, at least 2.
    column
        The confidential column; may be left out when there is only one.

    References
    ----------
    S. R. Ganta, S. P. Kasiviswanathan, A. Smith: Composition attacks and auxiliary information in data privacy, KDD
    2008, doi:10.1145/1401890.1401926.
    """

    name: ClassVar[str] = "person-diversity"
    l: int  # noqa: E741 - as the model calls it
    column: str | None = None

    def __post_init__(self) -> None:
        """Refuse levels that mean nothing."""
        settle(self)
        if isinstance(self.l, bool) or not isinstance(self.l, int | float) or self.l < 2 or self.l % 1:
            raise ParameterError(f"l must be a whole number of at least 2, not {shown(self.l)}.", "Write l=2.")

    @property
    def promised(self) -> float:
        """How many values are left to everybody."""
        return float(self.l)

    def level_of(self, common: CommonValues, known: ClassValues) -> Floats:
        """Count the values that all classes of each person have."""
        return np.diff(common.starts).astype(np.float64)

    def met(self, level: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell who has values enough."""
        return level >= self.l

    def worst(self, level: NDArray[np.float64]) -> float:
        """Give how many values are left to whom fewest are."""
        return float(level.min())

    def nearest(self, level: float) -> str:
        """Say what the whole table could promise."""
        return f"Ask for l of at most {level:.0f}."

    def sentence(self, level: float, schema: Schema) -> str:
        """Say how many values are left."""
        column = confidential(schema, self.column, self.name)
        if level < 2:
            return f"All classes of somebody's rows together have at most one value of '{column}' in common."
        return f"At least {level:.0f} values of '{column}' are in all classes of the rows of each person."
