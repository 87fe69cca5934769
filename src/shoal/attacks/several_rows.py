"""Several rows of a person: what the classes of all of them leave open of a secret that stays with the person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.arrays import Integers
from shoal.attacks import Success
from shoal.attacks.fitting_secrets import fitting, secret_values, shows_single
from shoal.attacks.residual import Rate
from shoal.attacks.scene import Crowd, Scene
from shoal.attacks.stretches import spread, stretches
from shoal.attacks.words import share
from shoal.kernels.grouping import distinct, label_rows
from shoal.measures.statistics.sampling import sampled_rows


@dataclass(frozen=True)
class RowsOfOnePerson:
    """Who knows all rows of a person, such as all visits, looks for the secrets that rows fitting each of them show.

    A secret that stays with the person, such as a chronic disease, is among those of every row, and often no other is.
    The rate is the share of people with several rows of whom all their rows together leave one value, a right one; the
    control is the share of whom one row alone does. It needs a column that tells people apart (``--subject``).
    `person-diversity` promises that it fails.

    References
    ----------
    S. R. Ganta, S. P. Kasiviswanathan, A. Smith: Composition attacks and auxiliary information in data privacy, KDD
    2008, doi:10.1145/1401890.1401926.
    """

    name: ClassVar[str] = "several-rows"

    def lacks(self, scene: Scene) -> str | None:
        """Say what would have to be known."""
        if scene.original.schema.subject is None:
            return "nothing says whose rows are whose (--subject)"
        if scene.secret is None:
            return "there is no secret to be learned (--secret)"
        if not shows_single(scene):
            return "the release shows ranges or sets of the secret"
        return None if _people(scene)[1].size else "nobody has several rows"

    def successes(self, scene: Scene) -> tuple[Success, ...]:
        """Intersect what the rows of each person leave."""
        assert scene.secret is not None
        persons, several = _people(scene)
        chosen = several[sampled_rows(several.size, scene.most, scene.seed)]
        rows = np.flatnonzero(np.isin(persons, chosen))
        names = (*scene.known, scene.secret)
        lo, hi = (np.ascontiguousarray(ends) for ends in scene.original.cells(names, rows))
        every = Crowd(scene.original, names, lo, hi, np.ones(rows.size, np.int64))
        kinds, labels = every.by(names)
        asked, place = kinds.by(scene.known)
        values, own = secret_values(scene, kinds)
        shown = fitting(scene, asked, values)
        whose = np.searchsorted(chosen, persons[rows])
        of_row = place[labels].astype(np.int64)
        right = shown.taken(of_row, own[labels].astype(np.int64)) > 0
        once = np.zeros(chosen.size, np.bool_)
        once[whose[(shown.left[of_row] == 1) & right]] = True
        sizes = shown.left
        starts = np.append(0, np.cumsum(sizes))[:-1]
        asks, first = np.unique(whose * asked.kinds + of_row, return_index=True)
        person, where = asks // asked.kinds, of_row[first]
        long = sizes[where]
        mine = distinct(whose * values.size + np.maximum(own[labels], 0))
        left, pinned = np.zeros(chosen.size, np.int64), np.zeros(chosen.size, np.bool_)
        ends = np.searchsorted(person, np.arange(chosen.size + 1))
        behind = np.append(0, np.cumsum(long))
        for part in stretches(np.diff(behind[ends])):
            lists = slice(ends[part.start], ends[part.stop])
            shown_here = shown.values[spread(starts[where[lists]], long[lists])]
            keys = np.repeat(person[lists], long[lists]) * values.size + shown_here
            keys, counts = np.unique(keys, return_counts=True)
            who = keys // values.size
            everywhere = counts == np.bincount(person[lists], minlength=chosen.size)[who]
            left += np.bincount(who[everywhere], minlength=chosen.size)
            pinned[who[everywhere & np.isin(keys, mine)]] = True
        pinned &= left == 1
        sampled = chosen.size if chosen.size < several.size else None
        rate, alone = Rate(float(pinned.mean()), sampled), Rate(float(once.mean()), sampled)
        sentence = (
            f"All rows of a person together leave one value of {scene.secret}, a right one, for {share(rate.value)} of "
            f"people with several rows, and one of these rows alone for {share(alone.value)}."
        )
        return (Success.of("several rows", rate, alone, sentence, {"people": int(several.size)}),)


def _people(scene: Scene) -> tuple[Integers, Integers]:
    """Number the people of the original, row by row; and give the numbers of those with several rows."""
    subject = scene.original.schema.subject
    assert subject is not None
    lo, hi = scene.original.cells((subject,), np.arange(scene.original.rows))
    persons = label_rows(np.ascontiguousarray(lo), np.ascontiguousarray(hi), np.arange(1))[0].astype(np.int64)
    return persons, np.flatnonzero(np.bincount(persons) > 1)
