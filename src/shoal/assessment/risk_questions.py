"""What further is asked of a table's risk: each section answers what concerns it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from shoal.assessment.population_known import KnownPopulation, compared, described
from shoal.assessment.record_reasons import RecordReasons
from shoal.errors import ParameterError
from shoal.measures.reidentification.thresholds import Threshold
from shoal.schema import ReadOptions
from shoal.table import Table


@dataclass(frozen=True)
class RiskQuestions:
    """What further is asked of a risk, as `shoal.risk` takes it.

    Attributes
    ----------
    threshold
        The risk above which a record is at risk.
    population_size
        How many people the population has.
    sampling_fraction
        The share of the population that is in the table.
    population
        A table of the population, or whatever is read as one.
    population_columns
        How columns are called there, where they have another name.
    known
        What is known of the population, once the table was read.
    suda
        Whether to score how special records are.
    screen
        Whether to tell which few columns single people out.
    why
        Whether to tell why records are at risk.
    reasons
        Why they are, once the table was read.
    """

    threshold: Threshold | None = None
    population_size: int | None = None
    sampling_fraction: float | None = None
    population: Any = None
    population_columns: Mapping[str, str] = field(default_factory=dict)
    known: KnownPopulation | None = None
    suda: bool = False
    screen: bool = False
    why: bool = False
    reasons: RecordReasons | None = None

    def __post_init__(self) -> None:
        """Refuse what says the same twice, or makes no sense."""
        size, share = self.population_size, self.sampling_fraction
        if sum(each is not None for each in (size, share, self.population)) > 1:
            raise ParameterError(
                "The population is described twice.",
                "Give a table of it (--population), its size (--population-size), or the share of it that is in the "
                "table (--sampling-fraction).",
            )
        if self.population_columns and self.population is None:
            raise ParameterError("Names of columns are given of a population, and no table.", "Add --population FILE.")
        if size is not None and (isinstance(size, bool) or not isinstance(size, int) or size < 1):
            raise ParameterError("The size of a population is a whole number of at least 1.", "Give how many people.")
        if share is not None and (isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share <= 1):
            raise ParameterError(
                "A sampling fraction is above 0 and at most 1.", "It is the share of the population in the table."
            )

    @property
    def plain(self) -> dict[str, Any]:
        """What was asked, but for the table of a population, as `shoal.risk` takes it."""
        limit = self.threshold
        said = {
            "threshold": None if limit is None else limit.name or limit.risk,
            "population_size": self.population_size,
            "sampling_fraction": self.sampling_fraction,
            "population_columns": dict(self.population_columns),
            **{name: getattr(self, name) for name in ("suda", "screen", "why")},
        }
        return {name: value for name, value in said.items() if value}

    def of(self, table: Table, options: ReadOptions | None) -> RiskQuestions:
        """Give the questions with what is known of the population of a table that was read, by options if by any."""
        fewer = 2 if self.threshold is None else self.threshold.smallest
        asked = replace(self, reasons=RecordReasons.of(table, fewer) if self.why else None)
        if self.population is None:
            return replace(asked, known=described(table, self.population_size, self.sampling_fraction))
        return replace(asked, known=compared(table, self.population, self.population_columns, options))
