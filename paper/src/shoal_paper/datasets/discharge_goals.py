"""How near the made-up discharges come to what the paper and the state published.

Goals are of three kinds. What the model takes over from the state's margins holds by construction. A few figures of
the paper were used to choose the assumptions: these are calibrated. To all others nothing was fitted; they are the
validation, and it may fail. It was not blind: docs/discharges.md tells what was decided with these figures in view.

The truth is masked by Table S3 (PD), and Algorithm S1 puts values back (SPD), as the paper did.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Integers
from shoal.measures import score
from shoal.measures.correlation_shift import CorrelationShift
from shoal.measures.uniqueness import Uniqueness
from shoal.methods.coarsen import Coarsen
from shoal.methods.mask_uniques import MaskUniques
from shoal.methods.regenerate import Regenerate
from shoal.table import Table
from shoal_paper.datasets.discharge_model import HISPANIC, Model, model
from shoal_paper.datasets.published import (
    AGREEMENT,
    CORRELATIONS_S4,
    CORRELATIONS_S5,
    FULL,
    HIGH_CHARGE,
    HIGH_CHARGES,
    MASKED_MEAN,
    MASKED_RACES,
    MASKING_KEY,
    UNIQUE_AT_TWO,
    UNIQUE_PD,
    UNIQUE_SPD,
)

GoalKind = Literal["by construction", "calibrated", "validation"]


class Goal(NamedTuple):
    """A goal: what is measured, the published figure with its tolerance, what came out, and whether that is within.

    Where nothing is published, or only for a table of another length, ``holds`` is None.
    """

    what: str
    goal: str
    measured: float
    holds: bool | None
    kind: GoalKind


# The state's margins of 2009, of all hospitals together.
AGES = (0.1467, 0.0243, 0.0446, 0.1101, 0.1058, 0.0944, 0.1159, 0.1143, 0.1120, 0.1319)
RACES = (0.4860, 0.0855, 0.0026, 0.0818, 0.0286, 0.0094, 0.3061)
AGE_NAMES = ("under 1", "1-9", "10-19", "20-29", "30-39", "40-49", "50-59", "60-69", "70-79", "80 and over")
RACE_NAMES = ("White", "Black", "Native American", "Asian", "Other", "Unknown", "Hispanic")
AGE_GROUP = np.minimum(np.where(np.arange(86) == 0, 0, np.arange(86) // 10 + 1), 9)


def compare(table: Table, knowledge: Mapping[str, str], patients: NDArray[Any] | None) -> list[Goal]:
    """Measure every goal, given a table as `discharges` makes it, and whose discharge each record is."""
    frame, tables = table.to_arrow(), model()
    columns = {name: frame.column(name).to_numpy().astype(np.int64) for name in table.schema.quasi}
    charges = frame.column("charge").fill_null(0).to_numpy()  # the state writes 0 where none was reported
    of_length = [*_uniqueness(table, knowledge), *_masking(table)]
    if table.rows != FULL:  # a shorter table has more unique records, and more are masked
        said = f" with {FULL:,} records"
        of_length = [
            goal
            if goal.holds is None or goal.goal.startswith("above ")
            else goal._replace(goal=goal.goal + said, holds=None)
            for goal in of_length
        ]
    return [
        *_domains(columns, tables),
        *_margins(columns, tables),
        *_patients(patients),
        _near(
            "charges above 100,000, share of records", HIGH_CHARGES, 0.01, (charges > HIGH_CHARGE).mean(), "calibrated"
        ),
        *of_length,
    ]


def _near(what: str, goal: float, tolerance: float, measured: float, kind: GoalKind) -> Goal:
    return Goal(what, f"{goal:.4g} ± {tolerance:.2g}", float(measured), bool(abs(measured - goal) <= tolerance), kind)


def _twofold(what: str, goal: float, measured: float) -> Goal:
    holds = goal / 2 <= measured <= goal * 2
    return Goal(what, f"{goal:.4g} within a factor of 2", float(measured), bool(holds), "validation")


def _present(numbers: NDArray[Any]) -> Integers:
    """Give the distinct numbers of a column, which are not large: counting is faster than sorting."""
    return np.flatnonzero(np.bincount(numbers))


def _domains(columns: Mapping[str, Integers], tables: Model) -> Iterator[Goal]:
    homes = _present(columns["patzip"] * 100 + columns["patcnty"])
    for what, goal, found in (
        ("hospitals", len(tables.hospitals), len(_present(columns["oshpd_id"]))),
        ("counties per ZIP code", 1, len(homes) / len(np.unique(homes // 100))),
        ("lowest age", 0, columns["age_yrs"].min()),
        ("highest age", 85, columns["age_yrs"].max()),
    ):
        yield _near(what, goal, 0, found, "by construction")


def _margins(columns: Mapping[str, Integers], tables: Model) -> Iterator[Goal]:
    def made(what: str, goal: float, tolerance: float, measured: float) -> Goal:
        return _near(what, goal, tolerance, measured, "by construction")

    place = np.searchsorted(tables.hospitals, columns["oshpd_id"])
    rows, hospitals = len(place), len(tables.hospitals)
    age = AGE_GROUP.take(columns["age_yrs"])
    race = np.where(columns["ethncty"] == 1, HISPANIC, columns["race"] - 1)
    for names, goals, group in ((AGE_NAMES, AGES, age), (RACE_NAMES, RACES, race)):
        found = np.bincount(group, minlength=len(names)) / rows
        for name, goal, share in zip(names, goals, found, strict=True):
            yield made(f"share of discharges: {name}", goal, 0.01, share)
    sizes = np.bincount(place, minlength=hospitals)
    wanted = tables.sizes / tables.sizes.sum()
    yield made("share of a hospital, largest difference", 0, 0.01, abs(sizes / rows - wanted).max())
    for what, group, wish in (("ages", age, tables.by_age), ("races", race, tables.by_race)):
        groups = wish.shape[1]
        counts = np.bincount(place * groups + group, minlength=groups * hospitals).reshape(hospitals, groups)
        apart = abs(counts - wish / 4096 * sizes[:, None]).sum() / 2 / rows
        yield made(f"{what} within hospitals, share of discharges that differ", 0, 0.03, apart)
    days = np.bincount(place, weights=columns["los"], minlength=hospitals)
    yield made("mean days", 5.053, 0.2, days.sum() / rows)
    apart = abs(days - tables.days / 100 * sizes).sum() / days.sum()
    yield made("days within hospitals, share that differs", 0, 0.1, apart)


def _patients(patients: NDArray[Any] | None) -> Iterator[Goal]:
    if patients is None:
        return
    stays = np.bincount(patients)
    share = float((stays > 1).sum() / (stays > 0).sum())
    what = "share of patients with several discharges"
    yield Goal(what, "0.05 to 0.2", share, 0.05 <= share <= 0.2, "by construction")


def _uniqueness(table: Table, knowledge: Mapping[str, str]) -> Iterator[Goal]:
    """Let attackers know all groups of features, two, or one: those who know more should find more (Fig. S3)."""
    kinds = sorted(set(knowledge.values()))
    sets = [known for size in range(1, len(kinds) + 1) for known in combinations(kinds, size)]
    measures = [Uniqueness(tuple(name for name in table.schema.quasi if knowledge[name] in known)) for known in sets]
    found = {known: of.value for known, of in zip(sets, score(table, measures=measures), strict=True)}
    for known, share in found.items():
        less = max((found[part] for part in combinations(known, len(known) - 1) if part), default=None)
        what = f"truth: unique by {', '.join(known)} features"
        if less is None:
            yield Goal(what, "not published", share, None, "validation")
        else:
            yield Goal(what, f"above {less:.4f}, knowing less", share, share > less, "validation")


def _masking(truth: Table) -> Iterator[Goal]:
    masked = MaskUniques(key=MASKING_KEY).apply(truth, (), 0)
    regenerated = Regenerate().apply(masked, (), 0)
    yield _near("SPD: unique", UNIQUE_SPD, 0.03, score(regenerated, measures=[Uniqueness()])[0].value, "calibrated")
    yield from _correlations(masked, regenerated)
    yield from _masked(masked)
    worst = score(masked, measures=[Uniqueness(None, "fit"), Uniqueness(MASKING_KEY, "fit")])
    yield _twofold("PD: unique in the worst case", UNIQUE_PD, worst[0].value)
    yield Goal(
        "PD: unique in the worst case, length of stay not known", "not published", worst[1].value, None, "validation"
    )
    coarse = Coarsen(2).apply(regenerated, (), 0)
    yield _twofold(
        "SPD in two intervals per attribute: unique records",
        UNIQUE_AT_TWO,
        score(coarse, measures=[Uniqueness()])[0].value * truth.rows,
    )


def _correlations(masked: Table, regenerated: Table) -> Iterator[Goal]:
    """Compare with Table S4 the cells of PD that are not masked, and with Table S5 all cells of SPD."""
    found = score(regenerated, masked, measures=[CorrelationShift("skip")])[0].detail
    names = masked.schema.quasi
    tables: tuple[tuple[str, Mapping[str, tuple[float, ...]], str, GoalKind], ...] = (
        ("PD", CORRELATIONS_S4, "after", "calibrated"),
        ("SPD", CORRELATIONS_S5, "before", "validation"),
    )
    for which, goals, side, kind in tables:
        for i, (name, row) in enumerate(goals.items()):
            for other, goal in zip(names[i + 1 :], row, strict=True):
                measured = found[side][f"{name} ~ {other}"]
                if measured is None:  # in a short table some columns do not vary
                    continue
                yield _near(f"{which}: correlation of {name} and {other}", goal, 0.05, measured, kind)
    if found["agreement"] is not None:
        what = "correlation between the correlations of PD and SPD"
        yield _near(what, AGREEMENT, 0.03, found["agreement"], "validation")


def _masked(masked: Table) -> Iterator[Goal]:
    """Compare how many cells are masked, as shares of all records."""
    races = np.bincount(*masked.masked["race"], minlength=7)[1:] / masked.rows
    goals = np.array(MASKED_RACES) / FULL
    yield _near("PD: race masked", goals.sum(), 0.03, races.sum(), "validation")
    for name, goal, share in zip(RACE_NAMES, goals, races, strict=False):
        yield _near(f"PD: race masked, {name}", goal, 0.2 * goal, share, "validation")
    cells = sum(int(counts.sum()) for _, counts in masked.masked.values())
    mean = cells / masked.rows / len(masked.schema.quasi)
    yield _near("PD: cells masked, mean over nine attributes", MASKED_MEAN, 0.03, mean, "validation")
