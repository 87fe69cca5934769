"""Singling out: whether what a released row shows describes exactly one person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shoal.attacks import Success
from shoal.attacks.residual import Rate
from shoal.attacks.scene import Scene
from shoal.attacks.words import beside, share
from shoal.measures.statistics.sampling import chances, sampled_rows
from shoal.parameters import settle

_CHANCE = 0.3678794411714423  # 1/e: how often a description that fits 1 in n isolates one of n by luck


@dataclass(frozen=True)
class SinglingOut:
    """What a released row shows in some columns is taken as a description, which may isolate exactly one person.

    The rate is the share of distinct descriptions, by all quasi-identifiers and the secret, that fit exactly one person
    in the release; the control is the share that fits exactly one of those who are not. Rows of which the
    quasi-identifiers are all hidden describe nobody. k-anonymity does not prevent it where a secret is alone in its
    class. The detail has the same for the quasi-identifiers alone, and for random sets of columns. A description of
    weight w isolates somebody by luck with a chance of n w (1 - w)^(n - 1), at most 0.37.

    Parameters
    ----------
    sets
        How many random sets of columns are tried.
    size
        How many columns each has, at most.

    References
    ----------
    A. Cohen, K. Nissim: Towards formalizing the GDPR's notion of singling out, PNAS 117(15), 2020,
    doi:10.1073/pnas.1914598117.
    """

    name: ClassVar[str] = "singling-out"
    sets: int = 4
    size: int = 3

    def __post_init__(self) -> None:
        """Take numbers of any library."""
        settle(self)

    def lacks(self, scene: Scene) -> str | None:
        """Say what would have to be known."""
        return None

    def successes(self, scene: Scene) -> tuple[Success, ...]:
        """Describe people by what rows show, and count who is described."""
        whole, rate, control = _tried(scene, scene.columns)
        detail: dict[str, Any] = {**whole, "by_luck_at_most": _CHANCE}
        if scene.secret is not None:
            detail["without_secret"] = _tried(scene, scene.quasi)[0]
        detail["some_columns"] = [_tried(scene, names)[0] for names in self._some(scene)]
        sentence = f"{share(rate.value)} of what rows show describes exactly one person in the release"
        if control is not None:
            sentence = f"{sentence}, and {share(control.value)} exactly one of those who are not in it."
        else:
            sentence = beside(sentence, None)
        return (Success.of("singling out", rate, control, sentence, detail),)

    def _some(self, scene: Scene) -> Sequence[tuple[str, ...]]:
        """Choose sets of columns by the seed."""
        names = scene.columns
        size = min(self.size, len(names) - 1)
        if size < 1:
            return ()
        drawn = chances(np.arange(self.sets * len(names), dtype=np.int64), scene.seed).reshape(self.sets, -1)
        chosen = (sorted(np.argsort(line, kind="stable")[:size].tolist()) for line in drawn)
        return list(dict.fromkeys(tuple(names[j] for j in columns) for columns in chosen))


def _tried(scene: Scene, names: Sequence[str]) -> tuple[dict[str, Any], Rate, Rate | None]:
    """Tell how many descriptions by some columns isolate one person, inside and outside of the release."""
    rows = scene.rows
    quasi = [rows.names.index(name) for name in names if name in scene.quasi]
    shown = np.flatnonzero(~rows.columns(quasi).hidden) if quasi else np.arange(rows.kinds)
    described = rows.taken(shown).by(names)[0]
    if not described.kinds:
        return {"columns": list(names), "descriptions": 0, "isolating": 0, "isolating_others": None}, Rate(0.0), None
    tried = described.taken(sampled_rows(described.kinds, scene.most, scene.seed))
    sampled = tried.kinds if tried.kinds < described.kinds else None
    asked, nothing = scene.cells(tried), np.zeros(tried.kinds)
    found: list[int | None] = []
    strangers = scene.all_strangers
    others = None if strangers is None else scene.tree_of(strangers.by(names)[0])
    for tree in (scene.tree_of_everyone(names)[0], others):
        fits = None if tree is None else tree.within(asked, nothing, most=2)
        found.append(None if fits is None else int(np.count_nonzero(fits == 1)))
    alone, beside_them = found
    assert alone is not None
    detail = {
        "columns": list(names), "descriptions": tried.kinds, "isolating": alone, "isolating_others": beside_them,
    }  # fmt: skip
    control = None if beside_them is None else Rate(beside_them / tried.kinds, sampled)
    return detail, Rate(alone / tried.kinds, sampled), control
