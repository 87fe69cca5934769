"""Mondrian on Spark as mosaicrown publishes it, beside shoal: the same table, the same k, the same two workers.

    python benchmarks/spark_peer.py [--rows 16000 100000] [--table discharges.parquet]

Of the packages for k-anonymity on Spark none runs on Spark 4: ``spark-privacy-preserver`` asks for PySpark 2.4,
``polarfrost`` hands a function to Spark that it refuses, and mosaicrown's program (github.com/mosaicrown/mondrian;
De Capitani di Vimercati et al., Scalable distributed data anonymization, PerCom 2021,
doi:10.1109/PERCOM50583.2021.9439063) is not a package. This file follows the paper in words of its own: the table is
cut into as many fragments as there are workers, at quantiles of the attribute with the widest span, and each worker
runs Mondrian on its fragment in a pandas function, cutting at the median of the widest attribute that leaves both
sides k records. Cuts are made on arrays, which is faster than on frames, as the original makes them.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from cluster import CONFIDENTIAL, MASTER, QUASI, K, Stopwatch

import shoal

SIZES = (16_000, 100_000, 1_000_000)
WORKERS = 2


def fragmented(frame: Any) -> Any:
    """Cut the table at quantiles of the attribute with the widest span, one fragment for each worker."""
    from pyspark.sql import functions as f

    ends = frame.agg(*(e for name in QUASI for e in (f.min(name), f.max(name), f.approx_count_distinct(name)))).first()
    spans = {name: ends[3 * j + 1] - ends[3 * j] for j, name in enumerate(QUASI) if ends[3 * j + 2] > WORKERS}
    widest = max(spans, key=spans.__getitem__)
    cuts = frame.approxQuantile(widest, [number / WORKERS for number in range(1, WORKERS)], 0.001)
    number = sum(((f.col(widest) >= cut).cast("int") for cut in cuts), start=f.lit(0))
    return frame.withColumn("fragment", number)


def mondrian(names: list[str], k: int) -> Callable[[Any], Any]:
    """Give the function that a worker runs on its fragment."""

    def work(frame: Any) -> Any:
        import numpy as np
        import pandas as pd

        columns = [frame[name].to_numpy() for name in names]
        shown = {name: np.empty(len(frame), object) for name in names}
        waiting = [np.arange(len(frame))]
        while waiting:
            rows = waiting.pop()
            cells = [column[rows] for column in columns]
            for j in np.argsort([-np.ptp(values) for values in cells], kind="stable"):
                left = cells[j] < np.median(cells[j])
                if k <= left.sum() <= rows.size - k:
                    waiting += [rows[left], rows[~left]]
                    break
            else:
                for name, values in zip(names, cells, strict=True):
                    low, high = values.min(), values.max()
                    shown[name][rows] = str(low) if low == high else f"[{low}-{high}]"
        return pd.DataFrame(shown | {CONFIDENTIAL: frame[CONFIDENTIAL].to_numpy()})

    return work


def theirs(session: Any, table: Path) -> None:
    """Let Mondrian anonymize a table, and see that every class has k records."""
    frame = session.read.parquet(str(table)).select(*QUASI, CONFIDENTIAL)
    schema = ", ".join(f"{name} string" for name in QUASI) + f", {CONFIDENTIAL} long"
    masked = fragmented(frame).groupby("fragment").applyInPandas(mondrian(QUASI, K), schema).cache()
    smallest = masked.groupBy(*QUASI).count().agg({"count": "min"}).first()[0]
    assert smallest >= K, smallest
    masked.unpersist()


def ours(engine: shoal.Spark, table: Path, method: Any) -> None:
    """Let shoal anonymize a table; that every class has k records is proved on the way, and losses are measured."""
    people = shoal.read(table, engine=engine, quasi=QUASI, sensitive=CONFIDENTIAL)
    assert shoal.anonymize(people, method, [shoal.models.KAnonymity(K)]).holds


def side_by_side(sizes: list[int], table: Path) -> list[dict[str, Any]]:
    """Measure both at several sizes on one cluster that has been started and warmed up."""
    found = []
    with tempfile.TemporaryDirectory() as name:
        # As many parts as workers, for the peer too: the usual two hundred would cost it more than its work.
        engine = shoal.Spark(master=MASTER, settings={"spark.sql.shuffle.partitions": str(WORKERS)})
        for number, rows in enumerate([min(sizes), *sizes]):  # the first run is not counted: code is being compiled
            some = Path(name) / f"{number}.parquet"
            head = next(pq.ParquetFile(table).iter_batches(rows, columns=[*QUASI, CONFIDENTIAL]))
            pq.write_table(pa.Table.from_batches([head]), some, row_group_size=-(-rows // WORKERS))
            watch = Stopwatch()
            with watch.step("peer"):
                theirs(engine.session, some)
            with watch.step("mondrian"):
                ours(engine, some, shoal.methods.Mondrian())
            with watch.step("sorted"):
                ours(engine, some, shoal.methods.SortedClusters())
            if number:
                found.append({"rows": rows} | {step.name: step.cpu for step in watch.steps})
        engine.session.stop()
    return found


def report(found: list[dict[str, Any]]) -> str:
    """Give the measurements as a table: records per CPU second."""
    lines = [
        "| records | mosaicrown's Mondrian | shoal `mondrian` | shoal `sorted-clusters` | times as many |",
        "| --- | --- | --- | --- | --- |",
    ]
    for one in found:
        speed = {name: one["rows"] / one[name] for name in ("peer", "mondrian", "sorted")}
        numbers = " | ".join(f"{speed[name]:,.0f}" for name in speed)
        ratios = " and ".join(f"{speed[name] / speed['peer']:.1f}" for name in ("mondrian", "sorted"))
        lines.append(f"| {one['rows']:,} | {numbers} | {ratios} |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    asked.add_argument("--rows", type=int, nargs="+", default=list(SIZES))
    asked.add_argument("--table", type=Path)
    given = asked.parse_args()
    with tempfile.TemporaryDirectory() as name:
        table = given.table or Path(name) / "discharges.parquet"
        if given.table is None:
            subprocess.run(["shoal", "data", "discharges", "--rows", str(max(given.rows)), "--out", table], check=True)
        found = side_by_side(given.rows, table)
    print(json.dumps(found))
    print(report(found))


if __name__ == "__main__":
    main()
