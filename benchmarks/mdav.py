"""MDAV against MDAV as it is told: the same classes, and how much less CPU they take.

The yardstick beside this file is compiled as shoal's kernels are, with the same compiler and flags. Both get the same
standardized records of one thread each; times are those of the partition alone.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tables import discharges

from shoal.kernels.microaggregation import Points, mdav

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
TABLES = ("discharges", "normal")


def compiled(folder: Path) -> ctypes.CDLL:
    """Compile the yardstick."""
    from hatch_build import FLAGS, compiler

    target = folder / "mdav_plain.so"
    caches = {"ZIG_GLOBAL_CACHE_DIR": str(folder), "ZIG_LOCAL_CACHE_DIR": str(folder)}
    command = [*compiler(), *FLAGS, str(HERE / "mdav_plain.c"), "-o", str(target), "-lm"]
    subprocess.run(command, check=True, env={**caches, **os.environ})
    return ctypes.CDLL(str(target))


def drawn(table: str, rows: int) -> NDArray[np.float64]:
    """Give standardized records: discharges with their ties, or nine independent normal numbers, the worst case."""
    if table == "normal":
        raw = np.random.default_rng(9).normal(size=(rows, 9))
    else:
        raw = discharges(rows).drop("charge").to_numpy().astype(np.float64)
    return np.ascontiguousarray((raw - raw.mean(axis=0)) / raw.std(axis=0, ddof=1))


def plain(library: ctypes.CDLL, cells: NDArray[np.float64], k: int) -> NDArray[np.int32]:
    """Run the yardstick."""
    n, m = cells.shape
    rows, labels, who = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(k, np.int32)
    room = rows, np.empty(2 * m, np.int64), np.empty(m), np.empty(k), who, labels
    sizes = [ctypes.c_int64(number) for number in (n, m, k)]
    library.mdav_plain(ctypes.c_void_p(cells.ctypes.data), *sizes, *(ctypes.c_void_p(a.ctypes.data) for a in room))
    return labels


def measured(library: ctypes.CDLL, table: str, rows: int, k: int) -> dict[str, object]:
    """Run both on one table."""
    cells = drawn(table, rows)
    n, m = cells.shape
    points = Points(cells, m, np.zeros(m), np.zeros(m, np.int64))
    began = time.process_time()
    own, _ = mdav(points, k, np.arange(n, dtype=np.int32), np.array([0, n], np.int64))
    between = time.process_time()
    other = plain(library, cells, k)
    ended = time.process_time()
    return {
        "table": table,
        "rows": n,
        "columns": m,
        "k": k,
        "shoal_cpu_seconds": round(between - began, 3),
        "plain_cpu_seconds": round(ended - between, 3),
        "ratio": round((ended - between) / (between - began), 1),
        "same_classes": bool((own == other).all()),
    }


def main() -> None:
    """Compare the two, print a line for each table, and fail unless their classes are the same."""
    parser = argparse.ArgumentParser(description="Compare shoal's MDAV with a plain one.")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--table", choices=TABLES, action="append", help="both if left out")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        library = compiled(Path(folder))
        lines = [measured(library, table, arguments.rows, arguments.k) for table in arguments.table or TABLES]
    for line in lines:
        print(json.dumps(line))
    if not all(line["same_classes"] for line in lines):
        sys.exit("The two partitions differ.")


if __name__ == "__main__":
    main()
