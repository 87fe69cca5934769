"""Figure S3: who stands alone, by what an attacker knows; and what regeneration makes of the records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shoal.assessment.study import Row
from shoal.charts import Figure, FigureColumn, bars, panels
from shoal_paper.datasets.published import UNIQUE_PD, UNIQUE_SPD
from shoal_paper.reproduction.numbers import Results, everything, uniqueness
from shoal_paper.reproduction.printed import PUBLISHED, Printed, percent

_DATA = {
    ("truth", "signature"): "records in full",
    ("SPD", "signature"): "SPD",
    ("PD", "fit"): "PD, worst case",
}
_TABLES = {"truth": "records in full", "SPD": "SPD (Algorithm S1)", "joint": "regenerated jointly"}
_WHAT = {
    "unique": "records that stand alone",
    "childbirths of men or outside 10-55 years": "childbirths of men or at other ages than 10 to 55",
    "births above age 0": "births above age 0",
    "ZIP codes outside their county": "ZIP codes outside their county",
}


def knowledge(results: Results, printed: Printed) -> dict[str, Figure]:
    """Draw the risk by what is known, in equal steps, and by ratios, where small ones can be read."""
    rows, whole = results["knowledge"], everything(results)
    other = {"SPD": UNIQUE_SPD, "PD": UNIQUE_PD} if printed.full else {}
    found: list[dict[str, Any]] = []
    for known in dict.fromkeys(row["known"] for row in rows):
        risks = {(r["data"], r["matching"]): r for r in rows if r["known"] == known}
        found += [
            {
                "known": known, "data": name, "share": risks[key]["uniqueness"], "unique": risks[key]["unique"],
                PUBLISHED: other.get(key[0]) if known == whole else None,
            }
            for key, name in _DATA.items()
            if key in risks
        ]  # fmt: skip
    even, log = (
        bars(
            found, x="known", y="share", group="data", percent=True, log=ratios, reference=(PUBLISHED, PUBLISHED),
            title=title, description="Bars for each set of features.", height=190,
            x_label="what the attacker knows" if ratios else "", y_label="records that stand alone",
        )
        for ratios, title in ((False, "On an even axis"), (True, "On a logarithmic axis: what is small"))
    )  # fmt: skip
    columns = [
        FigureColumn("known", "what the attacker knows"),
        FigureColumn("data", "table"),
        FigureColumn("share", "share", percent),
    ]
    if printed.full:
        columns.append(FigureColumn(PUBLISHED, PUBLISHED, percent))
    alone = uniqueness(results)
    said = f"{percent(alone['spd'])} of SPD stand alone for someone who knows everything, and in the worst case "
    said += f"{percent(alone['pd'])} of PD."
    if printed.full:
        said += f" The paper prints almost {percent(UNIQUE_SPD)} and {percent(UNIQUE_PD)}."
    figure = panels(
        [even, log], found, columns, title="Fig. S3. Risk by what the attacker knows",
        description=" ".join(part for part in (said, _matching(rows), printed.caution) if part),
    )  # fmt: skip
    return {"Fig. S3": figure}


def _matching(rows: Sequence[Row]) -> str:
    """Say where it matters whether cells of the masked table must be equal or only fit."""
    counts: dict[str, dict[str, int]] = {}
    for row in rows:
        if row["data"] == "PD":
            counts.setdefault(row["known"], {})[row["matching"]] = row["unique"]
    both = {known: found for known, found in counts.items() if {"signature", "fit"} <= found.keys()}
    differ = {known: found for known, found in both.items() if found["signature"] != found["fit"]}
    if not differ:
        return f"Whether cells of PD must be equal or only fit makes no difference in any of {len(both)} sets."
    listed = "; ".join(f"{known}: {found['signature']:,} and {found['fit']:,}" for known, found in differ.items())
    return (
        f"Whether cells of PD must be equal or only fit makes no difference in {len(both) - len(differ)} of "
        f"{len(both)} sets ({listed} records in the others)."
    )


def regeneration(rows: Sequence[Row], printed: Printed) -> dict[str, Figure]:
    """Draw who stands alone in the records in full and as regenerated, and which records cannot be."""
    values = {(row["what"], row["data"]): row["value"] for row in rows}
    found = [
        {
            "what": words, "data": name, "share": values[what, data],
            PUBLISHED: UNIQUE_SPD if printed.full and (what, data) == ("unique", "SPD") else None,
        }
        for what, words in _WHAT.items()
        for data, name in _TABLES.items()
        if (what, data) in values
    ]  # fmt: skip
    figure = bars(
        found, x="what", y="share", group="data", percent=True, y_label="share", reference=(PUBLISHED, PUBLISHED),
        title="Fig. R1. What regeneration makes of the records",
        description=" ".join(part for part in (_description(found), printed.caution) if part),
    )  # fmt: skip
    return {"Fig. R1": figure} if found else {}


def _description(found: Sequence[Row]) -> str:
    """Say what there is to see."""
    strange = len({row["what"] for row in found}) > 1
    return f"The share of records that stand alone{', and of records that cannot be' if strange else ''}."
