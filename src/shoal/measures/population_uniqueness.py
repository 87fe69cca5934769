"""Population uniqueness: how many people are estimated to be alone not only in the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from shoal.errors import ParameterError
from shoal.measures import Direction, Score, nothing_to_measure
from shoal.measures.reidentification.population_estimates import ESTIMATORS, PopulationEstimates
from shoal.measures.reidentification.population_uniqueness import SampledClasses
from shoal.measures.statistics.size_measure import SizeMeasure, records_in
from shoal.parameters import settle

Estimator = Literal["dankar", "pitman", "zayatz", "snb"]


@dataclass(frozen=True)
class PopulationUniqueness(SizeMeasure):
    """The share of the population that is estimated to be alone by its quasi-identifiers, from the sizes of classes.

    Parameters
    ----------
    known
        The attributes that the attacker knows; all quasi-identifiers if left out.
    fraction
        The share of the population that is in the table, above 0 and at most 1.
    estimator
        ``pitman``, ``zayatz``, ``snb``, or ``dankar``, a rule that chooses among them by the fraction. All stand in the
        detail; where one fits nothing, its reason.

    References
    ----------
    N. Hoshino: Applying Pitman's sampling formula to microdata disclosure risk assessment, Journal of Official
    Statistics 17(4), 2001; F. K. Dankar, K. El Emam, A. Neisa, T. Roffey: Estimating the re-identification risk of
    clinical data sets, BMC Medical Informatics and Decision Making 12:66, 2012, doi:10.1186/1472-6947-12-66.
    """

    name: ClassVar[str] = "population-uniqueness"
    direction: ClassVar[Direction] = "lower is safer"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    fraction: float = 0.1
    estimator: Estimator = "dankar"

    def __post_init__(self) -> None:
        """Refuse what is no share, or no estimator."""
        settle(self)
        if isinstance(self.fraction, bool) or not isinstance(self.fraction, int | float) or not 0 < self.fraction <= 1:
            raise ParameterError(
                "A sampling fraction is above 0 and at most 1.", "It is the share of the population in the table."
            )
        if self.estimator not in ("dankar", *ESTIMATORS):
            raise ParameterError("There is no such estimator.", f"There are: dankar, {', '.join(ESTIMATORS)}.")

    def formula(self, sizes: Counter[int]) -> Score:
        """Estimate it."""
        people = round(records_in(sizes) / self.fraction)
        found = PopulationEstimates.of(SampledClasses.counted(sizes, people))
        detail = {**found.plain, "people": people, "fraction": self.fraction, "estimator": self.estimator}
        value = found.plain[self.estimator]
        if value is None:
            why = found.reasons.get(self.estimator, "no estimator gives anything")
            return nothing_to_measure(self.name, why, detail)
        return Score.exact(self.name, value, detail)

    @staticmethod
    def sentence(detail: Mapping[str, Any]) -> str:
        """Say in words what was estimated."""
        if "nothing_to_measure" in detail:
            return f"It was not estimated how many people are alone in the population: {detail['nothing_to_measure']}."
        used = detail["chosen"] if detail["estimator"] == "dankar" else detail["estimator"]
        return f"It is estimated for {detail['people']:,} people by {ESTIMATORS[used]}; estimates may be far off."
