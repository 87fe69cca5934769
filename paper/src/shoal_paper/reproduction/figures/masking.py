"""Figures S1 and S2: what was masked, by race, by age, and by attribute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shoal.assessment.study import Row
from shoal.charts import Figure, FigureColumn, bars, lines, panels
from shoal.charts.numerals import Format
from shoal_paper.datasets.published import MASKED_MEAN, MASKED_RACES
from shoal_paper.reproduction.printed import PUBLISHED, Printed, percent

RACES = {
    "1": "White", "2": "Black", "3": "Native American", "4": "Asian or Pacific Islander", "5": "Other", "6": "Unknown",
}  # fmt: skip
_SHARE = "masked share"


def masking(rows: Sequence[Row], printed: Printed) -> dict[str, Figure]:
    """Draw how many records have each value and in how many of them it is masked, where the table tells."""
    races, ages = _values(rows, "race"), _values(rows, "age_yrs")
    found = {}
    if races:
        found["Fig. S1"] = _by_race(races, printed)
    if ages and all(row["value"].isdigit() for row in ages):
        found["Fig. S2"] = _by_age(ages)
    return found | {"Fig. M1": _by_attribute([row for row in rows if row["value"] is None], printed)}


def _values(rows: Sequence[Row], column: str) -> list[Row]:
    return [row for row in rows if row["column"] == column and row["value"] is not None and row["total"]]


def _by_race(rows: Sequence[Row], printed: Printed) -> Figure:
    names = RACES if printed.applies else {}  # other tables have other codes
    shown = [
        {
            "race": names.get(row["value"], row["value"]), "total": row["total"], "masked": row["masked"],
            _SHARE: row["masked"] / row["total"], PUBLISHED: _printed(row["value"]) if printed.full else None,
        }
        for row in rows
    ]  # fmt: skip
    long: list[dict[str, Any]] = [
        {"race": row["race"], "records": kind, "count": row[kind], PUBLISHED: row[PUBLISHED] if other else None}
        for row in shown
        for kind, other in (("total", False), ("masked", True))
    ]
    count = bars(
        long, x="race", y="count", group="records", reference=(PUBLISHED, "published, masked"),
        title="Records", description="Two bars for each race.", height=200,
    )  # fmt: skip
    share = bars(
        shown, x="race", y=_SHARE, percent=True, title="Share of them whose race is masked", x_label="race", height=110,
        description="A bar for each race.",
    )  # fmt: skip
    masked, total = (sum(row[name] for row in shown) for name in ("masked", "total"))
    wide = f" (published: {percent(sum(MASKED_RACES) / printed.rows)})" if printed.full else ""
    of_how_many = f"{total:,}" if total == printed.rows else f"the {total:,} that tell it among {printed.rows:,}"
    rare, frequent = min(shown, key=_total)[_SHARE], max(shown, key=_total)[_SHARE]
    columns = [FigureColumn("race", "race"), *(FigureColumn(name, name, Format()) for name in ("total", "masked"))]
    if printed.full:
        columns.append(FigureColumn(PUBLISHED, "masked, published", Format()))
    return panels(
        [count, share], shown, [*columns, FigureColumn(_SHARE, _SHARE, percent)],
        title="Fig. S1. Records by race, in all and masked",
        description=f"Race is masked in {percent(masked / total)} of {of_how_many} records{wide}: the rarest in "
        f"{percent(rare)}, the most frequent in {percent(frequent)}. {printed.caution}".strip(),
    )  # fmt: skip


def _total(row: Row) -> int:
    return int(row["total"])


def _printed(race: str) -> int | None:
    return MASKED_RACES[int(race) - 1] if race in RACES else None


def _by_age(rows: Sequence[Row]) -> Figure:
    shown = [
        {
            "age": int(row["value"]), "total": row["total"], "masked": row["masked"],
            _SHARE: row["masked"] / row["total"],
        }
        for row in sorted(rows, key=lambda row: int(row["value"]))
    ]  # fmt: skip
    long = [{"age": row["age"], "records": kind, "count": row[kind]} for row in shown for kind in ("total", "masked")]
    count = lines(
        long, x="age", y="count", group="records", log=True, title="Records", markers=False,
        description="A line for all records, and one for those whose age is masked.", height=190,
    )  # fmt: skip
    share = lines(
        shown, x="age", y=_SHARE, percent=True, title="Share of them whose age is masked", markers=False, height=130,
        x_label="age in years (85: 85 and older)", description="A line.",
    )  # fmt: skip
    least, most = min(shown, key=lambda row: row[_SHARE]), max(shown, key=lambda row: row[_SHARE])
    numbers = [FigureColumn(name, name, Format()) for name in ("total", "masked")]
    return panels(
        [count, share], shown, [FigureColumn("age", "age"), *numbers, FigureColumn(_SHARE, _SHARE, percent)],
        title="Fig. S2. Records by age, in all and masked",
        description=f"The age is masked least often at {least['age']} ({percent(least[_SHARE])}) and most often at "
        f"{most['age']} ({percent(most[_SHARE])}).",
    )  # fmt: skip


def _by_attribute(rows: Sequence[Row], printed: Printed) -> Figure:
    found = [
        {"attribute": row["column"], _SHARE: row["masked"] / row["total"], "masked": row["masked"]} for row in rows
    ]
    mean = sum(row[_SHARE] for row in found) / len(found)
    limits = [(mean, f"mean: {percent(mean)}")]
    if printed.full:
        limits.append((MASKED_MEAN, f"published: {MASKED_MEAN:.2%}"))
    return bars(
        found, x="attribute", y=_SHARE, percent=True, x_label="attribute", limits=limits, height=170,
        title="Fig. M1. Share of records in which an attribute is masked",
        description=f"On average over the attributes {percent(mean)} of the cells are masked. "
        + printed.said(f"The paper prints {MASKED_MEAN:.2%}."),
    )  # fmt: skip
