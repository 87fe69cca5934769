"""Distance to the closest record: whether released rows are nearer to those who are in there than to others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats, Integers
from shoal.attacks import Success
from shoal.attacks.residual import Rate
from shoal.attacks.scene import Crowd, Scene
from shoal.attacks.words import share

_LOW = 0.05


@dataclass(frozen=True)
class ClosestRows:
    """The share of released rows that are nearer to somebody who is in the release than to anybody who is not (DCR).

    Rows that are as near to both count half. If more people are in the release than others are known, they are nearer
    for no other reason: so the control is what the share would be if chance had decided who is in the release. It is
    exact: of t people who are nearest to a row it is the chance that all of them are in the release, and half of the
    chance that they are mixed. Low power makes it no guarantee. The detail has the distance below which 5 percent of
    rows lie, of both, and the mean ratio of the nearest to the second nearest distance (NNDR).

    References
    ----------
    M. Platzer, T. Reutterer: Holdout-based empirical assessment of mixed-type synthetic data, Frontiers in Big Data 4,
    2021, doi:10.3389/fdata.2021.679939.
    """

    name: ClassVar[str] = "closest-rows"

    def lacks(self, scene: Scene) -> str | None:
        """Say what would have to be known."""
        if scene.all_strangers is not None:
            return None
        return "nearness needs people who are not in the release (--holdout, --set-aside)"

    def successes(self, scene: Scene) -> tuple[Success, ...]:
        """Look for who is nearest to each row."""
        assert scene.outsiders is not None
        tree, inside = scene.tree_of_everyone(scene.quasi)
        part = min(scene.original.rows, scene.outsiders.rows)
        outside = Crowd.of(scene.outsiders, scene.quasi, part, scene.seed)
        tried = Crowd.of(scene.released, scene.quasi, scene.most, scene.seed)
        asked = scene.cells(tried)
        trees = [tree, scene.tree_of(outside)]
        (least, number), (beside, others) = (tree.numbers(asked) for tree in trees)
        alike = np.isclose(least, beside, rtol=1e-12, atol=0)
        closer = np.where(alike, 0.5, least < beside)
        ties = np.where(alike, number + others, np.where(least < beside, number, others))
        rate = Rate.of(closer, tried.counts, sampled=tried.sampled)
        control = Rate.of(_by_chance(ties, inside.rows, outside.rows), tried.counts, sampled=False)
        second = trees[0].distances(asked)[1]
        ratios = np.divide(least, second, out=np.ones_like(least), where=(second > 0) & np.isfinite(second))
        detail = {
            "nearest": _quantile(least, tried.counts), "nearest_held_out": _quantile(beside, tried.counts),
            "ratio": float((ratios * tried.counts).sum() / tried.rows), "rows": tried.rows, "records": inside.rows,
            "held_out": outside.rows,
        }  # fmt: skip
        sentence = (
            f"{share(rate.value)} of released rows are nearer to somebody in the release than to others, and "
            f"{share(control.value)} would be if chance had decided who is in it."
        )
        return (Success.of("dcr", rate, control, sentence, detail),)


def _by_chance(ties: Integers, inside: int, outside: int) -> Floats:
    """Give the expected score of rows to which so many people are nearest, if chance decided who of all is where."""
    whole = inside + outside
    different, which = np.unique(ties, return_inverse=True)
    return np.array([(1 + _all_of(t, inside, whole) - _all_of(t, outside, whole)) / 2 for t in different.tolist()])[
        which
    ]


def _all_of(drawn: int, marked: int, whole: int) -> float:
    """Give the chance that all of so many drawn are marked ones."""
    if drawn > marked:
        return 0.0
    logs = (
        math.lgamma(marked + 1),
        -math.lgamma(marked - drawn + 1),
        math.lgamma(whole - drawn + 1),
        -math.lgamma(whole + 1),
    )
    return math.exp(math.fsum(logs))


def _quantile(values: Floats, counts: Integers) -> float:
    """Give the value below which a twentieth of the rows lies."""
    order = np.argsort(values, kind="stable")
    before = np.cumsum(counts[order])
    return float(values[order][np.searchsorted(before, math.ceil(_LOW * int(before[-1])), "left")])
