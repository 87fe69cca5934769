"""Benchmark input: hospital discharges that never happened, in the shape of the paper's data.

The real file cannot be redistributed, and the cost of anonymizing depends on the number of records, the
width of the numbers and how many of them tie, not on whether a patient exists. So the table is drawn from a
fixed seed: the same number of rows always gives the same bytes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import polars as pl

SEED = 2009
HOSPITALS = 448
COUNTIES = 58
HIGHEST_AGE = 85
FIRST_ZIP, LAST_ZIP = 90001, 96162
LONGEST_STAY = 365
RACE_SHARES = (0.62, 0.09, 0.005, 0.10, 0.16, 0.025)
ETHNICITY_SHARES = (0.29, 0.67, 0.04)
MEDIAN_CHARGE, CHARGE_SPREAD, HIGHEST_CHARGE = 24_400.0, 1.1, 9_999_999
"""A median and a spread that put one charge in ten above 100,000, as in the paper."""


def discharges(rows: int, seed: int = SEED) -> pl.DataFrame:
    """Draw `rows` discharges: nine integer quasi-identifiers, then the confidential charge."""
    draw = np.random.default_rng(seed)

    county_size = draw.lognormal(0.0, 1.3, COUNTIES)
    county_share = county_size / county_size.sum()
    hospital_county = 1 + draw.choice(COUNTIES, HOSPITALS, p=county_share)
    hospital_number = draw.choice(np.arange(700, 5000), HOSPITALS, replace=False)
    hospital_ids = hospital_county * 10_000 + hospital_number
    busyness = draw.lognormal(0.0, 1.2, HOSPITALS)
    hospital = draw.choice(HOSPITALS, rows, p=busyness / busyness.sum())

    # Patients mostly live where their hospital is, each county has its own run of ZIP codes, and most people
    # live in few of them: without these links the table would be more scattered than any real one.
    county = hospital_county[hospital]
    elsewhere = draw.random(rows) < 0.1
    county[elsewhere] = 1 + draw.choice(COUNTIES, int(elsewhere.sum()), p=county_share)
    zips_per_county = (LAST_ZIP - FIRST_ZIP) / COUNTIES
    patient_zip = FIRST_ZIP + (county - draw.random(rows) ** 3) * zips_per_county

    newborn = draw.random(rows) < 0.13
    age = np.where(newborn, 0, np.minimum(draw.normal(52, 24, rows).clip(0), HIGHEST_AGE))

    columns = {
        "oshpd_id": hospital_ids[hospital],
        "age_yrs": age,
        "sex": 1 + (draw.random(rows) < 0.57),
        "ethncty": 1 + draw.choice(len(ETHNICITY_SHARES), rows, p=ETHNICITY_SHARES),
        "race": 1 + draw.choice(len(RACE_SHARES), rows, p=RACE_SHARES),
        "patzip": patient_zip,
        "patcnty": county,
        "los": np.minimum(draw.geometric(0.2, rows) - 1, LONGEST_STAY),
        "adm_qtr": draw.integers(1, 5, rows),
        "charge": np.minimum(MEDIAN_CHARGE * draw.lognormal(0.0, CHARGE_SPREAD, rows), HIGHEST_CHARGE),
    }
    return pl.DataFrame({name: values.astype(np.int32) for name, values in columns.items()})


def main() -> None:
    """Write one table, as a program of its own so that its memory is not the memory of who asks for it."""
    parser = argparse.ArgumentParser(description="Write a benchmark table as comma-delimited text.")
    parser.add_argument("output", type=Path)
    parser.add_argument("--rows", type=int, required=True)
    arguments = parser.parse_args()
    discharges(arguments.rows).write_csv(arguments.output)


if __name__ == "__main__":
    main()
