"""Membership: whether a release gives away who is in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats, Integers
from shoal.attacks import Success
from shoal.attacks.residual import Rate, evened, rank_sum
from shoal.attacks.scene import Crowd, Scene
from shoal.attacks.words import share

_NOBODY = "who is in the release can only be told from people who are not (--holdout, --set-aside)"


@dataclass(frozen=True)
class Membership:
    """Somebody who knows all quasi-identifiers of a person tells from the rows that fit whether the person is in there.

    The more released rows fit, the surer he is; where none fits, the nearer the nearest is. The rate is the chance that
    he is surer of somebody who is in the release than of somebody who is not, ties by half (the area under the curve):
    the control is 0.5. The detail says of how many of both some row fits that shows anything, and what the rate is
    among the most exposed tenth of both: those who are farthest from everybody else in the original.

    References
    ----------
    R. Shokri, M. Stronati, C. Song, V. Shmatikov: Membership inference attacks against machine learning models, IEEE
    S&P 2017, doi:10.1109/SP.2017.41. T. Stadler, B. Oprisanu, C. Troncoso: Synthetic data - anonymisation groundhog
    day, USENIX Security 2022.
    """

    name: ClassVar[str] = "membership"

    def lacks(self, scene: Scene) -> str | None:
        """Say what would have to be known."""
        return None if scene.strangers is not None else _NOBODY

    def successes(self, scene: Scene) -> tuple[Success, ...]:
        """Score everybody."""
        assert scene.strangers is not None
        inside, outside = (crowd.by(scene.quasi)[0] for crowd in (scene.people, scene.strangers))
        sure, fits = zip(*(_scores(scene, crowd) for crowd in (inside, outside)), strict=True)
        scores = evened(*sure)
        area = rank_sum(scores[0], inside.counts, scores[1], outside.counts)
        sampled = min(inside.rows, outside.rows) if inside.sampled or outside.sampled else None
        rate, control = Rate(area, sampled), Rate(0.5)
        fit, beside = (float((fits[i] * crowd.counts).sum() / crowd.rows) for i, crowd in enumerate((inside, outside)))
        exposed = [_exposed(scene, crowd, own) for crowd, own in ((inside, 1), (outside, 0))]
        among = rank_sum(scores[0], exposed[0], scores[1], exposed[1])
        sentence = (
            f"Who knows all quasi-identifiers tells somebody who is in the release from somebody who is not in "
            f"{share(area)} of cases, where guessing would in 50.00%."
        )
        detail = {
            "fit": fit, "fit_control": beside, "advantage": fit - beside, "most_exposed": among,
            "most_exposed_people": [int(each.sum()) for each in exposed],
        }  # fmt: skip
        return (Success.of("membership", rate, control, sentence, detail),)


def _scores(scene: Scene, people: Crowd) -> tuple[Floats, Floats]:
    """Tell how sure he is of each, and of whom some row fits that shows anything."""
    tree, rows = scene.released_tree(scene.quasi)
    least, number = tree.numbers(scene.points(people))
    stars = int(rows.counts[rows.hidden].sum())
    fits = (least == 0) & (number > stars)
    return np.where(least == 0, number, -least), fits.astype(np.float64)


def _exposed(scene: Scene, people: Crowd, own: int) -> Integers:
    """Count the tenth that is farthest from everybody else in the original, of each kind."""
    least, second = scene.tree_of_everyone(scene.quasi)[0].distances(scene.points(people))
    (away,) = evened(second if own else least)
    order = np.argsort(-away, kind="stable")
    before = np.cumsum(people.counts[order]) - people.counts[order]
    line = away[order][np.searchsorted(before, max(people.rows // 10, 1) - 1, "right") - 1]
    return np.where(away >= line, people.counts, 0)
