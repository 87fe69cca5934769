"""Figures S4 and S7: releases by risk, disclosure and loss, and what t-closeness adds to k-anonymity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shoal.assessment.study import Row
from shoal.charts import Figure, bars, family_bars, risk_utility_map
from shoal.charts.numerals import Format
from shoal_paper.datasets.published import UNIQUE_SPD
from shoal_paper.reproduction.numbers import CLOSE, COARSE, EIGHTH, LARGEST_RISK, Results, uniqueness
from shoal_paper.reproduction.printed import Printed, percent

FAMILIES = {
    "k-anonymity": "k-anonymity (Algorithm S2)",
    "coarsening": "coarsening, equal numbers of values",
    "coarsening as printed": "coarsening, equal widths",
    "safe harbor": "safe harbor",
}


def disclosed(where: str) -> str:
    """Name what attribute disclosure tells."""
    return f"Secrets disclosed ({where})" if where else "Secrets disclosed"


def comparison(results: Results, printed: Printed, where: str) -> dict[str, Figure]:
    """Draw each measure of the releases, and all releases by loss and by the risk of the record that is worst off."""
    rows, before = results["comparison"], uniqueness(results)["spd"] or 0.0
    alone = [(before, f"SPD as it is: {percent(before)}")]
    if printed.full:
        alone.append((UNIQUE_SPD, f"published: almost {percent(UNIQUE_SPD)}"))
    drawn = {
        "Fig. S4a": ("uniqueness", "Records that stand alone", True, alone),
        "Fig. S4b": ("random-reidentification", "Right guesses, on average over the records", True, ()),
        "Fig. S4c": ("attribute-disclosure", disclosed(where), True, ()),
        "Fig. S4d": ("information-loss", "Information lost (Eq. 3)", False, ()),
    }
    found = {
        number: _compared(rows, measure, f"{number}. {title}", share, limits)
        for number, (measure, title, share, limits) in drawn.items()
    }
    return found | {"Fig. S4": _map(results)}


def _compared(
    rows: Sequence[Row], measure: str, title: str, share: bool, limits: Sequence[tuple[float, str]]
) -> Figure:
    found = [
        {"method": FAMILIES[row["family"]], "release": row["label"], "value": row["value"]}
        for row in rows
        if row["measure"] == measure and row["family"] in FAMILIES
    ]
    ranges = [
        f"{name}: {_range([row['value'] for row in found if row['method'] == name], share)}"
        for name in dict.fromkeys(row["method"] for row in found)
    ]
    return family_bars(
        found, x="release", y="value", family="method", percent=share, limits=limits, title=title, height=180,
        description=f"In numbers: {'; '.join([*ranges, *(text for _, text in limits)])}.",
    )  # fmt: skip


def _range(values: Sequence[float], share: bool) -> str:
    write = percent if share else Format()
    low, high = write(min(values)), write(max(values))
    return low if low == high else f"{low} to {high}"


def _map(results: Results) -> Figure:
    """Draw loss against the largest risk of a record: the whole comparison in one figure."""
    points: dict[tuple[str, str], dict[str, Any]] = {}
    closer = [row for row in results["closeness"] if row["family"] == CLOSE]
    for row in (*results["comparison"], *closer):
        name = f"{row['label']}, t = {row['t']:.2f}" if row.get("t") else row["label"]
        family = FAMILIES.get(row["family"], row["family"])
        point = points.setdefault((family, name), {"release": name, "method": family})
        point[row["measure"]] = row["value"]
    return risk_utility_map(
        list(points.values()), x="information-loss", y=LARGEST_RISK, label="release", group="method",
        x_label="information loss (Eq. 3)", y_label="chance of a right guess for the record that is worst off",
        title="Fig. S4. What releases lose, and the risk of the record that is worst off",
        description="Each point is a release: further left loses less, further down is safer for everyone. At 100% "
        "someone stands alone; k-anonymity keeps everyone at 1/k or below.",
    )  # fmt: skip


def closeness(results: Results, where: str) -> dict[str, Figure]:
    """Draw k-anonymity with and without t-closeness, and what 1/8 coarsening loses in both readings."""
    limits = [
        (row["value"], f"{EIGHTH}, {FAMILIES[row['family']].removeprefix('coarsening, ')}: {row['value']:.3f}")
        for row in results["comparison"]
        if row["measure"] == "information-loss" and row["label"] == EIGHTH and row["family"] in COARSE
    ]
    drawn = {
        "Fig. S7a": ("attribute-disclosure", disclosed(where), True, ()),
        "Fig. S7b": ("information-loss", "Information lost (Eq. 3)", False, limits),
    }
    return {
        number: _closer(results["closeness"], measure, f"{number}. {title}, with and without t-closeness", share, lines)
        for number, (measure, title, share, lines) in drawn.items()
    }


def _closer(rows: Sequence[Row], measure: str, title: str, share: bool, limits: Sequence[tuple[float, str]]) -> Figure:
    levels = {row["label"]: row["t"] for row in rows if row["t"]}
    found = [
        {
            "level": f"{row['label']} (t = {levels[row['label']]:.2f})" if row["label"] in levels else row["label"],
            "value": row["value"], "method": row["family"],
        }
        for row in rows
        if row["measure"] == measure
    ]  # fmt: skip
    return bars(
        found, x="level", y="value", group="method", percent=share, x_label="level", title=title, limits=limits,
        description="k-anonymity alone (Algorithm S2) and with t-closeness (Algorithm S4) at the levels of Table S9."
        + "".join(f" Coarsening into {text}." for _, text in limits), height=190,
    )  # fmt: skip
