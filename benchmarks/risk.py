"""What risk and attacks cost, in CPU seconds, beside what they may: python benchmarks/risk.py [LINE …].

All tables are drawn from fixed seeds, in the shape of the paper's data (`tables.py`); only lines that are named in part
are measured, if any are. Commands are measured as processes, with starting, reading and all threads; what is found of a
table that was read, in this process.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import measured
import numpy as np
import polars as pl
from tables import discharges

import shoal
from shoal.measures import DistanceLinkage, Suda
from shoal.methods import MDAV, Noise, RankSwap
from shoal.models.record_risks import RecordRisks

WHOLE, MANY, SOME = 3_985_166, 1_000_000, 100_000
RUNS = 3
Line = tuple[str, float, float, str]  # what was done, CPU seconds, how many it may take, and what was found


def cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    """Give the least CPU seconds of some work in a few runs, and what it gives."""
    best, found = np.inf, None
    for _ in range(RUNS):
        start = time.process_time()
        found = work()
        best = min(best, time.process_time() - start)
    return best, found


def command(*words: Any, runs: int = RUNS) -> float:
    """Give the CPU seconds of a command, the least of a few runs."""
    asked = [sys.executable, "-m", "shoal", *(f"{word}" for word in words)]
    return min(measured.run(asked).cpu_seconds for _ in range(runs))


def attackers(folder: Path) -> Iterator[Line]:
    """Three attackers and estimates of population uniqueness, beside the plain risk."""
    path = folder / "whole.csv"
    frame = discharges(WHOLE)
    frame.write_csv(path)
    asked = ("risk", path, "--quasi", ",".join(frame.columns[:9]), "--json")
    plain = command(*asked)
    full = command(*asked, "--threshold", "0.2", "--population-size", 10 * WHOLE)
    ratio = full / plain
    what = f"attackers and population uniqueness, {WHOLE:,} × 9"
    yield what, full, 1.3 * plain, f"{ratio:.2f} times plain `shoal risk` ({plain:.2f})"


def survey(folder: Path) -> Iterator[Line]:
    """Individual and household risk by weights: of many classes and few, and with missing cells."""
    draw = np.random.default_rng(1)
    frame = discharges(MANY).with_columns(
        weight=pl.Series(draw.integers(1, 200, MANY) / 2), home=pl.Series(np.sort(draw.integers(0, 400_000, MANY)))
    )
    few = ["age_yrs", "sex", "ethncty", "race", "patcnty"]
    holes = [pl.when(pl.Series(draw.random(MANY) < 0.02)).then(None).otherwise(name).alias(name) for name in few[:4]]
    cases = (("9", frame, frame.columns[:9]), ("5", frame, few), ("5, 2 % missing", frame.with_columns(holes), few))
    for what, some, quasi in cases:
        table = shoal.read(some, quasi=quasi, weight="weight", household="home")

        def both(table: Any = table, quasi: Sequence[str] = quasi) -> tuple[RecordRisks, float]:
            risks = RecordRisks.of(table, quasi)
            return risks, float(risks.of_households(table, "home").sum())

        seconds, (risks, homes) = cpu(both)
        said = f"{risks.risks.size:,} classes, {risks.expected:,.0f} and {homes:,.0f} expected"
        yield f"individual and household risk, {MANY:,} × {what}", seconds, 1.0, said


def special(folder: Path) -> Iterator[Line]:
    """Special uniques: where few stand alone, as in a census, and where nearly all do."""
    draw = np.random.default_rng(1)
    census = pl.DataFrame(
        {f"c{j}": np.minimum(draw.geometric(0.5, SOME) - 1, size - 1) for j, size in enumerate((2, 5, 3, 8, 3, 9, 2))}
    )
    for what, frame in (("few alone", census), ("most alone", discharges(SOME).select(pl.nth(range(7))))):
        table = shoal.read(frame, quasi=frame.columns)
        seconds, [score] = cpu(partial(shoal.score, table, measures=[Suda()]))
        said = f"{score.detail['records']:,} alone, {sum(score.detail['minimal_uniques']):,} minimal uniques"
        yield f"SUDA, {SOME:,} × 7, {what}", seconds, 1.0, said


def linkage(folder: Path) -> Iterator[Line]:
    """Distance linkage, exact: of classes near and far, and of values that moved a little and a lot."""
    frame = discharges(SOME)
    table = shoal.read(frame, quasi=frame.columns[:9])
    for what, method, models in (
        ("`hilbert`, k = 3", "hilbert", {"k": 3}),
        ("`mondrian`, k = 10", "mondrian", {"k": 10}),
        ("`mdav`, means, k = 3", MDAV(publish="mean"), {"k": 3}),
        ("`rank-swap`, 10 %", RankSwap(percent=10), {"no_promise": True}),
        ("`noise`, α = 0.1", Noise(), {"no_promise": True}),
        ("`noise`, α = 1", Noise(alpha=1.0), {"no_promise": True}),
    ):
        release = shoal.anonymize(table, method, measures=[], seed=1, **models)
        seconds, score = cpu(partial(DistanceLinkage().score, table, release.table))
        yield f"distance linkage, {SOME:,} × 9, {what}", seconds, 20.0, f"{score.value:.2%} linked"


def team(folder: Path) -> Iterator[Line]:
    """Give all attacks, without people who are not in the release, and with them."""
    frame = discharges(MANY)
    held = pl.arange(MANY, eager=True) % 5 == 4
    quasi = ",".join(frame.columns[:9])
    for name, some in (("all", frame), ("kept", frame.filter(~held)), ("held", frame.filter(held))):
        some.write_csv(folder / f"{name}.csv")
    for name, more in (("all", ()), ("kept", ("--holdout", folder / "held.csv"))):
        roles = ("--quasi", quasi)
        shown = folder / f"{name}-shown.csv"
        command("anonymize", folder / f"{name}.csv", "--out", shown, *roles, "--sensitive", "charge", "--k", 3,
                runs=1)  # fmt: skip
        seconds = command(
            "attack", folder / f"{name}.csv", shown, *roles, "--secret", "charge", "--json", *more, runs=1
        )
        what = "a fifth of them held out" if more else "no control"
        yield f"all attacks, {MANY:,} × 9 and a secret, {what}", seconds, 60.0, "`hilbert`, k = 3"


def main(wanted: Sequence[str]) -> None:
    """Measure everything that is wanted, line by line."""
    print("| work | CPU s | at most | |\n| --- | --- | --- | --- |", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        for part in (attackers, survey, special, linkage, team):
            if wanted and not any(each in part.__name__ for each in wanted):
                continue
            for what, seconds, most, found in part(Path(scratch)):
                print(f"| {what} | {seconds:.2f} | {most:.2f} | {found} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
