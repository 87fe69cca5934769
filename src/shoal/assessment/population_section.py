"""The section of a risk about population uniqueness: how many people are alone not only in the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from shoal.assessment.population_known import KnownPopulation, population_of, sizes_of
from shoal.assessment.risk_questions import RiskQuestions
from shoal.assessment.risk_section import RiskSection, ShownTable
from shoal.assessment.risk_words import share
from shoal.measures.reidentification.population_estimates import ESTIMATORS, PopulationEstimates
from shoal.measures.reidentification.population_uniqueness import SampledClasses
from shoal.table import Table


def population_section(table: Table, asked: RiskQuestions) -> RiskSection | None:
    """Estimate how many people are alone in the population, if something is known of its size."""
    known = population_of(table, asked)
    if known is None:
        return None
    found = PopulationEstimates.of(SampledClasses.counted(sizes_of(table), known.people))
    rows = [
        [title, "–" if found.shares[name] is None else share(found.shares[name]), found.reasons.get(name, "")]  # type: ignore[arg-type]
        for name, title in ESTIMATORS.items()
    ]
    return RiskSection(
        "Alone in the population",
        {"population_uniqueness": found.plain},
        list(_sentences(found, known)),
        [ShownTable("", ["estimate", "share of the population", "why there is none"], rows)],
    )


def _sentences(found: PopulationEstimates, known: KnownPopulation) -> Iterator[str]:
    chosen: Mapping[str, Any] = found.plain
    if chosen["dankar"] is None:
        yield f"How many of {known.people:,} people are alone in the population could not be estimated."
        return
    yield (
        f"An estimated {share(chosen['dankar'])} of {known.people:,} people are alone in the population by these "
        f"columns ({ESTIMATORS[chosen['chosen']]}, as the rule of Dankar and others chooses)."
    )
    yield (
        "Estimates differ: of every tenth record of the Adult data, where the truth is known, Pitman's was the "
        "nearest, and those of Zayatz and of the negative binomial were too high."
    )
