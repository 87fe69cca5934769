"""The paper's tables, from the rows of a study and from the methods themselves."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shoal.axis import Axis
from shoal.engines import read
from shoal.levels import Step
from shoal.methods.coarsen import intervals
from shoal.methods.mask_uniques import TABLE_S3
from shoal.methods.sorted_clusters import SortedClusters
from shoal.models.k_anonymity import KAnonymity
from shoal.models.t_closeness import closeness_bound
from shoal.reproduction.experiments import COARSENINGS, LEVELS
from shoal.study import Row
from shoal.table import Table


@dataclass(frozen=True)
class PaperTable:
    """A table of the paper: its number, its caption and its rows."""

    number: str
    caption: str
    rows: Sequence[Mapping[str, Any]]


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
    "SPD_dataset.txt": "the records in full",
    **{f"{k}_anonymous_SPD.txt": f"{k}-anonymous, with charges" for k in LEVELS},
    **{
        f"{k}_an_{t:03}_clos_SPD.txt": f"{k}-anonymous and 0.{t:02}-close, with charges"
        for k, t in zip(LEVELS, (25, 17, 10, 5), strict=True)
    },
    **{f"{r}_coarsened_SPD.txt": f"coarsened into {r} intervals per attribute, with charges" for r in COARSENINGS},
}


# The six records that the paper shows, and which of their columns an attacker may know.
_EXAMPLE = (
    ("hospital", "age", "gender", "ethnicity", "race", "zip", "county", "quarter", "stay", "charges", "diagnosis"),
    ("Cedars-Sinai", 42, "Male", "Non-Hispanic", "White", 93722, "Fresno", 1, 33, 505785, "Pneumonia"),
    ("Cedars-Sinai", 35, "Male", "Non-Hispanic", "White", 93611, "Fresno", 2, 47, 1083683, "Meningitis"),
    ("Cedars-Sinai", 52, "Male", "Non-Hispanic", "Black", 93561, "Kern", 2, 13, 252303, "Necrosis"),
    ("Cedars-Sinai", 70, "Female", "Hispanic", "White", 93560, "Kern", 2, 1, 107179, "Breast cancer"),
    ("Cedars-Sinai", 57, "Male", "Non-Hispanic", "White", 93555, "Kern", 4, 2, 34392, "Kidney cancer"),
    ("Cedars-Sinai", 61, "Male", "Non-Hispanic", "White", 93551, "Los Angeles", 2, 2, 24846, "Stomach cancer"),
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


def tables(results: Mapping[str, Sequence[Row]], table: Table) -> list[PaperTable]:
    """Give tables S1 to S10."""
    return [
        PaperTable("Table S1", "The attributes of the study, as found in its table", _attributes(table)),
        PaperTable("Table S2", "Examples of records, as the paper shows them", _example()),
        PaperTable("Table S3", "The order in which attributes of unique records are masked", _order()),
        PaperTable("Table S4", "Pairwise correlations where nothing is masked (PD)", _correlations(results, "PD")),
        PaperTable("Table S5", "Pairwise correlations after regeneration (Algorithm S1)", _correlations(results, "S1")),
        PaperTable("Table S5 joint", "Pairwise correlations after joint regeneration", _correlations(results, "joint")),
        PaperTable("Table S6", "The records of Table S2 in crowds of three (Algorithm S2)", _example_in_crowds()),
        PaperTable("Table S7", "Intervals of age at resolution 16", _intervals(16)),
        PaperTable("Table S8", "Intervals of age at resolution 8", _intervals(8)),
        PaperTable("Table S9", "Levels of t for levels of k (Eq. 6)", _levels(table.rows)),
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


def _order() -> list[dict[str, Any]]:
    words = {"*": "hidden", "bands": "shown as one of {} bands", "prefix": "its first {} digits shown"}
    rows = []
    for number, step in enumerate(map(Step.parse, TABLE_S3), 1):
        many = len(step.marks) if step.level == "bands" else "".join(step.marks)
        rows.append({"order": number, "attribute": step.column, "becomes": words[step.level].format(many)})
    return rows


def _correlations(results: Mapping[str, Sequence[Row]], data: str) -> list[dict[str, Any]]:
    found = {row["pair"]: row["correlation"] for row in results["correlations"] if row["data"] == data}
    pairs = [pair.split(" ~ ") for pair in found if " ~ " in pair]
    columns = list(dict.fromkeys(b for _, b in pairs))
    return [
        {"attribute": a} | {b: found.get(f"{a} ~ {b}", "") for b in columns} for a in dict.fromkeys(a for a, _ in pairs)
    ]


def _intervals(resolution: int) -> list[dict[str, Any]]:
    lows, highs = intervals(Axis("integer"), np.arange(86, dtype=np.int32), resolution, "distinct")
    parts = zip(lows.tolist(), highs.tolist(), strict=True)
    return [{"number": number, "interval": f"[{low};{high}]"} for number, (low, high) in enumerate(parts, 1)]


def _levels(rows: int) -> list[dict[str, Any]]:
    return [{"k": k, "t (Eq. 6)": closeness_bound(rows, k)} for k in LEVELS]
