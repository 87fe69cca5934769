"""All estimates of population uniqueness beside each other, and the one that a rule of thumb chooses.

F. K. Dankar, K. El Emam, A. Neisa, T. Roffey: Estimating the re-identification risk of clinical data sets, BMC Medical
Informatics and Decision Making 12:66, 2012, doi:10.1186/1472-6947-12-66.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shoal.measures.reidentification.population_uniqueness import NoEstimateError, SampledClasses, pitman, snb, zayatz

ESTIMATORS = {"pitman": "Pitman", "zayatz": "Zayatz", "snb": "shifted negative binomial (SNB)"}
_FEW = 0.1  # the largest sampling fraction at which the rule chooses Pitman's model


@dataclass(frozen=True)
class PopulationEstimates:
    """The share of the population that is alone, by each estimator; None where there is none, with the reason.

    Attributes
    ----------
    shares
        What each estimates.
    reasons
        Why one gives nothing.
    chosen
        The one that the rule of Dankar and others chooses; None if none gives anything.
    """

    shares: Mapping[str, float | None]
    reasons: Mapping[str, str] = field(default_factory=dict)
    chosen: str | None = None

    @classmethod
    def of(cls, sample: SampledClasses) -> PopulationEstimates:
        """Estimate from the classes of a sample."""
        shares: dict[str, float | None] = {}
        reasons: dict[str, str] = {}
        for name, estimator in (("pitman", pitman), ("zayatz", zayatz), ("snb", snb)):
            try:
                shares[name] = estimator(sample) / sample.population
            except NoEstimateError as error:
                shares[name], reasons[name] = None, str(error)
        return cls(shares, reasons, _chosen(shares, sample.fraction))

    def nearest(self, truth: float) -> str | None:
        """Give the estimator that is nearest to the truth, of those that give anything."""
        there = [(abs(found - truth), name) for name, found in self.shares.items() if found is not None]
        return min(there)[1] if there else None

    @property
    def plain(self) -> dict[str, Any]:
        """Give all of it as plain values."""
        rule = None if self.chosen is None else self.shares[self.chosen]
        said = {"reasons": dict(self.reasons)} if self.reasons else {}
        return {**self.shares, "dankar": rule, "chosen": self.chosen, **said}


def _chosen(shares: Mapping[str, float | None], fraction: float) -> str | None:
    """Choose as Dankar and others do: Pitman's of small samples, and else the smaller one of the two others."""
    if fraction <= _FEW:
        return "zayatz" if shares["pitman"] is None else "pitman"
    there = [(found, name) for name in ("snb", "zayatz") if (found := shares[name]) is not None]
    return min(there)[1] if there else None
