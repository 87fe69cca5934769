"""Run the study of known points on the tables of a folder, and keep all that it gives."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from shoal.assessment.study import Row, as_csv
from shoal.atomic_files import all_or_none, put
from shoal.errors import DataError, GuaranteeError
from shoal_paper.reproduction.critics.experiment import TABLES, LinkedTable, results
from shoal_paper.reproduction.critics.figure import figure
from shoal_paper.reproduction.critics.page import broken, page
from shoal_paper.reproduction.kept_results import as_json
from shoal_paper.reproduction.provenance import software


def there(folder: Path) -> tuple[list[LinkedTable], list[str]]:
    """Give the tables that are in a folder, and the names of the files that are not."""
    found = [table for table in TABLES if (folder / table.file).is_file()]
    lacking = [table.file for table in TABLES if table not in found]
    if not found:
        raise DataError(f"The folder '{folder}' has none of the tables: {', '.join(lacking)}.", "Put one there.")
    return found, lacking


def studied(folder: Path) -> tuple[dict[str, list[Row]], dict[str, object]]:
    """Measure the tables that are in a folder, and say what they were made from."""
    tables, lacking = there(folder)
    digests = {
        f"SHA-256 of {table.file}": hashlib.sha256((folder / table.file).read_bytes()).hexdigest() for table in tables
    }
    rows = results(folder, tables)
    wrong = broken(rows)
    if wrong:
        raise GuaranteeError(f"A promise does not hold: {wrong[0]}.", "This is a defect of shoal.")
    return rows, {"data": ", ".join(table.file for table in tables), "not there": ", ".join(lacking) or None} | {
        **digests, **software()
    }  # fmt: skip


def publish(rows: Mapping[str, list[Row]], made: Mapping[str, object], folder: Path) -> None:
    """Write the page, the figure and the numbers, all files or none."""
    drawn = figure(rows)
    contents = {"report.html": page(rows, drawn, made).encode(), "study.json": as_json(made, rows).encode()}
    contents["figure.svg"] = drawn.svg_document().encode()
    contents |= {f"{step}.csv": as_csv(found) for step, found in rows.items()}
    folder.mkdir(parents=True, exist_ok=True)
    with all_or_none([folder / name for name in contents]) as drafts:
        for draft, content in zip(drafts, contents.values(), strict=True):
            put(draft, content)
