"""The least a text-to-text tool can cost: Polars reading the input and writing as many bytes as the release.

The cells of the release are prepared as text beforehand, so nothing is computed while the clock runs. The
figures are taken inside the process and leave out starting Python and importing Polars, which a whole run of
shoal does pay for. Writing is timed twice: as called by default, and without looking into each cell for
something to quote, which a release never needs and which costs Polars more than half of the writing.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import polars as pl

WRITINGS: dict[str, Literal["necessary", "never"]] = {"write": "necessary", "unquoted_write": "never"}


def cpu_seconds() -> float:
    """CPU time this process has used so far, all threads together."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


@contextmanager
def timed(part: str, figures: dict[str, float]) -> Iterator[None]:
    """Add the CPU and wall seconds of the enclosed block to `figures`."""
    wall, cpu = time.perf_counter(), cpu_seconds()
    yield
    figures[f"{part}_cpu_seconds"] = cpu_seconds() - cpu
    figures[f"{part}_wall_seconds"] = time.perf_counter() - wall


def main() -> None:
    """Time one reading and one writing; print the figures as one JSON object."""
    parser = argparse.ArgumentParser(description="Time Polars reading INPUT and writing RELEASE again.")
    parser.add_argument("input", type=Path)
    parser.add_argument("release", type=Path)
    parser.add_argument("output", type=Path)
    arguments = parser.parse_args()

    # Read before the release is loaded: a process that has already handled a large frame reads slower.
    figures: dict[str, float] = {}
    with timed("read", figures):
        table = pl.read_csv(arguments.input)
    records = table.height
    del table
    release = pl.read_csv(arguments.release, infer_schema=False)
    if release.height != records:
        parser.error(f"the input has {records} records and the release {release.height}")

    expected = arguments.release.stat().st_size
    for part, quoting in WRITINGS.items():
        arguments.output.unlink(missing_ok=True)
        with timed(part, figures):
            release.write_csv(arguments.output, quote_style=quoting)
        written = arguments.output.stat().st_size
        if written != expected:
            parser.error(f"wrote {written} bytes where the release has {expected}")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
