"""What the paper measures, step by step: each step gives tidy rows and is kept, so that a study can be resumed."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path

from shoal.measures import Measure, score
from shoal.measures.attribute_disclosure import AttributeDisclosure
from shoal.measures.correlation_shift import CorrelationShift
from shoal.measures.information_loss import InformationLoss
from shoal.measures.random_reidentification import RandomReidentification
from shoal.measures.uniqueness import Uniqueness
from shoal.methods.coarsen import Coarsen
from shoal.methods.mask_uniques import MaskUniques
from shoal.methods.regenerate import Regenerate
from shoal.methods.sorted_clusters import SortedClusters
from shoal.methods.stratified_clusters import StratifiedClusters
from shoal.models.k_anonymity import KAnonymity
from shoal.models.t_closeness import TCloseness, closeness_bound
from shoal.progress import counted, stage
from shoal.reproduction.surfaces import surfaces
from shoal.study import Cell, Row, Study, kept
from shoal.table import Table
from shoal.version import VERSION

LEVELS = (2, 3, 5, 10)
COARSENINGS = (32, 16, 8)
WHERE = "charge > 100000"
CENSUS, SPATIAL, TEMPORAL = "census", "spatial", "temporal"
MEASURES: tuple[Measure, ...] = (
    Uniqueness(),
    RandomReidentification(),
    AttributeDisclosure(WHERE),
    InformationLoss(),
)


@dataclass(frozen=True, eq=False)
class Experiments:
    """The paper's experiments on one table of discharges.

    Parameters
    ----------
    table
        The records in full, the paper's SPD. Its columns carry the knowledge groups census, spatial and temporal.
    cache
        Where results are kept; None keeps nothing.
    seed
        The seed of regeneration.
    """

    table: Table
    cache: Path | None = None
    seed: int = 0

    @cached_property
    def masked(self) -> Table:
        """The records as the state would release them, the paper's PD."""
        return MaskUniques().apply(self.table, (), self.seed)

    def group(self, *names: str) -> tuple[str, ...]:
        """Give the quasi-identifiers of some knowledge groups."""
        return tuple(a.name for a in self.table.schema.attributes if a.knowledge in names)

    def results(self) -> dict[str, list[Row]]:
        """Run every step that is not kept already."""
        # Each step with its share of the work, in percent, by which the time left is told.
        steps: dict[str, tuple[int, Callable[[], list[Row]]]] = {
            "masking": (6, self.masking),
            "knowledge": (16, self.knowledge),
            "correlations": (26, self.correlations),
            "comparison": (12, self.comparison),
            "closeness": (18, self.closeness),
            "surfaces": (22, lambda: surfaces(self.table, self.group(SPATIAL, TEMPORAL), self.group(CENSUS))),
        }
        found: dict[str, list[Row]] = {}
        with counted(100, alone=True) as part:
            for name, (work, step) in steps.items():
                part.what = f"experiments, {name}"
                stage(part.what)
                found[name] = kept(self.cache, self._digest(name), step)
                part.done += work
        return found

    def _digest(self, step: str) -> str:
        told = [step, self.table.origin.sha256, self.table.rows, self.seed, VERSION]
        return f"{step}-{hashlib.sha256(json.dumps(told).encode()).hexdigest()[:24]}"

    def masking(self) -> list[Row]:
        """Fig. S1 and S2: how many records have each value, and in how many of them it is masked."""
        rows = []
        for name in self.table.schema.quasi:
            axis = self.table.schema[name].axis
            positions, counts = self.masked.masked.get(name, ((), ()))
            hidden = dict(zip(map(int, positions), map(int, counts), strict=True))
            total: dict[str | None, tuple[int, int]] = {None: (self.table.rows, sum(hidden.values()))}
            if name in ("race", "age_yrs"):
                total = {
                    axis.text(int(position)): (int(count), hidden.get(int(position), 0))
                    for position, count in zip(*self.table.counts(name), strict=True)
                }
            rows += [{"column": name, "value": v, "total": t, "masked": m} for v, (t, m) in total.items()]
        return rows

    def knowledge(self) -> list[Row]:
        """Fig. S3: the risk before and after masking by what the attacker knows."""
        groups = (CENSUS, SPATIAL, TEMPORAL)
        rows = []
        for known in (c for size in (1, 2, 3) for c in combinations(groups, size)):
            names = self.group(*known)
            full = score(self.table, measures=[Uniqueness(names)])[0]
            after = score(self.masked, measures=[Uniqueness(names), Uniqueness(names, "fit")])
            for data, matching, found in (
                ("SPD", "signature", full), ("PD", "signature", after[0]), ("PD", "fit", after[1]),
            ):  # fmt: skip
                rows.append(
                    {
                        "known": " + ".join(known), "data": data, "matching": matching, "uniqueness": found.value,
                        "lower": found.lower, "unique": found.detail["unique"],
                    }
                )  # fmt: skip
        return rows

    def correlations(self) -> list[Row]:
        """Tables S4 and S5: pairwise correlations in full, as masked, and as regenerated in two ways.

        The last row of each regenerated table tells how many counts of single values differ from the original's.
        """
        rows: list[Row] = []
        made = {"S1": Regenerate(), "joint": Regenerate(joint=True)}
        tables = {"PD": self.masked} | {name: way.apply(self.masked, (), self.seed) for name, way in made.items()}
        for name, table in tables.items():
            detail = score(self.table, table, measures=[CorrelationShift("skip")])[0].detail
            if name == "PD":
                rows += [{"data": "SPD", "pair": pair, "correlation": r} for pair, r in detail["before"].items()]
            rows += [{"data": name, "pair": pair, "correlation": r} for pair, r in detail["after"].items()]
            if name != "PD":
                rows.append({"data": name, "pair": "different counts", "correlation": self._different_counts(table)})
        return rows

    def _different_counts(self, table: Table) -> int:
        different = 0
        for name in table.schema.quasi:
            (values, counts), (others, numbers) = self.table.counts(name), table.counts(name)
            before = dict(zip(values.tolist(), counts.tolist(), strict=True))
            after = dict(zip(others.tolist(), numbers.tolist(), strict=True))
            different += sum(before.get(value) != after.get(value) for value in before.keys() | after.keys())
        return different

    def _study(self, cells: list[Cell]) -> list[Row]:
        return Study(tuple(cells), self.cache).run(self.table)

    def comparison(self) -> list[Row]:
        """Fig. S4: k-anonymity, coarsening and safe harbor by risk, disclosure and loss."""
        cells = [Cell((SortedClusters(),), (KAnonymity(k),), MEASURES) for k in LEVELS]
        cells += [Cell((Coarsen(resolution),), (), MEASURES) for resolution in COARSENINGS]
        labels = [f"k = {k}" for k in LEVELS] + [f"1/{resolution}" for resolution in COARSENINGS]
        families = ["k-anonymity"] * len(LEVELS) + ["coarsening"] * len(COARSENINGS)
        rows = []
        for cell, label, family in zip(cells, labels, families, strict=True):
            rows += [_short(row, label, family) for row in self._study([cell])]
        worst: tuple[Measure, ...] = (Uniqueness(None, "fit"), *MEASURES[1:])
        for found in score(self.table, self.masked, measures=worst):
            row = {"measure": found.measure, "value": float(found.value), "detail": dict(found.detail)}
            rows.append(_short(row, "safe harbor", "safe harbor"))
        return rows

    def closeness(self) -> list[Row]:
        """Fig. S7: k-anonymity with and without t-closeness, at the levels of Table S9."""
        rows = []
        for k in LEVELS:
            t = math.ceil(closeness_bound(self.table.rows, k) * 100 - 1e-9) / 100
            # Eq. 6 holds under the convention that ranks records, ties broken: the paper's levels of t mean that one.
            models = (KAnonymity(k), TCloseness(t, "charge", "ordered-records"))
            plain = Cell((SortedClusters(),), models[:1], MEASURES)
            close = Cell((StratifiedClusters(),), models, MEASURES)
            rows += [_short(row, f"k = {k}", "k-anonymity") | {"t": None} for row in self._study([plain])]
            rows += [_short(row, f"k = {k}", "with t-closeness") | {"t": t} for row in self._study([close])]
        return rows


def _short(row: Row, label: str, family: str) -> Row:
    """Keep what figures need of a row of a study."""
    return {
        "label": label, "family": family, "measure": row["measure"], "value": row["value"],
        "unique": row["detail"].get("unique"),
    }  # fmt: skip
