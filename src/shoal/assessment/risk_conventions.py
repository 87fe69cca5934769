"""The numbers of a risk that a certificate states, each with its convention: what exactly was counted, and of whom."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_POPULATION = "estimated from the sizes of groups in the table; no value where the model fits nothing"
CONVENTIONS: tuple[tuple[str, str], ...] = (
    ("uniqueness", "share of records whose combination of known attributes occurs once; equal cells match"),
    ("fit_uniqueness", "the same in the worst case: a cell may stand for any value that it covers"),
    ("of_one_person_share", "share of records whose group holds records of one person only, by the column of people"),
    ("fewest_people", "people in the group with the fewest of them, by the column of people"),
    ("person_reidentification", "mean over the people of groups of one over the people of their group"),
    ("smallest_class", "records in the smallest group of equal known attributes"),
    ("random_reidentification", "mean over records of one over the size of the record's group"),
    ("homogeneity", "share of people whose whole group has one value of a confidential column; of several, the worst"),
    (
        "attackers.prosecutor.highest",
        "one over the smallest group: the attacker knows that the person is in the table",
    ),
    ("attackers.prosecutor.at_risk", "share of records in groups that are too small for the threshold"),
    ("attackers.prosecutor.success", "mean over records of one over their group: groups divided by records"),
    (
        "attackers.journalist.highest",
        "one over the smallest group of the population that is in the table: he does not know who is in it",
    ),
    ("attackers.journalist.at_risk", "share of records whose group of the population is too small for the threshold"),
    (
        "attackers.journalist.success",
        "the larger of groups over people of these groups, and of the mean over records of one over their group of the "
        "population",
    ),
    (
        "attackers.marketer.success",
        "mean over records of their group's share in the population: all records are linked, however wrongly",
    ),
    ("population_uniqueness.truth", "share of the population that is alone in it, counted"),
    ("population_uniqueness.pitman", f"share of the population alone in it by Pitman's model, {_POPULATION}"),
    ("population_uniqueness.zayatz", f"the same by the estimator of Zayatz, {_POPULATION}"),
    ("population_uniqueness.snb", f"the same by the shifted negative binomial model, {_POPULATION}"),
    (
        "individual_risk.expected",
        "sum over records of the mean of one over the people of their group, whose number is negative binomial given "
        "the weights",
    ),
    ("individual_risk.highest", "the highest of these"),
    (
        "individual_risk.household_expected",
        "sum over records of the chance that some member of their household is found",
    ),
    (
        "log_linear_risk.alone_in_population",
        "sum over records alone in the table of exp(−λ(1 − π)): λ is the expected count of the population's cell by a "
        "log-linear model, π the sampling fraction",
    ),
    ("suda.records", "records that stand alone by some set of attributes"),
    ("suda.dis_sum", "sum of DIS: the chance that a match is right, by how special the record is (SUDA2)"),
    ("screening.separation", "share of pairs of records that differ in some known attribute"),
    ("why.records", "records in groups that are too small for the threshold"),
)


@dataclass(frozen=True)
class StatedNumber:
    """A number of a risk: where it stands in what was found, its value, and its convention."""

    about: str
    value: float | None
    convention: str

    @property
    def content(self) -> dict[str, Any]:
        """As a certificate has it."""
        return {"about": self.about, "value": self.value, "convention": self.convention}


def numbers_of(report: Mapping[str, Any]) -> Iterator[StatedNumber]:
    """Give the numbers of a risk that were found, with their conventions."""
    for about, convention in CONVENTIONS:
        value: Any = report
        for name in about.split("."):
            value = value.get(name) if isinstance(value, Mapping) else None
            if value is None:
                break
        if value is not None:
            yield StatedNumber(about, value, convention)
