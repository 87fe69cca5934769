"""The figures of the page, drawn from what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any
from urllib.parse import quote

from shoal.charts import Figure, bars, heatmap, lines, paired, risk_utility_map
from shoal.web.decisions import Aim

Found = Mapping[str, Any]
_SIZES = (1, 2, 3, 5, 10, 20, 50, 100)
_CARD = 520.0
ACCEPTABLE = 0.09  # the highest average risk that the European and Canadian medicines agencies accept


def sizes(found: Found, k: int, title: str) -> Figure:
    """Draw the share of people by the size of the group that they hide in, with those below k marked."""
    largest = max(size for size, _ in found["sizes"])
    starts = sorted({size for size in (*_SIZES, k) if size <= largest} | {1})
    people = sum(size * groups for size, groups in found["sizes"])
    rows = []
    for start, end in pairwise([*starts, largest + 1]):
        count = sum(size * groups for size, groups in found["sizes"] if start <= size < end)
        name = f"{start:,}" if end == start + 1 else f"{start:,}–{end - 1:,}" if end <= largest else f"{start:,}+"
        rows.append({"size": name, "share": count / people, "start": start})
    low = [row["size"] for row in rows if row["start"] < k]
    mark = next(((row["size"], f"k = {k}") for row in rows if row["start"] == k), None)
    return bars(
        rows,
        x="size",
        y="share",
        percent=True,
        alert=low,
        mark=mark,
        x_label="people in the same group",
        y_label="share of people",
        title=title,
        description=f"A group is all people who look the same to someone who knows the quasi-identifiers. Hatched: "
        f"groups smaller than k = {k}.",
        width=_CARD,
        height=190,
    )


def knowledge(found: Found) -> Figure:
    """Draw how many stand alone against the number of attributes known: every choice, the worst of them, the mean."""
    by_number: dict[int, list[float]] = {}
    rows, dots = [], []
    for each in found["sets"]:
        number = len(each["known"])
        by_number.setdefault(number, []).append(each["uniqueness"])
        dots.append({"known": number, "which": _choice(each["known"]), "share": each["uniqueness"]})
    for number in sorted(by_number):
        shares = by_number[number]
        rows.append({"known": number, "which": "worst choice", "share": max(shares)})
        rows.append({"known": number, "which": "average", "share": sum(shares) / len(shares)})
    return lines(
        rows,
        x="known",
        y="share",
        group="which",
        dots=dots,
        percent=True,
        x_label="attributes that someone knows",
        y_label="share of people who stand alone",
        title="The more someone knows, the more people stand alone",
        description=f"Every dot is one choice of attributes. The lines are the most telling choice and the mean of "
        f"{_looked_at(found)}.",
        width=_CARD,
        height=190,
    )


def _choice(names: Sequence[str], most: int = 6) -> str:
    return ", ".join(names) if len(names) <= most else f"{', '.join(names[:most])} and {len(names) - most} more"


def _looked_at(found: Found) -> str:
    """Say how many choices the figure shows.

    >>> _looked_at({"sets": [1, 2, 3], "quasi": ["a", "b"]})
    'all 3 choices'
    """
    shown, there = len(found["sets"]), 2 ** len(found["quasi"]) - 1
    if shown == there:
        return f"all {there:,} choices"
    return f"{shown:,} choices drawn by lot of the {f'{there:,}' if there < 10**9 else 'many'} that there are"


def risk_map(candidates: Mapping[str, Found], chosen: Aim) -> Figure:
    """Draw all candidates by what they lose and what risk they leave; each leads to itself."""
    rows = []
    for key, found in candidates.items():
        if "kept" not in found:
            continue
        aim = Aim.of(key)
        named = aim.method == chosen.method and aim.level == chosen.level
        label = f"k = {aim.k}" if named else ""
        rows.append({"lost": 1 - found["kept"], "risk": found["guess"], "name": label, "way": aim.method,
                     "to": f"?see={quote(key, safe='')}", "which": aim.label})  # fmt: skip
    rows.sort(key=lambda row: row["way"] != chosen.method)
    return risk_utility_map(
        rows,
        x="lost",
        y="risk",
        label="name",
        group="way",
        link="to",
        data=["which"],
        chosen=f"k = {chosen.k}",
        frontier=True,
        percent_x=True,
        log=True,
        limit=(ACCEPTABLE, "average risk under 9%"),
        x_label="detail lost",
        y_label="average risk",
        title="Risk and detail of every candidate",
        description="Lower is safer, further to the left keeps more. The line joins those that no other beats. Choose "
        "a point to choose its candidate.",
        width=_CARD,
        height=250,
    )


def cost(candidates: Mapping[str, Found], chosen: Aim) -> Figure:
    """Draw what a larger k costs, for each method."""
    rows = []
    for key, found in candidates.items():
        aim = Aim.of(key)
        if "kept" in found and aim.level == chosen.level:
            rows.append({"k": aim.k, "method": aim.method, "kept": found["kept"]})
    rows.sort(key=lambda row: (row["method"] != chosen.method, row["method"], row["k"]))
    return lines(
        rows,
        x="k",
        y="kept",
        group="method",
        percent=True,
        log_x=True,
        mark=(chosen.k, f"k = {chosen.k}"),
        x_label="k",
        y_label="detail kept",
        title="What a larger k costs",
        description="How much of the detail of the quasi-identifiers is kept at each k.",
        width=_CARD,
        height=250,
    )


def payers(named: Sequence[tuple[str, Found]], column: str) -> Figure:
    """Draw how much detail the people of each group lose in each candidate."""
    rows = [
        {"candidate": name, "group": each["group"], "lost": each["lost"]}
        for name, found in named
        for each in found.get("payers", {}).get(column, [])
    ]
    return heatmap(
        rows,
        x="candidate",
        y="group",
        value="lost",
        percent=True,
        low=0.0,
        value_label="detail lost",
        y_label=column,
        title=f"Who pays, by {column}",
        description="How much of the detail of their quasi-identifiers the people of each group lose on average. "
        "Groups of fewer than ten people are left out.",
        width=_CARD,
    )


def spreads(named: Sequence[tuple[str, Found]], column: str) -> Figure:
    """Draw how a column is spread before and after, a panel for each candidate."""
    found = [(name, each) for name, known in named for each in known.get("columns", []) if each["column"] == column]
    stepped = all(each["stepped"] for _, each in found)
    rows = [
        {"candidate": name, **row, **({} if stepped or "label" in row else {"label": _bin(row)})}
        for name, each in found
        for row in each["rows"]
    ]
    beyond = " The first and the last bin also hold what lies beyond them." if stepped else ""
    return paired(
        rows,
        x="low" if stepped else "label",
        x_end="high" if stepped else None,
        before="before",
        after="after",
        facet="candidate",
        title=f"{column} before and after",
        description="Shares of the people whose cell tells something. A range or a set counts evenly in all that it "
        f"covers. Values of fewer than ten people have no place of their own.{beyond}",
        x_label=column,
        y_label="share of people",
        width=2 * _CARD if len(found) > 1 else _CARD,
        height=150,
    )


def _bin(row: Found) -> str:
    return f"{row['low']:g} to {row['high']:g}"
