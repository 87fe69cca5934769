"""The argument of the paper in words, with the numbers of a study: nothing is said that they do not show."""

from __future__ import annotations

from collections.abc import Mapping

from shoal_paper.datasets.published import AGREEMENT, UNIQUE_PD, UNIQUE_SPD
from shoal_paper.reproduction.case import COARSENINGS
from shoal_paper.reproduction.figures.comparison import FAMILIES
from shoal_paper.reproduction.figures.surfaces import counted
from shoal_paper.reproduction.numbers import (
    CLOSE,
    COARSE,
    EIGHTH,
    LABELS,
    LARGEST_RISK,
    AbsentError,
    Numbers,
    agreement,
    everything,
)
from shoal_paper.reproduction.printed import Printed, percent

_LOSS, _GUESS, _DISCLOSED = "information-loss", "random-reidentification", "attribute-disclosure"
_STRONG = "oshpd_id ~ patcnty"  # the one pair that is highly correlated, and would hide what becomes of the others


def danger(n: Numbers, printed: Printed) -> str:
    """Say who stands alone."""
    *groups, last = everything(n.results).split(" + ")
    said = f"{percent(n.risk('spd'))} of the records stand alone for someone who knows their "
    said += f"{', '.join(groups)} and {last} features."
    return said + (f" The paper prints almost {percent(UNIQUE_SPD)}." if printed.full else "")


def state(n: Numbers, printed: Printed) -> str:
    """Say what masking did, and what it left."""
    whole = everything(n.results)
    left = next(
        row["unique"]
        for row in n.results["knowledge"]
        if (row["known"], row["data"], row["matching"]) == (whole, "PD", "signature")
    )
    said = "Records that stood alone lost one attribute after the other, in the order of Table S3"
    alone = f"{counted(left)} still {'stands' if left == 1 else 'stand'} alone"
    said += f". {alone} for someone who knows everything." if left else ", until they no longer did."
    try:
        values = [pair for pair in n.masked_values("race").values() if pair[0]]
        rare, frequent = (masked / total for total, masked in (min(values), max(values)))
        if rare > frequent:
            said += " Rare values are masked most."
    except AbsentError:
        pass
    said += f" In the worst case {percent(n.risk('pd'))} of the records can be told apart"
    return said + (f"; the paper prints {percent(UNIQUE_PD)}." if printed.full else ".")


def regeneration_heading(n: Numbers) -> str:
    """Name the section about regeneration by what was found."""
    return "Regeneration does not recover the risk" if _another_risk(n) else "What regeneration recovers"


def _another_risk(n: Numbers) -> bool:
    """Tell whether the regenerated records are known to have another risk than those in full, by a point or more."""
    try:
        return abs(n.risk("truth") - n.risk("spd")) >= 0.01
    except AbsentError:
        return False


def regeneration(n: Numbers) -> list[str]:
    """Say who stands alone before masking and after regeneration, and which records cannot be."""
    said = "Algorithm S1 puts masked values back at random, each as often as it was masked, attribute by attribute. "
    try:
        said += (
            f"Of the records in full {percent(n.risk('truth'))} stand alone, of the regenerated ones "
            f"{percent(n.risk('spd'))}"
        )
        said += ": what is measured on SPD is the risk of another table." if _another_risk(n) else "."
    except AbsentError:
        said += "The records in full are not known, so nobody can tell whether that recovers who stood alone."
    if strange := _strange(n, "SPD"):
        said += f" It also makes records that cannot be: {strange}."
    try:
        joint = (
            f"If values are drawn in keeping with the rest of the record, {percent(n.regenerated('joint', 'unique'))}"
        )
    except AbsentError:
        return [said]
    return [said, f"{joint} stand alone{f', and {strange}' if (strange := _strange(n, 'joint')) else ''}."]


_IMPOSSIBLE = {
    "childbirths of men or outside 10-55 years": "childbirths are those of men or at other ages than 10 to 55 years",
    "births above age 0": "births are at ages above 0",
    "ZIP codes outside their county": "ZIP codes lie outside their county",
}


def _strange(n: Numbers, data: str) -> str:
    """List the shares of records that cannot be."""
    found = {row["what"]: row["value"] for row in n.results["regeneration"] if row["data"] == data}
    parts = [f"{percent(found[what])} of {words}" for what, words in _IMPOSSIBLE.items() if found.get(what)]
    return ", ".join([*parts[:-2], " and ".join(parts[-2:])]) if parts else ""


def correlations(n: Numbers, printed: Printed) -> str:
    """Say what became of the correlations."""
    before, said = n.correlations("PD"), []
    for data, way in (("SPD", "Algorithm S1"), ("joint", "Regeneration in keeping with the rest of the record")):
        try:
            after = n.correlations(data)
            alike = agreement(before, after)
        except AbsentError:
            continue
        weak = {pair: r for pair, r in before.items() if r is not None and pair != _STRONG and abs(r) > 0.03}
        kept = f" and keeps {_slope(weak, after):.0%} of the weak ones" if weak else ""
        said.append(f"{way} gives correlations that correlate with those of PD by {alike:.3f}{kept}.")
        if data == "SPD" and printed.applies:
            said.append(f"The paper prints {AGREEMENT} for the former.")
    return " ".join(said)


def _slope(before: Mapping[str, float], after: Mapping[str, float | None]) -> float:
    """Give the share of correlations that is kept: the slope of a line through the origin."""
    return sum(r * (after.get(pair) or 0.0) for pair, r in before.items()) / sum(r**2 for r in before.values())


def coarsening(n: Numbers) -> str:
    """Say what fixed intervals leave."""
    rows = n.results["surfaces"]
    said = (
        "Cutting each attribute into fixed intervals looks at one attribute at a time, so it cannot promise that "
        "nobody stands alone, however much it loses. "
    )
    two = [int(n.surface(2, 2, "unique", reading)) for reading in ("distinct", "width")]
    said += (
        f"With two intervals of every attribute {counted(two[0])} still do if intervals hold equal numbers of values, "
        f"as in the authors' program, and {counted(two[1])} if they have equal widths, as Algorithm S3 is printed."
    )
    none = sum(row["unique"] == 0 for row in rows)
    return said + (f" Nobody does in {none} of {len(rows)} cells, which nothing had promised." if none else "")


def crowd(n: Numbers) -> list[str]:
    """Say what k-anonymity promises, and why releases that lose less and are safer on average do not refute it."""
    said = [
        "k-anonymity groups similar records until each is one of at least k. Nobody stands alone, and a guess is right "
        "at most once in k times."
    ]
    level, loss, guess = LABELS[0], n.levels(_LOSS)[0], n.levels(_GUESS)[0]
    for family, label in ((family, f"1/{r}") for family in COARSE for r in COARSENINGS):
        cost, mean = n.released(_LOSS, label, family), n.released(_GUESS, label, family)
        if cost < loss and mean < guess:
            how = FAMILIES[family].removeprefix("coarsening, ")
            said.append(
                f"{label} coarsening ({how}) loses less than {level} ({cost:.3f} against {loss:.3f}), and on average a "
                f"guess is right less often ({percent(mean)} against {percent(guess)}). "
                + _no_contradiction(n, family, label, level)
            )
            break
    try:
        near = n.released(_LOSS, level, "hilbert")
        said.append(
            f"hilbert is not in the paper: it forms crowds of neighbours in all attributes at once, and keeps the same "
            f"promise at a loss of {near:.3f} instead of {loss:.3f} at {level}."
        )
    except AbsentError:
        pass
    return said


def _no_contradiction(n: Numbers, family: str, label: str, level: str) -> str:
    """Say what becomes of the record that is worst off in a release that is better on average."""
    worst, kept = n.released(LARGEST_RISK, label, family), n.released(LARGEST_RISK, level, "k-anonymity")
    if worst <= kept:
        return f"No record is worse off than with {level} either: on this table, though nothing had promised it."
    alone = round(n.released("uniqueness", label, family) * n.results["masking"][0]["total"])
    return (
        "This does not contradict the paper, whose argument is about the record that is worst off: coarsening leaves "
        f"{counted(alone)} alone, so that the largest risk is {percent(worst)}, and {level} leaves nobody with more "
        f"than {percent(kept)}. Fig. S4 shows that risk."
    )


def closeness(n: Numbers) -> str:
    """Say what t-closeness adds, and how that compares with coarsening in both readings."""
    close = n.levels(_LOSS, CLOSE)
    program, printed = (sum(loss < n.released(_LOSS, EIGHTH, family) for loss in close) for family in COARSE)
    said = (
        "A crowd may still share a secret: if all its members have it, so has everyone in it. t-closeness makes each "
        f"group look like the whole table in that respect. It loses less than {EIGHTH} coarsening "
    )
    if program == printed:
        return f"{said}at {program} of {len(close)} levels, however Algorithm S3 is read."
    return (
        f"{said}at {program} of {len(close)} levels if intervals hold equal numbers of values, as in the authors' "
        f"program, and at {printed} if they have equal widths, as Algorithm S3 is printed."
    )


def closeness_heading(n: Numbers) -> str:
    """Name the section about closeness by what was found."""
    return "What closeness adds" if max(n.levels(_DISCLOSED, CLOSE)) else "Closeness ends the rest"


def lead(n: Numbers) -> str:
    """Say in one paragraph what the study found."""
    rest = "t-closeness adds to it" if max(n.levels(_DISCLOSED, CLOSE)) else "t-closeness closes the rest"
    return (
        f"{percent(n.risk('spd'))} of the records stand alone. Fixed coarsening promises them nothing, k-anonymity "
        f"hides each among k, {rest}, and this is what each costs."
    )
