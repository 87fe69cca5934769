"""Which row of a release belongs to which row of its original: its private record tells, and nothing else does."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Positions
from shoal.certification.certificate import Certificate
from shoal.certification.papers import certificate_beside, private_beside
from shoal.certification.private_record import UNPAIRED, PrivateRecord
from shoal.domains.axis import Axis, Group, PositionMap
from shoal.engines.sources import Source
from shoal.errors import CertificateError, ParameterError
from shoal.kernels import MISSING, TOP
from shoal.schema import Role
from shoal.table import Table

_PAIR = "Give its private record (--private NAME.private.json); or say --same-order if they are the same rows."
_STRETCH = 1 << 18  # records whose cells are compared at once
_SAMPLE = 10_000  # records that are looked at to tell whether a column stands in another order


def paired(
    released: Table,
    source: Source | None,
    original: Table,
    records: Sequence[PrivateRecord],
    *,
    same_order: bool = False,
) -> Table:
    """Give a release with its rows in the order of the original.

    Parameters
    ----------
    released, source
        The release, and where it was read from, unless that was a frame.
    original
        The table before masking.
    records
        Private records, among which that of the release is looked for; also beside the release.
    same_order
        Whether rows are known to stand in the order of the original, as in releases of other tools.

    Raises
    ------
    ParameterError
        If there is no private record, and the rows stand in the released order or do not match those of the original.
    """
    if same_order or released.rows != original.rows:  # the comparison says that they do not belong together
        return released
    name = released.origin.name if source is None else source.name
    record = record_of(released, source, records)
    if record is None:
        if _says_released(released, source):
            raise ParameterError(
                f"The rows of '{name}' stand in the released order, not in that of the original.", _PAIR
            )
        strangers = misplaced(original, released)
        if strangers:
            raise ParameterError(
                f"The rows of '{name}' do not match those of the original: {strangers:,} of {released.rows:,} "
                "have values that do not lie in the cells beside them.",
                _PAIR,
            )
        if (column := _in_other_order(original, released)) is not None:
            raise ParameterError(
                f"The rows of '{name}' do not match those of the original: '{column}' has the same values, but "
                "in another order.",
                _PAIR,
            )
        return released
    if record.content["input"]["sha256"] != original.origin.sha256:
        raise CertificateError(
            f"The private record of '{name}' belongs to another original.", "Name the one that was released."
        )
    if record.content["row_order"] == UNPAIRED:
        raise ParameterError(
            f"No row of '{name}' is a row of the original, so the two cannot be compared row by row.",
            "Compare their distributions: shoal.score(original, release.table, measures='marginal-distance').",
        )
    order = record.order(released.rows)
    return released if order is None else released.rearranged(order)


def record_of(released: Table, source: Source | None, records: Sequence[PrivateRecord]) -> PrivateRecord | None:
    """Find the record that was written with a release."""
    near = None if source is None or source.is_table else private_beside(source, source.path)
    known = [*records, *([PrivateRecord.load(near)] if near is not None and near.is_file() else [])]
    return next((record for record in known if record.content["output"]["sha256"] == _sha256(released)), None)


def _sha256(released: Table) -> str | None:
    return None if released.origin.written is None else released.origin.written.sha256


def _says_released(released: Table, source: Source | None) -> bool:
    """Tell whether the certificate of a release says that its rows stand in the released order."""
    certificate = None if source is None or source.is_table else certificate_beside(source)
    if certificate is None or not certificate.is_file():
        return False
    output = _output_of(certificate)
    return bool(output.get("sha256") == _sha256(released) and output.get("row_order") == "released")


def _output_of(certificate: Path) -> Any:
    try:
        return Certificate.load(certificate).content.get("output", {})
    except CertificateError:
        return {}


def misplaced(original: Table, released: Table) -> int:
    """Count the records of which some value lies outside the range, set or pattern that is published beside it.

    Single values tell nothing: they may be means, or changed on purpose.
    """
    names = [name for name in original.schema.quasi if name in released.schema.quasi]
    covers = [_cover(original.schema[name].axis, released.schema[name].axis) for name in names]
    found = 0
    for start in range(0, original.rows, _STRETCH):
        rows = np.arange(start, min(start + _STRETCH, original.rows))
        (value, wide), (low, high) = original.cells(names, rows), released.cells(names, rows)
        known = (value == wide) & (value != MISSING) & (low != MISSING) & (high != TOP)
        outside = np.zeros(rows.size, np.bool_)
        for j, holds in enumerate(covers):
            at = np.flatnonzero(known[:, j])
            outside[at] |= ~holds(value[at, j], low[at, j], high[at, j])
        found += int(outside.sum())
    return found


# Tells of values, and of lower and upper ends, whether each value lies in the cell or the cell is a single value.
Cover = Callable[[Positions, Positions, Positions], NDArray[np.bool_]]


def _cover(before: Axis, after: Axis) -> Cover:
    """Say how values of one axis are looked for in the cells of another."""
    if not before.numeric:
        return _among(before, after) if before.nominal else _between_names(before, after)

    def between(value: Positions, low: Positions, high: Positions) -> NDArray[np.bool_]:
        number, least, most = _numbers(before, value), _numbers(after, low), _numbers(after, high)
        inside: NDArray[np.bool_] = (low == high) | ((least <= number) & (number <= most))
        return inside

    return between


def _numbers(axis: Axis, positions: Positions) -> NDArray[Any]:
    return positions if axis.values is None else axis.values[positions]


def _between_names(before: Axis, after: Axis) -> Cover:
    """Compare ordered categories by their places on a common axis."""
    _, first, second = before.shared_with(after)

    def between(value: Positions, low: Positions, high: Positions) -> NDArray[np.bool_]:
        place, least, most = _moved(value, first), _moved(low, second), _moved(high, second)
        inside: NDArray[np.bool_] = (low == high) | ((least <= place) & (place <= most))
        return inside

    return between


def _moved(positions: Positions, move: PositionMap) -> Positions:
    return positions if move is None else move[positions]


def _among(before: Axis, after: Axis) -> Cover:
    """Look for categories in sets and patterns, by the numbers of pairs of a set and one of its members."""
    common, first, second = before.shared_with(after)
    assert common.values is not None
    size, values = len(common.values), common.values
    members = (_held(values, group) for group in common.groups)
    pairs = np.unique(np.array([(size + i) * size + m for i, held in enumerate(members) for m in held], np.int64))

    def among(value: Positions, low: Positions, _: Positions) -> NDArray[np.bool_]:
        place, cell = _moved(value, first).astype(np.int64), _moved(low, second)
        return (cell < size) | (place >= size) | np.isin(cell * size + place, pairs)

    return among


def _held(values: NDArray[Any], group: Group) -> Iterable[int]:
    """Give the categories that a set or a pattern holds; a pattern may come from a table that has fewer of them."""
    if group.pattern is None:
        return group.members
    stem, length = group.pattern.rstrip("*"), len(group.pattern)
    start = bisect_left(values, stem)
    beginning = takewhile(lambda i: values[i].startswith(stem), range(start, len(values)))
    return (i for i in beginning if len(values[i]) == length)


def _in_other_order(original: Table, released: Table) -> str | None:
    """Name a confidential column that has the same values in both tables, but in other rows, as a sample shows."""
    rows = np.unique(np.linspace(0, original.rows - 1, min(original.rows, _SAMPLE)).astype(np.int64))
    for name in original.schema.of(Role.SENSITIVE):
        if name not in released.schema.of(Role.SENSITIVE):
            continue
        if original.schema[name].generalized or released.schema[name].generalized:
            continue
        before, after = (_texts(table, name, table.cells([name], rows)[0][:, 0]) for table in (original, released))
        if before != after and _frequencies(original, name) == _frequencies(released, name):
            return name
    return None


def _texts(table: Table, name: str, positions: NDArray[np.int32]) -> list[str]:
    """Give the texts of positions; of a cell without a value, nothing."""
    found = np.full(positions.size, "", dtype=object)
    filled = positions != MISSING
    found[filled] = table.schema[name].axis.texts(positions[filled])
    return list(found)


def _frequencies(table: Table, name: str) -> dict[str, int]:
    positions, counts = table.counts(name)
    return dict(zip(_texts(table, name, positions), counts.tolist(), strict=True))
