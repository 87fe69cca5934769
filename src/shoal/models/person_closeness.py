"""Person closeness: what all rows of a person tell together is close to what the whole table tells."""

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

_ROUNDING = 1e-12


@dataclass(frozen=True)
class PersonCloseness(AcrossRows):
    """What an attacker who knows all rows of a person believes of a confidential value is within t of the whole table.

    The value is taken to stay with the person. By Bayes each value has the product of its shares in the classes of the
    person's rows, over its share in the table for each class but the first. The distance is the total variation, which
    no earth mover's distance exceeds. Methods that merge classes merge those of people who are farther. It needs a
    ``subject`` column, and is proved from a release with pseudonyms, or beside the original; else it is attested.

    Parameters
    ----------
    t
        The largest distance, above 0 and at most 1.
    column
        The confidential column; may be left out when there is only one.

    References
    ----------
    N. Li, T. Li, S. Venkatasubramanian: t-Closeness, ICDE 2007, doi:10.1109/ICDE.2007.367856. S. R. Ganta, S. P.
    Kasiviswanathan, A. Smith: Composition attacks and auxiliary information in data privacy, KDD 2008,
    doi:10.1145/1401890.1401926.
    """

    name: ClassVar[str] = "person-closeness"
    t: float
    column: str | None = None

    def __post_init__(self) -> None:
        """Refuse a t that is no distance."""
        settle(self)
        if isinstance(self.t, bool) or not isinstance(self.t, int | float) or not 0 < self.t <= 1:
            raise ParameterError(f"t must be above 0 and at most 1, not {shown(self.t)}.", "Write t=0.5.")

    @property
    def promised(self) -> float:
        """The largest distance."""
        return float(self.t)

    def level_of(self, common: CommonValues, known: ClassValues) -> Floats:
        """Give the total variation for each person; 1 where no value is in all classes."""
        number = common.starts.size - 1
        person = np.repeat(np.arange(number), np.diff(common.starts))
        above = np.maximum(common.shares - known.share[common.values], 0)
        level = np.bincount(person, weights=above, minlength=number)
        return np.where(np.diff(common.starts) > 0, level, 1.0)

    def met(self, level: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell who is close enough."""
        return level <= self.t + _ROUNDING

    def worst(self, level: NDArray[np.float64]) -> float:
        """Give the largest distance."""
        return float(level.max())

    def nearest(self, level: float) -> str:
        """Say that nothing stands in the way, unless cells without a value do."""
        return f"Ask for t of at least {level:.4g}."

    def sentence(self, level: float, schema: Schema) -> str:
        """Say how far the farthest person is."""
        column = confidential(schema, self.column, self.name)
        return f"What all rows of a person tell of '{column}' together is within {level:.4g} of the whole table."
