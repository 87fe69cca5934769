"""Figures S5 and S6: risk and loss of coarsening two groups of attributes on their own, in both readings."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.assessment.study import Row
from shoal.charts import Figure, FigureColumn, heatmap, panels
from shoal.charts.numerals import Format
from shoal_paper.datasets.published import UNIQUE_AT_TWO
from shoal_paper.reproduction.printed import Printed, percent

READINGS = {
    "distinct": "Equal numbers of distinct values, as in the authors' program",
    "width": "Intervals of equal width, as Algorithm S3 is printed",
}
_SMALL = 1e-4  # below it, records are counted
_TITLE = "when attributes are coarsened on their own"


def surfaces(rows: Sequence[Row], printed: Printed) -> dict[str, Figure]:
    """Draw both surfaces, each in both readings of Algorithm S3."""
    readings = {reading: name for reading, name in READINGS.items() if any(r["reading"] == reading for r in rows)}
    cells = {reading: _cells(rows, reading) for reading in readings}
    shown = [{"reading": READINGS[reading]} | cell for reading in readings for cell in cells[reading]]
    alone, lost = (
        [_panel(cells[reading], value, name, printed, _ends(shown, value)) for reading, name in readings.items()]
        for value in ("uniqueness", "information loss")
    )
    sides = [FigureColumn(name, name) for name in ("reading", "spatiotemporal", "census")]
    numbers = FigureColumn("unique", "unique records", Format()), FigureColumn("uniqueness", "share", percent)
    return {
        "Fig. S5": panels(
            alone, shown, [*sides, *numbers], title=f"Fig. S5. Records that stand alone {_TITLE}",
            description="Each cell is the whole table at one pair of resolutions: so many intervals of each "
            "attribute. Where fewer than 0.01% stand alone, records are counted. "
            + printed.said(f"With two intervals each, the paper counts {UNIQUE_AT_TWO}."),
        ),
        "Fig. S6": panels(
            lost, shown, [*sides, FigureColumn("information loss", "information loss (Eq. 3)", Format())],
            title=f"Fig. S6. Information lost {_TITLE} (Eq. 3)",
            description="Each cell is the whole table at one pair of resolutions. Fewer intervals lose more.",
        ),
    }  # fmt: skip


def _cells(rows: Sequence[Row], reading: str) -> list[Row]:
    return [
        {
            "spatiotemporal": _name(row["first"]), "census": _name(row["second"]), "unique": row["unique"],
            "uniqueness": row["uniqueness"], "information loss": row["information_loss"],
            "counted": counted(row["unique"]) if 0 < row["uniqueness"] < _SMALL else "",
        }
        for row in rows
        if row["reading"] == reading
    ]  # fmt: skip


def _ends(cells: Sequence[Row], value: str) -> tuple[float, float]:
    """Give the ends of the colours, so that both readings can be compared."""
    found = [cell[value] for cell in cells]
    return min((number for number in found if number > 0), default=0.0), max(found, default=0.0)


def counted(records: int) -> str:
    """Write a number of records."""
    return "1 record" if records == 1 else f"{records:,} records"


def _name(resolution: int) -> str:
    return str(resolution) if resolution else "original"


def _panel(cells: Sequence[Row], value: str, name: str, printed: Printed, ends: tuple[float, float]) -> Figure:
    risk = value == "uniqueness"
    two = next((cell for cell in cells if cell["spatiotemporal"] == cell["census"] == "2"), None)
    framed = None
    if risk and two is not None:
        other = f"; the paper counts {UNIQUE_AT_TWO}" if printed.full else ""
        framed = "2", "2", f"Two intervals of every attribute: {counted(two['unique'])} alone{other}."
    sort = "spatiotemporal" if printed.applies else "other"
    return heatmap(
        cells, x="census", y="spatiotemporal", value=value, percent=risk, log=True, framed=framed,
        text="counted" if risk else None, x_label="intervals of each census attribute", low=ends[0], high=ends[1],
        y_label=f"intervals of each {sort} attribute", value_label="records that stand alone" if risk else value,
        title=name, height=26, description="Cells by the intervals of two groups of attributes.",
    )  # fmt: skip
