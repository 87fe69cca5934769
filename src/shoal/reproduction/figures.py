"""The paper's figures, drawn from the rows of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.charts import Figure, bars, heatmap, lines, risk_utility_map
from shoal.reproduction.findings import share
from shoal.study import Row

Results = Mapping[str, Sequence[Row]]
RACES = {
    "1": "White", "2": "Black", "3": "Native American", "4": "Asian or Pacific Islander", "5": "Other", "6": "Unknown",
}  # fmt: skip
_DATA = {
    ("SPD", "signature"): "SPD, all values known",
    ("truth", "signature"): "truth, all values known",
    ("PD", "fit"): "PD, worst case",
    ("PD", "signature"): "PD, equal cells only",
}


def figures(results: Results) -> dict[str, Figure]:
    """Draw every figure, by its number."""
    compared, close, surfaces = results["comparison"], results["closeness"], results["surfaces"]
    disclosed = "High charges disclosed (above 100,000)"
    guessed = "Right guesses, chosen at random"
    alone, lost = "Records that stand alone", "Information lost (Eq. 3)"
    drawn = (
        ("Fig. S1", _by_race, (results["masking"],)),
        ("Fig. S2", _by_age, (results["masking"],)),
        ("Fig. S3", _by_knowledge, (results["knowledge"],)),
        ("Fig. S4a", _compared, (compared, "uniqueness", alone, True)),
        ("Fig. S4b", _compared, (compared, "random-reidentification", guessed, True)),
        ("Fig. S4c", _compared, (compared, "attribute-disclosure", disclosed, True)),
        ("Fig. S4d", _compared, (compared, "information-loss", lost, False)),
        ("Fig. S4", _map, (compared, close)),
        ("Fig. S5", _surface, (surfaces, "uniqueness", alone, True)),
        ("Fig. S6", _surface, (surfaces, "information_loss", lost, False)),
        ("Fig. S7a", _closeness, (close, "attribute-disclosure", disclosed, True)),
        ("Fig. S7b", _closeness, (close, "information-loss", lost, False)),
    )
    return {number: draw(number, *given) for number, draw, given in drawn}


def _lower(title: str) -> str:
    return title[0].lower() + title[1:]


def _counts(rows: Sequence[Row], column: str) -> list[dict[str, Any]]:
    found = []
    for row in rows:
        if row["column"] == column and row["value"] is not None:
            value = RACES.get(row["value"], row["value"]) if column == "race" else int(row["value"])
            found += [{"value": value, "count": row[key], "records": key} for key in ("total", "masked")]
    return found


def _by_race(number: str, rows: Sequence[Row]) -> Figure:
    found = _counts(rows, "race")
    masked = sum(row["count"] for row in found if row["records"] == "masked")
    total = sum(row["count"] for row in found if row["records"] == "total")
    return bars(
        found, x="value", y="count", group="records", x_label="race", y_label="records",
        title=f"{number}. Records by race, in all and masked",
        description=f"Race is masked in {share(masked / total)} of {total:,} records.",
    )  # fmt: skip


def _by_age(number: str, rows: Sequence[Row]) -> Figure:
    return lines(
        _counts(rows, "age_yrs"), x="value", y="count", group="records", x_label="age in years (85: 85 and older)",
        y_label="records", log=True, title=f"{number}. Records by age, in all and masked",
        description="For each year of age, how many records there are and in how many of them the age is masked.",
    )  # fmt: skip


def _by_knowledge(number: str, rows: Sequence[Row]) -> Figure:
    found = [
        {
            "known": row["known"],
            "share": row["uniqueness"],
            "data": _DATA[row["data"], row["matching"]],
        }
        for row in rows
        if (row["data"], row["matching"]) != ("PD", "signature")
    ]
    worst = max(row["share"] for row in found)
    return bars(
        found, x="known", y="share", group="data", percent=True, x_label="what the attacker knows",
        y_label="records that stand alone", title=f"{number}. Risk by what the attacker knows",
        description=f"Before masking up to {share(worst)} of the records stand alone; after it hardly any.",
    )  # fmt: skip


def _compared(number: str, rows: Sequence[Row], measure: str, title: str, percent: bool) -> Figure:
    found = [
        {"release": row["label"], "value": row["value"], "method": row["family"]}
        for row in rows
        if row["measure"] == measure
    ]
    return bars(
        found, x="release", y="value", group="method", percent=percent, x_label="release", y_label=_lower(title),
        title=f"{number}. {title}, by release",
        description="k-anonymity (Algorithm S2), naïve coarsening (Algorithm S3) and safe-harbor masking (Table S3).",
    )  # fmt: skip


def _map(number: str, rows: Sequence[Row], close: Sequence[Row]) -> Figure:
    """Draw loss against the chance of a right guess: the whole comparison in one figure."""
    points: dict[tuple[str, str], dict[str, Any]] = {}
    closer = [row for row in close if row["family"] == "with t-closeness"]
    for row in (*rows, *closer):
        name = f"{row['label']}, t = {row['t']:.2f}" if row.get("t") else row["label"]
        point = points.setdefault((row["family"], name), {"release": name, "method": row["family"]})
        point[row["measure"]] = row["value"]
    return risk_utility_map(
        list(points.values()), x="information-loss", y="random-reidentification", label="release", group="method",
        x_label="information loss (Eq. 3)", y_label="chance of a right guess",
        title=f"{number}. Risk and utility of all releases",
        description="Each point is a release: further left loses less, further down is safer.",
    )  # fmt: skip


def _surface(number: str, rows: Sequence[Row], value: str, title: str, percent: bool) -> Figure:
    def name(resolution: int) -> str:
        return str(resolution) if resolution else "original"

    rows = [row for row in rows if row["reading"] == "distinct"]
    found = [{"spatiotemporal": name(row["first"]), "census": name(row["second"]), value: row[value]} for row in rows]
    return heatmap(
        found, x="census", y="spatiotemporal", value=value, percent=percent,
        x_label="intervals of each census attribute", y_label="intervals of each spatiotemporal attribute",
        value_label=_lower(title), title=f"{number}. {title} when attributes are coarsened on their own",
        description="Each cell is the whole table at one pair of resolutions; more intervals say more.",
    )  # fmt: skip


def _closeness(number: str, rows: Sequence[Row], measure: str, title: str, percent: bool) -> Figure:
    found = [
        {"level": row["label"], "value": row["value"], "method": row["family"]}
        for row in rows
        if row["measure"] == measure
    ]
    return bars(
        found, x="level", y="value", group="method", percent=percent, x_label="level", y_label=_lower(title),
        title=f"{number}. {title}, with and without t-closeness",
        description="k-anonymity alone (Algorithm S2) and with t-closeness (Algorithm S4) at the levels of Table S9.",
    )  # fmt: skip
