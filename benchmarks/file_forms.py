"""What reading each form of files costs beside the reader of pandas, on a million rows.

Each is measured in a process of its own, in CPU seconds without what starting costs. shoal digests the file, checks it
block by block and puts every column on an axis; pandas makes a frame. The figures go into results.json and RESULTS.md.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from report import FormFigures, forms_section

HERE = Path(__file__).parent
ROWS = 1_000_000
ROLES: dict[str, Any] = {"quasi": ["age", "sex", "zip", "born"], "sensitive": "charge", "plain": "town"}
PANDAS: dict[str, str] = {
    ".csv": "read_csv", ".csv.gz": "read_csv", ".csv.bz2": "read_csv", ".csv.xz": "read_csv", ".csv.zip": "read_csv",
    ".parquet": "read_parquet", ".feather": "read_feather", ".orc": "read_orc", ".jsonl": "read_json",
    ".xlsx": "read_excel", ".sav": "read_spss", ".dta": "read_stata", ".xpt": "read_sas",
}  # fmt: skip
_HOW: dict[str, dict[str, Any]] = {".jsonl": {"lines": True}, ".xlsx": {"engine": "calamine"}}


def people(rows: int) -> pa.Table:
    """Make a table of people."""
    draw = np.random.default_rng(1)
    return pa.table(
        {
            "age": draw.integers(0, 90, rows),
            "sex": np.array(["woman", "man"])[draw.integers(0, 2, rows)],
            "zip": draw.integers(10_000, 99_999, rows),
            "born": pa.array(draw.integers(-20_000, 15_000, rows).astype(np.int32)).cast(pa.date32()),
            "charge": np.round(draw.random(rows) * 1e4, 2),
            "town": np.array(list("abcdefgh"))[draw.integers(0, 8, rows)],
        }
    )


def measured(work: Callable[[], object]) -> float:
    """Give the CPU seconds of some work."""
    start = time.process_time()
    work()
    return time.process_time() - start


def one(form: str, path: Path, what: str) -> float:
    """Measure one thing, in this process."""
    import shoal

    if what == "shoal":
        shoal.read(people(100), **ROLES)  # what is loaded once
        return measured(lambda: shoal.read(path, **ROLES))
    if what == "write":
        from shoal.engines.sources import Source
        from shoal.engines.values import Layout

        table = shoal.read(people(ROWS), **ROLES)
        path.unlink(missing_ok=True)

        def write() -> None:
            with table.write(Source.parse(path), Layout()) as stored:
                stored.commit()

        return measured(write)
    import pandas as pd

    return measured(lambda: getattr(pd, PANDAS[form])(path, **_HOW.get(form, {})))


def asked(form: str, path: Path, what: str) -> float | None:
    """Measure one thing in a process of its own; None if the library cannot do it."""
    run = subprocess.run(
        [sys.executable, __file__, "--one", form, str(path), what], capture_output=True, text=True, check=False
    )
    return float(run.stdout) if run.returncode == 0 else None


def main() -> None:
    """Measure all forms, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("forms", nargs="*", default=list(PANDAS))
    parser.add_argument("--one", nargs=3, metavar=("FORM", "PATH", "WHAT"))
    options = parser.parse_args()
    if options.one:
        print(one(options.one[0], Path(options.one[1]), options.one[2]))
        return
    kept = json.loads((HERE / "results.json").read_text())
    known = {each["form"]: FormFigures(**each) for each in kept.get("forms", [])}
    with tempfile.TemporaryDirectory() as folder:
        for form in options.forms:
            path = Path(folder) / f"people{form}"
            found = [asked(form, path, what) for what in ("write", "shoal", "pandas")]
            known[form] = FormFigures(form, ROWS, path.stat().st_size, *found)
            print(known[form], flush=True)
            path.unlink()
    figures = [known[form] for form in PANDAS if form in known]
    kept["forms"], kept["forms_date"] = [each.as_json() for each in figures], dt.date.today().isoformat()
    (HERE / "results.json").write_text(json.dumps(kept, indent=2) + "\n")
    report = (HERE / "RESULTS.md").read_text()
    before, _, rest = report.partition("## Forms of files\n")
    after = rest.partition("\n## ")[2]
    section = forms_section(figures, kept["forms_date"])
    (HERE / "RESULTS.md").write_text(before.rstrip() + "\n\n" + section + (f"\n\n## {after}" if after else "\n"))


if __name__ == "__main__":
    main()
