"""A comparison of methods on one table: the trade-off in numbers, one sentence for each, and the risk-utility map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal.assessment.estimates import estimate_table
from shoal.assessment.study import Row
from shoal.charts import Figure, lines, risk_utility_map
from shoal.measures import Measure
from shoal.report.look import method_palette
from shoal.report.page import Html, Page, Section, bullets, facts, shown_table, table
from shoal.report.words import definitions
from shoal.version import VERSION

LOSS, GUESS = "information-loss", "random-reidentification"


def releases(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Put the measures of each release of a study into one row."""
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in rows:
        levels = {k: v for model in row["models"].values() for k, v in model.items() if k in ("k", "t", "l", "alpha")}
        ways = {k: v for k, v in row["parameters"].items() if type(v) in (int, float)}
        said = ", ".join(f"{k} = {v}" for k, v in {**levels, **({} if levels else ways)}.items())
        mine = found.setdefault(
            (row["method"], said, str(row["seed"])),
            {"method": row["method"], "level": said, "k": levels.get("k"), "CPU s": row["seconds"]},
        )
        mine[row["measure"]] = row["value"]
    return list(found.values())


def sentences(rows: Sequence[Row]) -> list[str]:
    """Say in one sentence per method what it costs, beside the one that costs least."""
    made = [row for row in releases(rows) if LOSS in row]
    by_method: dict[str, list[dict[str, Any]]] = {}
    for row in made:
        by_method.setdefault(row["method"], []).append(row)
    said = []
    for method, mine in by_method.items():
        few, many = min(mine, key=lambda row: row[LOSS]), max(mine, key=lambda row: row[LOSS])
        span = (
            f"{few[LOSS]:.4f}"
            if few is many
            else f"{few[LOSS]:.4f} ({few['level']}) to {many[LOSS]:.4f} ({many['level']})"
        )
        text = f"{method} loses {span} and takes about {max(row['CPU s'] for row in mine):.1f} CPU seconds"
        ratios = [
            row[LOSS] / other[LOSS]
            for row in mine
            for other in made
            if other["k"] == row["k"] is not None and other[LOSS] > 0 and other is not row
        ]
        if ratios and max(ratios) > 1.05:
            text += f"; at the same k another method loses up to {max(ratios):.1f} times less"
        elif ratios:
            text += "; at the same k no other method loses less"
        risky = max(row.get("uniqueness", 0.0) for row in mine)
        if risky > 0:
            text += f"; it leaves up to {risky:.2%} of the records alone"
        said.append(text + ".")
    return said


def trade_off(rows: Sequence[Row]) -> list[Figure]:
    """Draw risk against loss, and what k costs."""
    made = [row | {"name": f"{row['method']}, {row['level']}"} for row in releases(rows) if LOSS in row]
    figures = [_map([row for row in made if GUESS in row], LOSS, GUESS, "release", "method")]
    by_k = [row for row in made if row["k"] is not None]
    if len({row["k"] for row in by_k}) > 1:
        figures.append(
            lines(
                by_k, x="k", y=LOSS, group="method", palette=method_palette(), x_label="k, the smallest crowd",
                y_label="information loss (Eq. 3)",
                title="What k costs", description="The information loss of each method as the crowds grow.",
            )
        )  # fmt: skip
    return figures


def _map(rows: Sequence[Row], loss: str, risk: str, point: str, group: str | None = None) -> Figure:
    return risk_utility_map(
        rows, x=loss, y=risk, label="name", group=group, palette=method_palette(), frontier=True,
        x_label="information loss (Eq. 3)",
        y_label="chance of a right guess", title="Risk and utility",
        description=f"Each point is a {point}: further left loses less, further down is safer.",
    )  # fmt: skip


def comparison_report(rows: Sequence[Row], about: Mapping[str, object]) -> str:
    """Give the comparison as one HTML page."""
    made = releases(rows)
    names = list(dict.fromkeys(row["measure"] for row in rows))
    columns = ["method", "level", *names, "CPU s"]
    sections = [
        Section("In short", bullets(sentences(rows))),
        Section("The trade-off", *trade_off(rows)),
        Section("All numbers", table(made, columns, "Each release and what was measured of it")),
        Section("How this was made", facts({**about, "shoal": VERSION})),
    ]
    lead = "What each method costs at each level, measured on one table."
    return Page("Methods compared", lead, sections, kicker="Comparison").html()


def releases_report(original: str, found: Mapping[str, Any], measures: Sequence[Measure]) -> str:
    """Give one or more releases beside their original as one HTML page.

    Parameters
    ----------
    original
        The name of the original.
    found
        The risk of the original, and risk, scores and path of each release.
    measures
        What was measured of the releases.
    """
    made = [dict(each) | {"name": Path(each["path"]).name} for each in found["releases"]]
    whole = dict(found["original"]) | {"name": original, "information_loss": 0.0}
    heads = {"name": "Table", "uniqueness": "Stand alone", "smallest_class": "Smallest group",
             "random_reidentification": "Chance of a right guess"}  # fmt: skip
    if any("homogeneity" in each for each in made):
        heads["homogeneity"] = "Share a confidential value"
    heads |= {measure.name.replace("-", "_"): measure.name for measure in measures}
    readings = [
        {"name": measure.name, "reading": measure.direction, "range": f"{measure.range[0]:g} to {measure.range[1]:g}"}
        for measure in measures
    ]
    sections = [
        Section("In short", bullets(map(_in_short, made))),
        Section("The trade-off", _map([whole, *made], "information_loss", "random_reidentification", "table")),
        Section("All numbers", table([whole, *made], heads, "Each table and what was measured of it")),
        Section("Column by column", *map(_by_column, made)),
        *_estimates(made),
        Section(
            "What the measures mean",
            table(readings, {"name": "Measure", "reading": "Reading", "range": "Range"}, "How to read the measures"),
            *definitions(measures),
        ),
        Section("How this was made", facts({"original": original, "shoal": VERSION})),
    ]
    lead = "What risk each release leaves and what it costs, beside its original."
    return Page("Releases compared", lead, sections, kicker="Comparison").html()


def _estimates(made: Sequence[Mapping[str, Any]]) -> list[Section]:
    """Show means and totals that were estimated before and after, if there are weights."""
    found = [estimate_table(score["detail"], f"{each['name']}: ") for each in made for score in each["scores"]]
    shown = [shown_table(grid) for grid in found if grid is not None]
    return [Section("Estimates", *shown)] if shown else []


def _in_short(made: Mapping[str, Any]) -> str:
    parts = {score["measure"]: score["detail"].get("per_attribute", {}) for score in made["scores"]}
    moved = parts["total-variation"]
    worst = max(moved, key=lambda name: moved[name])
    return (
        f"{made['name']}: {made['uniqueness']:.2%} of the records stand alone; the information loss is "
        f"{made['information_loss']:.4f}; {worst} changed most, with a total variation of {moved[worst]:.4f}. "
        f"{made.get('homogeneity_sentence', '')}"
    ).rstrip()


def _by_column(made: Mapping[str, Any]) -> Html:
    parts = {s["measure"]: s["detail"]["per_attribute"] for s in made["scores"] if "per_attribute" in s["detail"]}
    rows = [
        {"column": name} | {measure: part.get(name) for measure, part in parts.items()}
        for name in parts["information-loss"]
    ]
    return table(rows, ["column", *parts], f"{made['name']}: what each column lost")
