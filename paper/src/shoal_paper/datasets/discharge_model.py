"""The model behind the made-up discharges: who comes to which hospital, from where, why, and for how long.

Published margins give the hospitals: how many discharges each had in 2009, of which ages and races, and for how many
days. A national survey gives ages, sexes, diagnoses, stays and seasons. What nobody published is assumed
(see `shoal_paper.datasets.assumptions`).

Every record is drawn on its own: a hospital by its size; age group and race group together, by the hospital's margins
of both and the odds between them in the population; the year of age within its group, the sex by age; the place of
residence around the hospital; the diagnosis by age and sex; days and quarter by diagnosis; the charge by all these.

The state counts a Hispanic as Hispanic whatever the race, so its seven race groups are the six races of people who are
not Hispanic, or of unknown ethnicity, and one more.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Integers
from shoal_paper.datasets.assumptions import Assumptions
from shoal_paper.datasets.catchment import Catchment, catchment, distances, neighbours
from shoal_paper.datasets.slots import Reals, Slots, exponential, power, scaled, slots, totals

# How many bits choose a value, by what is chosen.
HOSPITAL, CELL, YEAR, SEX, DIAGNOSIS, STAY, QUARTER, SMALL = 20, 12, 12, 13, 12, 16, 12, 10
BOOTSTRAP = 1 << 41  # the second half of the key: the bits of no block of any table
NORMAL = 10  # bits: the places on the normal distribution that are tabled; more bits choose between two of them

HISPANIC = 6  # the last race group of the state
HISPANIC_OTHERWISE = (6, 2, 7, 9)  # Hispanics coded neither as White nor as Other: Black, Native, Asian, unknown
UNKNOWN_ETHNICITY = (8, 8, 12, 8, 30, 620, 0)  # by race group, of 1024
ABROAD_ZIP, NO_ZIP, NO_COUNTY = 10000, 99999, 0  # where the state writes letters: here all columns are numbers

# Charges in dollars: for being admitted, for each of the first days, and for each day after these; by kind of stay
# (newborn, delivery, and others from short to long).
CHARGES = (
    (900, 7000, 15500, 12500, 14500, 23000),
    (1500, 4500, 5000, 5800, 6700, 7200),
    (2200, 2500, 2000, 2000, 2000, 1500),
)
FIRST_DAYS = 30
NOT_REPORTED, NO_CHARGE = -(1 << 20), -(1 << 21)  # instead of a hospital's place among the levels of charges


@dataclass(frozen=True, eq=False)
class Model:
    """The tables of slots, what belongs to each hospital, place and diagnosis, and the margins that were asked for."""

    assumed: Assumptions
    hospitals: Integers
    hospital: Slots
    cell: Slots
    year: Slots
    first_age: Integers
    women: Integers
    hispanic_race: Slots
    ethnicity: Slots
    home: Catchment
    zips: Integers
    counties: Integers
    illness: Integers
    diagnosis: Slots
    codes: NDArray[np.str_]
    kind: Integers
    season: Integers
    quarter: Slots
    stay: Slots
    stretch: Integers
    long: Integers
    stay_factor: Integers
    long_factor: Integers
    price: Integers
    charge_factor: Integers
    charges: tuple[Integers, ...]
    neighbours: Slots
    sizes: Integers
    by_age: Reals
    by_race: Reals
    days: Integers


def fitted(odds: Reals, rows: Reals, columns: Reals, rounds: int = 60) -> Reals:
    """Scale a table of odds for each hospital until its margins are the given ones (iterative proportional fitting)."""
    cells = np.tile(odds, (len(rows), 1, 1))
    for _ in range(rounds):
        for margin, axis in ((rows, 2), (columns, 1)):
            cells = scaled(cells, np.expand_dims(margin, axis), axis)
    return cells


def resampled(shares: NDArray[Any], sizes: list[int], number: int) -> NDArray[Any]:
    """Draw each row of shares anew from as many records as it was found in (bootstrap); number 0 leaves it as it is."""
    if number == 0:
        return shares
    bits, weights = 12, np.asarray(shares)
    filled = slots(weights, bits, np.int64).reshape(len(weights), -1)
    generator = np.random.Philox(key=np.array([number, BOOTSTRAP], np.uint64))
    out = np.empty_like(weights)
    for row, size in enumerate(sizes):
        drawn = (generator.random_raw(max(size, 1)) >> np.uint64(64 - bits)).astype(np.int64)
        out[row] = np.bincount(filled[row].take(drawn), minlength=weights.shape[1])
    return out


def factors(normal: Integers, spread: float) -> Integers:
    """Give lognormal factors of mean one, in 4096ths, by place on the normal distribution."""
    grown = exponential(spread * (normal / 4096) - spread * spread / 2)
    return np.floor(4096 * grown + 0.5).astype(np.int64)


def _hispanic_races(habit: Integers, assumed: Assumptions) -> Slots:
    against = np.full(habit.shape, assumed.against_habit)
    other = np.where(habit < 1024 * assumed.prefer_white, against, 1 - against) * (1 - assumed.otherwise)
    black, native, asian, unknown = (
        np.full(habit.shape, share * assumed.otherwise / sum(HISPANIC_OTHERWISE)) for share in HISPANIC_OTHERWISE
    )
    white = 1 - assumed.otherwise - other
    return slots(np.stack([white, black, native, asian, other, unknown], axis=1), SMALL) + np.uint8(1)


def _ethnicities(assumed: Assumptions) -> Slots:
    unknown = np.array(UNKNOWN_ETHNICITY) * assumed.ethnicity_unknown
    hispanic = np.where(np.arange(len(unknown)) == HISPANIC, 1024, 0)
    return slots(np.stack([hispanic, 1024 - hispanic - unknown, unknown], axis=1), SMALL) + np.uint8(1)


def _prices(levels: Integers, assumed: Assumptions) -> Integers:
    """Give the level of charges of each hospital in 4096ths; the codes stay."""
    level = np.floor(4096 * assumed.charge_level * exponential(assumed.price_spread * (levels / 4096)) + 0.5)
    return np.where(levels <= NOT_REPORTED, levels, level.astype(np.int64))


def _seasons(shares: NDArray[Any], assumed: Assumptions) -> Slots:
    even = totals(shares, 1) / 4
    return slots(even + (shares - even) * assumed.season, QUARTER) + np.uint8(1)


def model(assumed: Assumptions | None = None) -> Model:
    """Build the tables from the parameters, which ``tools/derive_discharges.py`` derived from published figures.

    Parameters
    ----------
    assumed
        The constants that nobody published; the usual ones if left out.
    """
    return _model(assumed or Assumptions())


@lru_cache(maxsize=2)
def _model(assumed: Assumptions) -> Model:
    tables = json.loads((files("shoal_paper.datasets") / "discharges.json").read_text(encoding="utf-8"))
    places = np.array(tables["places"], np.int64)
    by_hospital = list(zip(*tables["hospitals"], strict=True))
    ids, sizes, sites, days, stretch, long, habit, levels = (np.array(column, np.int64) for column in by_hospital[:8])
    by_age, by_race = (np.array(column, np.float64) for column in by_hospital[8:])
    cells = fitted(power(np.array(tables["association"], np.float64), assumed.association), by_age, by_race)
    codes, kinds, seasons, weights = zip(*tables["diagnoses"], strict=True)
    of_cell, of_season, of_age = tables["surveyed"]
    women = np.array(tables["women"], np.int64)
    by_sex = resampled(np.stack([(1 << SEX) - women, women], axis=1), of_age, assumed.resample)
    normal = np.array(tables["normal"], np.int64)
    races = totals(by_race * sizes[:, None], 0).reshape(-1) / ((1 << CELL) * sizes.sum())
    unfit = (sizes < 1 << (HOSPITAL - 9)) | (long > 0)  # small ones, and those of long care
    return Model(
        assumed=assumed,
        hospitals=ids,
        hospital=slots(sizes, HOSPITAL, np.uint16),
        cell=slots(cells.reshape(len(ids), -1), CELL),
        year=np.concatenate([slots(mine, YEAR) for mine in tables["years"]]),
        first_age=np.cumsum([0, *(len(mine) for mine in tables["years"])]),
        women=(by_sex[:, 1] << SEX) // by_sex.sum(axis=1),
        hispanic_race=_hispanic_races(habit, assumed),
        ethnicity=_ethnicities(assumed),
        home=catchment(places, sites, sizes, races, normal, assumed),
        zips=np.append(places[:, 0], [ABROAD_ZIP, NO_ZIP]),
        counties=np.append(places[:, 1], [NO_COUNTY, NO_COUNTY]),
        illness=2 * (np.searchsorted(tables["bands"], np.arange(86), "right").astype(np.int64) - 1),
        diagnosis=slots(resampled(np.array(weights, np.int64).T, of_cell, assumed.resample), DIAGNOSIS, np.uint16),
        codes=np.array(codes),
        kind=np.array(kinds, np.int64),
        season=np.array(seasons, np.int64),
        quarter=_seasons(resampled(np.array(tables["seasons"], np.int64), of_season, assumed.resample), assumed),
        stay=slots(tables["stays"], STAY, np.uint16),
        stretch=stretch,
        long=long,
        stay_factor=factors(normal, assumed.stay_spread),
        long_factor=factors(normal, assumed.long_spread),
        price=_prices(levels, assumed),
        charge_factor=factors(normal, assumed.charge_spread),
        charges=tuple(np.array(rates, np.int64) for rates in CHARGES),
        neighbours=neighbours(distances(places, sites)[:, sites], unfit),
        sizes=sizes,
        by_age=by_age,
        by_race=by_race,
        days=days,
    )
