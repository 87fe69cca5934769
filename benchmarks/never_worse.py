"""Whether the default method ever loses more than another: python benchmarks/never_worse.py [FOLDER] [RECORDS].

For tables at random, and for those of a folder of real data if one is given, prints the loss of every method that keeps
the same promises, the worst ratio of `hilbert` to the best other, and where it loses more though it is asked for less.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import shoal
from shoal.catalogue import entries
from shoal.errors import ShoalError
from shoal.measures.information_loss import InformationLoss

KS, TS, LS = (2, 3, 5, 10), (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5), (2, 3, 4)
OTHERS = tuple(name for name, kind in entries("methods").items() if kind.enforces and name != "hilbert")


def tables(folder: Path | None, records: int) -> Iterator[tuple[str, Any, str]]:
    """Give tables with the name of a confidential column that has an order."""
    if folder is not None:
        yield from _real(folder, records)
    for seed in range(3):
        yield f"random {seed}", *_random(seed, min(records, 1500))


def _real(folder: Path, records: int) -> Iterator[tuple[str, Any, str]]:
    adult = pl.read_csv(folder / "adult/adult_int.csv", separator=";").head(records)
    quasi = ["sex", "age", "race", "marital-status", "native-country", "workclass", "occupation"]
    yield "adult, education", shoal.read(adult, quasi=quasi, sensitive=["education"]), "education"
    stays = pl.read_csv(folder / "hospital/nhds2010_sample20k.csv", infer_schema_length=None).head(records)
    stays = stays.with_columns(
        stay=pl.col("care_days").cut([1, 2, 3, 4, 6, 9, 14], labels=list("01234567")).cast(pl.Utf8).cast(pl.Int64),
        band=(pl.col("age") // 10),
    )
    quasi = ["age", "sex", "race", "dc_month", "region", "n_beds", "hospital_ownership"]
    yield "stays, length in 8 steps", shoal.read(stays, quasi=quasi, sensitive=["stay"]), "stay"
    yield "stays, age in bands", shoal.read(stays, quasi=["sex", *quasi[2:], "care_days"], sensitive=["band"]), "band"
    census = pl.read_csv(folder / "census/census.csv")
    quasi = ["AFNLWGT", "AGI", "EMCONTRB", "FEDTAX"]
    yield "census, income", shoal.read(census, quasi=quasi, sensitive=["TAXINC"]), "TAXINC"


def _random(seed: int, rows: int) -> tuple[Any, str]:
    draw = np.random.Generator(np.random.PCG64(seed))
    hidden = draw.normal(size=rows)
    frame = pl.DataFrame({
        "a": np.round(10 * hidden + 5 * draw.normal(size=rows)).astype(int),
        "b": draw.integers(0, 8, rows),
        "c": np.round(draw.lognormal(3, 1, rows)).astype(int),
        "d": draw.choice(list("pqrs"), rows, p=[0.6, 0.3, 0.08, 0.02]),
        "secret": np.clip(np.round(3 * hidden * (seed % 2) + 3 * draw.normal(size=rows)), -6, 6).astype(int),
    })  # fmt: skip
    return shoal.read(frame, quasi=list("abcd"), sensitive=["secret"]), "secret"


def promises(column: str) -> Iterator[tuple[str, tuple[int, float], list[Any]]]:
    """Give promises: their kind, what is asked for, and the models."""
    for k in KS:
        yield "k", (k, 0), [shoal.models.KAnonymity(k)]
    for k, t in product(KS, TS):
        yield "t", (k, t), [shoal.models.KAnonymity(k), shoal.models.TCloseness(t, column)]
    for k, least in product(KS, LS):
        yield "l", (k, least), [shoal.models.KAnonymity(k), shoal.models.LDiversity(least, column)]


def loss(table: Any, method: str, models: list[Any]) -> tuple[float, float]:
    """Give the loss of a method, infinity if it cannot, and the CPU seconds it took."""
    begun = time.process_time()
    try:
        released = entries("methods")[method]().apply(table, models, 0)
    except ShoalError:
        return float("inf"), 0.0
    spent = time.process_time() - begun
    return InformationLoss().score(table, released).value, spent


def less_asked(kind: str, one: tuple[int, float], other: tuple[int, float]) -> bool:
    """Tell whether one asks for no more than the other."""
    return one != other and one[0] <= other[0] and (one[1] >= other[1] if kind == "t" else one[1] <= other[1])


def main(folder: Path | None, records: int) -> None:
    """Print what is found."""
    worst, steepest = (0.0, ""), (0.0, "")
    for name, table, column in tables(folder, records):
        found: dict[tuple[str, tuple[int, float]], float] = {}
        for kind, asked, models in promises(column):
            own, seconds = loss(table, "hilbert", models)
            others = {other: loss(table, other, models)[0] for other in OTHERS}
            best = min(others, key=lambda other: others[other])
            ratio = own / others[best] if others[best] else 1.0 + (own > 0)
            found[kind, asked] = own
            where = f"{name}: k = {asked[0]}" + (f", {kind} = {asked[1]}" if kind != "k" else "")
            worst = max(worst, (ratio, where))
            print(f"{where}: {own:.4f} in {seconds:.2f} s, {ratio:.3f} of {best} ({others[best]:.4f})", flush=True)
        for (kind, one), (_, other) in product(found, found):
            if (kind, other) in found and less_asked(kind, one, other) and found[kind, other] > 0:
                more = found[kind, one] / found[kind, other]
                steepest = max(steepest, (more, f"{name}: {kind} {one} against {other}"))
    print(f"worst ratio to another method: {worst[0]:.3f} ({worst[1]})")
    print(f"worst ratio to itself asked for more: {steepest[0]:.3f} ({steepest[1]})")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None, int(sys.argv[2]) if len(sys.argv) > 2 else 3000)
