"""The same range queries, answered from a budget, from private releases, and from k-anonymous ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from shoal.arrays import Floats
from shoal.assessment.study import Row
from shoal.engines import read
from shoal.measures.query_error import QueryError
from shoal.measures.statistics.sampling import chances
from shoal.methods import Method
from shoal.methods.hilbert import Hilbert
from shoal.methods.private_averages import PrivateAverages
from shoal.methods.private_tree import PrivateTree
from shoal.methods.sorted_clusters import SortedClusters
from shoal.models.k_anonymity import KAnonymity
from shoal.private.accounting import Price
from shoal.private.mechanisms import NoiseMechanism
from shoal.progress import stage
from shoal.table import Table
from shoal_paper.datasets.discharges import discharges

K = 5
EPSILONS = (0.1, 1.0, 10.0)
QUERIES = 500
FEW = 10
FLOOR = 0.001
SPREAD = 0.05
ROUNDS = 5  # noise is never the same: so many draws are averaged
# What is known of a discharge without looking at one. Stays beyond 60 days count as 60.
DOMAINS = {
    "age_yrs": "0..85", "sex": "1..2", "race": "1..6", "patcnty": "0..58", "los": "0..60", "adm_qtr": "1..4",
}  # fmt: skip


@dataclass(frozen=True)
class QueryKind:
    """A kind of question: how many attributes it names, and what share of the records it holds, about."""

    name: str
    attributes: int
    selectivity: float

    @property
    def measure(self) -> QueryError:
        """What draws such queries, always the same ones."""
        return QueryError(queries=QUERIES, attributes=self.attributes, selectivity=self.selectivity, floor=FLOOR)


COARSE, FINE = QueryKind("coarse", 1, 0.3), QueryKind("fine", 3, 0.01)
KINDS = (COARSE, FINE)


def table_of(rows: int, seed: int) -> Table:
    """Make discharges with six attributes, each inside its domain."""
    made = discharges(rows, seed).to_arrow().select(list(DOMAINS))
    stay = made.column("los").to_numpy()
    made = made.set_column(made.column_names.index("los"), "los", [np.minimum(stay, 60)])
    return read(made, quasi=list(DOMAINS))


def rho_of(epsilon: float) -> float:
    """Give the ρ that a pure ε implies: ε²/2."""
    return epsilon**2 / 2


def class_size(rows: int, rho: float) -> int:
    """Give the size of classes with which the noise of an average is a twentieth of the range of its column.

    It follows from the number of records and from what was asked, which are public.
    """
    balanced: float = (rows * len(DOMAINS) / (2 * rho) / SPREAD**2) ** (1 / 3)
    return min(max(K, round(balanced)), rows // 2)


def results(rows: int, seed: int) -> dict[str, list[Row]]:
    """Ask everything, and say how far answers are from the truth."""
    table = table_of(rows, seed)
    found = [*_of_classes(table), *_of_answers(table), *_of_private(table)]
    return {"errors": found}


def _of_classes(table: Table) -> Iterator[Row]:
    """Answer from k-anonymous releases: cells are spread evenly over the values that they may stand for."""
    ways: Sequence[Method] = (Hilbert(), SortedClusters())
    for method in ways:
        stage(f"asking a {K}-anonymous release by {method.name}")
        released = method.apply(table, [KAnonymity(K)], 0)
        yield from (
            {"data": f"{method.name}, k = {K}", "queries": kind.name, "asked": QUERIES, "epsilon": None}
            | _far_off([kind.measure.counts(table, released)], table.rows)
            for kind in KINDS
        )


def _of_answers(table: Table) -> Iterator[Row]:
    """Answer from a budget: each of so many counts costs its share of it, and gets noise for that."""
    for kind in KINDS:
        true, _ = kind.measure.counts(table, table)
        true = np.rint(true)
        for epsilon in EPSILONS:
            for asked in (FEW, QUERIES):
                stage(f"asking {asked} {kind.name} questions of a budget of {epsilon:g}")
                price = Price.of(rho=Fraction(str(rho_of(epsilon))) / asked)
                noise = NoiseMechanism("gaussian", 1, price.scale(1, 1, selecting=False))
                chosen = np.argsort(chances(np.arange(true.size), 1))[:asked] if asked < true.size else slice(None)
                rounds = [
                    (true[chosen], np.array(noise.added([int(count) for count in true[chosen]]), np.float64))
                    for _ in range(ROUNDS)
                ]
                yield {
                    "data": f"{asked} answers", "queries": kind.name, "asked": asked, "epsilon": epsilon,
                    **_far_off(rounds, table.rows),
                }  # fmt: skip


def _of_private(table: Table) -> Iterator[Row]:
    """Answer from private releases, of which any number of questions may be asked."""
    for epsilon in EPSILONS:
        ways: Sequence[Method] = (
            PrivateAverages(DOMAINS, k=class_size(table.rows, rho_of(epsilon)), rho=rho_of(epsilon)),
            PrivateTree(DOMAINS, rho=rho_of(epsilon)),
        )
        for method in ways:
            stage(f"asking releases by {method.name} with {epsilon:g}")
            made = [method.apply(table, [], 0) for _ in range(ROUNDS)]
            for kind in KINDS:
                rounds = [kind.measure.counts(table, released) for released in made]
                yield {
                    "data": method.name, "queries": kind.name, "asked": QUERIES, "epsilon": epsilon,
                    **_far_off(rounds, table.rows),
                }  # fmt: skip


def _far_off(rounds: Sequence[tuple[Floats, Floats]], rows: int) -> dict[str, float]:
    """Give the mean error: of the count, or of a thousandth of the records where that is more; and of all records."""
    relative, absolute = [], []
    for true, answered in rounds:
        off = np.abs(answered - true)
        relative.append(float((off / np.maximum(true, max(FLOOR * rows, 1.0))).mean()))
        absolute.append(float(off.mean()) / rows)
    return {"relative": float(np.mean(relative)), "of_all": float(np.mean(absolute))}


def nearest(found: Mapping[str, Sequence[Row]], queries: str, epsilon: float, asked: int) -> Row:
    """Give what was nearest the truth, of all that could be had at an ε for so many questions."""
    fitting = [
        row
        for row in found["errors"]
        if row["queries"] == queries
        and row["epsilon"] in (None, epsilon)
        and (not row["data"].endswith("answers") or row["asked"] == asked)
    ]
    return min(fitting, key=lambda row: row["relative"])
