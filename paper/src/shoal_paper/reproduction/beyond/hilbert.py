"""`hilbert` beside the paper's algorithms: how much less it loses, and what it discloses without t-closeness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shoal.assessment.study import Cell, Row
from shoal.charts import Figure, bars, risk_utility_map
from shoal.methods import Method
from shoal.methods.hilbert import Hilbert
from shoal.methods.sorted_clusters import SortedClusters
from shoal.methods.stratified_clusters import StratifiedClusters
from shoal.models import PrivacyModel
from shoal.models.k_anonymity import KAnonymity
from shoal.report.page import Html, Section, table
from shoal_paper.reproduction.beyond import Experiment
from shoal_paper.reproduction.beyond.samples import drawn
from shoal_paper.reproduction.case import LEVELS, Case
from shoal_paper.reproduction.numbers import Results

S2, S4, PLAIN, CLOSE = "Algorithm S2", "Algorithm S4", "hilbert", "hilbert with t-closeness"
_AS_COMPARED = {"k-anonymity": S2, "hilbert": PLAIN}  # what the comparison of Fig. S4 calls them
ALL, SAMPLE = "all", "sample"
LOSS, DISCLOSED = "information-loss", "attribute-disclosure"
_Numbers = Mapping[tuple[str, str], Mapping[str, float]]
_HEADING = "Less loss along a curve, and its price"


def releases(case: Case, k: int) -> dict[str, tuple[Method, tuple[PrivacyModel, ...]]]:
    """Give the paper's algorithms and `hilbert` at a level, without t-closeness and with that of Table S9."""
    crowd, close = (KAnonymity(k),), (KAnonymity(k), case.closeness(k))
    return {
        S2: (SortedClusters(), crowd),
        PLAIN: (Hilbert(), crowd),
        S4: (StratifiedClusters(), close),
        CLOSE: (Hilbert(), close),
    }


def measure(case: Case) -> list[Row]:
    """Measure the four ways at every level, on a sample: `hilbert` takes minutes to make millions of records close."""
    small = drawn(case)
    rows: list[Row] = []
    for k in LEVELS:
        for family, (method, models) in releases(small, k).items():
            t = small.closeness(k).t if len(models) > 1 else None
            about = {"family": family, "label": f"k = {k}", "t": t, "data": SAMPLE, "records": small.table.rows}
            found = Cell((method,), models, case.measures).run(small.table)
            rows += [about | {"measure": row["measure"], "value": row["value"]} for row in found]
    return rows


def compared(results: Results) -> list[Row]:
    """Pick what Fig. S4 has measured of all records."""
    return [
        {
            "family": _AS_COMPARED[row["family"]], "label": row["label"], "t": None, "data": ALL,
            "records": next(each["total"] for each in results["masking"] if each["value"] is None),
            "measure": row["measure"], "value": row["value"],
        }
        for row in results["comparison"]
        if row["family"] in _AS_COMPARED and row["measure"] in (LOSS, DISCLOSED)
    ]  # fmt: skip


def figures(rows: Sequence[Row]) -> dict[str, Figure]:
    """Draw disclosure against loss without t-closeness, of all records, and the loss with and without it, of some."""
    every, some = _numbers(rows, ALL), _numbers(rows, SAMPLE)
    found: dict[str, Figure] = {}
    if every:
        found["Fig. B1a"] = risk_utility_map(
            [{"release": label, "method": family, **values} for (family, label), values in every.items()],
            x=LOSS, y=DISCLOSED, label="release", group="method", log_x=True,
            x_label="information lost (Eq. 3)", y_label="confidential values disclosed (Eq. 5)",
            title=f"Fig. B1a. Loss and disclosure without t-closeness, {_records(rows, ALL)} records",
            description="Further left loses less, further down discloses less.",
        )  # fmt: skip
    if some:
        found["Fig. B1b"] = bars(
            [
                {"level": label, "method": family, "loss": values[LOSS]}
                for (family, label), values in some.items()
            ],
            x="level", y="loss", group="method", log=True, x_label="level", y_label="information lost (Eq. 3)",
            title=f"Fig. B1b. What t-closeness costs, {_records(rows, SAMPLE)} records",
            description="Algorithm S2 and hilbert give k-anonymity; Algorithm S4 and hilbert with t-closeness also the "
            "t-closeness that goes with k in Table S9.",
        )  # fmt: skip
    return found


def section(rows: Sequence[Row], drawn: Mapping[str, str]) -> Section:
    """Tell both sides."""
    every, some = _numbers(rows, ALL), _numbers(rows, SAMPLE)
    return Section(
        _HEADING,
        "Algorithm S2 sorts records by one number, so that neighbours may differ in most attributes. The method "
        "hilbert sorts them along a curve through the space of all attributes, and chooses where to cut. "
        f"{_both(every)}",
        *_html(drawn, "Fig. B1a"),
        "k-anonymity promises nothing about what is secret; t-closeness does. "
        f"{_with_closeness(some)} {_on_size(rows)}",
        *_html(drawn, "Fig. B1b"),
        _table(some, f"Loss and disclosure with and without t-closeness, {_records(rows, SAMPLE)} records"),
    )


def _html(drawn: Mapping[str, str], number: str) -> list[Html]:
    return [Html(drawn[number])] if number in drawn else []


def _numbers(rows: Sequence[Row], data: str) -> dict[tuple[str, str], dict[str, float]]:
    """Give loss and disclosure by family and level."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for row in rows:
        if row["data"] == data and row["measure"] in (LOSS, DISCLOSED):
            found.setdefault((row["family"], row["label"]), {})[row["measure"]] = row["value"]
    return found


def _records(rows: Sequence[Row], data: str) -> str:
    return next(f"{row['records']:,}" for row in rows if row["data"] == data)


def _on_size(rows: Sequence[Row]) -> str:
    """Say on how many records closeness was measured, and why on no more."""
    some, every = (next((row["records"] for row in rows if row["data"] == data), 0) for data in (SAMPLE, ALL))
    if some >= every:
        return f"This is measured on {some:,} records."
    return (
        f"This is measured on {some:,} of the records, drawn at random, because hilbert takes minutes to make "
        "classes of millions close. In a smaller table every method loses more."
    )


def _both(found: _Numbers) -> str:
    """Say how many times less is lost and how many times more is disclosed, and which releases are better in both."""
    pairs = [(found[PLAIN, label], found[S2, label]) for family, label in found if family == PLAIN]
    less = [theirs[LOSS] / mine[LOSS] for mine, theirs in pairs if mine[LOSS]]
    more = [mine[DISCLOSED] / theirs[DISCLOSED] for mine, theirs in pairs if theirs[DISCLOSED]]
    said = []
    if less:
        said.append(f"At the same k it loses {min(less):.1f} to {max(less):.1f} times less.")
    if more:
        said.append(f"It discloses {min(more):.1f} to {max(more):.1f} times as many confidential values.")
    if less and more and min(less) > 1 and min(more) > 1:
        said.append("Both have the same reason: who is alike in all that is known is often alike in what is secret.")
    better = [
        f"at {label} it beats Algorithm S2 at {' and '.join(beaten)} in both"
        for family, label in found
        if family == PLAIN and (beaten := _beaten(found, label))
    ]
    if better:
        said.append(f"With another k it need not be one or the other: {'; '.join(better)}.")
    return " ".join(said)


def _beaten(found: _Numbers, label: str) -> list[str]:
    """Name the levels at which Algorithm S2 both loses and discloses more than `hilbert` does at a level."""
    mine = found[PLAIN, label]
    return [
        other
        for (family, other), theirs in found.items()
        if family == S2 and theirs[LOSS] > mine[LOSS] and theirs[DISCLOSED] > mine[DISCLOSED]
    ]


def _with_closeness(found: _Numbers) -> str:
    """Say what the two algorithms lose and disclose where classes are close."""
    labels = [label for family, label in found if family == CLOSE]
    less = [found[S4, label][LOSS] / found[CLOSE, label][LOSS] for label in labels if found[CLOSE, label][LOSS]]
    most = max(found[family, label][DISCLOSED] for family in (S4, CLOSE) for label in labels)
    ratio = f"loses {min(less):.1f} to {max(less):.1f} times less than Algorithm S4" if less else "loses nothing"
    return (
        f"At the levels of Table S9 hilbert {ratio}, and {f'up to {most:.2%}' if most else 'none'} of the confidential "
        "values are disclosed by either."
    )


def _table(found: _Numbers, caption: str) -> Html:
    shown = [
        {"method": family, "level": label, "lost": f"{values[LOSS]:.4f}", "disclosed": f"{values[DISCLOSED]:.2%}"}
        for (family, label), values in found.items()
    ]
    heads = {"method": "method", "level": "level", "lost": "lost (Eq. 3)", "disclosed": "disclosed (Eq. 5)"}
    return table(shown, heads, caption, numeric=("lost", "disclosed"))


HILBERT = Experiment("hilbert", 30, measure, figures, section, compared)
