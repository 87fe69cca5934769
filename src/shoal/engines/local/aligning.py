"""Two tables on common axes, so that their cells can be compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.arrays import Positions
from shoal.domains.axis import Axis, PositionMap
from shoal.engines.local_data import LocalData, moved
from shoal.errors import SchemaError
from shoal.kernels import MISSING, TOP
from shoal.kernels.grouping import distinct
from shoal.schema import Schema

# Gives the positions on a plain axis that occur in a column, in ascending order.
Used = Callable[[str], Positions]


@dataclass(frozen=True)
class Alignment:
    """How the quasi-identifiers of two tables come to lie on common axes, in the order of the first."""

    names: tuple[str, ...]
    axes: dict[str, Axis]
    first: dict[str, PositionMap]
    second: dict[str, PositionMap]


def alignment(original: Schema, released: Schema, names: Sequence[str], used: tuple[Used, Used]) -> Alignment:
    """Find common axes; positions on a plain axis are listed where the other table lists larger numbers."""
    plan = Alignment(tuple(names), {}, {}, {})
    for name in names:
        a, b = original[name].axis, released[name].axis
        numbers = {a.kind, b.kind} == {"integer", "float"}  # means of whole numbers
        if a.kind != b.kind and not numbers:
            raise SchemaError(
                f"Column '{name}' is {a.kind} in one table and {b.kind} in the other.",
                f"Declare what it is (--kind {name}={a.kind}).",
            )
        some = all(axis.values is None or axis.values.size for axis in (a, b))  # none says nothing of a zone
        if (a.zone is None) != (b.zone is None) and some:
            raise SchemaError(
                f"Column '{name}' has times with a zone in one table and times without one in the other.",
                "Give both a zone, or neither.",
            )
        moves: list[PositionMap] = [None, None]
        sides = [a, b]
        if numbers or (a.values is None) != (b.values is None):
            for side, axis in enumerate(sides):
                if axis.values is None:
                    moves[side] = used[side](name)
                    sides[side] = axis.listed(moves[side])  # type: ignore[arg-type]
        if numbers:
            sides = [Axis("float", axis.values.astype(np.float64)) for axis in sides]  # type: ignore[union-attr]
        common, *further = sides[0].shared_with(sides[1])
        plan.axes[name] = common
        for found, listed, move in zip((plan.first, plan.second), moves, further, strict=True):
            found[name] = move if listed is None else _listed(listed, move)
    return plan


def _listed(used: Positions, move: PositionMap) -> PositionMap:
    """Give what moves the positions of a plain axis, once they are listed, on to the common one: pairs of ends."""
    places = np.arange(used.size, dtype=np.int32) if move is None else move
    return np.stack([used, places])


def with_moves(data: LocalData, names: Sequence[str], moves: dict[str, PositionMap]) -> LocalData:
    """Put the columns in an order and their positions where they belong."""
    order = [data.at(name) for name in names]
    same = order == list(range(len(data.quasi)))
    lo = data.lo if same else np.ascontiguousarray(data.lo[:, order])
    exact = data.hi is data.lo
    hi = lo if exact else data.hi if same else np.ascontiguousarray(data.hi[:, order])
    own = not same
    for j, name in enumerate(names):
        move = moves[name]
        if move is None or (move.ndim == 1 and (move == np.arange(move.size)).all()):
            continue
        if not own:
            lo = lo.copy()
            hi = lo if exact else hi.copy()
            own = True
        for side in (lo,) if exact else (lo, hi):
            side[:, j] = moved(side[:, j], move) if move.ndim == 1 else _found(side[:, j], move)
    return replace(data, quasi=tuple(names), lo=lo, hi=hi, ranged=tuple(data.ranged[j] for j in order))


def _found(column: Positions, move: Positions) -> Positions:
    inside = (column != MISSING) & (column != TOP)
    out = column.copy()
    out[inside] = move[1][np.searchsorted(move[0], column[inside])]
    return out


def used_positions(data: LocalData, name: str) -> Positions:
    """Give the positions that occur in a column, at either end."""
    j = data.at(name)
    used = distinct(np.concatenate([data.lo[:, j], data.hi[:, j]]))
    found: Positions = used[(used != MISSING) & (used != TOP)]
    return found


def refuse_strangers(first: Sequence[str], second: Sequence[str], rows: tuple[int, int]) -> None:
    """Refuse tables that cannot be an original and its release."""
    if set(first) != set(second) or rows[0] != rows[1]:
        raise SchemaError(
            "The two tables do not have the same quasi-identifiers and the same number of records.",
            "Compare a release with the table it was made from.",
        )


def aligned(
    original: LocalData, schema: Schema, released: LocalData, released_schema: Schema
) -> tuple[LocalData, Schema, LocalData, Schema]:
    """Put the quasi-identifiers of two tables in memory on common axes, in the order of the original."""
    refuse_strangers(original.quasi, released.quasi, (original.rows, released.rows))
    used = _used_in(original), _used_in(released)
    plan = alignment(schema, released_schema, original.quasi, used)
    first, second = (
        with_moves(data, plan.names, moves) for data, moves in ((original, plan.first), (released, plan.second))
    )
    return first, schema.with_axes(plan.axes), second, released_schema.with_axes(plan.axes)


def _used_in(data: LocalData) -> Used:
    return lambda name: used_positions(data, name)
