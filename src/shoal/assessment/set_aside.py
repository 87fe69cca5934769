"""A release made again without some of its people, and attacked: these then tell what attacks find anyway."""

from __future__ import annotations

import numpy as np

from shoal.attacks import Attack, Success
from shoal.attacks.closest_rows import ClosestRows
from shoal.attacks.inference import Inference
from shoal.attacks.linkability import Linkability
from shoal.attacks.membership import Membership
from shoal.attacks.range_ends import RangeEnds
from shoal.attacks.record_linkage import RecordLinkage
from shoal.attacks.row_order import OrderOfRows
from shoal.attacks.scene import Scene
from shoal.attacks.shared_secrets import SharedSecrets
from shoal.attacks.singling_out import SinglingOut
from shoal.engines import read
from shoal.errors import ShoalError
from shoal.measures.closest_record import like_table
from shoal.measures.statistics.sampling import chances
from shoal.progress import stage
from shoal.releases.anonymization import anonymize
from shoal.releases.release import Release
from shoal.table import Table

SHARE = 0.2
MOST = 5_000  # people, or rows, that are looked at in each part of an attack
_ATTACKS: tuple[Attack, ...] = (
    Linkability(), Inference(), SharedSecrets(), SinglingOut(), RecordLinkage(nearest_only=True), Membership(),
    ClosestRows(), RangeEnds(), OrderOfRows(),
)  # fmt: skip
_SEED = 5


def attacked(release: Release, original: Table) -> list[Success] | None:
    """Attack a release that is made again without a fifth of its people; None where it cannot be made without them."""
    scene = scene_without_some(release, original)
    if scene is None:
        return None
    found: list[Success] = []
    for each in _ATTACKS:
        if each.lacks(scene) is None:
            stage(f"trying {each.name}")
            found += each.successes(scene)
    return found


def scene_without_some(release: Release, original: Table) -> Scene | None:
    """Mask a table again in the same way without a fifth of its people, drawn by chance, for attacks on that.

    Gives None where that cannot be: rows belong to people, something needs a key, or fewer people cannot be hidden.
    """
    if original.schema.subject is not None or release.identifiers or original.rows < 2 / SHARE:
        return None
    stage("masking without some people")
    outside = chances(np.arange(original.rows, dtype=np.int64), _SEED) < SHARE
    frame, options, recipe = original.to_arrow(cells="text"), like_table(original), release.recipe
    try:
        kept, others = (read(frame.take(np.flatnonzero(side)), options=options) for side in (~outside, outside))
        seed = _SEED if recipe.seed is None else recipe.seed
        again = anonymize(
            kept, recipe.methods, recipe.models, measures=(), seed=seed, row_order=recipe.row_order, no_promise=True,
            allow_identifiers=original.schema.names,
        )  # fmt: skip
    except ShoalError:
        return None
    secret = next(iter(original.schema.sensitive), None)
    paired = again.table if again.table.rows == kept.rows else None
    return Scene(
        kept, again.table, others if others.rows else None, original.schema.quasi, secret, most=MOST, paired=paired,
        recipe=again.recipe,
    )  # fmt: skip
