"""Keep numbers of the paper's study that tests compare with those of a fresh run, beside those of the whole study.

In reproduction/reduced are those of fewer made-up records, in reproduction/adult and reproduction/nhds those of public
tables, if these are at hand: in the folder that SHOAL_SHARED_DATA names, or in ../shared/data. `make study` does it.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from shoal.atomic_files import all_or_none
from shoal_paper.reproduction.case import Case
from shoal_paper.reproduction.experiments import Experiments
from shoal_paper.reproduction.kept_results import as_json
from shoal_paper.reproduction.provenance import provenance
from shoal_paper.reproduction.publish import publish
from shoal_paper.reproduction.setting import Setting

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "reproduction"
ROWS, SEED = 5_000, 2009
TABLES = {"adult": "adult/adult.csv", "nhds": "hospital/nhds2010_sample20k.csv"}
OF_TABLES = ("study.json", "claims.csv", "report.html")


def keep(folder: Path, contents: dict[str, bytes]) -> None:
    """Put files into a folder, all or none."""
    folder.mkdir(parents=True, exist_ok=True)
    with all_or_none([folder / name for name in contents]) as drafts:
        for draft, content in zip(drafts, contents.values(), strict=True):
            draft.write_bytes(content)


def reduced() -> None:
    """Keep the numbers of few made-up records."""
    case = Case.stand_in(ROWS, SEED)
    found = as_json(provenance(case, SEED), Experiments(case).results())
    keep(KEPT / "reduced", {"study.json": found.encode()})


def public(name: str, table: Path) -> None:
    """Keep the numbers, the claims and the report of a public table."""
    setting = Setting.load(KEPT / f"{name}.toml")
    assert setting is not None
    case = Case.read(table, setting)
    with tempfile.TemporaryDirectory() as folder:
        publish(Experiments(case).results(), case, Path(folder), provenance(case, SEED))
        keep(KEPT / name, {each: (Path(folder) / each).read_bytes() for each in OF_TABLES})


def main() -> None:
    """Keep what can be made here."""
    reduced()
    shared = Path(os.environ.get("SHOAL_SHARED_DATA", ROOT.parent / "shared" / "data"))
    for name, place in TABLES.items():
        if (shared / place).exists():
            public(name, shared / place)


if __name__ == "__main__":
    main()
