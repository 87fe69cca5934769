"""Attacker risk: the share of records that prosecutor, journalist or marketer find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from shoal.errors import ParameterError
from shoal.measures import Direction, Score
from shoal.measures.reidentification.attackers import SizePairs
from shoal.measures.reidentification.thresholds import threshold_of
from shoal.measures.statistics.size_measure import SizeMeasure
from shoal.parameters import settle

Attacker = Literal["prosecutor", "journalist", "marketer"]
ATTACKERS = ("prosecutor", "journalist", "marketer")


@dataclass(frozen=True)
class AttackerRisk(SizeMeasure):
    """The share of records that an attacker finds on average; and the highest chance, and how many are at risk.

    The prosecutor knows who is in the table. The journalist and the marketer know the population, of which every record
    of the table stands for as many people.

    Parameters
    ----------
    known
        The attributes that the attacker knows; all quasi-identifiers if left out.
    attacker
        ``prosecutor``, ``journalist`` or ``marketer``.
    threshold
        The chance above which a record is at risk: a number, or ``public``, ``customary``, ``trusted`` or ``inside``.
    fraction
        The share of the population that is in the table; 1 if the table is the population.

    References
    ----------
    K. El Emam, F. K. Dankar: Protecting privacy using k-anonymity, JAMIA 15(5), 2008, doi:10.1197/jamia.M2716; F. K.
    Dankar, K. El Emam: A method for evaluating marketer re-identification risk, PAIS 2010, doi:10.1145/1754239.1754271.
    """

    name: ClassVar[str] = "attacker-risk"
    direction: ClassVar[Direction] = "lower is safer"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    attacker: Attacker = "prosecutor"
    threshold: float | str = 0.2
    fraction: float = 1.0

    def __post_init__(self) -> None:
        """Refuse what is no attacker, no threshold or no share."""
        settle(self)
        if self.attacker not in ATTACKERS:
            raise ParameterError("There is no such attacker.", f"There are: {', '.join(ATTACKERS)}.")
        _ = threshold_of(self.threshold)
        if isinstance(self.fraction, bool) or not isinstance(self.fraction, int | float) or not 0 < self.fraction <= 1:
            raise ParameterError(
                "A sampling fraction is above 0 and at most 1.", "It is the share of the population in the table."
            )

    def formula(self, sizes: Counter[int]) -> Score:
        """Give what the attacker finds."""
        pairs, threshold = SizePairs.sampled(sizes, self.fraction), threshold_of(self.threshold)
        about = {"attacker": self.attacker, "threshold": threshold.risk, "fraction": self.fraction}
        if self.attacker == "marketer":
            return Score.exact(self.name, pairs.marketer(), about)
        found = pairs.prosecutor(threshold) if self.attacker == "prosecutor" else pairs.journalist(threshold)
        return Score.exact(self.name, found.success, {**about, "highest": found.highest, "at_risk": found.at_risk})

    @staticmethod
    def sentence(detail: Mapping[str, Any]) -> str:
        """Say in words what was found."""
        if "highest" not in detail:
            return "The marketer links all records to the population, and is right for the share that was measured."
        return (
            f"The {detail['attacker']} finds a record with a chance of up to {detail['highest']:.4g}; "
            f"{detail['at_risk']:.2%} of all records have a chance above {detail['threshold']:.3g}."
        )
