"""Intersection: what several releases about the same people tell together, and none of them alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats, Integers
from shoal.attacks import Success
from shoal.attacks.residual import Rate
from shoal.attacks.scene import Crowd, Scene
from shoal.attacks.side_by_side import PossibleSecrets, Together
from shoal.attacks.words import share
from shoal.kernels.grouping import by_label
from shoal.measures.statistics.comparable_rows import single


@dataclass(frozen=True)
class Intersection:
    """Somebody who knows quasi-identifiers of a person looks the person up in several releases, and compares.

    Only a secret that some fitting row of every release shows can be that of the person. *Pinned* is the share of
    people for whom one value is left, and right; *guess* how likely a guess by Bayes is right; *alone* the share of
    people of whom one row at most fits in all releases with the same secret, so that their rows are joined. The control
    is what the best of the releases tells alone. k-anonymity of each says nothing about it: classes that cut across
    each other leave few.

    References
    ----------
    S. R. Ganta, S. P. Kasiviswanathan, A. Smith: Composition attacks and auxiliary information in data privacy, KDD
    2008, doi:10.1145/1401890.1401926.
    """

    name: ClassVar[str] = "intersection"

    def lacks(self, scene: Scene) -> str | None:
        """Say what would have to be known."""
        if not scene.beside:
            return "there is no other release of the same people (--with)"
        if scene.secret is None:
            return "there is no secret to be learned (--secret)"
        missing = [table for table in scene.beside if not {*scene.known, scene.secret} <= {*table.schema.names}]
        if missing:
            return "another release lacks a column that the attacker knows, or the secret"
        return None if _exact(scene) else "a release shows ranges or sets of the secret"

    def successes(self, scene: Scene) -> tuple[Success, ...]:
        """Look people up in all releases."""
        assert scene.secret is not None
        kinds = scene.people.by((*scene.known, scene.secret))[0]
        asked, labels = kinds.by(scene.known)
        values, own = _secrets(scene, kinds)
        shown = [_shown(each, asked, values) for each in _scenes(scene)]
        together = Together.of(shown, _usual(scene, values))
        people, sampled = kinds.counts, scene.people.sampled

        def rate(found: Floats) -> Rate:
            return Rate.of(found, people, sampled=sampled)

        def spread(each: PossibleSecrets) -> tuple[Floats, Floats]:
            """Give who is pinned rightly, and how likely a guess is right, kind by kind."""
            right = each.taken(labels.astype(np.int64), own)
            return ((each.left[labels] == 1) & (right > 0)) / 1.0, right

        pinned, guess = spread(together.posterior)
        singly = [spread(each) for each in shown]
        rows = [np.bincount(each.whose, each.rows, each.people)[labels] for each in shown]
        best = max(rate(each[0]).value for each in singly), max(rate(each[1]).value for each in singly)
        alone = max(rate((each <= 1) / 1.0).value for each in rows)
        candidates = together.candidates[labels]
        detail = {
            "releases": len(shown), "candidates": float((candidates * people).sum() / people.sum()),
            "pinned_alone": [rate(each[0]).value for each in singly],
        }  # fmt: skip
        ways = (
            ("pinned", pinned, best[0], f"leave one value of {scene.secret}, the right one,"),
            ("guess", guess, best[1], f"let {scene.secret} be guessed rightly"),
            ("alone", (candidates == 1) / 1.0, alone, "leave one row that fits in all"),
        )
        found = []
        for way, reached, control, what in ways:
            sentence = (
                f"{len(shown)} releases together {what} for {share(rate(reached).value)} of people, and the best of "
                f"them alone for {share(control)}."
            )
            found.append(Success.of(f"intersection {way}", rate(reached), Rate(control), sentence, detail))
        return tuple(found)


def _scenes(scene: Scene) -> list[Scene]:
    """Give a scene for each release, with the same things before the attacker otherwise."""
    tables = (scene.released, *scene.beside)
    return [replace(scene, released=each, beside=tables) for each in tables]


def _exact(scene: Scene) -> bool:
    """Tell whether all releases show single values of the secret, or none."""
    assert scene.secret is not None
    for each in _scenes(scene):
        shown = each.cells(each.rows.by((scene.secret,))[0])
        if not bool((single(shown, each.ground.kinds[-1:]) | np.isnan(shown.lo)).all()):
            return False
    return True


def _usual(scene: Scene, values: Floats) -> Floats:
    """Give the share of each value of the secret among the rows of the release."""
    assert scene.secret is not None
    shown = _scenes(scene)[0]
    cells = shown.rows.by((scene.secret,))[0]
    rows = np.bincount(np.searchsorted(values, shown.cells(cells).lo[:, 0]), cells.counts, values.size)
    found: Floats = rows / rows.sum()
    return found


def _secrets(scene: Scene, kinds: Crowd) -> tuple[Floats, Integers]:
    """Give the values that any release shows of the secret, and the place of each person's own; -1 if it is none."""
    assert scene.secret is not None
    values = np.unique(
        np.concatenate([each.cells(each.rows.by((scene.secret,))[0]).lo[:, 0] for each in _scenes(scene)])
    )
    own = scene.points(kinds).lo[:, -1]
    place = np.minimum(np.searchsorted(values, own), values.size - 1)
    same = (values[place] == own) | (np.isnan(values[place]) & np.isnan(own))
    return values, np.where(same, place, -1)


def _shown(scene: Scene, asked: Crowd, values: Floats) -> PossibleSecrets:
    """Give the secrets of the rows that are nearest to each of some people."""
    assert scene.secret is not None
    tree, rows = scene.released_tree(scene.known)
    detailed = scene.rows.by((*scene.known, scene.secret))[0]
    of_kind = detailed.by(scene.known)[1]
    order, starts = by_label(of_kind.astype(np.int32), rows.kinds)
    secret = np.searchsorted(values, scene.cells(detailed).lo[:, -1])
    sizes = np.diff(starts)
    found = []
    for some in tree.nearest(scene.points(asked)):
        begins = np.repeat(starts[:-1][some.nearest], sizes[some.nearest])
        long = sizes[some.nearest]
        inside = np.arange(int(long.sum())) - np.repeat(np.cumsum(long) - long, long)
        places = order[begins + inside]
        whose = np.repeat(some.start + some.asked, long)
        found.append(PossibleSecrets.of(asked.kinds, values.size, whose, secret[places], detailed.counts[places]))
    keys, counts = (np.concatenate([getattr(each, part) for each in found]) for part in ("keys", "rows"))
    return PossibleSecrets(asked.kinds, values.size, keys, counts)
