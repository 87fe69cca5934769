"""Measures of which the records may count as much as their survey weights say."""

from __future__ import annotations

from dataclasses import dataclass, field

from shoal.arrays import Floats
from shoal.errors import ParameterError
from shoal.models.survey_weights import weights_asked_for
from shoal.parameters import settle
from shoal.table import Table


@dataclass(frozen=True)
class Weighable:
    """A measure of records that count one each, unless they are to count as much as they weigh."""

    weighted: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        """Settle the parameters, and refuse weights that are neither wanted nor not."""
        settle(self)
        if not isinstance(self.weighted, bool):
            raise ParameterError("'weighted' is true or false.", "Write weighted=true.")

    def weights_in(self, table: Table) -> Floats | None:
        """Give the weight of each record of a table if they are wanted."""
        return weights_asked_for(table) if self.weighted else None
