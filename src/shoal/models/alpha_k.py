"""(α, k)-anonymity: no value of what is confidential makes up more than a share α of a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.errors import GuaranteeError, ParameterError
from shoal.kernels.diversity import diversity
from shoal.models.confidential import bins_of, confidential
from shoal.schema import Schema
from shoal.table import Classes, Table


@dataclass(frozen=True)
class AlphaK:
    """No confidential value has more than a share alpha of any class. With `KAnonymity` it is (α, k)-anonymity.

    Cells without a value may be anything and count to the most frequent value.

    Parameters
    ----------
    alpha
        The largest share, above 0 and at most 1.
    column
        The confidential column; may be left out when there is only one.

    References
    ----------
    R. C.-W. Wong, J. Li, A. W.-C. Fu, K. Wang: (α, k)-Anonymity, KDD 2006, doi:10.1145/1150402.1150499.
    """

    name: ClassVar[str] = "alpha-k"
    alpha: float
    column: str | None = None

    def __post_init__(self) -> None:
        """Refuse what is no share."""
        if isinstance(self.alpha, bool) or not isinstance(self.alpha, (int, float)) or not 0 < self.alpha <= 1:
            raise ParameterError(
                f"alpha must be above 0 and at most 1, not {self.alpha}.", "Typical values are 0.3 to 0.7."
            )

    def carries(self, schema: Schema) -> tuple[str, ...]:
        """Name the confidential column."""
        return (confidential(schema, self.column, self.name),)

    def reference(self, table: Table) -> Any:
        """Give the distinct values of the column."""
        return table.counts(confidential(table.schema, self.column, self.name))[0]

    def nearest(self, level: float) -> str:
        """Say what the whole table could promise."""
        return f"Ask for alpha of at least {level:.4g}."

    def level(self, classes: Classes, schema: Schema, reference: Any) -> NDArray[np.float64]:
        """Give the share of the most frequent value in each class."""
        column = classes.columns[self.carries(schema)[0]]
        found = diversity(bins_of(reference, column), classes.starts, reference.size, 1)
        return found.top / found.size

    def met(self, level: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell which classes keep the promise."""
        return level <= self.alpha

    def worst(self, level: NDArray[np.float64]) -> float:
        """Give the largest share."""
        return float(level.max())

    def demand(self, rows: int, subjects: int | None) -> None:
        """Refuse a share that is smaller than one record."""
        if self.alpha * rows < 1:
            raise GuaranteeError(
                f"One of {rows:,} records is already more than a share of {self.alpha}.", "Ask for more."
            )

    def sentence(self, level: float, schema: Schema) -> str:
        """Say how frequent the most frequent value is."""
        column = confidential(schema, self.column, self.name)
        return f"No value of '{column}' has more than {level:.4g} of any class."

    def convention(self, schema: Schema) -> str:
        """Say how the share is counted."""
        return "share of the most frequent value; cells without a value count to it"
