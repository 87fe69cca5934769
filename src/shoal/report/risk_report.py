"""The report of a table's risk, before anything was done to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shoal.assessment.risk_section import RiskSection
from shoal.catalogue import in_words
from shoal.measures import Measure, score
from shoal.measures.class_sizes import ClassSizes
from shoal.measures.homogeneity import Homogeneity
from shoal.measures.random_reidentification import RandomReidentification
from shoal.measures.uniqueness import Uniqueness
from shoal.report import words
from shoal.report.column_table import column_rows, column_table
from shoal.report.columns import ColumnCells
from shoal.report.discretion import Discretion, percent
from shoal.report.figures import BEFORE, Side, class_sizes, uniqueness_by_knowledge
from shoal.report.page import Html, Page, PageBlock, Section, code, facts, named, note, shown_table, table
from shoal.report.rendering import sentence
from shoal.table import Table
from shoal.version import VERSION

_ALONE = Discretion("internal", 5)


def risk_report(
    table: Table, report: Mapping[str, Any], measures: Sequence[Measure] = (), sections: Sequence[RiskSection] = ()
) -> str:
    """Give the risk of a table as one HTML page, for those who may see the table.

    Parameters
    ----------
    table
        The table.
    report
        What `shoal.risk` found; under ``known`` a list of the same for sets of known attributes, and under
        ``scores`` what further measures gave.
    measures
        These measures.
    sections
        What further views of the risk found.
    """
    return Page(
        f"Risk in {table.origin.name}",
        list(_lead(table, report)),
        [
            Section("Columns and roles", column_table(column_rows(table, None, _cells(table), _ALONE)), id="columns"),
            Section("Risk", *_risk(table, report), id="risk"),
            *(Section(each.title, *_section(each), id=f"risk-{i}") for i, each in enumerate(sections, 1)),
            Section("Attacker, and what was not assessed", *words.assumptions(table.schema), id="attacker"),
            Section("How to do it again", *_repeating(table), id="repeat"),
            Section("Annex: definitions", *words.definitions([*_measures(table), *measures]), id="annex"),
        ],
        f"Made by shoal {VERSION}. This page needs no network and holds no record of anyone.",
        kicker="Disclosure risk report · internal version: do not pass on",
    ).html()


def _cells(table: Table) -> dict[str, tuple[ColumnCells]]:
    return {name: (ColumnCells.of(table, name),) for name in table.schema.quasi}


def _measures(table: Table) -> list[Any]:
    always = [Uniqueness(), RandomReidentification(), ClassSizes()]
    return [*always, Homogeneity()] if table.schema.sensitive else always


def _lead(table: Table, report: Mapping[str, Any]) -> Iterator[PageBlock]:
    share, records = percent(report["uniqueness"]), f"{report['records']:,}"
    yield note(sentence("alone", share, records, table.schema.quasi, report["unique"]))
    for each in ("people_sentence", "homogeneity_sentence"):
        if each in report:
            yield note(report[each])
    yield "This is the risk of the table as it is. To stand alone is not yet to be found, but nothing else protects."


def _risk(original: Table, report: Mapping[str, Any]) -> Iterator[PageBlock]:
    found: dict[str, object] = {
        "Records that stand alone": f"{report['unique']:,} ({percent(report['uniqueness'])})",
        "Groups": f"{report['classes']:,}",
        "Smallest group": f"{report['smallest_class']:,}",
        "Mean chance of a right guess": percent(report["random_reidentification"]),
    }
    if "of_one_person" in report:
        of_one = f"{report['of_one_person']:,} ({percent(report['of_one_person_share'])})"
        found |= {
            "Records in groups of one person": of_one,
            "Fewest people in a group": f"{report['fewest_people']:,}",
            "Mean chance of a right guess of a person": percent(report["person_reidentification"]),
        }
    if "fit_unique" in report:
        found["In the worst case, if cells may be any value they cover"] = f"{report['fit_unique']:,}"
    for name, part in report.get("homogeneity_by_column", {}).items():
        found[f"People who share their '{name}' with everybody in their group"] = percent(part)
    if "attribute_disclosure" in report:
        found[f"Disclosed without being found ({report['where']})"] = percent(report["attribute_disclosure"])
    found |= {each["measure"]: f"{each['value']:,.6g}" for each in report.get("scores", ())}
    yield facts(found)
    for each in report.get("scores", ()):
        yield from in_words(each["measure"], each["detail"])
    sizes = dict(score(original, measures=[ClassSizes()])[0].detail["classes_by_size"])
    yield class_sizes([Side(BEFORE, sizes, True)], None, _ALONE)
    figure = uniqueness_by_knowledge({BEFORE: original}, _ALONE)
    if figure is not None:
        yield figure
    if report.get("errors"):
        yield _errors(report["errors"])
    if report.get("known"):
        rows = [
            {
                "known": named(each["known"]),
                "unique": each["unique"],
                "share": percent(each["uniqueness"]),
                "least": each["smallest_class"],
            }
            for each in report["known"]
        ]
        heads = {"known": "Known", "unique": "Stand alone", "share": "Share", "least": "Smallest group"}
        yield table(rows, heads, "Risk by what the attacker knows", numeric=["share"])


def _section(section: RiskSection) -> Iterator[PageBlock]:
    yield from section.sentences
    yield from section.pictures()
    yield from map(shown_table, section.tables)


def _errors(errors: Sequence[Mapping[str, Any]]) -> Html:
    rows = [
        {
            "about": ", ".join(f"{name}={rate:.4g}" for name, rate in each["columns"].items()),
            "claimed": percent(each["claimed"]),
            "right": percent(each["right"]),
            "wrong": percent(each["wrong"]),
        }
        for each in errors
    ]
    heads = {"about": "Wrong about", "claimed": "Claims a match", "right": "Rightly", "wrong": "Wrongly"}
    return table(rows, heads, "What an attacker claims who errs: shares of all people", numeric=list(heads)[1:])


def _repeating(original: Table) -> Iterator[PageBlock]:
    yield facts(
        {"Input": original.origin.name, "Input SHA-256": code(original.origin.sha256), "Software": f"shoal {VERSION}"}
    )
