"""What a risk consists of, in words, and how its numbers are written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shoal.measures import Score

# What a risk consists of, in words; where it is found; and how it is written, if it is no share.
LABELS = (
    ("records that stand alone (unique)", "unique", "{:,}"),
    ("  share of all records", "uniqueness", ""),
    ("people that these stand for (weights)", "weighted_unique", "{:,.6g}"),
    ("  share of all people", "weighted_uniqueness", ""),
    ("  in the worst case, if cells may be any value they cover", "fit_unique", "{:,}"),
    ("  share of all records", "fit_uniqueness", ""),
    ("records in groups of one person", "of_one_person", "{:,}"),
    ("  share of all records", "of_one_person_share", ""),
    ("groups (equivalence classes)", "classes", "{:,}"),
    ("smallest group", "smallest_class", "{:,}"),
    ("fewest people in a group", "fewest_people", "{:,}"),
    ("chance of a right guess (mean 1/group size)", "random_reidentification", ""),
    ("chance of a right guess of a person (mean 1/people)", "person_reidentification", ""),
    ("share a confidential value with their group", "homogeneity", ""),
    ("disclosed without reidentification", "attribute_disclosure", ""),
    ("all values near what is shown (interval disclosure)", "interval_disclosure", ""),
    ("all values among neighbours of what is shown (by rank)", "rank_interval_disclosure", ""),
    ("linked to their own record (nearest)", "distance_linkage", ""),
    ("linked to their own record (nearest by ranks)", "rank_linkage", ""),
    ("linked to their own record (one to one)", "assignment_linkage", ""),
    ("linked to their own record (by agreement)", "probabilistic_linkage", ""),
    ("near their own values and alone (robust distance)", "robust_distance_risk", ""),
    ("information loss (Eq. 3)", "information_loss", "{:.6f}"),
    ("distributions moved (Kolmogorov-Smirnov)", "kolmogorov_smirnov", "{:.6f}"),
    ("values moved (total variation)", "total_variation", "{:.6f}"),
    ("means moved (in standard deviations)", "moment_shift", "{:.6f}"),
    ("estimated means moved (in standard deviations)", "estimate_shift", "{:.6f}"),
    ("eigenvalues moved (of correlations)", "eigenvalue_shift", "{:.6f}"),
    ("records moved (Mahalanobis distance)", "mahalanobis", "{:.6f}"),
    ("values moved among ranks (mean)", "permutation_distance", "{:.6f}"),
    ("equal to an original record", "exact_copies", ""),
    ("nearer to the original than to others (DCR)", "closest_record", ""),
    ("pairs of values moved (total variation)", "marginal_distance", "{:.6f}"),
    ("error of estimated counts (mean, relative)", "query_error", "{:.6f}"),
    ("distinguishable from the original (pMSE, at most 0.25)", "pmse", "{:.6f}"),
    ("accuracy that a model loses", "accuracy_loss", "{:.6f}"),
)


def share(value: float) -> str:
    """Write a share of all records."""
    return f"{value:.2%}" if value == 0 or value >= 0.0001 else f"{value:.2e}"


def side_by_side(reports: Sequence[Mapping[str, Any]]) -> Iterator[list[str]]:
    """Give the lines of a table that sets risks beside each other."""
    for label, key, form in LABELS:
        if any(key in report for report in reports):
            cells = [report.get(key) for report in reports]
            yield [label, *("–" if c is None else form.format(c) if form else share(c) for c in cells)]


def plain_score(value: Score) -> dict[str, Any]:
    """Give a score as plain values."""
    return {"measure": value.measure, "value": value.value, "detail": dict(value.detail)}
