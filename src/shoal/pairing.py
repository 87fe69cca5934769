"""Which row of a release belongs to which row of its original: its private record tells, and nothing else does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.certificate import Certificate
from shoal.engines import Spans
from shoal.engines.sources import Source
from shoal.errors import CertificateError, ParameterError
from shoal.kernels import MISSING, TOP
from shoal.kernels.spans import Members
from shoal.papers import certificate_beside, private_beside
from shoal.private_record import PrivateRecord
from shoal.table import Table


def paired(
    released: Table, source: Source, original: Table, records: Sequence[PrivateRecord], *, same_order: bool = False
) -> Table:
    """Give a release with its rows in the order of the original.

    Parameters
    ----------
    released, source
        The release, and where it was read from.
    original
        The table before masking.
    records
        Private records, among which that of the release is looked for; also beside the release.
    same_order
        Whether rows are known to stand in the order of the original, as in releases of other tools.

    Raises
    ------
    ParameterError
        If the rows stand in the released order and there is no private record.
    """
    if same_order:
        return released
    record = _record_of(released, source, records)
    if record is None:
        if _in_released_order(released, source, original):
            raise ParameterError(
                f"The rows of '{source.name}' stand in the released order, not in that of the original.",
                "Give its private record (--private NAME.private.json); or say --same-order if they are the same rows.",
            )
        return released
    if record.content["input"]["sha256"] != original.origin.sha256:
        raise CertificateError(
            f"The private record of '{source.name}' belongs to another original.", "Name the one that was released."
        )
    order = record.order(released.rows)
    return released if order is None else released.rearranged(order)


def _record_of(released: Table, source: Source, records: Sequence[PrivateRecord]) -> PrivateRecord | None:
    """Find the record that was written with a release."""
    near = None if source.is_table else private_beside(source, source.path)
    known = [*records, *([PrivateRecord.load(near)] if near is not None and near.is_file() else [])]
    return next((record for record in known if record.content["output"]["sha256"] == _sha256(released)), None)


def _sha256(released: Table) -> str | None:
    return None if released.origin.written is None else released.origin.written.sha256


def _in_released_order(released: Table, source: Source, original: Table) -> bool:
    """Tell whether rows stand in the released order, by the certificate or by what they are."""
    certificate = None if source.is_table else certificate_beside(source)
    if certificate is not None and certificate.is_file():
        output = _output_of(certificate)
        if output.get("sha256") == _sha256(released):
            return bool(output.get("row_order") == "released")
    before = 0
    for numbers in released.arranged()[1]():
        if not (numbers == np.arange(before, before + numbers.size)).all():
            return False
        before += numbers.size
    return bool(original.engine.fold(original, released, _uncovered)[0])


def _output_of(certificate: Path) -> Any:
    try:
        return Certificate.load(certificate).content.get("output", {})
    except CertificateError:
        return {}


def _uncovered(before: Spans, after: Spans, members: Members | None) -> NDArray[np.int64]:
    """Count the records that do not lie in what is published beside them."""
    low, high = after.lo, after.hi
    if members is not None:
        order, starts = members
        label = np.empty(order.size, np.int64)
        label[order] = np.repeat(np.arange(starts.size - 1), np.diff(starts))
        low, high = low[label], high[label]
    told = (before.lo != MISSING) & (low != MISSING) & (high != TOP)
    outside = told & ((before.lo < low) | (before.hi > high))
    return np.array([outside.any(axis=1).sum()], np.int64)
