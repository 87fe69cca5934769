"""What only linked releases have to show: numbered people with each point once; and to their holder, who is who."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.certification.private_record import PrivateRecord
from shoal.errors import CertificateError
from shoal.linked.aligning import on_common_axes
from shoal.linked.recoding import placed
from shoal.linked.traces import traces_of
from shoal.measures import Score
from shoal.measures.traces.linked_measure import LinkedMeasure
from shoal.table import Table


def insist_on_traces(table: Table) -> list[str]:
    """Insist that people are numbered from 1, and that each has every point once; say what that shows."""
    assert table.schema.person is not None
    numbers, _ = table.counts(table.schema.person)
    if not np.array_equal(numbers, np.arange(1, numbers.size + 1)):
        raise CertificateError(
            "The people of the file are not numbered from 1 without gaps.", "Their numbers may tell who they are."
        )
    traces = traces_of(table)
    if traces.labels.size + traces.empty != table.rows:
        raise CertificateError(
            "Some people have a row twice, or one without a point beside others.",
            "How often somebody has a point may tell who it is: do not rely on it.",
        )
    lengths = traces.holders.lengths
    said = f"{traces.people:,} people have {traces.labels.size:,} points among {traces.points.number:,}, each once"
    empty = f", and {traces.empty:,} of them none" if traces.empty else ""
    return [f"{said}{empty}; nobody has more than {int(lengths.max(initial=0)):,}."]


def compared_again(
    measure: LinkedMeasure, original: Table, released: Table, record: PrivateRecord | None, columns: Sequence[str]
) -> Score:
    """Measure a linked release beside its original, with whom the private record says each number to be."""
    before, after = traces_of(original, columns), traces_of(released, columns)
    order = None if record is None else record.order(after.people)
    if order is None or before.people != after.people:
        raise CertificateError("The private record does not name every person once.", "Use the one that was written.")
    return measure.compared(*on_common_axes(before, placed(after, np.concatenate(list(order())))))
