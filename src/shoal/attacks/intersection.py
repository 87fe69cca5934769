"""Intersection: what several releases about the same people tell together, and none of them alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats
from shoal.attacks import Success
from shoal.attacks.fitting_secrets import fitting, scenes_of, secret_values, shows_single, usual_shares
from shoal.attacks.residual import Rate
from shoal.attacks.scene import Scene
from shoal.attacks.side_by_side import PossibleSecrets, Together
from shoal.attacks.words import share


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
        return None if shows_single(scene) else "a release shows ranges or sets of the secret"

    def successes(self, scene: Scene) -> tuple[Success, ...]:
        """Look people up in all releases."""
        assert scene.secret is not None
        kinds = scene.people.by((*scene.known, scene.secret))[0]
        asked, labels = kinds.by(scene.known)
        values, own = secret_values(scene, kinds)
        shown = [fitting(each, asked, values) for each in scenes_of(scene)]
        together = Together.of(shown, usual_shares(scene, values))
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
