"""What m-invariance costs over a sequence of releases, and what it prevents: python benchmarks/sequences.py ADULT.

ADULT is Adult with whole numbers for categories. Every release has 10,000 records, and the next one leaves out the
oldest of them and takes as many new ones. Shown is, for `same-signatures` and for releases made anew with the same k
and l, for how many people in several releases the classes of all of these leave one occupation, and what is withheld.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import polars as pl

import shoal
from shoal.methods import SameSignatures
from shoal.models import KAnonymity, LDiversity, MInvariance

ROWS = 10_000


def releases(frame: pl.DataFrame, step: int, number: int, m: int, *, anew: bool) -> None:
    """Release so many tables, and say what they cost."""
    quasi = [name for name in frame.columns if name not in ("occupation", "id")]
    left: dict[str, set[str]] = {}
    times: dict[str, int] = defaultdict(int)
    withheld, losses, began = [], [], time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        last = None
        for count in range(number):
            some = frame[count * step : count * step + ROWS]
            table = shoal.read(
                some, quasi=quasi, sensitive="occupation", subject="id", kinds={"occupation": "category"}
            )
            if anew:
                release = shoal.anonymize(table, "hilbert", [KAnonymity(m), LDiversity(m)])
            else:
                release = shoal.anonymize(table, SameSignatures(last), [MInvariance(m)])
                release.write(Path(folder) / f"r{count}.csv")
                last = Path(folder) / f"r{count}.private.json"
            losses.append(release.scores["information-loss"].value)
            rows = release.table.to_polars(cells="text").select(*quasi, "occupation").rows()
            classes = defaultdict(set)
            for row in rows:
                classes[row[:-1]].add(row[-1])
            withheld.append(sum(row[-1] is None for row in rows))
            for person, row in zip(some["id"], rows, strict=True):
                if row[-1] is not None:
                    times[person] += 1
                    left[person] = left.get(person, classes[row[:-1]]) & classes[row[:-1]]
    several = [person for person, seen in times.items() if seen > 1]
    pinned = sum(len(left[person]) == 1 for person in several) / len(several)
    fewest = min(len(left[person]) for person in several)
    mean = sum(len(left[person]) for person in several) / len(several)
    spent = time.process_time() - began
    cells = [
        number, f"{step:,}", m, "hilbert, k and l" if anew else "`same-signatures`", f"{pinned:.2%}", fewest,
        f"{mean:.2f}", withheld[0], max(withheld[1:]), f"{losses[0]:.3f}", f"{losses[-1]:.3f}", f"{spent:.1f}",
    ]  # fmt: skip
    print(f"| {' | '.join(map(str, cells))} |")


def main() -> None:
    """Print the table of docs/sequences.md."""
    frame = pl.read_csv(sys.argv[1], separator=";").with_columns(id=pl.int_range(pl.len()).cast(str))
    heads = ["releases", "new each time", "m", "method", "pinned", "fewest left", "mean left", "withheld, first"]
    heads += ["later, most", "loss, first", "last", "CPU s"]
    print(f"| {' | '.join(heads)} |")
    print(f"| {' | '.join(['---'] * len(heads))} |")
    for number, step in ((2, 5000), (12, 1000)):
        for m in (3, 4, 6):
            for anew in (True, False):
                releases(frame, step, number, m, anew=anew)


if __name__ == "__main__":
    main()
