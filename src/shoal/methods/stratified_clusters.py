"""Algorithm S4: one record from each stratum of the confidential attribute in every class."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Bits
from shoal.errors import ParameterError
from shoal.kernels.grouping import starts_of
from shoal.kernels.random_streams import random_words, uniform
from shoal.methods import required_model
from shoal.methods.partitioning import Publisher, describe_publication
from shoal.methods.partitioning.merge_failing import promise_of
from shoal.methods.perturbation.streams import Streams
from shoal.methods.sorted_clusters import sort_keys
from shoal.models import PrivacyModel
from shoal.models.k_anonymity import KAnonymity
from shoal.models.t_closeness import TCloseness, smallest_cluster
from shoal.table import Carry, Classes, Column, Given, Table

# How far from its own class a left-over record may go, nearest classes first.
_RINGS = ((0, 64), (64, 512), (512, 4096))


def class_size(rows: int, models: Sequence[PrivacyModel]) -> int:
    """Give the number of strata, as the authors' program finds it."""
    k = required_model(models, KAnonymity, "a stratified method").k
    for model in models:
        if isinstance(model, TCloseness):
            least = smallest_cluster(rows, model.t)
            k = k if k > least else math.floor(least) + 1
    k = min(k, rows)
    return k + (rows % k) // (rows // k)


@dataclass(frozen=True)
class StratifiedClusters(Publisher):
    """k-anonymity with t-closeness: Algorithm S4, mended so that t always holds.

    Records are sorted by the confidential attribute and cut into as many strata as a class has records; inside a
    stratum they are sorted as in Algorithm S2, and the i-th class takes the i-th record of each. Left-over records,
    those with the largest confidential values, go to the first classes, as in the authors' program.

    As published, classes that take a left-over record, and tables with many equal confidential values, can miss t.
    The distance of every class is therefore measured: left-over records move to the nearest class that stays within
    t, and classes that still miss it are joined with their neighbours. Nothing is touched where t holds already.

    The i-th class takes the i-th record of each stratum, so that keys rise from class to class in each: who knows the
    value of one person can tell by them whose the values of the next classes are, and so on. With ``mixed`` this order
    is broken: among so many classes that follow each other, it is drawn which takes which record of a stratum.

    Parameters
    ----------
    publish
        What a class shows: ``range``, as published, ``mean``, ``median`` or ``mode`` of its cells (see `Publisher`).
    mixed
        Among how many neighbouring classes records of a stratum are assigned at random; 1 leaves them as published. The
        seed is drawn for each run and kept nowhere.

    References
    ----------
    D. Sánchez, S. Martínez, J. Domingo-Ferrer, supplement of doi:10.1126/science.aad9295, Algorithm S4;
    J. Soria-Comas, J. Domingo-Ferrer, D. Sánchez, S. Martínez: t-Closeness through microaggregation, IEEE TKDE
    27(11), 2015, doi:10.1109/TKDE.2015.2435777.
    """

    name: ClassVar[str] = "stratified-clusters"
    enforces: ClassVar[tuple[str, ...]] = ("k-anonymity", "t-closeness", "l-diversity", "alpha-k")

    keeps_values: ClassVar[bool] = True
    mixed: int = 1

    @property
    def repeatable(self) -> bool:
        """Whether each run forms the same classes."""
        return self.mixed == 1

    def __post_init__(self) -> None:
        """Refuse what is no number of classes."""
        super().__post_init__()
        if isinstance(self.mixed, bool) or not isinstance(self.mixed, int) or self.mixed < 1:
            raise ParameterError("Records are mixed among a whole number of classes.", "Say mixed=16, or leave it out.")

    def apply(self, table: Table, models: Sequence[PrivacyModel], seed: int) -> Table:
        """Give each class one record of each stratum."""
        required_model(models, KAnonymity, self.name).demand(table.rows, None)
        close = [model for model in models if isinstance(model, TCloseness)]
        confidential = (close[0] if close else TCloseness(1)).confidential(table.schema)
        size = class_size(table.rows, models)
        groups = table.rows // size
        by_value = table.rank([confidential])
        stratum = table.combine(lambda place: np.minimum(place // np.int32(groups), np.int32(size)), by_value)
        place = table.rank([stratum, *sort_keys(table, table.moments())])
        if self.mixed > 1:
            place = self._mixed(table, stratum, place, groups, Streams(seed).key("mixed"))
        labels = table.combine(lambda place, stratum: place - stratum * np.int32(groups), place, stratum)
        over = table.rows - groups * size
        if close and over:
            moves = _extras_placed(table, labels, stratum, size, groups, over, close[0])
            labels = table.combine(
                lambda label, stratum: np.where(stratum == size, moves[np.minimum(label, over - 1)], label),
                labels, stratum,
            )  # fmt: skip
        return self.release_merged(table, labels, groups, models)

    def _mixed(self, table: Table, stratum: Column, place: Column, groups: int, key: Bits) -> Column:
        """Shuffle the places in each stratum, within stretches of so many classes."""
        mixed = self.mixed
        stretch = table.combine(lambda place, stratum: (place - stratum * np.int32(groups)) // mixed, place, stratum)
        drawn = table.combine(lambda row: uniform(random_words(key, row)), table.rank([]))
        return table.rank([stratum, stretch, drawn])

    def explain(self, table: Table, models: Sequence[PrivacyModel]) -> str:
        """Say what is done."""
        size = class_size(table.rows, models)
        order = f", assigned at random among {self.mixed:,} classes at a time" if self.mixed > 1 else ""
        return (
            f"Cut {table.rows:,} records into {size} strata of the confidential attribute, formed classes with one "
            f"record of each stratum in the order of Algorithm S2{order}, joined classes that missed a promise "
            f"(Algorithm S4), and {describe_publication(self.publish)}."
        )


def _extras_placed(
    table: Table, labels: Column, stratum: Column, size: int, groups: int, over: int, model: TCloseness
) -> NDArray[np.int32]:
    """Move each left-over record that pushes its class beyond t to the nearest class that can take it.

    Left-over records are in the first classes, one in each. Gives where the one of each of these goes. Only classes
    that one of them may go to are looked at.
    """
    promise = promise_of(model, table)
    extra, row = Given(stratum), Given(table.rank([]))
    carry = (*promise.carry, extra, row)
    reach = min(groups, over + _RINGS[-1][1] + 1)

    def near(classes: Classes) -> tuple[NDArray[np.int64], tuple[NDArray[Any], ...], NDArray[np.float64]]:
        few = max(0, min(classes.sizes.size, reach - classes.first))
        starts = classes.starts[: few + 1]
        columns = {item: column[: starts[-1]] for item, column in classes.columns.items()}
        levels = promise.level(Classes(starts, columns)) if few else np.empty(0)
        return np.diff(starts), tuple(columns[item] for item in carry), levels

    parts = table.groups(near, labels, carry)
    starts = np.append(0, np.cumsum(np.concatenate([part[0] for part in parts])))
    *looked_at, strata, rows = (np.concatenate([part[1][i] for part in parts]) for i in range(len(carry)))
    columns = dict(zip(promise.carry, looked_at, strict=True))
    level = np.concatenate([part[2] for part in parts])
    extras = np.flatnonzero(strata == size)
    homes = np.searchsorted(starts, extras, side="right") - 1
    moves = np.arange(over, dtype=np.int32)
    taken = set(range(over))
    for at in np.argsort(rows[extras], kind="stable").tolist():
        here = int(homes[at])
        if model.met(level[here : here + 1])[0]:
            continue
        for other in _nearest_first(here, level.size):
            candidates = np.array([g for g in other if g not in taken], np.int64)
            if candidates.size == 0:
                continue
            trial = _with_one_more(starts, columns, candidates, int(extras[at]))
            fits = np.flatnonzero(model.met(promise.level(trial)))
            if fits.size:
                moves[here] = candidates[fits[0]]
                taken.add(int(candidates[fits[0]]))
                break
    return moves


def _nearest_first(here: int, groups: int) -> Iterator[list[int]]:
    """Give the other classes in widening rings around one, as far as a record may sensibly go."""
    for reach, wider in _RINGS:
        ring = (here + step * side for step in range(reach + 1, wider + 1) for side in (1, -1))
        yield [g for g in ring if 0 <= g < groups]


def _with_one_more(
    starts: NDArray[np.int64], columns: Mapping[Carry, NDArray[Any]], chosen: NDArray[np.int64], extra: int
) -> Classes:
    """Give some classes as they would be with the record at one more place."""
    members = [np.append(np.arange(starts[g], starts[g + 1]), extra) for g in chosen]
    rows = np.concatenate(members)
    return Classes(
        starts_of(np.array([part.size for part in members])), {name: of[rows] for name, of in columns.items()}
    )
