"""What three attackers find, for who says on the page how large the population is and which risk is acceptable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.errors import ShoalError
from shoal.languages import N_, _
from shoal.measures.reidentification.attackers import SizePairs
from shoal.measures.reidentification.population_estimates import PopulationEstimates
from shoal.measures.reidentification.population_uniqueness import SampledClasses
from shoal.measures.reidentification.thresholds import PRESETS, Threshold, threshold_of

WHO = {
    "prosecutor": (N_("Prosecutor"), N_("someone who knows that their neighbour is in the data")),
    "journalist": (N_("Journalist"), N_("someone who does not know whether the person is in it")),
    "marketer": (N_("Marketer"), N_("someone who wants to find as many as possible")),
}


@dataclass(frozen=True)
class WhoLooks:
    """What attackers find in a table that comes from a population of a size.

    Attributes
    ----------
    people
        The size, as it was asked for; nothing if it is not known.
    threshold
        Above which a row is at risk.
    rows
        Of each attacker, the highest chance, the share of rows above the threshold, and the share found on average.
    alone
        The share of the population that is estimated to be alone, if anything is.
    problem
        What is wrong with what was asked.
    """

    people: str
    threshold: Threshold
    rows: Mapping[str, tuple[float | None, float | None, float]]
    alone: float | None = None
    problem: str = ""

    @property
    def presets(self) -> tuple[Threshold, ...]:
        """The thresholds that there are."""
        return PRESETS


def who_looks(found: Mapping[str, Any], people: str, threshold: str) -> WhoLooks:
    """Tell what attackers find, from the sizes of groups."""
    sizes = Counter({int(size): int(groups) for size, groups in found["sizes"]})
    records = sum(size * groups for size, groups in sizes.items())
    limit, problem = threshold_of("trusted"), ""
    try:
        limit = threshold_of(threshold or "trusted")
    except ShoalError:
        problem = _("A risk is above 0 and at most 1, such as 0.2.")
    digits = "".join(sign for sign in people if sign.isdecimal())
    number = int(digits or 0)
    if people and number < max(records, found["in_file"]):
        problem = _("A population has at least as many people as the table has rows.")
    pairs = SizePairs.alone(sizes)
    prosecutor = pairs.prosecutor(limit)
    rows: dict[str, tuple[float | None, float | None, float]] = {
        "prosecutor": (prosecutor.highest, prosecutor.at_risk, prosecutor.success)
    }
    if not people or problem:
        return WhoLooks(people, limit, rows, None, problem)
    pairs = SizePairs.sampled(sizes, records / number)
    journalist = pairs.journalist(limit)
    rows["journalist"] = (journalist.highest, journalist.at_risk, journalist.success)
    rows["marketer"] = (None, None, pairs.marketer())
    estimates = PopulationEstimates.of(SampledClasses.counted(sizes, number))
    return WhoLooks(people, limit, rows, estimates.shares[estimates.chosen] if estimates.chosen else None)
