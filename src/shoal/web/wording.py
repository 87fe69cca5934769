"""What the page says in whole sentences, and the names that it has for things."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from shoal.languages import N_, _, in_line, ngettext, number
from shoal.report.cell_kinds import CellKinds
from shoal.report.discretion import percent

ENCODINGS = (("utf-8", "UTF-8"), ("windows-1252", "Windows-1252"), ("iso-8859-15", "ISO 8859-15"))
_NAMED = 5  # columns that a sentence names; tables name all


def group_risk(found: Mapping[str, Any]) -> float:
    """Give the highest risk: that of a person in the smallest group, or in that of the fewest people."""
    return 1 / max(1, int(found.get("fewest_people") or found["smallest"]))


def some_of(names: Sequence[str], most: int = _NAMED) -> str:
    """Name a few columns in a sentence, and say how many more there are.

    >>> some_of(["age", "sex"]), some_of(list("abcdefg"))
    ('age, sex', 'a, b, c, d, e and 2 more')
    """
    if len(names) <= most + 1:
        return ", ".join(names)
    return _("%(some)s and %(more)s more", some=", ".join(names[:most]), more=len(names) - most)


def about(text: str, found: Mapping[str, Any]) -> str:
    """Mark a number as an estimate if it is one.

    >>> about("9%", {"sampled": 5000}), about("9%", {"sampled": None})
    ('≈ 9%', '9%')
    """
    return f"≈ {text}" if found.get("sampled") else text


def _within(share: str, interval: Sequence[float] | None) -> str:
    """Say how far a share may be off, if that is known."""
    if not interval:
        return share
    return _("%(share)s (%(low)s to %(high)s)", share=share, low=percent(interval[0]), high=percent(interval[1]))


def estimate(found: Mapping[str, Any], name: str) -> str:
    """Give a share of a candidate, and where it is an estimate how far it may be off.

    >>> estimate({"kept": 0.9, "sampled": 5000, "kept_interval": [0.88, 0.95]}, "kept")
    '≈ 90% (88% to 95%)'
    """
    return _within(about(percent(found[name]), found), found.get(f"{name}_interval"))


def highest(found: Mapping[str, Any]) -> str:
    """Give the highest risk.

    >>> highest({"smallest": 5, "sampled": 5000})
    '≈ 20%'
    """
    return about(percent(group_risk(found)), found)


CONFIRMATIONS = {
    "looked": N_(
        "I have looked at the columns that are released as they are. They hold no free text that names anyone."
    ),
    "others": N_("I have considered what else is public about these people: registers, earlier releases, news."),
}
NO_PROMISE = N_("I know that this release promises nothing: what protects these people is not proved.")


def headline(risk: Mapping[str, Any], *, several: bool = False) -> str:
    """Say the danger in one sentence: of people, or of rows where people may have several.

    >>> headline({"unique": 3, "uniqueness": 0.75, "smallest": 1})
    '75% of people stand alone'
    >>> headline({"unique": 3, "uniqueness": 0.75, "smallest": 1}, several=True)
    '75% of rows stand alone'
    >>> headline({"unique": 0, "uniqueness": 0.0, "records": 9, "of_one_person": 3}, several=True)
    '33.3% of rows stand alone, or with rows of the same person only'
    """
    share, of_one = about(percent(risk["uniqueness"]), risk), risk.get("of_one_person") or 0
    if of_one > risk["unique"]:
        share = about(percent(of_one / risk["records"]), risk)
        return _("%(share)s of rows stand alone, or with rows of the same person only", share=share)
    if several:
        return _("%(share)s of rows stand alone", share=share) if risk["unique"] else _("No row stands alone")
    return _("%(share)s of people stand alone", share=share) if risk["unique"] else _("Nobody stands alone")


def finding(risk: Mapping[str, Any], *, several: bool = False) -> str:
    """Say what the number means for those who know the quasi-identifiers of a person, who may have several rows."""
    counts = {"unique": risk.get("of_one_person") or risk["unique"], "records": risk["records"]}
    if counts["unique"] > risk["unique"]:
        return _(
            "of a row here can find whose it is: so it is for %(unique)s of %(records)s rows. A person has several, "
            "and is found by any of them.",
            **counts,
        )
    if several and risk["unique"]:
        return _(
            "of a row here can find that row alone: so it is for %(unique)s of %(records)s rows. A person has several, "
            "and is found by any of them.",
            **counts,
        )
    if risk["unique"]:
        return _(
            "of a person here can find exactly one row for %(unique)s of %(records)s people, and so learn the rest of "
            "it.",
            **counts,
        )
    if risk.get("fewest_people"):
        return _(
            "of a person here finds at least %(people)s people who fit equally well. With k up to %(people)s there is "
            "nothing to do.",
            people=risk["fewest_people"],
        )
    return _(
        "of a person here finds at least %(smallest)s rows that fit equally well. With k up to %(smallest)s there is "
        "nothing to do.",
        smallest=risk["smallest"],
    )


def known_points_line(found: Mapping[str, Any]) -> str:
    """Say whom two known points of a person single out, or one if nobody has two.

    >>> row = {"points": 2, "share": 0.5, "exact": True, "interval": None}
    >>> known_points_line({"unicity": [row]})
    'Anyone who knows 2 points of a person finds exactly that person: on average for 50% of those with so many.'
    """
    rows = [row for row in found["unicity"] if row["share"] is not None]
    if not rows:
        return _("Nobody has a point: the quasi-identifiers are empty.")
    row = next((each for each in rows if each["points"] == 2), rows[0])
    share = _within(about(percent(row["share"]), {"sampled": not row["exact"]}), row["interval"])
    return ngettext(
        "Anyone who knows %(num)s point of a person finds exactly that person: on average for %(share)s of people.",
        "Anyone who knows %(num)s points of a person finds exactly that person: on average for %(share)s of those with "
        "so many.",
        row["points"],
        share=share,
    )


def changes(found: Mapping[str, Any], columns: Sequence[str]) -> float:
    """Give the share of the cells of some columns that show another value than their own.

    >>> changes({"changed": {"age": 0.5}}, ["age", "sex"]), changes({}, ["age"])
    (0.25, 0.0)
    """
    shares: Mapping[str, float] = found.get("changed") or {}
    return sum(shares.get(name, 0.0) for name in columns) / max(1, len(columns))


def cells_line(kinds: CellKinds | None, other: float) -> str:
    """Say what becomes of the cells of a column, of which a share shows another value than their own.

    >>> cells_line(None, 0.2)
    '20% show another value'
    >>> cells_line(CellKinds(1.0, 0, 0, 0, 0, ""), 0.2)
    '20% show another value'
    """
    shown = _("%(share)s show another value", share=percent(other)) if other else ""
    if shown and (kinds is None or kinds.exact == 1):  # none is coarse, and not all are their own
        return shown
    return ", ".join(filter(None, (kinds.sentence() if kinds else "", shown)))


def result_line(found: Mapping[str, Any], quasi: Sequence[str] = ()) -> str:
    """Say in one line what a candidate does to the quasi-identifiers.

    >>> result_line({"kept": 0.9, "smallest": 5, "guess": 0.15, "groups": 1})
    'Keeps 90% of the detail in 1 group · highest risk 20% · average risk 15%'
    >>> result_line({"changed": {"age": 0.5}, "sampled": None}, ["age"])
    '50% of the cells of quasi-identifiers show another value'
    """
    other = changes(found, quasi)
    if other:
        return _("%(share)s of the cells of quasi-identifiers show another value", share=about(percent(other), found))
    text = ngettext(
        "Keeps %(kept)s of the detail in %(num)s group · highest risk %(highest)s · average risk %(average)s",
        "Keeps %(kept)s of the detail in %(num)s groups · highest risk %(highest)s · average risk %(average)s",
        found["groups"],
        kept=estimate(found, "kept"),
        highest=highest(found),
        average=estimate(found, "guess"),
    )
    return _("%(line)s · ≈ from %(rows)s rows", line=text, rows=found["sampled"]) if found.get("sampled") else text


def secret_line(found: Mapping[str, Any]) -> str:
    """Say how many people share a secret with everybody in their group, and which secret; of several the worst.

    >>> secret_line({"secrets": {"ill": 0.49, "pay": 0.1}})
    "49% of people share their 'ill' with everybody in their group; of 2 confidential columns this is the worst"
    """
    shares = found.get("secrets") or {}
    if not shares:
        return ""
    worst = max(shares, key=lambda name: shares[name])
    if not shares[worst]:
        return _("In no group do all people share a confidential value")
    text = _(
        "%(share)s of people share their '%(column)s' with everybody in their group",
        share=about(percent(shares[worst]), found),
        column=worst,
    )
    if len(shares) == 1:
        return text
    return _("%(line)s; of %(count)s confidential columns this is the worst", line=text, count=len(shares))


def before_after(risk: Mapping[str, Any], found: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Give the numbers of a candidate beside those of the table as it is, as far as these are known."""
    worst = max(found["secrets"], key=lambda name: found["secrets"][name]) if found.get("secrets") else None

    def before(value: Callable[[Mapping[str, Any]], float]) -> str:
        return about(percent(value(risk)), risk) if risk else "–"

    rows = [
        (_("Stand alone"), before(lambda each: each["uniqueness"]), about(percent(found["uniqueness"]), found)),
        (_("Highest risk"), before(group_risk), highest(found)),
        (_("Average risk"), before(lambda each: each["guess"]), estimate(found, "guess")),
    ]
    if worst is not None:
        shared = before(lambda each: each["secrets"].get(worst, 0.0))
        rows.append((_("Share a secret with their group"), shared, about(percent(found["secrets"][worst]), found)))
    rows.append((_("Groups (equivalence classes)"), number(risk["groups"]) if risk else "–", number(found["groups"])))
    if not changes(found, tuple(found["coarse"])):  # of values that are not their own, detail says nothing
        rows.append((_("Detail kept"), percent(1.0), estimate(found, "kept")))
    other = changes(found, tuple(found.get("changed") or ()))
    if other:  # of the columns in which there are such cells
        rows.append((_("Cells that show another value"), percent(0.0), about(percent(other), found)))
    labels, *columns = zip(*rows, strict=True)
    return list(zip(labels, *map(in_line, columns), strict=True))


def side_by_side(named: Sequence[Mapping[str, Any] | None]) -> list[tuple[str, list[str | None]]]:
    """Give the numbers of candidates by what they tell; None of one that is not known, nothing of an impossible one."""

    def row(label: str, write: Callable[[Mapping[str, Any]], str]) -> tuple[str, list[str | None]]:
        return label, [None if each is None else write(each) if "kept" in each else "" for each in named]

    def share(name: str) -> Callable[[Mapping[str, Any]], str]:
        return lambda each: about(percent(each["secrets"].get(name, 0.0)), each)

    columns = dict.fromkeys(name for each in named if each and "kept" in each for name in each["secrets"])
    others = [
        row(
            _("Cells that show another value"),
            lambda each: about(percent(changes(each, tuple(each.get("changed") or ()))), each),
        )
    ]
    rows = [
        row(_("Detail kept"), lambda each: estimate(each, "kept")),
        row(_("Highest risk"), highest),
        row(_("Average risk"), lambda each: estimate(each, "guess")),
        row(_("Stand alone"), lambda each: about(percent(each["uniqueness"]), each)),
        *(row(_("Share their '%(column)s' with their group", column=name), share(name)) for name in columns),
        row(_("Smallest group"), lambda each: about(number(each["smallest"]), each)),
        row(_("Groups (equivalence classes)"), lambda each: about(number(each["groups"]), each)),
        row(_("Information loss"), lambda each: about(number(each["loss"], ".4f"), each)),
        *(others if any(each and each.get("changed") for each in named) else ()),
    ]
    for place, each in enumerate(named):
        if each is not None:
            for (_label, cells), text in zip(rows, in_line([cells[place] or "" for _, cells in rows]), strict=True):
                cells[place] = text
    return rows


def comparison(found: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    """Say in one line how candidates differ. Safest is who has the lowest highest risk; of several, on average.

    >>> a, b = {"kept": 0.9, "guess": 0.02, "smallest": 5}, {"kept": 0.8, "guess": 0.05, "smallest": 11}
    >>> comparison([("A", a), ("B", b)])
    'A keeps most detail (90%); B is safest (highest risk 9.09%) and costs 10 points of detail.'
    """
    usable = [(name, each) for name, each in found if "kept" in each]
    if len(usable) < 2:
        return ""
    if any(each.get("changed") for _name, each in usable):
        return _("Some of these change values: what detail they keep and who stands alone says little of them.")
    if len({bool(each.get("sampled")) for _name, each in usable}) > 1:
        return _("Some of these are estimates from a sample: they can be compared when all are exact.")
    keeps = max(usable, key=lambda each: each[1]["kept"])
    safest = min(usable, key=lambda each: (group_risk(each[1]), each[1]["guess"], -each[1]["kept"]))
    kept = about(percent(keeps[1]["kept"]), keeps[1])
    if keeps[0] == safest[0]:
        return _(
            "%(name)s keeps most detail (%(kept)s) and is safest: the others are beaten.", name=keeps[0], kept=kept
        )
    points = 100 * (keeps[1]["kept"] - safest[1]["kept"])
    return _(
        "%(keeps)s keeps most detail (%(kept)s); %(safest)s is safest (highest risk %(risk)s) and costs %(points)s "
        "points of detail.",
        keeps=keeps[0],
        kept=kept,
        safest=safest[0],
        risk=percent(group_risk(safest[1])),
        points=number(points, ".2g"),
    )
