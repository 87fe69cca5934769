"""The measures that a comparison can be asked for, with what each tells, in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, fields
from functools import cache
from typing import Any

from shoal.catalogue import entries
from shoal.languages import N_, _, number
from shoal.measures import Measure
from shoal.measures.traces.linked_measure import LinkedMeasure
from shoal.report.discretion import percent
from shoal.web.tasks.score_messages import CandidateScore

DIRECTIONS = {
    "lower is safer": N_("lower is safer"),
    "lower is more useful": N_("lower is more useful"),
    "describes": N_("describes"),
}
MEASURES = {
    "uniqueness": (N_("Stand alone"), N_("the share of people whom nobody else equals")),
    "random-reidentification": (N_("Average risk"), N_("the mean chance of a right guess")),
    "attacker-risk": (
        N_("Found by an attacker"),
        N_("the share of people whom somebody finds who knows who is in the table (prosecutor)"),
    ),
    "population-uniqueness": (
        N_("Alone in the population (estimate)"),
        N_("the share of the population that is estimated to be alone, if a tenth of it is in the table"),
    ),
    "homogeneity": (
        N_("Share a secret with their group"),
        N_("the share of people whose confidential value everybody in their group has"),
    ),
    "order-leak": (
        N_("Order of the rows"),
        N_("the share of people who hide among fewer than k once the order of the rows is used"),
    ),
    "known-matches": (
        N_("Known though hidden"),
        N_("the share of people who are alone to somebody who knows all of their values, hidden ones too"),
    ),
    "rare-combinations": (
        N_("Rare combinations"),
        N_("the share of people who have up to three values together that fewer than three people have"),
    ),
    "unicity": (N_("Unicity"), N_("the share of sets of four known points of a person that nobody else has")),
    "column-screening": (
        N_("Separated pairs"),
        N_(
            "the share of pairs of rows that differ in what may be known; its detail names the few columns that suffice"
        ),
    ),
    "suda": (
        N_("Special uniques (SUDA)"),
        N_("the mean chance of being found rightly, by how few values are enough to stand alone"),
    ),
    "individual-risk": (
        N_("Individual risk"),
        N_("the mean chance that a match with a row is right, given how many people it stands for"),
    ),
    "log-linear-risk": (
        N_("Alone in the population"),
        N_("the share of rows expected to be alone in the population, by a log-linear model"),
    ),
    "interval-disclosure": (
        N_("Disclosed intervals"),
        N_("the share of rows of which every value is within 5 %% of a standard deviation of what is shown"),
    ),
    "rank-interval-disclosure": (
        N_("Disclosed intervals (by rank)"),
        N_("the share of rows of which every value lies among the nearest 5 %% of ranks of what is shown"),
    ),
    "distance-linkage": (
        N_("Linked by distance (DBRL)"),
        N_("the share of released rows whose nearest original row is their own"),
    ),
    "rank-linkage": (
        N_("Linked by ranks"),
        N_("the share of released rows whose nearest original row by ranks is their own"),
    ),
    "assignment-linkage": (
        N_("Linked one to one"),
        N_("the share of released rows assigned to their own when each original row is given to one of them"),
    ),
    "probabilistic-linkage": (
        N_("Linked by agreement (PRL)"),
        N_("the share of released rows linked to their own by the columns in which rows agree"),
    ),
    "robust-distance-risk": (
        N_("Outliers given away"),
        N_("the share of rows still near their own values, by how far out they lie, with nobody else near"),
    ),
    "exact-copies": (
        N_("Exact copies"),
        N_("the share of released rows that equal an original row in every column"),
    ),
    "class-sizes": (N_("Mean size of groups"), N_("over groups, how many people are in one")),
    "information-loss": (
        N_("Information loss"),
        N_("how far published cells are from the original, in standard deviations"),
    ),
    "granularity": (N_("Detail lost"), N_("how much of its column a published cell covers on average")),
    "correlation-shift": (N_("Shift of correlations"), N_("how much two columns go together less or more than before")),
    "moment-shift": (N_("Shift of means"), N_("how far means moved, in standard deviations; mean over columns")),
    "estimate-shift": (
        N_("Estimates moved"),
        N_("how far means moved that are estimated with survey weights, in standard deviations"),
    ),
    "eigenvalue-shift": (
        N_("Shift of principal components"),
        N_("mean difference between eigenvalues of the correlations, before and after"),
    ),
    "mahalanobis": (
        N_("Mahalanobis distance"),
        N_("how far rows moved, in view of how columns go together"),
    ),
    "permutation-distance": (
        N_("Moves among ranks"),
        N_("how far values moved among the ranks of their column, as a share of the longest way"),
    ),
    "sse": (N_("Squared error (SSE)"), N_("squared distance to the original, in percent of that from the mean")),
    "il1s": (N_("Absolute error (IL1s)"), N_("absolute distance to the original, in standard deviations")),
    "discernibility": (N_("Discernibility"), N_("the sum over people of the size of their group")),
    "average-class-size": (N_("People per group"), N_("how many people there are for each group")),
    "kolmogorov-smirnov": (
        N_("Shift of distributions (Kolmogorov-Smirnov)"),
        N_("the largest difference of shares up to a value, before and after; mean over columns"),
    ),
    "total-variation": (
        N_("Shift of distributions (total variation)"),
        N_("half of all differences between shares of values, before and after; mean over columns"),
    ),
    "marginal-distance": (
        N_("Shift of pairs of values"),
        N_("half of all differences between shares of pairs of values, before and after; mean over pairs of columns"),
    ),
    "query-error": (N_("Error of counts"), N_("relative error of counts of people in random ranges")),
    "pmse": (
        N_("Propensity (pMSE)"),
        N_("how well a model distinguishes released rows from original ones; 0 is not at all"),
    ),
    "accuracy-loss": (
        N_("Loss of accuracy"),
        N_("how much worse a model predicts a column when it has learned from the release"),
    ),
}


@cache
def offered() -> dict[str, type[Measure]]:
    """Give the measures of the catalogue that need nothing, or the name of a column to predict."""
    kinds: dict[str, Any] = dict(entries("measures").items())
    return {
        name: kind for name, kind in kinds.items() if not issubclass(kind, LinkedMeasure) and _needs(kind) <= {"target"}
    }


def asked(name: str, target: str) -> dict[str, str]:
    """Give a measure as the catalogue is asked for it; what is predicted is a column that is named."""
    return {"name": name} | ({"target": target} if "target" in _needs(offered()[name]) else {})


def _needs(kind: Any) -> set[str]:
    lacking = {each.name for each in fields(kind) if each.default is MISSING and each.default_factory is MISSING}
    return lacking | ({"where", "holdout"} & {each.name for each in fields(kind)})


def title(name: str) -> str:
    """Give the name of a measure.

    >>> title("pmse"), title("my-own")
    ('Propensity (pMSE)', 'my-own')
    """
    return _(MEASURES[name][0]) if name in MEASURES else name


def meaning(name: str) -> str:
    """Say what a measure tells, and which way is better."""
    kind = offered()[name]
    said = _(MEASURES[name][1]) if name in MEASURES else (kind.__doc__ or "").partition("\n")[0]
    return _("%(meaning)s; %(direction)s", meaning=said, direction=_(DIRECTIONS[kind.direction]))


def written(found: CandidateScore | None) -> str | None:
    """Write what was measured; None if it is not known yet, nothing where there was nothing to measure."""
    if found is None:
        return None
    if found.value is None:
        return "–"
    if offered()[found.measure].range == (0.0, 1.0):
        return percent(found.value)
    return number(round(found.value)) if found.value >= 1000 else number(found.value, ".4g")


def rows(
    measures: Sequence[str], keys: Sequence[str], found: dict[tuple[str, str], CandidateScore]
) -> list[tuple[str, str, list[tuple[str | None, str]]]]:
    """Give for each measure its title, its meaning, and by candidate what was found, or why nothing was."""
    return [
        (
            title(name),
            meaning(name),
            [(written(each), each.problem if each else "") for each in (found.get((name, key)) for key in keys)],
        )
        for name in measures
    ]
