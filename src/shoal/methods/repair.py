"""Mending a partition until every class keeps its promise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from shoal.engines import Promise
from shoal.errors import GuaranteeError
from shoal.models import PrivacyModel
from shoal.schema import Schema
from shoal.table import Table


def merged_until_met(table: Table, labels: Any, groups: int, models: Sequence[PrivacyModel]) -> tuple[Any, int]:
    """Join each class that breaks a promise with the better of its two neighbours, until none does.

    Labels must number the classes along an order in which neighbours are alike. Joining never lowers the number of
    records or people in a class, nor its diversity below that of its parts, and never raises the distance of
    t-closeness or the share of a value above those of its parts, so models may be taken one after the other. A single
    class that still fails means that the promise cannot be kept.
    """
    for model in models:
        promise = promise_of(model, table)
        labels, groups = table.engine.mend(table.data, table.schema, labels, groups, promise)
        if groups == 1:
            level = np.concatenate(table.groups(promise.level, labels, promise.carry))
            if not model.met(level).all():
                found = model.worst(level)
                raise GuaranteeError(
                    f"{model.name} cannot be kept: all records in one class reach only {found:.6g}.",
                    model.nearest(found),
                )
    return labels, groups


def promise_of(model: PrivacyModel, table: Table) -> Promise:
    """Say what a model asks of every class of a table."""
    return _promise(model, table.schema, model.reference(table))


def _promise(model: PrivacyModel, schema: Schema, reference: Any) -> Promise:
    higher_is_better = model.worst(np.array([0.0, 1.0])) == 0.0
    return Promise(
        tuple(model.carries(schema)),
        lambda classes: model.level(classes, schema, reference),
        model.met,
        higher_is_better,
    )
