"""The figure: how far answers are from the truth, by what privacy costs, for coarse and for fine questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shoal.assessment.study import Row
from shoal.charts import Figure, FigureColumn, lines, panels
from shoal_paper.reproduction.privacy.experiment import EPSILONS, KINDS


def figure(results: Mapping[str, Sequence[Row]]) -> Figure:
    """Draw one panel for each kind of question; a release without ε is a level line."""
    parts, everything = [], []
    for kind in KINDS:
        rows = list(_lines(results["errors"], kind.name))
        everything += [row | {"queries": kind.name} for row in rows]
        parts.append(
            lines(
                rows, x="epsilon", y="relative", group="data", percent=True, height=220, log_x=True,
                x_label="ε (ρ = ε²/2)", y_label="mean relative error",
                title=f"{kind.name.capitalize()} questions, of {kind.attributes} attribute"
                f"{'s' * (kind.attributes > 1)} each", description="",
            )
        )  # fmt: skip
    columns = [FigureColumn(name, name) for name in ("queries", "data", "epsilon", "relative")]
    return panels(
        parts, everything, columns, title="Which is nearer the truth",
        description="The mean relative error of range queries: answers from a budget, private releases, and "
        "k-anonymous releases, whose error does not depend on ε. Above coarse questions, below fine ones.",
    )  # fmt: skip


def _lines(rows: Sequence[Row], kind: str) -> list[Row]:
    found = []
    for row in rows:
        if row["queries"] == kind:
            at = EPSILONS if row["epsilon"] is None else (row["epsilon"],)
            found += [{"data": row["data"], "epsilon": each, "relative": row["relative"]} for each in at]
    return found
