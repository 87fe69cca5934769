"""What a benchmark run found: the figures as values, the targets they are held against, and both in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Figures:
    """Cost of one program on the full-size table; no peak where none was taken."""

    program: str
    cpu_seconds: float
    wall_seconds: float
    peak_bytes: int | None


@dataclass(frozen=True, slots=True)
class Growth:
    """Cost of shoal at one size."""

    rows: int
    cpu_seconds: float
    wall_seconds: float
    peak_bytes: int

    @property
    def microseconds_per_record(self) -> float:
        """CPU time per record, starting the program included."""
        return self.cpu_seconds / self.rows * 1e6


@dataclass(frozen=True, slots=True)
class PeerFigures:
    """One peer and shoal at the same task on the same table."""

    peer: str
    version: str
    task: str
    rows: int
    cpu_seconds: float | None
    wall_seconds: float | None
    peak_bytes: int | None
    records: int | None
    shoal_cpu_seconds: float | None
    shoal_wall_seconds: float | None
    outcome: str


@dataclass(frozen=True, slots=True)
class Target:
    """A promise about speed or memory, with what was measured; None where it could not be."""

    what: str
    goal: str
    measured: str
    met: bool | None


@dataclass(slots=True)
class FormFigures:
    """What a form of files costs: writing and reading by shoal, and reading by pandas, which may not know it."""

    form: str
    rows: int
    size: int
    write_cpu_seconds: float | None
    shoal_cpu_seconds: float | None
    pandas_cpu_seconds: float | None

    def as_json(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)


@dataclass(slots=True)
class Results:
    """Everything one run measured."""

    date: str
    rows: int
    k: int
    runs: int
    machine: dict[str, str]
    input_bytes: int = 0
    release_bytes: int = 0
    shoal: Figures | None = None
    polars: Figures | None = None
    polars_default: Figures | None = None
    java: Figures | None = None
    same_release: bool | None = None
    startup_cpu_seconds: float | None = None
    growth: list[Growth] = field(default_factory=list)
    peers: list[PeerFigures] = field(default_factory=list)
    peers_date: str = ""
    forms: list[FormFigures] = field(default_factory=list)
    forms_date: str = ""
    notes: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Return plain values for `results.json`, with the verdict on every target."""
        return asdict(self) | {"targets": [asdict(target) for target in targets(self)]}


MOST_TIMES_POLARS = 2.0
LEAST_TIMES_BELOW_JAVA = 15.0
MOST_PEAK_BYTES = 1_200_000_000
MOST_GROWTH = 1.2


def targets(results: Results) -> list[Target]:
    """Hold the figures against what shoal promises."""
    shoal, polars, java = results.shoal, results.polars, results.java
    over_polars = shoal.cpu_seconds / polars.cpu_seconds if shoal and polars else None
    below_java = java.cpu_seconds / shoal.cpu_seconds if shoal and java else None
    peak = shoal.peak_bytes if shoal else None
    growth = growth_ratio(results.growth)
    return [
        Target(
            "CPU of shoal / CPU of Polars reading and writing the same bytes",
            f"at most {MOST_TIMES_POLARS:g}",
            _number(over_polars),
            None if over_polars is None else over_polars <= MOST_TIMES_POLARS,
        ),
        Target(
            "CPU of the Java program / CPU of shoal",
            f"at least {LEAST_TIMES_BELOW_JAVA:g}",
            _number(below_java, 1),
            None if below_java is None else below_java >= LEAST_TIMES_BELOW_JAVA,
        ),
        Target(
            "peak memory of shoal",
            f"at most {_gigabytes(MOST_PEAK_BYTES)}",
            _gigabytes(peak),
            None if peak is None else peak <= MOST_PEAK_BYTES,
        ),
        Target(
            _growth_words(results.growth),
            f"at most {MOST_GROWTH:g}",
            _number(growth),
            None if growth is None else growth <= MOST_GROWTH,
        ),
    ]


def growth_ratio(growth: Sequence[Growth], startup_cpu_seconds: float = 0.0) -> float | None:
    """CPU per record of the largest size over that of the smallest, less a fixed cost of starting."""
    if len(growth) < 2:
        return None
    small, large = growth[0], growth[-1]
    cost_small = (small.cpu_seconds - startup_cpu_seconds) / small.rows
    cost_large = (large.cpu_seconds - startup_cpu_seconds) / large.rows
    return cost_large / cost_small if cost_small > 0 else None


def markdown(results: Results) -> str:
    """Return the whole report as Markdown, which also reads well on a terminal."""
    conditions = (
        f"Nine integer quasi-identifiers and a charge: {results.input_bytes / 1e6:,.0f} MB of text in, "
        f"{results.release_bytes / 1e6:,.0f} MB of text out. CPU is user plus system time of the whole "
        "process. The figures of shoal include starting Python, the proof of k, all measures and the "
        "certificate; those of Polars cover reading and writing only. Programs run by turns. Before each run memory is "
        "touched and given back, so that no program pays for what the host of a virtual machine took away meanwhile."
    )
    parts = [
        "# Benchmark results",
        f"Measured on {results.date} with `make bench`; each figure is the median of {results.runs} run(s).",
        _table(("machine", ""), results.machine.items()),
        f"## {results.rows:,} records, k = {results.k}",
        conditions,
        _table(("program", "CPU s", "wall s", "peak memory"), _program_rows(results)),
        "## Targets",
        _table(("target", "goal", "measured", "verdict"), map(_target_row, targets(results))),
    ]
    if results.same_release is not None:
        answer = "the same bytes" if results.same_release else "**different bytes**"
        parts.append(f"The releases of shoal and of the Java program hold {answer}.")
    if results.growth:
        parts += ["## Growth of shoal", _table(_GROWTH_HEADER, _growth_rows(results.growth))]
        net = growth_ratio(results.growth, results.startup_cpu_seconds or 0.0)
        if results.startup_cpu_seconds is not None and net is not None:
            parts.append(
                f"Of this, {results.startup_cpu_seconds:.2f} CPU s is the cost of starting, taken on a table "
                f"of a thousand records; without it, the cost per record changes by a factor of {net:.2f}."
            )
    if results.peers:
        conditions = (
            f"Measured on {results.peers_date}, one run each. The methods differ (anjana: full-domain "
            "generalization; anonypy: Mondrian), so this compares what a user waits for, not one algorithm. "
            "`records` is how many the release stands for. pycanon only measures the k of a table."
        )
        parts += ["## Peers", conditions, _table(_PEER_HEADER, _peer_rows(results.peers))]
    if results.forms:
        parts.append(forms_section(results.forms, results.forms_date))
    if results.notes:
        parts += ["## Notes", "\n".join(f"- {note}" for note in results.notes)]
    return "\n\n".join(parts) + "\n"


def forms_section(figures: Sequence[FormFigures], date: str) -> str:
    """Return what the forms of files cost."""
    conditions = (
        f"Measured on {date} with `python benchmarks/file_forms.py`, one run each, six columns, CPU seconds "
        "without what starting costs. shoal takes the digest of the file, compares every block with it and puts each "
        "column on an axis; pandas makes a frame, and does not read the current version of .xpt."
    )
    header = ("form", "rows", "size", "shoal writes", "shoal reads", "pandas reads")
    rows = (
        (each.form, f"{each.rows:,}", f"{each.size / 1e6:,.0f} MB", _number(each.write_cpu_seconds),
         _number(each.shoal_cpu_seconds), _number(each.pandas_cpu_seconds))
        for each in figures
    )  # fmt: skip
    return "\n\n".join(["## Forms of files", conditions, _table(header, rows)])


_GROWTH_HEADER = ("records", "CPU s", "CPU µs per record", "wall s", "peak memory")
_PEER_HEADER = (
    "peer",
    "task",
    "rows",
    "CPU s",
    "wall s",
    "peak memory",
    "records",
    "shoal CPU s",
    "shoal wall s",
    "times the CPU of shoal",
)


def _program_rows(results: Results) -> Iterable[tuple[str, ...]]:
    for figures in (results.shoal, results.polars, results.polars_default, results.java):
        if figures is not None:
            yield (
                figures.program,
                _number(figures.cpu_seconds),
                _number(figures.wall_seconds),
                _gigabytes(figures.peak_bytes),
            )


def _growth_rows(growth: Iterable[Growth]) -> Iterable[tuple[str, ...]]:
    for size in growth:
        yield (
            f"{size.rows:,}",
            _number(size.cpu_seconds),
            _number(size.microseconds_per_record, 3),
            _number(size.wall_seconds),
            _gigabytes(size.peak_bytes),
        )


def _peer_rows(peers: Iterable[PeerFigures]) -> Iterable[tuple[str, ...]]:
    for peer in peers:
        times = peer.cpu_seconds / peer.shoal_cpu_seconds if peer.cpu_seconds and peer.shoal_cpu_seconds else None
        yield (
            f"{peer.peer} {peer.version}".strip(),
            peer.task,
            f"{peer.rows:,}",
            _number(peer.cpu_seconds) if peer.cpu_seconds is not None else peer.outcome,
            _number(peer.wall_seconds),
            _gigabytes(peer.peak_bytes),
            "-" if peer.records is None else f"{peer.records:,}",
            _number(peer.shoal_cpu_seconds),
            _number(peer.shoal_wall_seconds),
            _number(times, 1),
        )


def _target_row(target: Target) -> tuple[str, ...]:
    verdict = {True: "met", False: "NOT MET", None: "not measured"}[target.met]
    return target.what, target.goal, target.measured, verdict


def _growth_words(growth: Sequence[Growth]) -> str:
    if len(growth) < 2:
        return "CPU per record, largest table / smallest table"
    return f"CPU per record at {growth[-1].rows:,} records / at {growth[0].rows:,}"


def _number(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


def _gigabytes(value: int | None) -> str:
    return "-" if value is None else f"{value / 1e9:.2f} GB"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Align the columns, so that the table can be read without being rendered."""
    lines = [tuple(header), *map(tuple, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    lines.insert(1, tuple("-" * width for width in widths))
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in lines
    )
