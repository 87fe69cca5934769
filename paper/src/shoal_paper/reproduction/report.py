"""The report of the paper's study: the argument in figures, the claims, the tables, and how to make it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.charts import Figure
from shoal.charts.lettering import escape
from shoal.report.page import Html, Page, PageBlock, Section, code, facts, joined, note, paragraph, table
from shoal.version import VERSION
from shoal_paper.reproduction import argument
from shoal_paper.reproduction.beyond.all import EXPERIMENTS
from shoal_paper.reproduction.claim_section import claim_section
from shoal_paper.reproduction.claims import Claim, by_other_key
from shoal_paper.reproduction.key_section import key_section
from shoal_paper.reproduction.numbers import Numbers, Results
from shoal_paper.reproduction.printed import PUBLISHED, Printed
from shoal_paper.reproduction.tables import PaperTable


def study_report(
    results: Results,
    figures: Mapping[str, Figure],
    tables: Sequence[PaperTable],
    claims: Sequence[Claim],
    made: Mapping[str, object],
    *,
    published: bool = False,
) -> str:
    """Give the report as one HTML page. Figures and tables that a study does not have are left out."""
    numbers, printed = Numbers(results), Printed.beside(results, published)
    shown = _drawn(figures)
    shown |= {paper.number: _table(paper) for paper in tables}

    def having(*names: str) -> list[PageBlock]:
        return [shown[name] for name in names if name in shown]

    sections = [
        Section("The danger", argument.danger(numbers, printed), *having("Fig. S3")),
        Section(
            "What the state did" if published else "What masking did",
            argument.state(numbers, printed),
            *having("Fig. S1", "Fig. S2", "Fig. M1", "Table S3"),
        ),
        Section(
            argument.regeneration_heading(numbers),
            *argument.regeneration(numbers),
            *having("Fig. R1"),
            argument.correlations(numbers, printed),
            *having("Table S4", "Table S5", "Table S5 joint"),
        ),
        *([key_section(numbers, other)] if published and (other := by_other_key(results)) else []),
        Section(
            "Fixed coarsening promises nothing",
            argument.coarsening(numbers),
            *having("Fig. S5", "Fig. S6", "Table S7", "Table S8"),
        ),
        Section(
            "A crowd does",
            *argument.crowd(numbers),
            *having(*(f"Fig. S4{part}" for part in "abcd"), "Fig. S4"),
        ),
        Section(
            argument.closeness_heading(numbers),
            argument.closeness(numbers),
            *having("Fig. S7a", "Fig. S7b", "Table S9"),
        ),
        *(each.section(rows, _drawn(each.figures(rows))) for each in EXPERIMENTS if (rows := results.get(each.name))),
        claim_section(claims),
        Section("The table and the files", _errata(), *having("Table S1", "Table S2", "Table S6", "Table S10")),
        Section("How this was made", facts(_facts({"shoal": VERSION, **made}))),
    ]
    lead = [
        argument.lead(numbers),
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


def _drawn(figures: Mapping[str, Figure]) -> dict[str, Html]:
    """Give figures for a page. They keep the numbers of the paper, so the page does not number them anew."""
    return {number: Html(f'<div class="wide">{figure.html()}</div>') for number, figure in figures.items()}


def _errata() -> Html:
    page = "docs/errata.md"
    return paragraph(
        joined("What the paper prints wrongly, and how to check it, is on the page ", code(page), " of shoal.")
    )


def _facts(made: Mapping[str, object]) -> dict[str, object]:
    """Give what is known of how a study was made, in words."""
    return {name: f"{value:,}" if name == "records" else value for name, value in made.items() if value is not None}


def _table(paper: PaperTable) -> Html:
    caption = f"{paper.number}. {paper.caption}"
    if paper.squared:
        return _square(paper.rows, caption)
    if paper.lying:
        names = list(paper.rows[0])
        rows = [
            {"attribute": name} | {str(place): _breaking(row[name]) for place, row in enumerate(paper.rows, 1)}
            for name in names
        ]
        return table(rows, list(rows[0]), caption)
    return table(paper.rows, list(dict.fromkeys(name for row in paper.rows for name in row)), caption)


def _breaking(value: object) -> Html:
    """Write a cell that may go on in the next line after a semicolon."""
    text = f"{value:,}" if isinstance(value, int) else str(value)
    return Html(";<wbr>".join(map(escape, text.split(";"))))


def _square(pairs: Sequence[Mapping[str, Any]], caption: str) -> Html:
    """Draw numbers of pairs as a square: measured, and below it published and the difference."""
    across = list(dict.fromkeys(pair["second"] for pair in pairs))
    rows: dict[str, dict[str, Any]] = {}
    for pair in pairs:
        cell = escape(_three(pair["measured"]))
        if PUBLISHED in pair:
            cell += f"<br><small>{_three(pair[PUBLISHED])}<br>({_three(pair['difference'], '+')})</small>"
        rows.setdefault(pair["first"], {"attribute": pair["first"]})[pair["second"]] = Html(cell)
    return table(list(rows.values()), ["attribute", *across], caption, numeric=across, empty="")


def _three(value: float, sign: str = "") -> str:
    """Write a number with three decimals, and nothing as nothing.

    >>> _three(-0.00012), _three(-0.3191), _three(0.0121, "+")
    ('0.000', '−0.319', '+0.012')
    """
    text = f"{value:{sign}.3f}"
    return "0.000" if float(text) == 0 else text.replace("-", "−")
