"""Estimates of means and totals before and after, as small tables of texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.assessment.risk_section import ShownTable

_HEAD = ("column", "mean before", "after", "total before", "after", "changed by")


def estimate_table(detail: Mapping[str, Any], of: str = "") -> ShownTable | None:
    """Show what `EstimateShift` found, column by column; None if there is nothing."""
    estimates = detail.get("estimates", {})
    if not estimates:
        return None
    rows = [
        [name, *(f"{number:,.6g}" for number in (*found["mean"], *found["total"])), _changed(*found["total"])]
        for name, found in estimates.items()
    ]
    how = "with survey weights" if detail["weighted"] else "each record counting as one"
    return ShownTable(f"{of}Estimates before and after, {how}", _HEAD, rows)


def _changed(before: float, after: float) -> str:
    return "–" if before == 0 else f"{(after - before) / abs(before):+.2%}"
