"""Inference: what rows that are nearest to what is known of a person tell of a secret."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats, Integers
from shoal.attacks import Success
from shoal.attacks.residual import Rate
from shoal.attacks.scene import Crowd, Scene
from shoal.attacks.secrets import Secrets
from shoal.attacks.stretches import spread, stretches
from shoal.attacks.words import beside, share
from shoal.errors import ParameterError
from shoal.kernels.grouping import starts_of
from shoal.kernels.nearest_rows import NearestRows
from shoal.parameters import settle


@dataclass(frozen=True)
class Inference:
    """Somebody who knows some columns of a person guesses a secret from the released rows that are nearest to these.

    By *draw* he takes what one of these rows shows, each with the same chance; by *mode* what most of them show, where
    ties share. A range or a set of m values that holds the secret counts 1/m. The rate is the mean over people. The
    detail says how often the most frequent value of the whole release would be right.

    Parameters
    ----------
    tolerance
        By how much a guess of a number may be off and still be right.

    References
    ----------
    M. Giomi, F. Boenisch, C. Wehmeyer, B. Tasnádi: A unified framework for quantifying privacy risk in synthetic data,
    PoPETs 2023(2), doi:10.56553/popets-2023-0055.
    """

    name: ClassVar[str] = "inference"
    tolerance: float = 0.0

    def __post_init__(self) -> None:
        """Check what was asked for."""
        settle(self)
        if not isinstance(self.tolerance, int | float) or not 0 <= self.tolerance < float("inf"):
            raise ParameterError("A tolerance is a number, at least 0.", "Usual is 0.")

    def lacks(self, scene: Scene) -> str | None:
        """Say what would have to be known."""
        return None if scene.secret is not None else "there is no secret to be learned (--secret)"

    def successes(self, scene: Scene) -> tuple[Success, ...]:
        """Guess the secret of everybody, in both ways."""
        assert scene.secret is not None
        inside = self._rates(scene, scene.people)
        outside = None if scene.strangers is None else self._rates(scene, scene.strangers)
        usual = self._usual(scene)
        found = []
        who = "all quasi-identifiers" if scene.known == scene.quasi else ", ".join(scene.known)
        ways = (("draw", "from one of the nearest rows"), ("mode", "by what most of the nearest rows show"))
        for way, (how, said) in enumerate(ways):
            rate, control = inside[way], None if outside is None else outside[way]
            sentence = f"Who knows {who} guesses {scene.secret} rightly {said} for {share(rate.value)} of people"
            detail = {"known": list(scene.known), "secret": scene.secret, "baseline": usual}
            found.append(Success.of(f"inference {how}", rate, control, beside(sentence, control), detail))
        return tuple(found)

    def _usual(self, scene: Scene) -> float:
        """Tell of how many people the most frequent value of the release is the secret; ties share."""
        secrets = Secrets.of(scene, self.tolerance)
        most = np.flatnonzero(secrets.shown.counts == secrets.shown.counts.max())
        own, _ = scene.people.by((scene.secret,))  # type: ignore[arg-type]
        points = scene.points(own)
        right = np.zeros(own.kinds)
        for place in most.tolist():
            right += secrets.right(points.lo[:, 0], np.full(own.kinds, place))
        return float((right * own.counts).sum() / own.rows / most.size)

    def _rates(self, scene: Scene, people: Crowd) -> tuple[Rate, Rate]:
        """Guess the secrets of some people, in both ways."""
        assert scene.secret is not None
        secrets = Secrets.of(scene, self.tolerance)
        tree, rows = scene.released_tree(scene.known)
        shown = _Shown.of(scene, rows, secrets)
        kinds = people.by((*scene.known, scene.secret))[0]
        asked, labels = kinds.by(scene.known)
        whose = labels.astype(np.int64)
        own = scene.points(kinds).lo[:, -1]
        order = np.argsort(whose, kind="stable")
        starts = starts_of(np.bincount(whose, minlength=asked.kinds))
        drawn, moded = np.zeros(kinds.kinds), np.zeros(kinds.kinds)
        for found in tree.nearest(scene.points(asked)):
            for first, guesses in shown.guesses(found):
                who = order[starts[first] : starts[first + guesses.number]]
                for some in stretches(guesses.sizes[whose[who] - first]):
                    drawn[who[some]], moded[who[some]] = guesses.right(
                        secrets, own[who[some]], whose[who[some]] - first
                    )
        return tuple(Rate.of(each, kinds.counts, sampled=people.sampled) for each in (drawn, moded))  # type: ignore[return-value]


@dataclass(frozen=True, eq=False)
class _Guesses:
    """What the nearest rows show of the secret of some people: of each, its cells and how many rows have each."""

    starts: Integers
    cells: Integers
    masses: Floats

    @property
    def number(self) -> int:
        return self.starts.size - 1

    @property
    def sizes(self) -> Integers:
        return np.diff(self.starts)

    def right(self, secrets: Secrets, own: Floats, about: Integers) -> tuple[Floats, Floats]:
        """Give how likely a guess about each of some people is right, by a draw and by the most frequent."""
        sizes = self.sizes[about]
        entries = spread(self.starts[about], sizes)
        whose = np.repeat(np.arange(about.size), sizes)
        right = secrets.right(own[whose], self.cells[entries])
        most = np.maximum.reduceat(self.masses, self.starts[:-1])
        usual = self.masses == np.repeat(most, self.sizes)
        shares = []
        for weights in (self.masses, usual.astype(np.float64)):
            whole = np.add.reduceat(weights, self.starts[:-1])[about]
            shares.append(np.bincount(whose, right * weights[entries], about.size) / whole)
        return shares[0], shares[1]


@dataclass(frozen=True, eq=False)
class _Shown:
    """What rows show of a secret, kind by kind of what they show of the known columns."""

    starts: Integers
    cells: Integers
    counts: Integers
    different: int

    @classmethod
    def of(cls, scene: Scene, rows: Crowd, secrets: Secrets) -> _Shown:
        """Count what the rows of each kind show."""
        kinds = scene.rows.by(rows.names)[1].astype(np.int64)
        different = secrets.shown.kinds
        keys, which = np.unique(kinds * different + secrets.labels, return_inverse=True)
        kind, cell = np.divmod(keys, different)
        counts = np.bincount(which, scene.rows.counts).astype(np.int64)
        return cls(starts_of(np.bincount(kind, minlength=rows.kinds)), cell, counts, different)

    def guesses(self, found: NearestRows) -> Iterator[tuple[int, _Guesses]]:
        """Give what is shown of some people, in stretches of those who were asked about, by the first of each."""
        begins = np.concatenate([[0], found.ends])
        sizes = np.diff(self.starts)[found.nearest]
        behind = np.concatenate([[0], np.cumsum(sizes)])
        works = behind[found.ends] - behind[begins[:-1]]
        for part in stretches(works):
            lists = slice(begins[part.start], begins[part.stop])
            entries = spread(self.starts[found.nearest[lists]], sizes[lists])
            asked = np.repeat(np.arange(part.stop - part.start), works[part])
            keys, which = np.unique(asked * self.different + self.cells[entries], return_inverse=True)
            masses = np.bincount(which, self.counts[entries]).astype(np.float64)
            about, cell = np.divmod(keys, self.different)
            starts = starts_of(np.bincount(about, minlength=part.stop - part.start))
            yield found.start + part.start, _Guesses(starts, cell, masses)
