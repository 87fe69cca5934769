"""The benchmark behind `make bench`: what shoal costs beside Polars, a plain Java program and its peers.

This process only starts others and reads their figures. It imports nothing large, because the memory it held
would count as memory of the programs it measures.
"""

from __future__ import annotations

import argparse
import filecmp
import json
import os
import shutil
import signal
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import measured
from machine import machine
from measured import Command, CommandError, Cost, TimeLimitError
from report import Figures, FormFigures, Growth, PeerFigures, Results, markdown, targets

HERE = Path(__file__).resolve().parent
FULL_ROWS = 3_985_166
QUICK_ROWS = 200_000
K = 3
CONDITION = "charge > 100000"
QUASI = "oshpd_id,age_yrs,sex,ethncty,race,patzip,patcnty,los,adm_qtr"
RUNS = 5
GROWTH_ROWS = (1_000_000, 4_000_000, 16_000_000)
QUICK_GROWTH_ROWS = (25_000, 100_000, 400_000)
STARTUP_ROWS = 1_000
JAVA_HEAP = ("-Xms7144m", "-Xmx7144m")
PEER_TASKS = {"anjana": "anonymize", "anonypy": "anonymize", "pycanon": "measure k"}
PEER_ROWS = (10_000, 50_000, 250_000, 1_000_000)
QUICK_PEER_ROWS = (1_000,)
PEER_LIMIT_SECONDS = 120.0
PROGRAMS = ("shoal", "polars", "java")
PARTS = (*PROGRAMS, "growth", "peers")
MAY_BE_LEFT_OUT = ("java", "peers")
OVER = object()


class Unavailable(Exception):  # noqa: N818 - not an error: the reason why a part of the benchmark is left out
    """Something a part needs is not on this machine."""


@dataclass(slots=True)
class Bench:
    """One benchmark run: where its files lie, how large it is, and what it found so far."""

    folder: Path
    results: Results
    growth_rows: tuple[int, ...]
    peer_rows: tuple[int, ...]

    def table(self, rows: int) -> Path:
        """Return a table of that size, written on first use."""
        path = self.folder / f"table-{rows}.csv"
        if not path.exists():
            say(f"writing a table of {rows:,} records")
            measured.run([sys.executable, HERE / "tables.py", path, "--rows", str(rows)])
        return path

    def input(self) -> Path:
        """Return the full-size table."""
        path = self.table(self.results.rows)
        self.results.input_bytes = path.stat().st_size
        return path

    @property
    def shoal_release(self) -> Path:
        """Where shoal writes its full-size release."""
        return self.folder / "shoal.csv"

    @property
    def java_release(self) -> Path:
        """Where the Java program writes its full-size release."""
        return self.folder / "java.csv"

    def anonymize(self, table: Path, release: Path, *, runs: int, first: bool, row_order: str = "released") -> Cost:
        """Cost of the whole task by shoal: text in, text out, proof, measures, certificate and private record."""
        papers = (release.with_suffix(".json"), release.with_suffix(".private.json"))
        options = f"--roles last-sensitive --k {K} --method sorted-clusters --row-order {row_order}".split()
        files: Command = ["--out", release, "--certificate", papers[0], "--private", papers[1]]
        command = [shoal(), "anonymize", table, *files, *options, "--where", CONDITION]
        outputs = (release, *papers)
        if first:  # the very first run fills caches of files; users pay for it once
            measured.median(command, runs=1, fresh=outputs)
        return measured.median(command, runs=runs, fresh=outputs, warm=True)

    def measure_shoal(self) -> Iterator[None]:
        """Full size by shoal, a run at a time."""
        costs: list[Cost] = []
        for turn in range(self.results.runs):
            costs.append(self.anonymize(self.input(), self.shoal_release, runs=1, first=turn == 0))
            yield
        cost = measured.middle(costs)
        self.results.shoal = Figures("shoal", cost.cpu_seconds, cost.wall_seconds, cost.peak_bytes)
        self.results.release_bytes = self.shoal_release.stat().st_size

    def measure_java(self) -> Iterator[None]:
        """Full size by the Java program, with the heap the paper recommends, a run at a time."""
        costs: list[Cost] = []
        for _ in range(self.results.runs):
            costs.append(self.run_java(1))
            yield
        cost = measured.middle(costs)
        self.results.java = Figures("Java program", cost.cpu_seconds, cost.wall_seconds, cost.peak_bytes)
        if self.shoal_release.exists():  # the program leaves rows in the order of the input
            same = self.folder / "shoal-as-java.csv"
            self.anonymize(self.input(), same, runs=1, first=False, row_order="input")
            self.results.same_release = filecmp.cmp(same, self.java_release, shallow=False)
            same.unlink()

    def run_java(self, runs: int) -> Cost:
        """Compile the Java program and run it on the full-size table."""
        java, javac = shutil.which("java"), shutil.which("javac")
        if java is None or javac is None:
            raise Unavailable("there is no JDK (java and javac) on this machine")
        classes = self.folder / "classes"
        measured.run([javac, "-d", classes, HERE / "java" / "SortedClusters.java"])
        self.results.machine["Java"] = measured.run([javac, "-version"]).output.strip().removeprefix("javac ")
        program: Command = [java, *JAVA_HEAP, "-cp", classes, "SortedClusters"]
        command = [*program, self.input(), self.java_release, str(K)]
        return measured.median(command, runs=runs, fresh=[self.java_release], warm=True)

    def measure_polars(self) -> Iterator[None]:
        """Polars reading the full-size table and writing the bytes of its release, a run at a time."""
        table, release, output = self.input(), self.any_release(), self.folder / "polars.csv"
        self.results.release_bytes = release.stat().st_size
        command: Command = [sys.executable, HERE / "yardstick.py", table, release, output]
        figures: list[dict[str, float]] = []
        for _ in range(self.results.runs):
            figures.append(json.loads(measured.run(command, warm=True).output))
            output.unlink()
            yield

        def total(writing: str, clock: str) -> float:
            return statistics.median(
                figure[f"read_{clock}_seconds"] + figure[f"{writing}_{clock}_seconds"] for figure in figures
            )

        def costs(program: str, writing: str) -> Figures:
            return Figures(program, total(writing, "cpu"), total(writing, "wall"), None)

        self.results.polars = costs("Polars, reading and writing", "unquoted_write")
        self.results.polars_default = costs("the same, looking for cells to quote (its default)", "write")

    def any_release(self) -> Path:
        """Return a full-size release, whoever made it: shoal if it is there, else the Java program."""
        for path in (self.shoal_release, self.java_release):
            if path.exists():
                return path
        try:
            self.anonymize(self.input(), self.shoal_release, runs=1, first=False)
        except Unavailable:
            self.run_java(1)
            return self.java_release
        return self.shoal_release

    def measure_growth(self) -> None:
        """Cost of shoal at growing sizes, and the fixed part of it that is merely starting."""
        release = self.folder / "growth.csv"
        startup = self.anonymize(self.table(STARTUP_ROWS), release, runs=self.results.runs, first=True)
        self.results.startup_cpu_seconds = startup.cpu_seconds
        for rows in self.growth_rows:
            table = self.table(rows)
            say(f"shoal on {rows:,} records")
            cost = self.anonymize(table, release, runs=self.results.runs, first=False)
            self.results.growth.append(Growth(rows, cost.cpu_seconds, cost.wall_seconds, cost.peak_bytes))
            table.unlink()
            release.unlink()

    def measure_peers(self) -> None:
        """Each peer at growing sizes until one takes too long, with shoal at the same task beside it."""
        python = peers_python()
        for peer, task in PEER_TASKS.items():
            try:
                release = install(python, peer)
            except CommandError as problem:
                self.note(f"{peer} is left out: it does not install", str(problem))
                continue
            for rows in self.peer_rows:
                say(f"{peer} on {rows:,} records")
                figures = self.measure_peer(python, peer, release, task, rows)
                self.results.peers.append(figures)
                if figures.cpu_seconds is None:
                    break
        self.results.peers_date = self.results.date

    def measure_peer(self, python: Path, peer: str, release: str, task: str, rows: int) -> PeerFigures:
        """One peer at one size; a failure or a timeout is a finding, not an error."""
        table = self.table(rows)
        output = self.folder / "peer.csv"
        command: Command = [python, HERE / "peers.py", peer, table, output, "--k", str(K)]
        cost: Cost | None = None
        records: int | None = None
        outcome = "done"
        try:
            cost = measured.run(command, limit_seconds=PEER_LIMIT_SECONDS)
            records = int(cost.output.splitlines()[-1])
        except TimeLimitError:
            outcome = f"over {PEER_LIMIT_SECONDS:.0f} s"
        except CommandError as problem:
            outcome = "failed"
            self.note(f"{peer} failed on {rows:,} records", str(problem))
        own = self.own_cost(task, table)
        return PeerFigures(
            peer=peer,
            version=release,
            task=task,
            rows=rows,
            cpu_seconds=cost.cpu_seconds if cost else None,
            wall_seconds=cost.wall_seconds if cost else None,
            peak_bytes=cost.peak_bytes if cost else None,
            records=records,
            shoal_cpu_seconds=own.cpu_seconds if own else None,
            shoal_wall_seconds=own.wall_seconds if own else None,
            outcome=outcome,
        )

    def own_cost(self, task: str, table: Path) -> Cost | None:
        """Cost of shoal at a peer's task, or None where shoal is not installed."""
        try:
            if task == "anonymize":
                return self.anonymize(table, self.folder / "peer-shoal.csv", runs=1, first=True)
            return measured.median([shoal(), "risk", table, "--quasi", QUASI, "--json"], runs=1)
        except Unavailable:
            return None

    def note(self, text: str, detail: str = "") -> None:
        """Keep a remark for the report and say it now; the detail may name paths, so it is only said."""
        self.results.notes.append(text)
        say(f"{text}: {detail}" if detail else text)


def say(text: str) -> None:
    """Tell a waiting person what is going on, apart from the report on standard output."""
    print(text, file=sys.stderr, flush=True)


def shoal() -> Path:
    """Return the `shoal` command that belongs to the running interpreter."""
    path = Path(sys.executable).parent / "shoal"
    if not path.exists():
        raise Unavailable("the shoal command is not installed beside this Python")
    return path


def peers_python() -> Path:
    """Return the interpreter of the peers' own virtual environment, kept between runs.

    The peers pin older libraries than shoal needs, so they never share its environment.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "shoal-bench" / "peers"
    python = folder / "bin" / "python"
    if not python.exists():
        say("creating a virtual environment for the peers")
        try:
            measured.run([sys.executable, "-m", "venv", folder])
        except CommandError as problem:
            raise Unavailable("their virtual environment cannot be created") from problem
    return python


def install(python: Path, package: str) -> str:
    """Install a package unless it is there already, and return its version."""
    question: Command = [python, "-c", f"from importlib.metadata import version; print(version({package!r}))"]
    try:
        return measured.run(question).output.strip()
    except CommandError:
        say(f"installing {package}")
        measured.run([python, "-m", "pip", "install", "--quiet", package])
        return measured.run(question).output.strip()


@contextmanager
def working_folder(*, keep: bool) -> Iterator[Path]:
    """Hold the large files of one run and remove them at the end, whatever happened."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda received, _frame: sys.exit(128 + received))
    folder = Path(tempfile.mkdtemp(prefix="shoal-bench-"))
    try:
        yield folder
    finally:
        if keep:
            say(f"kept {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


def keep_earlier_peers(results: Results, recorded: Path) -> None:
    """Carry the recorded figures of the peers over: they take long and are measured on request only."""
    if recorded.exists():
        kept = json.loads(recorded.read_text())
        results.forms = [FormFigures(**figures) for figures in kept.get("forms", [])]
        results.forms_date = kept.get("forms_date", "")
    if results.peers or not recorded.exists():
        return
    earlier = json.loads(recorded.read_text())
    results.peers = [PeerFigures(**figures) for figures in earlier["peers"]]
    results.peers_date = earlier["peers_date"]


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Measure shoal beside Polars, a Java program and its peers.")
    parser.add_argument("--rows", type=int, help=f"records of the main table (default {FULL_ROWS:,})")
    parser.add_argument("--only", action="append", choices=PARTS, metavar="NAME", help="one part: %(choices)s")
    parser.add_argument("--peers", action="store_true", help="also measure anjana, anonypy and pycanon")
    parser.add_argument("--quick", action="store_true", help="small tables, one run each: does it all work?")
    parser.add_argument("--keep", action="store_true", help="leave the working files for inspection")
    return parser.parse_args()


def main() -> int:
    """Run the benchmark; 0 when every measured target is met, 1 when one is missed or cannot be run."""
    options = arguments()
    parts = options.only or [part for part in PARTS if part != "peers" or options.peers]
    rows = options.rows or (QUICK_ROWS if options.quick else FULL_ROWS)
    today = datetime.now(UTC).date().isoformat()
    results = Results(today, rows, K, 1 if options.quick else RUNS, machine())
    with working_folder(keep=options.keep) as folder:
        bench = Bench(
            folder=folder,
            results=results,
            growth_rows=QUICK_GROWTH_ROWS if options.quick else GROWTH_ROWS,
            peer_rows=QUICK_PEER_ROWS if options.quick else PEER_ROWS,
        )
        programs = {"shoal": bench.measure_shoal, "polars": bench.measure_polars, "java": bench.measure_java}
        others = {"growth": bench.measure_growth, "peers": bench.measure_peers}
        broken = False

        def went_on(part: str, step: Callable[[], object]) -> bool:
            nonlocal broken
            say(f"measuring {part}")
            try:
                return step() is not OVER
            except Unavailable as reason:
                bench.note(f"{part} is left out: {reason}")
                broken = broken or part not in MAY_BE_LEFT_OUT
            except CommandError as problem:
                bench.note(f"{part} failed", str(problem))
                broken = True
            return False

        # By turns: what else the machine does then falls on all programs alike.
        running = {part: programs[part]() for part in PROGRAMS if part in parts}
        while running:
            running = {part: runs for part, runs in running.items() if went_on(part, partial(next, runs, OVER))}
        for part, measure in others.items():
            if part in parts:
                went_on(part, measure)

    complete = not options.only and not options.quick and rows == FULL_ROWS and not broken
    if complete:
        keep_earlier_peers(results, HERE / "results.json")
    report = markdown(results)
    print(report)
    if complete:
        (HERE / "results.json").write_text(json.dumps(results.as_json(), indent=2) + "\n")
        (HERE / "RESULTS.md").write_text(report)
    else:
        say("nothing recorded: this was not a complete full-size run")
    if options.quick:
        say("a quick run is too small to judge a target by")
    missed = not options.quick and any(target.met is False for target in targets(results))
    return 1 if missed or broken else 0


if __name__ == "__main__":
    sys.exit(main())
