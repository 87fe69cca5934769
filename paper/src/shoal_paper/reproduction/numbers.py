"""The numbers of a study, by the names that sentences about them use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from shoal.assessment.study import Row
from shoal_paper.reproduction.case import COARSENINGS, LEVELS

Results = Mapping[str, Sequence[Row]]
LABELS = tuple(f"k = {k}" for k in LEVELS)
EIGHTH = f"1/{COARSENINGS[-1]}"
COARSE = ("coarsening", "coarsening as printed")
CLOSE = "with t-closeness"
LARGEST_RISK = "largest-risk"  # the chance of a right guess for the record that is worst off


class AbsentError(LookupError):
    """The study has no such number: its table lacks what it is about."""


def everything(results: Results) -> str:
    """Give the name of knowing all groups of features."""
    known: list[str] = [row["known"] for row in results["knowledge"]]
    return max(known, key=lambda groups: groups.count("+"))


def uniqueness(results: Results) -> dict[str, float | None]:
    """Give the share of records that stand alone in each of the three tables; of the masked one, in the worst case."""
    wanted = {("truth", "signature"), ("PD", "fit"), ("SPD", "signature")}
    known = everything(results)
    rows = [r for r in results["knowledge"] if r["known"] == known and (r["data"], r["matching"]) in wanted]
    found = {row["data"].lower(): row["uniqueness"] for row in rows}
    return {name: found.get(name) for name in ("truth", "pd", "spd")}


def agreement(before: Mapping[str, float | None], after: Mapping[str, float | None]) -> float:
    """Give the correlation between two sets of correlations."""
    both = [(r, after[pair]) for pair, r in before.items() if r is not None and after.get(pair) is not None]
    if len(both) < 3:
        raise AbsentError
    return float(np.corrcoef(np.array(both, float).T)[0, 1])


def linearity(values: Sequence[float]) -> float:
    """Give how much of the variation of some values a straight line through them explains (R²)."""
    if min(values) == max(values):
        raise AbsentError  # nothing varies
    return float(np.corrcoef(range(len(values)), values)[0, 1] ** 2)


def ratio(first: float, second: float) -> float:
    """Divide, unless there is nothing to compare with."""
    if second == 0:
        raise AbsentError
    return first / second


class Numbers:
    """What was measured, looked up by name; what is not there raises `AbsentError`."""

    def __init__(self, results: Results) -> None:
        self.results = results
        self._risks = uniqueness(results)

    def risk(self, data: str) -> float:
        """Give the uniqueness of a table (truth, pd, spd) when everything is known."""
        return _there(self._risks[data])

    def released(self, measure: str, label: str, family: str) -> float:
        """Give a score of a release."""
        step = "closeness" if family == CLOSE else "comparison"
        wanted = (measure, label, family)
        return _first(r["value"] for r in self.results[step] if (r["measure"], r["label"], r["family"]) == wanted)

    def levels(self, measure: str, family: str = "k-anonymity") -> list[float]:
        """Give a score at every level of k."""
        return [self.released(measure, label, family) for label in LABELS]

    def others(self, measure: str) -> list[float]:
        """Give a score of coarsening, in both readings, and of safe harbor."""
        coarse = [self.released(measure, f"1/{r}", family) for family in COARSE for r in COARSENINGS]
        return [*coarse, self.released(measure, "safe harbor", "safe harbor")]

    def surface(self, first: int, second: int, key: str, reading: str = "distinct") -> float:
        """Give a cell of a surface; 0 is the original resolution."""
        wanted = (reading, first, second)
        rows = self.results["surfaces"]
        return _first(row[key] for row in rows if (row["reading"], row["first"], row["second"]) == wanted)

    def diagonal(self) -> list[float]:
        """Give the uniqueness when all attributes have 32, 16, 8, 4 and 2 intervals."""
        return [self.surface(r, r, "uniqueness") for r in (32, 16, 8, 4, 2)]

    def correlations(self, data: str) -> dict[str, float | None]:
        """Give the correlations of a table by pair."""
        found = {r["pair"]: r["correlation"] for r in self.results["correlations"] if r["data"] == data}
        if not found:
            raise AbsentError
        return found

    def apart(self, data: str, printed: Mapping[str, Sequence[float]]) -> tuple[float, str]:
        """Give the largest difference of a correlation from a printed one, and its pair."""
        found = self.correlations(data)
        names = [*printed, "adm_qtr"]
        pairs = {
            f"{a} ~ {b}": r
            for i, (a, row) in enumerate(printed.items())
            for b, r in zip(names[i + 1 :], row, strict=True)
        }
        far = [(abs(_there(found.get(pair)) - r), pair) for pair, r in pairs.items()]
        return max(far)

    def regenerated(self, data: str, what: str) -> float:
        """Give what was found of a regenerated table."""
        rows = self.results["regeneration"]
        return _first(row["value"] for row in rows if (row["data"], row["what"]) == (data, what))

    def masked(self, column: str) -> float:
        """Give the share of records in which a column is masked."""
        rows = self.results["masking"]
        return _first(r["masked"] / r["total"] for r in rows if (r["column"], r["value"]) == (column, None))

    def masked_mean(self) -> float:
        """Give the share of masked cells of all quasi-identifiers."""
        whole = [row for row in self.results["masking"] if row["value"] is None]
        return float(np.mean([row["masked"] / row["total"] for row in whole]))

    def masked_values(self, column: str) -> dict[str, tuple[int, int]]:
        """Give how many records have each value of a column, and in how many it is masked."""
        rows = [row for row in self.results["masking"] if row["column"] == column and row["value"] is not None]
        if not rows:
            raise AbsentError
        return {row["value"]: (row["total"], row["masked"]) for row in rows}


def _first(values: Iterable[float | None]) -> float:
    return _there(next(iter(values), None))


def _there(value: float | None) -> float:
    if value is None:
        raise AbsentError
    return float(value)
