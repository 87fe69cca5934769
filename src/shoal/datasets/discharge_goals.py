"""The published figures that the made-up discharges should come near, and how near they come.

Sources: the supplement of doi:10.1126/science.aad9295 (Table S4, Fig. S3, the masked counts of Algorithm S1), and the
state's margins of 2009.

Table S3 tells how the state masked unique records, but not in which columns a record had to be unique. The goals are
for the reading that all nine quasi-identifiers count. What other readings would lead to is measured too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.datasets.discharge_model import HISPANIC, Model, Numbers, model
from shoal.measures import score
from shoal.measures.uniqueness import Uniqueness
from shoal.methods.mask_uniques import MaskUniques
from shoal.table import Table

Columns = Mapping[str, NDArray[Any]]


class Goal(NamedTuple):
    """A goal: what is measured, the published figure with its tolerance, what came out, and whether that is within.

    Where nothing is published, or only for a table of another length, ``holds`` is None.
    """

    what: str
    goal: str
    measured: float
    holds: bool | None


FULL = 3_985_166  # records: the length of the paper's table
CORRELATIONS = {  # Table S4, row by row; each row goes on with the columns after its own
    "oshpd_id": (0.001, 0.001, 0.045, -0.056, 0.043, 0.811, 0.003, -0.001),
    "age_yrs": (0.013, 0.359, -0.215, -0.006, -0.004, 0.118, -0.012),
    "sex": (-0.048, 0.022, 0.007, 0.012, -0.036, 0.004),
    "ethncty": (-0.334, 0.134, 0.036, 0.048, -0.007),
    "race": (-0.081, -0.054, -0.014, 0.015),
    "patzip": (0.094, -0.012, -0.002),
    "patcnty": (0.001, 0.000),
    "los": (-0.005,),
}
AGES = (0.1467, 0.0243, 0.0446, 0.1101, 0.1058, 0.0944, 0.1159, 0.1143, 0.1120, 0.1319)
RACES = (0.4860, 0.0855, 0.0026, 0.0818, 0.0286, 0.0094, 0.3061)
MASKED_RACES = (568394, 136264, 10761, 130597, 193477, 32857)
AGE_NAMES = ("under 1", "1-9", "10-19", "20-29", "30-39", "40-49", "50-59", "60-69", "70-79", "80 and over")
RACE_NAMES = ("White", "Black", "Native American", "Asian", "Other", "Unknown", "Hispanic")
AGE_GROUP = np.minimum(np.where(np.arange(86) == 0, 0, np.arange(86) // 10 + 1), 9)
OTHER_KEYS = (("los",), ("oshpd_id",), ("oshpd_id", "los"))  # what is left out of them


def compare(table: Table, knowledge: Mapping[str, str], patients: NDArray[Any] | None) -> list[Goal]:
    """Measure every goal, given a table as `shoal.datasets.discharges` makes it, and whose discharge each record is."""
    frame, tables = table.to_arrow(), model()
    columns = {name: frame.column(name).to_numpy().astype(np.int64) for name in (*table.schema.quasi, "charge")}
    of_length = [*_uniqueness(table, knowledge), *_masking(table)]
    if table.rows != FULL:  # a shorter table has more unique records, a longer one fewer
        said = f" with {FULL:,} records"
        of_length = [
            goal._replace(goal=goal.goal + said, holds=None)
            if "±" in goal.goal or goal.what.startswith("masked")
            else goal
            for goal in of_length
        ]
    return [
        *_domains(columns, tables),
        *_margins(columns, tables),
        *_correlations(columns),
        *of_length,
        *_other_keys(table),
        *_patients(patients),
    ]


def _near(what: str, goal: float, tolerance: float, measured: float) -> Goal:
    return Goal(what, f"{goal:.4g} ± {tolerance:.2g}", float(measured), bool(abs(measured - goal) <= tolerance))


def _present(numbers: NDArray[Any]) -> Numbers:
    """Give the distinct numbers of a column, which are not large: counting is faster than sorting."""
    return np.flatnonzero(np.bincount(numbers))


def _domains(columns: Columns, tables: Model) -> Iterator[Goal]:
    yield _near("hospitals", len(tables.hospitals), 0, len(_present(columns["oshpd_id"])))
    homes = _present(columns["patzip"].astype(np.int64) * 100 + columns["patcnty"])
    yield _near("counties per ZIP code", 1, 0, len(homes) / len(np.unique(homes // 100)))
    yield _near("lowest age", 0, 0, columns["age_yrs"].min())
    yield _near("highest age", 85, 0, columns["age_yrs"].max())
    yield _near("share of charges above 100,000", 0.1, 0.01, (columns["charge"] > 100_000).mean())


def _margins(columns: Columns, tables: Model) -> Iterator[Goal]:
    place = np.searchsorted(tables.hospitals, columns["oshpd_id"])
    rows, hospitals = len(place), len(tables.hospitals)
    age = AGE_GROUP.take(columns["age_yrs"])
    race = np.where(columns["ethncty"] == 1, HISPANIC, columns["race"] - 1)
    for names, goals, group in ((AGE_NAMES, AGES, age), (RACE_NAMES, RACES, race)):
        found = np.bincount(group, minlength=len(names)) / rows
        for name, goal, share in zip(names, goals, found, strict=True):
            yield _near(f"share of discharges: {name}", goal, 0.01, share)
    sizes = np.bincount(place, minlength=hospitals)
    wanted = tables.sizes / tables.sizes.sum()
    yield _near("share of a hospital, largest difference", 0, 0.01, abs(sizes / rows - wanted).max())
    for what, group, wish in (("ages", age, tables.by_age), ("races", race, tables.by_race)):
        groups = wish.shape[1]
        counts = np.bincount(place * groups + group, minlength=groups * hospitals).reshape(hospitals, groups)
        apart = abs(counts - wish / 4096 * sizes[:, None]).sum() / 2 / rows
        yield _near(f"{what} within hospitals, share of discharges that differ", 0, 0.03, apart)
    days = np.bincount(place, weights=columns["los"], minlength=hospitals)
    yield _near("mean days", 5.053, 0.2, days.sum() / rows)
    apart = abs(days - tables.days / 100 * sizes).sum() / days.sum()
    yield _near("days within hospitals, share that differs", 0, 0.1, apart)


def _correlations(columns: Columns) -> Iterator[Goal]:
    names = [*CORRELATIONS, "adm_qtr"]
    found = _pearson([columns[name] for name in names])
    for i, (name, row) in enumerate(CORRELATIONS.items()):
        for j, goal in enumerate(row, i + 1):
            yield _near(f"correlation of {name} and {names[j]}", goal, 0.05, found[i, j])


def _pearson(columns: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
    """Correlate columns piece by piece: all of them as floating-point numbers would take much memory."""
    rows, step = len(columns[0]), 1 << 16
    means = np.array([column.mean() for column in columns])[:, None]
    products = np.zeros((len(columns), len(columns)))
    for first in range(0, rows, step):
        piece = np.array([column[first : first + step] for column in columns]) - means
        products += piece @ piece.T
    scale = np.sqrt(np.diag(products))
    correlations: NDArray[np.float64] = products / np.outer(scale, scale)
    return correlations


def _uniqueness(table: Table, knowledge: Mapping[str, str]) -> Iterator[Goal]:
    """Let attackers know all groups of features, two, or one: whoever knows more should find more."""
    kinds = sorted(set(knowledge.values()))
    sets = [known for size in range(1, len(kinds) + 1) for known in combinations(kinds, size)]
    measures = [Uniqueness(tuple(name for name in table.schema.quasi if knowledge[name] in known)) for known in sets]
    found = {known: of.value for known, of in zip(sets, score(table, measures=measures), strict=True)}
    for known, share in found.items():
        less = max((found[part] for part in combinations(known, len(known) - 1) if part), default=None)
        what = f"unique by {', '.join(known)} features"
        if len(known) == len(kinds):
            yield _near(what, 0.75, 0.02, share)
        elif less is None:
            yield Goal(what, "not published", share, None)
        else:
            yield Goal(what, f"above {less:.4f}, knowing less", share, share > less)


def _masked(table: Table, key: tuple[str, ...]) -> tuple[NDArray[Any], float, float]:
    """Mask as in Table S3; give how often each race was masked, the share of masked cells, and the worst case after."""
    masked = MaskUniques(key=key).apply(table, [], 0)
    races = np.bincount(*masked.masked["race"], minlength=7)[1:]
    cells = sum(int(counts.sum()) for _, counts in masked.masked.values())
    return (
        races,
        cells / table.rows / len(table.schema.quasi),
        score(masked, measures=[Uniqueness(matching="fit")])[0].value,
    )


def _masking(table: Table) -> Iterator[Goal]:
    races, cells, left = _masked(table, table.schema.quasi)
    yield _near("masked: race", sum(MASKED_RACES) / FULL, 0.02, races.sum() / table.rows)
    goals = np.array(MASKED_RACES) / sum(MASKED_RACES)
    for name, goal, share in zip(RACE_NAMES, goals, races / max(races.sum(), 1), strict=False):
        yield _near(f"masked: {name} among races", goal, 0.15 * goal, share)
    yield _near("masked: mean over nine columns", 0.2115, 0.03, cells)
    yield Goal("masked: still unique in the worst case", "below 0.01 (paper: 0.0026)", left, left < 0.01)


def _other_keys(table: Table) -> Iterator[Goal]:
    for without in OTHER_KEYS:
        races, cells, left = _masked(table, tuple(name for name in table.schema.quasi if name not in without))
        key = f"masked, key without {' and '.join(without)}"
        yield Goal(f"{key}: race", "for comparison", races.sum() / table.rows, None)
        yield Goal(f"{key}: mean over nine columns", "for comparison", cells, None)
        yield Goal(f"{key}: still unique in the worst case", "for comparison", left, None)


def _patients(patients: NDArray[Any] | None) -> Iterator[Goal]:
    if patients is None:
        return
    stays = np.bincount(patients)
    share = float((stays > 1).sum() / (stays > 0).sum())
    yield Goal("share of patients with several discharges", "0.05 to 0.2", share, 0.05 <= share <= 0.2)
