"""One peer doing the task shoal does, as a program of its own: text file in, text file out.

Runs inside the peers' virtual environment, which has neither shoal nor Polars. Each adapter uses the package
as its documentation shows it, with the choices that favour its speed; only the chosen one is imported.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

INTERVAL_WIDTHS = {
    "oshpd_id": (10_000, 50_000, 100_000),
    "age_yrs": (5, 10, 20, 40),
    "patzip": (10, 100, 1_000),
    "patcnty": (5, 10, 20),
    "los": (2, 4, 8, 16, 32),
}
"""How anjana may generalize each wide attribute; each width divides the next, so that the levels nest."""

SUPPRESSION_PERCENT = 10
"""Records anjana may drop: full-domain generalization with none leaves hardly anything but asterisks."""


def anonypy(table: pd.DataFrame, quasi: list[str], sensitive: str, k: int, output: Path) -> int:
    """Mondrian; the release lists each class once per confidential value, with a count."""
    from anonypy import Preserver

    rows = Preserver(table, quasi, sensitive).anonymize_k_anonymity(k)
    released = pd.DataFrame(rows)
    released.to_csv(output, index=False)
    return int(released["count"].sum())


def anjana(table: pd.DataFrame, quasi: list[str], sensitive: str, k: int, output: Path) -> int:
    """Full-domain generalization along given hierarchies, with limited suppression."""
    from anjana.anonymity import k_anonymity

    hierarchies = {column: hierarchy(np.unique(table[column]), column) for column in quasi}
    released = k_anonymity(table, [], quasi, k, SUPPRESSION_PERCENT, hierarchies)
    released.to_csv(output, index=False)
    return len(released)


def hierarchy(values: np.ndarray, column: str) -> dict[int, np.ndarray]:
    """Levels of one attribute: the values, intervals of growing width, an asterisk.

    Given over the distinct values, not over the records, because anjana searches a level for every cell.
    """
    levels = [values]
    for width in INTERVAL_WIDTHS.get(column, ()):
        starts = values // width * width
        levels.append(np.array([f"[{start}, {start + width})" for start in starts], dtype=object))
    levels.append(np.full(len(values), "*", dtype=object))
    return dict(enumerate(levels))


def pycanon(table: pd.DataFrame, quasi: list[str], sensitive: str, k: int, output: Path) -> int:
    """Measures the k of a table as it stands; it anonymizes nothing."""
    from pycanon.anonymity import k_anonymity

    output.write_text(f"{k_anonymity(table, quasi)}\n")
    return len(table)


PEERS = {"anonypy": anonypy, "anjana": anjana, "pycanon": pycanon}


def main() -> None:
    """Run one peer; print how many records its release stands for."""
    parser = argparse.ArgumentParser(description="Anonymize (or measure) a table with one peer.")
    parser.add_argument("peer", choices=PEERS)
    parser.add_argument("input", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--k", type=int, default=3)
    arguments = parser.parse_args()
    table = pd.read_csv(arguments.input)
    *quasi, sensitive = table.columns
    print(PEERS[arguments.peer](table, quasi, sensitive, arguments.k, arguments.output))


if __name__ == "__main__":
    main()
