"""The list of records at risk, by their numbers: for those who may see the table, in a file that only they can read."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

from shoal.assessment.record_reasons import RecordReasons
from shoal.atomic_files import OutputFile, all_or_none, refuse_overwriting
from shoal.errors import ParameterError

HEAD = ("record", "group", "risk", "reasons", "helps")


def insist_on_list(path: Path, needed: Iterable[Path], *, overwrite: bool) -> None:
    """Refuse a name for a list that could not be written, before any work is done for it."""
    if path.suffix.lower() != ".csv":
        raise ParameterError("The list of records at risk is delimited text.", "Give it a name that ends in .csv.")
    refuse_overwriting([path], needed, overwrite=overwrite)


def write_records(reasons: RecordReasons, path: Path, needed: Iterable[Path] = (), *, overwrite: bool = False) -> int:
    """Write the list of records at risk to a file that nobody else may read, and give how many there are.

    Records are numbered from 1 in the order of the table; no cell of them is written. ``reasons`` are the smallest sets
    of attributes that put a record at risk, three at most, and ``helps`` attributes without any one of which it would
    not be.
    """
    insist_on_list(path, needed, overwrite=overwrite)
    with all_or_none([OutputFile(path, private=True, vacant=not overwrite)]) as (draft,):
        _write(reasons, draft)
    return reasons.records


def _write(reasons: RecordReasons, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(HEAD)
        for record, size, sets, helps in reasons.listed():
            said = "; ".join(" + ".join(columns) for columns in sets)
            lines.writerow([record, size, f"{1 / size:.6g}", said, "; ".join(helps)])
