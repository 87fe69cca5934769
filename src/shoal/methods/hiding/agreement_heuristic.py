"""The heuristic of statistical offices: cells hidden until enough records agree wherever both show a cell.

It is theirs to the cell: of equal records as many as k take part, rows are taken by how many agree with them, and each
hides the first column, of those to be given up, in which a nearest row shows something else. Who knows the hidden value
may find somebody alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.arrays import Flags, Integers, Positions
from shoal.errors import GuaranteeError
from shoal.kernels import MISSING
from shoal.kernels.grouping import label_rows
from shoal.kernels.nearest_agreement import hide_towards_nearest
from shoal.methods.hiding.crowd_search import Lots, Records
from shoal.models.agreeing_records import agreeing
from shoal.progress import stage


def hide_until_agreeing(records: Records, empty: Flags, rows: Integers, k: int, importance: Sequence[float]) -> Lots:
    """Hide cells until k records agree with each one wherever both show a cell.

    Parameters
    ----------
    records
        The distinct records.
    empty
        Which of their cells show nothing as it is.
    rows
        The numbers of the first k records of each distinct one, or of as many as there are, one after the other.
    k
        How many records are to agree with each.
    importance
        Columns with a large number are given up first.
    """
    if records.counts.sum() < k:
        raise GuaranteeError(f"k = {k} cannot be reached: there are too few records.", "Ask for a smaller k.")
    taking_part = np.minimum(records.counts, k)
    units = np.repeat(np.arange(records.counts.size), taking_part)
    order = np.argsort(rows, kind="stable")
    cells = np.where(empty, np.int32(MISSING), records.codes)[units[order]]
    given_up = np.argsort(-np.asarray(importance), kind="stable").astype(np.int64)
    while (few := (agree := _agreeing(cells, records.strata[units[order]])) < k).any():
        stage("hiding cells")
        turn = np.flatnonzero(few)
        turn = turn[np.argsort(agree[turn], kind="stable")].astype(np.int64)
        if not hide_towards_nearest(cells, records.strata[units[order]], turn, given_up):
            raise GuaranteeError(
                f"k = {k} cannot be reached by hiding cells: too few records belong together.",
                "Ask for a smaller k, or for fewer strata.",
            )
    hidden = ((cells == MISSING) & ~empty[units[order]]).astype(np.int64)
    masks = np.empty(units.size, np.int64)
    masks[order] = (hidden << np.arange(records.columns)).sum(axis=1)
    return _in_turn(units, masks, records.counts - taking_part)


def _agreeing(cells: Positions, strata: Positions) -> Integers:
    """Count who agrees with each row; rows that show the same are looked at once."""
    rows = np.ascontiguousarray(np.concatenate([strata[:, None], cells], axis=1), np.int32)
    labels, groups = label_rows(rows, rows, np.arange(rows.shape[1]))
    one = np.empty(groups, np.int64)
    one[labels] = np.arange(labels.size)
    shown = rows[one] != MISSING
    agree = agreeing(rows[one], shown, np.bincount(labels, minlength=groups), "either")
    return np.round(agree[labels]).astype(np.int64)


def _in_turn(units: Integers, masks: Integers, others: Integers) -> Lots:
    """Give the patterns of records in their order: first those that took part, then those that are left as they are."""
    rest = np.flatnonzero(others)
    all_units = np.append(units, rest)
    order = np.argsort(all_units, kind="stable")
    counts = np.append(np.ones(units.size, np.int64), others[rest])
    return Lots(all_units[order], np.append(masks, np.zeros(rest.size, np.int64))[order], counts[order])
