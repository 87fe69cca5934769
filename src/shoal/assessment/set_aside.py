"""A release made again without some of its people, and attacked: these then tell what attacks find anyway."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from shoal.arrays import Flags, Integers
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
from shoal.direct_identifiers import treated_columns
from shoal.engines import read
from shoal.errors import ParameterError, ShoalError
from shoal.kernels.grouping import label_rows
from shoal.measures.closest_record import like_table
from shoal.measures.statistics.sampling import chances
from shoal.progress import stage
from shoal.recipe import Recipe
from shoal.releases.anonymization import anonymize
from shoal.releases.release import Release
from shoal.releases.stated_release import stating_method
from shoal.roles import Role
from shoal.schema import LAYOUT, RELEASED, ReadOptions
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

    Gives None where that cannot be: something needs a key, or fewer people cannot be hidden.
    """
    try:
        kept, others = set_aside(original, SHARE, _SEED)
        again = made_without(kept, release.recipe)
    except ShoalError:
        return None
    secret = next(iter(original.schema.sensitive), None)
    return Scene(
        kept, again.table, others, original.schema.quasi, secret, most=MOST, paired=whose_rows(again, kept),
        recipe=again.recipe, reordered=again.recipe.row_order == "released",
    )  # fmt: skip


def set_aside(original: Table, share: float, seed: int) -> tuple[Table, Table]:
    """Divide a table into those who stay and those who are set aside, who are drawn by chance with all their rows.

    Each person, or each record where nothing says whose it is, is set aside with the same chance. Both tables are read
    as the original was, on an engine of this machine.
    """
    if original.origin.given.get("linked"):
        raise ParameterError("Nobody can be set aside from a linked table.", "Leave --set-aside out.")
    if treated_columns(original.schema):
        raise ParameterError(
            "To make a release again whose people are named anew would take its key.",
            "Leave the identifiers out: attacks do not look at them.",
        )
    outside = _persons_drawn(original, share, seed)
    if outside.all() or not outside.any():
        raise ParameterError(
            f"Of {original.rows:,} records a share of {share:g} leaves nobody on one side.",
            "Set another share aside, or give people who are not in the release (--holdout).",
        )
    stage("setting people aside")
    frame, options = _frame(original), _like(original)
    kept, others = (read(frame.take(np.flatnonzero(side)), options=options) for side in (~outside, outside))
    return kept, others


def made_without(kept: Table, recipe: Recipe) -> Release:
    """Mask those who stay, as a recipe says."""
    stage("masking without some people")
    # A method that draws would draw anew; noise alone must have no seed.
    drawn = _SEED if stating_method(recipe.methods) is None else None
    seed = drawn if recipe.seed is None else recipe.seed
    return anonymize(
        kept, recipe.methods, recipe.models, measures=(), seed=seed, row_order=recipe.row_order, no_promise=True,
        allow_identifiers=kept.schema.of(*RELEASED),
    )  # fmt: skip


def whose_rows(release: Release, original: Table) -> Table | None:
    """Give a release with its rows in the order of the original; None where rows are nobody's, or of another table."""
    same = release.origin.sha256 == original.origin.sha256 and release.table.rows == original.rows
    return release.table if same and release.stated is None else None


def _persons_drawn(original: Table, share: float, seed: int) -> Flags:
    """Tell of each record whether its person is set aside."""
    persons: Integers = np.arange(original.rows, dtype=np.int64)
    subject = original.schema.subject
    if subject is not None:
        lo, hi = (np.ascontiguousarray(ends) for ends in original.cells((subject,), persons))
        persons = label_rows(lo, hi, np.arange(1))[0].astype(np.int64)
    found: Flags = chances(persons, seed) < share
    return found


def _frame(original: Table) -> Any:
    """Give what is known of all records as text, also whose they are, which is never released."""
    from shoal.engines.io.exact_types import in_workable_types

    frame, every = in_workable_types(original.to_arrow(cells="text")), np.arange(original.rows)
    for name in original.schema.of(Role.SUBJECT, Role.HOUSEHOLD):
        lo, hi = original.cells((name,), every)
        frame = frame.append_column(name, [original.schema[name].axis.render_all(lo[:, 0], hi[:, 0])])
    return frame


def _like(original: Table) -> ReadOptions:
    """Say how to read such a frame: what stands in its cells, and nothing of how the file was laid out."""
    options, schema = like_table(original), original.schema
    roles = replace(options.roles, subject=schema.subject, household=schema.single(Role.HOUSEHOLD))
    of_a_file = {name: None for name in LAYOUT if name not in ("missing", "masked")}
    return replace(options, roles=roles, **of_a_file)  # type: ignore[arg-type]
