"""The model behind the made-up discharges: who comes to which hospital, from where, and for how long.

Published margins give the hospitals: how many discharges each had in 2009, of which ages and races, and for how many
days. A national survey gives ages, sexes, diagnoses and stays. What nobody published is assumed here, in the constants
below, and chosen so that the whole table comes near the figures of the paper (see `shoal.datasets.discharge_goals`).

The state counts a Hispanic as Hispanic whatever the race, so its seven race groups are the six races of people who are
not Hispanic, or of unknown ethnicity, and one more.

The discharges of a year stand on a roll, one on a line. The roll is cut into strata: people of one hospital, place,
race group, sex and band of ages. A table takes the lines in random order, none twice.

In the paper three in four records are unique, yet nearly two in three of these have a companion that differs in
ethnicity or in the year of age alone, within five years. Independent draws come near that only if nearly all
combinations of cells are equally frequent; with real hospitals, races and stays far too many stay alone. So strata are
of like size, and the lines of a stratum are dealt: sorted by length of stay, they go in turn to the years of the band
of ages and then to the quarters. About one patient in seven lives scattered, and is alone whatever is dealt.

Every distribution becomes a table of slots: a power of two of places, filled with values in proportion to their
weights. A few bits then choose a place. Only integers and single, correctly rounded floating-point operations are
used, so that the tables are the same on every machine.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Reals = NDArray[np.float64]
Slots = NDArray[Any]
Columns = dict[str, NDArray[Any]]
Block = Mapping[str, NDArray[Any]]

# How many bits choose a line of the roll, and a value, by what is chosen.
ROLL, SEX, PLACE, SMALL, STAY = 22, 13, 12, 10, 12
WEIGHT, SHARE = 20, 12  # bits: the weights of all hospitals together, and the shares of ages and races within each
LINES = 61 << 16  # of the roll: the discharges of 2009, rounded up to whole blocks

HISPANIC = 6  # the last race group of the state
# Hospitals code the race of most Hispanics as White or as Other, and each has its habit: how many prefer White, and
# the share of Other with them and with the rest; of 1024.
PREFER_WHITE, HABITS = 500, (24, 976)
HISPANIC_OTHERWISE = (6, 2, 7, 9)  # Hispanics coded as Black, Native American, Asian, unknown; of 1024
UNKNOWN_ETHNICITY = (8, 8, 12, 8, 30, 620, 0)  # by race group, of 1024
BANDS = (0, 1, *range(5, 90, 5), 86)  # of ages: where they begin, and the end; those by which the state masks

# A hospital draws its patients from around its site. Its reach is the distance within which live MARKET times as many
# people as it would serve alone, but at least NEAREST kilometres. The pull of a place is its number of people, times
# (reach^2 / (reach^2 + distance^2))^4, and times OWN_COUNTY if it lies in the county of the hospital. The patients of
# one race group, sex and band of ages live in the places of the strongest pull, as many as give PER_PLACE patients
# each. Race groups live apart: they pass over the first places, as many as APART says.
MARKET = 3.75
OWN_COUNTY = 4
NEAREST = 2
PER_PLACE = 58
APART = (0, 2, 3, 4, 5, 6, 0)
USE = 107  # discharges per thousand inhabitants and year
# The others live scattered over a wide country, where the pull falls with the first power instead of the fourth (by
# race group), have no ZIP code (homeless, from another state, not told), or are Hispanics from abroad; of 1024. The
# state writes letters instead of a ZIP code for the last two; here all columns are numbers.
SCATTERED = (130, 185, 200, 185, 135, 110, 140)
UNKNOWN, FOREIGN = 24, 12
ABROAD_ZIP, NO_ZIP, NO_COUNTY = 10000, 99999, 0

# Hospitals plan stays: each favours some lengths, and patients stay for the nearest of them. These are the lengths up
# to three weeks, one row for every fourth hospital; above, all favour whole weeks.
FAVOURED = ((1, 2, 3, 4, 6, 9, 14), (1, 2, 3, 5, 7, 10, 15), (1, 2, 3, 4, 5, 8, 12), (1, 2, 3, 4, 7, 11, 16))
LONGEST = 10  # bits: no stay is longer

# Charges in dollars: for being admitted, for each of the first days, and for each day after these; by kind of stay
# (newborn, delivery, and others from short to long).
CHARGES = (
    (900, 7000, 15500, 12500, 14500, 23000),
    (1500, 4500, 5000, 5800, 6700, 7200),
    (2200, 2500, 2000, 2000, 2000, 1500),
)
FIRST_DAYS = 30
DAYS = 16  # lengths of stay that make a difference to the diagnosis; the last stands for all above


@dataclass(frozen=True, eq=False)
class Model:
    """The tables of slots, what belongs to each hospital, place and diagnosis, and the margins that were asked for."""

    hospitals: Numbers
    stratum: Slots
    first: Numbers
    hospital: Slots
    place: Slots
    origin: Slots
    age_band: Slots
    sex: Slots
    hispanic_race: Slots
    ethnicity: Slots
    zips: Numbers
    counties: Numbers
    scattered: Slots
    band: Numbers
    diagnosis: Slots
    codes: NDArray[np.str_]
    kind: Numbers
    stay: Slots
    stretch: Numbers
    long: Numbers
    favoured: Slots
    price: Numbers
    noise: Numbers
    charges: tuple[Numbers, ...]
    neighbours: Slots
    sizes: Numbers
    by_age: Reals
    by_race: Reals
    days: Numbers


def whole(shares: NDArray[Any], total: int) -> Numbers:
    """Round each row of shares to integers with a given sum, by the largest remainders; the first of equals wins."""
    exact = shares * (total / np.add.accumulate(shares, axis=1)[:, -1:].astype(np.float64))
    out = np.floor(exact).astype(np.int64)
    order = np.argsort(out - exact, axis=1, kind="stable")
    ranks = np.argsort(order, axis=1, kind="stable")
    rounded: Numbers = out + (ranks < total - out.sum(axis=1, keepdims=True))
    return rounded


def slots(shares: Any, bits: int, kind: Any = np.uint8) -> Slots:
    """Fill 2**bits places for each row of shares with the numbers of its columns; rows follow each other."""
    weights = whole(np.atleast_2d(np.asarray(shares)), 1 << bits)
    numbers = np.tile(np.arange(weights.shape[1], dtype=kind), len(weights))
    return np.repeat(numbers, weights.reshape(-1))


def fitted(odds: Reals, rows: Reals, columns: Reals, rounds: int = 60) -> Reals:
    """Scale a table of odds for each hospital until its margins are the given ones (iterative proportional fitting)."""
    cells = np.tile(odds, (len(rows), 1, 1))
    for _ in range(rounds):
        for margin, axis in ((rows, 2), (columns, 1)):
            # Accumulated one after the other: the order of a plain sum is up to the machine.
            found = np.add.accumulate(cells, axis=axis).take(-1, axis=axis)
            cells = cells * np.expand_dims(np.divide(margin, found, out=np.zeros_like(found), where=found > 0), axis)
    return cells


def pulls(places: Numbers, sites: Numbers, sizes: Numbers) -> tuple[Reals, Reals, Numbers]:
    """Give the pull of each place on each hospital, near and wide, and the squared distances between hospitals."""
    across = places[sites, 2][:, None] - places[:, 2]
    along = places[sites, 3][:, None] - places[:, 3]
    apart = across * across + along * along
    order = np.argsort(apart, axis=1, kind="stable")
    people = np.cumsum(10 * places[:, 4][order], axis=1)
    served = sizes * 3_985_166 * 1000 // (USE << WEIGHT)
    inside = np.minimum((people < (served * MARKET)[:, None]).sum(axis=1, keepdims=True), len(places) - 1)
    reach = np.maximum(np.take_along_axis(apart, np.take_along_axis(order, inside, axis=1), axis=1), NEAREST**2)
    wide = reach / (reach + apart)
    near = wide * wide
    bias = np.where(places[sites, 1][:, None] == places[:, 1], OWN_COUNTY, 1)
    return bias * places[:, 4] * (near * near), places[:, 4] * wide, apart[:, sites]


def _neighbours(apart: Numbers, sizes: Numbers, long: Numbers) -> Slots:
    """Give the four nearest hospitals to which someone may go instead: large ones, and none of long care."""
    unfit = (sizes < 1 << (WEIGHT - 9)) | (long > 0)
    apart = apart + (unfit.astype(np.int64) << 32)
    apart[np.arange(len(apart)), np.arange(len(apart))] = 1 << 33
    return np.argsort(apart, axis=1, kind="stable")[:, :4].astype(np.int64).reshape(-1)


def _hispanic_races(habit: Numbers) -> Slots:
    other = np.where(habit < PREFER_WHITE, *HABITS)
    black, native, asian, unknown = (np.full_like(other, share) for share in HISPANIC_OTHERWISE)
    white = 1024 - other - sum(HISPANIC_OTHERWISE)
    return slots(np.stack([white, black, native, asian, other, unknown], axis=1), SMALL) + np.uint8(1)


def _ethnicities() -> Slots:
    unknown = np.array(UNKNOWN_ETHNICITY)
    hispanic = np.where(np.arange(len(unknown)) == HISPANIC, 1024, 0)
    return slots(np.stack([hispanic, 1024 - hispanic - unknown, unknown], axis=1), SMALL) + np.uint8(1)


def _bands(years: list[list[int]], women: Reals) -> tuple[Numbers, Reals, Reals]:
    """Give for each band of ages its group of ages, its share of that group, and the shares of men and women in it."""
    weight = np.concatenate([np.array(mine, np.float64) for mine in years])
    group = np.repeat(np.arange(len(years)), [len(mine) for mine in years])
    total, of_women = (
        np.array([sum(mine[first:end]) for first, end in pairwise(BANDS)]) for mine in (weight, weight * women)
    )
    share = of_women / total / (1 << SEX)
    return group[list(BANDS[:-1])], total / (1 << SMALL), np.stack([1 - share, share], axis=1)


def _strata(near: Numbers, scattered: int, people: Reals) -> dict[str, NDArray[Any]]:
    """Cut the roll into strata.

    Parameters
    ----------
    near
        Places by hospital, the strongest pull first.
    scattered
        The place that stands for scattered ones; the two before it for abroad and for no ZIP code.
    people
        Lines by hospital, band of ages, race group and sex.
    """
    abroad = np.where(np.arange(people.shape[2]) == HISPANIC, FOREIGN, 0)
    others = {scattered - 2: abroad, scattered - 1: np.full_like(abroad, UNKNOWN), scattered: np.array(SCATTERED)}
    parts = []
    around = 1024 - np.stack(list(others.values())).sum(axis=0)
    for place, share in ((None, around), *others.items()):
        lines = (people * (share / 1024)[:, None]).reshape(-1)
        number = np.maximum(np.floor(lines / PER_PLACE + 0.5), 1) if place is None else np.ones_like(lines)
        whose = np.repeat(np.arange(lines.size), number.astype(np.int64))
        hospital, band, origin, sex = np.unravel_index(whose, people.shape)
        rank = np.arange(whose.size) - np.searchsorted(whose, whose)
        home = np.full_like(whose, place) if place else near[hospital, rank + np.array(APART).take(origin)]
        parts.append((hospital, home, origin, band, sex + 1, (lines / number)[whose]))
    *columns, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
    edges = np.add.accumulate(weights)
    edges = np.floor(edges * (LINES / edges[-1]) + 0.5).astype(np.int64)
    sizes = np.diff(edges, prepend=0)
    kept = np.flatnonzero(sizes)  # too few people for a line: their share goes to the next stratum
    names = ("hospital", "place", "origin", "age_band", "sex")
    return {name: column[kept] for name, column in zip(names, columns, strict=True)} | {
        "stratum": np.repeat(np.arange(kept.size, dtype=np.int32), sizes[kept]),
        "first": np.append((edges - sizes)[kept], LINES),
    }


def _favoured(hospitals: int) -> Slots:
    """Give for each hospital the favoured length of stay that is nearest to each number of days; the longer of two."""
    days, weeks = np.arange(1 << LONGEST), range(21, 2 << LONGEST, 7)
    rows = [np.array([*mine, *weeks]) for mine in FAVOURED]
    nearest = [row[np.searchsorted((row[1:] + row[:-1] + 1) // 2, days, "right")] for row in rows]
    return np.array(nearest, np.uint16)[np.arange(hospitals) % len(rows)].reshape(-1)


def _illness(weights: Numbers, kinds: Numbers, stays: Numbers) -> tuple[Slots, Slots]:
    """Give the days by band of ages and sex, and the diagnosis by these and by days: long stays, grave diseases."""
    of_kind = np.stack([weights[kinds == kind].sum(axis=0) for kind in range(len(stays))], axis=1)
    days = np.minimum(np.arange(stays.shape[1]), DAYS - 1)
    by_days = np.stack([stays[:, days == day].sum(axis=1) for day in range(DAYS)])
    # A little of every kind for every length: no row is left without a diagnosis.
    joint = weights.T[:, None, :] * (1 + 16 * by_days[:, kinds])
    return slots(of_kind @ stays, STAY), slots(joint.reshape(-1, len(kinds)), SMALL, np.uint16)


@cache
def model() -> Model:
    """Build the tables from the parameters, which ``tools/derive_discharges.py`` derived from published figures."""
    told = json.loads((files("shoal.datasets") / "discharges.json").read_text(encoding="utf-8"))
    places = np.array(told["places"], np.int64)
    told_of = list(zip(*told["hospitals"], strict=True))
    ids, sizes, sites, days, stretch, long, habit, price = (np.array(column, np.int64) for column in told_of[:8])
    by_age, by_race = (np.array(column, np.float64) for column in told_of[8:])
    odds = np.array(told["association"], np.float64)
    # Patients of one age differ more in race than the population does: odds to the power of one and a half.
    cells = fitted(odds * np.sqrt(odds), by_age, by_race)
    near, wide, apart = pulls(places, sites, sizes)
    group, share, by_sex = _bands(told["years"], np.array(told["women"], np.float64))
    lines = (cells[:, group, :] * share[:, None] * sizes[:, None, None])[..., None] * by_sex[:, None, :]
    codes, kinds, weights = zip(*told["diagnoses"], strict=True)
    kind = np.array(kinds, np.int64)
    stay, diagnosis = _illness(np.array(weights, np.int64), kind, np.array(told["stays"], np.int64))
    return Model(
        hospitals=ids,
        **_strata(np.argsort(-near, axis=1, kind="stable"), len(places) + 2, lines * (LINES / (1 << WEIGHT + SHARE))),
        hispanic_race=_hispanic_races(habit),
        ethnicity=_ethnicities(),
        zips=np.append(places[:, 0], [ABROAD_ZIP, NO_ZIP]),
        counties=np.append(places[:, 1], [NO_COUNTY, NO_COUNTY]),
        scattered=slots(wide, PLACE, np.uint16),
        band=np.searchsorted(told["bands"], np.arange(86), "right").astype(np.int64) - 1,
        diagnosis=diagnosis,
        codes=np.array(codes),
        kind=kind,
        stay=stay,
        stretch=stretch,
        long=long,
        favoured=_favoured(len(ids)),
        price=price,
        noise=np.array(told["noise"], np.int64),
        charges=tuple(np.array(rates, np.int64) for rates in CHARGES),
        neighbours=_neighbours(apart, sizes, long),
        sizes=sizes,
        by_age=by_age,
        by_race=by_race,
        days=days,
    )
