"""Derive the parameters of ``shoal_paper.datasets.discharges`` from published margins.

    python tools/derive_discharges.py DATA > paper/src/shoal_paper/datasets/discharges.json

DATA is a folder that holds three others: ``california``, the hospital margins of 2009 with ZIP codes and population;
``codes``, the ICD-9-CM hierarchy; ``hospital``, a sample of the National Hospital Discharge Survey 2010. Counts become
integer weights; nothing is copied record by record. Where no figure is published (where hospitals stand, how they code
the race of Hispanics, their prices) the script makes one up, always the same one.
"""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter, defaultdict
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

AGE_GROUPS = {  # as the state names them; the last age stands for all above it
    "Under 1": (0, 0), "1-9": (1, 9), "10-19": (10, 19), "20-29": (20, 29), "30-39": (30, 39), "40-49": (40, 49),
    "50-59": (50, 59), "60-69": (60, 69), "70-79": (70, 79), "80+": (80, 85),
}  # fmt: skip
RACE_GROUPS = {  # as the state names them, with the codes of the census that come nearest
    "White": ("White",), "Black": ("Black",), "Native American/Eskimo/Aleut": ("AIAN",),
    "Asian/Pacific Islander": ("Asian", "NHPI"), "Other": ("Multi",), "Unknown": ("Total",), "Hispanic": ("Hisp",),
}  # fmt: skip
CENSUS_AGES = [(0, 4), (5, 14), (15, 24), (25, 34), (35, 44), (45, 54), (55, 64), (65, 74), (75, 84), (85, 85)]
BANDS = [0, 1, 13, 18, 25, 35, 45, 55, 65, 75, 85]  # first ages of the bands within which diagnoses are drawn
SOURCES = (
    "OSHPD open data: inpatient discharges 2009 by hospital and age group, race group, days",
    "US Census: population and position of ZIP code areas",
    "California Department of Finance: population 2009 by age and race",
    "CDC, National Hospital Discharge Survey 2010: ages, sexes, diagnoses, days, months of discharge (sample)",
)
FEWEST = 3  # records of the survey that a diagnosis needs to be kept
SIZE = 1 << 20
LONG = 2  # a hospital whose stays are so many times longer than usual gives long care
USE = 0.107  # discharges per inhabitant and year
NOT_REPORTED, NO_CHARGE = -(1 << 20), -(1 << 21)
LONGEST = 400  # days: usual stays are no longer, before hospitals stretch them
SPREAD = 0.25  # of the logarithm of the longest stays: how far around those of the survey others may lie
Record = tuple[int, int, str, int, float, int]


def table(path: Path) -> list[dict[str, str]]:
    """Read a delimited file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def whole(shares: Any, total: int) -> list[int]:
    """Round shares to integers with a given sum, by the largest remainders."""
    exact = np.asarray(shares, float) * total / np.sum(shares)
    out = np.floor(exact).astype(int)
    for i in np.argsort(out - exact, kind="stable")[: total - out.sum()]:
        out[i] += 1
    return [int(number) for number in out]


def county_codes(rows: list[dict[str, str]]) -> dict[str, int]:
    """Number the counties from 1 in alphabetical order."""
    names = sorted({row["county"].removesuffix(" County") for row in rows if row["county"]})
    return {name: code for code, name in enumerate(names, 1)}


def places(folder: Path) -> list[list[int]]:
    """Give ZIP code, county, position on a grid of kilometres, and inhabitants in tens."""
    rows = table(folder / "zip_county_population.csv")
    codes = county_codes(rows)
    return [
        [
            int(row["zip"]),
            codes[row["county"].removesuffix(" County")],
            round((float(row["lng"]) + 125) * 88.8),
            round((float(row["lat"]) - 32) * 111),
            max(1, round(float(row["population"]) / 10)),
        ]
        for row in rows
        if row["population"] and float(row["population"]) > 0
    ]


def in_childbed(code: str) -> bool:
    """Tell whether a diagnosis is one of pregnancy or childbirth."""
    return "630" <= code[:3] <= "679"


def survey(path: Path, known: set[str]) -> list[Record]:
    """Give age, sex, diagnosis, days, weight and quarter of discharge of each discharge of the survey."""
    out = []
    for row in table(path):
        age = min(int(row["age"]), 85) if row["age_unit"] == "years" else 0
        codes = [row[f"dx0{i}"].rstrip("-") for i in range(1, 4)]
        code = next((c for c in codes if c and not c.startswith("V27")), "")  # outcome of a delivery: not its cause
        if code in known and (13 <= age < 45 or not in_childbed(code)):
            sex, days = 1 + (row["sex"] == "female"), max(1, int(row["care_days"]))
            out.append((age, sex, code, days, float(row["weighting"]), (int(row["dc_month"]) - 1) // 3))
    return out


def cell(age: int, sex: int) -> int:
    """Number the cells of age band and sex within which diagnoses are drawn."""
    return 2 * (int(np.searchsorted(BANDS, age, "right")) - 1) + sex - 1


def season(code: str) -> int:
    """Tell apart the illnesses with seasons of their own: newborns, childbed, airways and lungs, and all others."""
    return 0 if code.startswith("V3") else 1 if in_childbed(code) else 2 if "460" <= code[:3] <= "519" else 3


def diagnoses(records: list[Record]) -> tuple[list[list[Any]], list[list[int]]]:
    """Give each code with its kind of stay, its season and its weight per cell; and the days of each kind of stay."""
    counts: Counter[str] = Counter(record[2] for record in records)
    kept = sorted(code for code, count in counts.items() if count >= FEWEST)
    days: dict[str, list[tuple[int, float]]] = defaultdict(list)
    weights: dict[str, np.ndarray] = {code: np.zeros(2 * len(BANDS)) for code in kept}
    for age, sex, code, stay, weight, _ in records:
        if code in weights:
            days[code].append((stay, weight))
            weights[code][cell(age, sex)] += weight
    of_kind = np.zeros((6, LONGEST))
    out: list[tuple[str, int, Any]] = []
    for code in kept:
        mean = sum(d * w for d, w in days[code]) / sum(w for _, w in days[code])
        kind = 0 if code.startswith("V3") else 1 if in_childbed(code) else 2 + (mean >= 3) + (mean >= 4.5)
        kind = 5 if mean >= 7 and kind > 1 else kind
        for stay, weight in days[code]:
            of_kind[kind] += weight * around(stay)
        out.append((code, kind, weights[code]))
    totals = np.sum([row[2] for row in out], axis=0)
    slots = np.array([whole(column, 4096) for column in np.array([row[2] / totals for row in out]).T]).T
    rows = [
        [code, kind, season(code), [int(n) for n in mine]] for (code, kind, _), mine in zip(out, slots, strict=True)
    ]
    return rows, [whole(mine, 1 << 16) for mine in of_kind]


def around(stay: int) -> np.ndarray:
    """Spread a stay of the survey over the lengths around it: twenty thousand show not every length.

    A short one stays where it is; the longer it is, the farther around it others may have lasted.
    """
    lengths = np.arange(1, LONGEST + 1)
    spread = SPREAD * stay / (stay + 10)
    near = np.exp(-(np.log(lengths / min(stay, LONGEST)) ** 2) / (2 * spread**2))
    return near / near.sum()


def ages(records: list[Record], wanted: list[int]) -> tuple[list[list[int]], list[int], list[int]]:
    """Give the weights of single years within each group of ages, and of each age the share of women and the records.

    The survey's ages are smoothed and led through the discharges that the state counted in each group, by a factor
    that changes evenly from the middle of one group to that of the next, so that no step is left between groups.
    Newborns, and those of 85 years and more, stand for themselves.
    """
    total, women, seen = np.zeros(86), np.zeros(86), np.zeros(86)
    for age, sex, _, _, weight, _ in records:
        total[age] += weight
        women[age] += weight * (sex == 2)
        seen[age] += 1
    near = [range(max(age - 2, 1), min(age + 2, 84) + 1) if 0 < age < 85 else range(age, age + 1) for age in range(86)]
    smooth = total
    for _ in range(3):
        smooth = np.array([smooth[list(n)].mean() for n in near])
    groups = list(AGE_GROUPS.values())
    inner = groups[1:]
    middles = [(first + last) / 2 for first, last in inner]
    for _ in range(50):
        factors = [wish / smooth[first : last + 1].sum() for wish, (first, last) in zip(wanted[1:], inner, strict=True)]
        smooth[1:85] *= np.interp(np.arange(1, 85), middles, factors)
        smooth[85] *= factors[-1]
    share = [round(8192 * sum(women[list(n)]) / sum(total[list(n)])) for n in near]
    return (
        [whole(smooth[first : last + 1], 4096) for first, last in groups],
        share,
        [int(sum(seen[list(n)])) for n in near],
    )


def seasons(records: list[Record]) -> list[list[int]]:
    """Give the shares of quarters, of 4096, for newborns, childbed, airways and lungs, and all others."""
    found = np.zeros((4, 4))
    for _, _, code, _, weight, quarter in records:
        found[season(code), quarter] += weight
    return [whole(mine, 4096) for mine in found]


def surveyed(records: list[Record]) -> list[list[int]]:
    """Give how many records of the survey there are in each cell of age band and sex, and in each season."""
    cells, of_season = (
        Counter(cell(record[0], record[1]) for record in records),
        Counter(season(record[2]) for record in records),
    )
    return [[cells[i] for i in range(2 * len(BANDS))], [of_season[i] for i in range(4)]]


def association(folder: Path) -> list[list[int]]:
    """Give the share of each race group in the population of each age group, in thousandths: rows are ages."""
    people: dict[tuple[str, int], float] = defaultdict(float)
    for row in table(folder / "county_age_sex_race_population_2009.csv"):
        if row["sex"] == "Total" and row["ageGroup"] != "Total" and row["county"].lower() != "california":
            people[row["raceCode"], int(row["ageGroup"].split()[0].rstrip("+"))] += float(row["population"])
    out = []
    for first, last in AGE_GROUPS.values():
        near = [a for a, b in CENSUS_AGES if a <= last and b >= first]
        shares = [
            sum(people[code, age] / people["Total", age] for code in codes for age in near) / len(near)
            for codes in RACE_GROUPS.values()
        ]
        out.append([max(1, round(1000 * share)) for share in shares])
    return out


def hospitals(folder: Path, expected_days: list[float], zips: list[list[int]]) -> list[list[Any]]:
    """Describe each hospital.

    By id, weight, site, mean days in hundredths, stretch of stays and mean of long stays in 256ths, habit in coding
    the race of Hispanics, level of charges, and shares by age and by race. The level is a place on the normal
    distribution in 4096ths; or one of two codes, for hospitals that report no charges and for those without any.
    """
    by_age: dict[str, Counter[str]] = defaultdict(Counter)
    by_race: dict[str, Counter[str]] = defaultdict(Counter)
    names = {}
    for row in table(folder / "hospital_age_group_2009.csv"):
        by_age[row["OSHPD Facility Number"]][row["Age Groups"]] += int(row["Count"])
        names[row["OSHPD Facility Number"]] = row["Facility Name"]
    for row in table(folder / "hospital_race_group_2009.csv"):
        by_race[row["OSHPD Facility Number"]][row["Race Group"]] += int(row["Count"])
    days = {
        row["OSHPD Facility Number"]: int(row["Count"]) for row in table(folder / "hospital_discharge_days_2009.csv")
    }
    ids = sorted(by_age)
    totals = {key: sum(by_race[key].values()) for key in ids}
    sites = settle({key: (int(key[:2]), totals[key]) for key in ids}, zips)
    weights = whole([totals[key] for key in ids], SIZE)
    out = []
    for key, weight in zip(ids, weights, strict=True):
        of_age = [by_age[key][group] for group in AGE_GROUPS]
        of_race = [by_race[key][group] for group in RACE_GROUPS]
        base = np.dot(of_age, expected_days) / sum(of_age)
        mean = days[key] / totals[key]
        stretch = (mean - 1) / (base - 1)
        long = round(256 * (mean - 1)) if stretch > LONG else 0
        habit = int(key) * 2654435761 % 2**32 / 2**32
        price = round(4096 * NormalDist().inv_cdf((int(key) * 40503 % 65521 + 0.5) / 65521))
        level = NOT_REPORTED if "KAISER" in names[key] else NO_CHARGE if "SHRINERS" in names[key] else price
        out.append([int(key), weight, sites[key], round(100 * mean), max(1, round(256 * stretch)), long,
                    round(1024 * habit), int(level), whole(of_age, 4096), whole(of_race, 4096)])  # fmt: skip
    return out


def settle(wanted: dict[str, tuple[int, int]], zips: list[list[int]]) -> dict[str, int]:
    """Give each hospital a ZIP code of its county: the largest first, where most people are still without one."""
    place = np.array(zips, float)
    left = place[:, 4] * 10.0
    out = {}
    for key, (county, size) in sorted(wanted.items(), key=lambda item: (-item[1][1], item[0])):
        mine = np.flatnonzero(place[:, 1] == county)
        apart = np.hypot(place[mine, 2][:, None] - place[:, 2], place[mine, 3][:, None] - place[:, 3])
        site = mine[np.argmax((left / (9 + apart**2)).sum(axis=1))]
        out[key] = int(site)
        served = left / (9 + np.hypot(place[site, 2] - place[:, 2], place[site, 3] - place[:, 3]) ** 2)
        left = np.maximum(left - served / served.sum() * size / USE, 0.02 * place[:, 4] * 10)
    return out


def days_by_age(
    codes: list[list[Any]], stays: list[list[int]], years: list[list[int]], women: list[int]
) -> list[float]:
    """Give the mean days that the tables lead to in each group of ages, before hospitals stretch them."""
    mean = [np.dot(mine, range(1, LONGEST + 1)) / (1 << 16) for mine in stays]
    means = [sum(row[3][j] * mean[row[1]] for row in codes) / 4096 for j in range(2 * len(BANDS))]
    out = []
    for (first, last), weights in zip(AGE_GROUPS.values(), years, strict=True):
        total = 0.0
        for age, weight in zip(range(first, last + 1), weights, strict=True):
            share = women[age] / 8192
            total += weight / 4096 * ((1 - share) * means[cell(age, 1)] + share * means[cell(age, 2)])
        out.append(total)
    return out


def main(folder: str) -> None:
    """Print the parameters, one row of each table on a line."""
    data = Path(folder)
    california = data / "california"
    zips = places(california)
    known = {row["code"] for row in table(data / "codes" / "icd9cm_hierarchy.csv")}
    records = survey(data / "hospital" / "nhds2010_sample20k.csv", known)
    dx, stays = diagnoses(records)
    counts: Counter[str] = Counter()
    for row in table(california / "hospital_age_group_2009.csv"):
        counts[row["Age Groups"]] += int(row["Count"])
    years, women, near = ages(records, [counts[group] for group in AGE_GROUPS])
    parts: dict[str, list[Any]] = {
        "about": ["parameters of shoal_paper.datasets.discharges, made by tools/derive_discharges.py", *SOURCES],
        "places": zips,
        "hospitals": hospitals(california, days_by_age(dx, stays, years, women), zips),
        "association": association(california),
        "bands": BANDS,
        "years": years,
        "women": women,
        "diagnoses": dx,
        "stays": stays,
        "seasons": seasons(records),
        "surveyed": [*surveyed(records), near],
        "normal": [round(4096 * NormalDist().inv_cdf((i + 0.5) / 1025)) for i in range(1025)],
    }  # fmt: skip
    lines = []
    for name, rows in parts.items():
        nested = isinstance(rows[0], list)
        text = (
            ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
            if nested
            else json.dumps(rows, separators=(",", ":"))[1:-1]
        )
        lines.append(f'"{name}": [\n{text}\n]')
    sys.stdout.write("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
