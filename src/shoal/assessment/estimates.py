"""Estimates of means and totals before and after, as small tables of texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.assessment.risk_section import ShownTable

_HEAD = ("column", "mean before", "after", "total before", "after", "changed by")


def estimate_table(detail: Mapping[str, Any], of: str = "") -> ShownTable | None:
    """Show what `EstimateShift` found, column by column and category by category; None if there is nothing."""
    rows = [_row(name, found) for name, found in detail.get("estimates", {}).items()]
    for column, shares in detail.get("shares", {}).items():
        rows += [_row(f"{column} = {category}", found) for category, found in shares.items()]
    if not rows:
        return None
    how = "with survey weights" if detail["weighted"] else "each record counting as one"
    error = "standard error" if detail.get("replacement", True) else "standard error of drawing without replacement"
    return ShownTable(f"{of}Estimates before and after, {how} (± {error}; of categories their share)", _HEAD, rows)


def _row(name: str, found: Mapping[str, Any]) -> list[str]:
    """Write each estimate with its error: of a survey, what changed less than that hardly matters."""
    means, totals = (map(_with_error, found[part], found[f"{part}_error"]) for part in ("mean", "total"))
    return [name, *means, *totals, _changed(*found["total"])]


def _with_error(number: float, error: float | None) -> str:
    return f"{number:,.6g}" + ("" if error is None else f" ± {error:,.3g}")


def _changed(before: float, after: float) -> str:
    return "–" if before == 0 else f"{(after - before) / abs(before):+.2%}"
