"""The secrets that released rows show which are nearest to what is known of people."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.arrays import Floats, Integers
from shoal.attacks.scene import Crowd, Scene
from shoal.attacks.side_by_side import PossibleSecrets
from shoal.attacks.stretches import spread, stretches
from shoal.kernels.grouping import by_label
from shoal.measures.statistics.comparable_rows import single


def scenes_of(scene: Scene) -> list[Scene]:
    """Give a scene for each release, with the same things before the attacker otherwise."""
    tables = (scene.released, *scene.beside)
    return [replace(scene, released=each, beside=tables) for each in tables]


def shows_single(scene: Scene) -> bool:
    """Tell whether all releases show single values of the secret, or none."""
    assert scene.secret is not None
    for each in scenes_of(scene):
        shown = each.cells(each.rows.by((scene.secret,))[0])
        if not bool((single(shown, each.ground.kinds[-1:]) | np.isnan(shown.lo)).all()):
            return False
    return True


def usual_shares(scene: Scene, values: Floats) -> Floats:
    """Give the share of each value of the secret among the rows of the release."""
    assert scene.secret is not None
    shown = scenes_of(scene)[0]
    cells = shown.rows.by((scene.secret,))[0]
    rows = np.bincount(np.searchsorted(values, shown.cells(cells).lo[:, 0]), cells.counts, values.size)
    found: Floats = rows / rows.sum()
    return found


def secret_values(scene: Scene, kinds: Crowd) -> tuple[Floats, Integers]:
    """Give the values that any release shows of the secret, and the place of each person's own; -1 if it is none."""
    assert scene.secret is not None
    values = np.unique(
        np.concatenate([each.cells(each.rows.by((scene.secret,))[0]).lo[:, 0] for each in scenes_of(scene)])
    )
    own = scene.points(kinds).lo[:, -1]
    place = np.minimum(np.searchsorted(values, own), values.size - 1)
    same = (values[place] == own) | (np.isnan(values[place]) & np.isnan(own))
    return values, np.where(same, place, -1)


def fitting(scene: Scene, asked: Crowd, values: Floats) -> PossibleSecrets:
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
        begins = np.concatenate([[0], some.ends])
        long = sizes[some.nearest]
        behind = np.concatenate([[0], np.cumsum(long)])
        for part in stretches(behind[some.ends] - behind[begins[:-1]]):
            lists = slice(begins[part.start], begins[part.stop])
            places = order[spread(starts[some.nearest[lists]], long[lists])]
            whose = np.repeat(some.start + some.asked[lists], long[lists])
            found.append(PossibleSecrets.of(asked.kinds, values.size, whose, secret[places], detailed.counts[places]))
    keys, counts = (np.concatenate([getattr(each, part) for each in found]) for part in ("keys", "rows"))
    return PossibleSecrets(asked.kinds, values.size, keys, counts)
