"""Special uniques, as a section of a risk: who stands alone by few attributes, and which attribute matters most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shoal.assessment.risk_questions import RiskQuestions
from shoal.assessment.risk_section import RiskSection, ShownTable
from shoal.measures import score
from shoal.measures.suda import Suda
from shoal.table import Table

if TYPE_CHECKING:
    from shoal.charts import Figure


def suda_section(table: Table, asked: RiskQuestions) -> RiskSection | None:
    """Score the records of a table that stand alone (SUDA2), if that was asked for."""
    if not asked.suda:
        return None
    detail = dict(score(table, measures=[Suda()])[0].detail)
    if "contributions" not in detail:
        return RiskSection("Special uniques (SUDA)", {"suda": detail}, ["There are no records."])
    sizes = [[f"{size}", f"{count:,}"] for size, count in enumerate(detail["minimal_uniques"], 1)]
    shares = sorted(detail["contributions"].items(), key=lambda each: -each[1])
    said = [
        Suda.sentence(detail),
        f"At a sampling fraction of {detail['fraction']:g}, {detail['dis_sum']:,.3f} of them are expected to be found "
        f"rightly, the most special one with a chance of {detail['dis_largest']:.3g} (DIS).",
    ]
    tables = [
        ShownTable(
            "What makes them special", ["attribute", "part, %"], [[name, f"{part:.1f}"] for name, part in shares]
        ),
        ShownTable("Smallest sets by which records stand alone", ["attributes", "sets"], sizes),
    ]
    if not detail["records"]:
        return RiskSection("Special uniques (SUDA)", {"suda": detail}, said)
    return RiskSection("Special uniques (SUDA)", {"suda": detail}, said, tables, lambda: [_picture(shares)])


def _picture(shares: Sequence[tuple[str, float]]) -> Figure:
    from shoal.charts import bars  # commands without a report do without it

    return bars(
        [{"attribute": name, "share": part / 100} for name, part in shares[:20]],
        x="attribute", y="share", percent=True, x_label="", y_label="part of the scores",
        title="What makes records special",
        description="The share of all scores that comes from sets with an attribute: those with a large one are to be "
        "made coarser first.",
        height=200,
    )  # fmt: skip
