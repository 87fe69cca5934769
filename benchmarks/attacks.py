"""How often attacks succeed on releases of each method, as docs/attacks.md shows: python benchmarks/attacks.py FOLDER.

FOLDER holds Adult with its hierarchies, as ARX gives them. Every fifth record is held out. The second table is the
stand-in for California's discharges, of which 40,000 are drawn. Shown is the residual risk in percent where there is a
control of people who are not in the release or of one release alone, else the rate.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import polars as pl

import shoal
from shoal.methods import FullDomain, Noise, Pram, RankSwap, SecretBlind, Suppress, Synthesize
from shoal.models import AlphaK, KAnonymity, LDiversity, PrivacyModel, TCloseness

K = KAnonymity(5)
ATTACKS = (
    "linkability", "inference", "singling-out", "membership", "closest-rows", "shared-secrets", "range-ends",
    "row-order", "intersection",
)  # fmt: skip
SHOWN = {
    "linkability": "link", "inference draw": "draw", "inference mode": "mode", "singling out": "single out",
    "membership": "member", "dcr": "DCR", "homogeneity": "homogeneous", "background": "background",
    "range ends": "ends", "row order": "order", "intersection pinned": "two: pinned",
    "intersection guess": "two: guess", "intersection alone": "two: alone",
}  # fmt: skip


def ways(table: str) -> dict[str, tuple[Any, list[PrivacyModel], Any]]:
    """Name the releases that are attacked: method, promises, and the grid of ends."""
    grid = {
        "adult": {"age": 5},
        "discharges": {"oshpd_id": 10_000, "patzip": 100, "patcnty": 5, "age_yrs": 5, "los": 5},
    }[table]
    found: dict[str, tuple[Any, list[PrivacyModel], Any]] = {
        "hilbert": ("hilbert", [K], None),
        "hilbert, ends on a grid": ("hilbert", [K], grid),
        "hilbert, l = 3": ("hilbert", [K, LDiversity(3)], None),
        "hilbert, α = 0.5": ("hilbert", [K, AlphaK(0.5)], None),
        "secret-blind, l = 3": (SecretBlind(), [K, LDiversity(3)], None),
        "mondrian": ("mondrian", [K], None),
        "mdav, means": (shoal.methods.MDAV(publish="mean"), [K], None),
        "sorted-clusters": ("sorted-clusters", [K], None),
        "hilbert, t = 0.4": ("hilbert", [K, TCloseness(0.4)], None),
        "suppress": (Suppress(), [K], None),
        "noise": (Noise(), [], None),
        "rank-swap": (RankSwap(percent=10), [], None),
        "synthesize": (Synthesize(), [], None),
    }
    if table == "adult":
        found["full-domain"] = (FullDomain(), [K], None)
        found["pram"] = (Pram(), [], None)
    return found


def adult(folder: Path) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Read Adult: eight quasi-identifiers, of which age is a number, and the occupation, which is the secret."""
    frame = pl.read_csv(folder / "adult.csv", separator=";")
    quasi = [name for name in frame.columns if name != "occupation"]
    return frame, {"quasi": quasi, "sensitive": ["occupation"]}


def discharges() -> tuple[pl.DataFrame, dict[str, Any]]:
    """Draw from the stand-in: nine quasi-identifiers, and the range that the main diagnosis lies in as the secret."""
    from shoal_paper.datasets.discharges import discharges as stand_in

    frame = pl.from_arrow(stand_in(40_000).to_arrow())
    assert isinstance(frame, pl.DataFrame)
    kind = pl.col("diag_p").cast(str).str.zfill(5).str.head(2).alias("ill")
    frame = frame.select(pl.exclude("charge", "diag_p"), kind)
    return frame, {"quasi": frame.columns[:-1], "sensitive": ["ill"]}


def main(folder: Path) -> None:
    """Release, attack, and print a table for each data set."""
    for name, (frame, roles) in {"adult": adult(folder), "discharges": discharges()}.items():
        held = pl.arange(frame.height, eager=True) % 5 == 4
        kept, others = frame.filter(~held), frame.filter(held)
        table = shoal.read(kept, **roles)
        print(f"\n| {name} | {' | '.join(SHOWN.values())} | loss | CPU s |\n|{' --- |' * (len(SHOWN) + 3)}")
        for what, (method, models, ends) in ways(name).items():
            start = time.process_time()
            release = shoal.anonymize(
                table, method, models, ends=ends, no_promise=not models, measures=["information-loss"],
                allow_identifiers=table.schema.names,
            )  # fmt: skip
            again = None if not models else shoal.anonymize(table, method, [KAnonymity(7), *models[1:]], ends=ends)
            wanted = [each for each in ATTACKS if again is not None or each != "intersection"]
            found = shoal.attack(
                table, release, holdout=others, beside=[] if again is None else again, attacks=wanted, most=5_000
            )
            rates = {each["name"]: each for each in found["attacks"]}
            cells = [shown(rates.get(each)) for each in SHOWN]
            loss = release.scores[0].value
            print(f"| {what} | {' | '.join(cells)} | {loss:.3f} | {time.process_time() - start:.0f} |", flush=True)


def shown(found: dict[str, Any] | None) -> str:
    """Write a residual risk, or a rate where there is no control, in percent."""
    if found is None:
        return "–"
    value = found["rate"] if found["residual"] is None else found["residual"]
    return f"{100 * value:.1f}"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
