"""Utility for analyses: what a regression, counts and a prediction make of each release, beside the loss of Eq. 3."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from shoal.assessment.study import Cell, Row
from shoal.charts import Figure, bars
from shoal.measures import Measure
from shoal.measures.information_loss import InformationLoss
from shoal.measures.query_error import QueryError
from shoal.measures.uniqueness import Uniqueness
from shoal.methods.coarsen import Coarsen, Mode
from shoal.report.page import Html, Section, table
from shoal_paper.reproduction.beyond import Experiment
from shoal_paper.reproduction.beyond.analyses import HELD_OUT, Analyses, has_logarithm
from shoal_paper.reproduction.beyond.hilbert import CLOSE, PLAIN, S2, S4, releases
from shoal_paper.reproduction.beyond.samples import drawn
from shoal_paper.reproduction.case import COARSENINGS, Case

LEVEL = 5  # of k
QUERIES = 500
MOST = 100_000  # records that are asked, and learned from
ORIGINAL, NOTHING = "original", "nothing"
ALONE, LOSS = "uniqueness", "information-loss"
EFFECTS, EXPLAINED, QUERY, RIGHT = "effects", "r-squared", "query-error", "accuracy"
_SHORT = {S2: "S2", PLAIN: "hilbert", S4: "S4", CLOSE: "hilbert with t"}
_READINGS: dict[Mode, str] = {"distinct": "1/{}", "width": "1/{} printed"}
_HEADING = "What is left for analyses"


def measure(case: Case) -> list[Row]:
    """Measure each release of a sample, the original, and a release that shows nothing but the range of each column."""
    case = drawn(case)
    secret = case.setting.secret
    axis = case.table.schema[secret].axis
    if axis.nominal:
        return []
    goal = f"log {secret}" if has_logarithm(axis) else secret
    measures = (
        Uniqueness(), InformationLoss(), Analyses(secret, MOST, case.seed),
        QueryError(QUERIES, seed=case.seed, most=MOST),
    )  # fmt: skip
    rows: list[Row] = []
    for release, cell in _cells(case, measures).items():
        alone, lost, learned, asked = cell.run(case.table)
        detail = learned["detail"]
        if "nothing_to_measure" in detail:
            return []
        values = {
            ALONE: alone["value"],
            LOSS: lost["value"],
            EFFECTS: learned["value"],
            EXPLAINED: detail["r_squared"]["released"],
            QUERY: asked["detail"]["median"],
            RIGHT: detail["accuracy"]["released"],
        }
        about = {"release": release, "records": case.table.rows, "learned": detail["records"]}
        about |= {"left_out": detail["left_out"], "secret": secret, "goal": goal}
        rows += [about | {"measure": name, "value": value} for name, value in values.items()]
    return rows


def _cells(case: Case, measures: tuple[Measure, ...]) -> dict[str, Cell]:
    """Give the releases by name, between one that changes nothing and one that tells nothing."""
    found = {ORIGINAL: Cell((Coarsen({}),), (), measures)}
    found |= {
        _SHORT[family]: Cell((method,), models, measures) for family, (method, models) in releases(case, LEVEL).items()
    }
    for mode, name in _READINGS.items():
        found |= {name.format(r): Cell((Coarsen(r, mode),), (), measures) for r in COARSENINGS}
    return found | {NOTHING: Cell((Coarsen(1),), (), measures)}


def figures(rows: Sequence[Row]) -> dict[str, Figure]:
    """Draw what becomes of a regression, of counts and of a prediction."""
    if not rows:
        return {}
    names = (
        f"S2 and hilbert give k-anonymity at k = {LEVEL}, S4 and hilbert with t also t-closeness; 1/32 to 1/8 is "
        f"coarsening in two readings of Algorithm S3, and {NOTHING} shows nothing but the range of each column."
    )
    drawn_ones = {
        "Fig. B3a": (
            EFFECTS,
            False,
            f"Error of a regression of {rows[0]['goal']}",
            "relative error of effects",
        ),
        "Fig. B3b": (QUERY, True, f"Error of {QUERIES} counts over ranges", "median relative error"),
        "Fig. B3c": (RIGHT, True, f"Predicting whether {rows[0]['secret']} is above its median", "right predictions"),
    }
    return {
        number: bars(
            [
                {"release": row["release"], "value": row["value"]}
                for row in rows
                if row["measure"] == what and (row["release"] != ORIGINAL or what == RIGHT)
            ],
            x="release", y="value", percent=percent, x_label="release", y_label=label, title=f"{number}. {title}",
            description=names,
        )
        for number, (what, percent, title, label) in drawn_ones.items()
    }  # fmt: skip


def section(rows: Sequence[Row], drawn: Mapping[str, str]) -> Section:
    """Tell what each release is good for, and whether Eq. 3 foretells it."""
    if not rows:
        return Section(_HEADING, "The table has no confidential number, or too few records tell it.")
    first = rows[0]
    return Section(
        _HEADING,
        "Eq. 3 says how far cells are from what they were, not what analyses make of them. Each release of "
        f"{first['records']:,} records, k-anonymous ones at k = {LEVEL}, was used three ways, with "
        f"{first['learned'] + first['left_out']:,} records of it. A regression explained {first['goal']} by all "
        "quasi-identifiers, and the effects that it finds were compared with those that the original has. "
        f"{QUERIES} counts over random ranges of three attributes were estimated. And naive Bayes learned to predict "
        f"whether {first['secret']} is above its median, which was tried on original records. {first['learned']:,} "
        f"records were learned from or, {HELD_OUT:.0%} of them, held out to be predicted; {first['left_out']:,} more, "
        f"that do not tell {first['goal']}, were left out.",
        *(Html(drawn[number]) for number in sorted(drawn)),
        _table(rows),
        _on_safety(rows),
        _rank_correlations(rows),
        _on_closeness(rows),
    )


def _values(rows: Sequence[Row], what: str) -> dict[str, float]:
    return {row["release"]: row["value"] for row in rows if row["measure"] == what}


def _table(rows: Sequence[Row]) -> Html:
    heads = {
        "release": "release", ALONE: "stand alone", LOSS: "lost (Eq. 3)", EFFECTS: "error of effects",
        EXPLAINED: "R² on originals", QUERY: "error of counts, median", RIGHT: "right predictions",
    }  # fmt: skip
    shares = (ALONE, QUERY, RIGHT)
    found: dict[str, dict[str, str]] = {}
    for row in rows:
        text = f"{row['value']:.1%}" if row["measure"] in shares else f"{row['value']:.3f}"
        found.setdefault(row["release"], {"release": row["release"]})[row["measure"]] = text
    return table(list(found.values()), heads, "Analyses of each release", numeric=tuple(heads)[1:])


def _on_safety(rows: Sequence[Row]) -> str:
    """Say that not all of these answers come from releases that protect everybody."""
    alone = {name: value for name, value in _values(rows, ALONE).items() if name not in (ORIGINAL, NOTHING)}
    safe, shares = [name for name, value in alone.items() if not value], [value for value in alone.values() if value]
    said = f"Nobody stands alone in {', '.join(safe)}." if safe else ""
    if shares:
        said += (
            f" In the others {min(shares):.1%} to {max(shares):.1%} do, so that good answers have a price there, too."
        )
    return said.strip()


def _rank_correlations(rows: Sequence[Row]) -> str:
    """Say how well the order of releases by Eq. 3 agrees with their order by each analysis."""
    losses = _values(rows, LOSS)
    kinds = {EFFECTS: ("effects", 1), QUERY: ("counts", 1), RIGHT: ("predictions", -1)}
    found = []
    for what, (name, sign) in kinds.items():
        worse = _values(rows, what)
        both = [(losses[release], sign * worse[release]) for release in losses if release not in (ORIGINAL, NOTHING)]
        found.append(f"{_rank_correlation(*np.array(both).T):.2f} for {name}")
    return (
        "Whether less loss by Eq. 3 means better answers is told by the rank correlation between the two over these "
        f"releases (1: the same order): {', '.join(found)}."
    )


def _rank_correlation(first: np.ndarray, second: np.ndarray) -> float:
    """Give Spearman's coefficient; ties share their rank."""
    ranks = [
        np.array([(values < value).sum() + (values == value).sum() / 2 for value in values])
        for values in (first, second)
    ]
    away = [rank - rank.mean() for rank in ranks]
    length = float(np.linalg.norm(away[0]) * np.linalg.norm(away[1]))
    return float(away[0] @ away[1]) / length if length else 0.0


def _on_closeness(rows: Sequence[Row]) -> str:
    """Say what t-closeness does to a regression of the very attribute that it hides."""
    error = _values(rows, EFFECTS)
    pairs = ((_SHORT[S2], _SHORT[S4]), (_SHORT[PLAIN], _SHORT[CLOSE]))
    moved = " and ".join(f"from {error[plain]:.2f} ({plain}) to {error[close]:.2f} ({close})" for plain, close in pairs)
    grows = all(error[plain] < error[close] for plain, close in pairs)
    return (
        "t-closeness promises that what is known says little about what is secret, and what the one says about the "
        f"other is what such a regression asks. With t-closeness the error of effects goes {moved}"
        f"{': whoever wants that answer from a release cannot have that promise' if grows else ''}."
    )


UTILITY = Experiment("utility", 14, measure, figures, section)
