"""Anonymize millions of records on a cluster of two workers on this machine, and tell where the time goes.

    python benchmarks/cluster.py [--rows 16000000] [--peer-rows 16000 100000 1000000]

The input comes from ``shoal data discharges``. Stages and tasks are those of Spark's own event log. CPU time is that of
all processes: the driver, the executors, and the Python workers under them. ``--peer-rows`` also runs Mondrian on Spark
(`spark_peer.py`) and shoal beside it, at these sizes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import shoal

HERE = Path(__file__).parent
MASTER = "local-cluster[2,1,3072]"
QUASI = ["age_yrs", "sex", "ethncty", "race", "patzip", "patcnty", "los", "adm_qtr"]
CONFIDENTIAL = "charge"
K = 5
NOTABLE = 0.02  # of all time: shorter stages are counted together
RELEASING = ("read", "anonymize", "write")  # the steps from a table to its release


@dataclass(frozen=True)
class Stage:
    """What the tasks of a stage did: seconds in all of them, how many, and the share of the busiest."""

    step: str
    tasks: int
    seconds: float
    busiest: float


@dataclass(frozen=True)
class Step:
    """What one step took."""

    name: str
    wall: float
    cpu: float


def cpu_seconds() -> float:
    """Give the CPU time of this process and of all that it started, also of those that have ended."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    children = defaultdict(list)
    for line in listed.splitlines():
        pid, parent = map(int, line.split())
        children[parent].append(pid)

    def of(pid: int) -> float:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK") + sum(map(of, children[pid]))

    return of(os.getpid())


class Stopwatch:
    """Measures steps one after the other."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.began: list[float] = []

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Measure what is done in a block."""
        cpu, began = cpu_seconds(), time.time()
        self.began.append(began)
        yield
        self.steps.append(Step(name, time.time() - began, cpu_seconds() - cpu))
        print(f"{name:12} {self.steps[-1].wall:8.1f} s wall {self.steps[-1].cpu:8.1f} s CPU", flush=True)

    def at(self, moment: float) -> str:
        """Give the step in which a moment lies."""
        before = [step.name for step, began in zip(self.steps, self.began, strict=True) if began <= moment]
        return before[-1] if before else "start"


def stages(log: Path, watch: Stopwatch) -> list[Stage]:
    """Read the event log of a run."""
    tasks: dict[int, list[float]] = defaultdict(list)
    begun: dict[int, float] = {}
    for path in log.rglob("*"):
        if not path.is_file() or path.name.startswith("."):
            continue
        for line in path.read_text(encoding="utf-8").splitlines():
            if not line.startswith('{"Event":"SparkListenerTaskEnd"'):
                continue
            event = json.loads(line)
            info = event["Task Info"]
            tasks[event["Stage ID"]].append((info["Finish Time"] - info["Launch Time"]) / 1000)
            begun.setdefault(event["Stage ID"], info["Launch Time"] / 1000)
    return [
        Stage(watch.at(begun[number]), len(times), sum(times), max(times) / max(sum(times), 1e-9))
        for number, times in sorted(tasks.items())
    ]


def on_cluster(table: Path, log: Path, folder: Path) -> tuple[Stopwatch, int]:
    """Read, anonymize, write and check a table on two workers."""
    watch = Stopwatch()
    settings = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": log.as_uri(),
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
    }
    with watch.step("start"):
        engine = shoal.Spark(master=MASTER, settings=settings)
        engine.pool.collect(lambda number, part: 0, engine.pool.blank(2))
    with watch.step("read"):
        people = shoal.read(table, engine=engine, quasi=QUASI, sensitive=CONFIDENTIAL)
    with watch.step("anonymize"):
        release = shoal.anonymize(people, shoal.methods.SortedClusters(), [shoal.models.KAnonymity(K)])
    with watch.step("write"):
        release.write(f"{folder}/release/")
    with watch.step("check"):
        again = shoal.read(f"{folder}/release/", engine=engine, quasi=QUASI, sensitive=CONFIDENTIAL)
        (verdict,) = shoal.models.check(again, [shoal.models.KAnonymity(K)])
    assert verdict.holds
    engine.session.stop()
    return watch, people.rows


def main() -> None:
    """Run the benchmark and record it."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    asked.add_argument("--rows", type=int, default=16_000_000)
    asked.add_argument("--table", type=Path)
    asked.add_argument("--peer-rows", type=int, nargs="*", default=[])
    given = asked.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = given.table or folder / "discharges.parquet"
        if given.table is None:
            subprocess.run(["shoal", "data", "discharges", "--rows", str(given.rows), "--out", table], check=True)
        log = folder / "events"
        log.mkdir()
        watch, rows = on_cluster(table, log, folder)
        found = stages(log, watch)
        result = _kept(found, watch, rows)
        if given.peer_rows:
            from spark_peer import side_by_side

            result["peers"] = side_by_side(given.peer_rows, table)
            _write(result)


def _kept(found: list[Stage], watch: Stopwatch, rows: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "rows": rows, "k": K, "master": MASTER, "steps": [asdict(step) for step in watch.steps],
        "stages": [asdict(stage) for stage in found],
        "records per CPU second": rows / sum(step.cpu for step in watch.steps if step.name in RELEASING),
    }  # fmt: skip
    _write(result)
    return result


def _write(result: dict[str, Any]) -> None:
    (HERE / "cluster.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    (HERE / "CLUSTER.md").write_text(report(result), encoding="utf-8")
    print(report(result))


def report(result: dict[str, Any]) -> str:
    """Give the result as a page."""
    total = sum(stage["seconds"] for stage in result["stages"])
    lines = [
        "# On a cluster", "",
        f"{result['rows']:,} records, k = {result['k']}, `sorted-clusters`, on `{result['master']}`: two workers with "
        "one core each, on one machine. Made by `benchmarks/cluster.py`.", "",
        "| step | seconds | CPU seconds |", "| --- | --- | --- |",
        *(f"| {step['name']} | {step['wall']:.0f} | {step['cpu']:.0f} |" for step in result["steps"]), "",
        f"Reading, anonymizing and writing: {result['records per CPU second']:,.0f} records per CPU second.", "",
        "| stage in | tasks | seconds in tasks | of all | busiest task |", "| --- | --- | --- | --- | --- |",
    ]  # fmt: skip
    small = 0.0
    for stage in result["stages"]:
        if stage["seconds"] < NOTABLE * total:
            small += stage["seconds"]
            continue
        lines.append(
            f"| {stage['step']} | {stage['tasks']} | {stage['seconds']:.1f} | {stage['seconds'] / total:.0%} | "
            f"{stage['busiest']:.0%} |"
        )
    worst = max((s["busiest"] for s in result["stages"] if s["seconds"] >= NOTABLE * total), default=0.0)
    lines += [
        f"| others, each below {NOTABLE:.0%} | | {small:.1f} | {small / total:.0%} | |", "",
        f"The busiest task of a stage does at most {worst:.0%} of its work.",
    ]  # fmt: skip
    lines += [f"- {note}" for note in result.get("notes", ())]
    if "peers" in result:
        from spark_peer import report as beside

        said = "Records per CPU second, same cluster, same k (`spark_peer.py`)."
        lines += ["", "## Beside Mondrian on Spark", "", said, "", beside(result["peers"])]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main()
