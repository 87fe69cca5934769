"""How far one known person leads through a release of Algorithm S4 with k = 2, and what breaking the chain costs.

python benchmarks/chains.py. Keys rise from class to class in each stratum, and the attacker knows everybody's. Of the
two people of a class one is of the lower stratum: once that is known of one class, it follows for many others. The
attacker is also told in which order the classes were formed, and among which of them records were dealt at random, so
this is the most that can follow. Neighbouring stretches of classes rule out pairs of answers (2-SAT), and what is known
is followed to its end.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl

import shoal
from shoal.arrays import Floats, Integers
from shoal.methods import Hilbert, Method, StratifiedClusters
from shoal.methods.sorted_clusters import sort_keys
from shoal.models import KAnonymity, PrivacyModel, TCloseness

MIXED = (1, 16, 64, 125, 250, 500, 1000)


@dataclass(frozen=True, eq=False)
class Chains:
    """What follows from what: literal 2·i says that the first person of class i is of the lower stratum."""

    implied: dict[int, set[int]]
    truth: Integers

    @classmethod
    def of(cls, keys: Floats, low: Integers, stretch: Integers) -> Chains:
        """Find the pairs of answers that cannot both be, given the keys of both people of each class."""
        implied = defaultdict[int, set[int]](set)
        members = [np.flatnonzero(stretch == number) for number in range(stretch.max() + 1)]
        for before, after in pairwise(members):
            for s in (0, 1):
                for u in (0, 1):
                    wrong = (keys[before, s][:, None] > keys[after, u]) | (
                        keys[before, 1 - s][:, None] > keys[after, 1 - u]
                    )
                    for i, j in zip(*np.nonzero(wrong), strict=True):
                        a, b = 2 * int(before[i]) + s, 2 * int(after[j]) + u
                        implied[a].add(b ^ 1)
                        implied[b].add(a ^ 1)
        return cls(implied, 2 * np.arange(low.size) + low)

    def following(self, *known: int) -> set[int]:
        """Give all that follows from some answers."""
        found, left = set(known), list(known)
        while left:
            new = self.implied.get(left.pop(), set()) - found
            found |= new
            left += new
        return found

    def fixed(self) -> tuple[int, float, int]:
        """Count the classes that are settled anyway; and those that one more known person settles: mean and most."""
        alone = {literal for literal in self.truth.tolist() if literal in self.following(literal ^ 1)}
        alone = self.following(*alone)
        more = [len(self.following(int(literal)) - alone - {literal}) for literal in self.truth]
        return len(alone), float(np.mean(more)), max(more)


def people(rises: int, rows: int = 2000, seed: int = 1) -> pl.DataFrame:
    """Make people whose pay rises by so much with each year of their age."""
    draw = np.random.default_rng(seed)
    age = draw.integers(18, 90, rows)
    pay = age * rises + draw.integers(0, 4000, rows)
    return pl.DataFrame(
        {"age": age, "zip": draw.integers(0, 1000, rows), "size": draw.integers(1, 9, rows), "pay": pay}
    )


def chains_of(table: shoal.Table, mixed: int, seed: int | None = None) -> Chains:
    """Give what follows from what in a release of a table with two strata."""
    release = shoal.anonymize(table, StratifiedClusters(mixed=mixed), [KAnonymity(2)], measures=[], seed=seed)
    key = np.concatenate(table.collect(lambda found: found, *sort_keys(table, table.moments())))
    half = table.rows // 2
    high = np.concatenate(table.collect(lambda place: place >= half, table.rank(["pay"]))).astype(np.int64)
    place = np.empty(table.rows, np.int64)
    order = np.lexsort([np.arange(table.rows), key, high])
    place[order] = np.arange(table.rows)
    cells = release.table.to_polars(cells="text").select("age", "zip", "size").rows()
    classes = defaultdict(list)
    for row, shown in enumerate(cells):
        classes[shown].append(row)
    pairs = np.array([rows for rows in classes.values() if len(rows) == 2])
    low = (high[pairs[:, 0]] == 1).astype(np.int64)  # which of the two is of the lower stratum
    lows = pairs[np.arange(low.size), low]
    by_place = np.argsort(place[lows])
    return Chains.of(key[pairs][by_place], low[by_place], place[lows][by_place] // mixed)


def main() -> None:
    """Print the table of docs/attacks.md."""
    print("| pay | mixed | settled anyway | by one known person, mean | most | loss, k = 2 | loss, t = 0.1 | its t |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for what, rises in (("by chance", 0), ("rises with age", 20)):
        table = shoal.read(people(rises), quasi=["age", "zip", "size"], sensitive=["pay"])
        for mixed in MIXED:
            alone, mean, most = chains_of(table, mixed, seed=7).fixed()
            settled = f"{alone} | {mean:.1f} | {most}"
            print(f"| {what} | {mixed:,} | {settled} | {_costs(table, StratifiedClusters(mixed=mixed))} |")
        print(f"| {what} | `hilbert` | | | | {_costs(table, Hilbert())} |")


def _costs(table: shoal.Table, method: Method) -> str:
    asked: list[list[PrivacyModel]] = [[KAnonymity(2)], [KAnonymity(2), TCloseness(0.1)]]
    plain, close = (shoal.anonymize(table, method, models, seed=7) for models in asked)
    losses = " | ".join(f"{each.scores['information-loss'].value:.3f}" for each in (plain, close))
    return f"{losses} | {close.verdicts[1].level:.4f}"


if __name__ == "__main__":
    main()
