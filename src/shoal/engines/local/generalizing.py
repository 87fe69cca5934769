"""What is published for a group of rows, and for a value that is coarsened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Floats, Positions
from shoal.domains.axis import Axis
from shoal.domains.hierarchy import Hierarchy
from shoal.domains.levels import Recoding, Replacement, Stretches, Widening
from shoal.engines.local_data import OWN, LocalData
from shoal.engines.values import Publication
from shoal.kernels import MISSING, TOP
from shoal.kernels.grouping import by_label
from shoal.kernels.spans import Members, bitsets, hulls, hulls_and_loss
from shoal.schema import Schema

_BITS = 62


def generalize_all(
    data: LocalData, schema: Schema, labels: Positions, groups: int, publish: Publication
) -> tuple[Schema, LocalData]:
    """Give each group what holds all of its cells, or one value that stands for them."""
    if publish == "range":
        return _hulls(data, schema, labels, groups)
    from shoal.engines.local.central_values import represent

    return represent(data, schema, labels, groups, publish)


def generalize_some(
    data: LocalData, schema: Schema, labels: Positions, groups: int, publish: Publication, columns: Sequence[str]
) -> tuple[Schema, LocalData]:
    """Publish groups in some columns only; the others stay what they are, row by row."""
    lo, hi = (side.copy() for side in data.unfolded())
    places = [data.at(name) for name in columns]
    some = replace(
        data, quasi=tuple(columns), lo=np.ascontiguousarray(lo[:, places]), hi=np.ascontiguousarray(hi[:, places]),
        index=OWN, ranged=tuple(data.ranged[j] for j in places),
    )  # fmt: skip
    schema, found = generalize_all(some, schema, labels, groups, publish)
    lo[:, places], hi[:, places] = found.lo[labels], found.hi[labels]
    ranged = list(data.ranged)
    for j, now in zip(places, found.ranged, strict=True):
        ranged[j] = now
    return schema, replace(data, lo=lo, hi=hi, index=OWN, ranged=tuple(ranged))


def _hulls(data: LocalData, schema: Schema, labels: Positions, groups: int) -> tuple[Schema, LocalData]:
    """Give each group the hull of its cells on ordered axes, and the set of its categories on nominal ones."""
    lo, hi = data.unfolded()
    formed = data.cache.formed
    members = formed[1] if formed and formed[0] is labels else by_label(labels, groups)
    low, high, sums = _spanned(data, schema, lo, hi, members)
    axes: dict[str, Axis] = {}
    for j, name in enumerate(data.quasi):
        axis = schema[name].axis
        if axis.tree is not None:
            _widen(axis.tree, low, high, j)
        if not axis.nominal:
            continue
        mixed = (low[:, j] != high[:, j]) & (low[:, j] != MISSING)
        if mixed.any():
            axes[name], sets = _sets(axis, np.ascontiguousarray(lo[:, j]), labels, members, mixed)
            low[mixed, j] = sets
            high[mixed, j] = np.where(sets == MISSING, TOP, sets)
    ranged = tuple(not schema[name].axis.nominal for name in data.quasi)
    released = replace(data, lo=low, hi=high, index=labels, ranged=ranged)
    released.cache.members = members
    if sums is not None:
        released.cache.distances = data.cache.itself, sums
    return schema.with_axes(axes), released


def _spanned(
    data: LocalData, schema: Schema, lo: Positions, hi: Positions, members: Members
) -> tuple[Positions, Positions, Floats | None]:
    """Give the hulls of groups, and if that costs no further look at the rows how far these are from them, summed."""
    known, axes = data.cache.moments, [schema[name].axis for name in data.quasi]
    if known is not None and lo is hi and all(axis.values is None and axis.tree is None for axis in axes):
        width = known.highest.astype(np.int64) - known.lowest
        if width.max(initial=0) <= TOP:
            return hulls_and_loss(lo, members, known.deviation)
    return *hulls(lo, hi, members), None


def _widen(tree: Hierarchy, low: Positions, high: Positions, j: int) -> None:
    """Widen the cells of a column to nodes of its hierarchy; a root that says nothing is the wildcard."""
    inside = (low[:, j] != MISSING) & (high[:, j] != TOP)
    low[inside, j], high[inside, j] = tree.shown(low[inside, j], high[inside, j])


def _sets(
    axis: Axis, codes: Positions, labels: Positions, members: Members, mixed: NDArray[np.bool_]
) -> tuple[Axis, Positions]:
    """Find the set of categories of each mixed group and where it is on the axis; MISSING stands for the wildcard."""
    assert axis.values is not None
    order, starts = members
    if len(axis.values) <= _BITS and not axis.groups:
        bits, which = np.unique(bitsets(codes, labels, starts.size - 1)[mixed], return_inverse=True)
        found = [tuple(i for i in range(_BITS) if bit >> i & 1) for bit in bits.tolist()]
    else:
        seen: dict[frozenset[int], int] = {}
        numbers = []
        for g in np.flatnonzero(mixed).tolist():
            nodes = frozenset(codes[order[starts[g] : starts[g + 1]]].tolist())
            numbers.append(seen.setdefault(nodes, len(seen)))
        if any(group.pattern for group in axis.groups):
            return _with_patterns(axis, list(seen), np.array(numbers))
        found = [tuple(sorted({m for node in nodes for m in axis.members(node)})) for nodes in seen]
        which = np.array(numbers)
    wider, places = axis.with_groups(members for members in found if len(members) > 1)
    positions = [places[members] if len(members) > 1 else members[0] for members in found]
    return wider, np.array(positions, np.int32)[which.reshape(-1)]


def _with_patterns(axis: Axis, found: list[frozenset[int]], which: NDArray[Any]) -> tuple[Axis, Positions]:
    """Find what covers groups in which wildcards such as 937** may occur.

    Such a wildcard stands for codes that nobody listed, so a set of known codes does not cover it: one of the
    wildcards itself may, and otherwise only ``*`` does.
    """
    plain = [nodes for nodes in found if not any(axis.pattern(node) for node in nodes)]
    members = {nodes: tuple(sorted({m for node in nodes for m in axis.members(node)})) for nodes in plain}
    wider, places = axis.with_groups(members.values())
    positions = []
    for nodes in found:
        if nodes in members:
            positions.append(places[members[nodes]])
        else:
            covering = [node for node in nodes if all(axis.pattern_covers(node, other) for other in nodes)]
            positions.append(covering[0] if covering else MISSING)
    return wider, np.array(positions, np.int32)[which.reshape(-1)]


def _replace(parts: Replacement, lo: Positions, hi: Positions, j: int) -> None:
    """Put other cells in the place of exact ones in a column."""
    place = np.minimum(np.searchsorted(parts.positions, lo[:, j]), max(parts.positions.size - 1, 0))
    if parts.positions.size:
        exact = (lo[:, j] == hi[:, j]) & (parts.positions[place] == lo[:, j])
        lo[exact, j], hi[exact, j] = parts.lows[place[exact]], parts.highs[place[exact]]


def with_stretches(axis: Axis, parts: Stretches) -> tuple[Axis, Positions, Positions]:
    """Give the axis on which parts are cells, and the lower and upper end of each cell: a range, or a set."""
    if not axis.nominal:
        return axis, parts.lows, parts.highs
    if parts.patterns:
        wider, places = axis.with_patterns([pattern for pattern in parts.patterns if pattern.endswith("*")])
        positions = parts.lows.copy()
        positions[[pattern.endswith("*") for pattern in parts.patterns]] = places
        return wider, positions, positions
    sets = [tuple(range(a, b + 1)) for a, b in zip(parts.lows.tolist(), parts.highs.tolist(), strict=True)]
    wider, known = axis.with_groups(members for members in sets if len(members) > 1)
    positions = np.array([known[s] if len(s) > 1 else s[0] for s in sets], np.int32)
    return wider, positions, positions


def enclosing(parts: Stretches, lo: Positions, hi: Positions) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Tell which cells lie inside a part of the axis, and in which; missing cells and wildcards lie in none."""
    if not parts.lows.size:  # nobody has a value
        return np.zeros(lo.shape, np.bool_), np.zeros(lo.shape, np.int64)
    place = np.searchsorted(parts.lows, lo, side="right") - 1
    inside = (place >= 0) & (hi <= parts.highs[np.maximum(place, 0)]) & (lo != MISSING) & (hi != TOP)
    return inside, place


def recode(data: LocalData, schema: Schema, rules: Mapping[str, Recoding]) -> tuple[Schema, LocalData]:
    """Replace exact values by the part of their axis that holds them, or ranges by wider ones, or as is said."""
    lo, hi = data.lo.copy(), data.hi.copy()
    axes: dict[str, Axis] = {}
    ranged = list(data.ranged)
    for name, parts in rules.items():
        j = data.at(name)
        if isinstance(parts, Replacement):
            _replace(parts, lo, hi, j)
            continue
        if isinstance(parts, Widening):
            axes[name] = parts.axis
            lo[:, j], hi[:, j] = parts.widened(data.lo[:, j], data.hi[:, j])
            continue
        axes[name], low, high = with_stretches(schema[name].axis, parts)
        inside, place = enclosing(parts, data.lo[:, j], data.hi[:, j])
        lo[inside, j], hi[inside, j] = low[place[inside]], high[place[inside]]
        tree = axes[name].tree
        if tree is not None:
            _widen(tree, lo, hi, j)
        ranged[j] = ranged[j] or not axes[name].nominal
    return schema.with_axes(axes), replace(data, lo=lo, hi=hi, ranged=tuple(ranged))
