"""One page that both sides could sign: what each promise costs in error, and what it is a promise of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shoal.assessment.risk_words import share
from shoal.assessment.study import Row
from shoal.charts import Figure
from shoal.report.page import Html, Page, Section, facts, note, table
from shoal_paper.reproduction.privacy.experiment import (
    DOMAINS,
    EPSILONS,
    FEW,
    FLOOR,
    KINDS,
    QUERIES,
    ROUNDS,
    K,
    nearest,
)


def page(results: Mapping[str, Sequence[Row]], drawn: Figure, made: Mapping[str, object]) -> str:
    """Give the comparison as one HTML page."""
    shown = Html(f'<div class="wide">{drawn.html()}</div>')
    return Page(
        "Differential privacy beside k-anonymity",
        [note(_lead(results))],
        [
            Section("What was asked", *_asked()),
            Section("Which is nearer the truth", _table(results), shown, *_said(results)),
            Section("What both sides can sign", *BOTH),
            Section("How this was made", facts({name: value for name, value in made.items() if value is not None})),
        ],
        [
            "Answers from a budget: C. Dwork, doi:10.1007/11787006_1. Release through microaggregation: "
            "J. Soria-Comas, J. Domingo-Ferrer, D. Sánchez, S. Martínez, The VLDB Journal 23(5), 2014, "
            "doi:10.1007/s00778-014-0351-4. zCDP: M. Bun, T. Steinke, TCC 2016, doi:10.1007/978-3-662-53641-4_24."
        ],
        kicker="The answer to the critics",
    ).html()


def _lead(results: Mapping[str, Sequence[Row]]) -> str:
    few, many = nearest(results, "coarse", 1.0, FEW), nearest(results, "fine", EPSILONS[0], QUERIES)
    return (
        f"For few coarse questions at ε = 1, {few['data']} are nearest the truth, with a mean error of "
        f"{share(few['relative'])}. For {QUERIES} fine ones at ε = {EPSILONS[0]:g}, {many['data']} is, with "
        f"{share(many['relative'])}. The promises differ in kind, so error alone does not decide between them."
    )


def _asked() -> list[str]:
    kinds = "; ".join(
        f"{kind.name} ones name {kind.attributes} attribute{'s' * (kind.attributes > 1)} and are drawn "
        f"to hold about {share(kind.selectivity)} of the records"
        for kind in KINDS
    )
    return [
        f"{QUERIES} range queries of each kind count made-up discharges by {', '.join(DOMAINS)}: {kinds}. An error is "
        f"divided by the true count, or by {share(FLOOR)} of all records where that is more.",
        f"From a budget {FEW} or all {QUERIES} are asked, each for an equal share of it. A release is made once, and "
        "all are asked of it; cells that show no single value are spread evenly over what they may stand for. With "
        f"ε comes ρ = ε²/2, the loss that it implies. What has noise was done {ROUNDS} times, and errors are means.",
    ]


def _table(results: Mapping[str, Sequence[Row]]) -> Html:
    rows = []
    for row in results["errors"]:
        epsilon = "–" if row["epsilon"] is None else row["epsilon"]
        off = {name: share(row[name]) for name in ("relative", "of_all")}
        rows.append({"data": row["data"], "queries": row["queries"], "epsilon": epsilon, **off})
    heads = {"data": "Asked of", "queries": "Questions", "epsilon": "ε", "relative": "Relative error"}
    heads |= {"of_all": "Error as a share of all records"}
    return table(rows, heads, "Mean errors of range queries", numeric=("epsilon", "relative", "of_all"))


def _said(results: Mapping[str, Sequence[Row]]) -> list[str]:
    said = []
    for kind in KINDS:
        for asked in (FEW, QUERIES):
            parts = []
            for epsilon in EPSILONS:
                best = nearest(results, kind.name, epsilon, asked)
                parts.append(f"{best['data']} ({share(best['relative'])}) at ε = {epsilon:g}")
            said.append(f"{asked} {kind.name} questions: nearest are {', '.join(parts)}.")
    return said


BOTH = (
    f"They promise different things. Differential privacy bounds what anybody can learn from one person's taking part, "
    f"whatever else is known, now or later, and several releases add up. k-anonymity with k = {K} promises that no "
    "combination of the named attributes is had by fewer; anybody can count that in the file, and it says nothing of "
    "other attributes, of what all of a class share, or of several releases together.",
    "Only one of the two can be proved from a file. Of noise no output shows how it was drawn: that is taken on trust "
    "in named software. Against that, the promise of k-anonymity is only as good as the choice of attributes.",
    "Error falls with ε, and an ε of 10 is a weak promise: it bounds the odds by a factor of 22,000. Where ε is small "
    "and questions are many and fine, each answer from a budget is mostly noise; where they are few and known "
    "beforehand, answers from a budget are nearest the truth, and need no release at all.",
    "A release with noise answers what its model holds. The tree knows single attributes and some pairs, and is off "
    "for others whatever ε is; averages of large classes blur what is fine, and more so what is a code and no amount. "
    "A k-anonymous release is off where its classes are wide, without a limit that anybody promised.",
    "These numbers are of made-up discharges, six attributes and one kind of question. Other data and other questions "
    "move the places where lines cross: shoal study makes this page for them as well.",
)
