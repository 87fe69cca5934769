"""The two readings of Table S3 side by side: in which attributes a record had to be unique to be masked."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from shoal.report.page import Section, table
from shoal_paper.datasets.published import (
    AGREEMENT,
    CORRELATIONS_S4,
    CORRELATIONS_S5,
    FULL,
    MASKED_MEAN,
    MASKED_RACES,
    UNIQUE_AT_TWO,
    UNIQUE_PD,
    UNIQUE_SPD,
)
from shoal_paper.reproduction.findings import share
from shoal_paper.reproduction.numbers import AbsentError, Numbers, agreement

KeyNumber = tuple[str, str, Callable[[Numbers], str]]
FIGURES: tuple[KeyNumber, ...] = (
    ("age masked", "", lambda n: share(n.masked("age_yrs"))),
    ("race masked", share(sum(MASKED_RACES) / FULL), lambda n: share(n.masked("race"))),
    ("masked cells, mean over attributes", share(MASKED_MEAN), lambda n: share(n.masked_mean())),
    ("unique in PD, in the worst case", share(UNIQUE_PD), lambda n: share(n.risk("pd"))),
    ("unique in SPD", f"almost {UNIQUE_SPD:.0%}", lambda n: share(n.risk("spd"))),
    ("largest difference from Table S4", "", lambda n: "{:.3f} ({})".format(*n.apart("PD", CORRELATIONS_S4))),
    ("largest difference from Table S5", "", lambda n: "{:.3f} ({})".format(*n.apart("SPD", CORRELATIONS_S5))),
    (
        "correlation between the correlations of PD and SPD",
        f"{AGREEMENT}",
        lambda n: f"{agreement(n.correlations('PD'), n.correlations('SPD')):.3f}",
    ),
    ("unique in SPD with two intervals", f"{UNIQUE_AT_TWO}", lambda n: f"{n.surface(2, 2, 'unique'):,.0f}"),
)


def key_section(all_nine: Numbers, without_stay: Numbers) -> Section:
    """Tell what hangs on the reading."""
    rows = []
    for what, published, measure in FIGURES:
        with suppress(AbsentError):
            rows.append(
                {
                    "figure": what, "published": published, "all nine attributes": measure(all_nine),
                    "all but the length of stay": measure(without_stay),
                }
            )  # fmt: skip
    return Section(
        "In which attributes did a record have to be unique?",
        "Table S3 masks records that are unique “with regard to these attributes”, and does not say whether hospital "
        "and length of stay, which it never masks, are among them. This report takes all nine attributes. If the stay "
        "does not count, fewer cells are masked, and whoever knows it finds more records in PD. No reading "
        "agrees with every published number.",
        table(rows, list(rows[0]), "Two readings of Table S3"),
    )
