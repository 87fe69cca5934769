"""What only linked releases have to show: numbered people with each point once; and to their holder, who is who."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shoal.certification.agreement import same
from shoal.certification.private_record import PrivateRecord
from shoal.certification.read_options import nodes_of
from shoal.errors import CertificateError
from shoal.linked.aligning import on_common_axes
from shoal.linked.recoding import placed
from shoal.linked.traces import traces_of
from shoal.measures import Score
from shoal.measures.traces.linked_measure import LinkedMeasure
from shoal.models import PrivacyModel
from shoal.models.private_items_model import PrivateItemsModel
from shoal.table import Table


def attributes_of(content: Mapping[str, Any]) -> set[str]:
    """Name the columns that are attributes of people, and no part of their points."""
    return {name for model in content["recipe"]["model"] for name in model.get("within") or ()}


def point_columns(content: Mapping[str, Any], table: Table) -> list[str]:
    """Name the columns that points are made of: all quasi-identifiers but attributes of people."""
    return [name for name in table.schema.quasi if name not in attributes_of(content)]


def insist_on_traces(content: Mapping[str, Any], table: Table) -> list[str]:
    """Insist that people are numbered from 1, with the same attributes in all rows and every point once.

    Gives what that shows.
    """
    assert table.schema.person is not None
    numbers, _ = table.counts(table.schema.person)
    if not np.array_equal(numbers, np.arange(1, numbers.size + 1)):
        raise CertificateError(
            "The people of the file are not numbered from 1 without gaps.", "Their numbers may tell who they are."
        )
    attributes = [name for name in table.schema.quasi if name in attributes_of(content)]
    whose = table.number([table.schema.person, *attributes])
    if sum(table.groups(lambda classes: classes.sizes.size, whose, ())) != numbers.size:
        raise CertificateError(
            "Some people have several values of their attributes.",
            "Nothing is known of their classes: do not rely on it.",
        )
    traces = traces_of(table, point_columns(content, table))
    if traces.labels.size + traces.empty != table.rows:
        raise CertificateError(
            "Some people have a row twice, or one without a point beside others.",
            "How often somebody has a point may tell who it is: do not rely on it.",
        )
    lengths = traces.holders.lengths
    said = f"{traces.people:,} people have {traces.labels.size:,} points among {traces.points.number:,}, each once"
    empty = f", and {traces.empty:,} of them none" if traces.empty else ""
    return [f"{said}{empty}; nobody has more than {int(lengths.max(initial=0)):,}."]


def insist_on_labels(
    content: Mapping[str, Any],
    models: Sequence[PrivacyModel],
    table: Table,
    beside: tuple[Table, Table] | None,
    proved: list[str],
    not_proved: list[str],
) -> None:
    """Insist that the labels that are said to stand for private items do, as far as file and original show it."""
    for model in models:
        if not isinstance(model, PrivateItemsModel):
            continue
        said, (texts,) = model.groups or (), traces_of(table).points.texts()
        if not set(said) <= set(texts):
            raise CertificateError(
                f"{model.name} speaks of groups that the file does not have.", "Do not rely on the certificate."
            )
        if not said and not nodes_of(content):  # without a hierarchy every label is what it says
            continue
        groups = f"{model.name} takes {len(said):,} published group{'' if len(said) == 1 else 's'} for private"
        if beside is None:
            not_proved.append(f"{groups}, and all others for public (a release does not show what a group covers)")
            continue
        before, after = on_common_axes(*map(traces_of, beside))
        again = model.for_release(before.points, after.points)
        same(f"{model.name}, groups of private items", (again.groups, again.mixed), (model.groups, model.mixed))
        proved.append(f"{groups}, which are all that stand for private items.")


def compared_again(
    measure: LinkedMeasure, original: Table, released: Table, record: PrivateRecord | None, columns: Sequence[str]
) -> Score:
    """Measure a linked release beside its original, with whom the private record says each number to be."""
    before, after = traces_of(original, columns), traces_of(released, columns)
    order = None if record is None else record.order(after.people)
    if order is None or before.people != after.people:
        raise CertificateError("The private record does not name every person once.", "Use the one that was written.")
    return measure.compared(*on_common_axes(before, placed(after, np.concatenate(list(order())))))
