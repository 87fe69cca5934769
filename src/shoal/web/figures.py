"""The figures of the page, drawn from what was found."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any
from urllib.parse import quote

from shoal.charts import bars, drops, heatmap, lines, paired, risk_utility_map
from shoal.languages import _, number, written
from shoal.report.bins import OTHER
from shoal.report.look import method_palette
from shoal.web.cases.aims import Aim
from shoal.web.page_figure import BROAD, WIDE, Drawing, both
from shoal.web.wording import estimate, highest, some_of

Found = Mapping[str, Any]
_SIZES = (1, 2, 3, 5, 10, 20, 50, 100)
_MOST_DRIVERS = 12
_RANGE = re.compile(r"([−-]?\d[\d,.]*) to ([−-]?\d[\d,.]*)")


def _curves(rows: Sequence[Found], *, wide: float = WIDE, **look: Any) -> Drawing:
    """Draw shares as lines."""
    return both(lines, rows, wide=wide, **look, percent=True, height=190)


def sizes(found: Found, k: int, title: str, *, several: bool = False) -> Drawing:
    """Draw the share of people, or of rows if people have several, by the size of their group; those below k marked."""
    largest = max(size for size, _groups in found["sizes"])
    starts = sorted({size for size in (*_SIZES, k) if size <= largest} | {1})
    people = sum(size * groups for size, groups in found["sizes"])
    rows = []
    for start, end in pairwise([*starts, largest + 1]):
        count = sum(size * groups for size, groups in found["sizes"] if start <= size < end)
        first, last = number(start), number(end - 1)
        name = first if end == start + 1 else f"{first}–{last}" if end <= largest else f"{first}+"
        rows.append({"size": name, "share": count / people, "start": start})
    low = [row["size"] for row in rows if row["start"] < k]
    mark = next(((row["size"], f"k = {k}") for row in rows if row["start"] == k), None)
    return both(
        bars,
        rows,
        x="size",
        y="share",
        percent=True,
        alert=low,
        mark=mark,
        x_label=_("rows in the same group (equivalence class)")
        if several
        else _("people in the same group (equivalence class)"),
        y_label=_("share of rows") if several else _("share of people"),
        title=title,
        description=_(
            "A group is all rows that look the same to someone who knows the quasi-identifiers, also those of one "
            "person. Hatched: groups smaller than k = %(k)s.",
            k=k,
        )
        if several
        else _(
            "A group is all people who look the same to someone who knows the quasi-identifiers. Hatched: groups "
            "smaller than k = %(k)s.",
            k=k,
        ),
        height=190,
    )


def _alone(*, several: bool) -> str:
    return _("share of rows that stand alone") if several else _("share of people who stand alone")


def drivers(found: Found, *, several: bool = False) -> Drawing:
    """Draw which columns give people away: how many fewer stand alone if one of them is not known."""
    rows = sorted(found["without"], key=lambda each: each["uniqueness"])
    shown = rows[:_MOST_DRIVERS]
    more = (
        _(" Shown are the %(shown)s of %(all)s columns that give away most.", shown=len(shown), all=len(rows))
        if len(shown) < len(rows)
        else ""
    )
    return both(
        drops,
        shown,
        name="column",
        share="uniqueness",
        whole=found["uniqueness"],
        whole_label=_("all columns known"),
        x_label=_alone(several=several),
        title=_("Which columns give people away"),
        description=(
            _("Each bar ends where the share of rows that stand alone would be if that one column were not known.")
            if several
            else _(
                "Each bar ends where the share of people who stand alone would be if that one column were not known."
            )
        )
        + more,
    )


def knowledge(found: Found, *, several: bool = False) -> Drawing:
    """Draw how many stand alone against the number of attributes known: every choice, the worst of them, the mean."""
    by_number: dict[int, list[float]] = {}
    worst, average = _("worst choice"), _("average")
    rows, dots = [], []
    for each in found["sets"]:
        count = len(each["known"])
        by_number.setdefault(count, []).append(each["uniqueness"])
        dots.append({"known": count, "which": some_of(each["known"]), "share": each["uniqueness"]})
    most = 0.0  # who knows more columns finds no fewer, also where only some choices of that many were looked at
    for count in sorted(by_number):
        shares = by_number[count]
        most = max(most, *shares)
        rows.append({"known": count, "which": worst, "share": most})
        rows.append({"known": count, "which": average, "share": sum(shares) / len(shares)})
    return _curves(
        rows,
        x="known",
        y="share",
        group="which",
        dots=dots,
        x_label=_("columns that someone knows"),
        y_label=_alone(several=several),
        title=_("The more someone knows, the more rows stand alone")
        if several
        else _("The more someone knows, the more people stand alone"),
        description=_(
            "Every dot is one choice of columns. The lines are the choice that gives away most and the mean of "
            "%(choices)s.",
            choices=_looked_at(found),
        ),
    )


def unicity(found: Found) -> Drawing:
    """Draw the share of people who are singled out against the number of known points."""
    rows = [
        {"points": row["points"], "share": row["share"], "sampled": not row["exact"]}
        for row in found["unicity"]
        if row["share"] is not None
    ]
    return _curves(
        rows,
        x="points",
        y="share",
        estimated="sampled",
        x_label=_("known points of a person"),
        y_label=_("share of people singled out"),
        title=_("Unicity: whom a few known points single out"),
        description=_("The share of sets of so many points of a person that nobody else has, as a mean over people."),
    )


def _looked_at(found: Found) -> str:
    """Say how many choices the figure shows.

    >>> _looked_at({"sets": [1, 2, 3], "quasi": ["a", "b"]})
    'all 3 choices'
    """
    shown, there = len(found["sets"]), 2 ** len(found["quasi"]) - 1
    if shown == there:
        return _("all %(count)s choices", count=there)
    if there >= 10**9:
        return _("%(shown)s choices drawn by lot of the many that there are", shown=shown)
    return _("%(shown)s choices drawn by lot of the %(count)s that there are", shown=shown, count=there)


def risk_map(candidates: Mapping[str, Found], chosen: Aim, *, whole: bool = False) -> Drawing:
    """Draw all candidates by what they lose and what risk they leave; each leads to itself.

    Candidates of one promise are of one kind: their frontier joins no others, and nothing joins exact numbers with
    estimates. Unless the whole map is asked for, it shows the part where the frontier lies.
    """
    rows = [
        {
            "lost": 1 - found["kept"],
            "risk": found["guess"],
            "name": "",
            "method": aim.method,
            "kind": str(aim.course[1:]),
            "to": f"?see={quote(key, safe='')}",
            "which": aim.label,
            "said": _said(aim, found),
            "sampled": found.get("sampled") is not None,
            **_ends(found),
            "dial": aim.dial,
            "own": aim.course == chosen.course,
            "here": key == chosen.key,
        }
        for key, found in candidates.items()
        if "kept" in found
        for aim in (Aim.of(key),)
    ]
    rows.sort(key=lambda row: (row["method"], row["dial"]))
    own = [row for row in rows if row["own"]]
    for row in {id(row): row for row in (*own[:1], *own[-1:], *(row for row in own if row["here"]))}.values():
        row["name"] = _stands(row["dial"]) or row["method"]
    return map_of(
        rows,
        wide=BROAD,
        link="to",
        data=["which"],
        chosen=_stands(chosen.dial) or chosen.method,
        frontier="kind",
        focus=not whole,
        estimated="sampled",
        errors=("least_lost", "most_lost"),
        errors_y=("least_risk", "most_risk"),
        title=_("Risk and detail of every candidate"),
        description=_(
            "Lower is safer, further to the left keeps more. A line joins those that no other of the same promise "
            "beats. Choose a point to choose its candidate."
        )
        + (
            _(" Hollow points are estimates from a sample, and bars show how far they may be off.")
            if any(row["sampled"] for row in rows)
            else ""
        ),
        height=260,
    )


def map_of(rows: Sequence[Found], *, wide: float = WIDE, **look: Any) -> Drawing:
    """Draw candidates by the detail that is lost and the risk that is left."""
    return both(
        risk_utility_map,
        rows,
        wide=wide,
        **look,
        x="lost",
        y="risk",
        label="name",
        tip="said",
        group="method",
        palette=method_palette(),
        percent_x=True,
        log=True,
        x_label=_("detail lost"),
        y_label=_("average risk"),
    )


def _ends(found: Found) -> dict[str, float]:
    """Give the ends of the bars of an estimate, unless it has none."""
    kept, risk = found.get("kept_interval"), found.get("guess_interval")
    if not kept or not risk:
        return {}
    return {"least_lost": 1 - kept[1], "most_lost": 1 - kept[0], "least_risk": risk[0], "most_risk": risk[1]}


def _said(aim: Aim, found: Found) -> str:
    """Say what a point is: its method and k, what it keeps, and its risk."""
    said = _(
        "%(candidate)s: keeps %(kept)s, average risk %(average)s, highest risk %(highest)s",
        candidate=aim.label,
        kept=estimate(found, "kept"),
        average=estimate(found, "guess"),
        highest=highest(found),
    )
    return _("%(what)s (from %(rows)s rows)", what=said, rows=found["sampled"]) if found.get("sampled") else said


def _stands(dial: tuple[str, float]) -> str:
    """Say where a dial stands.

    >>> _stands(("k", 5)), _stands(("highest", 0.05)), _stands(("", 0))
    ('k = 5', 'highest = 0.05', '')
    """
    return f"{dial[0]} = {dial[1]:g}" if dial[0] else ""


def cost(candidates: Mapping[str, Found], chosen: Aim) -> Drawing:
    """Draw what a larger k costs, for each method, or another level of the promise that stands alone."""
    rows = []
    letter = chosen.dial[0] or "k"
    for key, found in candidates.items():
        aim = Aim.of(key)
        if "kept" in found and aim.dial[0] == letter and aim.alone == chosen.alone and (
            aim.alone or aim.level == chosen.level
        ):  # fmt: skip
            sampled = found.get("sampled") is not None
            rows.append({letter: aim.dial[1], "method": aim.method, "kept": found["kept"], "sampled": sampled})
    rows.sort(key=lambda row: (row["method"], row[letter]))
    return _curves(
        rows,
        wide=BROAD,
        x=letter,
        y="kept",
        group="method",
        palette=method_palette(),
        estimated="sampled",
        zero=False,
        log_x=True,
        mark=(chosen.dial[1], _stands(chosen.dial)) if chosen.dial[0] else None,
        x_label=letter,
        y_label=_("detail kept"),
        title=_("What a larger k costs")
        if not chosen.alone
        else _("What it costs to change %(letter)s", letter=letter),
        description=_("How much of the detail of the quasi-identifiers is kept at each %(letter)s.", letter=letter),
    )


def loss_by_group(named: Sequence[tuple[str, Found]], column: str) -> Drawing:
    """Draw how much detail the people of each group lose in each candidate."""
    rows = [
        {"candidate": name, "group": _label(each["group"]), "lost": each["lost"]}
        for name, found in named
        for each in found.get("loss_by_group", {}).get(column, [])
    ]
    return both(
        heatmap,
        rows,
        wide=BROAD,
        x="candidate",
        y="group",
        value="lost",
        percent=True,
        low=0.0,
        value_label=_("detail lost"),
        y_label=column,
        title=_("Who loses detail, by %(column)s", column=column),
        description=_(
            "How much of the detail of their quasi-identifiers the people of each group lose on average. Groups of "
            "fewer than ten people are left out."
        ),
    )


def spreads(named: Sequence[tuple[str, Found]], column: str) -> Drawing:
    """Draw how a column is spread before and after, a panel for each candidate."""
    found = [(name, each) for name, known in named for each in known.get("columns", []) if each["column"] == column]
    stepped = all(each["stepped"] for _name, each in found)
    rows = [
        {"candidate": name, **row}
        | ({} if stepped else {"label": _label(row["label"]) if "label" in row else _bin(row)})
        for name, each in found
        for row in each["rows"]
    ]
    beyond = _(" The first and the last bin also hold what lies beyond them.") if stepped else ""
    return both(
        paired,
        rows,
        wide=BROAD,
        x="low" if stepped else "label",
        x_end="high" if stepped else None,
        before="before",
        after="after",
        facet="candidate",
        names=(_("before"), _("after")),
        title=_("%(column)s before and after", column=column),
        description=_(
            "Shares of the people whose cell says something. A range or a set counts evenly in all that it covers. "
            "Values of fewer than ten people have no place of their own."
        )
        + beyond,
        x_label=column,
        y_label=_("share of people"),
        height=150,
    )


def _label(text: str) -> str:
    """Say a group as its reader does: a range of numbers, or what is left over. Values stay as they are.

    >>> _label("20 to 28"), _label("Trinidad to Tobago")
    ('20 to 28', 'Trinidad to Tobago')
    """
    if text == OTHER:
        return _("other values")
    found = _RANGE.fullmatch(text)
    return _("%(start)s to %(end)s", start=written(found[1]), end=written(found[2])) if found else text


def _bin(row: Found) -> str:
    return _("%(low)s to %(high)s", low=number(row["low"], "g"), high=number(row["high"], "g"))
