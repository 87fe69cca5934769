"""Full-domain recoding and suppression beside their anchors, in CPU seconds: python benchmarks/levels.py [RECORDS].

Public tables are looked for in ../shared/data, or in the folder that SHOAL_SHARED_DATA names: Adult with its
hierarchies, as ARX gives them, and the survey that comes with sdcMicro. The anchors are what ARX 3.9.2 and sdcMicro
took. A second table of eight made-up columns has the lattice of another well-known one (45,000 nodes), and both beside
each other have 5.8 · 10^8 nodes. With RECORDS, such as 3985166, Adult is also drawn that often, to be set beside its
group-by.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import shoal
from shoal.methods import FullDomain, Layers, Suppress
from shoal.methods.lattice.every_node import every_node
from shoal.models import KAnonymity

K = [KAnonymity(5)]
KEYS = ["sex", "age", "race", "marital-status", "education"]
SURVEY = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
# Eight columns: values, and how many of them become one on each level below the highest.
OTHERS = {
    "zip": (4000, (10, 100, 1000)), "income": (100, (5, 10, 50)), "gifts": (60, (4, 12, 36)),
    "years": (80, (5, 10, 40)), "cluster": (50, (10,)), "home": (7, (3,)), "gender": (2, ()), "region": (54, (6, 18)),
}  # fmt: skip


def cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    """Give the CPU seconds of some work, and what it gives."""
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def others(rows: int, folder: Path) -> tuple[pl.DataFrame, dict[str, str]]:
    """Make a table of eight columns with their hierarchies."""
    draw, columns, hierarchies = np.random.default_rng(5), {}, {}
    for name, (size, widths) in OTHERS.items():
        codes = np.minimum(draw.gamma(2, size / 8, rows).astype(int), size - 1)
        columns[name] = [f"{code}" for code in codes]
        lines = [
            ";".join([f"{i}", *(f"{name} {i // w * w} to {i // w * w + w - 1}" for w in widths), "*"])
            for i in range(size)
        ]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        hierarchies[name] = str(folder / f"{name}.csv")
    return pl.DataFrame(columns), hierarchies


def row(what: str, seconds: float, anchor: str, target: str, note: str) -> None:
    """Print a line."""
    print(f"| {what} | {seconds:.2f} | {anchor} | {target} | {note} |", flush=True)


def suppressed(adult: Path, survey: Path) -> None:
    """Measure how long it takes to hide cells."""
    draw = np.random.default_rng(9)
    million = pl.DataFrame(
        {f"c{j}": np.minimum(draw.geometric(0.3, 1_000_000), size) for j, size in enumerate((4, 9, 12, 20, 60))}
    )
    for what, source, keys, anchor, target in (
        ("suppress, testdata, 7 keys, k = 5", survey / "testdata.csv", SURVEY, "sdcMicro 1.3", "0.1"),
        ("suppress, Adult, 5 keys, k = 5", adult / "adult.csv", KEYS, "sdcMicro 50", "1"),
        ("suppress, 1,000,000 × 5, k = 5", million, million.columns, "sdcMicro ≈ 8,000", "10"),
    ):
        table = shoal.read(source, quasi=keys, kinds=dict.fromkeys(keys, "category"))
        seconds, done = cpu(partial(Suppress().apply, table, K, 0))
        row(what, seconds, anchor, target, f"{sum(done.hidden['suppressed'].values()):,} cells")


def main(shared: Path, records: int | None) -> None:
    """Measure everything, line by line."""
    adult = shared / "adult"
    frame = pl.read_csv(adult / "adult.csv", separator=";", infer_schema=False)
    known = {name: str(adult / f"adult_hierarchy_{name}.csv") for name in frame.columns}
    print("| work | CPU s | anchor | target | found |\n| --- | --- | --- | --- | --- |")
    read, table = cpu(lambda: shoal.read(adult / "adult.csv", quasi=frame.columns, hierarchies=known))
    seconds, done = cpu(lambda: FullDomain().search(table, K))
    row("Adult, k = 5: search", seconds, "ARX 5.6", "0.6", f"loss {done.found.loss:.6f}, {done.found.evaluated} nodes")
    row("the same with reading", read + seconds, "ARX 5.6", "1.0", "proven")
    nodes, objective = FullDomain().lattice(table, K)
    seconds, every = cpu(lambda: every_node(nodes, objective, table.rows))
    row("whole lattice of Adult", seconds, "–", "1.5", f"{every.losses.size:,} losses")
    seconds, formed = cpu(lambda: Layers().formed(table, K))
    row(
        "layers, Adult, k = 5",
        seconds,
        "ARX 5.2",
        "2",
        f"loss {formed.account['loss']:.6f}, {len(formed.layers)} layers",
    )
    with tempfile.TemporaryDirectory() as scratch:
        made, hierarchies = others(63_441, Path(scratch))
        second = shoal.read(made, quasi=made.columns, hierarchies=hierarchies)
        seconds, done = cpu(lambda: FullDomain().search(second, K))
        row("45,000 nodes, 63,441 records", seconds, "ARX 36.7", "1.5", f"{done.found.evaluated} nodes, proven")
        beside = pl.concat([frame, made.head(frame.height)], how="horizontal")
        third = shoal.read(beside, quasi=beside.columns, hierarchies=known | hierarchies)
        seconds, done = cpu(lambda: FullDomain().search(third, K))
        row(
            "5.8 · 10^8 nodes", seconds, "ARX refuses; genetic 48", "10",
            f"loss {done.found.loss:.4f}, none below {done.found.bound:.4f}, {done.found.evaluated} nodes",
        )  # fmt: skip
    suppressed(adult, shared / "census")
    if records:
        draw = np.random.default_rng(3)
        many = frame[draw.integers(0, frame.height, records)]
        mixed = [
            np.where(draw.random(records) < 0.15, draw.permutation(many[c].to_numpy()), many[c]) for c in many.columns
        ]
        large = shoal.read(dict_frame(many.columns, mixed), quasi=frame.columns, hierarchies=known)
        grouping, _ = cpu(lambda: large.boxes(lambda boxes: boxes.counts.size))
        seconds, (nodes, objective) = cpu(lambda: FullDomain().lattice(large, K))
        searching, done = cpu(lambda: FullDomain().search(large, K))
        showing, _ = cpu(lambda: FullDomain().apply(large, K, 0))
        row(
            f"{records:,} × 9", grouping + searching + showing, "–", f"{3 * grouping + searching - seconds:.2f}",
            f"group-by {grouping:.2f}, search {searching - seconds:.2f}, {nodes.lattice.finest.size:,} distinct tuples",
        )  # fmt: skip


def dict_frame(names: list[str], columns: list[Any]) -> pl.DataFrame:
    """Make a frame of columns."""
    return pl.DataFrame(dict(zip(names, columns, strict=True)))


if __name__ == "__main__":
    named = os.environ.get("SHOAL_SHARED_DATA")
    found = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"
    if (found / "adult" / "adult.csv").is_file():
        main(found, int(sys.argv[1]) if len(sys.argv) > 1 else None)
    else:
        print("The public tables are not here: put them in ../shared/data, or name a folder in SHOAL_SHARED_DATA.")
