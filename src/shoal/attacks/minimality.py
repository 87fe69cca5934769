"""Minimality: what a method tells of secrets by which classes it formed, to somebody who knows how it works."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from shoal.arrays import Flags, Floats
from shoal.attacks import Success
from shoal.attacks.assigned_secrets import ClassesOfSecrets, every_world, number_of_worlds
from shoal.attacks.remaking import Remaking
from shoal.attacks.residual import Rate
from shoal.attacks.scene import Scene
from shoal.attacks.words import share
from shoal.errors import ParameterError
from shoal.methods.perturbation.preserved import draws
from shoal.parameters import settle

_MOST_RECORDS = 100_000
_ALL = 20_000  # worlds up to which all are looked at, if so many are asked for
_RUNS, _FEWEST, _WORK = 200, 20, 2_000_000  # runs of the method, and records that are masked in all of them
_CHANCE = 0.001  # that all assignments looked at agree by luck, above which they do not tell whether all agree
_Z = 1.959963984540054  # of the 95 % interval of a normal distribution
_BOLDEST = 0.5  # the largest share of classes that are assigned anew at once


@dataclass(frozen=True)
class Minimality:
    """Who knows everybody's quasi-identifiers, and how the release was made, asks which tables give just this release.

    Within each class its secrets may belong to its people in any way. Of these worlds the attacker keeps those in which
    the method, run again, forms the same classes, and believes of a person what most of them say. *Guess* is how likely
    a secret drawn from these worlds is right, *certain* the share of people of whom all of them say the right thing;
    the control is the same of all worlds: what the class shows.

    Where there are more than ``worlds``, the method is run so often, at most: each time the secrets of some classes are
    assigned anew by the seed, all others staying with their people, and those of which something else would be
    published are taken back until the release is the same. So this attacker also knows the secrets of other classes,
    and what he finds is a bound on average for one who does not. Only classes with another assignment that is possible
    count, for *certain* people of whom all that are found would agree by luck once in a thousand times at most; the
    interval takes these for a sample, by how much the two shares differ from class to class.

    Parameters
    ----------
    worlds
        How often the method is run, at most; 200 if left out, and fewer, down to 20, for more than 10,000 records.

    References
    ----------
    R. C.-W. Wong, A. W.-C. Fu, K. Wang, J. Pei: Minimality attack in privacy preserving data publishing, VLDB 2007. G.
    Cormode, N. Li, T. Li, D. Srivastava: Minimizing minimality and maximizing utility, PVLDB 3(1), 2010,
    doi:10.14778/1920841.1920972.
    """

    name: ClassVar[str] = "minimality"
    worlds: int | None = None

    def __post_init__(self) -> None:
        """Check what was asked for."""
        settle(self)
        if self.worlds is None:
            return
        if isinstance(self.worlds, bool) or not isinstance(self.worlds, int) or not 1 <= self.worlds <= _ALL:
            raise ParameterError(f"There is at least one world, and at most {_ALL:,}.", "Usual are 200.")

    def runs(self, records: int) -> int:
        """Say how often the method may be run."""
        return self.worlds or max(min(_RUNS, _WORK // max(records, 1)), _FEWEST)

    def lacks(self, scene: Scene) -> str | None:
        """Say what would have to be known."""
        if scene.secret is None:
            return "there is no secret to be learned (--secret)"
        if scene.recipe is None:
            return "how the release was made is not known (--recipe, or the certificate beside it)"
        if draws(scene.recipe.methods) or scene.released.rows != scene.original.rows:
            return "the method changes values at random, so no world gives the same release for certain"
        if scene.original.rows > _MOST_RECORDS:
            return f"the method would have to be run on more than {_MOST_RECORDS:,} records again and again"
        if len(scene.original.collect(len, scene.original.column(scene.secret))) > 1:
            return "the original lies in parts"
        return None if scene.remaking is not None else "its recipe does not give this release of this original again"

    def successes(self, scene: Scene) -> tuple[Success, ...]:
        """Run the method on other worlds, and keep those that give the same release."""
        remaking = scene.remaking
        assert remaking is not None
        values = np.unique(remaking.own, return_inverse=True)[1].reshape(-1).astype(np.int64)
        classes = ClassesOfSecrets.of(remaking.classes, values)
        if number_of_worlds(classes) <= self.runs(values.size):
            return self._of_all(scene, remaking, classes)
        return self._of_some(scene, remaking, classes)

    def _of_all(self, scene: Scene, remaking: Remaking, classes: ClassesOfSecrets) -> tuple[Success, ...]:
        """Look at all worlds."""
        right, kept, tried = np.zeros(classes.values.size), 0, 0
        for world in every_world(classes):
            tried += 1
            if not remaking.changed(remaking.own[world]).any():
                kept += 1
                right += classes.values[world] == classes.values
        left = f"{kept:,} of {tried:,} worlds give this release"
        detail = {"worlds": tried, "possible": kept, "people": int(right.size)}
        guess, everybody = right / kept, right >= 0
        return tuple(_told(scene, left, detail, way, guess, classes, everybody) for way in ("guess", "certain"))

    def _of_some(self, scene: Scene, remaking: Remaking, classes: ClassesOfSecrets) -> tuple[Success, ...]:
        """Assign the secrets of some classes anew again and again."""
        generator = np.random.default_rng(scene.seed)
        right, assigned = np.zeros(classes.values.size), np.zeros(classes.number, np.int64)
        runs, most, boldness = 0, self.runs(right.size), _BOLDEST
        while runs < most:
            chosen = generator.random(classes.number) < max(boldness, 1 / classes.number)
            world = classes.assigned_anew(chosen, generator)
            while chosen.any() and runs < most:
                runs += 1
                changed = remaking.changed(remaking.own[world])
                if not changed.any():
                    here = chosen[classes.labels]
                    right[here] += (classes.values[world] == classes.values)[here]
                    assigned += chosen
                    boldness = min(boldness * 1.5, _BOLDEST)
                    break
                touched = np.zeros(classes.number, np.bool_)
                touched[classes.labels[changed]] = True
                if not (touched & chosen).any():  # somebody else's cells change, and nothing tells by whose secrets
                    touched[:] = True
                boldness /= 2 if (touched & chosen).sum() > chosen.sum() / 2 else 1
                chosen &= ~touched
                taken_back = ~chosen[classes.labels]
                world[taken_back] = np.flatnonzero(taken_back)
        guess = right / np.maximum(assigned, 1)[classes.labels]
        known = int(np.count_nonzero(assigned))
        left = f"In {runs:,} runs another assignment of {known:,} of {classes.number:,} classes gives this release"
        found = []
        seen = assigned[classes.labels]
        telling = (seen > 0) & ((classes.shown >= 1) | (classes.shown**seen <= _CHANCE))
        for way, people in (("guess", seen > 0), ("certain", telling)):
            if people.any():
                number = int(np.unique(classes.labels[people]).size)
                detail = {"runs": runs, "classes": number, "of_classes": classes.number, "people": int(people.sum())}
                told = _told(scene, left, detail, way, guess, classes, people)
                found.append(_with_bounds(told, way, guess, classes, people))
        return tuple(found)


_SAID = {
    "guess": "a guess of {} from these is right for {} of people, and from what classes show for {}.",
    "certain": "{} is then certain for {} of people, and by what classes show for {}.",
}


def _told(
    scene: Scene, left: str, detail: Mapping[str, Any], way: str, guess: Floats, classes: ClassesOfSecrets,
    people: Flags,
) -> Success:  # fmt: skip
    """Say how often some people are guessed, or are certain, beside what their classes show."""
    rate, control = (float(np.mean(each[people])) for each in _both(way, guess, classes))
    sentence = f"{left}: {_SAID[way].format(scene.secret, share(rate), share(control))}"
    return Success.of(f"minimality {way}", Rate(rate), Rate(control), sentence, detail)


def _both(way: str, guess: Floats, classes: ClassesOfSecrets) -> tuple[Floats, Floats]:
    """Give what counts for each person, by the worlds and by what classes show."""
    shown = classes.shown
    return (guess, shown) if way == "guess" else ((guess >= 1) / 1.0, (shown >= 1) / 1.0)


def _with_bounds(found: Success, way: str, guess: Floats, classes: ClassesOfSecrets, people: Flags) -> Success:
    """Give the residual its interval: classes are a sample, and both shares are of the same people."""
    if found.residual is None:
        return found
    rate, control = _both(way, guess, classes)
    apart = (rate - control - float(np.mean((rate - control)[people]))) * people
    sums = np.bincount(classes.labels, apart, classes.number)
    error = _Z * float(np.sqrt((sums**2).sum())) / int(people.sum()) / (1 - float(np.mean(control[people])))
    return replace(found, low=found.residual - error, high=found.residual + error)
