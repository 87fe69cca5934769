"""The section of a risk about population uniqueness: how many people are alone not only in the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from shoal.assessment.population_known import KnownPopulation
from shoal.assessment.risk_questions import RiskQuestions
from shoal.assessment.risk_section import RiskSection, ShownTable
from shoal.assessment.risk_words import share
from shoal.measures.reidentification.class_people import people_of, sizes_of
from shoal.measures.reidentification.population_estimates import ESTIMATORS, PopulationEstimates
from shoal.measures.reidentification.population_uniqueness import SampledClasses
from shoal.table import Table

if TYPE_CHECKING:
    from shoal.charts import Figure


def population_section(table: Table, asked: RiskQuestions) -> RiskSection | None:
    """Estimate how many people are alone in the population, if something is known of its size."""
    known = asked.known
    if known is None:
        return None
    sizes = sizes_of(table)
    in_groups = sum(size * number for size, number in sizes.items())  # more than people, where some are in several
    whole = max(in_groups, round(known.people * in_groups / people_of(table)))
    found = PopulationEstimates.of(SampledClasses.counted(sizes, whole))
    truth = None if known.alone is None else known.alone / known.people
    plain = found.plain | ({} if truth is None else {"truth": truth, "nearest": found.nearest(truth)})
    rows = [
        [title, "–" if (value := found.shares[name]) is None else share(value), found.reasons.get(name, "")]
        for name, title in ESTIMATORS.items()
    ]
    rows += [] if truth is None else [["the truth, counted in the population", share(truth), ""]]
    return RiskSection(
        "Alone in the population",
        {"population_uniqueness": plain},
        list(_sentences(found, known, truth)),
        [ShownTable("", ["estimate", "share of the population", "why there is none"], rows)],
        lambda: _pictures(found, truth),
    )


def _sentences(found: PopulationEstimates, known: KnownPopulation, truth: float | None) -> Iterator[str]:
    if truth is not None:
        yield f"{share(truth)} of {known.people:,} people are alone in the population by these columns, as was counted."
        nearest = found.nearest(truth)
        if nearest is not None:
            yield (
                f"Who has only the table would estimate it: {ESTIMATORS[nearest]} is the nearest, with "
                f"{share(found.shares[nearest] or 0.0)}."
            )
        return
    chosen = found.chosen
    if chosen is None:
        yield f"How many of {known.people:,} people are alone in the population could not be estimated."
        return
    yield (
        f"An estimated {share(found.shares[chosen] or 0.0)} of {known.people:,} people are alone in the population by "
        f"these columns ({ESTIMATORS[chosen]}, as the rule of Dankar and others chooses)."
    )
    yield (
        "Estimates may be far off. On samples of the Adult data, where the truth is known, Pitman's was mostly the "
        "nearest for samples of up to a tenth, SNB for larger ones, and Zayatz's was nearly always too high."
    )


def _pictures(found: PopulationEstimates, truth: float | None) -> Sequence[Figure]:
    from shoal.charts import bars  # commands without a report do without it

    rows = [{"estimate": ESTIMATORS[name], "share": value} for name, value in found.shares.items() if value is not None]
    if not rows:
        return ()
    drawn = bars(
        rows, x="estimate", y="share", percent=True, x_label="", y_label="share of the population",
        title="People who are alone in the population, as is estimated",
        description="What each model makes of the sizes of groups in the table."
        + ("" if truth is None else " The dashed line is the truth, as it was counted."),
        limits=[] if truth is None else [(truth, "truth")], height=200,
    )  # fmt: skip
    return [drawn]
