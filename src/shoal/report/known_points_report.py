"""The report of what a few known points of a person are worth, in a table whose rows belong to people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shoal.assessment.known_points import LinkedComparison, curve_rows, headline, summary
from shoal.catalogue import in_words
from shoal.charts import Figure, lines
from shoal.engines.sources import Source
from shoal.measures import Measure
from shoal.measures.unicity import Unicity
from shoal.report import words
from shoal.report.page import Html, Page, PageBlock, Section, code, facts, joined, named, note, paragraph
from shoal.report.page import table as as_table
from shoal.table import Table
from shoal.version import VERSION

AS_IS = "as they are"


def unicity_curves(found: Sequence[Mapping[str, Any]], mark: tuple[int, str] | None = None) -> Figure:
    """Draw the share of people who are singled out by how many points are known.

    There is a line for each resolution, and for each table that a row is ``of``; ``mark`` is a number of points and
    what is to be said of it.
    """
    tables, several = ({row.get(key) for row in found} for key in ("of", "at"))
    rows = [
        {"points": row["points"], "share": row["share"], "line": _line(row, several=len(several) > 1)}
        for row in found
        if row["share"] is not None
    ]
    apart = [
        said
        for said, there in (("for each table", len(tables) > 1), ("for how coarsely they are seen", len(several) > 1))
        if there
    ]
    return lines(
        rows,
        x="points",
        y="share",
        group="line" if apart else None,
        percent=True,
        mark=mark,
        x_label="known points of a person",
        y_label="singled out",
        title="Unicity: whom a few known points single out",
        description="The share of sets of so many points of a person that nobody else has, as a mean over people."
        + (f" There is a line {' and '.join(apart)}." if apart else ""),
    )


def _line(row: Mapping[str, Any], *, several: bool) -> str:
    """Name a line by its table and, if there are several, by its resolution."""
    parts = [*([row["of"]] if "of" in row else []), *([row.get("at", AS_IS)] if several else [])]
    return " at ".join(parts) or AS_IS


def known_points_report(table: Table, report: Mapping[str, Any], measures: Sequence[Measure] = ()) -> str:
    """Give whom known points single out as one HTML page, for those who may see the table."""
    return Page(
        f"Known points in {table.origin.name}",
        list(_lead(report)),
        [
            Section("Whom known points single out", *_found(report), id="unicity"),
            Section("Attacker, and what was not assessed", *_attacker(report), id="attacker"),
            Section("How to do it again", facts(_origin(table)), id="repeat"),
            Section("Annex: definitions", *words.definitions([Unicity(), *measures]), id="annex"),
        ],
        f"Made by shoal {VERSION}. This page needs no network and holds no record of anyone.",
        kicker="Disclosure risk report · internal version: do not pass on",
    ).html()


def known_points_comparison(name: str, found: LinkedComparison) -> str:
    """Give whom known points single out in an original and in its releases as one HTML page."""
    sides = {"original": found["original"]} | {Source.parse(row["path"]).name: row for row in found["releases"]}
    rows = [{"of": of} | row for of, side in sides.items() for row in side["unicity"]]
    head, *lines_ = found.rows()
    cells = [dict(zip(head, row, strict=True)) for row in lines_]
    heads = {column: column[:1].upper() + column[1:] for column in head}
    return Page(
        f"Known points in {name} and its releases",
        [*found.remarks()],
        [
            Section(
                "Whom known points single out",
                Html(f'<div class="wide">{unicity_curves(rows).html()}</div>'),
                as_table(cells, heads, "Original and releases", numeric=head[1:]),
                id="unicity",
            ),
            Section("Annex: definitions", *words.definitions([Unicity()]), id="annex"),
        ],
        f"Made by shoal {VERSION}. This page needs no network and holds no record of anyone.",
        kicker="Comparison of releases · internal version: do not pass on",
    ).html()


def _lead(report: Mapping[str, Any]) -> Iterator[PageBlock]:
    yield note(headline(report))
    yield from summary(report)


def _found(report: Mapping[str, Any]) -> Iterator[PageBlock]:
    yield Html(f'<div class="wide">{unicity_curves(report["unicity"]).html()}</div>')
    head, *rows = curve_rows(report["unicity"])
    heads = {name: name[:1].upper() + name[1:] for name in head}
    cells = [dict(zip(head, row, strict=True)) for row in rows]
    yield as_table(cells, heads, "By how many points are known", numeric=[name for name in head if name != "at"])
    found = {each["measure"]: f"{each['value']:,.6g}" for each in report.get("scores", ())}
    if found:
        yield facts(found)
    for each in report.get("scores", ()):
        yield from in_words(each["measure"], each["detail"])


def _attacker(report: Mapping[str, Any]) -> Iterator[PageBlock]:
    yield paragraph(
        joined("Someone knows some points of a person, without error: ", named(report["quasi"]), " of each.")
    )
    yield (
        "Which points are known is drawn by chance. Someone who knows rare ones singles out more people, and someone "
        "who knows only what is common fewer. To be singled out in this table is not to be the only such person: "
        "people who are not in it may have the same points."
    )
    yield "Not assessed: how often and in which order points occur, and what columns say that are no part of a point."


def _origin(table: Table) -> dict[str, object]:
    return {"Input": table.origin.name, "Input SHA-256": code(table.origin.sha256), "Software": f"shoal {VERSION}"}
