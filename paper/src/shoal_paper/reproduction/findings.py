"""What decides whether a sentence of the paper holds: one number each, the same in words, and why it may not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from shoal_paper.datasets.published import CORRELATIONS_S4, CORRELATIONS_S5, MASKED_RACES
from shoal_paper.reproduction.case import LEVELS
from shoal_paper.reproduction.numbers import (
    CLOSE,
    COARSE,
    EIGHTH,
    LABELS,
    AbsentError,
    Numbers,
    agreement,
    linearity,
    ratio,
)

Measured = tuple[float, str]


def share(value: float) -> str:
    """Write a share so that what is small does not look like nothing."""
    return f"{value:.1%}" if value == 0 or value >= 0.1 else f"{value:.2%}" if value >= 0.0001 else f"{value:.1e}"


def _shares(values: Sequence[float]) -> str:
    return ", ".join(map(share, values))


def _plain(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.3f}" for value in values)


def density(n: Numbers) -> str:
    """Say what the numbers of masking tell about records that are alone."""
    return (
        f"Of the records {share(n.masked('age_yrs'))} are alone, and {share(n.masked('race'))} still are after their "
        "age is shown in bands and their ethnicity hidden. For records drawn independently the second share is large "
        "where the first is, unless all combinations are equally frequent; those of hospitals, stays and places are "
        "not."
    )


def margins(n: Numbers) -> Measured:
    """Count the values that do not occur as often in SPD as in the records in full."""
    found = n.regenerated("SPD", "different counts")
    return found, f"{found:.0f} counts of values differ"


def no_unique(n: Numbers) -> Measured:
    """Give the largest uniqueness of k-anonymous releases."""
    found = n.levels("uniqueness")
    return max(found), _shares(found)


def one_in_k(n: Numbers) -> Measured:
    """Give the smallest product of k and the rate of right guesses."""
    found = n.levels("random-reidentification")
    return min(k * rate for k, rate in zip(LEVELS, found, strict=True)), ", ".join(f"{rate:.4f}" for rate in found)


def closeness_ends_disclosure(n: Numbers) -> Measured:
    """Give the largest disclosure with t-closeness."""
    found = n.levels("attribute-disclosure", CLOSE)
    return max(found), _shares(found)


def table_s9(n: Numbers) -> Measured:
    """Give the largest difference of a level of t from the printed one."""
    found = [r["t"] for r in n.results["closeness"] if r["t"] is not None and r["measure"] == "uniqueness"]
    apart = max(abs(t - printed) for t, printed in zip(found, (0.25, 0.17, 0.10, 0.05), strict=True))
    return round(apart, 12), ", ".join(f"{t:.2f}" for t in found)


def k_costs(n: Numbers) -> Measured:
    """Give the smallest ratio of the losses of a k and the next smaller one."""
    found = n.levels("information-loss")
    return min(ratio(b, a) for a, b in pairwise(found)), _plain(found)


def unique_spd(n: Numbers) -> Measured:
    """Give the uniqueness of SPD."""
    found = n.risk("spd")
    try:
        return found, f"{share(found)} of SPD, {share(n.risk('truth'))} of the records in full"
    except AbsentError:
        return found, share(found)


def table_s4(n: Numbers) -> Measured:
    """Give the largest difference from Table S4."""
    apart, pair = n.apart("PD", CORRELATIONS_S4)
    return apart, f"largest difference {apart:.3f} ({pair})"


def one_pair(n: Numbers) -> Measured:
    """Give by how much hospital and county are more strongly correlated than any other pair."""
    ordered = sorted(((abs(r), pair) for pair, r in n.correlations("PD").items() if r is not None), reverse=True)
    (first, pair), (second, other) = ordered[:2]
    if pair != "oshpd_id ~ patcnty":
        first = 0.0
    return first - second, f"{pair}: {first:.3f}; next {other}: {second:.3f}"


def high_charges(n: Numbers) -> Measured:
    """Give the share of records whose secret nobody shall learn."""
    found = n.regenerated("SPD", "secret")
    return found, share(found)


def unique_pd(n: Numbers) -> Measured:
    """Give the uniqueness of PD in the worst case."""
    found = n.risk("pd")
    return found, share(found)


def race_masked(n: Numbers) -> Measured:
    """Give the share of records whose race is masked."""
    found = n.masked("race")
    return found, share(found)


def masked_mean(n: Numbers) -> Measured:
    """Give the share of masked cells."""
    found = n.masked_mean()
    return found, share(found)


def masked_races(n: Numbers) -> Measured:
    """Give the total variation between the masked races and the printed ones."""
    values = n.masked_values("race")
    found = np.array([values.get(str(code), (0, 0))[1] for code in range(1, 7)], float)
    printed = np.array(MASKED_RACES, float)
    apart = float(abs(found / max(found.sum(), 1) - printed / printed.sum()).sum() / 2)
    return apart, f"{share(apart)} of the masked races would have to be others"


def rare_more(n: Numbers) -> Measured:
    """Give how many times as often the rarest race is masked as the most frequent one."""
    values = [pair for pair in n.masked_values("race").values() if pair[0] > 0]
    rare, frequent = (masked / total for total, masked in (min(values), max(values)))
    return rare / max(frequent, 1e-12), f"rarest race masked in {share(rare)}, most frequent in {share(frequent)}"


def table_s5(n: Numbers) -> Measured:
    """Give the largest difference from Table S5."""
    apart, pair = n.apart("SPD", CORRELATIONS_S5)
    return apart, f"largest difference {apart:.3f} ({pair})"


def sets_agree(n: Numbers) -> Measured:
    """Give the correlation between the correlations of PD and SPD."""
    found = agreement(n.correlations("PD"), n.correlations("SPD"))
    return found, f"{found:.3f}"


def why_agreement(n: Numbers) -> str:
    """Say how much masking and regeneration each add."""
    said = f"Of PD and SPD it is {sets_agree(n)[0]:.3f}"
    try:
        full = agreement(n.correlations("truth"), n.correlations("SPD"))
        masked = agreement(n.correlations("truth"), n.correlations("PD"))
    except AbsentError:
        return f"{said}; the records in full, with which to compare both, are not known."
    return (
        f"{said}, of the records in full and SPD {full:.3f}, of the records in full and PD {masked:.3f}: records that "
        "stand alone lose their cells, so what is left in PD is no sample of the whole, and both steps add to it."
    )


def two_intervals(n: Numbers) -> Measured:
    """Count the records that are unique with two intervals per attribute."""
    found = n.surface(2, 2, "unique")
    return (
        found,
        f"{found:,.0f} records; as printed, with intervals of equal length, {n.surface(2, 2, 'unique', 'width'):,.0f}",
    )


def never_zero(n: Numbers) -> Measured:
    """Count the unique records of the cell with the fewest."""
    found = min(int(row["unique"]) for row in n.results["surfaces"])
    return found, f"fewest unique records of all cells and both readings: {found:,}"


def others_leave_some(n: Numbers) -> Measured:
    """Give the smallest uniqueness of coarsening and safe harbor."""
    found = n.others("uniqueness")
    return min(found), _shares(found)


def sharp_decline(n: Numbers) -> Measured:
    """Give what share of the uniqueness 32 intervals leave."""
    before, after = n.surface(0, 0, "uniqueness"), n.surface(32, 32, "uniqueness")
    return ratio(after, before), f"{share(before)} to {share(after)}"


def linear(n: Numbers) -> Measured:
    """Give how well a straight line describes the decline."""
    found = n.diagonal()
    return linearity(found), f"{_shares(found)}: R² of a straight line {linearity(found):.2f}"


def why_linear(n: Numbers) -> str:
    """Say how well a geometric decline describes it."""
    found = n.diagonal()
    if min(found) <= 0:
        return "The last of them is zero."
    logs = linearity(np.log(found).tolist())
    return f"It falls by a factor rather than by an amount: a straight line through the logarithms has R² = {logs:.2f}."


def two_below_eighth(family: str) -> Callable[[Numbers], Measured]:
    """Compare the losses of 2-anonymity and of 1/8 coarsening in one reading."""

    def measure(n: Numbers) -> Measured:
        two, eighth = n.levels("information-loss")[0], n.released("information-loss", EIGHTH, family)
        return ratio(two, eighth), f"2-anonymity {two:.3f}, 1/8 coarsening {eighth:.3f}"

    return measure


def spatiotemporal(n: Numbers) -> Measured:
    """Compare the losses of cutting spatiotemporal and census features in two."""
    pair = n.surface(2, 0, "information_loss"), n.surface(0, 2, "information_loss")
    return ratio(*pair), f"spatiotemporal in two {pair[0]:.3f}, census in two {pair[1]:.3f}"


def _cells_above(n: Numbers, losses: Sequence[float]) -> float:
    cells = [
        r["information_loss"]
        for r in n.results["surfaces"]
        if r["reading"] == "distinct" and r["first"] + r["second"] > 0
    ]
    return float(np.mean([loss > other for loss in cells for other in losses]))


def surface_costs_more(n: Numbers) -> Measured:
    """Give the share of pairs of a coarsened cell and a level of k in which coarsening loses more."""
    losses = n.levels("information-loss")
    by_k = ", ".join(
        f"{share(_cells_above(n, [loss]))} for {label}" for label, loss in zip(LABELS, losses, strict=True)
    )
    return _cells_above(n, losses), f"coarsened cells that lose more than k-anonymity: {by_k}"


def why_surface(n: Numbers) -> str:
    """Say how many are unique where coarsening loses little."""
    light = [
        r["uniqueness"] for r in n.results["surfaces"]
        if r["reading"] == "distinct" and r["information_loss"] <= n.levels("information-loss")[-1]
    ]  # fmt: skip
    alone = share(float(np.mean(light)))
    return (
        "Fine coarsening loses little, and protects little: in the cells that lose no more than k = 10 "
        f"({len(light)} of 64) {alone} of the records are unique on average."
    )


def not_free(n: Numbers) -> Measured:
    """Give the smallest attribute disclosure."""
    found = [*n.levels("attribute-disclosure"), *n.others("attribute-disclosure")]
    return min(found), f"from {share(min(found))} to {share(max(found))}"


def least_disclosure(n: Numbers) -> Measured:
    """Compare the largest disclosure of k-anonymity with the smallest of the others."""
    crowd, others = n.levels("attribute-disclosure"), n.others("attribute-disclosure")
    return max(crowd) / max(min(others), 1e-12), f"k-anonymity {_shares(crowd)}; others {_shares(others)}"


def why_disclosure(n: Numbers) -> str:
    """Say from which k on k-anonymity discloses least."""
    crowd, least = n.levels("attribute-disclosure"), min(n.others("attribute-disclosure"))
    below = [label for label, value in zip(LABELS, crowd, strict=True) if value < least]
    said = f"below it from {below[0]} on" if below else "above it at every level"
    return (
        f"The least of the others discloses {share(least)}, and k-anonymity is {said}: a small class "
        "shares a secret more often than a large interval does."
    )


def slightly(n: Numbers) -> Measured:
    """Compare the losses of each k with t-closeness and of the next larger k without."""
    plain, close = n.levels("information-loss"), n.levels("information-loss", CLOSE)
    steps = [ratio(close[i], plain[i + 1]) for i in range(len(plain) - 1)]
    return max(steps), ", ".join(
        f"{a:.3f} to {b:.3f} (+{ratio(b, a) - 1:.0%})" for a, b in zip(plain, close, strict=True)
    )


def close_below_eighth(family: str) -> Callable[[Numbers], Measured]:
    """Give the share of levels that lose less than 1/8 coarsening in one reading."""

    def measure(n: Numbers) -> Measured:
        close, eighth = n.levels("information-loss", CLOSE), n.released("information-loss", EIGHTH, family)
        less = sum(value < eighth for value in close)
        return less / len(close), f"{less} of {len(close)} below {eighth:.3f}"

    return measure


def why_eighth(n: Numbers) -> str:
    """Say what the two readings of Algorithm S3 lose."""
    printed, program = (n.released("information-loss", EIGHTH, family) for family in reversed(COARSE))
    return (
        f"The reading of Algorithm S3 decides: 1/8 coarsening loses {printed:.3f} with intervals of equal length, as "
        f"printed, and {program:.3f} with equal numbers of values, as in the authors' program."
    )


def why_table_s4(n: Numbers) -> str:
    """Say which pair is farthest off."""
    return f"The pair {n.apart('PD', CORRELATIONS_S4)[1]} differs most."


def why_table_s5(n: Numbers) -> str:
    """Say which pair is farthest off, and how far Table S4 is."""
    before, pair = n.apart("PD", CORRELATIONS_S4)
    return (
        f"The pair {n.apart('SPD', CORRELATIONS_S5)[1]} differs most. From Table S4 the largest difference is "
        f"{before:.3f} ({pair}): what regeneration weakens depends on how many cells were masked."
    )


def why_nobody_left(n: Numbers) -> str:
    """Say how many releases leave nobody alone."""
    found = n.others("uniqueness")
    return f"{sum(value == 0 for value in found)} of {len(found)} leave nobody alone here."


def why_census(n: Numbers) -> str:
    """Say what both losses are with intervals of equal length."""
    first, second = (n.surface(*pair, "information_loss", "width") for pair in ((2, 0), (0, 2)))
    return (
        "Equal numbers of values cut a long tail of stays off at few days. With intervals of equal length "
        f"spatiotemporal features lose {first:.3f} and census features {second:.3f}."
    )


def why_alone_by_stay(n: Numbers) -> str:
    """Say how many are alone only by their length of stay."""
    return (
        f"Of the records in full {share(n.risk('truth'))} are unique, but only {share(n.masked('age_yrs'))} whatever "
        "their length of stay: the others are not masked, and whoever knows the stay finds them."
    )
