"""How cost and memory grow from one to a hundred million records, under a limit of memory.

Each table is made by `shoal data discharges`, masked, checked from its release, and measured; tables of up to four
million records in memory, thrice, larger ones from disk within the limit. The results go to growth.json and GROWTH.md
beside this program. A hundred million records need about 50 GB of disk.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from measured import Command, run

HERE = Path(__file__).parent
SIZES = (1_000_000, 4_000_000, 16_000_000, 64_000_000, 100_000_000)
IN_MEMORY = 4_000_000  # the size with which larger ones are compared
MOST_GROWTH = 1.5
QUASI = "age_yrs,sex,ethncty,race,patzip,patcnty,los,adm_qtr"
SHOAL = (sys.executable, "-m", "shoal")


@dataclass(frozen=True)
class Growth:
    """What one command took at one size."""

    task: str
    rows: int
    cpu_seconds: float
    system_seconds: float
    wall_seconds: float
    peak_bytes: int


def measured(rows: int, folder: Path, memory: str, methods: Iterable[str]) -> Iterable[Growth]:
    """Make a table of so many records and give what each command takes on it."""
    table, release = folder / f"{rows}.csv", folder / f"{rows}-release.csv"
    run([*SHOAL, "data", "discharges", "--rows", str(rows), "--out", table])
    limit = () if rows <= IN_MEMORY else ("--memory", memory)

    def cost(task: str, *command: str | Path, anew: Path | None = None) -> Growth:
        """Run a command, what is short thrice, and give the run that took neither most nor least."""
        asked: Command = [*SHOAL, *command, *limit]
        runs = []
        for _ in range(3 if rows <= IN_MEMORY else 1):
            if anew is not None:
                anew.unlink(missing_ok=True)
            runs.append(run(asked))
        found = sorted(runs, key=lambda each: each.cpu_seconds)[len(runs) // 2]
        return Growth(task, rows, found.cpu_seconds, found.system_seconds, found.wall_seconds, found.peak_bytes)

    for method in methods:
        yield cost(
            f"anonymize, {method}", "anonymize", table, "--out", release, "--quasi", QUASI, "--sensitive", "charge",
            "--k", "5", "--method", method, "--overwrite", anew=release,
        )  # fmt: skip
    yield cost("check", "check", release, "--certificate", release.with_suffix(".certificate.json"))
    yield cost("risk", "risk", table, "--quasi", QUASI)
    for path in (table, release):
        path.unlink()


def told(results: list[Growth], memory: str) -> str:
    """Give the results as a page."""
    lines = [
        "# Growth under a limit of memory", "",
        f"Tables of up to {IN_MEMORY:,} records are held in memory, larger ones on disk with `--memory {memory}`. They",
        "have eight integer quasi-identifiers and a charge; k = 5. CPU is user plus system time of the whole process,",
        f"on {platform.machine()}, the middle of three runs in memory, one run from disk.", "",
        f"| task | records | CPU s | of it system | CPU µs per record | against {IN_MEMORY:,} | wall s | peak memory |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]  # fmt: skip
    small = {each.task: each.cpu_seconds / each.rows for each in results if each.rows == IN_MEMORY}
    for each in sorted(results, key=lambda found: (found.task, found.rows)):
        per_record = each.cpu_seconds / each.rows
        ratio = f"{per_record / small[each.task]:.2f}" if each.task in small else ""
        lines.append(
            f"| {each.task} | {each.rows:,} | {each.cpu_seconds:.2f} | {each.system_seconds:.2f} | "
            f"{per_record * 1e6:.3f} | {ratio} | "
            f"{each.wall_seconds:.1f} | {each.peak_bytes / 1e9:.2f} GB |"
        )
    return "\n".join([*lines, "", f"Wanted: at most {MOST_GROWTH} times the cost per record, within the limit.", ""])


def main() -> None:
    """Measure, and write the results down after each command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="numbers of records, separated by commas")
    parser.add_argument("--memory", default="2GB", help="the limit for tables that are larger than four million")
    parser.add_argument("--methods", default="sorted-clusters,hilbert", help="what masks the tables")
    parser.add_argument(
        "--folder", type=Path, default=None, help="where tables are made; a temporary folder if left out"
    )
    parser.add_argument("--add", action="store_true", help="keep what was measured before at other sizes")
    options = parser.parse_args()
    sizes = list(map(int, options.sizes.split(",")))
    results: list[Growth] = []
    if options.add:
        before = [Growth(**each) for each in json.loads((HERE / "growth.json").read_text("utf-8"))]
        results = [each for each in before if each.rows not in sizes]
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for rows in sizes:
            for found in measured(rows, Path(folder), options.memory, options.methods.split(",")):
                results.append(found)
                content = json.dumps([asdict(each) for each in results], indent=1)
                (HERE / "growth.json").write_text(content + "\n", "utf-8")
                (HERE / "GROWTH.md").write_text(told(results, options.memory), "utf-8")


if __name__ == "__main__":
    main()
