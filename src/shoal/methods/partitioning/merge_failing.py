"""Merging of classes that fail, until every class keeps its promise."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.engines.values import Promise
from shoal.errors import GuaranteeError
from shoal.models import PrivacyModel
from shoal.models.across_rows import AcrossRows
from shoal.models.people import Repeats
from shoal.schema import Schema
from shoal.table import Classes, Column, Given, Table


def merged_until_met(table: Table, labels: Column, groups: int, models: Sequence[PrivacyModel]) -> tuple[Column, int]:
    """Join each class that breaks a promise with the better of its two neighbours, until none does.

    Labels must number the classes along an order in which neighbours are alike. Joining never lowers the number of
    records or people in a class, nor its diversity below that of its parts, and never raises the distance of
    t-closeness or the share of a value above those of its parts, so models may be taken one after the other. Not so
    with a subject column, if people have records in several classes: two people who have one value each in a class, and
    the other's in the next, share both when the two are joined. Models are then gone through until none has joined
    anything since all others held. Of models of all rows of a person, classes of people who break one are joined with
    their neighbours, round by round. A single class that still fails means that the promise cannot be kept in this way.
    """
    of_people = [model for model in models if isinstance(model, AcrossRows)]
    of_classes = [model for model in models if not isinstance(model, AcrossRows)]
    labels, groups = _merged_classes(table, labels, groups, of_classes)
    turns, held = deque(of_people), 0
    while held < len(turns):
        model = turns[0]
        level, failing, _ = model.found(table, labels)
        if failing.size and groups == 1:
            raise GuaranteeError(
                f"{model.name} cannot be kept: all records in one class reach only {level:.6g}.", model.nearest(level)
            )
        if failing.size:
            labels, groups = _merged_classes(table, *joined(table, labels, groups, failing), of_classes)
            held = 0
        else:
            turns.rotate(-1)
            held += 1
    return labels, groups


def joined(table: Table, labels: Column, groups: int, failing: NDArray[np.int64]) -> tuple[Column, int]:
    """Join each of some classes with a neighbour, the smaller one; of a run of these only every second."""
    first = np.append(True, np.diff(failing) > 1)
    place = np.arange(failing.size) - np.flatnonzero(first)[np.cumsum(first) - 1]
    alone_in_run = first & np.append(first[1:], True)
    broken = np.zeros(groups, np.bool_)
    broken[failing[(place % 2 == 1) | alone_in_run]] = True
    own = Given(labels)

    def level(classes: Classes) -> NDArray[np.float64]:
        mine = classes.columns[own]
        alone = np.minimum.reduceat(mine, classes.starts[:-1]) == np.maximum.reduceat(mine, classes.starts[:-1])
        bad = alone & broken[mine[classes.starts[:-1]]]
        return np.where(bad, -np.inf, -classes.sizes.astype(np.float64))

    return table.merge_until(labels, groups, Promise((own,), level, np.isfinite, higher_is_better=True))


def _merged_classes(table: Table, labels: Column, groups: int, models: Sequence[PrivacyModel]) -> tuple[Column, int]:
    promises = [promise_of(model, table) for model in models]
    turns, held = deque(zip(models, promises, strict=True)), 0
    while held < len(turns):
        model, promise = turns[0]
        before = groups
        labels, groups = table.merge_until(labels, groups, promise)
        held = held + 1 if groups == before or table.schema.subject is None else 1
        turns.rotate(-1)
        if groups == 1:
            level = np.concatenate(table.groups(promise.level, labels, promise.carry))
            if not model.met(level).all():
                found = model.worst(level)
                raise GuaranteeError(
                    f"{model.name} cannot be kept: all records in one class reach only {found:.6g}.",
                    model.nearest(found),
                )
    return labels, groups


def united(table: Table, shown: Table, labels: Column) -> tuple[Column, int]:
    """Give classes one label that show the same, the lowest of theirs; also gives how many there are then."""
    own = Given(labels)

    def repeated(classes: Classes) -> tuple[NDArray[np.int32], NDArray[np.int32], int]:
        mine = classes.columns[own]
        first = np.repeat(np.minimum.reduceat(mine, classes.starts[:-1]), classes.sizes)
        again, at = np.unique(mine[mine != first], return_index=True)
        return again, first[mine != first][at], classes.sizes.size

    parts = shown.groups(repeated, shown.number(shown.schema.quasi), (own,))
    repeats = Repeats.of(*(np.concatenate([part[i] for part in parts]) for i in (0, 1)))
    return table.combine(repeats.merged, labels), sum(part[2] for part in parts)


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
