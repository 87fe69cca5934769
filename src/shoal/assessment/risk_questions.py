"""What further is asked of a table's risk: each section answers what concerns it."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.errors import ParameterError
from shoal.measures.reidentification.thresholds import Threshold


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
    suda
        Whether to score how special records are.
    """

    threshold: Threshold | None = None
    population_size: int | None = None
    sampling_fraction: float | None = None
    suda: bool = False

    def __post_init__(self) -> None:
        """Refuse what says the same twice, or makes no sense."""
        size, share = self.population_size, self.sampling_fraction
        if size is not None and share is not None:
            raise ParameterError(
                "The population is described twice.",
                "Give its size (--population-size) or the share that is in the table (--sampling-fraction).",
            )
        if size is not None and (isinstance(size, bool) or not isinstance(size, int) or size < 1):
            raise ParameterError("The size of a population is a whole number of at least 1.", "Give how many people.")
        if share is not None and (isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share <= 1):
            raise ParameterError(
                "A sampling fraction is above 0 and at most 1.", "It is the share of the population in the table."
            )
