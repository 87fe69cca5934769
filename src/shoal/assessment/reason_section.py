"""Why records are at risk, as a section of a risk: which attributes do it, and which one's coarsening helps most."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.assessment.record_reasons import RecordReasons
from shoal.assessment.risk_questions import RiskQuestions
from shoal.assessment.risk_section import RiskSection, ShownTable
from shoal.assessment.risk_words import share
from shoal.table import Table

if TYPE_CHECKING:
    from shoal.charts import Figure

_SETS = 20
_WITHOUT = "at risk no more without it"
_STEPS = {"level": "one level up its hierarchy", "bins": "with ranges twice as wide"}


def reason_section(table: Table, asked: RiskQuestions) -> RiskSection | None:
    """Tell which attributes put records at risk, if that was asked for."""
    reasons = asked.reasons
    if reasons is None:
        return None
    attributes, sets, records = reasons.by_attribute(), reasons.by_set(_SETS), reasons.records
    steps = reasons.by_step() if records else {}
    best = next((name for name, freed in steps.items() if freed), attributes[0][0] if attributes[0][2] else None)
    found = {
        "fewer": reasons.fewer,
        "records": records,
        "size": reasons.found.size,
        "best": best,
        "attributes": [
            {
                "name": name,
                "touched": held,
                "freed": freed,
                "coarser": steps.get(name),
                "step": reasons.coarser[name].step if name in steps else None,
            }
            for name, held, freed in attributes
        ],
        "sets": [{"columns": list(columns), "records": count} for columns, count in sets],
    }
    return RiskSection(
        "Why records are at risk",
        {"why": found},
        _sentences(reasons, attributes, steps, table.rows),
        [
            ShownTable(
                "What helps",
                ["attribute", "part of the reason for", *(["one step coarser"] if steps else []), _WITHOUT],
                [[name, f"{held:,}", *_stepped(steps, name), f"{freed:,}"] for name, held, freed in attributes],
            ),
            ShownTable(
                "Smallest sets of attributes that put records at risk", ["attributes", "records"],
                [[", ".join(columns), f"{count:,}"] for columns, count in sets],
            ),
        ] if records else (),
        lambda: [_picture(attributes)] if records else [],
    )  # fmt: skip


def _sentences(
    reasons: RecordReasons, attributes: list[tuple[str, int, int]], steps: dict[str, int], rows: int
) -> list[str]:
    records, fewer = reasons.records, reasons.fewer
    meant = "stand alone" if fewer == 2 else f"are in groups of fewer than {fewer:,}"
    if not records:
        return [f"No record is at risk: none of {rows:,} records {meant}."]
    said = [f"{records:,} of {rows:,} records are at risk: they {meant}."]
    name, _, freed = attributes[0]
    if any(steps.values()):
        said.append(_one_step(reasons, attributes, steps))
    elif steps and freed:
        said.append(
            f"One step on the hierarchy, or in the ranges, of no attribute helps any of them; without '{name}' "
            f"{freed:,} of them ({share(freed / records)}) would not be at risk."
        )
    elif freed:
        said.append(
            f"Coarsening '{name}' helps most: without it {freed:,} of them ({share(freed / records)}) would not be at "
            "risk."
        )
    else:
        said.append("No single attribute is the reason for any of them: several must be made coarser.")
    if reasons.found.size < len(reasons.names):
        said.append(
            f"Sets of up to {reasons.found.size} of the {len(reasons.names)} attributes were looked at: more would "
            "take too long."
        )
    return said


def _stepped(steps: dict[str, int], name: str) -> list[str]:
    """Give the cell of an attribute in the column of steps, if there is one."""
    return [f"{steps[name]:,}" if name in steps else "–"] if steps else []


def _one_step(reasons: RecordReasons, attributes: list[tuple[str, int, int]], steps: dict[str, int]) -> str:
    """Say which attribute helps most one step coarser, and what leaving it out would add."""
    name, freed = next(iter(steps.items()))
    limit = next(freed for other, _, freed in attributes if other == name)
    others = [other for other, _, _ in attributes if other not in steps]
    beside = f" Nothing tells what is coarser of {', '.join(map(repr, others))}." if others else ""
    return (
        f"Coarsening '{name}' helps most: {_STEPS[reasons.coarser[name].step]}, {freed:,} of them "
        f"({share(freed / reasons.records)}) would not be at risk; without it, {limit:,}.{beside}"
    )


def _picture(attributes: list[tuple[str, int, int]]) -> Figure:
    from shoal.charts import bars  # commands without a report do without it

    return bars(
        [{"attribute": name, "records": freed} for name, _, freed in attributes[:20]],
        x="attribute", y="records", x_label="", y_label="records",
        title="Records that would not be at risk without an attribute",
        description="How many records are at risk only because one attribute is as fine as it is.",
        height=200,
    )  # fmt: skip
