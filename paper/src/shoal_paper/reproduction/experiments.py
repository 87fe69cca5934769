"""What the paper measures, step by step: each step gives tidy rows and is kept, so that a study can be resumed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path

from shoal.assessment.study import Cell, Row, Study, kept
from shoal.kernels import MISSING
from shoal.measures import Measure, score
from shoal.measures.attribute_disclosure import AttributeDisclosure
from shoal.measures.correlation_shift import CorrelationShift
from shoal.measures.uniqueness import Uniqueness
from shoal.methods.coarsen import Coarsen, Mode
from shoal.methods.hilbert import Hilbert
from shoal.methods.regenerate import Regenerate
from shoal.methods.sorted_clusters import SortedClusters
from shoal.methods.stratified_clusters import StratifiedClusters
from shoal.models.k_anonymity import KAnonymity
from shoal.progress import counted, stage
from shoal.table import Table
from shoal_paper.reproduction.beyond.all import EXPERIMENTS
from shoal_paper.reproduction.case import COARSENINGS, LEVELS, Case
from shoal_paper.reproduction.numbers import LARGEST_RISK
from shoal_paper.reproduction.provenance import code_sha256
from shoal_paper.reproduction.records import Records, different_counts
from shoal_paper.reproduction.regeneration import impossible
from shoal_paper.reproduction.setting import CENSUS
from shoal_paper.reproduction.surfaces import surfaces

# Algorithm S3 cuts a domain into intervals of equal length, as it is printed; the authors' program cuts it so that all
# have as many distinct values.
READINGS: dict[str, Mode] = {"coarsening": "distinct", "coarsening as printed": "width"}
SHOWN = ("race", "age_yrs")  # columns whose values are counted one by one, where a table has them


@dataclass(frozen=True, eq=False)
class Experiments:
    """The paper's experiments on one table, and those beyond it.

    Parameters
    ----------
    case
        The table in its three forms, and what is known of it.
    cache
        Where results are kept; None keeps nothing.
    beyond
        Whether to go beyond what the claims of the paper need.
    """

    case: Case
    cache: Path | None = None
    beyond: bool = True

    @property
    def steps(self) -> dict[str, tuple[int, Callable[[], list[Row]]]]:
        """Each step with its share of the work, by which the time left is estimated."""
        paper: dict[str, tuple[int, Callable[[], list[Row]]]] = {
            "masking": (1, self.masking),
            "key": (
                14,
                self.key,
            ),  # early: it needs two more tables, and later more is remembered of those that are there
            "knowledge": (18, self.knowledge),
            "regeneration": (18, self.regeneration),
            "correlations": (10, self.correlations),
            "comparison": (24, self.comparison),
            "closeness": (20, self.closeness),
            "surfaces": (50, self.surfaces),
        }
        if not self.beyond:
            return paper
        return paper | {each.name: (each.work, _bound(each.measure, self.case)) for each in EXPERIMENTS}

    def results(self) -> dict[str, list[Row]]:
        """Run every step that is not kept already."""
        found: dict[str, list[Row]] = {}
        steps = self.steps
        with counted(sum(work for work, _ in steps.values()), alone=True) as part:
            for name, (work, step) in steps.items():
                part.what = f"experiments, {name}"
                stage(part.what)
                found[name] = kept(self.cache, self._digest(name), step)
                part.done += work
                if name == "correlations":  # the last that needs it, and it is as large as the table
                    vars(self).pop("_joint", None)
        for each in (each for each in EXPERIMENTS if each.name in found):
            found[each.name] += each.earlier(found)
        return found

    def _digest(self, step: str) -> str:
        """Give a name to results that changes with the tables, with what is known of them, and with the code."""
        records, setting = self.case.records, replace(self.case.setting, source=None)
        inputs = [
            step,
            records.pd.origin.sha256,
            records.sha256,
            repr(setting),
            self.case.seed,
            self.beyond,
            code_sha256(),
        ]
        return f"{step}-{hashlib.sha256(json.dumps(inputs).encode()).hexdigest()[:24]}"

    def masking(self) -> list[Row]:
        """Fig. S1 and S2: how many records have each value, and in how many of them it is masked."""
        rows: list[Row] = []
        table = self.case.table
        for name in table.schema.quasi:
            axis = table.schema[name].axis
            positions, counts = self.case.records.pd.masked.get(name, ((), ()))
            hidden = dict(zip(map(int, positions), map(int, counts), strict=True))
            total: dict[str | None, tuple[int, int]] = {None: (table.rows, sum(hidden.values()))}
            if name in SHOWN:
                total |= {
                    axis.text(int(position)): (int(count), hidden.get(int(position), 0))
                    for position, count in zip(*table.counts(name), strict=True)
                    if position != MISSING
                }
            rows += [{"column": name, "value": v, "total": t, "masked": m} for v, (t, m) in total.items()]
        return rows

    def knowledge(self) -> list[Row]:
        """Fig. S3: the risk by what the attacker knows: in full, regenerated, and masked."""
        groups = self.case.groups
        sets = (some for size in range(1, len(groups) + 1) for some in combinations(groups, size))
        return [row for known in sets for row in self._risks(known)]

    def _risks(self, known: Sequence[str]) -> list[Row]:
        records, names = self.case.records, self.case.known(known)
        found = [("SPD", "signature", score(records.spd, measures=[Uniqueness(names)])[0])]
        if records.truth is not None:
            found.append(("truth", "signature", score(records.truth, measures=[Uniqueness(names)])[0]))
        after = score(records.pd, measures=[Uniqueness(names), Uniqueness(names, "fit")])
        found += [("PD", "signature", after[0]), ("PD", "fit", after[1])]
        return [
            {
                "known": " + ".join(known), "data": data, "matching": matching, "uniqueness": risk.value,
                "lower": risk.lower, "unique": risk.detail["unique"],
            }
            for data, matching, risk in found
        ]  # fmt: skip

    @cached_property
    def _joint(self) -> Table | None:
        """What is regenerated if values are drawn in keeping with the rest of the record."""
        return Regenerate(joint=True).apply(self.case.records.pd, (), self.case.seed) if self.beyond else None

    def regeneration(self) -> list[Row]:
        """What regeneration makes of the records: whether margins are kept, who stands alone, and what cannot be."""
        truth = self.case.records.truth
        rows: list[Row] = []
        for name, table in {"truth": truth, "SPD": self.case.table, "joint": self._joint}.items():
            if table is not None:
                alone, disclosed = score(table, measures=[Uniqueness(), AttributeDisclosure(self.case.setting.where)])
                found = {"unique": alone.value, "secret": disclosed.detail["records"] / table.rows, **impossible(table)}
                if truth is not None:
                    found["different counts"] = different_counts(truth, table)
                rows += [{"data": name, "what": what, "value": value} for what, value in found.items()]
        return rows

    def correlations(self) -> list[Row]:
        """Tables S4 and S5: pairwise correlations of what is not masked, as regenerated in two ways, and in full."""
        tables = {"PD": self.case.records.pd, "joint": self._joint, "truth": self.case.records.truth}
        found: dict[str, dict[str, float | None]] = {}
        for name, table in tables.items():
            if table is not None:
                detail = score(self.case.table, table, measures=[CorrelationShift("skip")])[0].detail
                found |= {"SPD": detail["before"], name: detail["after"]}
        return [
            {"data": data, "pair": pair, "correlation": value}
            for data, pairs in found.items()
            for pair, value in pairs.items()
        ]

    def _cells(self, cells: dict[tuple[str, str], Cell]) -> list[Row]:
        """Measure releases of SPD, given by family and level."""
        releases = None if self.cache is None else self.cache / self._digest("releases")
        rows = []
        for (family, label), cell in cells.items():
            found = Study((cell,), releases).run(self.case.table)
            rows += [_short(row, label, family) for row in [*found, _largest_risk(found)]]
        return rows

    def comparison(self) -> list[Row]:
        """Fig. S4: k-anonymity, coarsening in two readings and safe harbor by risk, disclosure and loss."""
        measures = self.case.measures
        cells = {("k-anonymity", f"k = {k}"): Cell((SortedClusters(),), (KAnonymity(k),), measures) for k in LEVELS}
        for family, mode in READINGS.items():
            cells |= {(family, f"1/{r}"): Cell((Coarsen(r, mode),), (), measures) for r in COARSENINGS}
        if self.beyond:
            cells |= {("hilbert", f"k = {k}"): Cell((Hilbert(),), (KAnonymity(k),), measures) for k in LEVELS}
        rows = self._cells(cells)
        worst: tuple[Measure, ...] = (Uniqueness(None, "fit"), *measures[1:])
        found = [
            {"measure": one.measure, "value": float(one.value), "detail": dict(one.detail)}
            for one in score(self.case.table, self.case.records.pd, measures=worst)
        ]
        return rows + [_short(row, "safe harbor", "safe harbor") for row in [*found, _largest_risk(found)]]

    def closeness(self) -> list[Row]:
        """Fig. S7: k-anonymity with and without t-closeness, at the levels of Table S9."""
        rows: list[Row] = []
        measures = self.case.measures
        for k in LEVELS:
            closeness = self.case.closeness(k)
            models = (KAnonymity(k), closeness)
            plain = {("k-anonymity", f"k = {k}"): Cell((SortedClusters(),), models[:1], measures)}
            close = {("with t-closeness", f"k = {k}"): Cell((StratifiedClusters(),), models, measures)}
            rows += [row | {"t": None} for row in self._cells(plain)]
            rows += [row | {"t": closeness.t} for row in self._cells(close)]
        return rows

    def key(self) -> list[Row]:
        """The other reading of Table S3: what hangs on the attributes that a record must be unique in to be masked.

        Rows are those of the steps that they name.
        """
        truth, setting, seed = self.case.records.truth, self.case.setting, self.case.seed
        if truth is None or setting.other_key is None:
            return []
        records = Records.of(truth, masking=replace(setting.masking, key=setting.other_key), seed=seed)
        other = Experiments(Case(records, setting, seed=seed), beyond=False)
        rows: list[Row] = [{"step": "masking"} | row for row in other.masking()]
        rows += [{"step": "knowledge"} | row for row in other._risks(self.case.groups)]
        rows += [{"step": "correlations"} | row for row in other.correlations()]
        for mode in READINGS.values():
            alone = score(Coarsen(2, mode).apply(records.spd, (), seed), measures=[Uniqueness()])[0].detail["unique"]
            rows.append({"step": "surfaces", "reading": mode, "first": 2, "second": 2, "unique": alone})
        return rows

    def surfaces(self) -> list[Row]:
        """Fig. S5 and S6: every pair of resolutions of census and other features, in both readings of Algorithm S3."""
        groups = self.case.known(self.case.groups[1:]), self.case.known((CENSUS,))
        return [
            {"reading": mode, **row} for mode in READINGS.values() for row in surfaces(self.case.table, *groups, mode)
        ]


def _bound(measure: Callable[[Case], list[Row]], case: Case) -> Callable[[], list[Row]]:
    return lambda: measure(case)


def _largest_risk(rows: Sequence[Row]) -> Row:
    """Give the chance of a right guess for the record that is worst off: one by the size of the smallest class.

    Of cells that fit each other it is known whether someone stands alone, not how many there are else: two at least.
    """
    detail = next(row["detail"] for row in rows if row["measure"] == "uniqueness")
    smallest = 1 if detail["unique"] else detail.get("smallest_class", 2)
    return {"measure": LARGEST_RISK, "value": 1 / smallest, "detail": {}}


def _short(row: Row, label: str, family: str) -> Row:
    """Keep what figures need of a row of a study."""
    return {
        "label": label, "family": family, "measure": row["measure"], "value": row["value"],
        "unique": row["detail"].get("unique"),
    }  # fmt: skip
