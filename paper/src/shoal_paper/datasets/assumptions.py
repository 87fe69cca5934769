"""What nobody published about the discharges, and the stand-in therefore assumes: each with its meaning and range.

The values are the middle of what is thought possible, or were calibrated (see docs/discharges.md). Drawing all of them
anew from their ranges, together with a bootstrap of the survey's tables, gives other tables that could be the real one
just as well: results that hold in most of these do not hang on a guess.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Self

import numpy as np

from shoal.errors import ParameterError


def _assumed(value: float, low: float, high: float) -> Any:
    return field(default=value, metadata={"low": low, "high": high})


@dataclass(frozen=True)
class Assumptions:
    """The assumed constants of the stand-in, and which bootstrap of the survey it uses.

    Parameters
    ----------
    reach
        A hospital's reach is the distance within which live so many times the people that it would serve alone.
    nearest
        No reach is shorter, in kilometres.
    scatter
        The share of patients who come from far, before flows are balanced (then 17 % instead of 11 %): for them the
        pull of a place falls much slower with distance.
    own_county
        How many times more patients come from the hospital's own county, all else equal.
    segregation
        How far race groups live apart: the standard deviation of the logarithm of a place's affinity for a group.
    no_zip
        The share of patients without a ZIP code: homeless, from another state, or not recorded.
    abroad
        The share of Hispanics who live abroad.
    prefer_white
        The share of hospitals that code Hispanics as White by habit; the others code them as Other.
    against_habit
        The share of Hispanics who are coded against the habit of their hospital.
    otherwise
        The share of Hispanics who are coded neither as White nor as Other.
    ethnicity_unknown
        How many times as many people are of unknown ethnicity as in the table of `discharge_model`.
    association
        The power to which the odds between age and race in the population are raised for patients.
    stay_spread
        The standard deviation of the logarithm of a stay around what the survey leads to.
    long_spread
        The same for hospitals of long care, around their mean.
    charge_level
        How many times the charges are those of the table of `discharge_model`.
    charge_spread
        The standard deviation of the logarithm of charges of one hospital, kind and length of stay.
    price_spread
        The standard deviation of the logarithm of hospitals' levels of charges.
    season
        How many times as strong the seasons are as in the survey.
    returns
        The share of discharges of the ill, neither newborn nor in childbed, that are of an earlier patient.
    loyal
        The share of these that are in the hospital where the patient was first.
    same_quarter
        The share of these that are in the quarter of the first stay for sure.
    resample
        The number of the bootstrap of the survey's tables, where 0 takes them as they are, and of the draw of where
        race groups live.
    """

    reach: float = _assumed(6, 4, 9)
    nearest: float = _assumed(4, 2, 6)
    scatter: float = _assumed(0.11, 0.06, 0.2)
    own_county: float = _assumed(4, 3, 6)
    segregation: float = _assumed(1.2, 0.8, 1.6)
    no_zip: float = _assumed(0.024, 0.012, 0.036)
    abroad: float = _assumed(0.012, 0.006, 0.018)
    prefer_white: float = _assumed(0.53, 0.45, 0.6)
    against_habit: float = _assumed(0.024, 0, 0.1)
    otherwise: float = _assumed(0.024, 0.01, 0.05)
    ethnicity_unknown: float = _assumed(1, 0.5, 1.5)
    association: float = _assumed(1, 0.8, 1.2)
    stay_spread: float = _assumed(0.2, 0, 0.4)
    long_spread: float = _assumed(0.6, 0.4, 0.8)
    charge_level: float = _assumed(1.17, 1.05, 1.3)
    charge_spread: float = _assumed(0.62, 0.5, 0.75)
    price_spread: float = _assumed(0.3, 0.2, 0.4)
    season: float = _assumed(1, 0, 2)
    returns: float = _assumed(0.19, 0.13, 0.25)
    loyal: float = _assumed(0.8, 0.7, 0.9)
    same_quarter: float = _assumed(0.25, 0.1, 0.4)
    resample: int = 0

    def __post_init__(self) -> None:
        """Refuse what no model can be built from: anything outside the stated ranges."""
        for mine in fields(self):
            low, high = mine.metadata.get("low", 0), mine.metadata.get("high", (1 << 63) - 1)
            if not low <= getattr(self, mine.name) <= high:
                raise ParameterError(
                    f"The assumption '{mine.name}' is outside its range.", f"Choose a number from {low} to {high}."
                )

    @classmethod
    def drawn(cls, number: int) -> Self:
        """Draw all assumptions anew, evenly from their ranges, and a bootstrap of the survey's tables.

        Parameters
        ----------
        number
            Which draw, from 1: same number, same assumptions, on every machine.
        """
        if not 1 <= number < 1 << 63:
            raise ParameterError("Draws of assumptions are numbered from 1.", "Choose a whole number above 0.")
        ranges = {mine.name: mine.metadata for mine in fields(cls) if mine.metadata}
        chances = np.random.Philox(key=np.array([number, _DRAWS], np.uint64)).random_raw(len(ranges)) >> np.uint64(11)
        values = {
            name: at["low"] + (at["high"] - at["low"]) * (float(chance) / (1 << 53))
            for (name, at), chance in zip(ranges.items(), chances, strict=True)
        }
        return cls(**values, resample=number)


_DRAWS = 1 << 40  # the second half of the key: the bits of no block of any table
