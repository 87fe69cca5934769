"""The report of the paper's study: the argument in figures, the claims, the tables, and how to make it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shoal.charts import Figure
from shoal.report.page import Html, Page, Section, facts, joined, note, table, verdict
from shoal.reproduction.claims import Claim, count
from shoal.reproduction.findings import share
from shoal.reproduction.numbers import agreement, everything
from shoal.reproduction.tables import PaperTable
from shoal.study import Row
from shoal.version import VERSION


def study_report(
    results: Mapping[str, Sequence[Row]],
    figures: Mapping[str, Figure],
    tables: Sequence[PaperTable],
    claims: Sequence[Claim],
    made: Mapping[str, object],
) -> str:
    """Give the report as one HTML page."""
    shown = {paper.number: _table(paper) for paper in tables}
    # Figures keep the numbers of the paper, so the page does not number them anew.
    drawn = {number: Html(f'<div class="wide">{figure.html()}</div>') for number, figure in figures.items()}
    alone = _risk(results, "SPD", "signature")
    masked = _risk(results, "PD", "fit")
    held, counted = count(claims)
    sections = [
        Section(
            "The danger",
            f"{share(alone)} of the patients stand alone for someone who knows their census details, the hospital, the "
            "quarter and the length of the stay. Each part of that knowledge adds to it.",
            drawn["Fig. S3"],
        ),
        Section(
            "What the state did",
            "Records that stood alone lost one attribute after the other until they no longer did. Rare values are "
            f"masked most. What is left in the worst case is {share(masked)}.",
            drawn["Fig. S1"],
            drawn["Fig. S2"],
            shown["Table S3"],
        ),
        Section(
            "Fixed coarsening does not help",
            "Cutting each attribute into fixed intervals loses information everywhere and still leaves someone alone, "
            "because it looks at one attribute at a time.",
            drawn["Fig. S5"],
            drawn["Fig. S6"],
            shown["Table S7"],
            shown["Table S8"],
        ),
        Section(
            "A crowd does",
            "k-anonymity groups similar records until each is one of at least k. Nobody stands alone, and a guess is "
            "right once in k times.",
            *(drawn[f"Fig. S4{part}"] for part in "abcd"),
            drawn["Fig. S4"],
        ),
        Section(
            "Closeness ends the rest",
            "A crowd may still share a secret: if all its members have high charges, so has everyone in it. "
            "t-closeness makes each group look like the whole table in that respect.",
            drawn["Fig. S7a"],
            drawn["Fig. S7b"],
            shown["Table S9"],
        ),
        Section(
            "Regeneration and correlations",
            _on_regeneration(results),
            shown["Table S4"],
            shown["Table S5"],
            shown["Table S5 joint"],
        ),
        Section("The claims, checked", f"{held} of {counted} statements that count hold here.", *map(_claim, claims)),
        Section("The table and the files", shown["Table S1"], shown["Table S2"], shown["Table S6"], shown["Table S10"]),
        Section("How this was made", facts({**made, "shoal": VERSION})),
    ]
    lead = [
        f"{share(alone)} of patients stand alone. Fixed coarsening does not help them, k-anonymity does, t-closeness "
        "closes the rest, and this is what each costs.",
        note(
            "The records are made up: a stand-in that follows the published figures of the real ones. "
            "What is measured here is measured on it."
        )
        if made.get("data") == "stand-in"
        else "Measured on a table that was given.",
    ]
    footer = joined(
        "After the supplement of D. Sánchez, S. Martínez, J. Domingo-Ferrer: ",
        "Comment on “Unique in the shopping mall”, Science 351(6279):1274, 2016, doi:10.1126/science.aad9295.",
    )
    return Page("How to avoid reidentification", lead, sections, [footer], kicker="The paper's study, run again").html()


def _risk(results: Mapping[str, Sequence[Row]], data: str, matching: str) -> float:
    rows = results["knowledge"]
    wanted = (everything(results), data, matching)
    return float(next(r["uniqueness"] for r in rows if (r["known"], r["data"], r["matching"]) == wanted))


def _on_regeneration(results: Mapping[str, Sequence[Row]]) -> str:
    sets = {
        data: {r["pair"]: r["correlation"] for r in results["correlations"] if r["data"] == data and " ~ " in r["pair"]}
        for data in ("PD", "SPD", "joint")
    }
    kept = {
        data: _slope({pair: r for pair, r in sets["PD"].items() if r is not None}, sets[data])
        for data in ("SPD", "joint")
    }
    alike = {data: agreement(sets["PD"], sets[data]) for data in ("SPD", "joint")}
    return (
        "Algorithm S1 puts the masked values back at random: marginals are exact, but associations fade. Of the "
        f"correlations beside that of hospital and county it keeps {kept['SPD']:.0%}; drawing values in keeping with "
        f"the rest of the record keeps {kept['joint']:.0%}. The correlation with the original correlations is "
        f"{alike['SPD']:.3f} and {alike['joint']:.3f}."
    )


def _slope(before: Mapping[str, float], after: Mapping[str, float]) -> float:
    """Give the share of the weak correlations that is kept: the slope of a line through the origin."""
    pairs = [pair for pair, r in before.items() if pair != "oshpd_id ~ patcnty" and abs(r) > 0.03]
    squares = sum(before[pair] ** 2 for pair in pairs)
    return sum(before[pair] * after[pair] for pair in pairs) / squares if squares else 1.0


def _claim(claim: Claim) -> str:
    more = [f"Measured: {claim.shown}.", *([f"Why: {claim.reason}"] if claim.reason else [])]
    return verdict(claim.text, claim.holds, *more)


def _table(paper: PaperTable) -> str:
    columns = list(dict.fromkeys(name for row in paper.rows for name in row))
    return table(paper.rows, columns, f"{paper.number}. {paper.caption}")
