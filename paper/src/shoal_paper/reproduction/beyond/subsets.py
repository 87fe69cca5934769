"""Which attributes are known is a choice: uniqueness for every set of them, from one to all."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from math import comb

from shoal.assessment.study import Row
from shoal.charts import Figure, lines
from shoal.measures.reidentification.subset_uniqueness import subset_uniqueness
from shoal.report.discretion import percent
from shoal.report.page import Section, table
from shoal_paper.reproduction.beyond import Experiment
from shoal_paper.reproduction.case import Case

NUMBER = "Fig. C3"
SETS = 2**12  # at most so many sets: all of up to twelve attributes, and the smaller ones of more


def largest(attributes: int) -> int:
    """Give how large sets may be so that there are not too many."""
    counted, size = 0, 0
    while size < attributes and counted + comb(attributes, size + 1) < SETS:
        size += 1
        counted += comb(attributes, size)
    return max(size, 1)


def measure(case: Case) -> list[Row]:
    """Count who stands alone for each set, the smaller sets first."""
    names = case.table.schema.quasi
    found = subset_uniqueness(case.table, largest(len(names)))
    ordered = sorted(found, key=lambda known: (len(known), [names.index(name) for name in known]))
    return [
        {
            "attributes": len(known), "of": len(names), "known": " + ".join(known), "unique": found[known],
            "uniqueness": found[known] / case.table.rows,
        }
        for known in ordered
    ]  # fmt: skip


def figures(rows: Sequence[Row]) -> dict[str, Figure]:
    """Draw every set as a dot, and the least, the median and the most of each size as lines."""
    sets = _by_size(rows)
    drawn = []
    for name, place in (("most telling", -1), ("median", None), ("least telling", 0)):
        for size, mine in sets.items():
            value = statistics.median(r["uniqueness"] for r in mine) if place is None else mine[place]["uniqueness"]
            drawn.append({"attributes": size, "uniqueness": value, "set": name})
    dots = [{"attributes": row["attributes"], "uniqueness": row["uniqueness"], "set": row["known"]} for row in rows]
    return {
        NUMBER: lines(
            drawn, x="attributes", y="uniqueness", group="set", percent=True, dots=dots,
            x_label="number of attributes known", y_label="records that stand alone",
            title=f"{NUMBER}. Risk for every set of attributes that somebody may know",
            description=f"Each dot is one of {len(rows):,} sets; sets of the same size differ widely.",
        )
    }  # fmt: skip


def section(rows: Sequence[Row], figures: Mapping[str, str]) -> Section:
    """Tell how much the choice of attributes matters, and which sets are the extremes."""
    sets, total = _by_size(rows), rows[0]["of"]
    widest = max(sets.values(), key=lambda mine: float(mine[-1]["uniqueness"] - mine[0]["uniqueness"]))
    half = [row for row in rows if row["uniqueness"] > 0.5]
    fewest = f", the smallest of {half[0]['attributes']} attributes ({half[0]['known']})" if half else ""
    every = "every set" if max(sets) == total else f"every set of up to {max(sets)}, as larger ones are too many,"
    shown = [
        {
            "size": size, "least": mine[0]["known"], "low": percent(mine[0]["uniqueness"]),
            "median": percent(statistics.median(row["uniqueness"] for row in mine)),
            "high": percent(mine[-1]["uniqueness"]), "most": mine[-1]["known"],
        }
        for size, mine in sets.items()
    ]  # fmt: skip
    heads = {
        "size": "Attributes known", "least": "Least telling set", "low": "Alone", "median": "Alone, median set",
        "high": "Alone", "most": "Most telling set",
    }  # fmt: skip
    return Section(
        "Whichever attributes are known",
        f"Critics called the choice of quasi-identifiers arbitrary. So here is {every} of {total} attributes, "
        f"{len(rows):,} in all. {len(half):,} of them leave more than half of the records alone{fewest}. Which "
        f"attributes somebody knows matters as much as how many: of the sets of {widest[0]['attributes']}, "
        f"the least telling leaves {percent(widest[0]['uniqueness'])} of the records alone and the most telling "
        f"{percent(widest[-1]['uniqueness'])}.",
        figures[NUMBER],
        table(shown, heads, "Extreme sets by size", numeric=["low", "median", "high"]),
    )


def _by_size(rows: Sequence[Row]) -> dict[int, list[Row]]:
    """Give the sets of each size, the least telling first."""
    sizes = sorted({row["attributes"] for row in rows})
    return {n: sorted((r for r in rows if r["attributes"] == n), key=lambda r: float(r["uniqueness"])) for n in sizes}


SUBSETS = Experiment("subsets", 21, measure, figures, section)
