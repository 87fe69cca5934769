"""The paper's tables, from the rows of a study and from the methods themselves."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shoal.domains.axis import Axis
from shoal.domains.levels import Step
from shoal.engines import read
from shoal.methods.coarsen import intervals
from shoal.methods.mask_uniques import MaskUniques
from shoal.methods.sorted_clusters import SortedClusters
from shoal.models.k_anonymity import KAnonymity
from shoal.models.t_closeness import closeness_bound
from shoal.table import Table
from shoal_paper.datasets.published import CORRELATIONS_S4, CORRELATIONS_S5, FULL
from shoal_paper.reproduction.case import COARSENINGS, LEVELS
from shoal_paper.reproduction.files import CLOSENESS
from shoal_paper.reproduction.numbers import Results
from shoal_paper.reproduction.printed import PUBLISHED, Printed, by_pair


@dataclass(frozen=True)
class PaperTable:
    """A table of the paper.

    Parameters
    ----------
    number, caption
        Its number, and what it shows.
    rows
        Its rows.
    lying
        Rows become columns on a page, because there are few of them and many columns.
    squared
        Rows are pairs of attributes, and become the cells of a square on a page.
    """

    number: str
    caption: str
    rows: Sequence[Mapping[str, Any]]
    lying: bool = False
    squared: bool = False


_MEANINGS = {
    "oshpd_id": "hospital: six digits, the first two of which are its county",
    "age_yrs": "age in years; 85 is 85 and older",
    "sex": "1 male, 2 female, 3 other, 4 unknown",
    "ethncty": "1 Hispanic, 2 not Hispanic, 3 unknown",
    "race": "1 White, 2 Black, 3 Native American, 4 Asian or Pacific Islander, 5 other, 6 unknown",
    "patzip": "ZIP code of residence, five digits",
    "patcnty": "county of residence: 1 Alameda to 58 Yuba, 0 elsewhere or unknown",
    "los": "length of stay in days",
    "adm_qtr": "quarter of admission",
    "charge": "charges in dollars",
    "diag_p": "principal diagnosis, ICD-9-CM",
}
FILES = {
    "SPD_dataset.txt": "the records as regenerated with Algorithm S1",
    **{f"{k}_anonymous_SPD.txt": f"{k}-anonymous, with charges" for k in LEVELS},
    **{
        f"{k}_an_{round(100 * t):03}_clos_SPD.txt": f"{k}-anonymous and {t:.2f}-close, with charges"
        for k, t in CLOSENESS.items()
    },
    **{f"{r}_coarsened_SPD.txt": f"coarsened into {r} intervals per attribute, with charges" for r in COARSENINGS},
}


# The six records that the paper shows, and which of their columns an attacker may know.
_EXAMPLE = (
    ("hospital", "age", "gender", "ethnicity", "race", "zip", "county", "quarter", "stay", "charges", "diagnosis"),
    ("Cedars-Sinai", 42, "Male", "Non-Hispanic", "White", "93722", "Fresno", 1, 33, 505785, "Pneumonia"),
    ("Cedars-Sinai", 35, "Male", "Non-Hispanic", "White", "93611", "Fresno", 2, 47, 1083683, "Meningitis"),
    ("Cedars-Sinai", 52, "Male", "Non-Hispanic", "Black", "93561", "Kern", 2, 13, 252303, "Necrosis"),
    ("Cedars-Sinai", 70, "Female", "Hispanic", "White", "93560", "Kern", 2, 1, 107179, "Breast cancer"),
    ("Cedars-Sinai", 57, "Male", "Non-Hispanic", "White", "93555", "Kern", 4, 2, 34392, "Kidney cancer"),
    ("Cedars-Sinai", 61, "Male", "Non-Hispanic", "White", "93551", "Los Angeles", 2, 2, 24846, "Stomach cancer"),
)


def _example() -> list[dict[str, Any]]:
    return [dict(zip(_EXAMPLE[0], row, strict=True)) for row in _EXAMPLE[1:]]


def _example_in_crowds() -> list[dict[str, Any]]:
    """Hide each of the six records among three."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "example.csv"
        with place.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(_EXAMPLE)
        table = read(place, quasi=_EXAMPLE[0][:9], sensitive=_EXAMPLE[0][9:])
    released = SortedClusters().apply(table, (KAnonymity(3),), 0)
    rows: list[dict[str, Any]] = released.to_arrow(cells="text").to_pylist()
    return rows


def tables(results: Results, table: Table, masking: MaskUniques, *, published: bool = False) -> list[PaperTable]:
    """Give the tables of the paper that a study has rows for.

    Parameters
    ----------
    results, table
        The rows of a study, and the table that it measured.
    masking
        How records that stand alone were masked.
    published
        Whether the table is of the kind that the paper is about: its numbers then stand beside those measured, and
        its examples are shown.
    """
    key = "in all quasi-identifiers" if masking.key is None else f"in {', '.join(masking.key)}"
    found = [
        PaperTable("Table S1", "The attributes of the study, as found in its table", _attributes(table)),
        PaperTable(
            "Table S3", f"The order in which attributes of records that are unique {key} are masked", _order(masking)
        ),
        *_correlations(results, Printed.beside(results, published)),
        PaperTable("Table S9", "Levels of t for levels of k (Eq. 6)", _levels(table.rows, published)),
    ]
    return [paper for paper in (*found, *(_examples() if published else ())) if paper.rows]


def _examples() -> list[PaperTable]:
    """Give the tables that are about the discharges of the paper alone."""
    return [
        PaperTable("Table S2", "Examples of records, as the paper shows them", _example(), lying=True),
        PaperTable(
            "Table S6",
            "The records of Table S2 in crowds of three (Algorithm S2). The paper prints [42-52] for the ages of the "
            "first three, which leaves out its own record of age 35",
            _example_in_crowds(),
            lying=True,
        ),
        PaperTable("Table S7", "Intervals of age at resolution 16", _intervals(16)),
        PaperTable("Table S8", "Intervals of age at resolution 8", _intervals(8)),
        PaperTable(
            "Table S10", "Files that the study writes on request", [{"file": f, "what": w} for f, w in FILES.items()]
        ),
    ]


def _attributes(table: Table) -> list[dict[str, Any]]:
    rows = []
    for attribute in table.schema.attributes:
        distinct = int(table.counts(attribute.name)[0].size)
        rows.append(
            {
                "attribute": attribute.name, "role": attribute.role.value, "known as": attribute.knowledge or "",
                "distinct values": distinct, "description": _MEANINGS.get(attribute.name, ""),
            }
        )  # fmt: skip
    return rows


def _order(masking: MaskUniques) -> list[dict[str, Any]]:
    words = {"*": "hidden", "bands": "shown as one of {} bands", "prefix": "its first {} digits shown"}
    rows = []
    for number, step in enumerate(map(Step.parse, masking.order), 1):
        many = len(step.marks) if step.level == "bands" else "".join(step.marks)
        rows.append({"order": number, "attribute": step.column, "becomes": words[step.level].format(many)})
    return rows


def _correlations(results: Results, printed: Printed) -> list[PaperTable]:
    """Give the correlations of each table by pair, those that the paper printed, and how far both are apart."""
    what: tuple[tuple[str, str, str, Mapping[str, Sequence[float]]], ...] = (
        ("PD", "Table S4", "Pairwise correlations where nothing is masked (PD)", CORRELATIONS_S4),
        ("SPD", "Table S5", "Pairwise correlations after regeneration (SPD, Algorithm S1)", CORRELATIONS_S5),
        ("joint", "Table S5 joint", "Pairwise correlations after regeneration in keeping with each record", {}),
    )
    found = []
    for data, number, caption, given in what:
        rows = _pairs(results, data, by_pair(given) if printed.applies else {})
        found.append(PaperTable(number, caption + _apart(rows, printed), rows, squared=True))
    return found


def _pairs(results: Results, data: str, given: Mapping[str, float]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for row in results["correlations"]:
        if row["data"] == data and row["correlation"] is not None and " ~ " in row["pair"]:
            found, (first, second) = row["correlation"], row["pair"].split(" ~ ")
            rows.append({"first": first, "second": second, "measured": found})
            if row["pair"] in given:
                other = given[row["pair"]]
                rows[-1] |= {PUBLISHED: other, "difference": found - other}
    return rows


def _apart(rows: Sequence[Mapping[str, Any]], printed: Printed) -> str:
    """Say how to read published numbers, and which is farthest from what was measured."""
    compared = [row for row in rows if "difference" in row]
    if not compared:
        return ""
    most = max(compared, key=lambda row: abs(row["difference"]))
    said = (
        ": measured, below it published and, in brackets, the difference. The largest is "
        f"{most['difference']:+.3f} ({most['first']} and {most['second']})".replace("-", "−")
    )
    return said if printed.full else f"{said}; the paper's are of {FULL:,} records, these of {printed.rows:,}"


def _intervals(resolution: int) -> list[dict[str, Any]]:
    lows, highs = intervals(Axis("integer"), np.arange(86, dtype=np.int32), resolution, "distinct")
    parts = zip(lows.tolist(), highs.tolist(), strict=True)
    return [{"number": number, "interval": f"[{low};{high}]"} for number, (low, high) in enumerate(parts, 1)]


def _levels(rows: int, published: bool) -> list[dict[str, Any]]:
    other = {k: {PUBLISHED: f"{t:.2f}"} for k, t in CLOSENESS.items()} if published else {}
    return [{"k": k, "t (Eq. 6)": f"{closeness_bound(rows, k):.6f}"} | other.get(k, {}) for k in LEVELS]
