"""A small made-up hospital table for trying things out. Nobody in it exists."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

HEADER = ("hospital", "age", "sex", "race", "zip", "quarter", "stay", "charge", "diagnosis")
QUASI = HEADER[:7]
SENSITIVE = HEADER[7:]

_RACES = ("White", "Black", "Asian", "Native American", "Other")
_SHARES = (0.62, 0.09, 0.12, 0.01, 0.16)
_DIAGNOSES = ("birth", "pneumonia", "heart failure", "fracture", "sepsis", "stroke", "cancer", "depression")
_BEARING = (15, 49)  # the ages between which statistics count births to women


def write_patients(path: Path, rows: int = 2000, seed: int = 2009) -> None:
    """Write a table of discharges: same seed, same table."""
    draw = np.random.Generator(np.random.PCG64(seed))
    hospital = draw.integers(0, 12, rows)
    age = np.clip(draw.normal(52, 24, rows), 0, 85).astype(int)
    stay = draw.geometric(0.22, rows)
    charge = (np.exp(draw.normal(9.2, 0.9, rows)) * np.sqrt(stay)).astype(int)
    sex = draw.choice(["female", "male"], rows)
    race = draw.choice(_RACES, rows, p=_SHARES)
    zip_code, quarter = 90001 + hospital * 40 + draw.integers(0, 60, rows), draw.integers(1, 5, rows)
    diagnosis, other = draw.choice(_DIAGNOSES, rows), draw.choice(_DIAGNOSES[1:], rows)
    able = (sex == "female") & (age >= _BEARING[0]) & (age <= _BEARING[1])
    columns = (
        (1000 + hospital).tolist(),
        age.tolist(),
        sex.tolist(),
        race.tolist(),
        zip_code.tolist(),
        quarter.tolist(),
        stay.tolist(),
        charge.tolist(),
        np.where((diagnosis == "birth") & ~able, other, diagnosis).tolist(),
    )
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows(zip(*columns, strict=True))
