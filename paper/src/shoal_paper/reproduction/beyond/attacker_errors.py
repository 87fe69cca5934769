"""What somebody knows may be wrong: right and wrong matches of an attacker whose knowledge errs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shoal.assessment.study import Row
from shoal.charts import Figure, lines
from shoal.measures.reidentification.erring_attacker import ErringAttacker
from shoal.report.discretion import percent
from shoal.report.page import Section, table
from shoal_paper.reproduction.beyond import Experiment
from shoal_paper.reproduction.case import Case
from shoal_paper.reproduction.setting import CENSUS

RATES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5)
EVERYTHING = "every attribute"
NUMBERS = ("Fig. C2a", "Fig. C2b")
# Columns of discharges that are read as numbers, as the paper does, though they are codes: nobody errs by one there.
CODES = ("oshpd_id", "sex", "ethncty", "race", "patzip", "patcnty")
STAY = "los"
CLAIMS = ("claimed", "right", "wrong")


def measure(case: Case) -> list[Row]:
    """Measure what is claimed when the length of stay errs, or another attribute of its kind, and when all do."""
    attacker = ErringAttacker(case.table, codes=CODES, seed=case.seed)
    rows: list[Row] = []
    for what, columns in ((_erring(case), (_erring(case),)), (EVERYTHING, case.table.schema.quasi)):
        for rate in RATES:
            found = attacker.matches(dict.fromkeys(columns, rate))
            rows.append(
                {
                    "wrong about": what, "rate": rate, "claimed": found.claimed, "right": found.right,
                    "wrong": found.wrong, "standard error": found.standard_error,
                }
            )  # fmt: skip
    return rows


def _erring(case: Case) -> str:
    """Give the attribute that errs alone: the length of stay, or the last number that is no census feature."""
    quasi = [attribute for attribute in case.table.schema.attributes if attribute.name in case.table.schema.quasi]
    others = [attribute for attribute in quasi if attribute.knowledge != CENSUS] or quasi
    numbers = [attribute.name for attribute in others if attribute.axis.numeric] or [others[-1].name]
    return STAY if STAY in numbers else numbers[-1]


def figures(rows: Sequence[Row]) -> dict[str, Figure]:
    """Draw right and wrong matches by how often somebody is wrong: about one attribute, and about all."""
    drawn = {}
    for number, what in zip(NUMBERS, dict.fromkeys(row["wrong about"] for row in rows), strict=True):
        mine = [row for row in rows if row["wrong about"] == what]
        drawn[number] = lines(
            [{"rate": row["rate"], "share": row[key], "match": key} for key in CLAIMS for row in mine],
            x="rate", y="share", group="match", percent=True, x_label=f"probability of being wrong about {what}",
            y_label="people about whom a match is claimed", title=f"{number}. Matches of somebody who errs in {what}",
            description=f"{percent(mine[0]['claimed'])} of the people are found by who knows everything exactly. "
            f"At {mine[-1]['rate']} it is {percent(mine[-1]['right'])}, and {percent(mine[-1]['wrong'])} are taken for "
            "somebody else.",
        )  # fmt: skip
    return drawn


def section(rows: Sequence[Row], figures: Mapping[str, str]) -> Section:
    """Tell how much errors protect."""
    shown = [
        row
        | {key: percent(row[key]) for key in CLAIMS}
        | {"of": percent(row["right"] / row["claimed"]) if row["claimed"] else "n/a"}
        | {"within": percent(row["standard error"]) if row["standard error"] else "exact"}
        for row in rows
    ]
    one, every = (
        next(row for row in shown if (row["wrong about"], row["rate"]) == (what, 0.3))
        for what in (rows[0]["wrong about"], EVERYTHING)
    )
    heads = {
        "wrong about": "Wrong about", "rate": "With probability", "claimed": "Claims a match", "right": "Rightly",
        "wrong": "Wrongly", "of": "Right, of the claims", "within": "Standard error of wrong claims",
    }  # fmt: skip
    return Section(
        "What if the attacker errs?",
        "Uniqueness supposes somebody who knows everything exactly, which critics called unrealistic. Here every value "
        "is wrong with some probability: numbers by one step up or down, codes and categories by another one, drawn as "
        "often as it occurs. A match is claimed when exactly one record has just the believed values. Whoever is wrong "
        f"about {one['wrong about']} in three of ten cases still claims a match about {one['claimed']} of all people, "
        f"instead of {shown[0]['claimed']}, and {one['of']} of these claims are right. Whoever is as often wrong about "
        f"each attribute claims a match about {every['claimed']}, and {every['of']} of these claims are right.",
        *(figures[number] for number in NUMBERS),
        table(
            shown, heads, "Claims by how often somebody is wrong", numeric=["claimed", "right", "wrong", "of", "within"]
        ),
    )


ATTACKER_ERRORS = Experiment("attacker-errors", 14, measure, figures, section)
