"""Homogeneity and background knowledge: what fitting rows leave open of a secret, also if some values are ruled out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats
from shoal.attacks import Success
from shoal.attacks.fitting_secrets import fitting, secret_values, shows_single
from shoal.attacks.residual import Rate
from shoal.attacks.scene import Crowd, Scene
from shoal.attacks.words import beside, share
from shoal.errors import ParameterError
from shoal.parameters import settle


@dataclass(frozen=True)
class SharedSecrets:
    """All rows that are nearest to a person show one value of a secret: who knows the person then knows it.

    *Homogeneity* needs nothing else. *Background* lets the attacker rule out some values beforehand, say because the
    person is a man or has no such symptoms: those that most of the rows show, but never the true one. The rates are the
    shares of people of whom the right value is left alone; the control is the same with people who are not in the
    release. l-diversity promises that no fewer than l values have to be ruled out.

    Parameters
    ----------
    ruled_out
        How many values of a person the attacker with background knowledge can rule out.

    References
    ----------
    A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam: l-Diversity, ACM TKDD 1(1), 2007,
    doi:10.1145/1217299.1217302.
    """

    name: ClassVar[str] = "shared-secrets"
    ruled_out: int = 1

    def __post_init__(self) -> None:
        """Check what was asked for."""
        settle(self)
        if isinstance(self.ruled_out, bool) or not isinstance(self.ruled_out, int) or self.ruled_out < 1:
            raise ParameterError("Background knowledge rules out at least one value.", "Usual is 1.")

    def lacks(self, scene: Scene) -> str | None:
        """Say what would have to be known."""
        if scene.secret is None:
            return "there is no secret to be learned (--secret)"
        return None if shows_single(scene) else "the release shows ranges or sets of the secret"

    def successes(self, scene: Scene) -> tuple[Success, ...]:
        """Count the people of whom one value is left."""
        inside = self._left(scene, scene.people)
        outside = None if scene.strangers is None else self._left(scene, scene.strangers)
        number = "one other" if self.ruled_out == 1 else f"{self.ruled_out:,} others"
        ways = (("homogeneity", "alone"), ("background", f"once {number} can be ruled out"))
        found = []
        for way, (name, when) in enumerate(ways):
            rate, control = inside[way], None if outside is None else outside[way]
            sentence = f"The right value of {scene.secret} is left {when} for {share(rate.value)} of people"
            detail = {"known": list(scene.known), "secret": scene.secret, "ruled_out": way * self.ruled_out}
            found.append(Success.of(name, rate, control, beside(sentence, control), detail))
        return tuple(found)

    def _left(self, scene: Scene, crowd: Crowd) -> tuple[Rate, Rate]:
        assert scene.secret is not None
        kinds = crowd.by((*scene.known, scene.secret))[0]
        asked, labels = kinds.by(scene.known)
        values, own = secret_values(scene, kinds)
        shown = fitting(scene, asked, values)
        right = shown.taken(labels.astype(np.int64), own) > 0

        def rate(most: int) -> Rate:
            left: Floats = ((shown.left[labels] <= most) & right) / 1.0
            return Rate.of(left, kinds.counts, sampled=crowd.sampled)

        return rate(1), rate(1 + self.ruled_out)
