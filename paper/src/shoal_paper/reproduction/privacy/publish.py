"""Run the comparison, and keep all that it gives."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from shoal.assessment.study import Row, as_csv
from shoal.atomic_files import all_or_none, put
from shoal_paper.reproduction.kept_results import as_json
from shoal_paper.reproduction.privacy.figure import figure
from shoal_paper.reproduction.privacy.page import page


def publish(rows: Mapping[str, list[Row]], made: Mapping[str, object], folder: Path) -> None:
    """Write the page, the figure and the numbers, all files or none."""
    drawn = figure(rows)
    contents = {
        "report.html": page(rows, drawn, made).encode(),
        "study.json": as_json(made, rows).encode(),
        "figure.svg": drawn.svg_document().encode(),
    }
    contents |= {f"{step}.csv": as_csv(found) for step, found in rows.items()}
    folder.mkdir(parents=True, exist_ok=True)
    with all_or_none([folder / name for name in contents]) as drafts:
        for draft, content in zip(drafts, contents.values(), strict=True):
            put(draft, content)
