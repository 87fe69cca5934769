"""Everything that a study gives, in one folder: tidy CSV, figures as SVG, the report, and the numbers as JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from shoal.assessment.study import Row, as_csv
from shoal.atomic_files import all_or_none, put
from shoal.report.page import rendered
from shoal_paper.reproduction.case import Case
from shoal_paper.reproduction.claims import Claim, as_rows, check_claims
from shoal_paper.reproduction.figures import figures
from shoal_paper.reproduction.kept_results import as_json
from shoal_paper.reproduction.report import study_report
from shoal_paper.reproduction.tables import tables


def publish(
    results: Mapping[str, Sequence[Row]], case: Case, folder: Path, made: Mapping[str, object], *, pdf: bool = False
) -> list[Claim]:
    """Write the results of a study, all files or none, and give the claims with what was measured."""
    claims = check_claims(results, case)
    setting = case.setting
    drawn = figures(results, published=setting.published, where=setting.where)
    listed = tables(results, case.table, setting.masking, published=setting.published)
    page = study_report(results, drawn, listed, claims, made, published=setting.published)
    contents: dict[str, bytes] = {"report.html": page.encode()}
    if pdf:
        contents["report.pdf"] = rendered(page, Path("report.pdf"))
    for step, rows in results.items():
        contents[f"{step}.csv"] = as_csv(rows)
    for number, figure in drawn.items():
        contents[f"{_name(number)}.svg"] = figure.svg_document().encode()
        contents[f"{_name(number)}.csv"] = as_csv(figure.rows)
    for paper in listed:
        contents[f"{_name(paper.number)}.csv"] = as_csv(paper.rows)
    contents["claims.csv"] = as_csv(as_rows(claims))
    contents["study.json"] = as_json(made, results).encode()
    folder.mkdir(parents=True, exist_ok=True)
    with all_or_none([folder / name for name in contents]) as drafts:
        for draft, content in zip(drafts, contents.values(), strict=True):
            put(draft, content)
    return claims


def _name(number: str) -> str:
    """Give the file name of a figure or table: fig_s4a, table_s9."""
    return re.sub(r"[^a-z0-9]+", "_", number.lower()).strip("_")
