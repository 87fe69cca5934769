"""Screening, as a section of a risk: which few columns single people out, and which name them directly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from shoal.assessment.risk_questions import RiskQuestions
from shoal.assessment.risk_section import RiskSection, ShownTable
from shoal.assessment.risk_words import share
from shoal.measures import score
from shoal.measures.column_screening import ColumnScreening
from shoal.models.harbor_kinds import harbor_columns
from shoal.models.harbor_names import KINDS
from shoal.table import Table

if TYPE_CHECKING:
    from shoal.charts import Figure

_SETS = 20
_TITLE = "Screening of columns"


def screening_section(table: Table, asked: RiskQuestions) -> RiskSection | None:
    """Tell how well sets of columns tell people apart, and which look like direct identifiers, if asked."""
    if not asked.screen:
        return None
    detail = dict(score(table, measures=[ColumnScreening()])[0].detail)
    direct: list[dict[str, Any]] = [
        {"column": each.column, "kind": each.kind, "by": each.by, "share": each.share, "sure": each.sure}
        for each in harbor_columns(table)
    ]
    found = {"screening": detail | {"identifiers": direct}}
    if "minimal" not in detail:
        return RiskSection(_TITLE, found, ["There are no records."])
    tables = [
        _sets("Smallest sets of columns that single people out", detail["minimal"][:_SETS]),
        _sets("Each column by itself", [each for each in detail["sets"] if len(each["columns"]) == 1]),
    ]
    if direct:
        rows = [[each["column"], KINDS[each["kind"]], each["by"]] for each in direct]
        tables.append(ShownTable("Columns that look like direct identifiers", ["column", "kind", "known by"], rows))
    shown = [each for each in tables if each.rows]
    return RiskSection(
        _TITLE, found, _sentences(detail, direct, len(table.schema.quasi)), shown, lambda: _drawn(detail)
    )


def _sets(title: str, sets: Sequence[Mapping[str, Any]]) -> ShownTable:
    rows = [
        [", ".join(each["columns"]), share(each["distinction"]), share(each["separation"]), share(each["uniqueness"])]
        for each in sets
    ]
    return ShownTable(title, ["columns", "distinct", "pairs apart", "alone"], rows)


def _sentences(detail: Mapping[str, Any], direct: Sequence[Mapping[str, Any]], columns: int) -> list[str]:
    said = [
        f"All {columns} columns together tell {share(detail['separation'])} of the pairs of records apart, and "
        f"{share(detail['uniqueness'])} of the records stand alone.",
        ColumnScreening.sentence(detail),
    ]
    if detail["largest"] < columns:
        said.append(
            f"All sets of up to {detail['largest']} columns were looked at, {detail['looked_at']:,} in all; beyond "
            "that, columns were added to the best set one by one, so larger sets that single people out may be missing."
        )
    if direct:
        names = ", ".join(f"'{each['column']}'" for each in direct)
        said.append(
            f"These columns look like direct identifiers: {names}. shoal safe-harbor says what to do with each."
        )
    return said


def _drawn(detail: Mapping[str, Any]) -> list[Figure]:
    from shoal.charts import bars  # commands without a report do without it

    single = [each for each in detail["sets"] if len(each["columns"]) == 1][:20]
    return [
        bars(
            [{"column": each["columns"][0], "share": each["separation"]} for each in single],
            x="column", y="share", percent=True, x_label="", y_label="pairs of records that differ",
            title="How well each column tells people apart",
            description="The share of pairs of records that differ in a column.",
            height=200,
        )
    ]  # fmt: skip
