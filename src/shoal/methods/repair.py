"""Mending a partition until every class keeps its promise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.errors import GuaranteeError
from shoal.models import PrivacyModel
from shoal.table import Table

Labels = NDArray[np.int32]


def merged_until_met(table: Table, labels: Labels, groups: int, models: Sequence[PrivacyModel]) -> tuple[Labels, int]:
    """Join each class that breaks a promise with the better of its two neighbours, until none does.

    Labels must number the classes along an order in which neighbours are alike. Joining never lowers the number of
    records or people in a class, nor its diversity below that of its parts, and never raises the distance of
    t-closeness or the share of a value above those of its parts, so models may be taken one after the other. In each
    round every failing class at least doubles its share of the table, so there are few rounds; a single class that
    still fails means that the promise cannot be kept.
    """
    for model in models:
        reference = model.reference(table)
        carry = model.carries(table.schema)
        while True:
            (classes,) = table.groups(labels, carry)
            level = model.level(classes, table.schema, reference)
            bad = ~model.met(level)
            if not bad.any():
                break
            if groups == 1:
                found = model.worst(level)
                raise GuaranteeError(
                    f"{model.name} cannot be kept: all records in one class reach only {found:.6g}.",
                    model.nearest(found),
                )
            joined = _join(bad, level, higher_is_better=model.worst(np.array([0.0, 1.0])) == 0.0)
            labels, groups = joined[labels], int(joined[-1]) + 1
    return labels, groups


def _join(bad: NDArray[np.bool_], level: NDArray[np.float64], *, higher_is_better: bool) -> Labels:
    """Give the new number of each class when every bad one is joined with a neighbour."""
    groups = bad.size
    opens = np.ones(groups, bool)  # whether a class begins a new one
    strength = level if higher_is_better else -level
    before = np.concatenate([[-np.inf], strength[:-1]])
    after = np.concatenate([strength[1:], [-np.inf]])
    back = bad & (before >= after)
    ahead = bad & ~back
    opens[back] = False
    opens[np.flatnonzero(ahead) + 1] = False
    opens[0] = True
    return (np.cumsum(opens) - 1).astype(np.int32)
