"""The figure that says it all: whom known points single out before and after, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shoal.assessment.study import Row
from shoal.charts import Figure, FigureColumn, lines, panels
from shoal_paper.reproduction.critics.experiment import PROMISED, K

ORIGINAL = "as it is"
_COARSENED = {"households": ("day=28", "by 28 days"), "sessions": ("item=1", "groups of 5 items")}
_COLUMNS = ("table", "data", "known", "share")


def figure(results: Mapping[str, Sequence[Row]]) -> Figure:
    """Draw unicity by known points for each table, and the loss by how many points people have."""
    tables = list(dict.fromkeys(row["table"] for row in results["attack"]))
    curves = {name: list(_curves(results["attack"], name)) for name in tables}
    parts = [
        lines(
            rows, x="known", y="share", group="data", percent=True, height=200, x_label="points that someone knows",
            y_label="singled out", title=f"{name.capitalize()}: whom known points single out", description="",
        )
        for name, rows in curves.items()
    ]  # fmt: skip
    costs = list(_costs(results))
    parts.append(
        lines(
            costs, x="most", y="loss", group="promise", percent=True, height=200, log_x=True,
            x_label="points of each household that are released, at most", y_label="set-loss",
            title=f"Households: what k = {K} costs, by m and by how many points people have", description="",
        )
    )  # fmt: skip
    everything = [*(row | {"table": name} for name, rows in curves.items() for row in rows), *costs]
    columns = [FigureColumn(name, name) for name in (*_COLUMNS, "promise", "most", "loss")]
    return panels(
        parts, everything, columns, title="The attack, the answer, and its price",
        description="Above: the share of people whom so many known points single out, in the data as they are, "
        f"coarsened, and k^m-anonymous with k = {K}. Up to m known points it is exactly zero. Below: the price.",
    )  # fmt: skip


def _curves(rows: Sequence[Row], table: str) -> list[Row]:
    level, name = _COARSENED.get(table, ("", ""))
    names = {("original", ""): ORIGINAL, ("coarsened", level): name}
    found = []
    for row in rows:
        at = "" if row["data"].startswith("k = ") else row["at"]
        label = row["data"] if row["data"].startswith("k = ") else names.get((row["data"], at))
        if row["table"] == table and label:
            found.append({"data": label, "known": row["known"], "share": row["unique"]})
    return found


def _costs(results: Mapping[str, Sequence[Row]]) -> list[Row]:
    return [
        {"promise": f"m = {m}", "most": row["most"], "loss": row["loss"]}
        for m in PROMISED
        for row in results["points"]
        if row["table"] == "households" and row["m"] == m
    ]
