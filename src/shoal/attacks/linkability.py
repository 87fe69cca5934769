"""Linkability: whether two who know different columns of a person find that they know the same one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.attacks import Success
from shoal.attacks.residual import Rate
from shoal.attacks.scene import Crowd, Scene
from shoal.attacks.words import beside, share


@dataclass(frozen=True)
class Linkability:
    """Two attackers, who hold different columns of a person, each take a released row that is nearest to these.

    They link the person if both take the same row: with a chance of |N_A and N_B| / (|N_A| |N_B|), where N_A and N_B
    are the rows nearest to what each holds, all with the same chance. The rate is the mean over people. One holds the
    known columns and the other one the rest; if all are known, each holds half of them.

    References
    ----------
    Article 29 Data Protection Working Party: Opinion 05/2014 on anonymisation techniques, WP216. M. Giomi, F. Boenisch,
    C. Wehmeyer, B. Tasnádi: A unified framework for quantifying privacy risk in synthetic data, PoPETs 2023(2),
    doi:10.56553/popets-2023-0055.
    """

    name: ClassVar[str] = "linkability"

    def lacks(self, scene: Scene) -> str | None:
        """Say what would have to be known."""
        return None if all(scene.halves) else "two quasi-identifiers are needed, which two attackers share"

    def successes(self, scene: Scene) -> tuple[Success, ...]:
        """Link everybody."""
        rate = self._rate(scene, scene.people)
        control = None if scene.strangers is None else self._rate(scene, scene.strangers)
        one, other = (", ".join(half) for half in scene.halves)
        sentence = f"Who knows {one} and who knows {other} find the same row for {share(rate.value)} of people"
        detail = {"one": list(scene.halves[0]), "other": list(scene.halves[1])}
        return (Success.of("linkability", rate, control, beside(sentence, control), detail),)

    @staticmethod
    def _rate(scene: Scene, people: Crowd) -> Rate:
        one, other = scene.halves
        least, rows = [], []
        for half in (one, other):
            tree, _ = scene.released_tree(half)
            kinds, which = people.by(half)
            near, number = tree.numbers(scene.points(kinds))
            least.append(near[which])
            rows.append(number[which])
        both, which = people.by((*one, *other))
        asked = np.empty(both.kinds, np.int64)
        asked[which] = np.arange(which.size)
        tree, _ = scene.released_tree((*one, *other))
        shared = tree.within(scene.points(both), least[0][asked], len(one), least[1][asked])
        return Rate.of(shared / (rows[0][asked] * rows[1][asked]), both.counts, sampled=people.sampled)
