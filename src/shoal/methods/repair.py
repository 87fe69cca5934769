"""Mending a partition until every class keeps its promise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.errors import GuaranteeError
from shoal.models import PrivacyModel
from shoal.table import Classes, Table

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
        (classes,) = table.groups(labels, model.carries(table.schema))
        level = model.level(classes, table.schema, reference)
        higher_is_better = model.worst(np.array([0.0, 1.0])) == 0.0
        number = np.arange(groups, dtype=np.int32)  # what has become of each class
        while not (met := model.met(level)).all():
            if level.size == 1:
                found = model.worst(level)
                raise GuaranteeError(
                    f"{model.name} cannot be kept: all records in one class reach only {found:.6g}.",
                    model.nearest(found),
                )
            joined = _join(~met, level, higher_is_better=higher_is_better)
            first = np.flatnonzero(np.append(True, joined[1:] != joined[:-1]))
            merged = np.diff(np.append(first, joined.size)) > 1
            # Classes lie in their order, so that joining them only takes away the boundary between them; what was
            # not joined is as it was.
            classes = replace(classes, starts=np.append(classes.starts[:-1][first], classes.starts[-1]))
            level = level[first]
            level[merged] = model.level(_some(classes, np.flatnonzero(merged)), table.schema, reference)
            number = joined[number]
        labels, groups = number[labels], level.size
    return labels, groups


def _some(classes: Classes, chosen: NDArray[np.int64]) -> Classes:
    """Give some of the classes. Tallies, which have one number per class, are not carried by models."""
    sizes = classes.sizes[chosen]
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    rows = np.arange(starts[-1]) + np.repeat(classes.starts[:-1][chosen] - starts[:-1], sizes)
    return Classes(starts, {name: column[rows] for name, column in classes.columns.items()})


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
