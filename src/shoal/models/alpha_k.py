"""(α, k)-anonymity: no value of what is confidential makes up more than a share α of a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.errors import GuaranteeError, ParameterError
from shoal.kernels.diversity import diversity
from shoal.models.confidential import bins_of, confidential
from shoal.models.monotone import Monotone
from shoal.models.people import pairs_in, people_in, refuse_nobody, subject_of
from shoal.parameters import settle, shown
from shoal.schema import Schema
from shoal.table import Classes, Table


@dataclass(frozen=True)
class AlphaK:
    """No confidential value has more than a share alpha of any class. With `KAnonymity` it is (α, k)-anonymity.

    With a ``subject`` column it is the share of the people of a class who have the value, in one of their records or
    in many. Cells without a value may be anything and count to the most frequent value, as do people who have one.

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
        settle(self)
        if isinstance(self.alpha, bool) or not isinstance(self.alpha, (int, float)) or not 0 < self.alpha <= 1:
            raise ParameterError(
                f"alpha must be above 0 and at most 1, not {shown(self.alpha)}.", "Typical values are 0.3 to 0.7."
            )

    @property
    def promised(self) -> float:
        """The largest share."""
        return float(self.alpha)

    def carries(self, schema: Schema) -> tuple[str, ...]:
        """Name the confidential column, and the one that tells people apart."""
        return (confidential(schema, self.column, self.name), *subject_of(schema))

    def reference(self, table: Table) -> Any:
        """Give the distinct values of the column."""
        refuse_nobody(table)
        return table.counts(confidential(table.schema, self.column, self.name))[0]

    def nearest(self, level: float) -> str:
        """Say what the whole table could promise."""
        return f"Ask for alpha of at least {level:.4g}."

    def level(self, classes: Classes, schema: Schema, reference: Any) -> NDArray[np.float64]:
        """Give the share of the most frequent value in each class: of its records, or of its people."""
        column = classes.columns[self.carries(schema)[0]]
        pairs = pairs_in(classes, schema, bins_of(reference, column))
        return diversity(pairs.bins, pairs.starts, reference.size, 1).top / people_in(classes, schema)

    def met(self, level: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell which classes keep the promise."""
        return level <= self.alpha

    def worst(self, level: NDArray[np.float64]) -> float:
        """Give the largest share."""
        return float(level.max())

    def monotone(self, schema: Schema) -> Monotone:
        """Say what merging does: no share of two classes together is above both, but people count in both."""
        return "without suppression" if schema.subject is None else "never"

    def demand(self, rows: int, subjects: int | None) -> None:
        """Refuse a share that is smaller than one record, or one person."""
        number, what = (rows, "records") if subjects is None else (subjects, "people")
        if self.alpha * number < 1:
            raise GuaranteeError(
                f"One of {number:,} {what} is already more than a share of {self.alpha}.", "Ask for more."
            )

    def sentence(self, level: float, schema: Schema) -> str:
        """Say how frequent the most frequent value is."""
        column = confidential(schema, self.column, self.name)
        if schema.subject is not None:
            return f"No value of '{column}' is had by more than {level:.4g} of the people of any class."
        return f"No value of '{column}' has more than {level:.4g} of any class."

    def convention(self, schema: Schema) -> str:
        """Say how the share is counted."""
        if schema.subject is not None:
            return (
                "share of the distinct subjects of a class who have the most frequent value, or a cell without a value"
            )
        return "share of the most frequent value; cells without a value count to it"
